//! Graph → Problem: from "who reads what" to half-open live ranges.
//!
//! Node *i* runs at step *i*. What it makes is alive from *i*; a tensor last read at *j* ends at
//! *j* + 1, so the inputs and outputs of one node are alive together. A graph input lives from step
//! 0 (or from its `placeholder`), an output to the end, a weight always. Something made and never
//! read lives for the one step in which it is written. Inputs of a concatenation that lie in its
//! output share its storage. What a file [states](Stated) of storages goes before: which inputs the
//! caller keeps, where a storage holds nothing, and which tensors lie in the bytes of another.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::{Buffer, BufferId, Gap, Inplace, Joined, Live, Memory, MemoryId, Problem, join_handed, joined};
use crate::base::{IdVec, Message, Names};
use crate::graph::{DeviceId, ExprError, Graph, Idle, Kind, Stated, Tensor, TensorId};

/// Whether a view is a name of its root's storage or a copy with storage of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Views {
    /// A view is another name of its root's storage.
    #[default]
    Share,
    /// A view has storage of its own.
    Copy,
}

/// What is to be planned, and under which values.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Scope {
    /// Whether graph inputs are planned.
    pub inputs: bool,
    /// Whether graph outputs are planned.
    pub outputs: bool,
    /// Whether weights are planned.
    pub weights: bool,
    /// What becomes of views.
    pub views: Views,
    /// Alignment in bytes asked for every buffer, a power of two.
    pub align: u64,
    /// Values of symbols; hints for the others.
    pub symbols: BTreeMap<String, u64>,
}

impl Scope {
    /// The scope for one of several graphs: values of symbols that the graph does not have are left
    /// out.
    pub fn for_one_of_many(&self, graph: Option<&Graph>) -> Scope {
        let mut own = self.clone();
        own.symbols.retain(|name, _| graph.is_some_and(|graph| graph.symbols.contains_key(name)));
        own
    }
}

impl Default for Scope {
    fn default() -> Self {
        Scope { inputs: true, outputs: true, weights: false, views: Views::Share, align: 1, symbols: BTreeMap::new() }
    }
}

impl Scope {
    /// Whether storage of this kind is to be planned. Intermediates always are.
    pub fn wants(&self, kind: Kind) -> bool {
        match kind {
            Kind::Input => self.inputs,
            Kind::Weight => self.weights,
            Kind::Output => self.outputs,
            Kind::Intermediate => true,
        }
    }
}

/// Why a graph gives no problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LifetimeError {
    /// A tensor has no size for these symbol values.
    Size {
        /// The tensor.
        tensor: TensorId,
        /// Why its size has no value.
        error: ExprError,
    },
    /// So many tensors have no size at all: the file leaves it open.
    Unsized {
        /// Number of such tensors.
        count: usize,
    },
    /// Some value of [`Scope::symbols`] names no symbol of the graph.
    UnknownSymbol(String),
    /// A value of [`Scope::symbols`] lies outside what the graph allows for its symbol.
    SymbolOutside(String, u64),
    /// The sizes together go beyond 2^53 - 1.
    TooLarge,
}

impl LifetimeError {
    /// The fault in words.
    pub fn message(&self, graph: &Graph) -> Message {
        match self {
            LifetimeError::Size { tensor, error } => Message::new("fault.size")
                .name("name", graph.tensors[*tensor].name.clone())
                .text("error", error.to_string()),
            LifetimeError::Unsized { .. } => graph.unsized_message(),
            LifetimeError::UnknownSymbol(name) => Message::new("fault.scope-symbol").text("name", name),
            LifetimeError::SymbolOutside(name, value) => graph.symbols[name].refusal(name, &value.to_string()),
            LifetimeError::TooLarge => Message::new("fault.sum-too-large"),
        }
    }
}

