//! The code of a kernel as far as live intervals need it, and Triton's intervals of its buffers.
//!
//! Operations are numbered in post-order, those inside of one before it. A value is live in a block
//! from its definition to its last use there, or to the end of the block if it is used later; an
//! operation around a use counts as the use. The interval of a value is the hull of these numbers;
//! that of a buffer is the hull of the intervals of all values that may be it.

use std::collections::{BTreeMap, BTreeSet};

/// A value by its number; none where nothing about it matters.
pub type Value = Option<u32>;

/// An operation with what is inside.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CodeOp {
    /// Name with the dialect; empty for one without interest.
    pub name: String,
    /// What it reads. Of a `scf.for`: both bounds, the step, then what it begins with.
    pub ins: Vec<Value>,
    /// What it makes.
    pub outs: Vec<Value>,
    /// Its regions.
    pub regions: Vec<Vec<CodeBlock>>,
    /// Blocks of its own region that may follow, by their index.
    pub to: Vec<usize>,
    /// Of a conditional branch: how many of the values behind the condition go to the first block.
    pub split: usize,
    /// Of a conditional branch: whether its condition is always true, or always false. Of an
    /// `affine.for`: whether its body always runs, or never.
    pub always: Option<bool>,
}

/// A block.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CodeBlock {
    /// Its arguments.
    pub args: Vec<Value>,
    /// Its operations; the last one ends it.
    pub ops: Vec<CodeOp>,
}

/// What follows from the code for one operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpFacts {
    /// Its number.
    pub number: u32,
    /// Number of the nearest `ttg.warp_specialize` around it.
    pub specialize: Option<u32>,
    /// Number of the region that it stands in, counted from the outside.
    pub region: u32,
    /// If it allocates: the half-open interval of the buffer.
    pub live: Option<(u32, u32)>,
    /// If it allocates: whether an operation picks one of the copies that the buffer holds.
    pub is_picked: bool,
}

/// The operation that allocates a buffer.
pub const ALLOC: &str = "ttg.local_alloc";

/// The operation that picks one of the copies that a buffer holds.
const PICK: &str = "ttg.memdesc_index";

/// The operation whose regions run at the same time.
pub const SPECIALIZE: &str = "ttg.warp_specialize";

/// An operation in the list of all.
struct FlatOp<'c> {
    op: &'c CodeOp,
    block: usize,
    parent: Option<usize>,
    /// Position in its block.
    position: usize,
    number: u32,
    regions: Vec<Vec<usize>>,
}

struct FlatBlock<'c> {
    block: &'c CodeBlock,
    ops: Vec<usize>,
    region: usize,
    parent: Option<usize>,
    successors: Vec<usize>,
    /// Whether control may reach it.
    is_reached: bool,
}

#[derive(Default)]
struct Flat<'c> {
    /// In pre-order.
    ops: Vec<FlatOp<'c>>,
    blocks: Vec<FlatBlock<'c>>,
    regions: usize,
    numbers: u32,
}

impl<'c> Flat<'c> {
    /// Adds a region and returns its blocks.
    fn region(&mut self, blocks: &'c [CodeBlock], parent: Option<usize>) -> Vec<usize> {
        let region = self.regions;
        self.regions += 1;
        let first = self.blocks.len();
        for block in blocks {
            let (ops, successors) = (Vec::new(), Vec::new());
            self.blocks.push(FlatBlock { block, ops, region, parent, successors, is_reached: false });
        }
        let ids: Vec<usize> = (first..self.blocks.len()).collect();
        for (&id, block) in ids.iter().zip(blocks) {
            for (position, op) in block.ops.iter().enumerate() {
                let at = self.ops.len();
                self.ops.push(FlatOp { op, block: id, parent, position, number: 0, regions: Vec::new() });
                let inside = op.regions.iter().map(|region| self.region(region, Some(at))).collect();
                self.ops[at].regions = inside;
                self.ops[at].number = self.numbers;
                self.numbers += 1;
                self.blocks[id].ops.push(at);
            }
            let last = block.ops.last();
            let targets = last.iter().flat_map(|op| &op.to).filter_map(|&to| ids.get(to).copied());
            self.blocks[id].successors = targets.collect();
        }
        self.reach(&ids);
        ids
    }

