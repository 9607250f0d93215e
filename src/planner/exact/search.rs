//! The search for a plan within a capacity: buffers are placed from low to high offsets, each on what lies below it.
//!
//! The tree is walked with a stack of its own, so that its depth is no matter. Every number is in units of the model.

use std::ops::ControlFlow;

use super::model::Model;
use super::orders::{self, Key};
use super::tell::Teller;

/// Lowest offset of a buffer that is placed: larger than any other, so that it is never below anything.
const PLACED: i32 = i32::MAX / 2;

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

/// Why a buffer cannot go where it was tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reject {
    /// Another buffer is pushed so high that it ends above the capacity, by so many units, or above its stated position.
    Pushed { other: u32, by: i32 },
    /// What is still to be placed in a section would end above the capacity.
    Section { section: u32, by: i32 },
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
    Placed { item: u32, offset: i32, log: u32, hatless: bool },
    /// Parts that share nothing are solved one after the other.
    Split { parts: (u32, u32), next: u32, members: u32 },
}

enum Step {
    Enter { part: u32, lowest: i32, rank: u32 },
    Go,
    Back(bool),
}

pub struct Search<'a> {
    model: &'a Model,
    capacity: i32,
    word: usize,
    /// Lowest offset that is still possible.
    lowest: Vec<i32>,
    /// Sum of what is not placed yet, by section.
    totals: Vec<i32>,
    /// Number of buffers not placed yet that hold section `k` and the one after it together.
    cuts: Vec<i32>,
    /// A member of each section that was low enough when it was looked for last, from the start of the section's list.
    witness: Vec<u32>,
    /// Former values of `lowest`.
    log: Vec<(u32, i32)>,
    candidates: Vec<Candidate>,
    members: Vec<u32>,
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
            model,
            capacity: 0,
            word: 0,
            lowest: Vec::new(),
            totals: Vec::new(),
            cuts: Vec::new(),
            witness: Vec::new(),
            log: Vec::new(),
            candidates: Vec::new(),
            members: Vec::new(),
            parts: Vec::new(),
            stack: Vec::new(),
            keys: Vec::new(),
            answer: Vec::new(),
            nodes: 0,
            depth: 0,
        }
    }

    /// Whether there is a plan within `capacity`, with at most so many nodes for all words together.
    pub fn decide(&mut self, capacity: i32, limit: u64, teller: &mut Teller) -> Found {
        let mut left = limit;
        let mut turn = 2 * self.model.items.len().max(1) as u64;
        loop {
            for word in 0..orders::WORDS.len() {
                let allowed = turn.min(left);
                let before = self.nodes;
                teller.word(word, allowed, before);
                let found = self.run(capacity, word, allowed, teller);
                left -= (self.nodes - before).min(left);
                if found != Found::Limit || left == 0 {
                    return found;
                }
            }
            turn = turn.saturating_mul(2);
        }
    }

    fn reset(&mut self, capacity: i32, word: usize) {
        let model = self.model;
        (self.capacity, self.word, self.depth) = (capacity, word, 0);
        self.lowest.clear();
        self.lowest.extend(model.items.iter().map(|item| item.fixed.unwrap_or(0)));
        self.totals.clone_from(&model.loads);
        self.cuts.clear();
        self.cuts.resize(model.loads.len(), 0);
        for item in &model.items {
            let (from, to) = item.reach;
            self.cuts[from as usize..to.saturating_sub(1).max(from) as usize].iter_mut().for_each(|cut| *cut += 1);
        }
        self.witness.clear();
        self.witness.resize(model.loads.len(), 0);
        self.answer.clear();
        self.answer.extend(model.items.iter().map(|item| item.fixed.unwrap_or(0)));
        self.log.clear();
        self.candidates.clear();
        self.members.clear();
        self.parts.clear();
        self.stack.clear();
    }

    /// One run with one word and so many nodes.
    fn run(&mut self, capacity: i32, word: usize, allowed: u64, teller: &mut Teller) -> Found {
        self.reset(capacity, word);
        if self.model.items.iter().any(|item| item.fixed.unwrap_or(0) + item.size > capacity)
            || self.totals.iter().any(|&total| total > capacity)
        {
            return Found::Nothing;
        }
        let last = self.nodes.saturating_add(allowed);
        let all: Vec<u32> = (0..self.model.items.len() as u32).collect();
        let mut step = self.split(&self.model.partitions(), &all);
        loop {
            step = match step {
                Step::Enter { part, lowest, rank } => {
                    if self.nodes >= last {
                        return Found::Limit;
                    }
                    self.nodes += 1;
                    if self.nodes.is_multiple_of(PULSE)
                        && let ControlFlow::Break(()) = teller.pulse(self.nodes)
                    {
                        return Found::Cancelled;
                    }
                    teller.begin(self.nodes);
                    self.enter(part, lowest, rank, teller)
                }
                Step::Go => self.go(teller),
                Step::Back(found) => match self.stack.pop() {
                    None if found => return Found::Plan(std::mem::take(&mut self.answer)),
                    None => return Found::Nothing,
                    Some(frame) => self.back(frame, found),
                },
            };
        }
    }

    /// Lists what can come next in a part: not below `lowest`, and there only from `rank` on.
    fn enter(&mut self, part: u32, lowest: i32, rank: u32, teller: &mut Teller) -> Step {
        let Part { members, sections } = self.parts[part as usize];
        let members = &self.members[members.0 as usize..members.1 as usize];
        let mut height = PLACED;
        for &item in members {
            height = height.min(self.lowest[item as usize] + self.model.items[item as usize].size);
        }
        if height == PLACED {
            return Step::Back(true);
        }
        // Nothing that comes later lies below the next buffer, so it must leave room for all of every section.
        let totals = &self.totals[sections.0 as usize..sections.1 as usize];
        let highest = self.capacity - totals.iter().copied().fold(0, i32::max);
        let start = self.candidates.len();
        for (place, &item) in (0..).zip(members) {
            let offset = self.lowest[item as usize];
            if offset < height && offset <= highest && (offset > lowest || offset == lowest && place >= rank) {
                self.candidates.push(Candidate { offset, rank: place });
            }
        }
        self.candidates[start..].sort_unstable();
        if teller.on() {
            teller.node(self.nodes, self.depth, self.candidates.len() - start);
            for (place, &item) in (0..).zip(members) {
                let offset = self.lowest[item as usize];
                if offset == PLACED {
                    continue;
                }
                if offset < lowest || offset == lowest && place < rank {
                    teller.canonical(item, offset);
                } else if offset >= height {
                    teller.dominated(item, offset, height);
                } else if offset > highest {
                    teller.rejected(item, self.fullest(sections, offset));
                }
            }
        }
        let candidates = (start as u32, self.candidates.len() as u32);
        self.stack.push(Frame::Node { part, candidates, next: candidates.0, node: self.nodes });
        Step::Go
    }

    /// The section that a buffer at `offset` leaves no room for.
    fn fullest(&self, sections: (u32, u32), offset: i32) -> Reject {
        let over = |section: &u32| self.totals[*section as usize] + offset - self.capacity;
        let section = (sections.0..sections.1).max_by_key(over).unwrap_or(sections.0);
        Reject::Section { section, by: over(&section) }
    }

    /// Tries the next candidate of the node on top of the stack.
    fn go(&mut self, teller: &mut Teller) -> Step {
        let Some(Frame::Node { part, candidates, next, node }) = self.stack.last_mut() else {
            return Step::Back(false);
        };
        let (part, node) = (*part, *node);
        if *next == candidates.1 {
            let start = candidates.0;
            self.candidates.truncate(start as usize);
            self.stack.pop();
            if teller.on() {
                teller.back(node, self.depth);
            }
            return Step::Back(false);
        }
        let Candidate { offset, rank } = self.candidates[*next as usize];
        *next += 1;
        let item = self.members[(self.parts[part as usize].members.0 + rank) as usize];
        let log = self.log.len() as u32;
        match self.place(item, offset) {
            Err(reject) => {
                if teller.on() {
                    teller.rejected(item, reject);
                }
                self.unplace(item, log);
                Step::Go
            }
            Ok(hatless) => {
                if teller.on() {
                    teller.placed(item, offset);
                }
                self.depth += 1;
                self.stack.push(Frame::Placed { item, offset, log, hatless });
                match self.cut(item, part) {
                    None => Step::Enter { part, lowest: offset, rank },
                    Some(ranges) => {
                        if teller.on() {
                            teller.split(ranges.len(), self.depth);
                        }
                        let Part { members, .. } = self.parts[part as usize];
                        let left: Vec<u32> = self.members[members.0 as usize..members.1 as usize]
                            .iter()
                            .copied()
                            .filter(|&item| self.lowest[item as usize] != PLACED)
                            .collect();
                        self.split(&ranges, &left)
                    }
                }
            }
        }
    }

    /// What the frame that was on top makes of the answer below it.
    fn back(&mut self, frame: Frame, found: bool) -> Step {
        match frame {
            // Reached only once a plan is found: failures go through `go`.
            Frame::Node { candidates, .. } => {
                self.candidates.truncate(candidates.0 as usize);
                Step::Back(found)
            }
            Frame::Placed { item, offset, log, hatless } => {
                if found {
                    self.answer[item as usize] = offset;
                }
                self.uncut(item);
                self.unplace(item, log);
                self.depth -= 1;
                if found {
                    return Step::Back(true);
                }
                // Nothing was in this one's way upwards, so another choice here cannot help what failed.
                if hatless && let Some(Frame::Node { candidates, next, .. }) = self.stack.last_mut() {
                    *next = candidates.1;
                }
                Step::Go
            }
            Frame::Split { parts, next, members } => {
                if found && next < parts.1 {
                    self.stack.push(Frame::Split { parts, next: next + 1, members });
                    return Step::Enter { part: next, lowest: 0, rank: 0 };
                }
                self.parts.truncate(parts.0 as usize);
                self.members.truncate(members as usize);
                Step::Back(found)
            }
        }
    }

    /// Makes parts of section ranges that share nothing, with those of `items` that lie in them.
    fn split(&mut self, ranges: &[(u32, u32)], items: &[u32]) -> Step {
        let (first, members) = (self.parts.len() as u32, self.members.len() as u32);
        for &(from, to) in ranges {
            let inside = |item: &u32| {
                let reach = self.model.items[*item as usize].reach;
                from < reach.1 && reach.0 < to
            };
            let mut keys = std::mem::take(&mut self.keys);
            orders::rank(self.model, self.word, &self.totals, &mut keys, items.iter().copied().filter(inside));
            if !keys.is_empty() {
                let start = self.members.len() as u32;
                self.members.extend(keys.iter().map(|(_, item)| item));
                self.parts.push(Part { members: (start, self.members.len() as u32), sections: (from, to) });
            }
            self.keys = keys;
        }
        let parts = (first, self.parts.len() as u32);
        self.stack.push(Frame::Split { parts, next: first, members });
        Step::Back(true)
    }

    /// Puts a buffer down and raises what is in its way. Tells whether nothing was.
    fn place(&mut self, item: u32, offset: i32) -> Result<bool, Reject> {
        let model = self.model;
        self.log.push((item, self.lowest[item as usize]));
        self.lowest[item as usize] = PLACED;
        for piece in model.pieces.of(item) {
            self.totals[piece.from as usize..piece.to as usize].iter_mut().for_each(|total| *total -= piece.height);
        }
        let own = model.pieces.of(item);
        let (mut from, mut to) = (own.first().map_or(0, |piece| piece.from), own.last().map_or(0, |piece| piece.to));
        let mut hatless = true;
        for &neighbour in model.neighbours.of(item) {
            let before = self.lowest[neighbour.item as usize];
            hatless &= before == PLACED;
            let raised = offset + neighbour.rise;
            if raised <= before {
                continue;
            }
            let other = &model.items[neighbour.item as usize];
            let raised = align_up(raised, other.align);
            self.log.push((neighbour.item, before));
            self.lowest[neighbour.item as usize] = raised;
            let end = raised + other.size - self.capacity;
            let above = other.fixed.map_or(0, |fixed| raised - fixed);
            if end > 0 || above > 0 {
                return Err(Reject::Pushed { other: neighbour.item, by: end.max(above) });
            }
            (from, to) = (from.min(other.reach.0), to.max(other.reach.1));
        }
        for section in from..to {
            self.check(section)?;
        }
        Ok(hatless)
    }

    /// Some buffer of the section can still lie low enough for all of them to fit above each other.
    fn check(&mut self, section: u32) -> Result<(), Reject> {
        let total = self.totals[section as usize];
        if total == 0 {
            return Ok(());
        }
        let highest = self.capacity - total;
        let members = self.model.sections.of(section);
        let low = |member: &super::model::Member| self.lowest[member.item as usize] + member.low;
        if low(&members[self.witness[section as usize] as usize]) <= highest {
            return Ok(());
        }
        match members.iter().position(|member| low(member) <= highest) {
            Some(position) => {
                self.witness[section as usize] = position as u32;
                Ok(())
            }
            None => {
                let floor = members.iter().map(low).min().unwrap_or(0);
                Err(Reject::Section { section, by: floor - highest })
            }
        }
    }

    fn unplace(&mut self, item: u32, log: u32) {
        for (item, lowest) in self.log.drain(log as usize..).rev() {
            self.lowest[item as usize] = lowest;
        }
        for piece in self.model.pieces.of(item) {
            self.totals[piece.from as usize..piece.to as usize].iter_mut().for_each(|total| *total += piece.height);
        }
    }

    /// Takes a placed buffer out of the borders it crosses; the ranges of its part if that parts it.
    fn cut(&mut self, item: u32, part: u32) -> Option<Vec<(u32, u32)>> {
        let (from, to) = self.model.items[item as usize].reach;
        let sections = self.parts[part as usize].sections;
        let (mut ranges, mut start) = (Vec::new(), sections.0);
        for border in from..to.saturating_sub(1).max(from) {
            let cut = &mut self.cuts[border as usize];
            *cut -= 1;
            if *cut == 0 {
                ranges.push((start, border + 1));
                start = border + 1;
            }
        }
        if ranges.is_empty() {
            return None;
        }
        ranges.push((start, sections.1));
        Some(ranges)
    }

    fn uncut(&mut self, item: u32) {
        let (from, to) = self.model.items[item as usize].reach;
        self.cuts[from as usize..to.saturating_sub(1).max(from) as usize].iter_mut().for_each(|cut| *cut += 1);
    }
}

fn align_up(offset: i32, align: i32) -> i32 {
    if align == 1 { offset } else { (offset + align - 1) / align * align }
}
