//! The search for a plan within a capacity: buffers are placed from low to high offsets, each on
//! what lies below it.
//!
//! The stack of the search is a list of its own, so the depth of the search tree is not limited by
//! the program's stack. Every number is in units of the model.
//!
//! The five buffers of [`memplan_core::problem`] within 5 units, in the first of the three orders,
//! one row for each placement. A placement takes the buffer out of the totals, the units still to
//! be placed in each section, and raises the lowest offset of every buffer that it overlaps in
//! time:
//!
//! ```text
//!                  lowest offset              total by section
//!                  a    b    c    d    e      0    1    2    3
//! nothing placed   0    0    0    0    0      3    5    4    4
//! b at 0           1    -    1    1    0      2    4    3    4
//! a at 1           -    -    1    1    0      0    4    3    4
//! c at 1           -    -    -    4    0      0    1    0    4
//! d at 4           -    -    -    -    0      0    0    0    4
//! e at 0           -    -    -    -    -      0    0    0    0
//! ```
//!
//! * A branch ends as soon as lowest offset + size of a buffer is above the capacity, or, in a
//!   section, the smallest lowest offset + total.
//! * Nothing but `b` holds sections 0 and 1 together. Once `b` is placed, section 0 and sections 1
//!   to 2 share nothing and are searched one after the other: `a` alone, then `c` and `d`.
//!
//! These placements make the plan below. The planner as a whole returns another plan of the same
//! peak: greedy by size, which runs before the search, reaches the bound for these buffers.
//!
//! ```text
//!    4 |   .   .   d   .   .   .
//!    3 |   .   .   c   c   e   e
//!    2 |   a   a   c   c   e   e
//!    1 |   a   a   c   c   e   e
//!    0 |   .   b   b   b   e   e
//!      +------------------------
//! step    0   1   2   3   4   5
//! ```

use std::ops::ControlFlow;

use super::model::Model;
use super::orders::{self, Key};
use super::report::Reporter;
use super::state::{PLACED, PartialPacking};

/// Factor from the node limit of a turn to that of the next turn of the same word.
const GROWTH: u64 = 4;

/// Nodes between two reports of progress.
const PULSE: u64 = 1024;

/// Buffers and sections that may be looked at for a node, for each buffer of the model and beside
/// them. Where refused candidates take more than that, they count as nodes: otherwise a node with
/// hundreds of them takes fifty times as long as others.
const WORK_BY_NODE: (u64, u64) = (3, 500);

/// How many times as long as a look at a buffer sorting one takes.
const SORTING: u64 = 8;

/// Buffers of a model whose nodes are too many to be looked at one by one.
const LARGE: usize = 1_000;

/// What leaves a value as it is, in 65,536ths.
const EVEN: u32 = 65_536;

/// How a run of the search ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// Offsets of all items.
    Plan(Vec<i32>),
    /// The whole tree has been walked without meeting a plan.
    Nothing,
    /// The nodes allowed are used up.
    Limit,
    /// Stopped from outside.
    Cancelled,
}

/// Sections that are solved together, and their buffers in the order of a word.
struct Part {
    /// Range `[from, to)` of `Search::members`.
    members: (u32, u32),
    /// Sections `[from, to)`.
    sections: (u32, u32),
}

/// A buffer to place next, at its lowest offset.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    offset: i32,
    /// Position of the buffer among the members of its part.
    rank: u32,
}

/// An entry of the stack. Pairs are ranges `[from, to)` of the lists of [`Search`].
enum Frame {
    /// A choice of the next buffer of a part, with the candidates still to be tried.
    Node { part: u32, candidates: (u32, u32), next: u32, node: u64 },
    /// A buffer was placed, and what follows is being searched.
    Placed { item: u32, offset: i32, log: u32, neighbours_placed: bool },
    /// Parts that share nothing are solved one after the other. `members` is the length of
    /// `Search::members` before they were added.
    Split { parts: (u32, u32), next: u32, members: u32 },
}

/// What the search does next.
enum Transition {
    /// Open a node of a part, with candidates not below `lowest`, and there only from `rank` on.
    Enter { part: u32, lowest: i32, rank: u32 },
    /// Try the next candidate of the node on top of the stack.
    Try,
    /// Go back to the frame on top of the stack; true if a plan was found below it.
    Back(bool),
}

