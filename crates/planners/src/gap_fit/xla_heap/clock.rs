//! The clock of the heap simulator: it counts allocations and frees instead of steps.
//!
//! **From**: openxla/xla 5a9e73c, `heap_simulator.cc`: `GlobalDecreasingSizeBestFitHeap::Alloc`,
//! `ShareWith`, `Free` and `GetTransitiveColocations`.

use memplan_core::base::IdVec;
use memplan_core::id_type;
use memplan_core::problem::Live;

id_type!(
    /// An interval of a [`Clock`].
    IntervalId
);

/// An event of the heap simulator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeapEvent {
    /// The interval begins, with a place of its own.
    Alloc(IntervalId),
    /// The interval begins, in the place of another one.
    ShareWith(IntervalId, IntervalId),
    /// The interval ends.
    Free(IntervalId),
}

/// What an interval asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    /// Bytes; the clock does not tick for an interval without any.
    pub size: u64,
    /// The place begins at a multiple of this power of two, in bytes.
    pub align: u64,
}

/// Intervals that lie in one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The interval that was allocated, then those that share its place, each after the one that it
    /// names.
    pub members: Vec<IntervalId>,
    /// What the first member asks for.
    pub leader: Request,
    /// The largest size and the largest alignment of all members.
    pub most: Request,
    /// Ticks of the first member.
    pub own: Live,
    /// Ticks from the first start to the last end of all members.
    pub whole: Live,
}

/// All intervals of a heap simulation in ticks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// Ticks of each interval, the one of its end included; one tick for what never ticks.
    pub lives: IdVec<IntervalId, Live>,
    /// Intervals with bytes in groups, in order of the intervals that lead them.
    pub groups: Vec<Group>,
}

impl Clock {
    /// Runs the clock. `events` name intervals of `requests`; each begins once and then ends at
    /// most once.
    pub fn new(requests: &IdVec<IntervalId, Request>, events: &[HeapEvent]) -> Clock {
        let mut lives = IdVec::from_elem(Live { start: 0, end: 1 }, requests.len());
        let mut followers: IdVec<IntervalId, Vec<IntervalId>> = IdVec::from_elem(Vec::new(), requests.len());
        let mut leaders = Vec::new();
        let mut now = 0;
        for &event in events {
            let (HeapEvent::Alloc(id) | HeapEvent::ShareWith(id, _) | HeapEvent::Free(id)) = event;
            if requests[id].size == 0 {
                continue;
            }
            match event {
                HeapEvent::Alloc(_) => leaders.push(id),
                HeapEvent::ShareWith(_, with) => followers[with].push(id),
                HeapEvent::Free(_) => {}
            }
            match event {
                HeapEvent::Free(_) => lives[id].end = now + 1,
                _ => lives[id] = Live { start: now, end: now + 1 },
            }
            now += 1;
        }
        leaders.sort_unstable();
        let group = |id| Group::of(id, &followers, &lives, requests);
        let groups = leaders.into_iter().map(group).collect();
        Clock { lives, groups }
    }
}

impl Group {
    fn of(
        leader: IntervalId,
        followers: &IdVec<IntervalId, Vec<IntervalId>>,
        lives: &IdVec<IntervalId, Live>,
        requests: &IdVec<IntervalId, Request>,
    ) -> Group {
        let mut members = Vec::new();
        let mut waiting = vec![leader];
        let (mut most, mut whole) = (requests[leader], lives[leader]);
        while let Some(id) = waiting.pop() {
            members.push(id);
            waiting.extend(followers[id].iter().rev());
            most.size = most.size.max(requests[id].size);
            most.align = most.align.max(requests[id].align);
            whole.start = whole.start.min(lives[id].start);
            whole.end = whole.end.max(lives[id].end);
        }
        Group { members, leader: requests[leader], most, own: lives[leader], whole }
    }
}
