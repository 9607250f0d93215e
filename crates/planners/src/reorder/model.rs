//! What an order of execution decides: which nodes must precede which, and which bytes each set of
//! finished nodes keeps.

use std::collections::BTreeSet;
use std::ops::Range;

use memplan_core::base::{Id, IdVec};
use memplan_core::graph::{Graph, Kind, Node, TensorId};
use memplan_core::problem::Problem;

/// A graph as the search sees it; nodes and buffers are indices.
#[derive(Default)]
pub struct Model {
    /// Nodes that must run before each, without repetition.
    pub before: Vec<Vec<u32>>,
    /// Nodes that must run after each node.
    pub after: Vec<Vec<u32>>,
    /// Buffers whose storage a node makes.
    makes: Vec<Vec<u32>>,
    /// Buffers that a node makes, reads or writes, without repetition.
    uses: Vec<Vec<u32>>,
    sizes: Vec<u64>,
    /// The nodes that use each buffer, ascending.
    users: Vec<Vec<u32>>,
    /// Whether a buffer stays to the end.
    kept: Vec<bool>,
    /// Bytes there from the start that some node uses or that are kept.
    standing: u64,
    /// Bytes there at the first step only: inputs that nobody reads.
    idle: u64,
}

impl Model {
    /// Returns what the search reads of a graph.
    pub fn new(graph: &Graph, problem: &Problem) -> Model {
        let nodes = graph.nodes.len();
        let mut model = Model { makes: vec![Vec::new(); nodes], uses: vec![Vec::new(); nodes], ..Model::default() };
        let mut holder: IdVec<TensorId, Option<u32>> = IdVec::from_elem(None, graph.tensors.len());
        for (id, buffer) in problem.buffers.enumerate() {
            buffer.tensors.iter().for_each(|&tensor| holder[tensor] = Some(id.0));
            model.sizes.push(buffer.size);
            let stays = |tensor: &TensorId| matches!(graph.tensors[*tensor].kind, Kind::Output | Kind::Weight);
            model.kept.push(buffer.tensors.iter().any(stays));
        }
        model.users = vec![Vec::new(); model.sizes.len()];
        let mut is_made = vec![false; model.sizes.len()];
        for (id, node) in graph.nodes.enumerate() {
            let used: BTreeSet<u32> =
                node.inputs.iter().chain(&node.outputs).filter_map(|&tensor| holder[tensor]).collect();
            used.iter().for_each(|&buffer| model.users[buffer as usize].push(id.0));
            for &output in &node.outputs {
                // The tensor that owns the storage comes first.
                let owned = holder[output]
                    .filter(|&buffer| problem.buffers[Id::from_index(buffer as usize)].tensors[0] == output);
                if let Some(buffer) = owned {
                    model.makes[id.index()].push(buffer);
                    is_made[buffer as usize] = true;
                }
            }
            model.uses[id.index()] = used.into_iter().collect();
        }
        for buffer in (0..model.sizes.len()).filter(|&buffer| !is_made[buffer]) {
            let is_idle = model.users[buffer].is_empty() && !model.kept[buffer];
            *(if is_idle { &mut model.idle } else { &mut model.standing }) += model.sizes[buffer];
        }
        model.before = precedence(graph);
        model.after = vec![Vec::new(); nodes];
        for (node, before) in model.before.iter().enumerate() {
            before.iter().for_each(|&first| model.after[first as usize].push(node as u32));
        }
        model
    }

    /// Bytes alive before the first node.
    pub fn at_start(&self) -> u64 {
        self.standing
    }

    /// Bytes alive while a node runs and after it, when `live` are alive before and `is_done`
    /// returns true for nodes that ran; takes the steps that it needs from `work`.
    pub fn run(
        &self,
        live: u64,
        node: u32,
        is_first: bool,
        is_done: impl Fn(u32) -> bool,
        work: &mut u64,
    ) -> (u64, u64) {
        let size = |&buffer: &u32| self.sizes[buffer as usize];
        let during = live + self.makes[node as usize].iter().map(size).sum::<u64>();
        let mut steps = 1;
        let mut is_over = |&&buffer: &&u32| {
            // Whoever uses it last in the file mostly does in another order too.
            let mut users = self.users[buffer as usize].iter().rev();
            !self.kept[buffer as usize]
                && users.all(|&user| {
                    steps += 1;
                    user == node || is_done(user)
                })
        };
        let freed: u64 = self.uses[node as usize].iter().filter(|buffer| is_over(buffer)).map(size).sum();
        *work = work.saturating_sub(steps);
        (during + if is_first { self.idle } else { 0 }, during - freed)
    }

    /// Bytes that must be alive while a node runs, in whatever order.
    pub fn least(&self, node: u32) -> u64 {
        self.uses[node as usize].iter().map(|&buffer| self.sizes[buffer as usize]).sum()
    }

