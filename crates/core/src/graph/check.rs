//! Turns a [`RawGraph`] into a [`Graph`] whose ids are all in range, or reports all its faults at
//! once.

use std::collections::BTreeMap;

use super::{
    DeviceId, Dim, Expr, ExprError, Fault, Faults, Graph, Kind, Node, NodeId, RawDim, RawGraph, RawNode, RawTensor,
    Symbol, Tensor, TensorId, UNKNOWN,
};
use crate::base::{IdVec, MAX_SAFE, Message, Names};

/// Something odd that does not keep a graph from being planned.
pub type Warning = Fault;

/// Device of everything that names none.
const DEFAULT_DEVICE: &str = "cpu";

/// Most nodes and tensors taken, so that a hostile file cannot exhaust memory.
pub const MAX_ITEMS: usize = 2_000_000;

/// Most letters of a name. Readers cut longer ones; symbols, which expressions refer to, are
/// refused.
pub const MAX_NAME: usize = 1_000;

/// Resolves names and checks order, kinds, sizes and permissions.
///
/// # Errors
/// Every fault found, each with its JSON path. Faults that the reader has already reported (fields
/// left `None`) are not repeated.
pub fn check(mut raw: RawGraph) -> Result<(Graph, Vec<Warning>), Vec<Fault>> {
    let mut checker = Checker::default();
    if raw.tensors.len() > MAX_ITEMS || raw.nodes.len() > MAX_ITEMS {
        let message = Message::new("fault.too-many").count("limit", MAX_ITEMS as u64);
        return Err(vec![Fault::new("", message)]);
    }
    let symbols = checker.symbols(std::mem::take(&mut raw.symbols));
    let names = checker.tensor_names(&raw.tensors);
    checker.faults.go_on()?;
    let mut graph = Graph { name: std::mem::take(&mut raw.name), symbols, ..Graph::default() };
    let mut devices = Devices::default();
    let producers = checker.producers(&raw, &names);
    checker.faults.go_on()?;
    for (index, tensor) in std::mem::take(&mut raw.tensors).into_iter().enumerate() {
        let producer = producers[index].map(|node| &raw.nodes[node]);
        let tensor = checker.tensor(index, tensor, producer, &graph.symbols, &mut devices);
        graph.tensors.push(tensor);
        checker.faults.go_on()?;
    }
    checker.node_names(&raw.nodes);
    checker.faults.go_on()?;
    for (index, node) in raw.nodes.into_iter().enumerate() {
        let node = checker.node(index, node, &names, &mut devices);
        graph.nodes.push(node);
        checker.faults.go_on()?;
    }
    if devices.names.is_empty() {
        devices.id(DEFAULT_DEVICE);
    }
    graph.devices = devices.names;
    checker.order(&graph, &producers);
    checker.permissions(&graph);
    checker.total(&graph);
    if checker.faults.is_empty() { Ok((graph, checker.warnings.into_vec())) } else { Err(checker.faults.into_vec()) }
}

#[derive(Default)]
struct Devices {
    names: IdVec<DeviceId, String>,
    ids: Names<String, DeviceId>,
}

impl Devices {
    fn id(&mut self, name: &str) -> DeviceId {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.names.push(name.to_string());
        self.ids.insert(name.to_string(), id);
        id
    }
}

#[derive(Default)]
struct Checker {
    faults: Faults,
    warnings: Faults,
}

impl Checker {
    fn fault(&mut self, path: String, message: Message) {
        self.faults.push(Fault::new(path, message));
    }

    fn warn(&mut self, path: String, message: Message) {
        self.warnings.push(Fault::new(path, message));
    }

