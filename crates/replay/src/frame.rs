//! One moment of a run, with everything that the page shows of it.

use super::candidates::{Candidate, Missed, candidates, missed};
use super::run::Run;
use super::timeline::{Decision, Moment, PoolState};
use memplan_core::base::PartedVec;
use memplan_core::plan::{Place, PoolId, PoolRole};
use memplan_core::problem::BufferId;
use memplan_core::trace::{Event, Layout, Note, Outcome, TreeNode, TreeNodeId, Verdict};

/// A pool at one moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PoolView {
    /// The pool.
    pub id: PoolId,
    /// Its name in the plan; empty if it has none.
    pub name: String,
    /// Device of its memory.
    pub device: String,
    /// What it is for.
    pub role: PoolRole,
    /// End of its highest buffer at this moment, in bytes.
    pub end: u64,
    /// The same before this frame's decision.
    pub end_before: u64,
}

/// One moment of a run: what lies where, which places are looked at, and the verdict on each.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Number of events applied.
    pub events: u32,
    /// Index of the decision this moment belongs to; none before the first.
    pub decision: Option<usize>,
    /// The buffer of this decision.
    pub focus: Option<BufferId>,
    /// Whether the focus has its place at this moment.
    pub settled: bool,
    /// How the placement came about, once the focus has its place.
    pub outcome: Option<Outcome>,
    /// Place of every buffer placed so far.
    pub places: PartedVec<BufferId, Option<Place>>,
    /// Buffers whose storage was given back.
    pub released: PartedVec<BufferId, bool>,
    /// How many buffers have their place.
    pub placed: u32,
    /// All pools opened so far.
    pub pools: Vec<PoolView>,
    /// Sum of the ends of all pools, in bytes.
    pub peak: u64,
    /// The same before this decision.
    pub peak_before: u64,
    /// Places looked at so far in this decision.
    pub candidates: Vec<Candidate>,
    /// A free legal place that the planner did not see, when the peak rose.
    pub missed: Option<Missed>,
    /// Buffers released at the start of this decision.
    pub freed: Vec<BufferId>,
    /// What the events add up to.
    pub state: Moment,
    /// Trees with addresses, one a pool; empty for planners without trees.
    pub layouts: Vec<Layout>,
    /// Tree nodes with an id at or above this one were made in this decision.
    pub first_new_node: TreeNodeId,
    /// Tree nodes asked in this decision, in order.
    pub visited: Vec<TreeNodeId>,
    /// Whether offsets may still move.
    pub provisional: bool,
    /// Notes and counts of reads of this decision so far; before the first decision, those of the
    /// run.
    pub notes: Vec<Event>,
}

impl Run {
    /// The frame after `events` events.
    pub fn frame(&self, events: u32) -> Frame {
        match self.before(events) {
            Some((at, before)) => {
                let mut state = before.clone();
                self.timeline.seek(&mut state, at, events);
                Frame::new(self, before, state, events)
            }
            None => self.frame_from(self.timeline.state(events), events),
        }
    }

    /// The frame of a state that stands after `events` events.
    pub fn frame_from(&self, state: Moment, events: u32) -> Frame {
        let before = self.before(events).map_or_else(|| state.clone(), |(_, before)| before);
        Frame::new(self, before, state, events)
    }

    /// The state before the decision that the moment after `events` events belongs to, and how many
    /// events come before it.
    fn before(&self, events: u32) -> Option<(u32, Moment)> {
        let begin = self.timeline.decisions[self.timeline.decision_at(events)?].begin;
        Some((begin, self.timeline.state(begin)))
    }

    /// The moment inside a decision before its buffer has a place, when no more than these places
    /// were looked at: first byte, and first byte after it.
    pub fn while_deciding(&self, decision: usize, looked: &[(u64, u64)]) -> Frame {
        let Decision { begin, end, .. } = self.timeline.decisions[decision];
        let events = &self.timeline.events[begin as usize..end as usize];
        let before = events.iter().take_while(|event| !matches!(event, Event::Place { .. })).count() as u32;
        let mut frame = self.frame(begin + before);
        let is_seen = |offset: u64| looked.iter().any(|&(from, end)| (from..end).contains(&offset));
        frame.candidates.retain(|candidate| is_seen(candidate.offset));
        for candidate in frame.candidates.iter_mut().filter(|candidate| candidate.verdict == Verdict::Chosen) {
            // Which one is taken is not decided yet.
            candidate.verdict = Verdict::Fits;
        }
        // The line that leads to the place has not run.
        frame.notes.retain(|note| !matches!(note, Event::Note { note: Note::CodeLine, .. }));
        frame
    }

