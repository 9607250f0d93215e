//! A GPU kernel and the shared memory of a card: does it fit, and what single change brings it
//! below the limit?
//!
//! What a kernel takes is what its compiler's planner makes of its buffers. A change makes some of
//! them smaller or takes one away; the same planner then plans what is left. A change stands for
//! one of the kernel's source: a stage of the pipeline fewer, an extent of a block halved, an
//! operation that needs no scratch. The compiler may choose other layouts then, so that only
//! compiling again is proof.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::read_size;
use memplan_core::base::Message;
use memplan_core::problem::{Buffer, Fullest, KernelFacts, KernelOrigin, Problem};
use memplan_core::text::Speech;
use memplan_core::trace::Silent;
use memplan_planners::{self as planner, Input, KERNELS};

/// The form of [`KernelFit`] as JSON.
pub const KERNEL_FORMAT: &str = "kernel-fit/1";

/// A kind of GPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Card {
    /// As Triton names it: `cuda:80` is compute capability 8.0.
    pub target: &'static str,
    /// Names that people know.
    pub names: &'static str,
    /// Most bytes of shared memory that one block of threads may have.
    pub bytes: u64,
}

/// The limits of cards. NVIDIA: *CUDA C++ Programming Guide* 13.0, table of compute capabilities,
/// "maximum amount of shared memory per thread block", which Triton reads from the driver as
/// `SHARED_MEMORY_PER_BLOCK_OPTIN`. AMD: *HIP* hardware features, "LDS size"; of gfx1250, not
/// listed there yet, LLVM's AMDGPU target: `FeatureAddressableLocalMemorySize327680`, the most
/// bytes that one workgroup may have (`test/CodeGen/AMDGPU/lds-size-hsa-gfx1250.ll`).
pub const CARDS: [Card; 14] = [
    Card { target: "cuda:70", names: "V100", bytes: 96 << 10 },
    Card { target: "cuda:75", names: "T4, RTX 20", bytes: 64 << 10 },
    Card { target: "cuda:80", names: "A100, A30", bytes: 163 << 10 },
    Card { target: "cuda:86", names: "A10, A40, RTX 30", bytes: 99 << 10 },
    Card { target: "cuda:87", names: "Jetson Orin", bytes: 163 << 10 },
    Card { target: "cuda:89", names: "L4, L40, RTX 40", bytes: 99 << 10 },
    Card { target: "cuda:90", names: "H100, H200", bytes: 227 << 10 },
    Card { target: "cuda:100", names: "B200", bytes: 227 << 10 },
    Card { target: "cuda:103", names: "B300", bytes: 227 << 10 },
    Card { target: "cuda:120", names: "RTX 50", bytes: 99 << 10 },
    Card { target: "hip:gfx90a", names: "MI200", bytes: 64 << 10 },
    Card { target: "hip:gfx942", names: "MI300", bytes: 64 << 10 },
    Card { target: "hip:gfx950", names: "MI350", bytes: 160 << 10 },
    Card { target: "hip:gfx1250", names: "GFX12.5", bytes: 320 << 10 },
];

impl Card {
    /// Returns the card of a name: `cuda:80`, `sm_80`, `sm80`, `gfx942`.
    pub fn find(name: &str) -> Option<&'static Card> {
        let name = name.trim().to_ascii_lowercase();
        let number = name.strip_prefix("sm_").or_else(|| name.strip_prefix("sm"));
        let target = match number {
            // Suffixes such as 90a stand for features of the same chip.
            Some(number) => format!("cuda:{}", number.trim_end_matches(['a', 'f'])),
            None if name.starts_with("gfx") => format!("hip:{name}"),
            None => name,
        };
        CARDS.iter().find(|card| card.target == target)
    }

    /// Returns the usual short name: `sm_80`, `gfx942`.
    pub fn short(&self) -> String {
        let (kind, name) = self.target.split_once(':').unwrap_or(("", self.target));
        if kind == "cuda" { format!("sm_{name}") } else { name.to_string() }
    }
}

