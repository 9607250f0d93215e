//! Beam search in order of birth: instead of one plan it carries the best `k`, and places every
//! buffer in every hole of each.
//!
//! **From**: the classic search with a limited number of states, applied to live ranges known
//! beforehand.
//!
//! **Rule**: order: start of life, ties by option `tie`, as first fit has them. Each state gives
//! one successor for every bounded hole that is large enough, at its low end, and one above the
//! highest live buffer. A successor's score is its peak so far; ties go to the lower end of the
//! highest live buffer, then the better parent, then the lower offset. Of successors that leave the
//! same live buffers at the same places the first is kept: the others have the same future. The
//! first `k` are the next generation; at the end the smallest peak wins, the first of equals. Size
//! 0 makes no generation.
//!
//! **Time and alignment**: half-open steps: a buffer that ends at a step is free for one that
//! starts there. A size is rounded up to the buffer's own alignment. Every memory has a search of
//! its own.
//!
//! **Cost**: `O(n k h)` successors with `h` buffers alive, each kept one copied in `O(h)`, and
//! `O(n k)` memory for parent links: a hundred thousand buffers take seconds, not the second of one
//! pass.
//!
//! **Does badly**: a larger `k` may be worse, because a state that would pay off later can fall
//! behind more good ones. And even `k` without limit is the best only of plans in which every
//! buffer lies at the low end of a hole or on top at birth. Sizes 4, 1, 4 are born together at 0,
//! 4, 5; both 4s die and 8 is born: every `k` gives 13, the bound is 9.
//!
//! **Differs**: with `k = 1` it is first fit, place by place.

mod search;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use self::search::{Generation, Search, Successor, padded};
use super::arenas::Arenas;
use super::free_list::births;
use super::{
    Case, Complexity, Contender, Evidence, Group, Info, Input, Needs, OptionKind, OptionSpec, Options, PlanError,
    Planner, Source, Work,
};
use memplan_core::base::{Id, IdVec};
use memplan_core::plan::Plan;
use memplan_core::problem::{Buffer, BufferId, MemoryId, Problem};
use memplan_core::trace::{Event, Explanation, Fate, Note, Outcome, Probe, Sentences, Verdict, in_the_way};

/// A beam search over free lists.
pub struct Beam;

/// Most states kept; ranks are reported in 16 bits.
const MAX_WIDTH: u64 = 4096;

static INFO: Info = Info {
    id: "beam",
    system: "free list",
    name: "beam search",
    source: Source { repository: "", version: "", file: "" },
    needs: Needs::Intervals,
    options: &[
        OptionSpec { key: "k", original: "k", kind: OptionKind::Whole { min: 1, max: MAX_WIDTH }, default: "8" },
        OptionSpec {
            key: "tie",
            original: "tie",
            kind: OptionKind::Choice(&["index", "size", "long"]),
            default: "index",
        },
        super::BRANCH_SAFE,
    ],
    complexity: Complexity::Beam,
    align: 1,
    sweeps: true,
    ranked: true,
    example: "two_branches",
    case: Case { options: &[], peak: 13, best: 9 },
    evidence: Evidence::Stated("evidence.beam"),
    contender: Some(Contender { turn: 8, work: Work::Passes(4) }),
    explanation: Explanation {
        sentences: Sentences::TopTried,
        headlines: &[Outcome::AtEnd, Outcome::Gap],
        ..Explanation::USUAL
    },
    group: Group::Search,
    ..Info::BASE
};

/// A kept state's parent and the place of the buffer that it added.
#[derive(Clone, Copy)]
struct Link {
    parent: u32,
    offset: u64,
    /// Above all that is alive, not in a hole.
    on_top: bool,
}

/// A state that leads to the plan, one for each generation of a memory.
struct Ancestor {
    rank: u32,
    link: Link,
}

impl Beam {
    /// Its data sheet.
    pub const INFO: &'static Info = &INFO;
}

impl Planner for Beam {
    fn info(&self) -> &'static Info {
        Self::INFO
    }

    fn plan(&self, input: Input, options: &Options, probe: &mut dyn Probe) -> Result<Plan, PlanError> {
        let problem = input.problem;
        let branches = super::branches(input, options)?;
        let width = options.whole("k").clamp(1, MAX_WIDTH) as usize;
        let order = births(problem, options.get("tie"));
        let searches = || problem.memories.ids().map(|_| Search::new(problem, &branches, width)).collect();
        // Which state wins is known only at the end: a first pass finds it, a second one reports
        // how it was reached.
        let lineages = lineages(problem, &order, searches(), probe)?;
        let watched = (0..order.len() as u32).any(|decision| probe.wants_detail(decision));
        let searches = watched.then(searches);
        report(problem, &order, &lineages, searches, width, probe)
    }
}