    /// Marks the blocks of a region that control may reach, from the first one.
    fn reach(&mut self, ids: &[usize]) {
        let mut waiting: Vec<usize> = ids.first().copied().into_iter().collect();
        while let Some(id) = waiting.pop() {
            if std::mem::replace(&mut self.blocks[id].is_reached, true) {
                continue;
            }
            let always = self.blocks[id].block.ops.last().and_then(|op| op.always);
            let targets = &self.blocks[id].successors;
            let taken = match always {
                Some(true) => targets.first().copied().into_iter().collect(),
                Some(false) => targets.get(1).copied().into_iter().collect(),
                None => targets.clone(),
            };
            waiting.extend(taken);
        }
    }

    /// Whether an operation and everything around it may be reached.
    fn is_reached(&self, op: usize) -> bool {
        let mut at = Some(op);
        while let Some(op) = at {
            if !self.blocks[self.ops[op].block].is_reached {
                return false;
            }
            at = self.ops[op].parent;
        }
        true
    }

    /// The operation of `block` that is or contains `op`.
    fn around(&self, op: usize, block: usize) -> Option<usize> {
        let mut at = Some(op);
        while let Some(op) = at.filter(|&op| self.ops[op].block != block) {
            at = self.ops[op].parent;
        }
        at
    }

    /// The block of `region` that contains `op`.
    fn block_around(&self, op: usize, region: usize) -> Option<usize> {
        let mut block = self.ops[op].block;
        while self.blocks[block].region != region {
            block = self.ops[self.blocks[block].parent?].block;
        }
        Some(block)
    }

    /// Pairs of values of which the second may be the first. `is_view`: whether an operation of
    /// this name hands its first operand on, or a selection either of two.
    fn flows(&self, is_view: &dyn Fn(&str) -> bool) -> Vec<(u32, u32)> {
        let mut flows = Vec::new();
        let mut join = |from: &[Value], to: &[Value]| {
            flows.extend(from.iter().zip(to).filter_map(|(from, to)| from.zip(*to)));
        };
        for (at, FlatOp { op, regions, block, .. }) in self.ops.iter().enumerate() {
            if !self.is_reached(at) {
                continue;
            }
            let tail = |values: &'c [Value], from: usize| values.get(from..).unwrap_or_default();
            let first =
                |region: usize| regions.get(region).and_then(|blocks| blocks.first()).map(|&id| self.blocks[id].block);
            let last = |block: &'c CodeBlock| block.ops.last().map_or(&[][..], |op| op.ins.as_slice());
            match op.name.as_str() {
                "arith.select" if is_view("arith.select") => {
                    join(tail(&op.ins, 1), &op.outs);
                    join(tail(&op.ins, 2), &op.outs);
                }
                "scf.for" => {
                    let Some(body) = first(0) else { continue };
                    for from in [tail(&op.ins, 3), last(body)] {
                        join(from, tail(&body.args, 1));
                        join(from, &op.outs);
                    }
                }
                "scf.while" => {
                    let (Some(before), Some(after)) = (first(0), first(1)) else { continue };
                    let condition = tail(last(before), 1);
                    join(&op.ins, &before.args);
                    join(condition, &after.args);
                    join(condition, &op.outs);
                    join(last(after), &before.args);
                }
                "affine.for" => {
                    let Some(body) = first(0) else { continue };
                    join(&op.ins, tail(&body.args, 1));
                    join(last(body), tail(&body.args, 1));
                    // A loop that surely runs hands on what its body yields alone.
                    if op.always != Some(true) {
                        join(&op.ins, &op.outs);
                    }
                    if op.always != Some(false) {
                        join(last(body), &op.outs);
                    }
                }
                "scf.if" | "affine.if" | "scf.index_switch" | "scf.execute_region" | "memref.alloca_scope" => {
                    let blocks = regions.iter().flatten().map(|&id| self.blocks[id].block);
                    blocks.filter(|block| hands_on(block)).for_each(|block| join(last(block), &op.outs));
                }
                SPECIALIZE => {
                    for &id in regions.first().into_iter().flatten() {
                        let block = self.blocks[id].block;
                        if block.ops.last().is_some_and(|op| op.name == "ttg.warp_yield") {
                            join(last(block), &op.outs);
                        }
                    }
                }
                PARTITIONS => regions
                    .iter()
                    .filter_map(|blocks| blocks.first())
                    .for_each(|&id| join(&op.ins, &self.blocks[id].block.args)),
                "cf.br" | "cf.cond_br" => {
                    let skipped = usize::from(op.name == "cf.cond_br");
                    let values = tail(&op.ins, skipped);
                    let split = if skipped == 0 { values.len() } else { op.split.min(values.len()) };
                    let parts = [&values[..split], &values[split..]];
                    for (part, &to) in parts.into_iter().zip(&self.blocks[*block].successors) {
                        join(part, &self.blocks[to].block.args);
                    }
                }
                "arith.select" => {}
                name if is_view(name) => join(&op.ins[..op.ins.len().min(1)], &op.outs),
                _ => {}
            }
        }
        flows
    }
}

