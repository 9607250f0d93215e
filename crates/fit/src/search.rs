//! Searches combinations of changes: each state is extended by changes of single buffers at its
//! fullest step. A state whose load is above the capacity is tried in stripes, too.
//!
//! A *state* is the graph with some changes. Its *changes* are recorded twice: as [`GraphChange`],
//! to make them again, and as [`MoveRecord`] (`moves`), to report them. A change belongs to a
//! family, the [`Lever`]; the request lists the levers that are allowed.

use std::collections::BTreeSet;

use super::change::GraphChange;
use super::finish::{Finished, finish, read};
use super::instance::{Bounds, Lever, Request};
use super::record::{MoveRecord, Peaks, PriceRecord, Why};
use super::stripes::{Ranges, Way};
use crate::transform::{Block, Merged, Net, Price, into_stripes};
use memplan_core::base::{Id, Message};
use memplan_core::graph::{Graph, NodeId};

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
    /// The smallest of the peaks of all plans made and of the loads that are above the capacity,
    /// with and without stripes, in bytes; `u64::MAX` if there is none.
    pub least: u64,
    /// Slower memories that were too small for what was moved there.
    pub overfull_memories: BTreeSet<String>,
    /// Number of states examined, summed over all beams; a state of two beams counts twice.
    pub states: u64,
    /// Whether the last beam left out no state that could be cheaper than `best`.
    pub exhausted: bool,
    /// Whether some state fits by its load, but no plan within the capacity was found for it: then
    /// `best` is not proved cheapest.
    pub has_unplanned: bool,
}

impl Default for Outcome {
    /// No state examined yet.
    fn default() -> Outcome {
        Outcome {
            best: None,
            least: u64::MAX,
            overfull_memories: BTreeSet::new(),
            states: 0,
            exhausted: false,
            has_unplanned: false,
        }
    }
}

/// Most changes of single buffers in one answer.
const DEEPEST: usize = 64;
/// Width of the widest beam; no beam extends more states than this.
const MAX_STATES: usize = 2000;
/// A beam wider than this is run only if its width times the operators is at most [`MOST_WORK`].
const NARROW: usize = 4;
/// Largest product of width and operators for a beam wider than [`NARROW`].
const MOST_WORK: usize = 40_000;
/// Most operators of a graph whose least capacity in stripes is computed.
const MOST_OPERATORS: usize = 2000;

/// A state with what the search computes from it.
pub struct SearchState {
    /// The changed graph.
    pub changed: ChangedGraph,
    /// Its storages before in-place merges.
    pub net: Net,
    /// Its storages after in-place merges.
    pub merged: Merged,
    /// Its largest load, in bytes.
    pub peak: u64,
}

/// A search of one graph for one capacity.
pub struct Search<'a> {
    /// What is asked.
    pub request: &'a Request,
    /// Bytes that tensors may use.
    pub capacity: u64,
    /// Multiplications of the graph before any change.
    pub graph_macs: u64,
    /// Whether time is up.
    pub stop: &'a dyn Fn() -> bool,
}

