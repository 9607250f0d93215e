//! `memory-graph/1` JSON, the project's own format (docs/memory-graph.md). Walked by hand rather
//! than derived, so that every wrong field is reported at once with its path.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::answers::{self, Answers};
use super::content::Content;
use super::document::{Document, Parsed};
use super::loose::{Loose, Object};
use memplan_core::base::{MAX_SAFE, Message, Names};
use memplan_core::graph::{
    Attr, Attrs, Dtype, Fault, Faults, Graph, HandOver, Idle, Kind, MAX_ITEMS, RawDim, RawGraph, RawNode, RawSymbol,
    RawTensor, Stated, TensorId, TrainingRole, attrs, check,
};

const FORMAT: &str = "memory-graph/1";

const TOP: &[&str] = &["format", "name", "symbols", "tensors", "nodes", "stated", "description"];
const SYMBOL: &[&str] = &["hint", "min", "max"];
const TENSOR: &[&str] = &["name", "dtype", "shape", "kind", "bytes", "device", "align", "mem_id", "role"];
const NODE: &[&str] = &["name", "op", "inputs", "outputs", "device", "inplace", "ignore_inputs", "attrs"];
const STATED: &[&str] = &["inputs_are_there", "kept", "idle", "handed"];
const IDLE: &[&str] = &["tensor", "from", "until"];

/// Whether a file is a graph of this project, in whatever version.
pub fn sniff(content: &Content) -> bool {
    content.is_version_of(FORMAT)
}

/// Turns the JSON of a graph file into a checked graph.
///
/// # Errors
/// Broken JSON, another version, or every fault of the graph.
pub fn read(content: Content, answers: &Answers) -> Result<Parsed, Vec<Fault>> {
    content.check_version(FORMAT)?;
    let mut top = content.into_object()?;
    let mut reader = GraphReader::default();
    reader.unknown_keys(At::Top, &top, TOP);
    let name = reader.text(At::Top, &mut top, "name").unwrap_or_default();
    let mut raw = RawGraph { name, ..RawGraph::default() };
    if let Some(symbols) = top.take("symbols") {
        raw.symbols = reader.symbols(symbols);
    }
    for (index, tensor) in reader.items(&mut top, "tensors").into_iter().enumerate() {
        let tensor = reader.tensor(At::Tensor(index), tensor);
        raw.tensors.push(tensor);
        reader.faults.go_on()?;
    }
    for (index, node) in reader.items(&mut top, "nodes").into_iter().enumerate() {
        let node = reader.node(At::Node(index), node);
        raw.nodes.push(node);
        reader.faults.go_on()?;
    }
    reader.faults.extend(answers.unmet(&raw));
    let questions = answers::fill(&mut raw, answers)?;
    let checked = check(raw).map(|(mut graph, warnings)| {
        if let Some(stated) = top.take("stated") {
            graph.stated = reader.stated(stated, &graph);
        }
        (graph, warnings)
    });
    match checked {
        Ok((graph, warnings)) if reader.faults.is_empty() => {
            reader.warnings.extend(warnings);
            Ok(Parsed { warnings: reader.warnings.into_vec(), questions, ..Parsed::plain(Document::Graph(graph)) })
        }
        Ok(_) => Err(reader.faults.into_vec()),
        Err(faults) => {
            reader.faults.extend(faults);
            Err(reader.faults.into_vec())
        }
    }
}

/// A place in the file. Its path is written only when something is wrong there.
#[derive(Clone, Copy)]
enum At<'p> {
    Top,
    Symbol(&'p str),
    Tensor(usize),
    Node(usize),
    Stated,
    Idle(usize),
}

impl At<'_> {
    fn path(self) -> String {
        match self {
            At::Top => String::new(),
            At::Symbol(name) => format!("symbols.{name}"),
            At::Tensor(index) => format!("tensors[{index}]"),
            At::Node(index) => format!("nodes[{index}]"),
            At::Stated => "stated".into(),
            At::Idle(index) => format!("stated.idle[{index}]"),
        }
    }

    fn field(self, key: &str) -> String {
        match self {
            At::Top => key.to_string(),
            _ => format!("{}.{key}", self.path()),
        }
    }

    fn slot(self, key: &str, slot: usize) -> String {
        format!("{}[{slot}]", self.field(key))
    }
}

#[derive(Default)]
struct GraphReader {
    faults: Faults,
    warnings: Faults,
    unknown: HashSet<String>,
}

