//! Searches combinations of changes: each state is extended by changes of single buffers at its
//! fullest step, and every state is tried in stripes, too.

use std::collections::BTreeSet;

use super::change::GraphChange;
use super::finish::{Finished, finish, read};
use super::instance::{Bounds, Lever, Request};
use super::record::{MoveRecord, Peaks, PriceRecord, Why};
use super::stripes::{Ranges, Way};
use crate::base::{Id, Message};
use crate::graph::{Graph, NodeId};
use crate::transform::{Block, Merged, Net, Price, into_stripes};

/// A graph with some changes.
#[derive(Clone, Debug)]
pub struct ChangedGraph {
    /// The changed graph.
    pub graph: Graph,
    /// What the changes cost.
    pub price: Price,
    /// The changes.
    pub moves: Vec<MoveRecord>,
    /// The same changes, in a form that can be applied again.
    pub changes: Vec<GraphChange>,
}

/// The best answer so far.
#[derive(Clone, Debug)]
pub struct Best {
    /// Graph and plan.
    pub finished: Finished,
    /// What the changes cost.
    pub price: Price,
    /// The changes.
    pub moves: Vec<MoveRecord>,
    /// The same changes, in a form that can be applied again.
    pub changes: Vec<GraphChange>,
}

/// What a search gives.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The cheapest answer; none if none was found.
    pub best: Option<Best>,
    /// The smallest of the peaks of plans and the loads above the capacity, in bytes; `u64::MAX` if
    /// there is none.
    pub least: u64,
    /// Slower memories that were too small for what was moved there.
    pub small: BTreeSet<String>,
    /// Looks at states, summed over all beams: a state of two beams counts twice.
    pub states: u64,
    /// Whether the last beam left out no state that could be cheaper than `best`.
    pub exhausted: bool,
    /// Whether some state fits by its load, but no plan within the capacity was found for it: then
    /// `best` is not proved cheapest.
    pub has_unplanned: bool,
}

impl Default for Outcome {
    /// Nothing looked at yet.
    fn default() -> Outcome {
        Outcome {
            best: None,
            least: u64::MAX,
            small: BTreeSet::new(),
            states: 0,
            exhausted: false,
            has_unplanned: false,
        }
    }
}

/// Most changes of single buffers in one answer.
const DEEPEST: usize = 64;
/// Most states of a search that looks at everything.
const ALL: usize = 2000;
/// A beam wider than this is run only if its width times the operators is at most [`MOST_WORK`].
const NARROW: usize = 4;
const MOST_WORK: usize = 40_000;

/// A state with what the search reads of it.
pub struct Read {
    /// The state.
    pub state: ChangedGraph,
    /// Its buffers.
    pub net: Net,
    /// What of them is one.
    pub merged: Merged,
    /// Its largest load.
    pub peak: u64,
}

/// A search of one graph for one capacity.
pub struct Search<'a> {
    /// What is asked.
    pub request: &'a Request,
    /// Bytes that there are.
    pub capacity: u64,
    /// Multiplications of the graph as it was.
    pub total: u64,
    /// Whether time is up.
    pub stop: &'a dyn Fn() -> bool,
}