    fn symbols(&mut self, raw: BTreeMap<String, super::RawSymbol>) -> BTreeMap<String, Symbol> {
        let mut symbols = BTreeMap::new();
        for (name, symbol) in raw {
            let path = format!("symbols.{name}");
            if name.chars().nth(MAX_NAME).is_some() {
                self.fault(path.clone(), Message::new("fault.symbol-name").count("limit", MAX_NAME));
            }
            if let (Some(min), Some(max)) = (symbol.min, symbol.max)
                && min > max
            {
                self.fault(path.clone(), Message::new("fault.symbol-range").count("min", min).count("max", max));
            }
            let hint = symbol.hint.or(symbol.min);
            match hint {
                Some(hint) => {
                    let low = symbol.min.is_some_and(|min| hint < min);
                    let high = symbol.max.is_some_and(|max| hint > max);
                    if low || high {
                        self.warn(path, Message::new("fault.symbol-hint").text("name", &name).count("hint", hint));
                    }
                    symbols.insert(name, Symbol { hint, min: symbol.min, max: symbol.max });
                }
                None => self.fault(path, Message::new("fault.symbol-value").text("name", &name)),
            }
        }
        symbols
    }

    fn tensor_names(&mut self, tensors: &[RawTensor]) -> Names<String, TensorId> {
        let mut names: Names<String, TensorId> = Names::with_capacity_and_hasher(tensors.len(), Default::default());
        for (index, tensor) in tensors.iter().enumerate() {
            if self.faults.are_enough() {
                break;
            }
            let Some(name) = &tensor.name else { continue };
            if name.is_empty() {
                self.fault(format!("tensors[{index}].name"), Message::new("fault.empty-name"));
                continue;
            }
            if let Some(first) = names.get(name) {
                let first = format!("tensors[{}]", first.0);
                self.fault(
                    format!("tensors[{index}].name"),
                    Message::new("fault.duplicate-tensor").text("name", name).text("first", first),
                );
                continue;
            }
            names.insert(name.clone(), TensorId(index as u32));
        }
        names
    }

    fn node_names(&mut self, nodes: &[RawNode]) {
        let mut names: Names<&str, usize> = Names::with_capacity_and_hasher(nodes.len(), Default::default());
        for (index, node) in nodes.iter().enumerate() {
            if self.faults.are_enough() {
                break;
            }
            let Some(name) = node.name.as_deref() else { continue };
            if let Some(first) = names.get(name) {
                let first = format!("nodes[{first}]");
                self.fault(
                    format!("nodes[{index}].name"),
                    Message::new("fault.duplicate-node").text("name", name).text("first", first),
                );
            } else {
                names.insert(name, index);
            }
        }
    }

    /// The node that makes each tensor; two producers are a fault.
    fn producers(&mut self, raw: &RawGraph, names: &Names<String, TensorId>) -> Vec<Option<usize>> {
        let mut producers = vec![None; raw.tensors.len()];
        for (index, node) in raw.nodes.iter().enumerate() {
            if self.faults.are_enough() {
                break;
            }
            for (slot, output) in node.outputs.iter().enumerate() {
                let Some(tensor) = names.get(output) else { continue };
                match producers[tensor.0 as usize] {
                    None => producers[tensor.0 as usize] = Some(index),
                    Some(first) => {
                        let first_name = node_label(&raw.nodes[first], first);
                        self.fault(
                            format!("nodes[{index}].outputs[{slot}]"),
                            Message::new("fault.two-producers").text("name", output).text("first", first_name),
                        );
                    }
                }
            }
        }
        producers
    }

