//! A graph as the search sees it: storages by index, their lives, and who may take over whose
//! bytes.

use std::collections::{BTreeMap, BTreeSet};

use super::macs::macs;
use super::rows::{Layout, RowRule, rule_of};
use memplan_core::base::Id;
use memplan_core::graph::{ExprError, Graph, Kind, Node, TensorId};
use memplan_core::problem::{Scope, Views, joined};

/// What one operator does to storages, which go by the index of the tensor that owns them.
#[derive(Clone, PartialEq, Debug)]
pub struct Op {
    /// Storages read, each once, without weights; of a concatenation in parts those of its parts.
    pub reads: Vec<usize>,
    /// The same with the concatenation in place of its parts.
    pub operands: Vec<usize>,
    /// Storages made, with the scratch of the kernel.
    pub makes: Vec<usize>,
    /// The scratch of the kernel.
    pub scratch: Option<usize>,
    /// What it makes if it is a concatenation in parts: a tensor that owns no bytes, but is all of
    /// its parts.
    pub joins: Option<usize>,
    /// `(input, output)`: storages that may become one, as the graph permits.
    pub pairs: Vec<(usize, usize)>,
    /// Multiplications with addition.
    pub macs: u64,
    /// Bytes of weights that it reads.
    pub weights: u64,
    /// How its rows depend on rows of its inputs.
    pub rule: RowRule,
    /// Whether it only names storage that is there.
    pub is_view: bool,
}

impl Op {
    /// The tensor that it computes, if that is one: a concatenation in parts computes all of its
    /// parts.
    pub fn result(&self) -> Option<usize> {
        let mut made = self.makes.iter().copied().filter(|&made| Some(made) != self.scratch);
        match (made.next(), made.next()) {
            (Some(made), None) => Some(made),
            (None, None) => self.joins,
            _ => None,
        }
    }
}

/// A graph by storages.
#[derive(Clone, PartialEq, Debug)]
pub struct Net {
    /// One a node.
    pub ops: Vec<Op>,
    /// Bytes of each tensor that owns storage in the fast memory; 0 of what is not planned there.
    pub bytes: Vec<u64>,
    /// Rows of each tensor; 1 of those without.
    pub rows: Vec<u64>,
    /// The tensor that owns the storage of each.
    pub root: Vec<usize>,
    /// First step and the step after the last of each storage; empty of what is no storage.
    pub life: Vec<(usize, usize)>,
    /// The operator that makes each storage; none of graph inputs.
    pub maker: Vec<Option<usize>>,
    /// Whether the caller owns the storage or reads it at the end.
    pub kept: Vec<bool>,
    /// Whether the storage is that of a graph input.
    pub input: Vec<bool>,
    /// Of a concatenation in parts the storages of its parts, in order.
    pub parts: Vec<Vec<usize>>,
    /// The concatenation that a storage is a part of.
    pub part_of: Vec<Option<usize>>,
    /// Step after the last use of each storage by its own name; less than its life where a
    /// concatenation is read later.
    pub own_end: Vec<usize>,
    /// Outputs that may lie on a copy of a graph input, if that copy is made. Bounds hold for that,
    /// too; no plan has it.
    pub loose: BTreeSet<usize>,
}

/// Storages after outputs took over the bytes of inputs that end there.
#[derive(Clone, PartialEq, Debug)]
pub struct Merged {
    /// The storage that each became part of.
    pub find: Vec<usize>,
    /// Lives of those that remain.
    pub life: Vec<(usize, usize)>,
    /// `(step, input, output)` of every pair that was merged.
    pub pairs: Vec<(usize, usize, usize)>,
    /// Bytes alive at every step.
    pub load: Vec<u64>,
    /// Concatenations in parts that stand in the way of a pair in this order, or whose living parts
    /// are not side by side.
    pub clashes: Vec<usize>,
    /// Whether outputs may take over inputs; stripes follow it.
    pub overwrites: bool,
}

