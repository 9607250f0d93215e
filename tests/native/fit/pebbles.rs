//! A graph as a game: what a memory holds, operator by operator and row by row, tried in all ways.
//! It knows neither the moves nor the orders of the search, and allows more than they do, so that
//! what it cannot reach is out of reach.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use memplan_core::graph::{Graph, Kind, Node, TensorId};
use memplan_core::problem::stated_parts;
use memplan_fit::Lever;

use super::brute::joins;
use super::execute::{extents, numbers_of};
use super::random::{is_impure, is_whole};

/// A set of rows, or of whole tensors.
type Set = u128;

/// What runs at once: an operator, or a row of one.
struct Step {
    reads: Set,
    makes: Set,
    /// What it may be made over; nothing is one choice.
    over: Vec<Set>,
    /// Bytes of its kernel, there only while it runs.
    scratch: u64,
    /// A bit of [`State::done`], if it must run although nothing may need its result; 0 of others.
    done: u64,
    /// Of an operator that is not pure, which runs once, the bits of those before it.
    after: Option<u64>,
}

/// What is there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
struct State {
    /// Steps that are counted and have run.
    done: u64,
    /// What the memory holds or, if all may be away, what was made.
    here: Set,
}

struct Game {
    steps: Vec<Step>,
    bytes: Vec<u64>,
    inputs: Set,
    /// What nothing may drop once it is made: the caller has it.
    kept: Set,
    /// What must be there at the end.
    last: Set,
    /// All bits of [`State::done`].
    all: u64,
    capacity: u64,
}

/// Most states looked at.
const MOST: usize = 400_000;

/// Whether a graph runs within a capacity with these levers, in any order. None if there are too
/// many states.
pub fn runs(graph: &Graph, allow: &BTreeSet<Lever>, capacity: u64) -> Option<bool> {
    let mut is_known = true;
    for joined in joins(graph, allow.contains(&Lever::Views)) {
        let game = Game::of(&joined, allow, capacity);
        match if allow.contains(&Lever::Spill) { game.runs_with_spills() } else { game.runs_without() } {
            Some(true) => return Some(true),
            found => is_known &= found.is_some(),
        }
    }
    is_known.then_some(false)
}

/// Rows `[from, to)` of an input that a row of the output needs.
fn needs(graph: &Graph, node: &Node, row: usize) -> (usize, usize) {
    match node.op.as_str() {
        "conv2d" => {
            let (stride, pad) = (numbers_of(node, "stride"), numbers_of(node, "padding"));
            let (kernel, rows) = (extents(graph, node.inputs[1])[2], extents(graph, node.inputs[0])[2]);
            ((row * stride).saturating_sub(pad), (row * stride + kernel - pad).min(rows))
        }
        "max_pool2d" => (2 * row, 2 * row + 2),
        "upsample_nearest2d" => (row / 2, row / 2 + 1),
        _ => (row, row + 1),
    }
}

impl Game {
    fn of(graph: &Graph, allow: &BTreeSet<Lever>, capacity: u64) -> Game {
        let is_striped = allow.contains(&Lever::Stripes);
        let mut game = Game { steps: Vec::new(), bytes: Vec::new(), inputs: 0, kept: 0, last: 0, all: 0, capacity };
        // Of each tensor the sets that hold its rows; one if it is never divided.
        let mut rows: BTreeMap<TensorId, Vec<Set>> = BTreeMap::new();
        let joined =
            |id: TensorId| graph.nodes.iter().any(|node| node.outputs[0] == id && stated_parts(node).is_some());
        for (id, tensor) in graph.tensors.enumerate() {
            let is_scratch = graph.nodes.iter().any(|node| node.scratch() == Some(id));
            if tensor.kind == Kind::Weight || is_scratch || joined(id) {
                continue;
            }
            let shape = extents(graph, id);
            let (count, each) = if is_striped { (shape[2], shape[1]) } else { (1, shape[1] * shape[2]) };
            let first = game.bytes.len();
            game.bytes.extend(vec![each as u64; count]);
            let own: Vec<Set> = (first..first + count).map(|at| 1 << at).collect();
            let all = own.iter().sum::<Set>();
            match tensor.kind {
                Kind::Input => game.inputs |= all,
                Kind::Output => game.kept |= all,
                _ => {}
            }
            rows.insert(id, own);
        }
        assert!(game.bytes.len() <= 128);
        game.last = game.kept;
        let mut impure = 0;
        for node in graph.nodes.iter() {
            let images: Vec<TensorId> = node.inputs.iter().copied().filter(|input| is_image(graph, *input)).collect();
            if stated_parts(node).is_some() {
                let join = |row: usize| images.iter().map(|input| rows[input][row]).sum();
                let own: Vec<Set> = (0..rows[&images[0]].len()).map(join).collect();
                // Before it is complete, a part of it may be away.
                if graph.tensors[node.outputs[0]].kind == Kind::Output {
                    game.last |= own.iter().sum::<Set>();
                }
                rows.insert(node.outputs[0], own);
                continue;
            }
            let is_read = |output: &TensorId| {
                graph.tensors[*output].kind == Kind::Output
                    || graph.nodes.iter().any(|node| node.inputs.contains(output))
            };
            let is_divided = is_striped && !is_whole(graph, node);
            let scratch = node.scratch().map_or(0, |scratch| extents(graph, scratch)[0] as u64);
            let outputs: Vec<TensorId> = node.outputs.iter().copied().filter(|one| rows.contains_key(one)).collect();
            let is_counted = is_impure(node) || !outputs.iter().any(is_read);
            let after = is_impure(node).then_some(impure);
            let count = if is_divided { rows[&node.outputs[0]].len() } else { 1 };
            for row in 0..count {
                let of = |tensor: &TensorId, (from, to): (usize, usize)| rows[tensor][from..to].iter().copied();
                let (reads, makes): (Set, Set) = match is_divided {
                    true => {
                        let needed = images.iter().flat_map(|input| of(input, needs(graph, node, row)));
                        (needed.fold(0, |all, one| all | one), rows[&node.outputs[0]][row])
                    }
                    false => {
                        let all = |list: &[TensorId]| {
                            list.iter().flat_map(|tensor| rows[tensor].iter()).fold(0, |all, one| all | one)
                        };
                        (all(&images), all(&outputs))
                    }
                };
                let input = |&(input, _): &(u32, u32)| {
                    let of = &rows[&node.inputs[input as usize]];
                    if is_divided { of[row] } else { of.iter().sum() }
                };
                let may = allow.contains(&Lever::InPlace);
                let over = [0].into_iter().chain(node.inplace.iter().filter(|_| may).map(input)).collect();
                let done = if is_counted { 1 << game.all.count_ones() } else { 0 };
                game.all |= done;
                if is_impure(node) {
                    impure |= done;
                }
                game.steps.push(Step { reads, makes, over, scratch, done, after });
            }
        }
        game
    }