impl Search<'_> {
    fn key(&self, price: &Price, moves: u64) -> (u64, u64, u64, u64) {
        self.request.prefer.key(price, moves)
    }

    /// Returns the widths of the beams, narrow first, so that there is an answer early. Returns
    /// `[0]` if no lever that changes single buffers is allowed.
    pub fn widths(&self) -> &'static [usize] {
        let single = [Lever::Bank, Lever::Spill, Lever::Recompute];
        let has_single_levers = single.iter().any(|lever| self.request.has(*lever));
        if has_single_levers { &[1, 4, 32, MAX_STATES] } else { &[0] }
    }

    /// Extends `outcome` by a beam search of this width from `start`; width 0 examines `start`
    /// alone. Examines `start` even after the time limit if no earlier run has.
    ///
    /// Returns at once if `outcome` is exhausted, if the graph is too large for `width`, or if time
    /// is up, `width` is not 0 and some state has been examined.
    ///
    /// # Errors
    /// A graph without sizes, or a plan that breaks a rule.
    pub fn run(&self, start: &ChangedGraph, width: usize, outcome: &mut Outcome) -> Result<(), Message> {
        let is_wide = width > NARROW && width * start.graph.nodes.len() > MOST_WORK;
        // Some run examines `start` in any case: changes that cost nothing may be enough.
        let is_late = width > 0 && outcome.states > 0 && (self.stop)();
        if outcome.exhausted || is_wide || is_late {
            return Ok(());
        }
        outcome.exhausted = match width {
            0 => {
                let state = self.state(start.clone())?;
                self.examine(&state, outcome)?;
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
        let mut best = self.state(start)?;
        while best.peak > self.capacity && best.changed.changes.len() < DEEPEST {
            let mut next: Option<SearchState> = None;
            for state in self.successors(&best, &mut true)? {
                let key = |state: &SearchState| (self.excess(state), self.key(&state.changed.price, 0));
                let is_lower = self.excess(&state) < self.excess(&best);
                let is_better = is_lower && next.as_ref().is_none_or(|next| key(&state) < key(next));
                if is_better && self.overfull_memories(&state.changed)?.is_empty() {
                    next = Some(state);
                }
            }
            if (self.stop)() {
                return Ok(None);
            }
            let Some(next) = next else { break };
            best = next;
        }
        Ok(Some((best.peak, best.changed.price)))
    }

    /// Computes the storages, the merges and the largest load of a changed graph.
    ///
    /// # Errors
    /// A graph without sizes.
    pub fn state(&self, changed: ChangedGraph) -> Result<SearchState, Message> {
        let (net, merged) = read(&changed.graph, self.request)?;
        let peak = merged.load.iter().copied().max().unwrap_or(0);
        Ok(SearchState { changed, net, merged, peak })
    }

    /// Runs one beam. Returns true if it left no state out.
    fn beam(&self, start: &ChangedGraph, width: usize, outcome: &mut Outcome) -> Result<bool, Message> {
        let mut states = vec![self.state(start.clone())?];
        let mut is_whole = true;
        let mut seen: BTreeSet<Vec<String>> = BTreeSet::new();
        let mut examined = 0;
        for depth in 0.. {
            let mut next = Vec::new();
            for state in &states {
                if depth > 0 && (self.stop)() {
                    return Ok(false);
                }
                self.examine(state, outcome)?;
                examined += 1;
                if state.peak <= self.capacity {
                    continue;
                }
                if depth == DEEPEST || examined > MAX_STATES {
                    is_whole = false;
                    continue;
                }
                for after in self.successors(state, &mut is_whole)? {
                    let changed = &after.changed;
                    let mut name: Vec<String> =
                        changed.moves.iter().map(|one| format!("{:?}{:?}", one.why, one.tensors)).collect();
                    name.sort_unstable();
                    let is_dear = self.is_dear(&changed.price, changed.moves.len(), outcome);
                    if !is_dear && self.request.affords(&changed.price, self.graph_macs) && seen.insert(name) {
                        next.push(after);
                    }
                    if (self.stop)() {
                        return Ok(false);
                    }
                }
            }
            next.sort_by_key(|state| {
                (self.excess(state), self.key(&state.changed.price, state.changed.moves.len() as u64))
            });
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
    fn excess(&self, state: &SearchState) -> u64 {
        state.merged.load.iter().map(|load| load.saturating_sub(self.capacity)).fold(0, u64::saturating_add)
    }

    /// Plans the state if its load is within the capacity; otherwise, if the lever `stripes` is
    /// allowed, plans it with the cheapest ranges in stripes.
    fn examine(&self, state: &SearchState, outcome: &mut Outcome) -> Result<(), Message> {
        outcome.states += 1;
        let overfull = self.overfull_memories(&state.changed)?;
        let has_room = overfull.is_empty();
        if !has_room {
            outcome.overfull_memories.extend(overfull);
        } else if state.peak > self.capacity {
            outcome.least = outcome.least.min(state.peak);
        }
        if state.peak <= self.capacity {
            let missing = self.offer(&Way::default(), state, outcome)?;
            outcome.has_unplanned |= missing.is_some();
            return Ok(());
        }
        if !self.request.has(Lever::Stripes) {
            return Ok(());
        }
        let mut ranges = Ranges::new(&state.net, &state.merged);
        let mut capacity = self.capacity;
        let affords = |price: &Price| self.request.affords(&state.changed.price.plus(*price), self.graph_macs);
        // A plan may need more bytes than the load. So the limit of the load is lowered by the
        // missing bytes, then by 2, 4, … times the missing bytes, in at most 8 attempts.
        for times in 0..8 {
            let way = ranges.cheapest(capacity, &|price, moves| self.key(price, moves), self.stop);
            let Some(way) = way.filter(|way| affords(&way.price)) else {
                let is_first = capacity == self.capacity;
                if has_room && is_first && state.net.ops.len() <= MOST_OPERATORS && !(self.stop)() {
                    let least = if self.has_price_limit() {
                        ranges.least_affordable(&|price, moves| self.key(price, moves), &affords, self.stop)
                    } else {
                        ranges.least(self.stop)
                    };
                    let least = least.filter(|least| *least > self.capacity);
                    outcome.least = outcome.least.min(least.unwrap_or(u64::MAX));
                }
                return Ok(());
            };
            let Some(missing) = self.offer(&way, state, outcome)? else { return Ok(()) };
            capacity = capacity.saturating_sub(missing.saturating_mul(1 << times));
            outcome.has_unplanned = true;
        }
        Ok(())
    }

    /// Returns true if the request limits a price.
    fn has_price_limit(&self) -> bool {
        self.request.limits != Bounds::default()
    }

    /// Returns the slower memories that are too small for the storages that the changes move there.
    fn overfull_memories(&self, changed: &ChangedGraph) -> Result<Vec<String>, Message> {
        let mut overfull = Vec::new();
        for memory in self.request.budget.memories.iter().skip(1) {
            let graph = &changed.graph;
            if graph.devices.iter().any(|name| *name == memory.name) {
                let is_there = |tensor| graph.devices[graph.tensors[tensor].device] == memory.name;
                let net = Net::of(graph, &self.request.scope, &is_there).map_err(|_| Message::new("fit.no-room"))?;
                if net.plain().load.into_iter().any(|load| load > memory.size) {
                    overfull.push(memory.name.clone());
                }
            }
        }
        Ok(overfull)
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
        let mut state = self.state(start.clone())?;
        let is_single = |record: &&MoveRecord| record.lever != Lever::Stripes.name();
        let single: Vec<&MoveRecord> = records[given..].iter().take_while(is_single).collect();
        for &record in &single {
            let is_recorded = |state: &SearchState| state.changed.moves.last().is_some_and(|own| own.is_like(record));
            let Some(next) = self.successors(&state, &mut true)?.into_iter().find(is_recorded) else { return Ok(None) };
            state = next;
        }
        let ranges = &records[given + single.len()..];
        let Some(way) = self.recorded_way(&state, ranges) else { return Ok(None) };
        let price = state.changed.price.plus(way.price);
        if !self.request.affords(&price, self.graph_macs) {
            return Ok(None);
        }
        let (own, made): (Vec<_>, Vec<_>) = self.stripe_records(&state, &way.blocks).into_iter().unzip();
        if own.len() != ranges.len() || !own.iter().zip(ranges).all(is_same) {
            return Ok(None);
        }
        let graph = striped(&state.changed.graph, &state.net, &state.merged, &way.blocks);
        let finished =
            finish(&graph, self.request, self.capacity, self.stop)?.filter(|found| found.peak <= self.capacity);
        let moves = state.changed.moves.into_iter().chain(own).collect();
        let changes = state.changed.changes.into_iter().chain(made).collect();
        Ok(finished.map(|finished| Best { finished, price, moves, changes }))
    }

    /// Returns the way with the ranges in stripes that these records name; none if a range cannot
    /// run in so many stripes, or if two ranges overlap.
    fn recorded_way(&self, state: &SearchState, records: &[MoveRecord]) -> Option<Way> {
        let names: Vec<&str> = state.changed.graph.nodes.iter().map(|node| node.name.as_str()).collect();
        let mut ranges = Ranges::new(&state.net, &state.merged);
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
    fn offer(&self, way: &Way, state: &SearchState, outcome: &mut Outcome) -> Result<Option<u64>, Message> {
        let changed = &state.changed;
        let price = changed.price.plus(way.price);
        if self.is_dear(&price, changed.moves.len() + way.blocks.len(), outcome)
            || !self.request.affords(&price, self.graph_macs)
        {
            return Ok(None);
        }
        let graph = striped(&changed.graph, &state.net, &state.merged, &way.blocks);
        let Some(finished) = finish(&graph, self.request, self.capacity, self.stop)? else {
            // The plan is too large for a slower memory, although the load may fit there.
            outcome.has_unplanned = true;
            return Ok(None);
        };
        outcome.least = outcome.least.min(finished.peak);
        if finished.peak > self.capacity {
            return Ok(Some(finished.peak - self.capacity));
        }
        let (mut moves, mut changes) = (changed.moves.clone(), changed.changes.clone());
        let (records, made): (Vec<_>, Vec<_>) = self.stripe_records(state, &way.blocks).into_iter().unzip();
        moves.extend(records);
        changes.extend(made);
        outcome.best = Some(Best { finished, price, moves, changes });
        Ok(None)
    }

    /// Returns the record and the change of each range in stripes, that of the fullest step first.
    fn stripe_records(&self, state: &SearchState, blocks: &[Block]) -> Vec<(MoveRecord, GraphChange)> {
        let SearchState { changed, merged, .. } = state;
        let mut load = merged.load.clone();
        let most = |load: &[u64]| load.iter().copied().max().unwrap_or(0);
        let mut order: Vec<&Block> = blocks.iter().collect();
        order.sort_by_key(|block| std::cmp::Reverse(most(&merged.load[block.first..=block.last])));
        let name = |step: usize| changed.graph.nodes[NodeId::from_index(step)].name.clone();
        let record = |block: &Block| {
            let before = most(&load);
            load[block.first..=block.last].iter_mut().for_each(|load| *load = block.peak);
            let record = MoveRecord {
                lever: Lever::Stripes.name().to_string(),
                ops: vec![name(block.first), name(block.last)],
                stripes: block.stripes,
                tensors: Vec::new(),
                peak: Peaks { before, after: most(&load) },
                price: PriceRecord::of(&block.price, self.graph_macs),
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
        let range = ranges.range(block.first, block.last);
        if let Some((range, schedule)) = range.and_then(|range| range.schedule(block.height).map(|rows| (range, rows)))
        {
            wholes.push(range.whole().to_vec());
            schedules.push((*block, schedule));
        }
    }
    into_stripes(graph, &schedules, &wholes)
}