impl GraphReader {
    fn fault(&mut self, path: String, message: Message) {
        self.faults.push(Fault::new(path, message));
    }

    fn wrong_type(&mut self, path: String, expected: &'static str, found: &Loose) {
        if self.faults.are_enough() {
            return;
        }
        // A whole number beyond 64 bits comes as the nearest fraction.
        if matches!(found, Loose::Fraction(number) if *number > MAX_SAFE as f64) {
            return self.fault(path, Message::new("fault.too-large"));
        }
        let message =
            Message::new("fault.wrong-type").inner("expected", Message::new(expected)).text("found", excerpt(found));
        self.fault(path, message);
    }

    fn missing(&mut self, path: String, field: &'static str) {
        self.fault(path, Message::new("fault.missing").text("field", field));
    }

    /// Each unknown key once, with the first place it was met.
    fn unknown_keys(&mut self, at: At, object: &Object, known: &[&str]) {
        for key in object.keys() {
            if !known.contains(&key) && !self.warnings.are_enough() && self.unknown.insert(key.to_string()) {
                self.warnings.push(Fault::new(at.field(key), Message::new("warning.unknown-key").text("key", key)));
            }
        }
    }

    /// The members of an object, or a fault.
    fn object<'a>(&mut self, at: At, value: Loose<'a>, known: &[&str]) -> Option<Object<'a>> {
        match value {
            Loose::Object(object) => {
                self.unknown_keys(at, &object, known);
                Some(object)
            }
            other => {
                self.wrong_type(at.path(), "type.object", &other);
                None
            }
        }
    }

    fn items<'a>(&mut self, top: &mut Object<'a>, key: &'static str) -> Vec<Loose<'a>> {
        match top.take(key) {
            Some(Loose::List(items)) if items.len() > MAX_ITEMS => {
                self.fault(key.to_string(), Message::new("fault.too-many").count("limit", MAX_ITEMS as u64));
                Vec::new()
            }
            Some(value) => self.list(At::Top, key, value),
            None => {
                self.missing(key.to_string(), key);
                Vec::new()
            }
        }
    }

    fn list<'a>(&mut self, at: At, key: &str, value: Loose<'a>) -> Vec<Loose<'a>> {
        match value {
            Loose::List(items) => items,
            other => {
                self.wrong_type(at.field(key), "type.list", &other);
                Vec::new()
            }
        }
    }

    fn symbols(&mut self, value: Loose) -> BTreeMap<String, RawSymbol> {
        let Loose::Object(map) = value else {
            self.wrong_type("symbols".into(), "type.object", &value);
            return BTreeMap::new();
        };
        let mut symbols = BTreeMap::new();
        for (name, value) in map.0 {
            let at = At::Symbol(&name);
            if let Some(mut fields) = self.object(at, value, SYMBOL) {
                let mut bound = |key: &str| self.whole(at, &mut fields, key);
                let symbol = RawSymbol { hint: bound("hint"), min: bound("min"), max: bound("max") };
                symbols.insert(name.to_string(), symbol);
            }
        }
        symbols
    }

    fn tensor(&mut self, at: At, value: Loose) -> RawTensor {
        let Some(mut fields) = self.object(at, value, TENSOR) else { return RawTensor::default() };
        let bytes = self.whole(at, &mut fields, "bytes");
        let mem_id = self.whole(at, &mut fields, "mem_id");
        if mem_id.is_some_and(|id| id > u32::MAX as u64) {
            self.fault(at.field("mem_id"), Message::new("fault.too-large"));
        }
        RawTensor {
            name: self.required_text(at, &mut fields, "name"),
            dtype: self.dtype(at, &mut fields),
            shape: self.shape(at, &mut fields, bytes.is_some()),
            kind: self.kind(at, &mut fields),
            bytes,
            device: self.text(at, &mut fields, "device"),
            align: self.whole(at, &mut fields, "align"),
            mem_id: mem_id.map(|id| id.min(u32::MAX as u64) as u32),
            role: self.role(at, &mut fields),
        }
    }

    fn dtype(&mut self, at: At, fields: &mut Object) -> Option<Dtype> {
        let name = self.required_text(at, fields, "dtype")?;
        let dtype = Dtype::from_name(&name);
        if dtype.is_none() {
            let message = match Dtype::suggestion(&name) {
                Some(meant) => Message::new("fault.dtype-meant").text("found", &name).text("meant", meant.name()),
                None => Message::new("fault.dtype").text("found", &name),
            };
            self.fault(at.field("dtype"), message);
        }
        dtype
    }

    fn kind(&mut self, at: At, fields: &mut Object) -> Option<Kind> {
        let name = self.required_text(at, fields, "kind")?;
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        if kind.is_none() {
            self.fault(at.field("kind"), Message::new("fault.kind").text("found", &name));
        }
        kind
    }

    fn role(&mut self, at: At, fields: &mut Object) -> Option<TrainingRole> {
        let name = self.text(at, fields, "role")?;
        let role = TrainingRole::ALL.into_iter().find(|role| role.name() == name);
        if role.is_none() {
            self.fault(at.field("role"), Message::new("fault.role").text("found", &name));
        }
        role
    }

    fn shape(&mut self, at: At, fields: &mut Object, has_bytes: bool) -> Option<Vec<RawDim>> {
        let Some(value) = fields.take("shape") else {
            if !has_bytes {
                self.missing(at.field("shape"), "shape");
            }
            return None;
        };
        let Loose::List(dims) = value else {
            self.wrong_type(at.field("shape"), "type.list", &value);
            return None;
        };
        let mut shape = Vec::with_capacity(dims.len());
        for (axis, dim) in dims.into_iter().enumerate() {
            match dim {
                Loose::Whole(extent) => shape.push(RawDim::Fixed(extent)),
                Loose::Text(text) => shape.push(RawDim::Text(text.into_owned())),
                Loose::Negative(extent) => {
                    self.fault(
                        at.slot("shape", axis),
                        Message::new("fault.negative").text("found", extent.to_string()),
                    );
                }
                other => self.wrong_type(at.slot("shape", axis), "type.extent", &other),
            }
        }
        Some(shape)
    }

    fn node(&mut self, at: At, value: Loose) -> RawNode {
        let Some(mut fields) = self.object(at, value, NODE) else { return RawNode::default() };
        RawNode {
            name: self.required_text(at, &mut fields, "name"),
            op: self.required_text(at, &mut fields, "op"),
            inputs: self.names(at, &mut fields, "inputs"),
            outputs: self.names(at, &mut fields, "outputs"),
            device: self.text(at, &mut fields, "device"),
            inplace: self.pairs(at, &mut fields),
            ignore_inputs: self.indices(at, &mut fields),
            attrs: self.attrs(at, &mut fields),
        }
    }

    /// What the file states of its storages, by the names of a graph without faults.
    fn stated(&mut self, value: Loose, graph: &Graph) -> Stated {
        let Some(mut fields) = self.object(At::Stated, value, STATED) else { return Stated::default() };
        let known: Names<&str, TensorId> =
            graph.tensors.enumerate().map(|(id, tensor)| (tensor.name.as_str(), id)).collect();
        let inputs_are_there = match fields.take("inputs_are_there") {
            None => false,
            Some(Loose::Flag(flag)) => flag,
            Some(other) => {
                self.wrong_type(At::Stated.field("inputs_are_there"), "type.flag", &other);
                false
            }
        };
        let mut entries = |reader: &mut Self, key: &str| match fields.take(key) {
            Some(value) => reader.list(At::Stated, key, value),
            None => Vec::new(),
        };
        let mut stated = Stated { inputs_are_there, ..Stated::default() };
        for (slot, item) in entries(self, "kept").into_iter().enumerate() {
            stated.kept.extend(self.named(At::Stated.slot("kept", slot), item, &known));
        }
        for (slot, item) in entries(self, "idle").into_iter().enumerate() {
            let at = At::Idle(slot);
            let Some(mut fields) = self.object(at, item, IDLE) else { continue };
            let tensor = fields.take("tensor").unwrap_or(Loose::Null);
            let tensor = self.named(at.field("tensor"), tensor, &known);
            let from = self.required_text(at, &mut fields, "from");
            let until = self.required_text(at, &mut fields, "until");
            stated.idle.extend(tensor.zip(from.zip(until)).map(|(tensor, (from, until))| Idle { tensor, from, until }));
        }
        for (slot, item) in entries(self, "handed").into_iter().enumerate() {
            let path = At::Stated.slot("handed", slot);
            match item {
                Loose::List(pair) if pair.len() == 2 => {
                    let ids = pair.into_iter().map(|name| self.named(path.clone(), name, &known));
                    if let [Some(donor), Some(acceptor)] = ids.collect::<Vec<_>>()[..] {
                        stated.handed.push(HandOver { donor, acceptor });
                    }
                }
                other => self.wrong_type(path, "type.name-pair", &other),
            }
        }
        stated
    }

    /// The tensor that is named at a place.
    fn named(&mut self, path: String, value: Loose, known: &Names<&str, TensorId>) -> Option<TensorId> {
        let Loose::Text(name) = value else {
            self.wrong_type(path, "type.name", &value);
            return None;
        };
        let found = known.get(&*name).copied();
        if found.is_none() {
            self.fault(path, Message::new("fault.unknown-tensor").text("name", name));
        }
        found
    }

    fn names(&mut self, at: At, fields: &mut Object, key: &'static str) -> Vec<String> {
        let Some(value) = fields.take(key) else {
            self.missing(at.field(key), key);
            return Vec::new();
        };
        let items = self.list(at, key, value);
        let mut names = Vec::with_capacity(items.len());
        for (slot, item) in items.into_iter().enumerate() {
            match item {
                Loose::Text(name) => names.push(name.into_owned()),
                other => self.wrong_type(at.slot(key, slot), "type.name", &other),
            }
        }
        names
    }

    fn pairs(&mut self, at: At, fields: &mut Object) -> Vec<(u32, u32)> {
        let Some(value) = fields.take("inplace") else { return Vec::new() };
        let mut pairs = Vec::new();
        for (slot, item) in self.list(at, "inplace", value).into_iter().enumerate() {
            let pair = match &item {
                Loose::List(pair) if pair.len() == 2 => small(&pair[0]).zip(small(&pair[1])),
                _ => None,
            };
            match pair {
                Some(pair) => pairs.push(pair),
                None => self.wrong_type(at.slot("inplace", slot), "type.pair", &item),
            }
        }
        pairs
    }

    fn indices(&mut self, at: At, fields: &mut Object) -> Vec<u32> {
        let Some(value) = fields.take("ignore_inputs") else { return Vec::new() };
        let mut indices = Vec::new();
        for (slot, item) in self.list(at, "ignore_inputs", value).into_iter().enumerate() {
            match small(&item) {
                Some(index) => indices.push(index),
                None => self.wrong_type(at.slot("ignore_inputs", slot), "type.index", &item),
            }
        }
        indices
    }

    fn attrs(&mut self, at: At, fields: &mut Object) -> Arc<Attrs> {
        match fields.take("attrs") {
            None => Arc::default(),
            Some(Loose::Object(object)) => {
                attrs(object.0.into_iter().map(|(key, value)| (key.into_owned(), attr(value))))
            }
            Some(other) => {
                self.wrong_type(at.field("attrs"), "type.object", &other);
                Arc::default()
            }
        }
    }

    fn required_text(&mut self, at: At, fields: &mut Object, key: &'static str) -> Option<String> {
        if fields.get(key).is_none_or(|value| *value == Loose::Null) {
            self.missing(at.field(key), key);
            return None;
        }
        self.text(at, fields, key)
    }

    fn text(&mut self, at: At, fields: &mut Object, key: &str) -> Option<String> {
        match fields.take(key)? {
            Loose::Text(text) => Some(text.into_owned()),
            other => {
                self.wrong_type(at.field(key), "type.text", &other);
                None
            }
        }
    }

    fn whole(&mut self, at: At, fields: &mut Object, key: &str) -> Option<u64> {
        match fields.take(key)? {
            Loose::Whole(whole) if whole > MAX_SAFE => self.fault(at.field(key), Message::new("fault.too-large")),
            Loose::Whole(whole) => return Some(whole),
            Loose::Negative(number) => {
                self.fault(at.field(key), Message::new("fault.negative").text("found", number.to_string()));
            }
            other => self.wrong_type(at.field(key), "type.whole", &other),
        }
        None
    }
}

fn small(value: &Loose) -> Option<u32> {
    value.whole().and_then(|value| u32::try_from(value).ok())
}

fn attr(value: Loose) -> Attr {
    match value {
        Loose::Text(text) => Attr::Text(text.into_owned()),
        other => Attr::Json(other.json()),
    }
}

/// A short piece of what stood there instead.
fn excerpt(value: &Loose) -> String {
    value.excerpt(40)
}