/// Returns the limit in bytes that a text names: a card or a size. None asks for the card that the
/// kernel was compiled for.
///
/// # Errors
/// The text is neither, or the file names no card that is known.
pub fn limit_of(problem: &Problem, text: Option<&str>) -> Result<u64, Message> {
    let text = text.map(str::trim).filter(|text| !text.is_empty());
    let own = || problem.kernel.as_ref()?.target.as_deref();
    match (text, own()) {
        (Some(text), _) => Card::find(text)
            .map(|card| card.bytes)
            .or_else(|| read_size(text).filter(|&size| size > 0))
            .ok_or_else(|| Message::new("kernel.bad-limit").text("text", text)),
        (None, Some(target)) => Card::find(target)
            .map(|card| card.bytes)
            .ok_or_else(|| Message::new("kernel.unknown-card").text("target", target)),
        (None, None) => Err(Message::new("kernel.no-card")),
    }
}

/// Whether a kernel fits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KernelResult {
    /// It fits.
    Fits,
    /// What is known of it fits, but the file leaves out scratch or other buffers.
    FitsInPart,
    /// It needs more than the limit.
    TooLarge,
}

/// A buffer that is alive where the kernel needs most.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AliveRecord {
    /// Name of the value or operation.
    pub name: String,
    /// Bytes.
    pub bytes: u64,
}

/// What is changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KernelChange {
    /// Buffers that hold so many copies of a tile hold fewer.
    Stages {
        /// Copies now.
        from: u32,
        /// Copies then.
        to: u32,
    },
    /// All tiles with an extent of so many elements have half of it.
    Halved {
        /// Elements now.
        extent: u32,
    },
    /// An operation needs no scratch.
    WithoutScratch {
        /// The operation.
        name: String,
    },
}

/// A change, and what the kernel takes with it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ChangeRecord {
    /// The change.
    pub change: KernelChange,
    /// Names of the buffers that it changes.
    pub buffers: Vec<String>,
    /// Bytes then.
    pub total: u64,
    /// Whether that is within the limit.
    pub fits: bool,
}

/// The answer for a kernel and a limit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KernelFit {
    /// Name of the function.
    pub name: String,
    /// What it was compiled for, if the file tells.
    pub target: Option<String>,
    /// Bytes of shared memory that a block may have.
    pub limit: u64,
    /// Bytes that the kernel takes, as its compiler places them.
    pub total: u64,
    /// Bytes alive at once, at most: no placement takes less.
    pub bound: u64,
    /// Whether that is within the limit.
    pub result: KernelResult,
    /// Operations that may need scratch whose size the file leaves out.
    pub unsized_scratch: u32,
    /// Buffers and calls that the file leaves out.
    pub left_out: u32,
    /// The first operation at which most bytes are alive.
    pub step: u32,
    /// What is alive there, the largest first.
    pub alive: Vec<AliveRecord>,
    /// Single changes: those that bring the kernel within the limit first, the mildest of these
    /// first.
    pub changes: Vec<ChangeRecord>,
}

impl KernelFit {
    /// Whether the kernel fits, or does with one of the changes.
    pub fn is_solved(&self) -> bool {
        self.result != KernelResult::TooLarge || self.changes.iter().any(|change| change.fits)
    }

    /// Operations, buffers and calls whose need is not in the figures.
    pub fn unknown(&self) -> u32 {
        self.unsized_scratch + self.left_out
    }

    /// The condition of all figures, if the file leaves something out.
    pub fn condition(&self) -> Option<Message> {
        (self.unknown() > 0).then(|| Message::new("kernel.condition").count("n", self.unknown()))
    }

    /// The verdict in words.
    pub fn verdict(&self) -> Message {
        let message = match self.result {
            KernelResult::Fits => Message::new("kernel.fits").bytes("spare", self.limit - self.total),
            KernelResult::FitsInPart => Message::new("kernel.fits-in-part"),
            KernelResult::TooLarge => Message::new("kernel.too-large").bytes("over", self.total - self.limit),
        };
        message.bytes("total", self.total).bytes("limit", self.limit)
    }
}

