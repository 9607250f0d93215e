//! Triton's allocation of shared memory: large buffers first, each into the lowest open slot; what
//! overlaps after all is pushed up.
//!
//! **From**: triton-lang/triton 0032716, `lib/Analysis/Allocation.cpp`, `computeOffsets`,
//! `calculateStarts`, `buildInterferenceGraph` and `allocate`, after Gergov's algorithm; recorded
//! from Triton 3.9.0.
//! **Rule**: buffers by size, the largest first. A *slot* is an offset with a span of steps; the
//! first one begins at 0 and has no end. The lowest slot, of equals the oldest, is given to the
//! first buffer whose life meets its span and that of no other slot ([`slots`]); if there is none,
//! the slot is dropped. A placed buffer opens a slot on top of itself, and one at the old offset
//! for the steps before and after its life. These reach into its life, so that buffers may overlap.
//! Then rounds follow ([`rounds`]): buffers that overlap get colours, and whatever has another than
//! the first moves above everything that it overlaps, until nothing overlaps.
//! **Simultaneous**: buffers in different regions of one `warp_specialize` never overlap, whenever
//! they live. Partitions of one allocation never share a partition of the memory.
//! **Time and alignment**: half-open numbers of operations, here of nodes. Alignment is that of the
//! buffer; option `align`, 16 in Triton, where nothing states one.
//! **Cost**: `O((n + m) log n)` with `m` pairs of buffers alive at the same time, for every round
//! those of the buffers that moved; the original compares all slots with all buffers, `O(n^3)`.
//! **Does badly**: a slot above a buffer is open only while that one lives, and holes are not
//! looked for. Sizes 48, 64, 48, 64 live [0,5), [1,3), [3,8), [5,7): both 48s go on top of the 64s
//! and overlap, one is pushed up, 160 bytes instead of 112.
//! **Differs**: each memory is one shared memory. Buffers of 0 bytes get offset 0. With
//! `branch_safe`, buffers that no path of the graph orders are simultaneous, too: the slots do not
//! know of them, only the rounds, which may end above a plan that shares nothing.

pub mod rounds;
pub mod slots;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::arenas::Arenas;
use super::{
    BRANCH_SAFE, Case, Complexity, Evidence, Info, Input, OptionKind, OptionSpec, Options, PlanError, Planner, Source,
};
use memplan_core::graph::Format;
use memplan_core::plan::Plan;
use memplan_core::problem::{Buffer, BufferId, Problem, WarpRegion};
use memplan_core::trace::{Decides, Event, Explanation, Note, Outcome, Probe, Sentences, StatePanel, Verdict};
use rounds::{Apart, Parts, Round};
use slots::{Fate, Slot, Turn};

/// Triton's allocation of shared memory.
pub struct TritonShared;

/// Id of [`TritonShared`].
pub const ID: &str = "triton-shared";

/// Overlaps and moves after which rounds are reported by their number only.
const MOST_REPORTED: u64 = 2_000;

const ALIGN: OptionSpec = OptionSpec {
    key: "align",
    original: "alignment",
    kind: OptionKind::Choice(&["1", "4", "8", "16", "32", "64", "128", "256", "512", "1024"]),
    default: "16",
};
const PARTITION: OptionSpec = OptionSpec {
    key: "partition_size",
    original: "sharedMemoryPartitionSize",
    kind: OptionKind::Whole { min: 0, max: 1 << 30 },
    default: "0",
};

static INFO: Info = Info {
    id: ID,
    system: "Triton",
    name: "shared memory",
    source: Source { repository: "triton-lang/triton", version: "0032716", file: "lib/Analysis/Allocation.cpp" },
    options: &[ALIGN, PARTITION, BRANCH_SAFE],
    complexity: Complexity::Pairs,
    // A buffer that states an alignment keeps to that alone, below 16 too.
    align: 1,
    example: "two_branches",
    case: Case { options: &[], peak: 160, best: 112 },
    evidence: Evidence::Golden { system: "triton", planners: &["triton_shared"] },
    formats: &[Format::Ttgir],
    explanation: Explanation {
        functions: &[(Decides::Everything, "AllocationAnalysis::computeOffsets")],
        sentences: Sentences::Slots,
        headlines: &[Outcome::AtEnd, Outcome::Gap],
        panels: &[StatePanel::OpenSlots],
        ..Explanation::USUAL
    },
    ..Info::BASE
};

