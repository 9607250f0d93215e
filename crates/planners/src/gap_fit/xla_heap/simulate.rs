//! The heap simulator: what happens to the buffers of each memory, in the order in which the clock
//! counts it.
//!
//! **From**: openxla/xla 5a9e73c, `heap_simulator.cc`: `HeapSimulator::RunComputation`.

use std::collections::BTreeMap;

use super::clock::{Clock, HeapEvent, IntervalId, Request};
use crate::in_place::{Pairs, Refusal};
use memplan_core::base::IdVec;
use memplan_core::graph::Kind;
use memplan_core::problem::{Branches, Buffer, BufferId, Inplace, Live, MemoryId, Problem};
use memplan_core::trace::Note;

/// The buffers of a memory in ticks.
pub struct Simulation {
    pub clock: Clock,
    /// The buffer of each interval; one with gaps has several.
    pub owner: IdVec<IntervalId, BufferId>,
    /// Buffers without bytes.
    pub empty: Vec<BufferId>,
}

/// Judges every permission of the graph, in the order in which the outputs are defined.
pub fn judge(problem: &Problem, branches: &Branches) -> Pairs {
    let mut permissions: BTreeMap<(u32, u32, BufferId), Vec<&Inplace>> = BTreeMap::new();
    for permission in &problem.inplace {
        let live = problem.buffers[permission.output].live;
        permissions.entry((live.start, live.end, permission.output)).or_default().push(permission);
    }
    let mut pairs = Pairs::default();
    for permission in permissions.into_values().flatten() {
        pairs.judge(permission.output, permission.input, || refusal(problem, branches, permission));
    }
    pairs
}

fn refusal(problem: &Problem, branches: &Branches, permission: &Inplace) -> Option<Refusal> {
    let (to, from) = (&problem.buffers[permission.output], &problem.buffers[permission.input]);
    let dies = to.live.start == permission.node.0 && from.live.end == to.live.start + 1;
    let is_whole = from.gaps.is_empty() && to.gaps.is_empty();
    if matches!(from.kind, Kind::Input | Kind::Weight) {
        Some((Note::InPlaceKind, 0, 0))
    } else if to.size != from.size || to.size == 0 {
        Some((Note::InPlaceBytes, from.size, to.size))
    } else if to.memory != from.memory {
        Some((Note::InPlaceMemory, 0, 0))
    } else if !dies || from.live.start >= to.live.start || !is_whole {
        Some((Note::InPlaceAlive, 0, 0))
    } else if !branches.allow(permission.input, permission.output) {
        Some((Note::InPlaceParallel, 0, 0))
    } else {
        None
    }
}

/// The steps in which a buffer is in use, in order; those of windows count with all its bytes.
fn parts(buffer: &Buffer) -> Vec<Live> {
    let mut parts: Vec<Live> = Vec::new();
    for span in buffer.spans() {
        match parts.last_mut() {
            Some(last) if last.end == span.live.start => last.end = span.live.end,
            _ => parts.push(span.live),
        }
    }
    if parts.is_empty() { vec![buffer.live] } else { parts }
}

/// Simulates a memory. `align` is the least alignment of a place, in bytes.
pub fn simulate(problem: &Problem, memory: MemoryId, pairs: &Pairs, align: u64) -> Simulation {
    let of_memory: Vec<BufferId> = problem.buffers.ids().filter(|&id| problem.buffers[id].memory == memory).collect();
    let (mut owner, mut lives) = (IdVec::new(), IdVec::new());
    let mut first: BTreeMap<BufferId, IntervalId> = BTreeMap::new();
    let mut later = Vec::new();
    for &id in &of_memory {
        let mut parts = parts(&problem.buffers[id]).into_iter();
        first.insert(id, owner.push(id));
        lives.push(parts.next().unwrap_or(problem.buffers[id].live));
        later.extend(parts.map(|part| (id, part)));
    }
    for (id, part) in later {
        owner.push(id);
        lives.push(part);
    }
    let request = |&id: &BufferId| {
        let buffer = &problem.buffers[id];
        Request { size: buffer.size, align: buffer.align.max(align) }
    };
    let requests = owner.iter().map(request).collect();
    let donors: BTreeMap<IntervalId, IntervalId> =
        pairs.shared.iter().filter_map(|(acceptor, donor)| Some((*first.get(acceptor)?, *first.get(donor)?))).collect();
    let with = |id: IntervalId| {
        let own = first.get(&owner[id]).copied().filter(|&own| own != id);
        own.or_else(|| donors.get(&id).copied())
    };
    let events = events(&lives, with);
    let empty = of_memory.into_iter().filter(|&id| problem.buffers[id].size == 0).collect();
    Simulation { clock: Clock::new(&requests, &events), owner, empty }
}

/// All events: at each step first the definitions, then the ends, each by start, end and number. An
/// interval `with` another one shares its place; a donor that is still alive then is freed just
/// before.
fn events(lives: &IdVec<IntervalId, Live>, with: impl Fn(IntervalId) -> Option<IntervalId>) -> Vec<HeapEvent> {
    let mut born: Vec<IntervalId> = lives.ids().collect();
    born.sort_by_key(|&id| (lives[id].start, lives[id].end, id));
    let mut dying = born.clone();
    dying.sort_by_key(|&id| (lives[id].end, lives[id].start, id));
    let mut is_freed = IdVec::from_elem(false, lives.len());
    let mut events = Vec::with_capacity(2 * lives.len());
    let mut next = born.into_iter().peekable();
    for id in dying {
        // What is defined at the step of an end comes before it.
        while let Some(new) = next.next_if(|&new| lives[new].start < lives[id].end) {
            let Some(donor) = with(new) else {
                events.push(HeapEvent::Alloc(new));
                continue;
            };
            if lives[donor].end > lives[new].start && !std::mem::replace(&mut is_freed[donor], true) {
                events.push(HeapEvent::Free(donor));
            }
            events.push(HeapEvent::ShareWith(new, donor));
        }
        if !is_freed[id] {
            events.push(HeapEvent::Free(id));
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_come_before_ends_and_a_donor_ends_before_its_taker_begins() {
        let live = |start, end| Live { start, end };
        // 0 and 1 end at the step in which 2 begins; 2 takes over from 1.
        let lives: IdVec<IntervalId, Live> = vec![live(0, 3), live(1, 3), live(2, 4)].into();
        let id = IntervalId;
        let found = events(&lives, |taker| (taker == id(2)).then_some(id(1)));
        let expected = [
            HeapEvent::Alloc(id(0)),
            HeapEvent::Alloc(id(1)),
            HeapEvent::Free(id(1)),
            HeapEvent::ShareWith(id(2), id(1)),
            HeapEvent::Free(id(0)),
            HeapEvent::Free(id(2)),
        ];
        assert_eq!(found, expected);
        let request = Request { size: 8, align: 64 };
        let clock = Clock::new(&vec![request; 3].into(), &found);
        assert_eq!(clock.lives.as_slice(), [live(0, 5), live(1, 3), live(3, 6)]);
        assert_eq!(clock.groups.len(), 2);
        assert_eq!((&clock.groups[1].members[..], clock.groups[1].whole), (&[id(1), id(2)][..], live(1, 6)));
    }
}