    fn tensor(
        &mut self,
        index: usize,
        raw: RawTensor,
        producer: Option<&RawNode>,
        symbols: &BTreeMap<String, Symbol>,
        devices: &mut Devices,
    ) -> Tensor {
        let path = |field: &str| format!("tensors[{index}].{field}");
        let stated = raw.shape.unwrap_or_default();
        let mut shape = Vec::with_capacity(stated.len());
        for (axis, dim) in stated.into_iter().enumerate() {
            shape.push(match dim {
                RawDim::Fixed(extent) => Dim::Fixed(extent),
                RawDim::Text(text) if text.trim() == UNKNOWN => Dim::Unknown,
                RawDim::Text(text) => self.extent(format!("tensors[{index}].shape[{axis}]"), &text, symbols),
            });
        }
        if let Some(align) = raw.align
            && (!align.is_power_of_two() || align > 1 << 32)
        {
            self.fault(path("align"), Message::new("fault.alignment").count("align", align));
        }
        if raw.bytes.is_some_and(|bytes| bytes > MAX_SAFE) {
            self.fault(path("bytes"), Message::new("fault.too-large"));
        }
        let kind = raw.kind.unwrap_or(Kind::Intermediate);
        let real_producer = producer.is_some_and(|node| node.op.as_deref() != Some("placeholder"));
        let name = raw.name.unwrap_or_default();
        if matches!(kind, Kind::Input | Kind::Weight) && real_producer {
            let key = if kind == Kind::Input { "fault.input-produced" } else { "fault.weight-produced" };
            self.fault(path("kind"), Message::new(key).text("name", &name));
        }
        if matches!(kind, Kind::Intermediate | Kind::Output) && producer.is_none() && !name.is_empty() {
            self.fault(path("kind"), Message::new("fault.never-made").text("name", &name));
        }
        let own_device = raw.device.is_some();
        let device =
            raw.device.as_deref().or(producer.and_then(|node| node.device.as_deref())).unwrap_or(DEFAULT_DEVICE);
        Tensor {
            name,
            dtype: raw.dtype.unwrap_or(super::Dtype::UInt8),
            shape,
            kind,
            bytes: raw.bytes,
            device: devices.id(device),
            own_device,
            align: raw.align,
            mem_id: raw.mem_id,
            role: raw.role,
        }
    }

    fn extent(&mut self, path: String, text: &str, symbols: &BTreeMap<String, Symbol>) -> Dim {
        match Expr::parse(text) {
            Ok(expr) => {
                for name in expr.symbols() {
                    if !symbols.contains_key(name) {
                        self.fault(path.clone(), Message::new("fault.unknown-symbol").text("name", name));
                    }
                }
                Dim::Expr(expr)
            }
            Err(error) => {
                let message = match error {
                    ExprError::Syntax { at } => {
                        Message::new("fault.expression").text("text", text).count("at", at as u64 + 1)
                    }
                    _ => Message::new("fault.expression-depth"),
                };
                self.fault(path, message);
                Dim::Fixed(0)
            }
        }
    }

    fn node(&mut self, index: usize, raw: RawNode, names: &Names<String, TensorId>, devices: &mut Devices) -> Node {
        let mut resolve = |list: Vec<String>, field: &str| {
            let mut ids = Vec::with_capacity(list.len());
            for (slot, name) in list.into_iter().enumerate() {
                match names.get(&name) {
                    Some(&id) => ids.push(id),
                    None => self.faults.push(Fault::new(
                        format!("nodes[{index}].{field}[{slot}]"),
                        Message::new("fault.unknown-tensor").text("name", name),
                    )),
                }
            }
            ids
        };
        let (input_count, output_count) = (raw.inputs.len(), raw.outputs.len());
        let inputs = resolve(raw.inputs, "inputs");
        let outputs = resolve(raw.outputs, "outputs");
        let mut read = inputs.clone();
        read.sort();
        for (slot, output) in outputs.iter().enumerate() {
            if read.binary_search(output).is_ok() {
                self.fault(format!("nodes[{index}].outputs[{slot}]"), Message::new("fault.reads-own-output"));
            }
        }
        for (slot, &(input, output)) in raw.inplace.iter().enumerate() {
            if input as usize >= input_count || output as usize >= output_count {
                let message = Message::new("fault.inplace-index")
                    .count("inputs", input_count as u64)
                    .count("outputs", output_count as u64);
                self.fault(format!("nodes[{index}].inplace[{slot}]"), message);
            }
        }
        for (slot, &input) in raw.ignore_inputs.iter().enumerate() {
            if input as usize >= input_count {
                let message = Message::new("fault.ignore-index").count("inputs", input_count as u64);
                self.fault(format!("nodes[{index}].ignore_inputs[{slot}]"), message);
            }
        }
        Node {
            name: raw.name.unwrap_or_default(),
            op: raw.op.unwrap_or_default(),
            inputs,
            outputs,
            device: raw.device.map(|device| devices.id(&device)),
            inplace: raw.inplace,
            ignore_inputs: raw.ignore_inputs,
            attrs: raw.attrs,
        }
    }