    /// The finished plan, without the decision that led to it: nothing is being placed, looked at
    /// or grown.
    pub fn finished(&self) -> Frame {
        let events = self.timeline.events.len() as u32;
        let state = self.timeline.state(events);
        let layouts = state.tree.layouts(self.align, |buffer| self.problem.buffers[buffer].size);
        let peak = state.peak();
        Frame {
            events,
            decision: None,
            focus: None,
            settled: true,
            outcome: None,
            places: resolve(&state, &layouts),
            released: state.released.clone(),
            placed: state.placed,
            pools: pools(self, &state, &state),
            peak,
            peak_before: peak,
            candidates: Vec::new(),
            missed: None,
            freed: Vec::new(),
            first_new_node: state.tree.next_id(),
            visited: Vec::new(),
            provisional: !layouts.is_empty() && !state.finalized,
            notes: Vec::new(),
            layouts,
            state,
        }
    }
}

/// The pools that are open at a moment, beside how high they were at an earlier one.
fn pools(run: &Run, state: &Moment, before: &Moment) -> Vec<PoolView> {
    let end_before = |pool: usize| before.pools.get(pool).map_or(0, |pool| pool.end);
    let view = |(index, pool): (usize, &PoolState)| {
        let planned = run.plan.pools.get(PoolId(index as u32));
        PoolView {
            id: PoolId(index as u32),
            name: planned.map_or_else(String::new, |pool| pool.name.clone()),
            device: planned.map_or_else(String::new, |pool| pool.device.clone()),
            role: planned.map_or(PoolRole::Arena, |pool| pool.role),
            end: pool.end,
            end_before: end_before(index),
        }
    };
    state.pools.iter().enumerate().map(view).collect()
}

impl Frame {
    fn new(run: &Run, before: Moment, state: Moment, events: u32) -> Frame {
        let timeline = &run.timeline;
        let decision_index = timeline.decision_at(events);
        let decision: Option<Decision> = decision_index.map(|index| timeline.decisions[index]);
        let size_of = |buffer: BufferId| run.problem.buffers[buffer].size;
        let layouts = state.tree.layouts(run.align, size_of);
        let layouts_before = before.tree.layouts(run.align, size_of);
        let places = resolve(&state, &layouts);
        let emitted: &[Event] = match decision {
            Some(decision) => &timeline.events[decision.begin as usize..events as usize],
            None => &timeline.events[..events as usize],
        };
        // What follows a placement, such as falling counts, no longer looks for a place.
        let placed = emitted.iter().any(|event| matches!(event, Event::Place { .. }));
        let settled = decision.is_some_and(|decision| placed || decision.end <= events);
        let candidates = match decision {
            Some(decision) => candidates(run, decision.buffer, &before, &layouts_before, emitted),
            None => Vec::new(),
        };
        let peak_before = before.peak();
        let grew = settled && state.peak() > peak_before;
        // A place refused for the branches' sake was seen, and what lies free beside it may be
        // refused for the same reason.
        let refused = candidates.iter().any(|candidate| candidate.verdict == Verdict::Parallel);
        let missed = decision.filter(|_| grew && !refused).and_then(|decision| {
            let places_before = resolve(&before, &layouts_before);
            missed(run, decision.buffer, &before, &places_before, &places)
        });
        let asked = emitted.iter().filter_map(|event| match event {
            Event::AskTemporal { node, .. } | Event::AskSpatial { node, .. } => Some(*node),
            _ => None,
        });
        let released = emitted.iter().filter_map(|event| match event {
            Event::Release { buffer } => Some(*buffer),
            _ => None,
        });
        let notes = emitted.iter().filter(|event| matches!(event, Event::Note { .. } | Event::Refs { .. }));
        Frame {
            events,
            notes: notes.copied().collect(),
            decision: decision_index,
            focus: decision.map(|decision| decision.buffer),
            settled,
            outcome: decision.filter(|_| settled).map(|decision| decision.outcome),
            placed: state.placed,
            pools: pools(run, &state, &before),
            peak: state.peak(),
            peak_before,
            candidates,
            missed,
            freed: released.collect(),
            first_new_node: before.tree.next_id(),
            visited: asked.collect(),
            provisional: !layouts.is_empty() && !state.finalized,
            released: state.released.clone(),
            places,
            layouts,
            state,
        }
    }

