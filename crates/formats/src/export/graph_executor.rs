//! A graph with a plan of storages as the JSON that TVM's graph executor reads (apache/tvm
//! `src/runtime/graph_executor/graph_executor.h`).
//!
//! Shapes must be whole numbers and the plan must give storages, not addresses. Weights that the
//! plan leaves out get a storage each, as the executor asks for; inputs that it leaves to the
//! caller get -1, as NNVM's pass writes. What the format has no place for, names of tensors, their
//! kinds and permissions, stands under `metadata`, where TVM's reader stops. Alignments, arenas and
//! attributes that are no text are lost.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{list, member};
use memplan_core::base::{IdVec, Message};
use memplan_core::graph::{Attr, Dim, Dtype, Graph, Kind, Node, TensorId, device_code};
use memplan_core::plan::{Plan, QuirkKind};
use memplan_core::problem::{BufferId, Problem, first_joined};

/// The file text.
///
/// # Errors
/// When the graph has no nodes, the plan has addresses or no places, inputs of a concatenation lie
/// in its output, or a tensor's shape, size or device has no form there.
pub fn graph_executor(graph: &Graph, problem: &Problem, plan: &Plan) -> Result<String, Message> {
    if !plan.is_of_storages() && !problem.buffers.is_empty() {
        return Err(Message::new("fault.export-addresses"));
    }
    // A storage has no offsets.
    if let Some(node) = first_joined(graph, problem) {
        return Err(Message::new("fault.export-parts").name("name", node.name.clone()));
    }
    let layout = Layout::of(graph);
    // A file without nodes is none that could be read.
    if layout.nodes.is_empty() {
        return Err(Message::new("fault.export-empty"));
    }
    let mut shapes = Vec::with_capacity(layout.entries.len());
    let mut types = Vec::with_capacity(layout.entries.len());
    for &tensor in &layout.entries {
        let shape = shape(graph, tensor)?;
        types.push(dltype(graph, tensor, &shape)?);
        shapes.push(shape);
    }
    let mut text = String::from("{\"arg_nodes\":");
    text.push_str(&super::json(&layout.variables));
    list(&mut text, "nodes", layout.nodes.iter().map(|node| record(graph, &layout, *node)));
    let heads = layout.entries.iter().enumerate().filter(|(_, tensor)| graph.tensors[**tensor].kind == Kind::Output);
    let heads: Vec<_> = heads.map(|(entry, _)| layout.reference(entry)).collect();
    member(&mut text, "heads", &heads);
    member(&mut text, "node_row_ptr", &layout.rows);
    let mut attrs = Map::new();
    attrs.insert("dltype".into(), json!(["list_str", types]));
    attrs.insert("shape".into(), json!(["list_shape", shapes]));
    attrs.insert("storage_id".into(), json!(["list_int", storages(graph, problem, plan, &layout)]));
    if let Some(devices) = devices(graph, &layout)? {
        attrs.insert("device_index".into(), json!(["list_int", devices]));
    }
    let takeovers = takeovers(graph, problem, plan, &layout);
    if takeovers.iter().any(|index| *index >= 0) {
        attrs.insert("storage_inplace_index".into(), json!(["list_int", takeovers]));
    }
    member(&mut text, "attrs", &attrs);
    member(&mut text, "metadata", &json!({"memplan": notes(graph, &layout)}));
    text.push_str("\n}\n");
    Ok(text)
}

/// A node of the file: a variable, or an operator with its number in the graph.
#[derive(Clone, Copy)]
enum Place {
    Variable(TensorId),
    Operator(usize),
}

/// Where everything stands in the file.
struct Layout {
    nodes: Vec<Place>,
    variables: Vec<usize>,
    rows: Vec<usize>,
    /// The tensor of each entry, and the entry of each tensor.
    entries: Vec<TensorId>,
    entry_of: IdVec<TensorId, Option<usize>>,
}

