//! Stripes: a range of operators runs several times, each time for some rows of its result. What is
//! read from outside and what is read later stay whole; everything else exists a stripe at a time.

use std::collections::{BTreeMap, BTreeSet};

use super::rows::{Layout, RowRule, Rows, rows_of, rule_of};
use super::{Merged, Net, Op, Price};
use memplan_core::base::Id;
use memplan_core::graph::{Attr, Dim, Graph, Kind, Node, Tensor, TensorId};

/// Most operators of a range.
pub const LONGEST: usize = 28;

/// A range of operators in stripes of one height.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// First operator.
    pub first: usize,
    /// Last operator.
    pub last: usize,
    /// Rows of a stripe; the last may have fewer. 0 = not in stripes.
    pub height: u64,
    /// Number of stripes.
    pub stripes: u64,
    /// Most bytes alive at once while it runs.
    pub peak: u64,
    /// What it costs.
    pub price: Price,
}

/// Heights of stripes with different numbers of stripes, from two stripes to one row each.
pub fn heights(rows: u64) -> Vec<u64> {
    let mut heights: Vec<u64> = Vec::new();
    let mut height = rows.div_ceil(2);
    while height >= 1 {
        heights.push(height);
        // The next smaller height that makes more stripes.
        let stripes = rows.div_ceil(height);
        let next = rows.div_ceil(stripes + 1).min(height - 1);
        height = next;
    }
    heights
}

/// What the blocks of a range depend on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Likeness {
    ops: Vec<OpLikeness>,
    ending: Vec<(usize, u64)>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct OpLikeness {
    rule: RowRule,
    figures: [u64; 5],
    whole: bool,
    /// Positions and rows of what it reads of the range, and of what it may overwrite.
    reads: Vec<(usize, u64)>,
    donors: Vec<(usize, u64)>,
}

/// A range of operators that may run in stripes.
pub struct StripeRange<'a> {
    net: &'a Net,
    first: usize,
    last: usize,
    /// Bytes of storages that rest or stay through the whole range.
    through: u64,
    /// Storages from outside that the range uses last: the operator that does, and the bytes.
    ending: Vec<(usize, u64)>,
    /// Positions in the range of the operators whose tensors each operator reads, and of those
    /// whose tensors it may overwrite.
    reads: Vec<Vec<usize>>,
    donors: Vec<Vec<usize>>,
    /// Whether the tensor that each operator makes stays whole.
    whole: Vec<bool>,
    /// The tensor that each operator makes. A concatenation in stripes copies, whatever it does
    /// elsewhere.
    outputs: Vec<usize>,
    /// Bytes of what each operator makes.
    bytes: Vec<u64>,
    /// Bytes of scratch of each, which every stripe needs whole.
    scratch: Vec<u64>,
    /// Whether outputs may take over inputs.
    overwrites: bool,
}