/// Runs the search of every memory and follows its winner back.
fn lineages(
    problem: &Problem,
    order: &[BufferId],
    mut searches: Vec<Search>,
    probe: &mut dyn Probe,
) -> Result<IdVec<MemoryId, Vec<Ancestor>>, PlanError> {
    let mut links: IdVec<MemoryId, Vec<Vec<Link>>> = problem.memories.iter().map(|_| Vec::new()).collect();
    for (decision, &id) in order.iter().enumerate() {
        pulse(decision, order, probe)?;
        let buffer = &problem.buffers[id];
        if buffer.size == 0 {
            continue;
        }
        let search = &mut searches[buffer.memory.index()];
        search.release_for(id);
        let Generation { successors, fates } = search.advance(id);
        let kept = successors.iter().zip(fates).filter(|(_, (fate, _))| *fate == Fate::Kept);
        let link = |successor: &Successor| Link {
            parent: successor.parent,
            offset: successor.offset,
            on_top: successor.offset + padded(buffer) == successor.top,
        };
        links[buffer.memory].push(kept.map(|(successor, _)| link(successor)).collect());
    }
    let trace = |(memory, generations): (MemoryId, &Vec<Vec<Link>>)| {
        let mut rank = searches[memory.index()].best() as u32;
        let step = |kept: &Vec<Link>| {
            let link = kept[rank as usize];
            Ancestor { rank: std::mem::replace(&mut rank, link.parent), link }
        };
        let mut steps: Vec<Ancestor> = generations.iter().rev().map(step).collect();
        steps.reverse();
        steps
    };
    Ok(links.enumerate().map(trace).collect())
}

/// Reports the winning plan as it grows and, where somebody looks, what the search held at each
/// moment.
fn report(
    problem: &Problem,
    order: &[BufferId],
    lineages: &IdVec<MemoryId, Vec<Ancestor>>,
    mut searches: Option<Vec<Search>>,
    width: usize,
    probe: &mut dyn Probe,
) -> Result<Plan, PlanError> {
    let mut deaths: Vec<BufferId> = problem.buffers.ids().collect();
    deaths.sort_by_key(|&id| (problem.buffers[id].live.end, id));
    let mut deaths = deaths.into_iter().peekable();
    let mut generation: IdVec<MemoryId, usize> = IdVec::from_elem(0, problem.memories.len());
    let mut arenas = Arenas::new(problem);
    for (decision, &id) in order.iter().enumerate() {
        pulse(order.len() + decision, order, probe)?;
        let buffer = &problem.buffers[id];
        probe.event(Event::Begin { buffer: id });
        while let Some(dead) = deaths.next_if(|&dead| problem.buffers[dead].live.end <= buffer.live.start) {
            probe.event(Event::Release { buffer: dead });
        }
        if buffer.size == 0 {
            arenas.place(id, 0, Outcome::Nothing, probe);
            continue;
        }
        let lineage = &lineages[buffer.memory];
        let number = generation[buffer.memory];
        generation[buffer.memory] += 1;
        let Ancestor { rank, link } = &lineage[number];
        if let Some(searches) = &mut searches {
            let search = &mut searches[buffer.memory.index()];
            search.release_for(id);
            let detail = probe.wants_detail(decision as u32);
            if detail {
                show_rooms(search, link, buffer, id, probe);
            }
            let made = search.advance(id);
            if detail {
                show_lanes(&made, *rank, width, probe);
            }
        }
        arenas.place(id, link.offset, if link.on_top { Outcome::AtEnd } else { Outcome::Gap }, probe);
    }
    Ok(arenas.into_plan())
}

/// Reports progress over both passes.
fn pulse(done: usize, order: &[BufferId], probe: &mut dyn Probe) -> Result<(), PlanError> {
    match probe.pulse(done as u64, 2 * order.len() as u64) {
        ControlFlow::Break(()) => Err(PlanError::Cancelled),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// The places that the state which leads to the plan offers.
fn show_rooms(search: &Search, link: &Link, buffer: &Buffer, id: BufferId, probe: &mut dyn Probe) {
    let rank = link.parent as usize;
    for (owner, start, end) in search.parallel(rank, id) {
        in_the_way(probe, [owner]);
        probe.event(Event::Block { verdict: Verdict::Parallel, offset: start, room: end - start });
    }
    for room in search.rooms(rank, id) {
        let verdict = match room.low_end(padded(buffer), buffer.align) {
            Some(offset) if offset == link.offset => Verdict::Chosen,
            Some(_) => Verdict::Fits,
            None => Verdict::TooSmall,
        };
        let bytes = room.end.map_or(u64::MAX, |end| end - room.start);
        probe.event(Event::Block { verdict, offset: room.start, room: bytes });
    }
}

/// The successors, best first: all that were compared, then as many of those cut as states are
/// kept.
fn show_lanes(made: &Generation, winner: u32, width: usize, probe: &mut dyn Probe) {
    let fate = |index: usize| made.fates.get(index).copied().unwrap_or((Fate::Cut, index as u32));
    for (index, successor) in made.successors.iter().enumerate().take(made.fates.len() + width) {
        let (fate, rank) = fate(index);
        let parent = successor.parent as u16;
        probe.event(Event::Lane { fate, parent, rank, offset: successor.offset, score: successor.score });
    }
    let kept = made.fates.iter().filter(|(fate, _)| *fate == Fate::Kept).count() as u64;
    let made = made.successors.len() as u64;
    probe.event(Event::Note { note: Note::Generation, subject: winner, a: made, b: kept });
}
