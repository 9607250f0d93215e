//! The walk over a graph: weights, inputs and nodes into a graph of ours, with what is known of
//! every tensor on the way.

use std::collections::{BTreeMap, HashSet};

use super::common::{Around, Common, Held};
use super::constant::{numbers, of_attribute};
use super::entries;
use super::hints::hints;
use super::infer::{self, Call, Value};
use super::messages::{AttributeProto, ValueInfo};
use super::model::{Model, Net, Weight};
use super::node::{Node, is_own};
use super::survey::{Survey, survey};
use super::symbols::Symbols;
use super::types;
use crate::import::Answers;
use crate::import::answers::Constants;
use crate::import::build::{Builder, Slot, unknown_shape};
use crate::import::shape::Extent;
use memplan_core::base::{Message, Names};
use memplan_core::graph::{Attr, Dtype, Expr, Fault, Kind, RawDim, RawSymbol};

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

pub struct GraphReader<'a, 'm> {
    pub common: Common<'m>,
    pub builder: Builder,
    pub net: &'a Net<'a>,
    pub survey: Survey<'a>,
    around: Option<&'a Around<'a>>,
    /// Name → place in `held`.
    pub places: Names<&'a str, usize>,
    pub held: Vec<Held>,
    /// Slots of tensors that lie outside.
    pub outside: Names<&'a str, Slot>,
    outputs: HashSet<&'a str>,
    /// Values to which the file gives places, if results of nodes that compute from weights alone
    /// are among them.
    placed: HashSet<&'a str>,
    pub infos: Names<&'a str, &'a ValueInfo>,
    /// Nodes that were looked through for what reads a tensor.
    pub looked_through: usize,
}

impl<'a, 'm> GraphReader<'a, 'm> {
    /// # Errors
    /// The nodes cannot run in any order.
    pub fn of_model(model: &'a Model<'a>, answers: &'m Answers) -> Result<GraphReader<'a, 'm>, Vec<Fault>> {
        let net = &model.net;
        let common = Common::new(answers, model.version(), Symbols::new(&net.graph.input));
        // Since IR version 4, an initializer among the inputs is a default that a caller may
        // replace.
        let inputs: HashSet<&str> = net.graph.input.iter().map(|info| &*info.name).collect();
        let is_changeable = |name: &str| model.about.ir_version >= 4 && inputs.contains(name);
        let look = |fold: bool| survey(net, fold, &|_| false, &is_changeable).map_err(|fault| vec![fault]);
        let mut survey = look(answers.constants == Constants::Fold)?;
        let mut placed = entries::placed(model);
        let is_placed = |(bytes, is_folded): (&&[u8], &bool)| {
            let has_place = |node: &Node| node.output.iter().any(|name| placed.contains(name));
            Node::read(bytes).is_ok_and(|node| (*is_folded || node.is("Constant")) && has_place(&node))
        };
        if !placed.is_empty() && net.nodes.iter().zip(&survey.folded).any(is_placed) {
            survey = look(false)?;
        } else {
            placed.clear();
        }
        let mut reader = GraphReader { placed, ..GraphReader::new(common, net, survey, None) };
        reader.common.notes.is_unsorted = reader.survey.order.is_some();
        reader.common.block = model.channel_block();
        Ok(reader)
    }

    /// A reader of a graph inside a node.
    ///
    /// # Errors
    /// The nodes cannot run in any order.
    pub fn of_body(
        common: Common<'m>,
        net: &'a Net<'a>,
        around: &'a Around<'a>,
    ) -> Result<GraphReader<'a, 'm>, Box<(Common<'m>, Fault)>> {
        let fold = common.answers.constants == Constants::Fold;
        match survey(net, fold, &|name| around.is_fixed(name), &|_| false) {
            Ok(survey) => Ok(GraphReader::new(common, net, survey, Some(around))),
            Err(fault) => Err(Box::new((common, fault))),
        }
    }

    fn new(
        common: Common<'m>,
        net: &'a Net<'a>,
        survey: Survey<'a>,
        around: Option<&'a Around<'a>>,
    ) -> GraphReader<'a, 'm> {
        let graph = &net.graph;
        let named = |info: &'a ValueInfo| (&*info.name, info);
        // Nearly every node makes one tensor.
        let tensors = net.nodes.len() + net.weights.len() + graph.input.len();
        let mut builder = Builder::new(&graph.name);
        builder.reserve(tensors, net.nodes.len());
        GraphReader {
            common,
            builder,
            net,
            survey,
            around,
            places: Names::with_capacity_and_hasher(tensors, Default::default()),
            held: Vec::with_capacity(tensors),
            outside: Names::default(),
            outputs: graph.output.iter().map(|info| &*info.name).collect(),
            placed: HashSet::new(),
            infos: graph.value_info.iter().chain(&graph.output).map(named).collect(),
            looked_through: 0,
        }
    }

