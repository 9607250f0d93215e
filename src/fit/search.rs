//! Changes together: from every state the ones that relieve the fullest step over the capacity, and stripes of what is left.

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
    /// The same, to be made again.
    pub steps: Vec<GraphChange>,
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
    /// The same, to be made again.
    pub steps: Vec<GraphChange>,
}

/// What a search gives.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The cheapest answer; none if none was found.
    pub best: Option<Best>,
    /// Least that was found: peaks of plans, and loads of states that no plan can bring within the capacity.
    pub least: u64,
    /// Slower memories that were too small for what was moved there.
    pub small: BTreeSet<String>,
    /// States looked at.
    pub states: u64,
    /// Whether every state was looked at.
    pub exhausted: bool,
    /// Whether some stripes fit by their load and had no plan: something cheaper may fit.
    pub is_tightened: bool,
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
            is_tightened: false,
        }
    }
}

/// Most changes of single storages in one answer.
const DEEPEST: usize = 64;
/// Most states of a search that looks at everything.
const ALL: usize = 2000;

/// A state with what the search reads of it.
pub struct Read {
    /// The state.
    pub state: ChangedGraph,
    /// Its storages.
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

    /// Widths of the beams over changes of single storages, narrow first, so that there is an answer early; the last looks at all
    /// states. One that looks at no such change if none is allowed.
    pub fn widths(&self) -> &'static [usize] {
        let rests = [Lever::Bank, Lever::Spill, Lever::Recompute].iter().any(|lever| self.request.has(*lever));
        if rests { &[1, 4, 32, ALL] } else { &[0] }
    }

    /// Looks for the cheapest changes of `start` with a beam of this width, beyond what `outcome` has. Nothing is looked for if
    /// everything has been, if the graph is too large for the width, or if time is up.
    ///
    /// # Errors
    /// A graph without sizes, or a plan that breaks a rule.
    pub fn run(&self, start: &ChangedGraph, width: usize, outcome: &mut Outcome) -> Result<(), Message> {
        let is_wide = width > 4 && width * start.graph.nodes.len() > 40_000;
        if outcome.exhausted || is_wide || (width > 0 && (self.stop)()) {
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

    /// The peak that single changes reach one after the other, each the one that relieves the fullest steps most, and their price:
    /// what a lever does without others, not the best that it could do.
    ///
    /// # Errors
    /// A graph without sizes.
    pub fn greedy(&self, graph: &Graph) -> Result<(u64, Price), Message> {
        let start =
            ChangedGraph { graph: graph.clone(), price: Price::default(), moves: Vec::new(), steps: Vec::new() };
        let mut best = self.read(start)?;
        while best.peak > self.capacity && best.state.steps.len() < DEEPEST && !(self.stop)() {
            let mut next: Option<Read> = None;
            for state in self.moves(&best, &mut true) {
                let read = self.read(state)?;
                let key = |read: &Read| (self.excess(read), self.key(&read.state.price, 0));
                if self.excess(&read) < self.excess(&best) && next.as_ref().is_none_or(|next| key(&read) < key(next)) {
                    next = Some(read);
                }
            }
            let Some(next) = next else { break };
            best = next;
        }
        Ok((best.peak, best.state.price))
    }

    fn read(&self, state: ChangedGraph) -> Result<Read, Message> {
        let (net, merged) = read(&state.graph, self.request)?;
        let peak = merged.load.iter().copied().max().unwrap_or(0);
        Ok(Read { state, net, merged, peak })
    }

    /// One beam; whether it looked at everything.
    fn beam(&self, start: &ChangedGraph, width: usize, outcome: &mut Outcome) -> Result<bool, Message> {
        let mut states = vec![self.read(start.clone())?];
        let mut is_whole = true;
        let mut seen: BTreeSet<Vec<String>> = BTreeSet::new();
        let mut looked = 0;
        for depth in 0.. {
            let mut next = Vec::new();
            for read in &states {
                if (self.stop)() {
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
                for state in self.moves(read, &mut is_whole) {
                    let mut name: Vec<String> =
                        state.moves.iter().map(|one| format!("{:?}{:?}", one.why, one.tensors)).collect();
                    name.sort_unstable();
                    let moves = state.moves.len() as u64;
                    let is_dear = outcome.best.as_ref().is_some_and(|best| {
                        self.key(&state.price, moves) >= self.key(&best.price, best.moves.len() as u64)
                    });
                    if !is_dear && self.request.affords(&state.price, self.total) && seen.insert(name) {
                        next.push(self.read(state)?);
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
        Ok(is_whole)
    }

    /// Bytes over the capacity, summed over the steps: spread fullness counts as more than one full step.
    fn excess(&self, read: &Read) -> u64 {
        read.merged.load.iter().map(|load| load.saturating_sub(self.capacity)).fold(0, u64::saturating_add)
    }

    /// Offers a state as it is, and in stripes.
    fn look(&self, read: &Read, outcome: &mut Outcome) -> Result<(), Message> {
        outcome.states += 1;
        let small = self.small(&read.state)?;
        if !small.is_empty() {
            outcome.small.extend(small);
        } else if read.peak > self.capacity {
            outcome.least = outcome.least.min(read.peak);
        }
        if read.peak <= self.capacity {
            let gap = self.offer(&read.state, &Way::default(), read, outcome, self.capacity)?;
            outcome.is_tightened |= gap.is_some();
            return Ok(());
        }
        if !self.request.has(Lever::Stripes) {
            return Ok(());
        }
        let mut ranges = Ranges::new(&read.net, &read.merged);
        let mut capacity = self.capacity;
        let affords = |price: &Price| self.request.affords(&read.state.price.plus(*price), self.total);
        // Addresses may need more than the load: then the load is held lower, each time by twice as much.
        for times in 0..8 {
            let way = ranges.cheapest(capacity, &|price, moves| self.key(price, moves), self.stop);
            let Some(way) = way.filter(|way| affords(&way.price)) else {
                if capacity == self.capacity && read.net.ops.len() <= 2000 && !(self.stop)() {
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
            let Some(gap) = self.offer(&read.state, &way, read, outcome, self.capacity)? else { return Ok(()) };
            capacity = capacity.saturating_sub(gap << times);
            outcome.is_tightened = true;
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

    /// The state that these changes lead to, made again one after the other; none if one of them is none that may be made, or what
    /// comes out does not fit.
    ///
    /// # Errors
    /// A graph without sizes, or a plan that breaks a rule.
    pub fn redo(&self, start: &ChangedGraph, told: &[MoveRecord]) -> Result<Option<Best>, Message> {
        let is_free = |(own, told): (&MoveRecord, &MoveRecord)| own.is_like(told);
        let free = start.moves.len();
        if told.len() < free || !start.moves.iter().zip(told).all(is_free) {
            return Ok(None);
        }
        let mut read = self.read(start.clone())?;
        let is_single = |told: &&MoveRecord| told.lever != Lever::Stripes.name();
        let single: Vec<&MoveRecord> = told[free..].iter().take_while(is_single).collect();
        for &told in &single {
            let is_told = |state: &ChangedGraph| state.moves.last().is_some_and(|own| own.is_like(told));
            let Some(next) = self.moves(&read, &mut true).into_iter().find(is_told) else { return Ok(None) };
            read = self.read(next)?;
        }
        let told = &told[free + single.len()..];
        let Some(way) = self.way(&read, told) else { return Ok(None) };
        let price = read.state.price.plus(way.price);
        if !self.request.affords(&price, self.total) {
            return Ok(None);
        }
        let (own, made): (Vec<_>, Vec<_>) = self.told(&read.state, &read.merged, &way.blocks).into_iter().unzip();
        if own.len() != told.len() || !own.iter().zip(told).all(|(own, told)| own.is_like(told)) {
            return Ok(None);
        }
        let graph = striped(&read.state.graph, &read.net, &read.merged, &way.blocks);
        let finished =
            finish(&graph, self.request, self.capacity, self.stop)?.filter(|found| found.peak <= self.capacity);
        let moves = read.state.moves.into_iter().chain(own).collect();
        let steps = read.state.steps.into_iter().chain(made).collect();
        Ok(finished.map(|finished| Best { finished, price, moves, steps }))
    }

    /// The ranges in stripes that are told; none if one of them is none.
    fn way(&self, read: &Read, told: &[MoveRecord]) -> Option<Way> {
        let names: Vec<&str> = read.state.graph.nodes.iter().map(|node| node.name.as_str()).collect();
        let mut ranges = Ranges::new(&read.net, &read.merged);
        let mut way = Way::default();
        for told in told {
            let [first, last] = &told.ops[..] else { return None };
            let at = |wanted: &String| names.iter().position(|name| name == wanted);
            let block = ranges.in_stripes(at(first)?, at(last)?, told.stripes)?;
            way.price = way.price.plus(block.price);
            way.blocks.push(block);
        }
        way.blocks.sort_by_key(|block| block.first);
        way.blocks.windows(2).all(|pair| pair[0].last < pair[1].first).then_some(way)
    }

    /// Plans a state in these stripes and keeps it if it is the cheapest; the bytes that are missing if it does not fit.
    fn offer(
        &self,
        state: &ChangedGraph,
        way: &Way,
        read: &Read,
        outcome: &mut Outcome,
        capacity: u64,
    ) -> Result<Option<u64>, Message> {
        let price = state.price.plus(way.price);
        let moves = (state.moves.len() + way.blocks.len()) as u64;
        let is_dear = outcome
            .best
            .as_ref()
            .is_some_and(|best| self.key(&price, moves) >= self.key(&best.price, best.moves.len() as u64));
        if is_dear || !self.request.affords(&price, self.total) {
            return Ok(None);
        }
        let graph = striped(&state.graph, &read.net, &read.merged, &way.blocks);
        let Some(finished) = finish(&graph, self.request, capacity, self.stop)? else { return Ok(None) };
        outcome.least = outcome.least.min(finished.peak);
        if finished.peak > capacity {
            return Ok(Some(finished.peak - capacity));
        }
        let (mut moves, mut steps) = (state.moves.clone(), state.steps.clone());
        let (told, made): (Vec<_>, Vec<_>) = self.told(state, &read.merged, &way.blocks).into_iter().unzip();
        moves.extend(told);
        steps.extend(made);
        outcome.best = Some(Best { finished, price, moves, steps });
        Ok(None)
    }

    fn told(&self, state: &ChangedGraph, merged: &Merged, blocks: &[Block]) -> Vec<(MoveRecord, GraphChange)> {
        let mut load = merged.load.clone();
        let most = |load: &[u64]| load.iter().copied().max().unwrap_or(0);
        let mut order: Vec<&Block> = blocks.iter().collect();
        // The range of the fullest step comes first.
        order.sort_by_key(|block| std::cmp::Reverse(most(&merged.load[block.first..=block.last])));
        let name = |step: usize| state.graph.nodes[NodeId::from_index(step)].name.clone();
        let tell = |block: &Block| {
            let before = most(&load);
            load[block.first..=block.last].iter_mut().for_each(|load| *load = block.peak);
            let told = MoveRecord {
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
            (told, GraphChange::Stripes(*block))
        };
        order.into_iter().map(tell).collect()
    }
}

/// The graph with these ranges in stripes.
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
