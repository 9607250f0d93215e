//! Nodes that hold graphs: `If`, `Loop` and `Scan`. Such a node is one step, and what is alive
//! inside is scratch of that step.
//!
//! A result of the node is the tensor that a node inside makes, and it takes memory from there on.
//! The graph around counts it during the whole step, so scratch is only the part of the largest
//! load inside that exceeds the bytes of the results: the step needs the larger of the two.

use std::ops::Range;

use super::common::Held;
use super::infer::Value;
use super::messages::AttributeProto;
use super::model::Net;
use super::node::Node;
use super::nodes::GraphReader;
use super::survey::{MAX_DEPTH, captured};
use super::types::{self, BOOL, INT64};
use crate::import::Unshown;
use crate::import::answers::{Extent as StatedExtent, Question, Stated, fill};
use crate::import::build::{Slot, unknown_shape};
use crate::import::peak::{in_bytes, larger, peak};
use crate::import::shape::{Dims, Extent, axis_of, product};
use memplan_core::base::Message;
use memplan_core::graph::{Dtype, Fault, Kind, RawDim};

use Extent::{Known, Open};

/// The attribute of the graph of a `Loop` or a `Scan`.
const BODY: &str = "body";

/// What a node with bodies reads, makes and needs.
#[derive(Default)]
pub struct Compound<'a> {
    pub results: Vec<Value>,
    /// Tensors around the node that its bodies read.
    pub captured: Vec<&'a str>,
    /// Weights of its bodies.
    pub weights: Vec<Slot>,
    /// What is alive inside.
    pub inside: Inside,
}

/// The memory that the bodies of a node take, with their results.
#[derive(Default)]
pub struct Inside {
    /// The most bytes at one step inside.
    most: Extent,
    /// Tensors inside without a size.
    open: Vec<String>,
    /// The first result that is put together from slices, one from every turn.
    first_slice: Option<usize>,
    /// The bytes of a slice of each of these results, the last of which is made in the last turn.
    slices: Vec<Extent>,
}

/// What goes into a body in one place.
#[derive(Clone, Default)]
struct Entry {
    value: Value,
    /// Whether it has storage of its own, other than that of an operand of the node.
    is_own: bool,
}

/// A body after reading.
struct Body {
    results: Vec<Value>,
    /// The most bytes at one step.
    most: Extent,
    /// Tensors inside without a size.
    open: Vec<String>,
    weights: Vec<(String, Dtype, Vec<RawDim>, Option<u64>)>,
}