/// Whether a block ends its region with values for the operation around it.
fn hands_on(block: &CodeBlock) -> bool {
    block.ops.last().is_some_and(|op| op.name.ends_with(".yield") || op.name == "memref.alloca_scope.return")
}

/// The operation inside a `ttg.warp_specialize` that holds its partitions, which texts do not show.
pub const PARTITIONS: &str = "ttg.warp_specialize.partitions";

/// Whether Triton takes the result of an operation for a view of its operand.
fn is_kernel_view(name: &str) -> bool {
    name.starts_with("ttg.memdesc_") || name == "arith.select"
}

/// Pairs of values of which the second may be the first, by regions and by views.
pub fn flows(code: &[CodeBlock], is_view: &dyn Fn(&str) -> bool) -> Vec<(u32, u32)> {
    let mut flat = Flat::default();
    flat.region(code, None);
    flat.flows(is_view)
}

/// Works out number, region and interval of every operation of a function, in pre-order, and the
/// number of the function itself.
pub fn analysed(code: &[CodeBlock]) -> (Vec<OpFacts>, u32) {
    let mut flat = Flat::default();
    flat.region(code, None);
    let mut defined: BTreeMap<u32, (usize, Option<usize>)> = BTreeMap::new();
    let mut users: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (id, block) in flat.blocks.iter().enumerate() {
        defined.extend(block.block.args.iter().flatten().map(|&value| (value, (id, None))));
    }
    for (at, op) in flat.ops.iter().enumerate() {
        defined.extend(op.op.outs.iter().flatten().map(|&value| (value, (op.block, Some(at)))));
        op.op.ins.iter().flatten().for_each(|&value| users.entry(value).or_default().push(at));
    }
    let mut next: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    flat.flows(&is_kernel_view).into_iter().for_each(|(from, to)| next.entry(from).or_default().push(to));
    // A view may have other extents, so only arguments of regions count as the buffer itself.
    let mut handed: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    flat.flows(&|_| false).into_iter().for_each(|(from, to)| handed.entry(from).or_default().push(to));
    let picks = flat.ops.iter().filter(|op| op.op.name == PICK);
    let picked: BTreeSet<u32> = picks.filter_map(|op| op.op.ins.first().copied().flatten()).collect();
    let values = Values { flat: &flat, defined, users };
    let mut known: BTreeMap<u32, Option<(u32, u32)>> = BTreeMap::new();
    let mut facts = Vec::new();
    for at in 0..flat.ops.len() {
        let op = &flat.ops[at];
        let own = (op.op.name == ALLOC).then(|| op.op.outs.first().copied().flatten()).flatten();
        let live = own.map(|own| {
            let same = closure(own, &next);
            // Of other values only those that an operation reads or makes count.
            let counts = |value: &&u32| **value == own || values.is_named(**value);
            let intervals = same
                .iter()
                .filter(counts)
                .filter_map(|&value| *known.entry(value).or_insert_with(|| values.interval(value)));
            let hull = intervals.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
            hull.unwrap_or((op.number, op.number + 1))
        });
        let mut around = op.parent;
        while let Some(parent) = around.filter(|&parent| flat.ops[parent].op.name != SPECIALIZE) {
            around = flat.ops[parent].parent;
        }
        let specialize = around.map(|parent| flat.ops[parent].number);
        let is_picked = own.is_some_and(|own| !closure(own, &handed).is_disjoint(&picked));
        let region = flat.blocks[op.block].region as u32;
        facts.push(OpFacts { number: op.number, specialize, region, live, is_picked });
    }
    (facts, flat.numbers)
}