impl ChangeRecord {
    /// The change in words.
    pub fn in_words(&self) -> Message {
        match &self.change {
            KernelChange::Stages { from, to } => {
                Message::new("kernel.change-stages").count("from", *from).count("to", *to)
            }
            KernelChange::Halved { extent } => {
                Message::new("kernel.change-halved").count("from", *extent).count("to", *extent / 2)
            }
            KernelChange::WithoutScratch { name } => Message::new("kernel.change-scratch").name("name", name),
        }
    }
}

/// Copies of a tile that are the stages of a loop: other arrays are larger.
const STAGES: std::ops::RangeInclusive<u32> = 2..=16;

/// Most changes that are tried: each is planned anew.
const MOST_CHANGES: usize = 64;

/// Extents below which halving a tile is of no use: the matrix units of cards take 16 at a time.
const LEAST_EXTENT: u32 = 32;

/// Returns what a kernel takes, whether that is within a limit in bytes, and what each single
/// change would do.
///
/// # Errors
/// The buffers are no kernel's, or the planner returns no plan.
pub fn fit_kernel(problem: &Problem, limit: u64) -> Result<KernelFit, Message> {
    let kernel = problem.kernel.as_ref().ok_or_else(|| Message::new("kernel.none").text("name", &problem.name))?;
    // What the file states in all counts what it does not list.
    let planned = total(problem)?;
    let total = planned.max(kernel.stated.unwrap_or(0));
    let fullest = Fullest::new(problem);
    let step = fullest.step().unwrap_or(0);
    let alive = problem.buffers.iter().filter(|buffer| buffer.live.contains(step));
    let mut alive: Vec<AliveRecord> =
        alive.map(|buffer| AliveRecord { name: buffer.name.clone(), bytes: buffer.size }).collect();
    alive.sort_by_key(|buffer| std::cmp::Reverse(buffer.bytes));
    let mut changes = Vec::new();
    for candidate in candidates(problem).into_iter().take(MOST_CHANGES) {
        let changed = candidate.apply(problem);
        let then = self::total(&changed.problem)?.saturating_add(total - planned);
        let change = candidate;
        if then < total {
            changes.push(ChangeRecord { change, buffers: changed.names, total: then, fits: then <= limit });
        }
    }
    // Of two changes that do, the one that takes away less changes the kernel less.
    changes.sort_by_key(|change| (!change.fits, if change.fits { u64::MAX - change.total } else { change.total }));
    // The total that a file states has all of it.
    let is_whole = kernel.stated.is_some() || kernel.unsized_scratch + kernel.left_out == 0;
    let result = match (total <= limit, is_whole) {
        (true, true) => KernelResult::Fits,
        (true, false) => KernelResult::FitsInPart,
        (false, _) => KernelResult::TooLarge,
    };
    Ok(KernelFit {
        name: problem.name.clone(),
        target: kernel.target.clone(),
        limit,
        total,
        bound: fullest.bound,
        result,
        unsized_scratch: if is_whole { 0 } else { kernel.unsized_scratch },
        left_out: if is_whole { 0 } else { kernel.left_out },
        step,
        alive,
        changes,
    })
}

fn total(problem: &Problem) -> Result<u64, Message> {
    let planner = planner::find(KERNELS).ok_or_else(|| Message::new("kernel.none").text("name", &problem.name))?;
    let input = Input { problem, graph: None };
    let plan = planner.plan(input, &planner.info().defaults(), &mut Silent).map_err(|error| error.message())?;
    Ok(plan.peak(problem))
}

/// The buffers after a change.
struct Changed {
    problem: Problem,
    names: Vec<String>,
}