impl Search<'_> {
    fn key(&self, price: &Price, moves: u64) -> (u64, u64, u64, u64) {
        self.request.prefer.key(price, moves)
    }

    /// Returns the widths of the beams, narrow first, so that there is an answer early. The last
    /// keeps up to `ALL` states. A width of 0 alone if no lever that changes single buffers is
    /// allowed.
    pub fn widths(&self) -> &'static [usize] {
        let rests = [Lever::Bank, Lever::Spill, Lever::Recompute].iter().any(|lever| self.request.has(*lever));
        if rests { &[1, 4, 32, ALL] } else { &[0] }
    }

    /// Extends `outcome` by a beam search of this width from `start`; width 0 looks at `start`
    /// alone. The start is looked at even when time is up. Returns at once if `outcome` is
    /// exhausted, or if the graph is too large for the width.
    ///
    /// # Errors
    /// A graph without sizes, or a plan that breaks a rule.
    pub fn run(&self, start: &ChangedGraph, width: usize, outcome: &mut Outcome) -> Result<(), Message> {
        let is_wide = width > NARROW && width * start.graph.nodes.len() > MOST_WORK;
        // The start is looked at in any case: what costs nothing may be enough.
        let is_late = width > 0 && outcome.states > 0 && (self.stop)();
        if outcome.exhausted || is_wide || is_late {
            return Ok(());
        }
        outcome.exhausted = match width {
            0 => {
                let read = self.read(start.clone())?;
                self.look(&read, outcome)?;
                !(self.stop)()
            }
            _ => self.beam(start, width, outcome)?,
        };
        Ok(())
    }

    /// Applies, one after the other, the single change that lowers the excess most, until the graph
    /// fits or nothing helps. Returns the largest load reached, in bytes, and its price; none if
    /// time was up before. Limits of prices are not checked, and the result is not the best
    /// possible.
    ///
    /// # Errors
    /// A graph without sizes.
    pub fn greedy(&self, graph: &Graph) -> Result<Option<(u64, Price)>, Message> {
        let start =
            ChangedGraph { graph: graph.clone(), price: Price::default(), moves: Vec::new(), changes: Vec::new() };
        let mut best = self.read(start)?;
        while best.peak > self.capacity && best.state.changes.len() < DEEPEST {
            let mut next: Option<Read> = None;
            for read in self.successors(&best, &mut true)? {
                let key = |read: &Read| (self.excess(read), self.key(&read.state.price, 0));
                if self.excess(&read) < self.excess(&best) && next.as_ref().is_none_or(|next| key(&read) < key(next)) {
                    next = Some(read);
                }
            }
            if (self.stop)() {
                return Ok(None);
            }
            let Some(next) = next else { break };
            best = next;
        }
        Ok(Some((best.peak, best.state.price)))
    }

    /// # Errors
    /// A graph without sizes.
    pub fn read(&self, state: ChangedGraph) -> Result<Read, Message> {
        let (net, merged) = read(&state.graph, self.request)?;
        let peak = merged.load.iter().copied().max().unwrap_or(0);
        Ok(Read { state, net, merged, peak })
    }

    /// Runs one beam. Returns true if it left no state out.
    fn beam(&self, start: &ChangedGraph, width: usize, outcome: &mut Outcome) -> Result<bool, Message> {
        let mut states = vec![self.read(start.clone())?];
        let mut is_whole = true;
        let mut seen: BTreeSet<Vec<String>> = BTreeSet::new();
        let mut looked = 0;
        for depth in 0.. {
            let mut next = Vec::new();
            for read in &states {
                if depth > 0 && (self.stop)() {
                    return Ok(false);
                }
                self.look(read, outcome)?;
                looked += 1;
                if read.peak <= self.capacity {
                    continue;
                }
                if depth == DEEPEST || looked > ALL {
                    is_whole = false;
                    continue;
                }
                for after in self.successors(read, &mut is_whole)? {
                    let state = &after.state;
                    let mut name: Vec<String> =
                        state.moves.iter().map(|one| format!("{:?}{:?}", one.why, one.tensors)).collect();
                    name.sort_unstable();
                    let is_dear = self.is_dear(&state.price, state.moves.len(), outcome);
                    if !is_dear && self.request.affords(&state.price, self.total) && seen.insert(name) {
                        next.push(after);
                    }
                    if (self.stop)() {
                        return Ok(false);
                    }
                }
            }
            next.sort_by_key(|read| (self.excess(read), self.key(&read.state.price, read.state.moves.len() as u64)));
            is_whole &= next.len() <= width;
            next.truncate(width);
            if next.is_empty() {
                break;
            }
            states = next;
        }
        // Stripes of the last states may have been cut off.
        Ok(is_whole && !(self.stop)())
    }

    /// Returns the bytes above the capacity, summed over the steps: two steps that are too full
    /// count more than one.
    fn excess(&self, read: &Read) -> u64 {
        read.merged.load.iter().map(|load| load.saturating_sub(self.capacity)).fold(0, u64::saturating_add)
    }

    /// Offers a state as it is, and in stripes.
    fn look(&self, read: &Read, outcome: &mut Outcome) -> Result<(), Message> {
        outcome.states += 1;
        let small = self.small(&read.state)?;
        let has_room = small.is_empty();
        if !has_room {
            outcome.small.extend(small);
        } else if read.peak > self.capacity {
            outcome.least = outcome.least.min(read.peak);
        }
        if read.peak <= self.capacity {
            let missing = self.offer(&Way::default(), read, outcome)?;
            outcome.has_unplanned |= missing.is_some();
            return Ok(());
        }
        if !self.request.has(Lever::Stripes) {
            return Ok(());
        }
        let mut ranges = Ranges::new(&read.net, &read.merged);
        let mut capacity = self.capacity;
        let affords = |price: &Price| self.request.affords(&read.state.price.plus(*price), self.total);
        // A plan may need more bytes than the load: each time, the load is held lower by the
        // missing bytes, by twice, four times …
        for times in 0..8 {
            let way = ranges.cheapest(capacity, &|price, moves| self.key(price, moves), self.stop);
            let Some(way) = way.filter(|way| affords(&way.price)) else {
                let is_first = capacity == self.capacity;
                if has_room && is_first && read.net.ops.len() <= 2000 && !(self.stop)() {
                    let least = if self.limits() {
                        ranges.least_at(&|price, moves| self.key(price, moves), &affords, self.stop)
                    } else {
                        ranges.least(self.stop)
                    };
                    let least = least.filter(|least| *least > self.capacity);
                    outcome.least = outcome.least.min(least.unwrap_or(u64::MAX));
                }
                return Ok(());
            };
            let Some(missing) = self.offer(&way, read, outcome)? else { return Ok(()) };
            capacity = capacity.saturating_sub(missing.saturating_mul(1 << times));
            outcome.has_unplanned = true;
        }
        Ok(())
    }

    /// Whether not every price may be paid.
    fn limits(&self) -> bool {
        self.request.limits != Bounds::default()
    }

    /// Slower memories that are too small for what a state moves there.
    fn small(&self, state: &ChangedGraph) -> Result<Vec<String>, Message> {
        let mut small = Vec::new();
        for memory in self.request.budget.memories.iter().skip(1) {
            let graph = &state.graph;
            if graph.devices.iter().any(|name| *name == memory.name) {
                let is_there = |tensor| graph.devices[graph.tensors[tensor].device] == memory.name;
                let net = Net::of(graph, &self.request.scope, &is_there).map_err(|_| Message::new("fit.no-room"))?;
                if net.plain().load.into_iter().any(|load| load > memory.size) {
                    small.push(memory.name.clone());
                }
            }
        }
        Ok(small)
    }

    /// Applies the recorded changes to `start` in order and plans the result. Returns none if a
    /// record matches no legal change, if a limit of prices is exceeded, or if the plan is above
    /// the capacity.
    ///
    /// # Errors
    /// A graph without sizes, or a plan that breaks a rule.
    pub fn redo(&self, start: &ChangedGraph, records: &[MoveRecord]) -> Result<Option<Best>, Message> {
        let is_same = |(own, record): (&MoveRecord, &MoveRecord)| own.is_like(record);
        let given = start.moves.len();
        if records.len() < given || !start.moves.iter().zip(records).all(is_same) {
            return Ok(None);
        }
        let mut read = self.read(start.clone())?;
        let is_single = |record: &&MoveRecord| record.lever != Lever::Stripes.name();
        let single: Vec<&MoveRecord> = records[given..].iter().take_while(is_single).collect();
        for &record in &single {
            let is_recorded = |read: &Read| read.state.moves.last().is_some_and(|own| own.is_like(record));
            let Some(next) = self.successors(&read, &mut true)?.into_iter().find(is_recorded) else { return Ok(None) };
            read = next;
        }
        let ranges = &records[given + single.len()..];
        let Some(way) = self.way(&read, ranges) else { return Ok(None) };
        let price = read.state.price.plus(way.price);
        if !self.request.affords(&price, self.total) {
            return Ok(None);
        }
        let (own, made): (Vec<_>, Vec<_>) = self.stripe_records(&read, &way.blocks).into_iter().unzip();
        if own.len() != ranges.len() || !own.iter().zip(ranges).all(is_same) {
            return Ok(None);
        }
        let graph = striped(&read.state.graph, &read.net, &read.merged, &way.blocks);
        let finished =
            finish(&graph, self.request, self.capacity, self.stop)?.filter(|found| found.peak <= self.capacity);
        let moves = read.state.moves.into_iter().chain(own).collect();
        let changes = read.state.changes.into_iter().chain(made).collect();
        Ok(finished.map(|finished| Best { finished, price, moves, changes }))
    }

    /// Returns the ranges that these records name, in order and apart; none if one of them cannot
    /// run in stripes.
    fn way(&self, read: &Read, records: &[MoveRecord]) -> Option<Way> {
        let names: Vec<&str> = read.state.graph.nodes.iter().map(|node| node.name.as_str()).collect();
        let mut ranges = Ranges::new(&read.net, &read.merged);
        let mut way = Way::default();
        for record in records {
            let [first, last] = &record.ops[..] else { return None };
            let at = |wanted: &String| names.iter().position(|name| name == wanted);
            let block = ranges.in_stripes(at(first)?, at(last)?, record.stripes)?;
            way.price = way.price.plus(block.price);
            way.blocks.push(block);
        }
        way.blocks.sort_by_key(|block| block.first);
        way.blocks.windows(2).all(|pair| pair[0].last < pair[1].first).then_some(way)
    }

    /// Whether an answer of this price and number of changes would be no better than the best one.
    fn is_dear(&self, price: &Price, moves: usize, outcome: &Outcome) -> bool {
        let key = self.key(price, moves as u64);
        outcome.best.as_ref().is_some_and(|best| key >= self.key(&best.price, best.moves.len() as u64))
    }

    /// Plans a state in these stripes and keeps it if it is cheaper than the best answer. Returns
    /// the missing bytes if its plan is above the capacity.
    fn offer(&self, way: &Way, read: &Read, outcome: &mut Outcome) -> Result<Option<u64>, Message> {
        let state = &read.state;
        let price = state.price.plus(way.price);
        if self.is_dear(&price, state.moves.len() + way.blocks.len(), outcome)
            || !self.request.affords(&price, self.total)
        {
            return Ok(None);
        }
        let graph = striped(&state.graph, &read.net, &read.merged, &way.blocks);
        let Some(finished) = finish(&graph, self.request, self.capacity, self.stop)? else {
            // A slower memory that the plan is too large for, although the load may not be.
            outcome.has_unplanned = true;
            return Ok(None);
        };
        outcome.least = outcome.least.min(finished.peak);
        if finished.peak > self.capacity {
            return Ok(Some(finished.peak - self.capacity));
        }
        let (mut moves, mut changes) = (state.moves.clone(), state.changes.clone());
        let (records, made): (Vec<_>, Vec<_>) = self.stripe_records(read, &way.blocks).into_iter().unzip();
        moves.extend(records);
        changes.extend(made);
        outcome.best = Some(Best { finished, price, moves, changes });
        Ok(None)
    }

    /// Returns the record and the change of each range in stripes, that of the fullest step first.
    fn stripe_records(&self, read: &Read, blocks: &[Block]) -> Vec<(MoveRecord, GraphChange)> {
        let Read { state, merged, .. } = read;
        let mut load = merged.load.clone();
        let most = |load: &[u64]| load.iter().copied().max().unwrap_or(0);
        let mut order: Vec<&Block> = blocks.iter().collect();
        order.sort_by_key(|block| std::cmp::Reverse(most(&merged.load[block.first..=block.last])));
        let name = |step: usize| state.graph.nodes[NodeId::from_index(step)].name.clone();
        let record = |block: &Block| {
            let before = most(&load);
            load[block.first..=block.last].iter_mut().for_each(|load| *load = block.peak);
            let record = MoveRecord {
                lever: Lever::Stripes.name().to_string(),
                ops: vec![name(block.first), name(block.last)],
                stripes: block.stripes,
                tensors: Vec::new(),
                peak: Peaks { before, after: most(&load) },
                price: PriceRecord::of(&block.price, self.total),
                why: Why::new(
                    "fit.move-stripes",
                    &[("first", name(block.first)), ("last", name(block.last)), ("count", block.stripes.to_string())],
                ),
            };
            (record, GraphChange::Stripes(*block))
        };
        order.into_iter().map(record).collect()
    }
}

/// Returns the graph with these ranges, which are ranges of `net`, in stripes.
pub fn striped(graph: &Graph, net: &Net, merged: &Merged, blocks: &[Block]) -> Graph {
    if blocks.is_empty() {
        return graph.clone();
    }
    let ranges = Ranges::new(net, merged);
    let mut schedules = Vec::new();
    let mut wholes = Vec::new();
    for block in blocks {
        let frame = ranges.frame(block.first, block.last);
        if let Some((frame, schedule)) = frame.and_then(|frame| frame.schedule(block.height).map(|rows| (frame, rows)))
        {
            wholes.push(frame.whole().to_vec());
            schedules.push((*block, schedule));
        }
    }
    into_stripes(graph, &schedules, &wholes)
}