impl Layout {
    /// Variables come in the order of the graph's tensors, before whatever reads them or is listed
    /// after them.
    fn of(graph: &Graph) -> Layout {
        let mut made: IdVec<TensorId, bool> = IdVec::from_elem(false, graph.tensors.len());
        let operators = || graph.nodes.iter().enumerate().filter(|(_, node)| !node.is_placeholder());
        operators().for_each(|(_, node)| node.outputs.iter().for_each(|&output| made[output] = true));
        let mut variables = graph.tensors.ids().filter(|&tensor| !made[tensor]).peekable();
        let entry_of = IdVec::from_elem(None, graph.tensors.len());
        let mut layout = Layout { nodes: vec![], variables: vec![], rows: vec![0], entries: vec![], entry_of };
        for (number, node) in operators() {
            let before =
                node.outputs.first().copied().into_iter().chain(node.inputs.iter().copied().filter(|&id| !made[id]));
            let before = before.max();
            while let Some(variable) = variables.next_if(|variable| before.is_some_and(|before| *variable <= before)) {
                layout.variable(variable);
            }
            layout.nodes.push(Place::Operator(number));
            node.outputs.iter().for_each(|&output| layout.entry(output));
            layout.rows.push(layout.entries.len());
        }
        variables.for_each(|variable| layout.variable(variable));
        layout
    }

    fn variable(&mut self, tensor: TensorId) {
        self.variables.push(self.nodes.len());
        self.nodes.push(Place::Variable(tensor));
        self.entry(tensor);
        self.rows.push(self.entries.len());
    }

    fn entry(&mut self, tensor: TensorId) {
        self.entry_of[tensor] = Some(self.entries.len());
        self.entries.push(tensor);
    }

    /// `[node, output, version]` of an entry.
    fn reference(&self, entry: usize) -> [usize; 3] {
        // The last row that begins at or before it: nodes without outputs begin where the next one
        // does.
        let node = self.rows.partition_point(|row| *row <= entry).saturating_sub(1);
        [node, entry - self.rows[node], 0]
    }
}

#[derive(Serialize)]
struct Record<'a> {
    op: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "Map::is_empty")]
    attrs: Map<String, Value>,
    inputs: Vec<[usize; 3]>,
}

fn record<'a>(graph: &'a Graph, layout: &Layout, place: Place) -> Record<'a> {
    let number = match place {
        Place::Variable(tensor) => {
            let name = &graph.tensors[tensor].name;
            return Record { op: "null", name, attrs: Map::new(), inputs: Vec::new() };
        }
        Place::Operator(number) => number,
    };
    let node: &Node = &graph.nodes[memplan_core::graph::NodeId(number as u32)];
    let mut attrs = Map::new();
    for (key, attr) in node.attrs.iter() {
        let (Attr::Text(text) | Attr::Json(text)) = attr;
        attrs.insert(key.clone(), text.as_str().into());
    }
    let own = [
        ("func_name", node.op.clone()),
        ("num_inputs", node.inputs.len().to_string()),
        ("num_outputs", node.outputs.len().to_string()),
        ("flatten_data", "0".to_string()),
    ];
    attrs.extend(own.map(|(key, value)| (key.to_string(), value.into())));
    let inputs = node.inputs.iter().filter_map(|&input| Some(layout.reference(layout.entry_of[input]?)));
    Record { op: "tvm_op", name: &node.name, attrs, inputs: inputs.collect() }
}

fn shape(graph: &Graph, tensor: TensorId) -> Result<Vec<u64>, Message> {
    let fixed = |dim: &Dim| if let Dim::Fixed(extent) = dim { Some(*extent) } else { None };
    let tensor = &graph.tensors[tensor];
    let open = || Message::new("fault.export-shape").name("name", &tensor.name);
    tensor.shape.iter().map(fixed).collect::<Option<Vec<u64>>>().ok_or_else(open)
}

/// The type, with lanes if the size is a multiple of the product of shape and type.
fn dltype(graph: &Graph, id: TensorId, shape: &[u64]) -> Result<String, Message> {
    let tensor = &graph.tensors[id];
    let none = || Message::new("fault.export-size").name("name", &tensor.name);
    let elements = shape.iter().try_fold(1u64, |all, extent| all.checked_mul(*extent)).ok_or_else(none)?;
    let Some(bytes) = tensor.bytes else {
        // The executor gives every element whole bytes.
        let whole = tensor.dtype.bits().is_multiple_of(8);
        return if whole { Ok(name(tensor.dtype, 1)) } else { Err(none()) };
    };
    let fits = |lanes: &u64| (tensor.dtype.bits() * lanes).div_ceil(8).checked_mul(elements) == Some(bytes);
    // With one lane the size would be read back as none stated, unless elements are smaller than a
    // byte.
    let first = if tensor.dtype.bits().is_multiple_of(8) { 2 } else { 1 };
    (first..=64).find(fits).map(|lanes| name(tensor.dtype, lanes)).ok_or_else(none)
}