impl<'a> GraphReader<'a, '_> {
    /// Reads the bodies of a node.
    pub fn compound(&mut self, node: &Node<'a>, attributes: &[AttributeProto]) -> Compound<'a> {
        let count = node.output.len();
        let captured = captured(node, self.common.depth).unwrap_or_default();
        let mut found = Compound { results: vec![Value::default(); count], captured, ..Compound::default() };
        let bodies = node.bodies();
        let body = |name: &str| bodies.iter().find(|(found, _)| *found == name).map(|(_, bytes)| *bytes);
        let (mut inside, mut weights) = (Inside { most: Known(0), ..Inside::default() }, Vec::new());
        let mut take = |body: &mut Body, is_first: bool| {
            inside.most = if is_first { body.most.clone() } else { larger(&inside.most, &body.most) };
            inside.open.append(&mut body.open);
            weights.append(&mut body.weights);
        };
        if node.is("If") {
            let chosen = self.constant_condition(node);
            let names = [(1, "then_branch"), (0, "else_branch")];
            let wanted = names.into_iter().filter(|(is, _)| chosen.is_none_or(|chosen| chosen == (*is == 1)));
            let mut is_first = true;
            for (name, bytes) in wanted.filter_map(|(_, name)| Some((name, body(name)?))) {
                let Some(mut body) = self.body(node, (name, bytes), Vec::new()) else { continue };
                take(&mut body, is_first);
                let both = found
                    .results
                    .iter()
                    .zip(&body.results)
                    .map(|(a, b)| if is_first { b.clone() } else { merged(a, b) });
                found.results = both.collect();
                is_first = false;
            }
        } else if let Some(bytes) = body(BODY).filter(|_| node.is("Loop")) {
            self.common.notes.loops.add(node.label());
            if let Some((results, mut body)) = self.turns(node, bytes) {
                take(&mut body, true);
                inside.first_slice = node.input.len().checked_sub(2);
                inside.slices = slices(&body, 1 + node.input.len().saturating_sub(2));
                found.results = results;
            }
        } else if let Some(bytes) = body(BODY).filter(|_| node.is("Scan") && self.common.version >= 9) {
            if let Some((states, results, mut body)) = self.scan(node, attributes, bytes) {
                take(&mut body, true);
                inside.first_slice = Some(states);
                inside.slices = slices(&body, states);
                found.results = results;
            }
        } else {
            self.common.notes.closed_bodies.add(node.label());
        }
        found.results.resize(count, Value::default());
        for (name, dtype, shape, bytes) in weights {
            let slot = self.builder.tensor(&format!("{}/{name}", node.label()), dtype, shape, Kind::Weight);
            if let Some(tensor) = self.builder.tensor_mut(slot) {
                tensor.bytes = bytes;
            }
            found.weights.push(slot);
        }
        found.inside = inside;
        found
    }

    /// The bytes of the results of a node that its bodies make, as the graph around counts them.
    fn handed_out(&self, node: &Node, inside: &Inside) -> Extent {
        let mut sum = Known(0);
        for (at, &name) in node.output.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            let slice = inside.first_slice.and_then(|first| inside.slices.get(at.checked_sub(first)?));
            let stated = || match self.common.answers.stated(name) {
                Ok(Some(Stated { extent: StatedExtent::Bytes(bytes), .. })) => i64::try_from(bytes).ok().map(Known),
                _ => None,
            };
            let held = || self.find(name).map_or(Open, |held| bytes_of(&held.value));
            sum = sum.plus(&slice.cloned().or_else(stated).unwrap_or_else(held));
        }
        sum
    }

    /// What a node needs while it runs besides its operands and results. The results are in the
    /// graph already.
    pub fn scratch(&mut self, node: &Node, inside: Inside) -> Option<Slot> {
        let own = larger(&inside.most.minus(&self.handed_out(node, &inside)), &Known(0));
        if inside.most == Known(0) || own == Known(0) {
            return None;
        }
        let open = inside.open;
        let shape = vec![own.raw()];
        let is_open = own == Open || !self.note_expressions(&shape);
        let name = format!("{}/body", node.label());
        let shape = if is_open { unknown_shape() } else { shape };
        let slot = self.builder.tensor(&name, Dtype::UInt8, shape, Kind::Intermediate);
        let shown = self.builder.name_of(slot);
        let common = &mut self.common;
        if common.depth > 0 {
            common.note_inside(shown);
        }
        if is_open && !common.answers.shapes.contains_key(shown) {
            common.notes.open_inside.extend(open);
        }
        if common.depth == 0 {
            common.notes.bodies.push((node.label().to_string(), own));
        }
        Some(slot)
    }

    /// Whether the condition of an `If` is known before a run.
    fn constant_condition(&self, node: &Node) -> Option<bool> {
        let value = &self.find(node.input.first()?)?.value;
        value.contents.as_ref()?.first()?.known().map(|condition| condition != 0)
    }

    /// The operand in a place of a node.
    fn operand(&self, node: &Node, place: usize) -> Option<&Held> {
        node.input.get(place).filter(|name| !name.is_empty()).and_then(|name| self.find(name))
    }

    /// `Loop`: a number of turns, a condition, states that go from turn to turn, and one slice of
    /// each other result for every turn.
    fn turns(&mut self, node: &Node, bytes: &[u8]) -> Option<(Vec<Value>, Body)> {
        let first = |held: Option<&Held>| held?.value.contents.as_ref()?.first().cloned();
        let limit = match first(self.operand(node, 0)) {
            // No turn if the number is negative.
            Some(Known(limit)) => Known(limit.max(0)),
            other => other.unwrap_or(Open),
        };
        let begins =
            node.input.get(1).is_none_or(|name| name.is_empty()) || first(self.operand(node, 1)) == Some(Known(1));
        // A single turn reads the operands themselves.
        let is_own = !matches!(limit, Known(..=1));
        let states: Vec<Value> = (2..node.input.len())
            .map(|place| self.operand(node, place).map(|held| held.value.without_contents()).unwrap_or_default())
            .collect();
        let scalar = |elem: i32, contents: Option<Vec<Extent>>| Value {
            elem,
            dims: Some(Vec::new()),
            contents,
            ..Value::default()
        };
        let mut entries = vec![
            Entry { value: scalar(INT64, None), is_own: true },
            Entry { value: scalar(BOOL, begins.then(|| vec![Known(1)])), is_own: true },
        ];
        entries.extend(states.iter().map(|value| Entry { value: value.clone(), is_own }));
        let (mut body, states) = self.settled(node, bytes, entries, 2..node.input.len(), 1)?;
        let is_endless =
            begins && body.results.first().and_then(|go_on| go_on.contents.clone()) == Some(vec![Known(1)]);
        if matches!(limit, Known(..=0)) {
            body.most = Known(0);
        }
        let turns = if is_endless { limit } else { Open };
        let mut results = states;
        for slice in body.results.iter().skip(1 + results.len()) {
            let dims = slice.dims.as_ref().map(|dims| [std::slice::from_ref(&turns), &dims[..]].concat());
            results.push(Value { elem: slice.elem, dims, ..Value::default() });
        }
        Some((results, body))
    }

    /// `Scan`: states, and one slice of each other operand and result for every turn. ONNX Runtime
    /// reads and writes slices in place.
    /// Returns the number of states, too.
    fn scan(&mut self, node: &Node, attributes: &[AttributeProto], bytes: &[u8]) -> Option<(usize, Vec<Value>, Body)> {
        let find = |name: &str| attributes.iter().find(|attribute| attribute.name == name);
        let scanned = usize::try_from(find("num_scan_inputs")?.i?).ok()?;
        let states = node.input.len().checked_sub(scanned)?;
        let axis = |name: &str, at: usize| find(name).and_then(|axes| axes.ints.get(at).copied()).unwrap_or(0);
        let mut turns = Open;
        let mut entries = Vec::with_capacity(node.input.len());
        for place in 0..node.input.len() {
            let value = self.operand(node, place).map(|held| held.value.without_contents()).unwrap_or_default();
            let mut entry = Entry { value, is_own: true };
            if place >= states {
                let sliced = entry.value.dims.take().and_then(|mut dims| {
                    let at = axis_of(axis("scan_input_axes", place - states), dims.len())?;
                    let extent = dims.remove(at);
                    turns = if turns == Open { extent } else { turns.clone() };
                    Some(dims)
                });
                entry = Entry { value: Value { dims: sliced, ..entry.value }, is_own: false };
            }
            entries.push(entry);
        }
        if matches!(turns, Known(..=1)) {
            entries.iter_mut().for_each(|entry| entry.is_own = false);
        }
        let (mut body, mut results) = self.settled(node, bytes, entries, 0..states, 0)?;
        if turns == Known(0) {
            body.most = Known(0);
        }
        for (at, slice) in body.results.iter().skip(states).enumerate() {
            let dims = slice.dims.clone().and_then(|mut dims: Dims| {
                let at = axis_of(axis("scan_output_axes", at), dims.len() + 1)?;
                dims.insert(at, turns.clone());
                Some(dims)
            });
            results.push(Value { elem: slice.elem, dims, ..Value::default() });
        }
        Some((states, results, body))
    }

    /// Reads a body whose states have the same shapes after every turn. A state that grows has
    /// extents that are not known. Returns the states after the last turn, too. `states`: where
    /// they lie among the entries; `from`: the first of them among the results.
    fn settled(
        &mut self,
        node: &Node,
        bytes: &[u8],
        mut entries: Vec<Entry>,
        states: Range<usize>,
        from: usize,
    ) -> Option<(Body, Vec<Value>)> {
        let notes = self.common.notes.clone();
        let mut body = self.body(node, (BODY, bytes), entries.clone())?;
        let after = |body: &Body, entries: &[Entry]| -> Vec<Value> {
            let pairs = entries.get(states.clone()).into_iter().flatten().zip(body.results.iter().skip(from));
            pairs.map(|(before, after)| unchanged(&before.value, after)).collect()
        };
        let mut last = after(&body, &entries);
        let begun = entries.iter_mut().skip(states.start).zip(&last);
        let mut grows = false;
        for (entry, state) in begun {
            grows |= state.dims != entry.value.dims;
            entry.value = state.clone();
        }
        if grows && self.common.depth < 2 {
            self.common.notes = notes;
            body = self.body(node, (BODY, bytes), entries.clone())?;
            last = after(&body, &entries);
        } else if grows {
            body.most = Open;
            self.common.unshown.graphs.remove(&key(node, BODY));
        }
        Some((body, last))
    }

    /// Reads one body, in the attribute `name`, with these inputs.
    fn body(&mut self, node: &Node, (name, bytes): (&str, &[u8]), entries: Vec<Entry>) -> Option<Body> {
        let refuse = |reader: &mut Self, message: Message| {
            reader.common.faults.push(Fault::new(node.label(), message));
            None
        };
        let net = match Net::of_body(bytes) {
            Ok(net) => net,
            Err(message) => return refuse(self, message),
        };
        let nodes = net.nodes.len() as u64;
        let Some(left) = self.common.nodes_left.checked_sub(nodes).filter(|_| self.common.depth < MAX_DEPTH) else {
            let message = Message::new("fault.onnx-bodies-large").text("node", node.label());
            return refuse(self, message.count("limit", super::layout::MAX_ITEMS));
        };
        self.common.nodes_left = left;
        let beside = std::mem::take(&mut self.common.unshown);
        let common = self.common.inner();
        let around = self.around();
        let mut inner = match GraphReader::of_body(common, &net, &around) {
            Ok(inner) => inner,
            Err(refused) => {
                let (common, fault) = *refused;
                self.common = common.outer();
                self.common.faults.push(fault);
                return None;
            }
        };
        let own = inner.read_body(&net, entries);
        let mut results = Vec::with_capacity(net.graph.output.len());
        let mut handed = Vec::with_capacity(net.graph.output.len());
        for info in &net.graph.output {
            results.push(inner.find(&info.name).map(|held| held.value.clone()).unwrap_or_default());
            handed.extend(inner.held_here(&info.name));
        }
        let outside: Vec<Slot> = inner.outside.values().copied().chain(own).collect();
        let values = inner.in_numbers(|_| true);
        let mut raw = inner.builder.into_raw();
        self.common = inner.common.outer();
        let inside = Unshown { values, ..std::mem::replace(&mut self.common.unshown, beside) };
        self.common.unshown.graphs.insert(key(node, name), inside);
        let mut open = Vec::new();
        match fill(&mut raw, self.common.answers) {
            Ok(questions) => {
                for question in questions {
                    let Question::Shapes(tensors) = question else { continue };
                    open.extend(tensors.into_iter().map(|tensor| tensor.tensor));
                }
            }
            Err(faults) => self.common.faults.extend(faults),
        }
        let is_weight = |at: usize| raw.tensors[at].kind == Some(Kind::Weight) && !outside.contains(&Slot(at));
        let weights = (0..raw.tensors.len()).filter(|&at| is_weight(at)).map(|at| {
            let tensor = &raw.tensors[at];
            let dtype = tensor.dtype.unwrap_or(Dtype::UInt8);
            (tensor.name.clone().unwrap_or_default(), dtype, tensor.shape.clone().unwrap_or_default(), tensor.bytes)
        });
        let weights = weights.collect();
        Some(Body { results, most: peak(&raw, &handed), open, weights })
    }

    /// Walks over the graph of a body. Returns the slots of inputs that have no storage of their
    /// own.
    fn read_body(&mut self, net: &'a Net<'a>, entries: Vec<Entry>) -> Vec<Slot> {
        self.weights();
        let mut borrowed = Vec::new();
        let mut entries = entries.into_iter();
        for info in &net.graph.input {
            let entry = entries.next().unwrap_or_default();
            let file = self.stated_in_file(info);
            let mut value = self.merged(&info.name, file, entry.value);
            if !super::nodes::is_complete(&value) {
                self.state(&info.name, &mut value);
            }
            let kind = if entry.is_own { Kind::Input } else { Kind::Weight };
            let slot = self.add(&info.name, value, kind, Some(info));
            borrowed.extend(slot.filter(|_| !entry.is_own));
        }
        self.nodes();
        borrowed
    }
}

