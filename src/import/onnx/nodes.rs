//! The walk over a model: weights, inputs and nodes into a graph, with what is known of every
//! tensor on the way.

use std::collections::{BTreeMap, HashSet};

use super::constant::{numbers, of_attribute};
use super::extent::{Extent, words};
use super::hints::hints;
use super::infer::{self, Call, MAX_RANK, Value};
use super::messages::{AttributeProto, ValueInfo};
use super::model::{Model, Weight};
use super::node::{Node, is_own};
use super::notes::Notes;
use super::symbols::Symbols;
use super::{file_dims, types};
use crate::base::{Message, Names};
use crate::graph::{Attr, Dtype, Expr, Fault, Faults, Kind, RawDim, RawSymbol};
use crate::import::Answers;
use crate::import::ask::{Extent as StatedExtent, Stated};
use crate::import::build::{Builder, Slot, unknown_shape};

/// Operators whose windows decide which rows they need.
const WINDOWS: [&str; 5] = ["AveragePool", "BatchNormalization", "Conv", "ConvTranspose", "MaxPool"];

/// An attribute of a window as the graph has it; none of other attributes.
fn window(attribute: &AttributeProto) -> Option<(String, Attr)> {
    let name = attribute.name.as_str();
    let list = |numbers: &[i64]| Attr::Json(serde_json::to_string(numbers).unwrap_or_default());
    let value = match name {
        "strides" | "pads" | "dilations" | "kernel_shape" => list(&attribute.ints),
        "group" | "ceil_mode" | "training_mode" => Attr::Json(attribute.i?.to_string()),
        "auto_pad" => Attr::Text(String::from_utf8(attribute.s.clone()?.to_vec()).ok()?),
        _ => return None,
    };
    Some((name.to_string(), value))
}

/// Operators whose output is the first input with another shape.
const VIEWS: [&str; 5] = ["Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze"];

/// Most characters of all expressions in shapes together, so that a small file cannot fill the
/// memory with long ones; what goes beyond counts as not known.
const MAX_CHARACTERS: usize = 4 << 20;

pub struct ModelReader<'a> {
    model: &'a Model<'a>,
    answers: &'a Answers,
    builder: Builder,
    symbols: Symbols,
    slots: Names<&'a str, Slot>,
    /// What is known, by slot.
    values: Vec<Value>,
    outputs: HashSet<&'a str>,
    infos: Names<&'a str, &'a ValueInfo>,
    /// The first node that makes a name, once a fault asks for one.
    makers: Option<Names<&'a str, usize>>,
    /// Every extent that is no number, each once.
    expressions: BTreeMap<String, Expr>,
    /// Characters of expressions that may still be put in.
    room: usize,
    notes: Notes,
    faults: Faults,
}