/// Every single change that a kernel's file gives reason for, the largest numbers first.
fn candidates(problem: &Problem) -> Vec<KernelChange> {
    let facts = || problem.buffers.iter().filter_map(|buffer| buffer.kernel.as_deref().copied());
    let stages: BTreeSet<u32> = facts().map(|facts| facts.stages).filter(|stages| STAGES.contains(stages)).collect();
    let fewer = |from: u32| (1..from).rev().map(move |to| KernelChange::Stages { from, to });
    let mut found: Vec<KernelChange> = stages.into_iter().rev().flat_map(fewer).collect();
    let extents: BTreeSet<u32> = facts()
        .filter(is_tile)
        .flat_map(|facts| facts.tile)
        .filter(|&extent| extent >= LEAST_EXTENT && extent.is_power_of_two())
        .collect();
    found.extend(extents.into_iter().rev().map(|extent| KernelChange::Halved { extent }));
    let mut scratch: Vec<&Buffer> = problem.buffers.iter().filter(|buffer| is_scratch(buffer)).collect();
    scratch.sort_by_key(|buffer| std::cmp::Reverse(buffer.size));
    found.extend(scratch.iter().map(|buffer| KernelChange::WithoutScratch { name: buffer.name.clone() }));
    found
}

fn is_tile(facts: &KernelFacts) -> bool {
    facts.origin == KernelOrigin::Explicit
}

fn is_scratch(buffer: &Buffer) -> bool {
    buffer.kernel.as_ref().is_some_and(|facts| facts.origin == KernelOrigin::Scratch && !facts.endless)
}

impl KernelChange {
    /// The kernel with the change.
    fn apply(&self, problem: &Problem) -> Changed {
        match self {
            KernelChange::Stages { from, to } => changed(problem, |buffer, facts| {
                let size = (u128::from(buffer.size) * u128::from(*to)).div_ceil(u128::from(*from));
                (facts.stages == *from).then_some(size as u64)
            }),
            KernelChange::Halved { extent } => changed(problem, |buffer, facts| {
                let times = facts.tile.iter().filter(|&one| one == extent).count() as u32;
                (is_tile(&facts) && times > 0).then(|| buffer.size.div_ceil(1 << times))
            }),
            KernelChange::WithoutScratch { name } => {
                let is_gone = |buffer: &Buffer| is_scratch(buffer) && buffer.name == *name;
                let kept = problem.buffers.iter().filter(|buffer| !is_gone(buffer)).cloned();
                let problem = Problem { buffers: kept.collect(), ..problem.clone() };
                Changed { problem, names: vec![name.clone()] }
            }
        }
    }
}

/// The kernel with other sizes of the buffers that `smaller` returns one for.
fn changed(problem: &Problem, smaller: impl Fn(&Buffer, KernelFacts) -> Option<u64>) -> Changed {
    let mut changed = Changed { problem: problem.clone(), names: Vec::new() };
    for buffer in changed.problem.buffers.iter_mut() {
        if let Some(size) = buffer.kernel.as_deref().and_then(|&facts| smaller(buffer, facts)) {
            buffer.size = size;
            changed.names.push(buffer.name.clone());
        }
    }
    changed
}

/// The answer as lines of text.
pub fn kernel_text(fit: &KernelFit, speech: Speech) -> String {
    let mut lines = vec![speech.say(&fit.verdict())];
    lines.extend(fit.condition().map(|condition| speech.say(&condition)));
    let count = fit.alive.len() as u64;
    lines.push(speech.say(&Message::new("kernel.alive").count("step", fit.step).count("n", count)));
    lines.extend(fit.alive.iter().map(|one| format!("  {:>10}  {}", one.bytes, one.name)));
    if fit.changes.is_empty() {
        lines.push(speech.say(&Message::new("kernel.no-change")));
    } else {
        lines.push(speech.say(&Message::new("kernel.changes")));
    }
    for change in &fit.changes {
        let sign = if change.fits { "✓" } else { " " };
        lines.push(format!("{sign} {:>10}  {}", change.total, speech.say(&change.in_words())));
    }
    lines.push(speech.say(&Message::new("kernel.only-compiling")));
    lines.join("\n") + "\n"
}
