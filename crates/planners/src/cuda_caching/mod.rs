//! PyTorch's CUDA caching allocator: blocks are cached, split and joined; nothing is planned ahead.
//!
//! **From**: pytorch/pytorch 2.15.0 (d0f2af8), `c10/cuda/CUDACachingAllocator.cpp` (class
//! `DeviceCachingAllocator`), with the settings of `c10/core/AllocatorConfig.cpp`; versions back to
//! 2.9 by an option.
//! **Rule**: a buffer is requested at its first step and freed at the step after its last; at one
//! step all frees come before all requests. Sizes are rounded up to 512 bytes. Up to 1 MiB a
//! request belongs to the small pool, else to the large one. It takes the smallest free block of
//! its pool that is large enough; of equal ones the one in the oldest segment, then the lowest. The
//! rest is split off in the small pool from 512 bytes on, in the large one above 1 MiB. If no block
//! fits, a segment is obtained from the card: 2 MiB, 20 MiB, or from 10 MiB on the size itself. A
//! freed block joins its free neighbours, and its segment is kept.
//! **Time and alignment**: half-open steps. Blocks begin at multiples of 512 bytes, or of the
//! largest alignment asked for.
//! **Cost**: `O(n log n)`: free blocks are kept in order. With `branch_safe` each request looks at
//! the blocks that fit, and at all buffers before.
//! **Does badly**: a cached segment serves only requests that fit into it. Buffers of 12 and 13 MiB
//! that are never alive together take 25 MiB: the segment of the first stays, free and too small.
//! **Differs**: one stream, unless a snapshot records more. The original aligns to 512 bytes
//! whatever is asked. A card without a stated size never runs out of memory. Buffers of 0 bytes get
//! no block.
//!
//! [`Allocator`] is the state machine by itself, [`Replay`] plays a recording to it, and [`WhatIf`]
//! measures what other settings would have done.

mod allocator;
mod blocks;
mod card;
mod counts;
mod obtain;
mod play;
mod release;
mod replay;
mod settings;
mod start;
#[cfg(test)]
mod tests;
mod whatif;

use self::play::Play;
use super::{
    BRANCH_SAFE, Case, Complexity, Evidence, Info, Input, OptionKind, OptionSpec, Options, PlanError, Planner, Source,
};
use memplan_core::base::{MAX_SAFE, Message};
use memplan_core::plan::Plan;
use memplan_core::trace::{Decides, Explanation, Outcome, Probe, StatePanel};

pub use allocator::{
    Account, Action, Allocator, BlockState, Done, FreeBlock, FreeChange, MayUse, Refusal, Search, Segment, SegmentBlock,
};
pub use blocks::BlockId;
pub use card::{Addresses, Card};
pub use counts::{Counted, Counts, Stat};
pub use replay::{Came, Difference, Fidelity, Replay, fidelity};
pub use settings::{MIB, MIN_BLOCK, Settings, SettingsError, Ties, UNLIMITED, Version};
pub use whatif::{AtPeak, LeftOut, Measured, OnCard, Stop, WhatIf, cheapest, planned_as};

/// PyTorch's CUDA caching allocator.
pub struct CudaCaching;

/// Largest number of MiB that a setting takes.
const MOST_MB: u64 = MAX_SAFE >> 20;

