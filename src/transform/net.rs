//! A graph as the search sees it: storages by index, their lives, and who may take over whose bytes.

use std::collections::BTreeMap;

use super::rows::{Layout, RowRule, macs, rule_of};
use crate::base::Id;
use crate::graph::{ExprError, Graph, Kind, Node, TensorId};
use crate::problem::{Scope, Views};

/// What one operator does to storages, which go by the index of the tensor that owns them.
#[derive(Clone, PartialEq, Debug)]
pub struct Op {
    /// Storages read, each once, without weights.
    pub reads: Vec<usize>,
    /// Storages made.
    pub makes: Vec<usize>,
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
        };
        for node in graph.nodes.iter() {
            let weights = node.inputs.iter().filter(|&&input| is_weight(input));
            let sizes: Result<Vec<u64>, ExprError> = weights.map(|&input| graph.bytes_of(input, &symbols)).collect();
            net.ops.push(net.op(graph, node, layout, sizes?.iter().sum(), &is_weight));
        }
        net.live(&to_end);
        Ok(net)
    }

    fn op(&self, graph: &Graph, node: &Node, layout: Layout, weights: u64, is_weight: &dyn Fn(TensorId) -> bool) -> Op {
        let at = |tensor: TensorId| self.root[tensor.index()];
        let mut reads: Vec<usize> = Vec::new();
        for &input in node.inputs.iter().filter(|&&input| !is_weight(input)) {
            if !reads.contains(&at(input)) {
                reads.push(at(input));
            }
        }
        let own = |output: &&TensorId| at(**output) == output.index();
        let makes: Vec<usize> = node.outputs.iter().filter(own).map(|output| output.index()).collect();
        let pairs = node.inplace.iter().filter_map(|&(input, output)| {
            let (input, output) = (*node.inputs.get(input as usize)?, *node.outputs.get(output as usize)?);
            (!is_weight(input) && at(input) != at(output)).then(|| (at(input), at(output)))
        });
        Op {
            pairs: pairs.collect(),
            macs: macs(graph, node, layout),
            weights,
            rule: rule_of(graph, node, layout),
            is_view: makes.is_empty() && !node.outputs.is_empty(),
            reads,
            makes,
        }
    }

    fn live(&mut self, to_end: &[bool]) {
        let steps = self.ops.len().max(1);
        let mut last: Vec<Option<usize>> = vec![None; self.bytes.len()];
        for (step, op) in self.ops.iter().enumerate() {
            op.reads.iter().chain(&op.makes).for_each(|&used| last[used] = Some(step));
            for &made in &op.makes {
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

    /// Storages as they are.
    pub fn plain(&self) -> Merged {
        let find = (0..self.bytes.len()).collect();
        let mut merged = Merged { find, life: self.life.clone(), pairs: Vec::new(), load: Vec::new() };
        merged.load = self.load(&merged);
        merged
    }

    /// Merges every pair that is permitted: the operator is the last to use the input, the sizes are equal, and the input is
    /// neither the caller's nor kept. Pairs are judged in the order of operators, and of an output's pairs the first does.
    pub fn merged(&self) -> Merged {
        let mut merged = self.plain();
        let mut taken = vec![false; self.bytes.len()];
        for (step, op) in self.ops.iter().enumerate() {
            for &(input, output) in &op.pairs {
                let (from, to) = (merged.find[input], merged.find[output]);
                if taken[output]
                    || to != output
                    || self.bytes[output] == 0
                    || self.refusal(&merged, step, (input, output)).is_some()
                {
                    continue;
                }
                taken[output] = true;
                let end = merged.life[from].1.max(merged.life[to].1);
                merged.life[from].1 = end;
                merged.life[to] = (0, 0);
                merged.find[output] = from;
                merged.pairs.push((step, input, output));
            }
        }
        merged.load = self.load(&merged);
        merged
    }

    /// Why a pair may not become one storage, as a key.
    pub fn refusal(&self, merged: &Merged, step: usize, (input, output): (usize, usize)) -> Option<&'static str> {
        let from = merged.find[input];
        let is_stripe = self.ops[step].rule == RowRule::Pinned("fit.pinned-op");
        let fits =
            if is_stripe { self.bytes[from] >= self.bytes[output] } else { self.bytes[from] == self.bytes[output] };
        if self.input[from] {
            Some("fit.refused-input")
        } else if self.kept[input] || self.kept[from] {
            Some("fit.refused-kept")
        } else if merged.life[from].1 != step + 1 {
            Some("fit.refused-later")
        } else if !fits {
            Some("fit.refused-size")
        } else {
            None
        }
    }

    fn load(&self, merged: &Merged) -> Vec<u64> {
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
        let mut uses = vec![Vec::new(); self.bytes.len()];
        for (step, op) in self.ops.iter().enumerate() {
            for &used in op.reads.iter().chain(&op.makes) {
                let list: &mut Vec<usize> = &mut uses[merged.find[used]];
                if list.last() != Some(&step) {
                    list.push(step);
                }
            }
        }
        uses
    }

    /// Multiplications of all operators.
    pub fn macs(&self) -> u64 {
        self.ops.iter().map(|op| op.macs).fold(0, u64::saturating_add)
    }

    /// Bytes of storages that an operator reads or makes, each once; with `merges`, as if every pair that the graph permits
    /// and whose sizes and owners allow it were one.
    pub fn working_set(&self, step: usize, merges: bool) -> Vec<(usize, bool)> {
        let op = &self.ops[step];
        let mut set: Vec<(usize, bool)> = op.reads.iter().map(|&read| (read, false)).collect();
        for &made in &op.makes {
            let may = |&&(input, output): &&(usize, usize)| {
                output == made && !self.input[input] && !self.kept[input] && self.bytes[input] == self.bytes[output]
            };
            if merges && op.pairs.iter().any(|pair| may(&pair)) {
                continue;
            }
            set.push((made, true));
        }
        set
    }
}
