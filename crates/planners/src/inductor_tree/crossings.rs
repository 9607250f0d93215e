//! Which children of a temporal node a range of steps crosses, without asking each of them.
//!
//! Children take turns: their ranges are disjoint, but for empty ones, which lie where another
//! begins. So one sorted list of all their ranges answers. The search looks into dozens of these
//! lists for every buffer, and most of what it waits for is memory: few ranges lie in the node
//! itself, many in short runs below a list of their first steps.

use std::ops::ControlFlow;

/// Ranges that lie in the node itself: with three a node fills a line of the cache.
const FEW: usize = 3;

/// Longest run of ranges.
const RUN: usize = 64;

/// What holds a range: a leaf or a split, by its index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Child(u32);

impl Child {
    /// A leaf.
    pub fn leaf(index: usize) -> Child {
        Child(index as u32 * 2)
    }

    /// A split.
    pub fn split(index: usize) -> Child {
        Child(index as u32 * 2 + 1)
    }

    /// The index of a leaf, or else that of a split.
    pub fn index(self) -> Result<usize, usize> {
        let index = (self.0 / 2) as usize;
        if self.0.is_multiple_of(2) { Ok(index) } else { Err(index) }
    }
}

/// A range `[begin, end)` of a child.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Turn {
    pub begin: u32,
    pub end: u32,
    pub child: Child,
}

/// The ranges of all children of a node, by their first steps.
#[derive(Clone, Debug)]
pub enum Crossings {
    Few(u8, [Turn; FEW]),
    Many(Box<Runs>),
}

/// Sorted runs, none of them empty.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// First step of each run.
    firsts: Vec<u32>,
    runs: Vec<Vec<Turn>>,
}

impl Default for Crossings {
    fn default() -> Crossings {
        Crossings::Few(0, Default::default())
    }
}

impl Crossings {
    /// The ranges of one child.
    pub fn of_one(turns: impl IntoIterator<Item = Turn>) -> Crossings {
        let mut all = Crossings::default();
        turns.into_iter().for_each(|turn| all.add(turn));
        all
    }

    /// All ranges.
    pub fn turns(&self) -> impl Iterator<Item = Turn> {
        (0..self.runs()).flat_map(|run| self.run(run).iter().copied())
    }

    fn runs(&self) -> usize {
        match self {
            Crossings::Few(..) => 1,
            Crossings::Many(many) => many.runs.len(),
        }
    }

    fn run(&self, index: usize) -> &[Turn] {
        match self {
            Crossings::Few(len, turns) => &turns[..usize::from(*len)],
            Crossings::Many(many) => &many.runs[index],
        }
    }

    /// The last run that begins before a step; the first one if none does.
    fn run_before(&self, step: u32) -> usize {
        match self {
            Crossings::Few(..) => 0,
            Crossings::Many(many) => many.firsts.partition_point(|&first| first < step).saturating_sub(1),
        }
    }

    /// Adds a range.
    pub fn add(&mut self, turn: Turn) {
        let index = self.run_before(turn.begin);
        let at = self.run(index).partition_point(|other| other.begin < turn.begin);
        match self {
            Crossings::Few(len, turns) if usize::from(*len) < FEW => {
                turns.copy_within(at..usize::from(*len), at + 1);
                turns[at] = turn;
                *len += 1;
            }
            Crossings::Few(_, turns) => {
                let mut run = turns.to_vec();
                run.insert(at, turn);
                *self = Crossings::Many(Box::new(Runs { firsts: vec![run[0].begin], runs: vec![run] }));
            }
            Crossings::Many(many) => {
                let run = &mut many.runs[index];
                run.insert(at, turn);
                many.firsts[index] = run[0].begin;
                if run.len() > RUN {
                    let rest = run.split_off(RUN / 2);
                    many.firsts.insert(index + 1, rest[0].begin);
                    many.runs.insert(index + 1, rest);
                }
            }
        }
    }

    fn remove(&mut self, index: usize, at: usize) {
        match self {
            Crossings::Few(len, turns) => {
                turns.copy_within(at + 1..usize::from(*len), at);
                *len -= 1;
            }
            Crossings::Many(many) => {
                let run = &mut many.runs[index];
                run.remove(at);
                if let Some(first) = run.first() {
                    many.firsts[index] = first.begin;
                } else if many.runs.len() > 1 {
                    many.firsts.remove(index);
                    many.runs.remove(index);
                } else {
                    *self = Crossings::default();
                }
            }
        }
    }

    /// Adds a range to those of a child, which merges with all of them that it overlaps or touches.
    /// Returns true if that changed anything. Nothing of another child is crossed.
    pub fn merge(&mut self, child: Child, (begin, end): (u32, u32)) -> bool {
        let mut merged = Turn { begin, end, child };
        loop {
            let found = self.back_from(end.saturating_add(1), |turn| {
                let has_begun = turn.begin <= begin;
                if turn.child == child && (!has_begun || turn.end >= begin) {
                    return ControlFlow::Break(true);
                }
                // What another range of the same child lies behind touches nothing.
                if has_begun && turn.begin < turn.end { ControlFlow::Break(false) } else { ControlFlow::Continue(()) }
            });
            let Some((index, at)) = found else { break };
            let turn = self.run(index)[at];
            if turn.begin <= begin && turn.end >= end {
                return false;
            }
            merged.begin = merged.begin.min(turn.begin);
            merged.end = merged.end.max(turn.end);
            self.remove(index, at);
        }
        self.add(merged);
        true
    }

