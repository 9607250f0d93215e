//! The search for a plan within a capacity: buffers are placed from low to high offsets, each on
//! what lies below it.
//!
//! The stack of the search is a list of its own, so the depth of the search tree is not limited by
//! the program's stack. Every number is in units of the model.
//!
//! The five buffers of [`crate::problem`] within 5 units, in the first of the three orders, one row
//! for each placement. A placement takes the buffer out of the totals, the units still to be placed
//! in each section, and raises the lowest offset of every buffer that it overlaps in time:
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
//! * A branch ends as soon as lowest offset + size, or in a section the least lowest offset +
//!   total, is above the capacity.
//! * Nothing but `b` holds sections 0 and 1 together. Once `b` is placed, section 0 and sections 1
//!   to 2 share nothing and are searched one after the other: `a` alone, then `c` and `d`.
//!
//! The plan that these placements make. The planner as a whole ends with another one of the same
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

/// How many times the nodes of the turn before a word is allowed in its next turn.
const GROWTH: u64 = 4;

/// Nodes between two reports of progress.
const PULSE: u64 = 1024;

/// How a search ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// Offsets of all items.
    Plan(Vec<i32>),
    /// The whole tree has been walked.
    Nothing,
    /// The nodes allowed are used up.
    Limit,
    /// Stopped from outside.
    Cancelled,
}

/// Sections that are solved together, and their buffers in the order of a word.
struct Part {
    /// In `Search::members`.
    members: (u32, u32),
    sections: (u32, u32),
}

/// A place to try.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    offset: i32,
    rank: u32,
}

enum Frame {
    /// A choice of the next buffer of a part, with the candidates still to be tried.
    Node { part: u32, candidates: (u32, u32), next: u32, node: u64 },
    /// A buffer was placed, and what follows is being searched.
    Placed { item: u32, offset: i32, log: u32, neighbours_placed: bool },
    /// Parts that share nothing are solved one after the other.
    Split { parts: (u32, u32), next: u32, members: u32 },
}

enum Transition {
    Enter { part: u32, lowest: i32, rank: u32 },
    Go,
    Back(bool),
}

pub struct Search<'a> {
    state: PartialPacking<'a>,
    order: usize,
    candidates: Vec<Candidate>,
    members: Vec<u32>,
    /// Sizes of the members.
    sizes: Vec<i32>,
    /// Lowest offsets of the members of the present part.
    lows: Vec<i32>,
    parts: Vec<Part>,
    stack: Vec<Frame>,
    keys: Vec<(Key, u32)>,
    answer: Vec<i32>,
    /// Nodes of all runs so far.
    pub nodes: u64,
    depth: u32,
}

impl<'a> Search<'a> {
    pub fn new(model: &'a Model) -> Search<'a> {
        Search {
            state: PartialPacking::new(model),
            order: 0,
            candidates: Vec::new(),
            members: Vec::new(),
            sizes: Vec::new(),
            lows: Vec::new(),
            parts: Vec::new(),
            stack: Vec::new(),
            keys: Vec::new(),
            answer: Vec::new(),
            nodes: 0,
            depth: 0,
        }
    }

    /// Whether there is a plan within `capacity`, with at most so many nodes for all words
    /// together.
    pub fn decide(&mut self, capacity: i32, limit: u64, reporter: &mut Reporter) -> Found {
        let mut left = limit;
        let mut turn = 2 * self.state.model.items.len().max(1) as u64;
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

    /// One run with one word and so many nodes.
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
        loop {
            step = match step {
                Transition::Enter { part, lowest, rank } => {
                    if self.nodes >= last {
                        return Found::Limit;
                    }
                    self.nodes += 1;
                    if self.nodes.is_multiple_of(PULSE)
                        && let ControlFlow::Break(()) = reporter.pulse(self.nodes)
                    {
                        return Found::Cancelled;
                    }
                    reporter.begin(self.nodes);
                    self.enter(part, lowest, rank, reporter)
                }
                Transition::Go => self.go(reporter),
                Transition::Back(found) => match self.stack.pop() {
                    None if found => return Found::Plan(std::mem::take(&mut self.answer)),
                    None => return Found::Nothing,
                    Some(frame) => self.back(frame, found),
                },
            };
        }
    }

    /// Lists what can come next in a part: not below `lowest`, and there only from `rank` on.
    fn enter(&mut self, part: u32, lowest: i32, rank: u32, reporter: &mut Reporter) -> Transition {
        let Part { members, sections } = self.parts[part as usize];
        let range = members.0 as usize..members.1 as usize;
        let (members, sizes) = (&self.members[range.clone()], &self.sizes[range]);
        // Side by side, because all that follows walks them.
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
        // Nothing wraps: PLACED leaves room for a size.
        let height = lows.iter().zip(sizes).map(|(low, size)| low.wrapping_add(*size)).fold(PLACED, i32::min);
        if height == PLACED {
            return Transition::Back(true);
        }
        // Nothing that comes later lies below the next buffer, so it must leave room for all of
        // every section.
        let totals = &self.state.totals[sections.0 as usize..sections.1 as usize];
        let highest = self.state.capacity - totals.iter().copied().fold(0, i32::max);
        let start = self.candidates.len();
        let most = highest.min(height - 1);
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
                } else if offset >= height {
                    reporter.dominated(item, offset, height);
                } else if offset > highest {
                    reporter.rejected(item, self.state.fullest(sections, offset));
                }
            }
        }
        let candidates = (start as u32, self.candidates.len() as u32);
        self.stack.push(Frame::Node { part, candidates, next: candidates.0, node: self.nodes });
        Transition::Go
    }

    /// Tries the next candidate of the node on top of the stack.
    fn go(&mut self, reporter: &mut Reporter) -> Transition {
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
                Transition::Go
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

    /// What the frame that was on top makes of the answer below it.
    fn back(&mut self, frame: Frame, found: bool) -> Transition {
        match frame {
            // Reached only once a plan is found: failures go through `go`.
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
                // Nothing was in this one's way upwards, so another choice here cannot help what
                // failed.
                if neighbours_placed && let Some(Frame::Node { candidates, next, .. }) = self.stack.last_mut() {
                    *next = candidates.1;
                }
                Transition::Go
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

    /// Makes parts of section ranges that share nothing, with those of `items` that lie in them.
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
                &self.state.totals,
                &mut keys,
                items.iter().copied().filter(inside),
            );
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