fn name(dtype: Dtype, lanes: u64) -> String {
    if lanes == 1 { dtype.name().to_string() } else { format!("{}x{lanes}", dtype.name()) }
}

fn holders(graph: &Graph, problem: &Problem) -> IdVec<TensorId, Option<BufferId>> {
    let mut holders = IdVec::from_elem(None, graph.tensors.len());
    for (id, buffer) in problem.buffers.enumerate() {
        buffer.tensors.iter().for_each(|&tensor| holders[tensor] = Some(id));
    }
    holders
}

fn storages(graph: &Graph, problem: &Problem, plan: &Plan, layout: &Layout) -> Vec<i64> {
    let holders = holders(graph, problem);
    let mut next = plan.pools.len() as i64;
    let mut ids: IdVec<TensorId, i64> = IdVec::from_elem(-1, graph.tensors.len());
    for (id, tensor) in graph.tensors.enumerate() {
        match holders[id] {
            Some(buffer) => ids[id] = plan.places[buffer].map_or(-1, |place| i64::from(place.pool.0)),
            None if tensor.kind == Kind::Weight => {
                ids[id] = next;
                next += 1;
            }
            None => {}
        }
    }
    // Other names of weights lie where the weight lies.
    for node in graph.nodes.iter() {
        for (from, to) in node.aliases().filter(|(_, to)| holders[*to].is_none()) {
            ids[to] = ids[from];
        }
    }
    layout.entries.iter().map(|&tensor| ids[tensor]).collect()
}

fn devices(graph: &Graph, layout: &Layout) -> Result<Option<Vec<u64>>, Message> {
    let name = |tensor: &TensorId| &graph.devices[graph.tensors[*tensor].device];
    if layout.entries.iter().all(|tensor| name(tensor) == "cpu" && !graph.tensors[*tensor].own_device) {
        return Ok(None);
    }
    let code = |tensor: &TensorId| {
        device_code(name(tensor)).ok_or_else(|| Message::new("fault.export-device").text("device", name(tensor)))
    };
    layout.entries.iter().map(code).collect::<Result<_, _>>().map(Some)
}

/// `storage_inplace_index`: the input of the maker whose storage was taken over.
fn takeovers(graph: &Graph, problem: &Problem, plan: &Plan, layout: &Layout) -> Vec<i64> {
    let holders = holders(graph, problem);
    let mut donors: IdVec<BufferId, Option<BufferId>> = IdVec::from_elem(None, problem.buffers.len());
    for quirk in plan.quirks.iter().filter(|quirk| quirk.kind == QuirkKind::SameContents) {
        donors[quirk.b] = Some(quirk.a);
    }
    plan.shared.iter().for_each(|&(acceptor, donor)| donors[acceptor] = Some(donor));
    let mut taken = vec![-1; layout.entries.len()];
    for node in graph.nodes.iter() {
        for &output in &node.outputs {
            let donor = holders[output].and_then(|acceptor| donors[acceptor]);
            let index = donor.and_then(|donor| node.inputs.iter().position(|&input| holders[input] == Some(donor)));
            if let Some((entry, index)) = layout.entry_of[output].zip(index) {
                taken[entry] = index as i64;
            }
        }
    }
    taken
}