pub struct Search<'a> {
    state: PartialPacking<'a>,
    /// Index of the word in [`orders::WORDS`].
    order: usize,
    /// What the first letter of the word is multiplied by, in 65,536ths, by item; empty for 1.
    scales: Vec<u32>,
    /// Candidates of all nodes on the stack.
    candidates: Vec<Candidate>,
    /// Items of all parts, those of a part in the order of the word.
    members: Vec<u32>,
    /// Sizes of the members.
    sizes: Vec<i32>,
    /// Lowest offsets of the members of the part that is being searched.
    lows: Vec<i32>,
    parts: Vec<Part>,
    stack: Vec<Frame>,
    /// Kept between calls of `split` to save allocations.
    keys: Vec<(Key, u32)>,
    /// Offset of each item, filled in from the leaf upwards once a plan is found.
    answer: Vec<i32>,
    /// Nodes of all runs so far, and one for each [`Search::worth`] beyond what nodes cost.
    pub nodes: u64,
    /// Work of a node, and what those that were counted are good for.
    worth: u64,
    paid: u64,
    /// Work of sorting the parts, on top of the work from before the run. It counts where it is
    /// more than the rest: usually it is below a twentieth.
    sorted: u64,
    /// Work at which a run ends.
    most: u64,
    /// Number of buffers placed on the way to the current node.
    depth: u32,
}