    /// The same places without what the decision of this moment did: nothing is being placed,
    /// looked at or grown.
    pub fn at_rest(&self) -> Frame {
        let mut frame = self.clone();
        frame.focus = None;
        frame.peak_before = frame.peak;
        frame.pools.iter_mut().for_each(|pool| pool.end_before = pool.end);
        frame.candidates.clear();
        frame.visited.clear();
        frame.missed = None;
        frame
    }

    /// The chosen candidate's number, if a place was chosen yet.
    pub fn chosen(&self) -> Option<&Candidate> {
        self.candidates.iter().find(|candidate| candidate.chosen)
    }
}

/// Places reported so far, in trees moved to where the layout puts them now.
pub(super) fn resolve(state: &Moment, layouts: &[Layout]) -> PartedVec<BufferId, Option<Place>> {
    let mut places = state.places.clone();
    for (pool, layout) in layouts.iter().enumerate() {
        for region in &layout.regions {
            if let TreeNode::Leaf { buffer } = state.tree.nodes[region.node] {
                places[buffer] = Some(Place { pool: PoolId(pool as u32), offset: region.offset });
            }
        }
    }
    places
}

/// The buffer nearest to `from` in a direction: `time` and `address` are -1, 0 or 1. Without a
/// start, the first one placed.
pub fn neighbour(run: &Run, frame: &Frame, from: Option<BufferId>, time: i64, address: i64) -> Option<BufferId> {
    let placed = |id: &BufferId| frame.places[*id].is_some();
    let Some(from) = from.filter(placed) else { return run.problem.buffers.ids().find(placed) };
    let centre = |id: BufferId| {
        let buffer = &run.problem.buffers[id];
        let place = frame.places[id]?;
        let time = (buffer.live.start as i128 + buffer.live.end as i128) / 2;
        // Pools are stacked on the page: a higher pool is a higher address.
        let below: u64 = frame.pools.iter().take(place.pool.0 as usize).map(|pool| pool.end).sum();
        Some((time, (below + place.offset) as i128 + buffer.size as i128 / 2))
    };
    let here = centre(from)?;
    let (steps, bytes) = ((run.problem.steps as i128).max(1), (frame.peak as i128).max(1));
    let distance = |id: &BufferId| {
        let there = centre(*id)?;
        // Both axes on one scale of a million.
        let along = ((there.0 - here.0) * 1_000_000 / steps, (there.1 - here.1) * 1_000_000 / bytes);
        let ahead = along.0 * time as i128 + along.1 * address as i128;
        let aside = (along.0 * address as i128).abs() + (along.1 * time as i128).abs();
        (ahead > 0).then_some(ahead + 2 * aside)
    };
    let others = run.problem.buffers.ids().filter(|id| *id != from);
    others.filter_map(|id| Some((distance(&id)?, id))).min().map(|(_, id)| id)
}

/// Buffers that used the bytes of `id` before it, the latest first, and those that use them after,
/// the earliest first.
pub fn neighbours_in_time(run: &Run, frame: &Frame, id: BufferId) -> (Vec<BufferId>, Vec<BufferId>) {
    let Some(place) = frame.places[id] else { return (Vec::new(), Vec::new()) };
    let own = &run.problem.buffers[id];
    let shares = |other: &BufferId| {
        let buffer = &run.problem.buffers[*other];
        let meets = |there: Place| {
            there.pool == place.pool
                && there.offset < place.offset + own.size
                && place.offset < there.offset + buffer.size
        };
        *other != id && frame.places[*other].is_some_and(meets)
    };
    let live = |other: BufferId| run.problem.buffers[other].live;
    let sharing: Vec<BufferId> = run.problem.buffers.ids().filter(shares).collect();
    let mut before: Vec<BufferId> =
        sharing.iter().copied().filter(|&other| live(other).end <= own.live.start).collect();
    let mut after: Vec<BufferId> = sharing.into_iter().filter(|&other| live(other).start >= own.live.end).collect();
    before.sort_by_key(|&other| std::cmp::Reverse(live(other).end));
    after.sort_by_key(|&other| live(other).start);
    (before, after)
}