impl<'a> ModelReader<'a> {
    pub fn new(model: &'a Model<'a>, answers: &'a Answers) -> ModelReader<'a> {
        let graph = &model.graph;
        let named = |info: &'a ValueInfo| (&*info.name, info);
        // Nearly every node makes one tensor.
        let tensors = model.nodes.len() + model.weights.len() + graph.input.len();
        let mut builder = Builder::new(&graph.name);
        builder.reserve(tensors, model.nodes.len());
        ModelReader {
            model,
            answers,
            builder,
            symbols: Symbols::new(&graph.input),
            slots: Names::with_capacity_and_hasher(tensors, Default::default()),
            values: Vec::with_capacity(tensors),
            outputs: graph.output.iter().map(|info| &*info.name).collect(),
            infos: graph.value_info.iter().chain(&graph.output).map(named).collect(),
            makers: None,
            expressions: BTreeMap::new(),
            room: MAX_CHARACTERS,
            notes: Notes::default(),
            faults: Faults::default(),
        }
    }

    /// # Errors
    /// Every fault found on the walk.
    pub fn finish(mut self) -> Result<(Builder, Notes), Vec<Fault>> {
        self.notes.renamed = std::mem::take(&mut self.symbols.renamed);
        self.notes.symbols = hints(&self.expressions);
        for (name, &hint) in &self.notes.symbols {
            self.builder.symbol(name, RawSymbol { hint: Some(hint), ..RawSymbol::default() });
        }
        if self.faults.is_empty() { Ok((self.builder, self.notes)) } else { Err(self.faults.into_vec()) }
    }

    pub fn weights(&mut self) {
        let model = self.model;
        for weight in &model.weights {
            let (contents, fractions) = match weight {
                Weight::Small(tensor) => infer::of_tensor(tensor),
                Weight::Head(_) => (None, None),
            };
            let value = Value { elem: weight.elem(), dims: numbers(weight.dims()), contents, fractions };
            self.notes.elsewhere += u64::from(weight.is_elsewhere());
            self.add(weight.name(), value, Kind::Weight, None);
        }
        for sparse in &model.sparse {
            let Some(values) = &sparse.values else { continue };
            let value = Value { elem: values.data_type, dims: numbers(&sparse.dims), ..Value::default() };
            // Stored are the entries that are not zero, and where they lie.
            let bytes = |elem: i32, dims: &[i64]| {
                let elements =
                    dims.iter().try_fold(1u64, |all, &extent| all.checked_mul(u64::try_from(extent).ok()?))?;
                Some(elements.checked_mul(types::dtype(elem)?.bits())?.div_ceil(8))
            };
            let places = sparse.indices.as_ref().map_or(Some(0), |indices| bytes(indices.data_type, &indices.dims));
            let bytes = bytes(values.data_type, &values.dims)
                .zip(places)
                .and_then(|(values, places)| values.checked_add(places));
            let slot = self.add(&values.name, value, Kind::Weight, None);
            if let Some(tensor) = slot.and_then(|slot| self.builder.tensor_mut(slot)) {
                tensor.bytes = bytes;
            }
        }
    }

    /// Before IR version 4 initializers are listed among the inputs too.
    pub fn inputs(&mut self) {
        let model = self.model;
        for info in &model.graph.input {
            if self.slots.contains_key(&*info.name) {
                continue;
            }
            let mut value = self.stated_in_file(info);
            for (axis, extent) in value.dims.iter_mut().flatten().enumerate() {
                if *extent == Extent::Open {
                    *extent = self.symbols.fresh(&info.name, axis);
                }
                self.symbols.note_input(extent);
            }
            if !is_complete(&value) {
                self.state(&info.name, &mut value);
            }
            self.add(&info.name, value, Kind::Input, Some(info));
        }
    }

    pub fn nodes(&mut self) {
        let model = self.model;
        for (index, bytes) in model.nodes.iter().enumerate() {
            if self.faults.are_enough() {
                return;
            }
            let read = Node::read(bytes).and_then(|node| node.decoded().map(|attributes| (node, attributes)));
            match read {
                Ok((node, attributes)) if node.is("Constant") => self.constant(&node, &attributes),
                Ok((node, attributes)) => self.node(index, &node, &attributes),
                Err(message) => self.faults.push(Fault::new(format!("graph.node[{index}]"), message)),
            }
        }
    }

    fn constant(&mut self, node: &Node<'a>, attributes: &[AttributeProto]) {
        self.notes.constants += 1;
        let Some(&name) = node.output.first() else { return };
        let value = attributes.iter().find_map(of_attribute).unwrap_or_default();
        self.add(name, value, Kind::Weight, self.infos.get(name).copied());
    }

    fn node(&mut self, index: usize, node: &Node<'a>, attributes: &[AttributeProto]) {
        let mut inputs = Vec::with_capacity(node.input.len());
        for &name in &node.input {
            let slot = self.slots.get(name).copied();
            if slot.is_none() && !name.is_empty() && !self.faults.are_enough() {
                self.missing(index, node, name);
            }
            inputs.push(slot);
        }
        let known = inputs.iter().map(|slot| slot.and_then(|slot| self.values.get(slot.0))).collect();
        let results = infer::infer(&Call::new(node, attributes, self.model.version(), known));
        let mut outputs = Vec::with_capacity(node.output.len());
        for (&name, value) in node.output.iter().zip(results) {
            if !name.is_empty() {
                outputs.extend(self.output(node, name, value));
            }
        }
        let is_view =
            is_own(node.domain) && VIEWS.contains(&node.op_type) && inputs.first().is_some_and(Option::is_some);
        let inputs: Vec<Slot> = inputs.into_iter().flatten().collect();
        let made = self.builder.node(node.label(), node.op_type, &inputs, &outputs);
        if is_own(node.domain) && WINDOWS.contains(&node.op_type) {
            attributes.iter().filter_map(window).for_each(|(key, value)| drop(made.attrs_mut().insert(key, value)));
        }
        if !is_own(node.domain) {
            made.attrs_mut().insert("custom".to_string(), Attr::Text("true".to_string()));
        }
        if is_view {
            self.notes.views += 1;
            made.attrs_mut().insert("alias".to_string(), Attr::Text("true".to_string()));
        }
    }

    /// Shape and type of an output: from the file, else from the operator, else from the user.
    fn output(&mut self, node: &Node, name: &'a str, inferred: Value) -> Option<Slot> {
        let info = self.infos.get(name).copied();
        let file = info.map(|info| self.stated_in_file(info)).unwrap_or_default();
        let had_file = is_complete(&file);
        let mut value = self.merged(name, file, inferred);
        if is_complete(&value) {
            *(if had_file { &mut self.notes.from_file } else { &mut self.notes.inferred }) += 1;
        } else if !self.state(name, &mut value) && !infer::knows(node) {
            let domain = if is_own(node.domain) { String::new() } else { format!("{}::", node.domain) };
            self.notes.no_rule.insert(format!("{domain}{}", node.op_type));
        }
        let kind = if self.outputs.contains(name) { Kind::Output } else { Kind::Intermediate };
        self.add(name, value, kind, info)
    }

    /// Takes over the shape that the user states for a tensor; whether there is one. A size in
    /// bytes is put in at the end.
    fn state(&mut self, name: &str, value: &mut Value) -> bool {
        match self.answers.stated(name) {
            Ok(Some(Stated { dtype, extent: StatedExtent::Shape(shape) })) => {
                value.dims = Some(shape.iter().map(stated_extent).collect());
                value.elem = match dtype {
                    Some(dtype) => types::elem_of(dtype),
                    None if value.elem == 0 => types::FLOAT,
                    None => value.elem,
                };
                true
            }
            Ok(stated) => stated.is_some(),
            Err(fault) => {
                self.faults.push(fault);
                true
            }
        }
    }

    fn missing(&mut self, index: usize, node: &Node, name: &str) {
        let model = self.model;
        let makers = self.makers.get_or_insert_with(|| makers(model));
        let message = match makers.get(name) {
            Some(&maker) if maker == index => Message::new("fault.reads-own-output"),
            Some(&maker) if maker > index => {
                let maker_name = self.model.nodes.get(maker).and_then(|bytes| Node::read(bytes).ok());
                let maker_name = maker_name.map_or("", |node| node.label());
                Message::new("fault.onnx-order").text("maker", maker_name).count("later", (maker - index) as u64)
            }
            _ => Message::new("fault.onnx-undefined"),
        };
        self.faults.push(Fault::new(node.label(), message.text("node", node.label()).text("name", name)));
    }

    /// The shape and type that the file states for a tensor.
    fn stated_in_file(&mut self, info: &ValueInfo) -> Value {
        let kind = info.kind.as_ref();
        let elem =
            kind.and_then(|kind| kind.tensor.as_ref().or(kind.sparse.as_ref())).map_or(0, |tensor| tensor.elem_type);
        let dims = file_dims(info).filter(|dims| dims.len() <= MAX_RANK);
        let dims = dims.map(|dims| dims.iter().map(|dim| self.symbols.extent(dim)).collect());
        Value { elem, dims, ..Value::default() }
    }

    /// Combines the extents of the file and of the operator. Numbers of the file win. A symbol that
    /// no input has is a placeholder of the exporter: the operator's extent replaces it.
    fn merged(&mut self, name: &str, file: Value, inferred: Value) -> Value {
        let elem = if file.elem == 0 { inferred.elem } else { file.elem };
        let dims = match (file.dims, inferred.dims) {
            (None, other) | (other, None) => other,
            (Some(file), Some(operator)) => {
                let differ =
                    |(a, b): (&Extent, &Extent)| matches!((a.known(), b.known()), (Some(a), Some(b)) if a != b);
                if file.len() != operator.len() || file.iter().zip(&operator).any(differ) {
                    self.notes.conflicts += 1;
                    self.notes.conflict.get_or_insert_with(|| [name.to_string(), words(&file), words(&operator)]);
                    Some(file)
                } else {
                    let pairs = file.into_iter().zip(operator);
                    Some(pairs.map(|(file, operator)| self.better(file, operator)).collect())
                }
            }
        };
        Value { elem, dims, contents: inferred.contents, fractions: None }
    }

    fn better(&self, file: Extent, operator: Extent) -> Extent {
        let is_made_up = match &file {
            Extent::Known(_) => false,
            Extent::Open => true,
            Extent::Text(text) => Expr::parse(text)
                .is_ok_and(|expr| expr.symbols().iter().any(|symbol| !self.symbols.is_of_inputs(symbol))),
        };
        if is_made_up && operator != Extent::Open { operator } else { file }
    }

    /// Puts a tensor in, unless its name is taken.
    fn add(&mut self, name: &'a str, value: Value, kind: Kind, info: Option<&ValueInfo>) -> Option<Slot> {
        if self.slots.contains_key(name) {
            self.faults.push(Fault::new(name, Message::new("fault.onnx-twice").text("name", name)));
            return None;
        }
        let odd = info.and_then(odd_type).or((value.elem == types::STRING).then_some("string"));
        let dtype = types::dtype(value.elem);
        let mut shape = match &value.dims {
            Some(dims) if dtype.is_some() && odd.is_none() => dims.iter().map(Extent::raw).collect(),
            _ => unknown_shape(),
        };
        if !self.note_expressions(&shape) {
            shape = unknown_shape();
        }
        let is_typed = dtype.is_some();
        let dtype = dtype.unwrap_or(if odd.is_some() { Dtype::UInt8 } else { Dtype::Float32 });
        let slot = self.builder.tensor(name, dtype, shape, kind);
        let shown = self.builder.name_of(slot);
        if let Some(odd) = odd {
            self.notes.odd_types.entry(odd).or_default().add(shown);
        } else if !is_typed {
            self.notes.no_type.add(shown);
        }
        self.slots.insert(name, slot);
        self.values.push(value);
        Some(slot)
    }

    /// Notes the expressions of a shape; whether there is room for them.
    fn note_expressions(&mut self, shape: &[RawDim]) -> bool {
        let length = |dim: &RawDim| if let RawDim::Text(text) = dim { text.len() } else { 0 };
        let Some(room) = self.room.checked_sub(shape.iter().map(length).sum()) else { return false };
        self.room = room;
        for dim in shape {
            if let RawDim::Text(text) = dim
                && !self.expressions.contains_key(text)
                && let Ok(expr) = Expr::parse(text)
            {
                self.expressions.insert(text.clone(), expr);
            }
        }
        true
    }
}

fn makers<'a>(model: &'a Model<'a>) -> Names<&'a str, usize> {
    let mut makers = Names::default();
    for (index, bytes) in model.nodes.iter().enumerate() {
        for &name in Node::read(bytes).iter().flat_map(|node| &node.output).filter(|name| !name.is_empty()) {
            makers.entry(name).or_insert(index);
        }
    }
    makers
}

fn stated_extent(dim: &RawDim) -> Extent {
    match dim {
        RawDim::Fixed(extent) => i64::try_from(*extent).map_or(Extent::Open, Extent::Known),
        RawDim::Text(text) => Extent::parse(text),
    }
}

fn is_complete(value: &Value) -> bool {
    let known = |extent: &Extent| match extent {
        Extent::Known(value) => *value >= 0,
        Extent::Text(_) => true,
        Extent::Open => false,
    };
    types::dtype(value.elem).is_some() && value.dims.as_ref().is_some_and(|dims| dims.iter().all(known))
}

/// Types that have no size of their own.
fn odd_type(info: &ValueInfo) -> Option<&'static str> {
    let kind = info.kind.as_ref()?;
    if kind.sequence.is_some() {
        Some("sequence")
    } else if kind.map.is_some() {
        Some("map")
    } else if kind.optional.is_some() {
        Some("optional")
    } else if kind.sparse.is_some() {
        Some("sparse tensor")
    } else {
        None
    }
}