impl<'a> Search<'a> {
    pub fn new(model: &'a Model) -> Search<'a> {
        Search {
            state: PartialPacking::new(model),
            order: 0,
            scales: Vec::new(),
            candidates: Vec::new(),
            members: Vec::new(),
            sizes: Vec::new(),
            lows: Vec::new(),
            parts: Vec::new(),
            stack: Vec::new(),
            keys: Vec::new(),
            answer: Vec::new(),
            nodes: 0,
            worth: WORK_BY_NODE.0 * model.items.len() as u64 + WORK_BY_NODE.1,
            paid: 0,
            sorted: 0,
            most: u64::MAX,
            depth: 0,
        }
    }

    /// Looks for a plan within `capacity`, in units. The words take turns, with at most `limit`
    /// nodes together. A plan takes at least as many nodes as there are buffers. With fewer than
    /// that, a large model follows the first word once, in the time that so many nodes may take:
    /// where it soon falls into many small parts, nodes cost far less.
    pub fn decide(&mut self, capacity: i32, limit: u64, reporter: &mut Reporter) -> Found {
        let mut left = limit;
        let mut turn = 2 * self.state.model.items.len().max(1) as u64;
        if limit < turn && self.state.model.items.len() > LARGE {
            let even = vec![EVEN; self.state.model.items.len()];
            return self.attempt(capacity, 0, &even, u64::MAX, limit, reporter);
        }
        loop {
            for order in 0..orders::WORDS.len() {
                let allowed = turn.min(left);
                let before = self.nodes;
                reporter.order(order, allowed, before);
                let found = self.run(capacity, order, allowed, reporter);
                left -= (self.nodes - before).min(left);
                if found != Found::Limit || left == 0 {
                    return found;
                }
            }
            turn = turn.saturating_mul(GROWTH);
        }
    }

    fn reset(&mut self, capacity: i32, order: usize) {
        (self.order, self.depth) = (order, 0);
        self.state.reset(capacity);
        let model = self.state.model;
        self.answer.clear();
        self.answer.extend(model.items.iter().map(|item| item.fixed.unwrap_or(0)));
        self.candidates.clear();
        self.members.clear();
        self.sizes.clear();
        self.parts.clear();
        self.stack.clear();
    }

    /// Searches once with a word whose first letter is multiplied by `scales`, one a buffer in
    /// 65,536ths, with at most `allowed` nodes, which take at most as long as `most` nodes may.
    /// None of them is reported, and they count for what they look at: so early in the tree that is
    /// less than usual.
    pub fn attempt(
        &mut self,
        capacity: i32,
        order: usize,
        scales: &[u32],
        allowed: u64,
        most: u64,
        reporter: &mut Reporter,
    ) -> Found {
        self.scales.extend(scales);
        let (nodes, work) = (self.nodes, self.state.work);
        self.most = work.saturating_add(most.saturating_mul(self.worth));
        let found = self.run(capacity, order, allowed, reporter);
        self.nodes = nodes + (self.work() - work) / self.worth + 1;
        self.most = u64::MAX;
        self.scales.clear();
        found
    }

    /// Searches with one word and at most `allowed` nodes.
    fn run(&mut self, capacity: i32, order: usize, allowed: u64, reporter: &mut Reporter) -> Found {
        self.reset(capacity, order);
        let model = self.state.model;
        if model.items.iter().any(|item| item.fixed.unwrap_or(0) + item.size > capacity)
            || model.loads.iter().any(|&total| total > capacity)
        {
            return Found::Nothing;
        }
        let last = self.nodes.saturating_add(allowed);
        let all: Vec<u32> = (0..model.items.len() as u32).collect();
        let mut step = self.split(&model.partitions(), &all);
        // The first sorting is the same for every run.
        (self.paid, self.sorted) = (self.state.work, self.state.work);
        loop {
            step = match step {
                Transition::Enter { part, lowest, rank } => {
                    if self.nodes >= last || self.work() > self.most {
                        return Found::Limit;
                    }
                    if let ControlFlow::Break(()) = self.count(reporter) {
                        return Found::Cancelled;
                    }
                    match self.scales.is_empty() {
                        true => reporter.begin(self.nodes),
                        false => reporter.pass(),
                    }
                    self.enter(part, lowest, rank, reporter)
                }
                Transition::Try => {
                    if self.work() > self.paid {
                        if self.nodes >= last || self.work() > self.most {
                            return Found::Limit;
                        }
                        if let ControlFlow::Break(()) = self.count(reporter) {
                            return Found::Cancelled;
                        }
                    }
                    self.try_next(reporter)
                }
                Transition::Back(found) => match self.stack.pop() {
                    None if found => return Found::Plan(std::mem::take(&mut self.answer)),
                    None => return Found::Nothing,
                    Some(frame) => self.back(frame, found),
                },
            };
        }
    }

    /// Buffers and sections looked at so far, as far as they count.
    fn work(&self) -> u64 {
        self.state.work.max(self.sorted)
    }

    /// Counts a node.
    fn count(&mut self, reporter: &mut Reporter) -> ControlFlow<()> {
        self.nodes += 1;
        self.paid += self.worth;
        if self.nodes.is_multiple_of(PULSE) { reporter.pulse(self.nodes) } else { ControlFlow::Continue(()) }
    }

    /// Lists what can come next in a part: not below `lowest`, and there only from `rank` on.
    fn enter(&mut self, part: u32, lowest: i32, rank: u32, reporter: &mut Reporter) -> Transition {
        let Part { members, sections } = self.parts[part as usize];
        let range = members.0 as usize..members.1 as usize;
        self.state.work += range.len() as u64;
        let (members, sizes) = (&self.members[range.clone()], &self.sizes[range]);
        // Gathered in one list, because everything below reads them in a row.
        let lows = &mut self.lows;
        lows.clear();
        lows.extend(members.iter().map(|&item| self.state.lowest[item as usize]));
        if self.state.model.plain
            && let Some(item) = self.state.stuck(members, lows, lowest, rank)
        {
            if reporter.on() {
                reporter.node(self.nodes, self.depth, 0);
                reporter.stuck(item, lowest);
                reporter.back(self.nodes, self.depth);
            }
            return Transition::Back(false);
        }
        // A member whose lowest offset is at `lowest_end` or above is dominated: another one fits
        // below it. Nothing wraps, because PLACED leaves room for a size.
        let lowest_end = lows.iter().zip(sizes).map(|(low, size)| low.wrapping_add(*size)).fold(PLACED, i32::min);
        if lowest_end == PLACED {
            return Transition::Back(true);
        }
        // No later buffer lies below the next one, so the total of every section must fit above its
        // offset.
        let totals = &self.state.totals[sections.0 as usize..sections.1 as usize];
        let highest = self.state.capacity - totals.iter().copied().fold(0, i32::max);
        let start = self.candidates.len();
        let most = highest.min(lowest_end - 1);
        for (place, &offset) in lows.iter().enumerate() {
            if offset <= most && (offset > lowest || offset == lowest && place >= rank as usize) {
                self.candidates.push(Candidate { offset, rank: place as u32 });
            }
        }
        self.candidates[start..].sort_unstable();
        if reporter.on() {
            reporter.node(self.nodes, self.depth, self.candidates.len() - start);
            for (place, &item) in (0..).zip(members) {
                let offset = self.state.lowest[item as usize];
                if offset == PLACED {
                    continue;
                }
                if offset < lowest || offset == lowest && place < rank {
                    reporter.canonical(item, offset);
                } else if offset >= lowest_end {
                    reporter.dominated(item, offset, lowest_end);
                } else if offset > highest {
                    reporter.rejected(item, self.state.fullest(sections, offset));
                }
            }
        }
        let candidates = (start as u32, self.candidates.len() as u32);
        self.stack.push(Frame::Node { part, candidates, next: candidates.0, node: self.nodes });
        Transition::Try
    }

    /// Tries the next candidate of the node on top of the stack.
    fn try_next(&mut self, reporter: &mut Reporter) -> Transition {
        let Some(Frame::Node { part, candidates, next, node }) = self.stack.last_mut() else {
            return Transition::Back(false);
        };
        let (part, node) = (*part, *node);
        if *next == candidates.1 {
            let start = candidates.0;
            self.candidates.truncate(start as usize);
            self.stack.pop();
            if reporter.on() {
                reporter.back(node, self.depth);
            }
            return Transition::Back(false);
        }
        let Candidate { offset, rank } = self.candidates[*next as usize];
        *next += 1;
        let item = self.members[(self.parts[part as usize].members.0 + rank) as usize];
        let log = self.state.mark();
        self.state.explains = reporter.on();
        match self.state.place(item, offset) {
            Err(reject) => {
                if reporter.on() {
                    reporter.rejected(item, reject);
                }
                self.state.unplace(item, log);
                Transition::Try
            }
            Ok(neighbours_placed) => {
                if reporter.on() {
                    reporter.placed(item, offset);
                }
                self.depth += 1;
                self.stack.push(Frame::Placed { item, offset, log, neighbours_placed });
                match self.state.cut(item, self.parts[part as usize].sections) {
                    None => Transition::Enter { part, lowest: offset, rank },
                    Some(ranges) => {
                        if reporter.on() {
                            reporter.split(ranges.len(), self.depth);
                        }
                        let Part { members, .. } = self.parts[part as usize];
                        let left: Vec<u32> = self.members[members.0 as usize..members.1 as usize]
                            .iter()
                            .copied()
                            .filter(|&item| !self.state.is_placed(item))
                            .collect();
                        self.split(&ranges, &left)
                    }
                }
            }
        }
    }

    /// Passes the result of what was searched below a frame, `found`, to the frame, which has been
    /// taken off the stack, and returns what to do next.
    fn back(&mut self, frame: Frame, found: bool) -> Transition {
        match frame {
            // Reached only once a plan is found: `try_next` takes failed nodes off the stack.
            Frame::Node { candidates, .. } => {
                self.candidates.truncate(candidates.0 as usize);
                Transition::Back(found)
            }
            Frame::Placed { item, offset, log, neighbours_placed } => {
                if found {
                    self.answer[item as usize] = offset;
                }
                self.state.uncut(item);
                self.state.unplace(item, log);
                self.depth -= 1;
                if found {
                    return Transition::Back(true);
                }
                // All neighbours had been placed, so this buffer pushed nothing up: another choice
                // at this node cannot help what failed.
                if neighbours_placed && let Some(Frame::Node { candidates, next, .. }) = self.stack.last_mut() {
                    *next = candidates.1;
                }
                Transition::Try
            }
            Frame::Split { parts, next, members } => {
                if found && next < parts.1 {
                    self.stack.push(Frame::Split { parts, next: next + 1, members });
                    return Transition::Enter { part: next, lowest: 0, rank: 0 };
                }
                self.parts.truncate(parts.0 as usize);
                self.members.truncate(members as usize);
                self.sizes.truncate(members as usize);
                Transition::Back(found)
            }
        }
    }

    /// Makes a part of each range of sections, with those of `items` that lie in it. The ranges
    /// share no buffer; those without items are left out.
    fn split(&mut self, ranges: &[(u32, u32)], items: &[u32]) -> Transition {
        let (first, members) = (self.parts.len() as u32, self.members.len() as u32);
        for &(from, to) in ranges {
            let inside = |item: &u32| {
                let reach = self.state.model.items[*item as usize].reach;
                from < reach.1 && reach.0 < to
            };
            let mut keys = std::mem::take(&mut self.keys);
            orders::rank(
                self.state.model,
                self.order,
                &self.scales,
                &self.state.totals,
                &mut keys,
                items.iter().copied().filter(inside),
            );
            let looks = items.len() as u64 + orders::work(self.state.model, self.order, &keys);
            self.sorted += SORTING * looks;
            if !keys.is_empty() {
                let start = self.members.len() as u32;
                self.members.extend(keys.iter().map(|(_, item)| item));
                self.sizes.extend(keys.iter().map(|(_, item)| self.state.model.sizes[*item as usize]));
                self.parts.push(Part { members: (start, self.members.len() as u32), sections: (from, to) });
            }
            self.keys = keys;
        }
        let parts = (first, self.parts.len() as u32);
        self.stack.push(Frame::Split { parts, next: first, members });
        Transition::Back(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::Limits;
    use super::*;
    use memplan_core::problem::{Branches, Buffer, BufferId, Live, MemoryId, Problem, sample};
    use memplan_core::trace::Silent;
    use memplan_formats::import::{self, Answers, Document};
    use std::io::Read;

    const SNAPSHOT: &[u8] =
        include_bytes!("../../../../tests/golden/data/cuda_allocator/snapshots/resnet_train_truncated.pickle.gz");

    #[test]
    fn refused_candidates_count_for_the_time_they_take() {
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(SNAPSHOT).read_to_end(&mut bytes).expect("gzip");
        let document = import::read(&bytes, Answers::default()).expect("a snapshot").document;
        let Document::Plan(problem, _) = document else { panic!("buffers with addresses") };
        let ids: Vec<BufferId> = problem.buffers.ids().collect();
        let Ok(model) = Model::new(&problem, &ids, &Branches::default()) else { panic!("small enough") };
        let (mut probe, mut search) = (Silent, Search::new(&model));
        let mut reporter = Reporter::new(&mut probe, &model, MemoryId(0), None, Limits::default());
        assert_eq!(search.decide(model.bound(), 4_000, &mut reporter), Found::Limit);
        // One placement more than what is paid for, in each run.
        let most = 10 * (search.worth + (model.items.len() + model.sections.entries()) as u64);
        assert!(search.state.work <= search.nodes * search.worth + most, "{} for {}", search.state.work, search.nodes);
    }

    /// Parts of a damaged kernel: 64 buffers of one step, 64 of another alignment, six others.
    /// Nearly every placement cuts a section off, and what is left is sorted anew.
    #[test]
    fn sorting_counts_for_the_time_it_takes() {
        let rows = [(3, 1_402, 16, 0, 4), (2, 2_104, 16, 1, 6), (1, 65_536, 16, 2, 3), (64, 64, 16, 4, 8)];
        let all = rows.into_iter().chain([(64, 64, 1_024, 7, 8)]);
        let buffers: Vec<Buffer> = all
            .flat_map(|(count, size, align, start, end)| {
                let one = move |_| Buffer { align, ..Buffer::of("b", size, Live::new(start, end)) };
                (0..count).map(one)
            })
            .collect();
        let problem = Problem { steps: 8, buffers: buffers.into(), ..sample(1, 1) };
        let ids: Vec<BufferId> = problem.buffers.ids().collect();
        let Ok(model) = Model::new(&problem, &ids, &Branches::default()) else { panic!("small enough") };
        let (mut probe, mut search) = (Silent, Search::new(&model));
        let mut reporter = Reporter::new(&mut probe, &model, MemoryId(0), None, Limits::default());
        let found = search.attempt(model.bound(), 0, &[], 10_000, 10_000, &mut reporter);
        assert_eq!(found, Found::Limit);
        let (sorted, work) = (search.sorted, search.state.work);
        assert!(sorted > work, "sorting {sorted}, all else {work}");
        assert_eq!(search.nodes, sorted / search.worth + 1);
    }
}
