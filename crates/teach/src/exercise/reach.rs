//! Whether blocks that lie still leave room for the others below a peak.
//!
//! In a plan below that peak, the blocks that wait can all be moved down until each rests on
//! another block or at 0. So it is enough to look for such plans, lowest block first: each block
//! then rests on one that lies already.

use super::packing::{Offsets, in_the_way};
use memplan_core::base::align_up;
use memplan_core::problem::{BufferId, Problem};

/// Most places tried. What is not settled by then counts as possible.
const MOST_TRIES: u32 = 20_000;

/// Most blocks for which the places are tried.
const MOST_BLOCKS: usize = 32;

/// Returns whether it is proved that the blocks of `waiting` cannot all lie below `peak` bytes
/// while the others stay where `offsets` has them. A search that takes too long proves nothing.
pub fn is_out_of_reach(problem: &Problem, offsets: &Offsets, waiting: &[BufferId], peak: u64) -> bool {
    let placed = problem.buffers.enumerate().filter(|(id, _)| !waiting.contains(id));
    let mut ends = placed.filter_map(|(id, buffer)| Some(offsets[id]?.saturating_add(buffer.size)));
    if ends.any(|end| end > peak) {
        return true;
    }
    if problem.buffers.len() > MOST_BLOCKS {
        return false;
    }
    let mut search = Search { problem, peak, lies: offsets.clone(), tries: 0 };
    waiting.iter().for_each(|&id| search.lies[id] = None);
    let mut waiting = waiting.to_vec();
    // Large blocks first: where they do not fit, the rest need not be tried.
    waiting.sort_by_key(|&id| (u64::MAX - problem.buffers[id].size, id));
    search.fits(&mut waiting, 0) == Some(false)
}

struct Search<'a> {
    problem: &'a Problem,
    peak: u64,
    lies: Offsets,
    tries: u32,
}

impl Search<'_> {
    /// Whether the waiting blocks fit, none of them below `lowest`; none if there were too many
    /// tries.
    fn fits(&mut self, waiting: &mut Vec<BufferId>, lowest: u64) -> Option<bool> {
        if waiting.is_empty() {
            return Some(true);
        }
        if (0..self.problem.steps).any(|step| !self.has_room(step, waiting, lowest)) {
            return Some(false);
        }
        for at in 0..waiting.len() {
            let id = waiting.remove(at);
            for offset in self.rests(id, lowest) {
                self.tries += 1;
                if self.tries > MOST_TRIES {
                    return None;
                }
                self.lies[id] = Some(offset);
                let found = self.fits(waiting, offset);
                self.lies[id] = None;
                if found != Some(false) {
                    return found;
                }
            }
            waiting.insert(at, id);
        }
        Some(false)
    }

    /// Whether the free bytes above `lowest` are enough for all that wait and are alive at a step.
    fn has_room(&self, step: u32, waiting: &[BufferId], lowest: u64) -> bool {
        let alive = |id: BufferId| self.problem.buffers[id].live.contains(step);
        let size = |id: BufferId| self.problem.buffers[id].size;
        let needed: u64 = waiting.iter().copied().filter(|&id| alive(id)).map(size).sum();
        let above = |(id, at): (BufferId, &Option<u64>)| {
            let from = at.filter(|_| alive(id))?;
            Some(from.saturating_add(size(id)).saturating_sub(from.max(lowest)))
        };
        let taken: u64 = self.lies.enumerate().filter_map(above).sum();
        needed == 0 || lowest.saturating_add(taken).saturating_add(needed) <= self.peak
    }

    /// The free addresses from `lowest` on where a block rests on another or at 0.
    fn rests(&self, id: BufferId, lowest: u64) -> Vec<u64> {
        let wanted = &self.problem.buffers[id];
        let top = |(other, at): (BufferId, &Option<u64>)| {
            let there = &self.problem.buffers[other];
            let end = (*at)?.saturating_add(there.size);
            there.live.meets(wanted.live).then(|| align_up(end, wanted.align.max(1)))
        };
        let mut found: Vec<u64> = std::iter::once(0).chain(self.lies.enumerate().filter_map(top)).collect();
        found.retain(|&at| {
            let is_below = at.saturating_add(wanted.size) <= self.peak;
            is_below && at >= lowest && in_the_way(self.problem, &self.lies, id, at).is_empty()
        });
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::base::IdVec;
    use memplan_core::problem::{Buffer, Live};

    const KIB: u64 = 1024;

    /// The nine blocks of the lesson on greedy planners: name, first step, step after the last,
    /// size.
    fn nine() -> Problem {
        let rows = [
            ("A", 0, 2, 64),
            ("B", 0, 3, 160),
            ("C", 0, 3, 32),
            ("D", 2, 6, 64),
            ("E", 3, 5, 160),
            ("F", 3, 5, 64),
            ("G", 3, 6, 96),
            ("H", 5, 8, 192),
            ("I", 6, 8, 192),
        ];
        let buffer = |(name, start, end, kib): (&str, u32, u32, u64)| {
            Buffer::of(name.to_string(), kib * KIB, Live { start, end })
        };
        Problem { buffers: rows.into_iter().map(buffer).collect(), steps: 8, ..Problem::default() }
    }

    /// Whether the peak is out of reach with blocks at these addresses in KiB.
    fn is_lost(placed: &[(u32, u64)], peak: u64) -> bool {
        let problem = nine();
        let mut offsets = IdVec::from_elem(None, problem.buffers.len());
        placed.iter().for_each(|&(id, at)| offsets[BufferId(id)] = Some(at * KIB));
        let waiting: Vec<BufferId> = problem.buffers.ids().filter(|&id| offsets[id].is_none()).collect();
        is_out_of_reach(&problem, &offsets, &waiting, peak * KIB)
    }

    #[test]
    fn a_block_in_the_wrong_place_puts_the_bound_out_of_reach() {
        assert!(!is_lost(&[], 384));
        assert!(is_lost(&[], 383), "no plan is below the bound");
        // D at the bottom, H and B where an optimal plan has them.
        assert!(!is_lost(&[(3, 0), (7, 192), (1, 64)], 384));
        // E at 64 KiB: G cannot lie beside H any more.
        assert!(is_lost(&[(3, 0), (7, 192), (1, 64), (4, 64)], 384));
        assert!(!is_lost(&[(3, 0), (7, 192), (1, 64), (4, 64)], 480));
        assert!(is_lost(&[(8, 200)], 384), "its end is above the peak");
    }
}