/// By what the graph in an attribute of a node goes.
fn key(node: &Node, attribute: &str) -> (String, String) {
    let first = node.output.iter().find(|name| !name.is_empty());
    (first.copied().unwrap_or_default().to_string(), attribute.to_string())
}

/// The bytes of a tensor as an expression.
fn bytes_of(value: &Value) -> Extent {
    let (elem, dims) = value.stored_as();
    let bytes = || Some(in_bytes(&product(&dims?), types::dtype(elem)?));
    bytes().unwrap_or(Open)
}

/// The bytes of the slices among the results of a body, which begin at `from`. One without a size
/// counts nowhere.
fn slices(body: &Body, from: usize) -> Vec<Extent> {
    let bytes = |value: &Value| Some(bytes_of(value)).filter(|bytes| *bytes != Open).unwrap_or(Known(0));
    body.results.iter().skip(from).map(bytes).collect()
}

/// What holds for either of two results. The larger extent counts.
fn merged(a: &Value, b: &Value) -> Value {
    let elem = if a.elem == 0 { b.elem } else { a.elem };
    let dims = match (&a.dims, &b.dims) {
        (Some(a), Some(b)) if a.len() == b.len() => Some(a.iter().zip(b).map(|(a, b)| larger(a, b)).collect()),
        _ => None,
    };
    let contents = if a.contents == b.contents { a.contents.clone() } else { None };
    Value { elem, dims, contents, ..Value::default() }
}

/// A state before and after a turn: extents that change are not known.
fn unchanged(before: &Value, after: &Value) -> Value {
    let elem = if before.elem == 0 { after.elem } else { before.elem };
    let dims = match (&before.dims, &after.dims) {
        (Some(before), Some(after)) if before.len() == after.len() => {
            let same = |(a, b): (&Extent, &Extent)| if a == b { a.clone() } else { Open };
            Some(before.iter().zip(after).map(same).collect())
        }
        (None, other) => other.clone(),
        _ => None,
    };
    Value { elem, dims, ..Value::default() }
}