    /// # Errors
    /// Every fault found on the walk.
    pub fn finish(mut self) -> Result<(Builder, Common<'m>), Vec<Fault>> {
        let notes = &mut self.common.notes;
        notes.renamed = std::mem::take(&mut self.common.symbols.renamed);
        notes.given = self.common.answers.symbols.clone();
        notes.given.extend(self.common.bound.clone());
        notes.symbols = hints(&self.common.expressions, &notes.given);
        for (name, &hint) in &notes.symbols {
            self.builder.symbol(name, RawSymbol { hint: Some(hint), ..RawSymbol::default() });
        }
        if self.common.faults.is_empty() { Ok((self.builder, self.common)) } else { Err(self.common.faults.into_vec()) }
    }

    pub fn weights(&mut self) {
        let net = self.net;
        for weight in &net.weights {
            let (contents, fractions) = match weight {
                Weight::Small(tensor) => infer::of_tensor(tensor),
                Weight::Head(_) => (None, None),
            };
            let value =
                Value { elem: weight.elem(), dims: numbers(weight.dims()), contents, fractions, ..Value::default() };
            self.common.notes.elsewhere += u64::from(weight.is_elsewhere());
            self.add_weight(weight.name(), value, None);
        }
        for sparse in &net.sparse {
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
            self.add_weight(&values.name, value, None);
            self.store(&values.name, bytes);
        }
    }

    /// States the bytes of a weight that are not those of its type and shape.
    fn store(&mut self, name: &str, bytes: Option<u64>) {
        let Some(held) = self.places.get(name).and_then(|&place| self.held.get_mut(place)) else { return };
        held.stored = bytes;
        if let Some(tensor) = held.slot.and_then(|slot| self.builder.tensor_mut(slot)) {
            tensor.bytes = bytes.or(tensor.bytes);
        }
    }

    /// Before IR version 4 initializers are listed among the inputs too.
    pub fn inputs(&mut self) {
        let net = self.net;
        for info in &net.graph.input {
            if self.places.contains_key(&*info.name) {
                continue;
            }
            let mut value = self.stated_in_file(info);
            for (axis, extent) in value.dims.iter_mut().flatten().enumerate() {
                if *extent == Extent::Known(0) {
                    *extent = Extent::Open;
                    self.common.notes.zeros.add(&info.name);
                }
                if *extent == Extent::Open {
                    *extent = self.common.symbols.fresh(&info.name, axis);
                }
                self.common.symbols.note_input(extent);
            }
            if is_complete(&value) {
                self.bind(&info.name, &value);
            } else {
                self.state(&info.name, &mut value);
            }
            self.add(&info.name, value, Kind::Input, Some(info));
        }
    }

    pub fn nodes(&mut self) {
        let net = self.net;
        let order = self.survey.order.take();
        for step in 0..net.nodes.len() {
            if self.common.faults.are_enough() {
                return;
            }
            let index = order.as_ref().and_then(|order| order.get(step).copied()).unwrap_or(step);
            let Some(&bytes) = net.nodes.get(index) else { return };
            let read = Node::read(bytes).and_then(|node| node.decoded().map(|attributes| (node, attributes)));
            match read {
                Ok((node, attributes)) if node.is("Constant") && !self.has_place(&node) => {
                    self.constant(&node, &attributes);
                }
                Ok((node, attributes)) if self.survey.folded[index] => self.folded(&node, &attributes),
                Ok((node, attributes)) => self.node(&node, &attributes),
                Err(message) => self.common.faults.push(Fault::new(format!("graph.node[{index}]"), message)),
            }
        }
    }

    fn has_place(&self, node: &Node) -> bool {
        node.output.iter().any(|name| self.placed.contains(name))
    }

    fn constant(&mut self, node: &Node<'a>, attributes: &[AttributeProto]) {
        self.common.notes.constants += 1;
        let Some(&name) = node.output.first() else { return };
        let value = attributes.iter().find_map(of_attribute).unwrap_or_default();
        self.add_weight(name, value, self.infos.get(name).copied());
    }

    /// A node that computes from weights alone: what it makes are weights.
    fn folded(&mut self, node: &Node<'a>, attributes: &[AttributeProto]) {
        self.common.notes.folded_nodes += 1;
        let stored = match node.op_type {
            "DequantizeLinear" => node.input.first().and_then(|name| self.bytes_of(name)),
            "Transpose" => node.input.first().and_then(|name| self.find(name)?.stored),
            op if VIEWS.contains(&op) => node.input.first().and_then(|name| self.find(name)?.stored),
            _ => None,
        };
        let results = self.results(node, attributes);
        for (&name, inferred) in node.output.iter().zip(results).filter(|(name, _)| !name.is_empty()) {
            let (value, info) = self.value_of(node, name, inferred);
            if let Some(shown) = self.add_weight(name, value, info) {
                self.common.notes.folded.add(self.builder.name_of(shown));
            }
            self.store(name, stored);
            let bytes = self.bytes_of(name).filter(|_| self.find(name).is_some_and(|held| held.slot.is_some()));
            self.common.notes.folded_bytes = self.common.notes.folded_bytes.saturating_add(bytes.unwrap_or(0));
        }
    }