    /// Asks the ranges that begin before a step, the latest first, until one is found. Returns the
    /// run and the place in it.
    fn back_from(&self, step: u32, mut ask: impl FnMut(&Turn) -> ControlFlow<bool>) -> Option<(usize, usize)> {
        let mut index = self.run_before(step);
        loop {
            let run = self.run(index);
            for at in (0..run.partition_point(|turn| turn.begin < step)).rev() {
                if let ControlFlow::Break(found) = ask(&run[at]) {
                    return found.then_some((index, at));
                }
            }
            index = index.checked_sub(1)?;
        }
    }

    /// Calls `each` with the child of every range that crosses a block in time, until that breaks.
    ///
    /// `LiveRanges.overlaps` of the original with the child's ranges as the left list and the
    /// block's one range as the right: not symmetric for an empty range that begins where the other
    /// does.
    pub fn each(&self, (begin, end): (u32, u32), mut each: impl FnMut(Child) -> ControlFlow<()>) {
        let before = if begin < end { end } else { begin + 1 };
        self.back_from(before, |turn| {
            // Of what had begun when the block did, only the last range that is not empty can still
            // go on.
            let is_last = turn.begin <= begin && turn.begin < turn.end;
            let crosses = turn.begin > begin || is_last && turn.end > begin;
            if crosses && each(turn.child).is_break() || is_last {
                return ControlFlow::Break(false);
            }
            ControlFlow::Continue(())
        });
    }

    /// How many children a block crosses in time, counted up to 2, and one of them.
    pub fn of(&self, block: (u32, u32)) -> (u32, Option<Child>) {
        let (mut count, mut first) = (0, None);
        self.each(block, |child| {
            if first == Some(child) {
                return ControlFlow::Continue(());
            }
            count += 1;
            if first.is_some() {
                return ControlFlow::Break(());
            }
            first = Some(child);
            ControlFlow::Continue(())
        });
        (count, first)
    }

    /// How many children a block crosses in time, and one of them.
    pub fn all_of(&self, block: (u32, u32)) -> (u32, Option<Child>) {
        let mut met = Vec::new();
        self.each(block, |child| {
            met.push(child);
            ControlFlow::Continue(())
        });
        met.sort_unstable();
        met.dedup();
        (met.len() as u32, met.first().copied())
    }

    /// First step of the first range.
    pub fn first(&self) -> Option<u32> {
        self.run(0).first().map(|turn| turn.begin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ranges: &[(u32, u32)], block: (u32, u32)) -> bool {
        let child = Child::leaf(0);
        let all = Crossings::of_one(ranges.iter().map(|&(begin, end)| Turn { begin, end, child }));
        all.of(block).0 > 0
    }

    #[test]
    fn touching_ranges_do_not_overlap_and_empty_ones_depend_on_the_side() {
        assert!(!of(&[(1, 3)], (3, 5)));
        assert!(!of(&[(3, 5)], (1, 3)));
        assert!(of(&[(1, 3)], (2, 5)));
        assert!(of(&[(1, 2), (6, 8)], (0, 7)));
        // The child began earlier or at the same step: it collides. The empty child does not.
        assert!(of(&[(3, 5)], (3, 3)));
        assert!(!of(&[(3, 3)], (3, 5)));
        assert!(of(&[(3, 3)], (1, 5)));
        assert!(of(&[(1, 5)], (3, 3)));
    }

    fn ranges(all: &Crossings) -> Vec<(u32, u32)> {
        all.turns().map(|turn| (turn.begin, turn.end)).collect()
    }

    #[test]
    fn ranges_of_a_child_merge_when_they_touch() {
        let [child, other] = [Child::split(0), Child::leaf(0)];
        let mut all = Crossings::of_one([(1, 3), (6, 8)].map(|(begin, end)| Turn { begin, end, child }));
        assert!(all.merge(child, (4, 5)));
        assert_eq!(ranges(&all), [(1, 3), (4, 5), (6, 8)]);
        assert!(all.merge(child, (3, 4)));
        assert_eq!(ranges(&all), [(1, 5), (6, 8)]);
        all.add(Turn { begin: 5, end: 6, child: other });
        assert!(all.merge(child, (8, 9)));
        assert_eq!(ranges(&all), [(1, 5), (5, 6), (6, 9)]);
        assert!(!all.merge(child, (7, 9)));
        assert_eq!(all.of((4, 6)), (2, Some(other)));
        assert_eq!(all.all_of((0, 9)).0, 2);
    }

    #[test]
    fn many_ranges_answer_like_few() {
        let mut all = Crossings::default();
        // Every range of two steps once, in an order that fills runs in the middle; every second
        // step stays free.
        let begins: Vec<u32> = (0..1000).map(|index| index * 617 % 1000 * 3).collect();
        for (index, &begin) in begins.iter().enumerate() {
            all.add(Turn { begin, end: begin + 2, child: Child::leaf(index) });
        }
        assert!(matches!(&all, Crossings::Many(many) if many.runs.iter().all(|run| (1..=RUN).contains(&run.len()))));
        assert!(all.turns().is_sorted_by_key(|turn| turn.begin));
        for (index, &begin) in begins.iter().enumerate() {
            assert_eq!(all.of((begin, begin + 3)), (1, Some(Child::leaf(index))));
            assert_eq!(all.of((begin + 2, begin + 3)), (0, None));
        }
        assert_eq!(all.all_of((0, 3000)).0, 1000);
        let child = Child::split(0);
        begins.iter().for_each(|&begin| _ = all.merge(child, (begin + 2, begin + 3)));
        assert_eq!(all.all_of((0, 3000)).0, 1001);
        assert_eq!(all.of((2, 3)), (1, Some(child)));
    }
}