static INFO: Info = Info {
    id: "cuda-caching",
    system: "PyTorch",
    name: "CUDA caching allocator",
    source: Source {
        repository: "pytorch/pytorch",
        version: "2.15.0 (d0f2af8b66b20da4baa50644c0cd3f887a2eae2e)",
        file: "c10/cuda/CUDACachingAllocator.cpp",
    },
    options: &[
        OptionSpec {
            key: "max_split_size_mb",
            original: "max_split_size_mb",
            kind: OptionKind::Whole { min: 0, max: MOST_MB },
            default: "0",
        },
        OptionSpec {
            key: "max_non_split_rounding_mb",
            original: "max_non_split_rounding_mb",
            kind: OptionKind::Whole { min: 0, max: MOST_MB },
            default: "0",
        },
        OptionSpec {
            key: "large_segment_size_mb",
            original: "large_segment_size_mb",
            kind: OptionKind::Whole { min: 11, max: MOST_MB },
            default: "20",
        },
        OptionSpec {
            key: "roundup_power2_divisions",
            original: "roundup_power2_divisions",
            kind: OptionKind::Text,
            default: "",
        },
        OptionSpec {
            key: "garbage_collection_threshold",
            original: "garbage_collection_threshold",
            kind: OptionKind::Text,
            default: "",
        },
        OptionSpec {
            key: "expandable_segments",
            original: "expandable_segments",
            kind: OptionKind::Flag,
            default: "false",
        },
        OptionSpec {
            key: "throw_on_cudamalloc_oom",
            original: "throw_on_cudamalloc_oom",
            kind: OptionKind::Flag,
            default: "false",
        },
        OptionSpec {
            key: "per_process_memory_fraction",
            original: "per_process_memory_fraction",
            kind: OptionKind::Text,
            default: "",
        },
        OptionSpec {
            key: "card",
            original: "total_memory",
            kind: OptionKind::Whole { min: 0, max: MAX_SAFE },
            default: "0",
        },
        OptionSpec {
            key: "version",
            original: "torch.__version__",
            kind: OptionKind::Choice(&["2.9", "2.10", "2.11", "2.12", "2.13", "2.14", "2.15"]),
            default: "2.15",
        },
        OptionSpec { key: "recorded", original: "PYTORCH_ALLOC_CONF", kind: OptionKind::Flag, default: "true" },
        BRANCH_SAFE,
    ],
    complexity: Complexity::Sorting,
    align: MIN_BLOCK,
    sweeps: true,
    example: "resnet18_train_b8",
    case: Case { options: &[], peak: 26_214_912, best: 13_632_000 },
    evidence: Evidence::Golden { system: "cuda_allocator", planners: &["cuda-allocator/1"] },
    explanation: Explanation {
        functions: &[
            (Decides::Outcome(Outcome::NewPool), "DeviceCachingAllocator::alloc_block"),
            (Decides::Outcome(Outcome::Grow), "DeviceCachingAllocator::try_allocate_expandable_block"),
            (Decides::Everything, "DeviceCachingAllocator::get_free_block"),
        ],
        panels: &[StatePanel::CachedBlocks],
        headlines: &[Outcome::NewPool, Outcome::Exact, Outcome::Split, Outcome::Reuse, Outcome::Grow, Outcome::Stated],
        ..Explanation::USUAL
    },
    ..Info::BASE
};

impl CudaCaching {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for CudaCaching {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let branches = super::branches(input, options)?;
        let version = Version::of(options.get("version")).unwrap_or(Version::NEWEST);
        let card = Some(options.whole("card")).filter(|&card| card > 0);
        let own = text_of(options);
        let setup = play::Setup { problem: input.problem, branches: &branches, version, card, own: &own };
        Play::new(setup, options.flag("recorded"))?.run(probe)
    }
}

/// The text of settings that options other than their defaults stand for.
fn text_of(options: &Options) -> String {
    let keys = ["large_segment_size_mb", "max_split_size_mb", "max_non_split_rounding_mb", "roundup_power2_divisions"];
    let others = ["garbage_collection_threshold", "per_process_memory_fraction"];
    let flags = ["expandable_segments", "throw_on_cudamalloc_oom"];
    let changed: Vec<(&str, &str)> = options.changed(&INFO).collect();
    let given = |key: &str| changed.iter().find(|(other, _)| *other == key).map(|(_, value)| value.trim());
    let pair = |key: &str| given(key).filter(|value| !value.is_empty()).map(|value| format!("{key}:{value}"));
    let on = |key: &str| (given(key) == Some("true")).then(|| format!("{key}:True"));
    let pairs: Vec<String> =
        keys.into_iter().chain(others).filter_map(pair).chain(flags.into_iter().filter_map(on)).collect();
    pairs.join(",")
}

/// Why a text of settings cannot be used.
fn settings_fault(error: &SettingsError, version: Version) -> Message {
    if error.at == "backend" {
        return Message::new("fault.cuda-backend");
    }
    Message::new("fault.cuda-setting").text("key", error.at.clone()).text("version", version.to_string())
}