    /// Every tensor is made before it is read; the message names both steps.
    fn order(&mut self, graph: &Graph, producers: &[Option<usize>]) {
        for (reader, node) in graph.nodes.enumerate() {
            if self.faults.are_enough() {
                break;
            }
            for (slot, input) in node.inputs.iter().enumerate() {
                let Some(maker) = producers[input.0 as usize] else { continue };
                if maker > reader.0 as usize {
                    let message = Message::new("fault.use-before-made")
                        .text("name", &graph.tensors[*input].name)
                        .count("reader", reader.0)
                        .text("maker", node_label_of(graph, NodeId(maker as u32)))
                        .count("step", maker as u64);
                    self.fault(format!("nodes[{}].inputs[{slot}]", reader.0), message);
                }
            }
        }
        let mut read = vec![false; graph.tensors.len()];
        for node in graph.nodes.iter() {
            // Scratch is there to be read by nobody.
            node.inputs.iter().copied().chain(node.scratch()).for_each(|input| read[input.0 as usize] = true);
        }
        for (id, tensor) in graph.tensors.enumerate() {
            if tensor.kind == Kind::Intermediate && !read[id.0 as usize] && producers[id.0 as usize].is_some() {
                self.warn(format!("tensors[{}]", id.0), Message::new("warning.never-read").text("name", &tensor.name));
            }
        }
    }

    fn permissions(&mut self, graph: &Graph) {
        let hints = graph.symbol_values(&BTreeMap::new());
        for (id, node) in graph.nodes.enumerate() {
            if node.op == "memory.view" {
                continue;
            }
            for (slot, &(input, output)) in node.inplace.iter().enumerate() {
                let pair = node.inputs.get(input as usize).zip(node.outputs.get(output as usize));
                let Some((&input, &output)) = pair else { continue };
                let sizes = graph.bytes_of(input, &hints).ok().zip(graph.bytes_of(output, &hints).ok());
                if let Some((from, to)) = sizes.filter(|(from, to)| from != to) {
                    let message = Message::new("fault.inplace-size").count("input", from).count("output", to);
                    self.fault(format!("nodes[{}].inplace[{slot}]", id.0), message);
                }
            }
        }
    }

    /// Every size has a value, and all of them together stay exact everywhere.
    fn total(&mut self, graph: &Graph) {
        let hints = graph.symbol_values(&BTreeMap::new());
        let mut total: u128 = 0;
        for (id, tensor) in graph.tensors.enumerate() {
            if self.faults.are_enough() {
                break;
            }
            match graph.bytes_of(id, &hints) {
                // Room for the largest alignment of the tensor itself.
                Ok(bytes) => total += bytes as u128 + tensor.align.unwrap_or(1).saturating_sub(1) as u128,
                // Reported where the shape was read; a tensor that has no size yet is no mistake.
                Err(ExprError::UnknownSymbol(_) | ExprError::Unknown) => {}
                Err(ExprError::TooLarge) => {
                    self.fault(format!("tensors[{}].shape", id.0), Message::new("fault.too-large"))
                }
                Err(error) => {
                    let message = Message::new("fault.extent-value").text("error", error.to_string());
                    self.fault(format!("tensors[{}].shape", id.0), message);
                }
            }
        }
        if total > MAX_SAFE as u128 && !self.faults.iter().any(|fault| fault.message.key == "fault.too-large") {
            self.fault("tensors".into(), Message::new("fault.sum-too-large"));
        }
    }
}

fn node_label(node: &RawNode, index: usize) -> String {
    node.name.clone().unwrap_or_else(|| format!("nodes[{index}]"))
}

fn node_label_of(graph: &Graph, node: NodeId) -> &str {
    &graph.nodes[node].name
}
