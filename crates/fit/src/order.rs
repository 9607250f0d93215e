//! The order with the smallest largest load, over the sets of operators that may have run.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

use crate::transform::{Net, largest_matching, written};
use memplan_core::base::Id;
use memplan_core::graph::Graph;

/// Most sets of operators looked at.
const MOST: usize = 1 << 18;
/// Most bytes that these sets may take.
const MEMORY: usize = 1 << 27;

/// What the search found.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// Positions in the file, in the order in which they run.
    pub order: Vec<usize>,
    /// Largest load of this order.
    pub peak: u64,
    /// Sets of operators looked at.
    pub ideals: u64,
}

/// A set of finished operators.
struct Finished {
    /// A bit an operator.
    done: Vec<u64>,
    /// Bytes alive after them.
    live: u64,
    /// Operators that may run next, ascending.
    front: Vec<usize>,
    /// Number of the set before; none of the empty one.
    parent: Option<usize>,
    /// The operator that was run last.
    last: usize,
}

/// Operators that must run before each one: makers of what it reads, and the earlier of two that
/// keep their order.
pub fn precedence(graph: &Graph, net: &Net) -> Vec<BTreeSet<usize>> {
    let mut maker = vec![None; graph.tensors.len()];
    let mut before: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); graph.nodes.len()];
    let mut chained: Option<usize> = None;
    // Of every storage its users so far, and the last one that wrote into it.
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); graph.tensors.len()];
    let mut writer: Vec<Option<usize>> = vec![None; graph.tensors.len()];
    for (step, node) in graph.nodes.iter().enumerate() {
        before[step].extend(node.inputs.iter().filter_map(|input| maker[input.index()]));
        node.outputs.iter().for_each(|output| maker[output.index()] = Some(step));
        if node.outputs.is_empty() || node.is_placeholder() || node.has_effects() {
            before[step].extend(chained);
            chained = Some(step);
        }
        let written = written(graph, net, step);
        for tensor in node.inputs.iter().chain(&node.outputs) {
            let at = net.root[tensor.index()];
            before[step].extend(writer[at]);
            if written.contains(&at) {
                before[step].extend(users[at].iter().copied());
                writer[at] = Some(step);
            }
            users[at].push(step);
        }
        before[step].remove(&step);
    }
    before
}

/// Whether the operators have only one order: each needs the one before it.
pub fn is_chain(before: &[BTreeSet<usize>]) -> bool {
    (1..before.len()).all(|step| before[step].contains(&(step - 1)))
}

struct Model<'a> {
    net: &'a Net,
    before: &'a [BTreeSet<usize>],
    after: Vec<Vec<usize>>,
    users: Vec<Vec<usize>>,
    /// Readers of each concatenation in parts by its own name; empty of other storages.
    readers: Vec<Vec<usize>>,
    merges: bool,
}

impl Model<'_> {
    /// Bytes alive while an operator runs and after it.
    fn run(&self, live: u64, done: &[u64], step: usize, is_first: bool) -> (u64, u64) {
        let (net, op) = (self.net, &self.net.ops[step]);
        let ends = |at: usize| !net.kept[at] && self.users[at].iter().all(|&user| user == step || has(done, user));
        let idle = if is_first { self.idle() } else { 0 };
        let after = live.saturating_add(net.sum(op.makes.iter().copied()));
        let during = after.saturating_add(idle);
        let ended = net.sum(op.reads.iter().chain(&op.makes).copied().filter(|&used| ends(used)));
        let merges = |&&(input, output): &&(usize, usize)| {
            // A concatenation that copied would end although a part of it is read again: the bound
            // must hold for that, too.
            let is_last = match net.parts[input].is_empty() {
                true => ends(input),
                false => {
                    let is_done = |&reader: &usize| reader == step || has(done, reader);
                    !net.kept[input] && self.readers[input].iter().all(is_done)
                }
            };
            net.size(input) == net.bytes[output] && !net.input[input] && is_last && !net.loose.contains(&output)
        };
        let mut over = 0;
        if self.merges {
            let pairs: Vec<(usize, usize)> = op.pairs.iter().filter(merges).copied().collect();
            let lies = largest_matching(&pairs, &|output| net.bytes[output]).into_iter().map(|(_, output)| output);
            over = net.sum(lies.chain(op.makes.iter().copied().filter(|made| net.loose.contains(made))));
        }
        (during.saturating_sub(over), after.saturating_sub(ended))
    }

    /// Bytes of inputs that nobody reads: they are there at the first step only.
    fn idle(&self) -> u64 {
        let is_idle = |at: &usize| {
            self.net.root[*at] == *at
                && self.net.maker[*at].is_none()
                && self.users[*at].is_empty()
                && !self.net.kept[*at]
        };
        self.net.sum((0..self.net.bytes.len()).filter(is_idle))
    }

    fn standing(&self) -> u64 {
        let stands = |at: &usize| {
            self.net.root[*at] == *at
                && self.net.maker[*at].is_none()
                && (!self.users[*at].is_empty() || self.net.kept[*at])
        };
        self.net.sum((0..self.net.bytes.len()).filter(stands))
    }
}