    fn sum(&self, set: Set) -> u64 {
        (0..self.bytes.len()).filter(|at| set >> at & 1 == 1).map(|at| self.bytes[at]).sum()
    }

    fn is_end(&self, state: State) -> bool {
        state.done == self.all && state.here & self.last == self.last
    }

    /// Whether what a step reads is there, and it is its turn.
    fn is_next(&self, state: State, step: &Step) -> bool {
        let is_turn = |after: u64| after & !state.done == 0 && state.done & step.done == 0;
        step.reads & !state.here == 0 && step.after.is_none_or(is_turn)
    }

    /// Nothing may be away: what is dropped is made again or lost.
    fn runs_without(&self) -> Option<bool> {
        let mut seen = HashSet::new();
        let mut open = vec![State { done: 0, here: self.inputs }];
        while let Some(state) = open.pop() {
            if self.is_end(state) {
                return Some(true);
            }
            if self.sum(state.here) > self.capacity || !seen.insert(state) {
                continue;
            }
            if seen.len() > MOST {
                return None;
            }
            for step in self.steps.iter().filter(|step| self.is_next(state, step)) {
                for over in step.over.iter().filter(|over| *over & (self.inputs | self.kept | step.makes) == 0) {
                    let during = (state.here | step.makes) & !over;
                    if self.sum(during) + step.scratch <= self.capacity {
                        open.push(State { done: state.done | step.done, here: during });
                    }
                }
            }
            for at in (0..self.bytes.len()).filter(|at| (state.here & !self.kept) >> at & 1 == 1) {
                open.push(State { here: state.here & !(1 << at), ..state });
            }
        }
        Some(false)
    }

    /// Whatever was made may be away, but what the caller gets. A graph input that something has
    /// read may be a copy.
    fn runs_with_spills(&self) -> Option<bool> {
        if self.sum(self.inputs).max(self.sum(self.last)) > self.capacity {
            return Some(false);
        }
        let mut seen = HashSet::new();
        let mut open = vec![(State { done: 0, here: self.inputs }, 0 as Set)];
        while let Some((mut state, mut read)) = open.pop() {
            // What the caller does not get is made at once: it takes nothing from what follows.
            loop {
                let ready = |step: &&Step| step.makes & self.kept == 0 && self.is_useful(state, step);
                let found = self.steps.iter().filter(ready).find(|step| self.has_room(state, read, step));
                let Some(step) = found else { break };
                state = State { done: state.done | step.done, here: state.here | step.makes };
                read |= step.reads;
            }
            if self.is_end(state) {
                return Some(true);
            }
            if !seen.insert((state, read)) {
                continue;
            }
            if seen.len() > MOST {
                return None;
            }
            for step in self.steps.iter().filter(|step| self.is_useful(state, step)) {
                if self.has_room(state, read, step) {
                    let after = State { done: state.done | step.done, here: state.here | step.makes };
                    open.push((after, read | step.reads));
                }
            }
        }
        Some(false)
    }

    fn is_useful(&self, state: State, step: &Step) -> bool {
        let is_new = step.makes & !state.here != 0 || step.done & !state.done != 0;
        is_new && self.is_next(state, step)
    }

    fn has_room(&self, state: State, read: Set, step: &Step) -> bool {
        let kept = state.here & self.kept;
        let may = |over: &&Set| **over & (self.kept | (self.inputs & !read)) == 0;
        let bytes = |over: &Set| self.sum((kept | step.reads | step.makes) & !over) + step.scratch;
        step.over.iter().filter(may).any(|over| bytes(over) <= self.capacity)
    }
}

fn is_image(graph: &Graph, tensor: TensorId) -> bool {
    graph.tensors[tensor].kind != Kind::Weight
}
