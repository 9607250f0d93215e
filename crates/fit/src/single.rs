//! Changes of single buffers: out to a slower memory and back, into one for good, or made again.

use std::collections::BTreeSet;

use super::change::GraphChange;
use super::instance::Lever;
use super::record::{MoveRecord, Peaks, PriceRecord, Why};
use super::search::{ChangedGraph, Search, SearchState};
use crate::transform::{Net, Price, filled_from, written};
use memplan_core::base::{Id, Message};
use memplan_core::graph::{Attr, Graph, Kind, NodeId, TensorId};

/// Most changes tried of one state.
const MOST: usize = 24;

impl Search<'_> {
    /// Returns the states after each change of a single buffer that relieves the fullest step.
    /// `is_whole` becomes false if there were more than could be tried, or if time is up.
    ///
    /// # Errors
    /// A graph without sizes.
    pub fn successors(&self, state: &SearchState, is_whole: &mut bool) -> Result<Vec<SearchState>, Message> {
        let (net, merged) = (&state.net, &state.merged);
        let Some(step) = (0..merged.load.len()).rev().max_by_key(|&step| merged.load[step]) else {
            return Ok(Vec::new());
        };
        let uses = plain_uses(net);
        let graph = &state.changed.graph;
        // What is written into under its own name is no more what its maker made.
        let written: BTreeSet<usize> = (0..net.ops.len()).flat_map(|step| written(graph, net, step)).collect();
        let is_scratch: BTreeSet<usize> = net.ops.iter().filter_map(|op| op.scratch).collect();
        let mut alive: Vec<usize> = (0..net.bytes.len())
            .filter(|at| !is_scratch.contains(at))
            .filter(|&at| net.bytes[at] > 0 && net.life[at].0 <= step && step < net.life[at].1)
            .collect();
        alive.sort_by_key(|&at| (std::cmp::Reverse(net.bytes[at]), at));
        *is_whole &= alive.len() <= MOST;
        alive.truncate(MOST);
        // A graph without operators has loads all the same.
        let pairs = net.ops.get(step).map_or(&[][..], |op| &op.pairs[..]);
        let mut found = Vec::new();
        for at in alive {
            if !found.is_empty() && (self.stop)() {
                *is_whole = false;
                break;
            }
            let tensor = TensorId::from_index(at);
            let before = uses[at].iter().copied().take_while(|&used| used < step).last();
            let after = uses[at].iter().copied().find(|&used| used > step);
            let rests = !uses[at].contains(&step);
            // Readers of a view do not read the tensor itself.
            let is_viewed =
                written.contains(&at) || net.root.iter().enumerate().any(|(view, &root)| root == at && view != at);
            // What lies in a concatenation stays there: it moves or is made again only before that
            // is complete.
            let join = net.part_of[at].and_then(|whole| net.maker[whole]);
            let after = after.filter(|&next| join.is_none_or(|join| next <= join));
            // What was brought back may be overwritten at once, which the caller's own may not.
            let is_given =
                |&(input, output): &(usize, usize)| input == at && net.input[at] && net.size(at) == net.bytes[output];
            let gives = self.request.has(Lever::InPlace) && after.is_none() && pairs.iter().any(is_given);
            let back = after.filter(|_| rests).or(gives.then_some(step));
            for memory in self.request.budget.memories.iter().skip(1) {
                if self.request.has(Lever::Bank) && join.is_none() && may_lie_in(graph, &uses[at], &memory.name) {
                    found.push(self.banked(state, at, &uses[at], memory.name.clone(), memory.cost)?);
                }
                let Some(next) = back.filter(|_| !is_viewed && self.request.has(Lever::Spill)) else {
                    continue;
                };
                if let Some(last) = before {
                    found.push(self.spilled(state, tensor, (last, next), &memory.name)?);
                }
            }
            let clone = (rests && !is_viewed && self.request.has(Lever::Recompute)).then_some(()).and(net.maker[at]);
            if let (Some(maker), Some(next)) = (clone, after)
                && maker != step
            {
                found.extend(self.cloned(state, maker, next, tensor)?);
            }
        }
        Ok(found)
    }

    fn change(
        &self,
        state: &SearchState,
        step: GraphChange,
        price: Price,
        mut move_record: MoveRecord,
    ) -> Result<SearchState, Message> {
        let graph = step.apply(&state.changed.graph);
        let price_so_far = state.changed.price.plus(price);
        let (moves, mut changes) = (state.changed.moves.clone(), state.changed.changes.clone());
        changes.push(step);
        let mut after = self.state(ChangedGraph { graph, price: price_so_far, moves, changes })?;
        move_record.peak = Peaks { before: state.peak, after: after.peak };
        move_record.price = PriceRecord::of(&price, self.graph_macs);
        after.changed.moves.push(move_record);
        Ok(after)
    }

    fn spilled(
        &self,
        state: &SearchState,
        tensor: TensorId,
        (last, next): (usize, usize),
        memory: &str,
    ) -> Result<SearchState, Message> {
        let old = &state.changed.graph;
        let bytes = state.net.bytes[tensor.index()];
        let is_given = old.tensors[tensor].kind == Kind::Input;
        let is_there = is_given || filled_from(old, tensor).is_some();
        let moved = if is_there { bytes } else { bytes.saturating_mul(2) };
        let (name, from, to) = (old.tensors[tensor].name.clone(), node(old, last), node(old, next));
        let move_record = MoveRecord {
            lever: Lever::Spill.name().to_string(),
            ops: vec![from.clone(), to.clone()],
            tensors: vec![name.clone()],
            why: Why::new(
                if is_given { "fit.move-fill" } else { "fit.move-spill" },
                &[("name", name), ("first", from), ("last", to), ("memory", memory.to_string())],
            ),
            ..MoveRecord::default()
        };
        let step = GraphChange::Spill(tensor, last, next, memory.to_string());
        self.change(state, step, Price { bytes: moved, ..Price::default() }, move_record)
    }

    fn banked(
        &self,
        state: &SearchState,
        at: usize,
        uses: &[usize],
        memory: String,
        cost: u64,
    ) -> Result<SearchState, Message> {
        let old = &state.changed.graph;
        let tensors: Vec<TensorId> = old.tensors.ids().filter(|tensor| state.net.root[tensor.index()] == at).collect();
        let fast = self.request.budget.memories.first().map_or(1, |memory| memory.cost);
        let moved = state.net.bytes[at].saturating_mul(uses.len() as u64).saturating_mul(cost.saturating_sub(fast));
        let name = old.tensors[TensorId::from_index(at)].name.clone();
        let move_record = MoveRecord {
            lever: Lever::Bank.name().to_string(),
            tensors: vec![name.clone()],
            why: Why::new("fit.move-bank", &[("name", name), ("memory", memory.clone())]),
            ..MoveRecord::default()
        };
        self.change(state, GraphChange::Bank(tensors, memory), Price { bytes: moved, ..Price::default() }, move_record)
    }

    fn cloned(
        &self,
        state: &SearchState,
        maker: usize,
        next: usize,
        tensor: TensorId,
    ) -> Result<Option<SearchState>, Message> {
        let old = &state.changed.graph;
        let original = &old.nodes[NodeId::from_index(maker)];
        let op = &state.net.ops[maker];
        let copies = original.op.starts_with("memplan.") || original.aliases().next().is_some();
        if !original.is_pure() || copies || original.results().len() != 1 || original.inputs.is_empty() {
            return Ok(None);
        }
        // The clone would read what was written in between.
        let is_overwritten = |step| written(old, &state.net, step).iter().any(|at| op.operands.contains(at));
        if (maker + 1..next).any(is_overwritten) {
            return Ok(None);
        }
        let made = op.result().map_or(0, |result| state.net.size(result));
        let moved = if op.macs == 0 { state.net.sum(op.reads.iter().copied()).saturating_add(made) } else { 0 };
        let (name, from, to) = (old.tensors[tensor].name.clone(), original.name.clone(), node(old, next));
        let move_record = MoveRecord {
            lever: Lever::Recompute.name().to_string(),
            ops: vec![from.clone(), to.clone()],
            tensors: vec![name.clone()],
            why: Why::new("fit.move-recompute", &[("name", name), ("first", from), ("last", to)]),
            ..MoveRecord::default()
        };
        let price = Price { macs: op.macs, bytes: moved, weights: op.weights };
        self.change(state, GraphChange::Again(maker, next), price, move_record).map(Some)
    }
}

fn node(graph: &Graph, step: usize) -> String {
    graph.nodes[NodeId::from_index(step)].name.clone()
}

/// Whether every operator that uses a storage may address a memory: its attribute `memories` lists
/// those that it may.
pub fn may_lie_in(graph: &Graph, uses: &[usize], memory: &str) -> bool {
    uses.iter()
        .all(|&step| graph.nodes[NodeId::from_index(step)].attrs.get("memories").is_none_or(|attr| lists(attr, memory)))
}

/// Whether a list of names has this one. Names may have blanks; what is no list of JSON is parted
/// by commas.
fn lists(attr: &Attr, name: &str) -> bool {
    let (Attr::Text(text) | Attr::Json(text)) = attr;
    match serde_json::from_str::<Vec<String>>(text) {
        Ok(names) => names.iter().any(|one| one == name),
        Err(_) => text.split([',', '[', ']']).any(|one| one.trim().trim_matches('"') == name),
    }
}

/// Steps that use each storage before anything is merged, ascending.
fn plain_uses(net: &Net) -> Vec<Vec<usize>> {
    net.uses(&net.plain())
}