/// A value with all that it may become.
fn closure(own: u32, next: &BTreeMap<u32, Vec<u32>>) -> BTreeSet<u32> {
    let mut same = BTreeSet::from([own]);
    let mut waiting = vec![own];
    while let Some(value) = waiting.pop() {
        for &other in next.get(&value).into_iter().flatten() {
            if same.insert(other) {
                waiting.push(other);
            }
        }
    }
    same
}

struct Values<'a, 'c> {
    flat: &'a Flat<'c>,
    /// The block that defines a value, and the operation unless it is an argument.
    defined: BTreeMap<u32, (usize, Option<usize>)>,
    users: BTreeMap<u32, Vec<usize>>,
}

impl Values<'_, '_> {
    fn users(&self, value: u32) -> &[usize] {
        self.users.get(&value).map_or(&[], Vec::as_slice)
    }

    /// Whether an operation reads or makes the value.
    fn is_named(&self, value: u32) -> bool {
        self.users.contains_key(&value) || self.defined.get(&value).is_some_and(|(_, op)| op.is_some())
    }

    /// The hull of the numbers of all operations during which a value is live.
    fn interval(&self, value: u32) -> Option<(u32, u32)> {
        let flat = self.flat;
        let &(home, maker) = self.defined.get(&value)?;
        let region = flat.blocks[home].region;
        // Blocks in which the value is used, or something inside them uses it.
        let mut uses: BTreeSet<usize> = BTreeSet::new();
        for &user in self.users(value) {
            let mut block = flat.ops[user].block;
            while uses.insert(block) {
                match flat.blocks[block].parent {
                    Some(parent) => block = flat.ops[parent].block,
                    None => break,
                }
            }
        }
        let leaves = self.users(value).iter().any(|&user| flat.block_around(user, region) != Some(home));
        // The blocks at whose beginning and end it is live.
        let holds_home = |block: usize| {
            block == home || maker.or(flat.blocks[home].parent).is_some_and(|op| flat.around(op, block).is_some())
        };
        let (mut ins, mut outs): (BTreeSet<usize>, BTreeSet<usize>) = (BTreeSet::new(), BTreeSet::new());
        if leaves {
            outs.insert(home);
        }
        loop {
            let before = (ins.len(), outs.len());
            for (id, block) in flat.blocks.iter().enumerate().rev() {
                if block.successors.iter().any(|to| ins.contains(to)) {
                    outs.insert(id);
                }
                if (uses.contains(&id) || outs.contains(&id)) && !holds_home(id) {
                    ins.insert(id);
                }
            }
            if before == (ins.len(), outs.len()) {
                break;
            }
        }
        let mut seen: BTreeSet<usize> = BTreeSet::from([home]);
        seen.extend(self.users(value).iter().map(|&user| flat.ops[user].block));
        let mut waiting: Vec<usize> = seen.iter().copied().collect();
        let mut hull: Option<(u32, u32)> = None;
        while let Some(id) = waiting.pop() {
            let block = &flat.blocks[id];
            let first = match maker {
                Some(maker) if !ins.contains(&id) && flat.ops[maker].block == id => flat.ops[maker].position,
                _ => 0,
            };
            let used =
                self.users(value).iter().filter_map(|&user| flat.around(user, id)).map(|op| flat.ops[op].position);
            let last =
                if outs.contains(&id) { block.ops.len().saturating_sub(1) } else { used.fold(first, usize::max) };
            for &op in block.ops.get(first..=last).unwrap_or_default() {
                let number = flat.ops[op].number;
                let (from, to) = hull.unwrap_or((number, number + 1));
                hull = Some((from.min(number), to.max(number + 1)));
            }
            for &to in &block.successors {
                if ins.contains(&to) && seen.insert(to) {
                    waiting.push(to);
                }
            }
        }
        hull
    }
}