impl TritonShared {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

/// The run was stopped from outside.
#[derive(Debug)]
pub struct Stopped;

/// A buffer of one function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    /// Bytes, at least 1.
    pub size: u64,
    /// Its offset is a multiple of this power of two, in bytes.
    pub align: u64,
    /// First operation of its life.
    pub start: u32,
    /// The one after its last operation; `u32::MAX` if its life has no end.
    pub end: u32,
    /// The region of a `warp_specialize` that its operation stands in.
    pub region: Option<WarpRegion>,
    /// The allocation that it is a partition of.
    pub group: Option<u32>,
}

/// What the allocation decided. Buffers are numbers, positions in the list given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// All buffers, the largest first.
    pub order: Vec<u32>,
    /// The turns of the first placement.
    pub turns: Vec<Turn>,
    /// Offsets after the first placement.
    pub starts: Vec<u64>,
    /// The rounds; none if there are no buffers.
    pub rounds: Vec<Round>,
    /// Offsets in the end.
    pub offsets: Vec<u64>,
    /// The largest end.
    pub total: u64,
}

/// Places the buffers of a function. `partition`: bytes of a partition of the memory, 0 if there
/// are none. `apart`: pairs that may not share bytes for another reason.
///
/// # Errors
/// [`Stopped`] when `pulse`, which gets the number of buffers placed, breaks.
pub fn allocate(
    buffers: &[Asked],
    partition: u64,
    apart: Option<Apart>,
    pulse: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Found, Stopped> {
    let mut order: Vec<u32> = (0..buffers.len() as u32).collect();
    order.sort_by_key(|&number| Reverse(buffers[number as usize].size));
    if order.is_empty() {
        return Ok(Found {
            order,
            turns: Vec::new(),
            starts: Vec::new(),
            rounds: Vec::new(),
            offsets: Vec::new(),
            total: 0,
        });
    }
    let parts = Parts::new(buffers, partition);
    let (turns, starts) = slots::first_placement(buffers, &order, &parts, pulse)?;
    let mut offsets = starts.clone();
    let rounds = rounds::rounds(buffers, &order, &parts, apart, &mut offsets, pulse)?;
    let ends = offsets.iter().zip(buffers).map(|(offset, buffer)| offset + buffer.size);
    let total = ends.max().unwrap_or(0);
    Ok(Found { order, turns, starts, rounds, offsets, total })
}

/// What a buffer of a problem asks for; `align` where it states no alignment.
pub fn asked(buffer: &Buffer, align: u64) -> Asked {
    let facts = buffer.kernel.as_deref().copied().unwrap_or_default();
    Asked {
        size: buffer.size,
        align: if buffer.align > 1 { buffer.align } else { align },
        start: buffer.live.start,
        end: if facts.endless { u32::MAX } else { buffer.live.end },
        region: facts.region,
        group: facts.group,
    }
}

/// Chips whose shared memory has partitions, with their bytes.
const PARTITIONED: [(&str, u64); 1] = [("hip:gfx1250", 64 << 10)];

/// Bytes of a partition: as stated, or those of the chip that a kernel was compiled for.
fn partition(problem: &Problem, options: &Options) -> u64 {
    let target = problem.kernel.as_ref().and_then(|kernel| kernel.target.as_deref());
    let known = PARTITIONED.iter().find(|(chip, _)| Some(*chip) == target).map_or(0, |&(_, bytes)| bytes);
    Some(options.whole(PARTITION.key)).filter(|&stated| stated > 0).unwrap_or(known)
}

impl Planner for TritonShared {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let branches = super::branches(input, options)?;
        let problem = input.problem;
        let total = problem.buffers.len() as u64;
        let mut arenas = Arenas::new(problem);
        let mut all_rounds = Vec::new();
        let (mut decision, mut done) = (0, 0);
        for memory in problem.memories.ids() {
            let here = |&id: &BufferId| problem.buffers[id].memory == memory;
            let (ids, empty): (Vec<BufferId>, Vec<BufferId>) =
                problem.buffers.ids().filter(here).partition(|&id| problem.buffers[id].size > 0);
            let align = options.whole(ALIGN.key);
            let buffers: Vec<Asked> = ids.iter().map(|&id| asked(&problem.buffers[id], align)).collect();
            let apart = |a: u32, b: u32| !branches.allow(ids[a as usize], ids[b as usize]);
            let apart: Option<Apart> = if branches.is_on() { Some(&apart) } else { None };
            let found = allocate(&buffers, partition(problem, options), apart, &mut |placed| {
                probe.pulse((done + placed).min(total), total)
            });
            let found = found.map_err(|Stopped| PlanError::Cancelled)?;
            done += ids.len() as u64;
            for id in empty {
                probe.event(Event::Begin { buffer: id });
                arenas.place(id, 0, Outcome::Nothing, probe);
                decision += 1;
            }
            report_turns(input, (&ids, &found), &mut decision, &mut arenas, probe);
            all_rounds.push((ids, found.rounds));
        }
        report_rounds(input, &all_rounds, &mut arenas, probe);
        Ok(arenas.into_plan())
    }
}