/// Derives sizes and live ranges of the storages that `scope` asks for.
///
/// # Errors
/// [`LifetimeError`] when the symbol values give no sizes or too large ones.
pub fn lifetimes(graph: &Graph, scope: &Scope) -> Result<Problem, LifetimeError> {
    if let Some(name) = scope.symbols.keys().find(|name| !graph.symbols.contains_key(*name)) {
        return Err(LifetimeError::UnknownSymbol(name.clone()));
    }
    if let Some((name, value)) = scope.symbols.iter().find(|(name, value)| !graph.symbols[*name].admits(**value)) {
        return Err(LifetimeError::SymbolOutside(name.clone(), *value));
    }
    let count = graph.unsized_tensors();
    if count > 0 {
        return Err(LifetimeError::Unsized { count });
    }
    let symbols = graph.symbol_values(&scope.symbols);
    let roots = roots(graph, scope.views);
    let mut storages = storages(graph, &roots);
    // A view that is a copy leaves a concatenation one, too.
    let joined =
        if scope.views == Views::Share { joined(graph, &|id| roots[id], &symbols, scope.align) } else { Vec::new() };
    let mut part_of: IdVec<TensorId, Option<TensorId>> = IdVec::from_elem(None, graph.tensors.len());
    let mut gaps: HashMap<TensorId, Vec<Gap>> = HashMap::new();
    let idle = idle(graph, &roots);
    for &(root, from, until) in idle.iter().filter(|(_, from, until)| from < until) {
        gaps.entry(root).or_default().push(Gap { live: Live::new(from, until), window: None });
    }
    for one in &joined {
        gaps.insert(one.whole, join(&mut storages, one, graph.steps()));
        one.parts.iter().for_each(|&(part, ..)| part_of[part] = Some(one.whole));
    }

    let mut problem = Problem { name: graph.name.clone(), steps: graph.steps(), ..Problem::default() };
    let mut memories: HashMap<(DeviceId, Option<u32>), MemoryId> = HashMap::new();
    let mut buffer_of: IdVec<TensorId, Option<BufferId>> = IdVec::from_elem(None, graph.tensors.len());
    for root in birth_order(graph, &roots, &part_of) {
        let storage = &storages[root];
        if !scope.wants(storage.kind) {
            continue;
        }
        let tensor = &graph.tensors[root];
        let size = graph.bytes_of(root, &symbols).map_err(|error| LifetimeError::Size { tensor: root, error })?;
        let memory = *memories.entry((tensor.device, tensor.mem_id)).or_insert_with(|| {
            problem.memories.push(Memory { device: graph.devices[tensor.device].clone(), mem_id: tensor.mem_id })
        });
        let id = problem.buffers.push(Buffer {
            name: tensor.name.clone(),
            size,
            live: storage.live(problem.steps),
            align: scope.align.max(storage.align),
            memory,
            kind: storage.kind,
            fixed: None,
            gaps: gaps.remove(&root).unwrap_or_default(),
            tensors: storage.tensors.clone(),
            stack: None,
            kernel: None,
        });
        storage.tensors.iter().for_each(|&tensor| buffer_of[tensor] = Some(id));
    }
    if !problem.total_is_safe(1) {
        return Err(LifetimeError::TooLarge);
    }
    problem.inplace = permissions(graph, &buffer_of, &|id| part_of[roots[id]].is_some());
    let handed = graph.stated.handed.iter();
    let pairs: Vec<(BufferId, BufferId)> =
        handed.filter_map(|handed| buffer_of[handed.acceptor].zip(buffer_of[handed.donor])).collect();
    let cuts = idle.iter().filter_map(|&(root, _, until)| Some((buffer_of[root]?, until))).collect();
    Ok(join_handed(problem, &pairs, &cuts).0)
}

/// Stretches `(storage, first step, step after)` in which storages hold nothing, as the file states
/// them: those in which no node uses them in this order either. One without a step is where new
/// contents follow at once.
fn idle(graph: &Graph, roots: &IdVec<TensorId, TensorId>) -> Vec<(TensorId, u32, u32)> {
    let Stated { idle, .. } = &graph.stated;
    if idle.is_empty() {
        return Vec::new();
    }
    let mut steps: Names<&str, u32> = Names::default();
    let mut uses: HashMap<TensorId, Vec<u32>> = HashMap::new();
    idle.iter().for_each(|idle| _ = uses.insert(roots[idle.tensor], Vec::new()));
    for (step, node) in graph.nodes.enumerate() {
        steps.insert(&node.name, step.0);
        for &used in node.inputs.iter().chain(&node.outputs) {
            uses.entry(roots[used]).and_modify(|uses| uses.push(step.0));
        }
    }
    let stretch = |idle: &Idle| {
        let root = roots[idle.tensor];
        let (from, until) = (steps.get(&*idle.from)? + 1, *steps.get(&*idle.until)?);
        let uses = &uses[&root];
        let inside = uses.partition_point(|&step| step < from) < uses.partition_point(|&step| step < until);
        (from <= until && !inside).then_some((root, from, until))
    };
    idle.iter().filter_map(stretch).collect()
}

/// The tensor whose storage each tensor lives in.
fn roots(graph: &Graph, views: Views) -> IdVec<TensorId, TensorId> {
    let mut roots: IdVec<TensorId, TensorId> = graph.tensors.ids().collect();
    if views == Views::Share {
        // Nodes are in execution order, so the root of an input is already final.
        for node in graph.nodes.iter() {
            for (input, output) in node.aliases() {
                roots[output] = roots[input];
            }
        }
    }
    roots
}