/// What the format has no place for.
fn notes(graph: &Graph, layout: &Layout) -> Value {
    let entry = |tensor: &TensorId| {
        let tensor = &graph.tensors[*tensor];
        json!({"name": tensor.name, "kind": tensor.kind.name()})
    };
    let entries: Vec<Value> = layout.entries.iter().map(entry).collect();
    let (mut inplace, mut ignored) = (Vec::new(), Vec::new());
    for (at, place) in layout.nodes.iter().enumerate() {
        let Place::Operator(number) = place else { continue };
        let node = &graph.nodes[memplan_core::graph::NodeId(*number as u32)];
        inplace.extend(node.inplace.iter().map(|&(input, output)| json!([at, input, output])));
        ignored.extend(node.ignore_inputs.iter().map(|&input| json!([at, input])));
    }
    json!({"name": graph.name, "entries": entries, "inplace": inplace, "ignore_inputs": ignored})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Answers, Document, read};
    use memplan_core::plan::check;
    use memplan_core::problem::{Scope, lifetimes};
    use memplan_core::trace::Silent;
    use memplan_planners::{Input, find};

    fn planned(text: &str) -> (Graph, Problem, Plan) {
        match read(text.as_bytes(), Answers::default()).unwrap_or_else(|faults| panic!("{faults:?}")).document {
            Document::Planned(graph, problem, plan) => (graph, problem, plan),
            other => panic!("{other:?}"),
        }
    }

    fn example(name: &str) -> Graph {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../www/graphs");
        let bytes = std::fs::read(folder.join(name)).expect("the file is there");
        match read(&bytes, Answers::default()).expect("a valid graph").document {
            Document::Graph(graph) => graph,
            other => panic!("{other:?}"),
        }
    }

    fn plan(graph: &Graph, planner: &str, options: &[(&str, &str)]) -> (Problem, Plan) {
        let problem = lifetimes(graph, &Scope::default()).expect("sizes are known");
        let planner = find(planner).expect("registered");
        let options = planner.info().options(options.iter().copied()).expect("known options");
        let plan =
            planner.plan(Input { problem: &problem, graph: Some(graph) }, &options, &mut Silent).expect("a plan");
        (problem, plan)
    }

    #[test]
    fn a_file_that_was_read_reads_back_equal() {
        let first = planned(include_str!("../../../../tests/data/nnvm/graph_attrs.json"));
        let text = graph_executor(&first.0, &first.1, &first.2).expect("storages");
        assert_eq!(planned(&text), first);
        assert_eq!(graph_executor(&first.0, &first.1, &first.2), Ok(text));
    }

    #[test]
    fn plans_of_storage_planners_read_back_equal() {
        for file in ["diamond.json", "two_branches.json", "resnet18.json"] {
            let graph = example(file);
            for (planner, options) in [("nnvm", &[][..]), ("nnvm", &[("inplace", "true")]), ("tvm-relay", &[])] {
                let (problem, plan) = plan(&graph, planner, options);
                let text = graph_executor(&graph, &problem, &plan).expect("storages");
                let (graph_back, problem_back, plan_back) = planned(&text);
                assert_eq!(graph_back, graph, "{file} {planner}");
                assert_eq!(problem_back, problem, "{file} {planner}");
                assert_eq!(check(&problem_back, &plan_back), []);
                let pools = |plan: &Plan| plan.pools.iter().map(|pool| (pool.size, pool.role)).collect::<Vec<_>>();
                assert_eq!((pools(&plan_back), &plan_back.places), (pools(&plan), &plan.places), "{file} {planner}");
                assert_eq!((plan_back.shared, plan_back.unplanned), (plan.shared, plan.unplanned), "{file} {planner}");
            }
        }
    }

    #[test]
    fn addresses_symbols_and_strange_devices_are_refused() {
        let graph = example("diamond.json");
        let refused = |graph: &Graph, planner: &str| {
            let (problem, plan) = plan(graph, planner, &[]);
            graph_executor(graph, &problem, &plan).expect_err("no form").key.to_string()
        };
        assert_eq!(refused(&graph, "first-fit"), "fault.export-addresses");
        assert_eq!(refused(&graph, "lower-bound"), "fault.export-addresses");
        let mut strange = graph.clone();
        strange.devices.iter_mut().for_each(|device| *device = "abacus".into());
        assert_eq!(refused(&strange, "nnvm"), "fault.export-device");
        let mut odd = graph.clone();
        odd.tensors[TensorId(0)].bytes = Some(7);
        assert_eq!(refused(&odd, "nnvm"), "fault.export-size");
        let mut open = graph;
        open.symbols.insert("s0".into(), memplan_core::graph::Symbol { hint: 3, min: None, max: None });
        open.tensors[TensorId(0)].shape[0] = Dim::Expr(memplan_core::graph::Expr::parse("s0").expect("a symbol"));
        assert_eq!(refused(&open, "nnvm"), "fault.export-shape");
    }
}