impl<'a> StripeRange<'a> {
    /// Returns the range from `first` to `last`; none if an operator of it has no row rule, or does
    /// not compute exactly one tensor. `alive` lists the storages alive at `first`.
    pub fn new(net: &'a Net, merged: &Merged, alive: &[usize], first: usize, last: usize) -> Option<StripeRange<'a>> {
        let range = &net.ops[first..=last];
        let outputs: Vec<usize> = range.iter().map(Op::result).collect::<Option<_>>()?;
        let scratch = range.iter().map(|op| op.scratch.map_or(0, |scratch| net.bytes[scratch])).collect();
        if range.iter().any(|op| matches!(op.rule, RowRule::Pinned(_))) {
            return None;
        }
        let made: BTreeMap<usize, usize> =
            outputs.iter().enumerate().map(|(position, &output)| (output, position)).collect();
        let inside = |used: &usize| made.get(used).copied();
        let reads = range.iter().map(|op| op.operands.iter().filter_map(inside).collect()).collect();
        let donors = range.iter().map(|op| op.pairs.iter().filter_map(|(input, _)| inside(input)).collect()).collect();
        let bytes = outputs.iter().map(|&output| net.size(output)).collect();
        let (through, ending, whole, overwrites) = (0, Vec::new(), Vec::new(), merged.overwrites);
        let mut range = StripeRange {
            net,
            first,
            last,
            through,
            ending,
            reads,
            donors,
            whole,
            outputs,
            bytes,
            scratch,
            overwrites,
        };
        let stays = |(position, &output): (usize, &usize)| first + position == last || range.end(output) > last + 1;
        range.whole = range.outputs.iter().enumerate().map(stays).collect();
        range.outside(merged, alive);
        Some(range)
    }

    /// Step after the last use of a tensor. A part of a concatenation that copies, because it runs
    /// in the range, ends by itself. What the caller gets is used after the last operator, even if
    /// the range ends with that.
    fn end(&self, tensor: usize) -> usize {
        let is_copied = self.net.part_of[tensor].is_some_and(|whole| self.outputs.contains(&whole));
        match is_copied {
            true => self.net.own_end[tensor],
            false if self.net.kept[tensor] => usize::MAX,
            false => self.net.life[tensor].1,
        }
    }

    /// What of the storages alive before the range stays alive in it. `alive` lists the storages
    /// alive at the first operator.
    fn outside(&mut self, merged: &Merged, alive: &[usize]) {
        // The end of each storage as far as it holds tensors that were made before the range.
        let mut ends: BTreeMap<usize, usize> = BTreeMap::new();
        for &tensor in alive {
            let is_before = self.net.maker[tensor].is_none_or(|maker| maker < self.first);
            let own = self.end(tensor);
            if is_before && own > self.first {
                for holder in self.net.holders(merged, tensor) {
                    let end = ends.entry(holder).or_insert(0);
                    *end = (*end).max(own);
                }
            }
        }
        for (storage, end) in ends {
            let bytes = self.net.bytes[storage];
            if end > self.last + 1 {
                self.through = self.through.saturating_add(bytes);
            } else {
                self.ending.push((end - 1 - self.first, bytes));
            }
        }
    }

    /// Bytes of storages that stay through the whole range: every peak of it has them.
    pub fn through(&self) -> u64 {
        self.through
    }

    /// Returns all that the blocks of a range depend on except its first operator and
    /// [`StripeRange::through`]: equal ranges have equal ones.
    pub fn likeness(&self) -> Likeness {
        let with_rows =
            |makers: &[usize]| makers.iter().map(|&maker| (maker, self.net.rows[self.outputs[maker]])).collect();
        let op = |(position, op): (usize, &Op)| OpLikeness {
            rule: op.rule,
            figures: [
                op.macs,
                op.weights,
                self.bytes[position],
                self.scratch[position],
                self.net.rows[self.outputs[position]],
            ],
            whole: self.whole[position],
            reads: with_rows(&self.reads[position]),
            donors: with_rows(&self.donors[position]),
        };
        let range = &self.net.ops[self.first..=self.last];
        Likeness { ops: range.iter().enumerate().map(op).collect(), ending: self.ending.clone() }
    }

    /// Rows of the result.
    pub fn rows(&self) -> u64 {
        self.net.rows[self.outputs[self.last - self.first]]
    }

    /// Rows that each operator makes in the stripe that makes rows `[a, b)` of the result; none if
    /// some output is not asked for.
    fn wanted(&self, (a, b): Rows) -> Option<Vec<Rows>> {
        let mut wanted: Vec<Option<Rows>> = vec![None; self.whole.len()];
        *wanted.last_mut()? = Some((a, b));
        for position in (0..self.whole.len()).rev() {
            let op = &self.net.ops[self.first + position];
            let rows = wanted[position]?;
            let own = self.net.rows[self.outputs[position]];
            for &maker in &self.reads[position] {
                let (low, high) = op.rule.need(rows, self.net.rows[self.outputs[maker]], own);
                let united = wanted[maker].map_or((low, high), |(from, to)| (from.min(low), to.max(high)));
                if united.0 >= united.1 {
                    return None;
                }
                wanted[maker] = Some(united);
            }
        }
        wanted.into_iter().collect()
    }

    /// Rows that every operator makes in every stripe of this height; none if a whole output would
    /// have holes.
    pub fn schedule(&self, height: u64) -> Option<Vec<Vec<Rows>>> {
        let rows = self.rows();
        let mut seen = vec![0; self.whole.len()];
        let mut schedule = Vec::new();
        let mut start = 0;
        while start < rows {
            let wanted = self.wanted((start, rows.min(start + height)))?;
            for (position, &(low, high)) in wanted.iter().enumerate().filter(|(position, _)| self.whole[*position]) {
                if low > seen[position] {
                    return None;
                }
                seen[position] = seen[position].max(high);
            }
            schedule.push(wanted);
            start += height;
        }
        let is_covered = |(position, &is_whole): (usize, &bool)| {
            !is_whole || seen[position] == self.net.rows[self.outputs[position]]
        };
        self.whole.iter().enumerate().all(is_covered).then_some(schedule)
    }

    /// The range in stripes of this height.
    pub fn block(&self, height: u64) -> Option<Block> {
        let block = self.block_inside(height)?;
        Some(Block { peak: block.peak.saturating_add(self.through), ..block })
    }

    /// The same without the storages that stay through the whole range.
    pub fn block_inside(&self, height: u64) -> Option<Block> {
        let schedule = self.schedule(height)?;
        let count = schedule.len();
        let (mut peak, mut macs) = (0, 0u64);
        // Stripes between the first and the last that make as many rows as the one before need and
        // cost the same.
        let mut known: Option<(Vec<u64>, u64)> = None;
        for (stripe, wanted) in schedule.iter().enumerate() {
            let heights: Vec<u64> = wanted.iter().map(|(a, b)| b - a).collect();
            let is_between = stripe > 1 && stripe + 1 < count;
            if let Some((_, made)) = known.as_ref().filter(|(before, _)| is_between && *before == heights) {
                macs = macs.saturating_add(*made);
                continue;
            }
            peak = peak.max(self.most(wanted, stripe == 0, stripe + 1 == count));
            let made = |(position, rows): (usize, &u64)| {
                let op = &self.net.ops[self.first + position];
                (u128::from(op.macs) * u128::from(*rows) / u128::from(self.net.rows[self.outputs[position]])) as u64
            };
            let made = heights.iter().enumerate().map(made).fold(0, u64::saturating_add);
            macs = macs.saturating_add(made);
            known = Some((heights, made));
        }
        let range = &self.net.ops[self.first..=self.last];
        let before = range.iter().map(|op| op.macs).fold(0, u64::saturating_add);
        let weights = range.iter().map(|op| op.weights).fold(0, u64::saturating_add);
        let weights = weights.saturating_mul(count as u64 - 1);
        let price = Price { macs: macs.saturating_sub(before), bytes: 0, weights };
        Some(Block { first: self.first, last: self.last, height, stripes: count as u64, peak, price })
    }

    /// Most bytes alive at once in a stripe, without those that stay through the whole range.
    fn most(&self, wanted: &[Rows], is_first: bool, is_last: bool) -> u64 {
        let length = self.whole.len();
        let mut load = self.scratch.clone();
        let add = |load: &mut [u64], bytes: u64| load.iter_mut().for_each(|load| *load = load.saturating_add(bytes));
        for &(last, bytes) in &self.ending {
            let end = if is_last { last + 1 } else { length };
            add(&mut load[..end], bytes);
        }
        for maker in (0..length).filter(|&maker| self.whole[maker]) {
            let from = if is_first { maker } else { 0 };
            add(&mut load[from..], self.bytes[maker]);
        }
        for (bytes, start, end) in self.inner(wanted) {
            add(&mut load[start..=end], bytes);
        }
        load.into_iter().max().unwrap_or(0)
    }

    /// Storages that live within one stripe: bytes, first and last position. An output takes over
    /// an input that has exactly its bytes, as everywhere: a larger one would stay whole as long as
    /// the output does.
    fn inner(&self, wanted: &[Rows]) -> Vec<(u64, usize, usize)> {
        let mut last: Vec<usize> = (0..wanted.len()).collect();
        for (position, makers) in self.reads.iter().enumerate() {
            makers.iter().for_each(|&maker| last[maker] = position);
        }
        let size = |position: usize| {
            let rows = self.net.rows[self.outputs[position]];
            let (a, b) = wanted[position];
            (u128::from(self.bytes[position]) * u128::from(b - a)).div_ceil(u128::from(rows)) as u64
        };
        // Storages by position of the tensor that owns them; of the others none.
        let mut owner: Vec<usize> = (0..wanted.len()).collect();
        let mut found: Vec<Option<(u64, usize, usize)>> = vec![None; wanted.len()];
        for position in (0..wanted.len()).filter(|&position| !self.whole[position]) {
            let mut donors = self.donors[position].iter().filter(|_| self.overwrites).copied();
            let donor = donors.find(|&donor| {
                let storage = found[owner[donor]];
                !self.whole[donor]
                    && last[donor] == position
                    && storage.is_some_and(|(bytes, _, end)| bytes == size(position) && end == position)
            });
            if let Some(donor) = donor {
                owner[position] = owner[donor];
            }
            let storage = found[owner[position]].get_or_insert((size(position), position, position));
            storage.2 = storage.2.max(last[position]);
        }
        found.into_iter().flatten().collect()
    }
}

/// Writes the ranges into stripes: nodes for every stripe, with the rows that they make.
/// `schedules` has the rows for each block, as [`StripeRange::schedule`] gives them.
pub fn into_stripes(graph: &Graph, blocks: &[(Block, Vec<Vec<Rows>>)], whole: &[Vec<bool>]) -> Graph {
    let layout = Layout::of(graph);
    let mut out = Graph { nodes: Vec::new().into(), ..graph.clone() };
    let mut next = blocks.iter().zip(whole).peekable();
    let nodes: Vec<&Node> = graph.nodes.iter().collect();
    let mut names = Names {
        tensors: graph.tensors.iter().map(|tensor| tensor.name.clone()).collect(),
        nodes: graph.nodes.iter().map(|node| node.name.clone()).collect(),
    };
    let mut step = 0;
    while step < nodes.len() {
        match next.next_if(|((block, _), _)| block.first == step) {
            Some(((block, schedule), whole)) => {
                let range: Vec<(&Node, Option<Window>)> = nodes[block.first..=block.last]
                    .iter()
                    .map(|&node| (node, Window::of(graph, node, layout)))
                    .collect();
                write(&mut out, &mut names, &range, schedule, whole, layout);
                step = block.last + 1;
            }
            None => {
                out.nodes.push(nodes[step].clone());
                step += 1;
            }
        }
    }
    out
}

/// A window that slides over the rows of an image.
struct Window {
    stride: u64,
    pad: u64,
    /// Rows from the first to the last of the window.
    span: u64,
    /// Rows of the image.
    rows: u64,
}

impl Window {
    /// That of a node; none of a node without one.
    fn of(graph: &Graph, node: &Node, layout: Layout) -> Option<Window> {
        let RowRule::Window { stride, pad, kernel, dilation } = rule_of(graph, node, layout) else { return None };
        let image = node.inputs.iter().copied().find(|&input| graph.tensors[input].kind != Kind::Weight)?;
        Some(Window { stride, pad, span: (kernel - 1) * dilation + 1, rows: rows_of(graph, image, layout)? })
    }