fn has(done: &[u64], step: usize) -> bool {
    done[step / 64] >> (step % 64) & 1 == 1
}

/// The best order, with inputs overwritten where the graph permits it if `merges`. None if there
/// are too many sets.
pub fn best(net: &Net, before: &[BTreeSet<usize>], merges: bool, stop: &dyn Fn() -> bool) -> Option<Found> {
    let count = net.ops.len();
    let words = count.div_ceil(64).max(1);
    let most = MOST.min(MEMORY / (words * 16));
    let mut after = vec![Vec::new(); count];
    for (step, needs) in before.iter().enumerate() {
        needs.iter().for_each(|&need| after[need].push(step));
    }
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); net.bytes.len()];
    let mut readers = users.clone();
    for (step, op) in net.ops.iter().enumerate() {
        for &used in op.reads.iter().chain(&op.makes) {
            if users[used].last() != Some(&step) {
                users[used].push(step);
            }
        }
        for &read in op.operands.iter().filter(|&&read| !net.parts[read].is_empty()) {
            readers[read].push(step);
        }
    }
    let model = Model { net, before, after, users, readers, merges };
    let ready: Vec<usize> = (0..count).filter(|&step| before[step].is_empty()).collect();
    let empty = Finished { done: vec![0; words], live: model.standing(), front: ready, parent: None, last: 0 };
    let mut sets = vec![empty];
    let mut known: HashMap<Vec<u64>, u64> = HashMap::from([(vec![0; words], 0)]);
    let mut heap = BinaryHeap::from([Reverse((0u64, Reverse(0usize), 0usize))]);
    while let Some(Reverse((peak, Reverse(depth), at))) = heap.pop() {
        if known.get(&sets[at].done).is_some_and(|&best| best < peak) {
            continue;
        }
        if depth == count {
            let mut order = Vec::new();
            let mut walk = at;
            while let Some(parent) = sets[walk].parent {
                order.push(sets[walk].last);
                walk = parent;
            }
            order.reverse();
            return Some(Found { order, peak, ideals: known.len() as u64 });
        }
        if sets.len() > most || stop() {
            return None;
        }
        let (done, live, front) = (sets[at].done.clone(), sets[at].live, sets[at].front.clone());
        let mut choices: Vec<(usize, u64, u64)> = Vec::new();
        for &step in &front {
            let (during, left) = model.run(live, &done, step, depth == 0);
            if during <= peak && left <= live {
                // It raises nothing and leaves no more: to wait for it helps nobody.
                choices = vec![(step, peak, left)];
                break;
            }
            choices.push((step, peak.max(during), left));
        }
        for (step, peak, left) in choices {
            let mut next = done.clone();
            next[step / 64] |= 1 << (step % 64);
            if known.get(&next).is_some_and(|&best| best <= peak) {
                continue;
            }
            known.insert(next.clone(), peak);
            let mut ready: Vec<usize> = front.iter().copied().filter(|&other| other != step).collect();
            let opened =
                model.after[step].iter().filter(|&&later| model.before[later].iter().all(|&need| has(&next, need)));
            ready.extend(opened.copied());
            ready.sort_unstable();
            sets.push(Finished { done: next, live: left, front: ready, parent: Some(at), last: step });
            heap.push(Reverse((peak, Reverse(depth + 1), sets.len() - 1)));
        }
    }
    None
}