    /// The bytes of a tensor, if they are a number.
    fn bytes_of(&self, name: &str) -> Option<u64> {
        let held = self.find(name)?;
        let bits = || held.value.bits()?.known();
        held.stored.or_else(|| u64::try_from(bits()?).ok().map(|bits| bits.div_ceil(8)))
    }

    /// A tensor of this graph or of one around it.
    pub fn find(&self, name: &str) -> Option<&Held> {
        let here = self.places.get(name).and_then(|&place| self.held.get(place));
        here.or_else(|| self.around.and_then(|around| around.find(name)))
    }

    /// What stands around the graphs inside a node of this graph.
    pub fn around(&self) -> Around<'_> {
        Around { places: &self.places, held: &self.held, fixed: &self.survey.fixed, further: self.around }
    }

    /// Types and extents in numbers of the tensors of this graph that are `wanted`.
    pub fn in_numbers(&self, wanted: impl Fn(&Held) -> bool) -> BTreeMap<String, (Dtype, Vec<u64>)> {
        let of = |(name, place): (&&str, &usize)| {
            let held = self.held.get(*place).filter(|held| wanted(held))?;
            Some(((*name).to_string(), held.value.in_numbers()?))
        };
        self.places.iter().filter_map(of).collect()
    }

    /// What is known of the results of a node without bodies.
    fn results(&self, node: &Node, attributes: &[AttributeProto]) -> Vec<Value> {
        if node.is("Constant") {
            return vec![attributes.iter().find_map(of_attribute).unwrap_or_default()];
        }
        let value = |name: &&str| if name.is_empty() { None } else { self.find(name).map(|held| &held.value) };
        let known = node.input.iter().map(value).collect();
        infer::infer(&Call::new(node, attributes, self.common.version, self.common.block, known))
    }

    /// The slot of a tensor that a node reads; a tensor from outside gets one when it is first
    /// read.
    fn slot(&mut self, name: &'a str) -> Option<Slot> {
        if let Some(&place) = self.places.get(name) {
            return self.held.get(place)?.slot;
        }
        if let Some(&slot) = self.outside.get(name) {
            return Some(slot);
        }
        self.around?.find(name)?;
        // Its bytes are those of the graph around.
        let slot = self.builder.tensor(name, Dtype::UInt8, Vec::new(), Kind::Weight);
        self.outside.insert(name, slot);
        Some(slot)
    }

    fn node(&mut self, node: &Node<'a>, attributes: &[AttributeProto]) {
        let mut inputs = Vec::with_capacity(node.input.len());
        for &name in &node.input {
            let slot = self.slot(name);
            if slot.is_none() && !name.is_empty() && !self.common.faults.are_enough() {
                let message = Message::new("fault.onnx-undefined").text("node", node.label()).text("name", name);
                self.common.faults.push(Fault::new(node.label(), message));
            }
            inputs.push(slot);
        }
        self.read_parts(&node.input, &mut inputs);
        let has_bodies = !node.bodies().is_empty();
        let mut results = Vec::new();
        let mut inside = None;
        if has_bodies {
            let found = self.compound(node, attributes);
            results = found.results;
            for &name in &found.captured {
                let slot = self.slot(name);
                inputs.extend((!inputs.contains(&slot)).then_some(slot));
            }
            self.read_parts(&found.captured, &mut inputs);
            inputs.extend(found.weights.into_iter().map(Some));
            inside = Some(found.inside);
        } else {
            results.extend(self.results(node, attributes));
        }
        let mut outputs = Vec::with_capacity(node.output.len() + 1);
        for (&name, value) in node.output.iter().zip(results) {
            if !name.is_empty() {
                outputs.extend(self.output(node, name, value));
            }
        }
        let body = inside.and_then(|inside| self.scratch(node, inside));
        outputs.extend(body);
        let is_sequence =
            node.output.first().and_then(|name| self.find(name)).is_some_and(|held| !held.parts.is_empty());
        let is_view = is_own(node.domain)
            && VIEWS.contains(&node.op_type)
            && inputs.first().is_some_and(Option::is_some)
            && !is_sequence;
        let inputs: Vec<Slot> = inputs.into_iter().flatten().collect();
        let made = self.builder.node(node.label(), node.op_type, &inputs, &outputs);
        if is_own(node.domain) && WINDOWS.contains(&node.op_type) {
            attributes.iter().filter_map(window).for_each(|(key, value)| drop(made.attrs_mut().insert(key, value)));
        }
        if !is_own(node.domain) {
            made.attrs_mut().insert("custom".to_string(), Attr::Text("true".to_string()));
        }
        if body.is_some() {
            made.attrs_mut().insert("memplan.scratch".to_string(), Attr::Text("true".to_string()));
        }
        if is_view {
            self.common.notes.views += 1;
            made.attrs_mut().insert("alias".to_string(), Attr::Text("true".to_string()));
        }
    }

    /// Shape and type of an output: from the file, else from the operator, else from the user.
    fn output(&mut self, node: &Node, name: &'a str, inferred: Value) -> Vec<Slot> {
        let (value, info) = self.value_of(node, name, inferred);
        let kind = if self.outputs.contains(name) { Kind::Output } else { Kind::Intermediate };
        self.made(node, name, value, kind, info)
    }

    /// Inputs that are outputs as well: what a caller gets back must last to the end.
    pub fn returned(&mut self) {
        let net = self.net;
        let mut listed = HashSet::new();
        for info in net.graph.output.iter().filter(|info| listed.insert(&*info.name)) {
            let Some(&place) = self.places.get(&*info.name) else {
                if self.around.is_none_or(|around| around.find(&info.name).is_none()) {
                    self.common.notes.not_made.add(&info.name);
                }
                continue;
            };
            let Some(slot) = self.held.get(place).and_then(|held| held.slot) else { continue };
            let Some(tensor) = self.builder.tensor_mut(slot) else { continue };
            match tensor.kind {
                Some(Kind::Input) => {
                    let (dtype, shape) = (tensor.dtype.unwrap_or(Dtype::Float32), tensor.shape.clone());
                    let name = format!("{} (output)", info.name);
                    let view = self.builder.tensor(&name, dtype, shape.unwrap_or_else(unknown_shape), Kind::Output);
                    let made = self.builder.node(&name, "Identity", &[slot], &[view]);
                    made.attrs_mut().insert("alias".to_string(), Attr::Text("true".to_string()));
                    self.common.notes.returned.add(&info.name);
                }
                Some(Kind::Weight) => self.common.notes.fixed_results.add(&info.name),
                _ => {}
            }
        }
    }

    /// Puts a weight in. What only made other weights gets no slot.
    pub fn add_weight(&mut self, name: &'a str, value: Value, info: Option<&ValueInfo>) -> Option<Slot> {
        if self.survey.absorbed.contains(name) && !self.places.contains_key(name) {
            self.common.note_inside(name);
            self.places.insert(name, self.held.len());
            self.held.push(Held { value, ..Held::default() });
            return None;
        }
        self.add(name, value, Kind::Weight, info)
    }

    /// Puts a tensor in, unless its name is taken.
    pub fn add(&mut self, name: &'a str, value: Value, kind: Kind, info: Option<&ValueInfo>) -> Option<Slot> {
        if self.places.contains_key(name) {
            self.common.faults.push(Fault::new(name, Message::new("fault.onnx-twice").text("name", name)));
            return None;
        }
        let odd = info.and_then(odd_type).or((value.elem == types::STRING).then_some("string"));
        let odd = odd.filter(|_| value.sequence.is_none());
        let (elem, dims) = value.stored_as();
        let dtype = types::dtype(elem);
        let mut shape = match &dims {
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
        let common = &mut self.common;
        if common.depth > 0 {
            common.note_inside(name);
        }
        if let Some(odd) = odd {
            common.notes.odd_types.entry(odd).or_default().add(shown);
        } else if !is_typed && value.sequence.is_none() {
            common.notes.no_type.add(shown);
        }
        self.places.insert(name, self.held.len());
        self.held.push(Held { value, slot: Some(slot), ..Held::default() });
        Some(slot)
    }

    /// Notes the expressions of a shape; whether there is room for them.
    pub fn note_expressions(&mut self, shape: &[RawDim]) -> bool {
        let length = |dim: &RawDim| if let RawDim::Text(text) = dim { text.len() } else { 0 };
        let common = &mut self.common;
        let Some(room) = common.room.checked_sub(shape.iter().map(length).sum()) else { return false };
        common.room = room;
        for dim in shape {
            if let RawDim::Text(text) = dim
                && !common.expressions.contains_key(text)
                && let Ok(expr) = Expr::parse(text)
            {
                common.expressions.insert(text.clone(), expr);
            }
        }
        true
    }
}

pub fn is_complete(value: &Value) -> bool {
    let known = |extent: &Extent| match extent {
        Extent::Known(value) => *value >= 0,
        Extent::Text(_) => true,
        Extent::Open => false,
    };
    let (elem, dims) = value.stored_as();
    types::dtype(elem).is_some() && dims.as_ref().is_some_and(|dims| dims.iter().all(known))
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