    /// The rows of the image that some rows of the result need, and how many rows of padding lie
    /// before and behind them.
    fn reads(&self, (a, b): Rows) -> (Rows, Rows) {
        let (first, last) = (a * self.stride, (b - 1) * self.stride + self.span);
        let (from, to) = (first.saturating_sub(self.pad), last.saturating_sub(self.pad));
        let end = to.min(self.rows).max(from.min(self.rows));
        ((from.min(self.rows), end), (self.pad.saturating_sub(first), to.saturating_sub(end)))
    }
}

/// Names that are taken. A node often has the name of what it makes.
struct Names {
    tensors: BTreeSet<String>,
    nodes: BTreeSet<String>,
}

fn write(
    graph: &mut Graph,
    names: &mut Names,
    range: &[(&Node, Option<Window>)],
    schedule: &[Vec<Rows>],
    whole: &[bool],
    layout: Layout,
) {
    let like: Vec<Tensor> = range.iter().map(|(node, _)| graph.tensors[node.results()[0]].clone()).collect();
    // Of outputs that stay whole, the name under which they were last written.
    let mut partial: BTreeMap<TensorId, TensorId> = BTreeMap::new();
    for (stripe, wanted) in schedule.iter().enumerate() {
        let mut parts: BTreeMap<TensorId, TensorId> = BTreeMap::new();
        for (position, (node, window)) in range.iter().enumerate() {
            let output = node.results()[0];
            let (a, b) = wanted[position];
            let mut copy = (*node).clone();
            copy.name = free(&mut names.nodes, &format!("{}/{stripe}", node.name));
            let at = |input: &TensorId| parts.get(input).or(partial.get(input)).copied().unwrap_or(*input);
            copy.inputs = node.inputs.iter().map(at).collect();
            // A stripe has its rows of every channel: they are no range of the whole.
            copy.attrs_mut().remove("parts");
            copy.attrs_mut().insert("rows".into(), Attr::Json(format!("[{a},{b}]")));
            if let Some(((from, to), (above, below))) = window.as_ref().map(|window| window.reads((a, b))) {
                // What the file says of padding is that of the whole image.
                copy.attrs_mut().insert("input_rows".into(), Attr::Json(format!("[{from},{to}]")));
                copy.attrs_mut().insert("row_padding".into(), Attr::Json(format!("[{above},{below}]")));
            }
            let is_last = stripe + 1 == schedule.len();
            // The tensor itself becomes the first stripe of what is never whole, and the last name
            // of what is.
            let keeps = if whole[position] { is_last } else { stripe == 0 };
            let name = free(&mut names.tensors, &format!("{}/{stripe}", like[position].name));
            let part = Tensor { name, kind: Kind::Intermediate, ..like[position].clone() };
            let made = match (keeps, whole[position]) {
                (true, true) => output,
                (true, false) => {
                    graph.tensors[output] = part;
                    output
                }
                (false, _) => graph.tensors.push(part),
            };
            if whole[position] {
                copy.inplace.clear();
                if let Some(&before) = partial.get(&output) {
                    let inputs = Attr::Json(copy.inputs.len().to_string());
                    copy.attrs_mut().insert("alias".into(), inputs);
                    copy.inputs.push(before);
                }
                partial.insert(output, made);
            } else {
                shrink(graph, made, (a, b), layout);
                parts.insert(output, made);
            }
            copy.outputs = vec![made];
            if let Some(scratch) = node.scratch() {
                let own = match stripe {
                    0 => scratch,
                    _ => {
                        let like = graph.tensors[scratch].clone();
                        let name = free(&mut names.tensors, &format!("{}/{stripe}", like.name));
                        graph.tensors.push(Tensor { name, ..like })
                    }
                };
                copy.outputs.push(own);
            }
            graph.nodes.push(copy);
        }
    }
}

/// A name that is not taken, which is taken from now on.
fn free(names: &mut BTreeSet<String>, wanted: &str) -> String {
    let mut name = wanted.to_string();
    let mut number = 2;
    while !names.insert(name.clone()) {
        name = format!("{wanted}.{number}");
        number += 1;
    }
    name
}

fn shrink(graph: &mut Graph, tensor: TensorId, (a, b): Rows, layout: Layout) {
    let tensor = &mut graph.tensors[tensor];
    let axis = layout.axis();
    if let Some(Dim::Fixed(rows)) = tensor.shape.get(axis).cloned() {
        tensor.bytes =
            tensor.bytes.map(|bytes| (u128::from(bytes) * u128::from(b - a)).div_ceil(u128::from(rows.max(1))) as u64);
        tensor.shape[axis] = Dim::Fixed(b - a);
    }
}

impl StripeRange<'_> {
    /// Which outputs stay whole, operator by operator.
    pub fn whole(&self) -> &[bool] {
        &self.whole
    }

    /// The tensors that operators of the range make.
    pub fn tensors(&self) -> impl Iterator<Item = TensorId> + '_ {
        self.outputs.iter().map(|&output| TensorId::from_index(output))
    }
}
