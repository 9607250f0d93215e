//! ggml's graph allocator `gallocr`, which llama.cpp, whisper.cpp and stable-diffusion.cpp plan
//! with.
//!
//! **From**: ggml-org/ggml d99724f (0.21.0), `src/ggml-alloc.c`: `ggml_gallocr_alloc_graph_impl`
//! ([`walk()`]) and `ggml_dyn_tallocr` ([`chunks`]).
//! **Rule**: leafs, tensors that no node makes, get their places first. Reads and views of each
//! tensor are counted. Then nodes run in order. A result takes over a source that the graph permits
//! it to overwrite if this is the source's last read, no view of it is left and it is neither a
//! view nor an output. Otherwise it takes the smallest free block that is large enough, of equal
//! ones the highest, of several chunks that of the last; the last block of a chunk's list counts
//! only if nothing else will do, and then that of the chunk that grows least. If no chunk has room,
//! one is made. A source is freed when its reads and views reach 0; an output is not. Freed bytes
//! join their free neighbours.
//! **Time and alignment**: a node is a step; half-open steps. Sizes are rounded up to the
//! alignment, so all offsets are multiples of it.
//! **Cost**: `O(n · blocks)`: each request looks at all free blocks of its memory, of which the
//! original has at most 256 a chunk. With `branch_safe` also at all buffers placed before.
//! **Does badly**: it knows no later size, so a chain of growing tensors never fits a hole. 160,
//! 320, 256 and 512 bytes, each made from the one before, take 1248 bytes instead of 768.
//! **Differs**: the order of leafs is that of the file; ggml has them in the order of a depth-first
//! search. The original always hands over, and decides by operator and layout what may be taken.
//! Here that is an option, as for other planners, because the lower bound counts both tensors; the
//! graph states the pairs, or the operators' names do. Weights that are planned are leafs that keep
//! their places. The original lets a tensor take over one of another memory, and stops at the 257th
//! free block of a chunk; the latter is an option. With `branch_safe` a block is used from the
//! first offset on whose earlier buffers a path of the graph orders before the new one.

pub mod chunks;
pub mod network;
#[cfg(test)]
mod tests;
pub mod walk;

use self::chunks::Allocator;
use self::network::{InPlace, Network};
use self::walk::{Ground, Walked, walk};
use super::{
    BRANCH_SAFE, Case, Complexity, Evidence, Info, Input, OptionKind, OptionSpec, Options, PlanError, Planner, Source,
};
use memplan_core::base::{IdVec, MAX_SAFE};
use memplan_core::plan::{Plan, Pool, PoolId, PoolRole};
use memplan_core::problem::{Memory, MemoryId, Problem};
use memplan_core::trace::{Decides, Explanation, Outcome, Probe, StatePanel};

/// ggml's planner.
pub struct Ggml;

static INFO: Info = Info {
    id: "ggml",
    system: "ggml",
    name: "gallocr",
    source: Source {
        repository: "ggml-org/ggml",
        version: "0.21.0 (d99724f2b141fed9e1a9f402213506c081433465)",
        file: "src/ggml-alloc.c",
    },
    options: &[
        OptionSpec {
            key: "alignment",
            original: "ggml_backend_buft_get_alignment",
            kind: OptionKind::Choice(&["16", "32", "64", "128", "256"]),
            default: "32",
        },
        OptionSpec {
            key: "max_size",
            original: "ggml_backend_buft_get_max_size",
            kind: OptionKind::Whole { min: 0, max: MAX_SAFE },
            default: "0",
        },
        OptionSpec {
            key: "inplace",
            original: "ggml_op_can_inplace",
            kind: OptionKind::Choice(&["off", "stated", "operators"]),
            default: "off",
        },
        OptionSpec { key: "limit_blocks", original: "MAX_FREE_BLOCKS", kind: OptionKind::Flag, default: "false" },
        BRANCH_SAFE,
    ],
    complexity: Complexity::Blocks,
    align: 16,
    sweeps: true,
    example: "gpt2_small_seq256",
    case: Case { options: &[], peak: 1248, best: 768 },
    evidence: Evidence::Golden { system: "ggml", planners: &["ggml_gallocr"] },
    explanation: Explanation {
        functions: &[
            (Decides::Outcome(Outcome::InPlace), "ggml_gallocr_allocate_node"),
            (Decides::Everything, "ggml_dyn_tallocr_alloc"),
        ],
        panels: &[StatePanel::Chunks],
        headlines: &[Outcome::NewPool, Outcome::Split],
        ..Explanation::USUAL
    },
    ..Info::BASE
};

impl Ggml {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for Ggml {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let problem = input.problem;
        super::refuse_parts(input)?;
        let branches = super::branches(input, options)?;
        let in_place = match options.get("inplace") {
            "stated" => InPlace::Stated,
            "operators" => InPlace::Operators,
            _ => InPlace::Off,
        };
        let network = Network::of(problem, input.graph, in_place);
        let mut aligns = IdVec::from_elem(options.whole("alignment"), problem.memories.len());
        for buffer in problem.buffers.iter() {
            aligns[buffer.memory] = buffer.align.max(aligns[buffer.memory]);
        }
        let limit = Some(options.whole("max_size")).filter(|&limit| limit > 0);
        let allocators = aligns.iter().map(|&align| Allocator::new(align, limit)).collect();
        let ground = Ground {
            problem,
            network: &network,
            branches: &branches,
            allocator_of: (0..problem.memories.len()).collect(),
            across: false,
            limits_blocks: options.flag("limit_blocks"),
        };
        Ok(into_plan(problem, &network, walk(&ground, allocators, probe)?))
    }
}

/// The plan that a walk leads to. Allocator `i` is that of memory `i`.
fn into_plan(problem: &Problem, network: &Network, walked: Walked) -> Plan {
    let pool = |(id, &(allocator, chunk)): (PoolId, &(usize, usize))| {
        let Memory { device, mem_id } = &problem.memories[MemoryId(allocator as u32)];
        let name = match mem_id {
            _ if problem.memories.len() == 1 => format!("chunk {chunk}"),
            Some(id) => format!("{device} {id} chunk {chunk}"),
            None => format!("{device} chunk {chunk}"),
        };
        Pool { name, size: walked.ends[id], device: device.clone(), role: PoolRole::Arena }
    };
    let mut places = IdVec::from_elem(None, problem.buffers.len());
    for (tensor, place) in network.tensors.iter().zip(&walked.places) {
        if let (Some(buffer), Some(place)) = (tensor.buffer, place) {
            places[buffer] = Some(*place);
        }
    }
    let pools = walked.pools.enumerate().map(pool).collect();
    Plan { pools, places, shared: walked.shared, ..Plan::default() }
}
