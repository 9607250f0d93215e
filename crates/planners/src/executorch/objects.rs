//! Shared objects: pieces of an arena that tensors take turns in.

use std::collections::BTreeMap;

use super::spec::Spec;
use memplan_core::problem::{Branches, BufferId, Live};

/// A shared object of the greedy planner. It keeps its size for good.
#[derive(Clone, Debug)]
pub struct Object {
    /// First byte in its arena.
    pub start: u64,
    /// Bytes that it reserves.
    pub size: u64,
    /// Highest byte in use at each span of steps, `start → (end, bytes)`; spans are disjoint.
    heights: BTreeMap<u32, (u32, u64)>,
    /// The lowest end of any member: none can be stacked below it.
    lowest: u64,
    members: Vec<Member>,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    buffer: BufferId,
    live: Live,
    from: u64,
    to: u64,
}

impl Object {
    /// Returns an empty object at `start`, in bytes from the base of its arena.
    pub fn new(start: u64, size: u64) -> Object {
        Object { start, size, heights: BTreeMap::new(), lowest: u64::MAX, members: Vec::new() }
    }

    /// Whether no member is alive during `live`.
    pub fn is_free(&self, live: Live) -> bool {
        self.heights.range(..live.end).next_back().is_none_or(|(_, (end, _))| *end <= live.start)
    }

    /// The largest end of any member alive during `live`, if `size` bytes fit above it.
    pub fn room_above(&self, live: Live, size: u64) -> Option<u64> {
        let fits = |height: u64| height + size <= self.size;
        if self.lowest.checked_add(size).is_none_or(|end| end > self.size) {
            return None;
        }
        self.height(live, fits).filter(|&height| height > 0)
    }

    /// The largest end of any member alive during `live`, however high.
    pub fn top(&self, live: Live) -> u64 {
        self.height(live, |_| true).unwrap_or(0)
    }

    /// Stops with nothing at the first height that `fits` refuses.
    fn height(&self, live: Live, fits: impl Fn(u64) -> bool) -> Option<u64> {
        let mut top = 0;
        for (_, (end, height)) in self.heights.range(..live.end).rev() {
            if *end <= live.start {
                break;
            }
            if !fits(*height) {
                return None;
            }
            top = top.max(*height);
        }
        Some(top)
    }

    /// Whether everyone who used bytes `from..to` of it at other steps may share with `spec`.
    pub fn allows(&self, spec: &Spec, bytes: (u64, u64), branches: &Branches) -> bool {
        !branches.is_on() || self.parallel(spec, bytes, branches).next().is_none()
    }

    /// Those who used bytes `from..to` of it at other steps and may not share with `spec`.
    pub fn parallel(&self, spec: &Spec, (from, to): (u64, u64), branches: &Branches) -> impl Iterator<Item = BufferId> {
        let meets = move |member: &&Member| !member.live.meets(spec.live) && member.from < to && from < member.to;
        let used = self.members.iter().filter(meets).map(|member| member.buffer);
        used.filter(|&buffer| !branches.allow(buffer, spec.buffer))
    }

    /// Members alive during `live`.
    pub fn alive(&self, live: Live) -> impl Iterator<Item = BufferId> {
        self.members.iter().filter(move |member| member.live.meets(live)).map(|member| member.buffer)
    }

    /// Takes a member whose bytes lie above those of all members alive together with it.
    pub fn add(&mut self, spec: &Spec, (from, to): (u64, u64)) {
        let Live { start, end } = spec.live;
        let last = self.heights.range(..start).next_back().map(|(&at, &span)| (at, span));
        if let Some((at, (until, height))) = last.filter(|(_, (until, _))| *until > start) {
            self.heights.insert(at, (start, height));
            if until > end {
                self.heights.insert(end, (until, height));
            }
        }
        let covered: Vec<u32> = self.heights.range(start..end).map(|(&at, _)| at).collect();
        for at in covered {
            if let Some((until, height)) = self.heights.remove(&at)
                && until > end
            {
                self.heights.insert(end, (until, height));
            }
        }
        self.heights.insert(start, (end, to));
        self.lowest = self.lowest.min(to);
        self.members.push(Member { buffer: spec.buffer, live: spec.live, from, to });
    }
}