impl Net {
    /// Reads a graph. `fast` names the memory whose bytes count.
    ///
    /// # Errors
    /// When a size has no value.
    pub fn of(graph: &Graph, scope: &Scope, fast: &dyn Fn(TensorId) -> bool) -> Result<Net, ExprError> {
        let layout = Layout::of(graph);
        let symbols: BTreeMap<String, u64> = graph.symbol_values(&scope.symbols);
        let count = graph.tensors.len();
        let mut root: Vec<usize> = (0..count).collect();
        if scope.views == Views::Share {
            for node in graph.nodes.iter() {
                for (input, output) in node.aliases() {
                    root[output.index()] = root[input.index()];
                }
            }
        }
        let mut kind: Vec<Kind> = graph.tensors.iter().map(|tensor| tensor.kind).collect();
        let mut to_end = vec![false; count];
        for (id, tensor) in graph.tensors.enumerate() {
            let at = root[id.index()];
            to_end[at] |= matches!(tensor.kind, Kind::Output | Kind::Weight);
            if tensor.kind == Kind::Output && kind[at] == Kind::Intermediate {
                kind[at] = Kind::Output;
            }
        }
        let mut bytes = vec![0; count];
        let mut rows = vec![1; count];
        for id in graph.tensors.ids() {
            let at = id.index();
            rows[at] = super::rows_of(graph, id, layout).unwrap_or(1);
            if root[at] == at && scope.wants(kind[at]) && fast(id) {
                bytes[at] = graph.bytes_of(id, &symbols)?;
            }
        }
        let mut parts = vec![Vec::new(); count];
        let mut part_of = vec![None; count];
        let owner = |tensor: TensorId| TensorId::from_index(root[tensor.index()]);
        let found = if scope.views == Views::Share { joined(graph, &owner, &symbols, scope.align) } else { Vec::new() };
        for one in found {
            let whole = one.whole.index();
            bytes[whole] = 0;
            for part in one.parts.iter().map(|(part, ..)| part.index()) {
                to_end[part] = to_end[whole];
                part_of[part] = Some(whole);
                parts[whole].push(part);
                if !scope.wants(kind[whole]) {
                    bytes[part] = 0;
                }
            }
        }
        let is_weight = |tensor: TensorId| kind[root[tensor.index()]] == Kind::Weight;
        let mut net = Net {
            ops: Vec::with_capacity(graph.nodes.len()),
            bytes,
            rows,
            life: vec![(0, 0); count],
            maker: vec![None; count],
            kept: to_end.clone(),
            input: kind.iter().map(|kind| *kind == Kind::Input).collect(),
            root: root.clone(),
            parts,
            part_of,
            own_end: vec![0; count],
            loose: BTreeSet::new(),
        };
        for node in graph.nodes.iter() {
            let weights = node.inputs.iter().filter(|&&input| is_weight(input));
            let sizes: Result<Vec<u64>, ExprError> = weights.map(|&input| graph.bytes_of(input, &symbols)).collect();
            net.ops.push(net.op(graph, node, layout, sizes?.into_iter().fold(0, u64::saturating_add), &is_weight));
        }
        net.live(&to_end);
        Ok(net)
    }

    fn op(&self, graph: &Graph, node: &Node, layout: Layout, weights: u64, is_weight: &dyn Fn(TensorId) -> bool) -> Op {
        let at = |tensor: TensorId| self.root[tensor.index()];
        let operands = each_once(node.inputs.iter().filter(|&&input| !is_weight(input)).map(|&input| at(input)));
        let reads = each_once(operands.iter().flat_map(|read| self.owners(read)).copied());
        let own = |output: &&TensorId| at(**output) == output.index();
        let made = node.outputs.iter().filter(own).map(|output| output.index());
        let (joins, makes): (Vec<usize>, Vec<usize>) = made.partition(|&made| !self.parts[made].is_empty());
        let scratch = node.scratch().map(|scratch| scratch.index());
        let pairs = node.inplace.iter().filter_map(|&(input, output)| {
            let (input, output) = (*node.inputs.get(input as usize)?, *node.results().get(output as usize)?);
            // What already lies on an input is no storage of its own.
            let is_own = at(output) == output.index();
            (!is_weight(input) && is_own && at(input) != at(output)).then(|| (at(input), at(output)))
        });
        Op {
            pairs: pairs.collect(),
            macs: macs(graph, node, layout),
            weights,
            rule: rule_of(graph, node, layout),
            is_view: makes.iter().all(|&made| Some(made) == scratch) && !node.results().is_empty(),
            scratch,
            reads,
            operands,
            makes,
            joins: joins.first().copied(),
        }
    }

    /// The storages whose bytes a tensor that owns its storage has: its own, or those of its parts.
    fn owners<'a>(&'a self, at: &'a usize) -> &'a [usize] {
        if self.parts[*at].is_empty() { std::slice::from_ref(at) } else { &self.parts[*at] }
    }