    /// Peak and bytes alive after a stretch of an order that begins with `live` bytes after the
    /// first `range.start` nodes.
    pub fn stretch(&self, order: &[u32], range: Range<usize>, live: u64) -> (u64, u64) {
        let mut is_done = vec![false; range.len()];
        let (mut peak, mut live, mut unlimited) = (0, live, u64::MAX);
        for &node in order {
            let done =
                |user: u32| (user as usize) < range.start || is_done.get(user as usize - range.start) == Some(&true);
            let is_first = range.start == 0 && order.first() == Some(&node);
            let (during, left) = self.run(live, node, is_first, done, &mut unlimited);
            (peak, live) = (peak.max(during), left);
            is_done[node as usize - range.start] = true;
        }
        (peak, live)
    }

    /// Stretches of the order of the file that no order can mix: between them stand nodes that all
    /// others precede or follow.
    pub fn pieces(&self) -> Vec<Range<usize>> {
        let count = self.before.len();
        let forward = closing(&self.before, 0..count);
        let backward = closing(&self.after, (0..count).rev());
        let mut pieces = Vec::new();
        let mut from = 0;
        for node in (0..count).filter(|&node| forward[node] && backward[node]) {
            pieces.extend((from < node).then_some(from..node));
            pieces.push(node..node + 1);
            from = node + 1;
        }
        pieces.extend((from < count).then_some(from..count));
        pieces
    }
}

/// Nodes that all nodes met before them lead to: each end of what was met is directly linked to
/// them.
fn closing(links: &[Vec<u32>], order: impl Iterator<Item = usize>) -> Vec<bool> {
    let mut is_end = vec![false; links.len()];
    let mut ends = 0;
    let mut closes = vec![false; links.len()];
    for node in order {
        let met: Vec<usize> = links[node].iter().map(|&link| link as usize).filter(|&link| is_end[link]).collect();
        closes[node] = met.len() == ends;
        met.iter().for_each(|&link| is_end[link] = false);
        ends = ends - met.len() + 1;
        is_end[node] = true;
    }
    closes
}

/// Who must run before whom: makers before readers, nodes with effects among each other, and
/// whoever uses a storage that a node writes over before or after that node as in the file.
fn precedence(graph: &Graph) -> Vec<Vec<u32>> {
    let mut maker: IdVec<TensorId, Option<u32>> = IdVec::from_elem(None, graph.tensors.len());
    let mut root: IdVec<TensorId, TensorId> = graph.tensors.ids().collect();
    let mut before: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); graph.nodes.len()];
    let mut last_effect: Option<u32> = None;
    // For each storage: who used it since it was last written over, and who wrote.
    let mut users: IdVec<TensorId, Vec<u32>> = IdVec::from_elem(Vec::new(), graph.tensors.len());
    let mut writer: IdVec<TensorId, Option<u32>> = IdVec::from_elem(None, graph.tensors.len());
    for (id, node) in graph.nodes.enumerate() {
        let own = &mut before[id.index()];
        own.extend(node.inputs.iter().filter_map(|&input| maker[input]));
        node.outputs.iter().for_each(|&output| maker[output] = Some(id.0));
        node.aliases().for_each(|(input, output)| root[output] = root[input]);
        let overwrites = overwritten(graph, node);
        if node.is_placeholder() || node.outputs.is_empty() || !overwrites.is_empty() {
            own.extend(last_effect.replace(id.0));
        }
        for &tensor in node.inputs.iter().chain(&node.outputs) {
            let storage = root[tensor];
            own.extend(writer[storage].filter(|&writer| writer != id.0));
            users[storage].push(id.0);
        }
        for tensor in overwrites {
            let storage = root[tensor];
            own.extend(users[storage].drain(..).filter(|&user| user != id.0));
            writer[storage] = Some(id.0);
        }
    }
    before.into_iter().map(|before| before.into_iter().collect()).collect()
}

/// Inputs whose contents a node changes as far as the file states: those that it may overwrite
/// although they are there from the start, and all of an operator that is named as one that writes.
fn overwritten(graph: &Graph, node: &Node) -> Vec<TensorId> {
    if writes(node) {
        return node.inputs.first().copied().into_iter().collect();
    }
    let given = node.inplace.iter().filter_map(|&(input, _)| node.inputs.get(input as usize).copied());
    given.filter(|&input| matches!(graph.tensors[input].kind, Kind::Input | Kind::Weight)).collect()
}

/// Whether an operator is named as one that writes into its first input.
pub fn writes(node: &Node) -> bool {
    node.op.split('.').any(|part| part.ends_with('_') && !part.starts_with('_')) || node.op.contains("assign")
}