#[derive(Clone)]
struct Storage {
    kind: Kind,
    start: u32,
    last_use: Option<u32>,
    to_the_end: bool,
    align: u64,
    tensors: Vec<TensorId>,
}

impl Storage {
    fn live(&self, steps: u32) -> Live {
        let end = if self.to_the_end { steps } else { self.last_use.unwrap_or(self.start) + 1 };
        Live::new(self.start, end.max(self.start + 1))
    }
}

fn storages(graph: &Graph, roots: &IdVec<TensorId, TensorId>) -> IdVec<TensorId, Storage> {
    let blank = |tensor: &Tensor| Storage {
        kind: tensor.kind,
        start: 0,
        last_use: None,
        to_the_end: false,
        align: tensor.align.unwrap_or(1),
        tensors: Vec::new(),
    };
    let mut storages: IdVec<TensorId, Storage> = graph.tensors.iter().map(blank).collect();
    for (id, tensor) in graph.tensors.enumerate() {
        let storage = &mut storages[roots[id]];
        // An output that is a view makes its root an output: the bytes must outlive the run.
        storage.to_the_end |= matches!(tensor.kind, Kind::Output | Kind::Weight);
        if tensor.kind == Kind::Output && storage.kind == Kind::Intermediate {
            storage.kind = Kind::Output;
        }
        if roots[id] == id {
            storage.tensors.insert(0, id);
        } else {
            storage.tensors.push(id);
        }
    }
    for &tensor in &graph.stated.kept {
        storages[roots[tensor]].to_the_end = true;
    }
    for (step, node) in graph.nodes.enumerate() {
        for &output in &node.outputs {
            let is_there = graph.stated.inputs_are_there && graph.tensors[output].kind == Kind::Input;
            if roots[output] == output && !is_there {
                storages[output].start = step.0;
            }
        }
        // Making a view is a use of the storage even if nothing is read through it.
        for &used in node.inputs.iter().chain(&node.outputs) {
            storages[roots[used]].last_use = Some(step.0);
        }
    }
    storages
}

/// Makes the storages of the parts of a concatenation that of its output, and returns the gaps of
/// that.
fn join(storages: &mut IdVec<TensorId, Storage>, one: &Joined, steps: u32) -> Vec<Gap> {
    let whole = storages[one.whole].live(steps);
    let mut lives = Vec::new();
    for &(part, low, high) in &one.parts {
        let live = storages[part].live(steps);
        lives.push((low, high, Live::new(live.start, live.end.max(whole.end))));
        let tensors = std::mem::take(&mut storages[part].tensors);
        let (last_use, align) = (storages[part].last_use, storages[part].align);
        let joint = &mut storages[one.whole];
        joint.start = joint.start.min(live.start);
        joint.last_use = joint.last_use.max(last_use);
        joint.align = joint.align.max(align);
        joint.tensors.extend(tensors);
    }
    let size = one.parts.last().map_or(0, |(_, _, high)| *high);
    super::parts::gaps(size, &lives)
}

/// Roots in the order in which their storage comes to be: inputs and weights without a placeholder
/// first, in file order, then node by node. What parts lie in comes with the first of them.
fn birth_order(
    graph: &Graph,
    roots: &IdVec<TensorId, TensorId>,
    part_of: &IdVec<TensorId, Option<TensorId>>,
) -> Vec<TensorId> {
    let mut made: IdVec<TensorId, bool> = IdVec::from_elem(false, graph.tensors.len());
    let mut listed = made.clone();
    let mut by_node = Vec::new();
    for node in graph.nodes.iter() {
        for &output in node.outputs.iter().filter(|&&output| roots[output] == output) {
            made[output] = true;
            let owner = part_of[output].unwrap_or(output);
            if !std::mem::replace(&mut listed[owner], true) {
                by_node.push(owner);
            }
        }
    }
    let mut order: Vec<TensorId> = graph.tensors.ids().filter(|&id| roots[id] == id && !made[id]).collect();
    order.extend(by_node);
    order
}

/// In-place permissions between two different planned storages. What is a part of a storage is none
/// of its own.
fn permissions(
    graph: &Graph,
    buffer_of: &IdVec<TensorId, Option<BufferId>>,
    is_part: &dyn Fn(TensorId) -> bool,
) -> Vec<Inplace> {
    let mut pairs = Vec::new();
    for (node_id, node) in graph.nodes.enumerate() {
        if node.op == "memory.view" {
            continue;
        }
        for &(input, output) in &node.inplace {
            let (input, output) = (node.inputs[input as usize], node.outputs[output as usize]);
            if let (Some(input), Some(output), false) =
                (buffer_of[input], buffer_of[output], is_part(input) || is_part(output))
                && input != output
            {
                pairs.push(Inplace { node: node_id, input, output });
            }
        }
    }
    pairs
}