/// Reports the first placement: each buffer with the slots that were dropped before its own.
fn report_turns(
    input: Input,
    (ids, found): (&[BufferId], &Found),
    decision: &mut u32,
    arenas: &mut Arenas,
    probe: &mut dyn Probe,
) {
    let problem = input.problem;
    let slot_note = |note: Note, slot: Slot| {
        let until = slot.until.min(problem.steps);
        Event::Note { note, subject: slot.from, a: slot.offset, b: until.into() }
    };
    let mut is_first = true;
    let mut passed: Vec<&Turn> = Vec::new();
    for turn in &found.turns {
        let Fate::Taken { buffer, offset, opened } = &turn.fate else {
            passed.push(turn);
            continue;
        };
        let id = ids[*buffer as usize];
        probe.event(Event::Begin { buffer: id });
        if std::mem::take(&mut is_first) {
            probe.event(slot_note(Note::SlotOpen, turn.slot));
        }
        let detail = probe.wants_detail(*decision);
        *decision += 1;
        for Turn { slot, fate } in passed.drain(..) {
            probe.event(slot_note(Note::SlotDrop, *slot));
            match *fate {
                Fate::Moved(offset) => probe.event(slot_note(Note::SlotMove, Slot { offset, ..*slot })),
                Fate::Dropped | Fate::Taken { .. } if detail => {
                    probe.event(Event::Block { verdict: Verdict::Refused, offset: slot.offset, room: u64::MAX });
                }
                Fate::Dropped | Fate::Taken { .. } => {}
            }
        }
        probe.event(slot_note(Note::SlotTake, turn.slot));
        if detail {
            probe.event(Event::Block { verdict: Verdict::Chosen, offset: turn.slot.offset, room: u64::MAX });
        }
        let facts = &problem.buffers[id];
        let grows = offset + facts.size > arenas.peak(facts.memory);
        arenas.place(id, *offset, if grows { Outcome::AtEnd } else { Outcome::Gap }, probe);
        opened.iter().for_each(|&slot| probe.event(slot_note(Note::SlotOpen, slot)));
    }
}

/// Reports the rounds of all memories, if anything overlapped.
fn report_rounds(input: Input, all: &[(Vec<BufferId>, Vec<Round>)], arenas: &mut Arenas, probe: &mut dyn Probe) {
    if all.iter().flat_map(|(_, rounds)| rounds).all(|round| round.interference.is_empty()) {
        return;
    }
    probe.event(Event::Finalize);
    let mut told = 0;
    for (ids, rounds) in all {
        // Where buffers lie after the rounds that are not told one by one.
        let mut silent: BTreeMap<BufferId, u64> = BTreeMap::new();
        for (number, round) in (1u32..).zip(rounds) {
            let pairs = round.interference.values().map(|others| others.len() as u64).sum::<u64>() / 2;
            probe.event(Event::Note { note: Note::Round, subject: number, a: pairs, b: 0 });
            if told >= MOST_REPORTED {
                silent.extend(round.moves.iter().map(|&(moved, _, to)| (ids[moved as usize], to)));
                continue;
            }
            told += pairs + 2 * round.moves.len() as u64;
            for (&one, others) in &round.interference {
                for &other in others.iter().filter(|&&other| one < other) {
                    let (subject, other) = (ids[one as usize].0, ids[other as usize].0);
                    probe.event(Event::Note { note: Note::Overlap, subject, a: other.into(), b: 0 });
                }
            }
            for &(moved, from, to) in &round.moves {
                let id = ids[moved as usize];
                arenas.lift(id, to, probe);
                let color = round.colors.get(&moved).copied().unwrap_or(0);
                probe.event(Event::Note { note: Note::Lifted, subject: id.0, a: from, b: to });
                probe.event(Event::Note { note: Note::RoundColor, subject: id.0, a: color.into(), b: 0 });
            }
        }
        silent.into_iter().for_each(|(id, to)| arenas.lift(id, to, probe));
        let peak = ids.first().map_or(0, |&id| arenas.peak(input.problem.buffers[id].memory));
        probe.event(Event::Note { note: Note::RoundsOver, subject: rounds.len() as u32, a: peak, b: 0 });
    }
}