    /// Bytes of a tensor that owns its storage, or is all of its parts.
    pub fn size(&self, at: usize) -> u64 {
        self.sum(self.owners(&at).iter().copied())
    }

    /// Bytes of storages together.
    pub fn sum(&self, storages: impl Iterator<Item = usize>) -> u64 {
        storages.map(|at| self.bytes[at]).fold(0, u64::saturating_add)
    }

    /// The same after merging: the storages that hold it.
    pub fn holders(&self, merged: &Merged, at: usize) -> Vec<usize> {
        self.owners(&merged.find[at]).iter().map(|&owner| merged.find[owner]).collect()
    }

    fn live(&mut self, to_end: &[bool]) {
        let steps = self.ops.len().max(1);
        let mut last: Vec<Option<usize>> = vec![None; self.bytes.len()];
        for (step, op) in self.ops.iter().enumerate() {
            op.operands.iter().chain(&op.makes).chain(&op.joins).for_each(|&used| {
                self.own_end[used] = step + 1;
                last[used] = Some(step);
            });
            op.reads.iter().for_each(|&used| last[used] = Some(step));
            for &made in op.makes.iter().chain(&op.joins) {
                self.maker[made] = Some(step);
            }
        }
        for at in 0..self.bytes.len() {
            if self.root[at] == at {
                let start = self.maker[at].unwrap_or(0);
                let end = if to_end[at] { steps } else { last[at].unwrap_or(start) + 1 };
                self.life[at] = (start, end.max(start + 1));
            }
        }
    }

    pub(super) fn load(&self, merged: &Merged) -> Vec<u64> {
        let mut change = vec![0i128; self.ops.len().max(1) + 1];
        for (at, &(start, end)) in merged.life.iter().enumerate() {
            if start < end {
                change[start] += i128::from(self.bytes[at]);
                change[end] -= i128::from(self.bytes[at]);
            }
        }
        let mut now = 0;
        change.pop();
        change
            .into_iter()
            .map(|change| {
                now += change;
                u64::try_from(now).unwrap_or(u64::MAX)
            })
            .collect()
    }

    /// Steps that use a storage after merging, ascending.
    pub fn uses(&self, merged: &Merged) -> Vec<Vec<usize>> {
        let mut uses: Vec<Vec<usize>> = vec![Vec::new(); self.bytes.len()];
        for (step, op) in self.ops.iter().enumerate() {
            for &used in op.reads.iter().chain(&op.makes) {
                for holder in self.holders(merged, used) {
                    if uses[holder].last() != Some(&step) {
                        uses[holder].push(step);
                    }
                }
            }
        }
        uses
    }

    /// Multiplications of all operators.
    pub fn macs(&self) -> u64 {
        self.ops.iter().map(|op| op.macs).fold(0, u64::saturating_add)
    }

    /// Bytes of storages that an operator reads or makes, each once; with `merges`, as if every
    /// pair that the graph permits and whose sizes and owners allow it were one. If storages may
    /// leave and come back (`returns`), a graph input that another operator reads as well may be a
    /// copy here, which is not the caller's.
    pub fn working_set(&self, step: usize, merges: bool, returns: bool) -> Vec<(usize, bool)> {
        let op = &self.ops[step];
        let mut set: Vec<(usize, bool)> = op.reads.iter().map(|&read| (read, false)).collect();
        for &made in &op.makes {
            let may = |&&(input, output): &&(usize, usize)| {
                // A part is not kept by itself: what takes it over may be away before the output of
                // the concatenation is complete.
                let is_kept = self.kept[input] && self.part_of[input].is_none();
                let is_callers = self.input[input] && !(returns && self.is_read_besides(input, step));
                output == made && !is_callers && !is_kept && self.size(input) == self.bytes[output]
            };
            if merges && (self.loose.contains(&made) || op.pairs.iter().any(|pair| may(&pair))) {
                continue;
            }
            set.push((made, true));
        }
        set
    }

    /// Whether another operator than that of a step reads a storage.
    fn is_read_besides(&self, at: usize, step: usize) -> bool {
        self.ops.iter().enumerate().any(|(other, op)| other != step && op.reads.contains(&at))
    }
}

/// The same numbers in the same order, each where it comes first.
fn each_once(numbers: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut seen = BTreeSet::new();
    numbers.filter(|&number| seen.insert(number)).collect()
}
