//! `memory-graph/1` JSON, the project's own format (docs/memory-graph.md). Walked by hand rather than derived, so that
//! every wrong field is reported at once with its path.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Document, Format, Imported};
use crate::base::{MAX_SAFE, Message};
use crate::graph::{Attr, Dtype, Fault, Kind, RawDim, RawGraph, RawNode, RawSymbol, RawTensor, check};

const TOP: &[&str] = &["format", "name", "symbols", "tensors", "nodes", "description"];
const SYMBOL: &[&str] = &["hint", "min", "max"];
const TENSOR: &[&str] = &["name", "dtype", "shape", "kind", "bytes", "device", "align", "mem_id"];
const NODE: &[&str] = &["name", "op", "inputs", "outputs", "device", "inplace", "ignore_inputs", "attrs"];

/// Turns the parsed JSON of a graph file into a checked graph.
pub fn read(value: Value) -> Result<Imported, Vec<Fault>> {
    let mut walk = Walk::default();
    let Value::Object(mut top) = value else {
        return Err(vec![Fault::new("", Message::new("fault.not-an-object"))]);
    };
    walk.unknown_keys("", &top, TOP);
    let name = walk.optional_text(&top, "name", "name").unwrap_or_default();
    let mut raw = RawGraph { name, ..RawGraph::default() };
    if let Some(symbols) = top.remove("symbols") {
        raw.symbols = walk.symbols(symbols);
    }
    for (index, tensor) in walk.list(&mut top, "tensors").into_iter().enumerate() {
        let tensor = walk.tensor(index, tensor);
        raw.tensors.push(tensor);
    }
    for (index, node) in walk.list(&mut top, "nodes").into_iter().enumerate() {
        let node = walk.node(index, node);
        raw.nodes.push(node);
    }
    match check(raw) {
        Ok((graph, warnings)) if walk.faults.is_empty() => {
            walk.warnings.extend(warnings);
            Ok(Imported { document: Document::Graph(graph), format: Format::MemoryGraph, warnings: walk.warnings })
        }
        Ok(_) => Err(walk.faults),
        Err(faults) => {
            walk.faults.extend(faults);
            Err(walk.faults)
        }
    }
}

#[derive(Default)]
struct Walk {
    faults: Vec<Fault>,
    warnings: Vec<Fault>,
    unknown: Vec<String>,
}

impl Walk {
    fn fault(&mut self, path: impl Into<String>, message: Message) {
        self.faults.push(Fault::new(path, message));
    }

    fn wrong_type(&mut self, path: String, expected: &'static str, found: &Value) {
        let message = Message::new("fault.wrong-type")
            .with("expected", crate::base::Arg::Inner(Box::new(Message::new(expected))))
            .text("found", excerpt(found));
        self.fault(path, message);
    }

    /// Each unknown key once, with the first place it was met.
    fn unknown_keys(&mut self, path: &str, object: &Map<String, Value>, known: &[&str]) {
        for key in object.keys() {
            if !known.contains(&key.as_str()) && !self.unknown.contains(key) {
                self.unknown.push(key.clone());
                let place = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                self.warnings.push(Fault::new(place, Message::new("warning.unknown-key").text("key", key)));
            }
        }
    }

    fn list(&mut self, top: &mut Map<String, Value>, key: &'static str) -> Vec<Value> {
        match top.remove(key) {
            Some(Value::Array(items)) => items,
            Some(other) => {
                self.wrong_type(key.to_string(), "type.list", &other);
                Vec::new()
            }
            None => {
                self.fault(key, Message::new("fault.missing").text("field", key));
                Vec::new()
            }
        }
    }

    fn symbols(&mut self, value: Value) -> BTreeMap<String, RawSymbol> {
        let Value::Object(map) = value else {
            self.wrong_type("symbols".into(), "type.object", &value);
            return BTreeMap::new();
        };
        let mut symbols = BTreeMap::new();
        for (name, value) in map {
            let path = format!("symbols.{name}");
            let Value::Object(fields) = value else {
                self.wrong_type(path, "type.object", &value);
                continue;
            };
            self.unknown_keys(&path, &fields, SYMBOL);
            let mut bound = |key: &str| self.optional_whole(&fields, &format!("{path}.{key}"), key);
            let symbol = RawSymbol { hint: bound("hint"), min: bound("min"), max: bound("max") };
            symbols.insert(name, symbol);
        }
        symbols
    }

    fn tensor(&mut self, index: usize, value: Value) -> RawTensor {
        let path = format!("tensors[{index}]");
        let Value::Object(fields) = value else {
            self.wrong_type(path, "type.object", &value);
            return RawTensor::default();
        };
        self.unknown_keys(&path, &fields, TENSOR);
        let bytes = self.optional_whole(&fields, &format!("{path}.bytes"), "bytes");
        let mem_id = self.optional_whole(&fields, &format!("{path}.mem_id"), "mem_id");
        if mem_id.is_some_and(|id| id > u32::MAX as u64) {
            self.fault(format!("{path}.mem_id"), Message::new("fault.too-large"));
        }
        RawTensor {
            name: self.required_text(&fields, &path, "name"),
            dtype: self.dtype(&fields, &path),
            shape: self.shape(&fields, &path, bytes.is_some()),
            kind: self.kind(&fields, &path),
            bytes,
            device: self.optional_text(&fields, &format!("{path}.device"), "device"),
            align: self.optional_whole(&fields, &format!("{path}.align"), "align"),
            mem_id: mem_id.map(|id| id.min(u32::MAX as u64) as u32),
        }
    }

    fn dtype(&mut self, fields: &Map<String, Value>, path: &str) -> Option<Dtype> {
        let name = self.required_text(fields, path, "dtype")?;
        let dtype = Dtype::from_name(&name);
        if dtype.is_none() {
            let message = match Dtype::suggestion(&name) {
                Some(meant) => Message::new("fault.dtype-meant").text("found", &name).text("meant", meant.name()),
                None => Message::new("fault.dtype").text("found", &name),
            };
            self.fault(format!("{path}.dtype"), message);
        }
        dtype
    }

    fn kind(&mut self, fields: &Map<String, Value>, path: &str) -> Option<Kind> {
        let name = self.required_text(fields, path, "kind")?;
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        if kind.is_none() {
            self.fault(format!("{path}.kind"), Message::new("fault.kind").text("found", &name));
        }
        kind
    }

    fn shape(&mut self, fields: &Map<String, Value>, path: &str, has_bytes: bool) -> Option<Vec<RawDim>> {
        let dims = match fields.get("shape") {
            Some(Value::Array(dims)) => dims,
            Some(other) => {
                self.wrong_type(format!("{path}.shape"), "type.list", other);
                return None;
            }
            None => {
                if !has_bytes {
                    self.fault(format!("{path}.shape"), Message::new("fault.missing").text("field", "shape"));
                }
                return None;
            }
        };
        let mut shape = Vec::with_capacity(dims.len());
        for (axis, dim) in dims.iter().enumerate() {
            let path = format!("{path}.shape[{axis}]");
            match dim {
                Value::Number(number) if number.as_u64().is_some() => {
                    shape.push(RawDim::Fixed(number.as_u64().unwrap_or(0)))
                }
                Value::Number(number) if number.as_i64().is_some() => {
                    self.fault(path, Message::new("fault.negative").text("found", number.to_string()));
                }
                Value::String(text) => shape.push(RawDim::Text(text.clone())),
                other => self.wrong_type(path, "type.extent", other),
            }
        }
        Some(shape)
    }

    fn node(&mut self, index: usize, value: Value) -> RawNode {
        let path = format!("nodes[{index}]");
        let Value::Object(fields) = value else {
            self.wrong_type(path, "type.object", &value);
            return RawNode::default();
        };
        self.unknown_keys(&path, &fields, NODE);
        RawNode {
            name: self.required_text(&fields, &path, "name"),
            op: self.required_text(&fields, &path, "op"),
            inputs: self.names(&fields, &path, "inputs"),
            outputs: self.names(&fields, &path, "outputs"),
            device: self.optional_text(&fields, &format!("{path}.device"), "device"),
            inplace: self.pairs(&fields, &path),
            ignore_inputs: self.indices(fields.get("ignore_inputs"), &format!("{path}.ignore_inputs")),
            attrs: self.attrs(&fields, &path),
        }
    }

    fn names(&mut self, fields: &Map<String, Value>, path: &str, key: &'static str) -> Vec<String> {
        let path = format!("{path}.{key}");
        match fields.get(key) {
            Some(Value::Array(items)) => {
                let mut names = Vec::with_capacity(items.len());
                for (slot, item) in items.iter().enumerate() {
                    match item {
                        Value::String(name) => names.push(name.clone()),
                        other => self.wrong_type(format!("{path}[{slot}]"), "type.name", other),
                    }
                }
                names
            }
            Some(other) => {
                self.wrong_type(path, "type.list", other);
                Vec::new()
            }
            None => {
                self.fault(path, Message::new("fault.missing").text("field", key));
                Vec::new()
            }
        }
    }

    fn pairs(&mut self, fields: &Map<String, Value>, path: &str) -> Vec<(u32, u32)> {
        let path = format!("{path}.inplace");
        let items = match fields.get("inplace") {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::Array(items)) => items,
            Some(other) => {
                self.wrong_type(path, "type.list", other);
                return Vec::new();
            }
        };
        let mut pairs = Vec::with_capacity(items.len());
        for (slot, item) in items.iter().enumerate() {
            let pair =
                item.as_array().filter(|pair| pair.len() == 2).and_then(|pair| small(&pair[0]).zip(small(&pair[1])));
            match pair {
                Some(pair) => pairs.push(pair),
                None => self.wrong_type(format!("{path}[{slot}]"), "type.pair", item),
            }
        }
        pairs
    }

    fn indices(&mut self, value: Option<&Value>, path: &str) -> Vec<u32> {
        let items = match value {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::Array(items)) => items,
            Some(other) => {
                self.wrong_type(path.to_string(), "type.list", other);
                return Vec::new();
            }
        };
        let mut indices = Vec::with_capacity(items.len());
        for (slot, item) in items.iter().enumerate() {
            match small(item) {
                Some(index) => indices.push(index),
                None => self.wrong_type(format!("{path}[{slot}]"), "type.index", item),
            }
        }
        indices
    }

    fn attrs(&mut self, fields: &Map<String, Value>, path: &str) -> BTreeMap<String, Attr> {
        match fields.get("attrs") {
            None | Some(Value::Null) => BTreeMap::new(),
            Some(Value::Object(map)) => map.iter().map(|(key, value)| (key.clone(), attr(value))).collect(),
            Some(other) => {
                self.wrong_type(format!("{path}.attrs"), "type.object", other);
                BTreeMap::new()
            }
        }
    }

    fn required_text(&mut self, fields: &Map<String, Value>, path: &str, key: &'static str) -> Option<String> {
        let path = format!("{path}.{key}");
        if fields.get(key).is_none_or(Value::is_null) {
            self.fault(path, Message::new("fault.missing").text("field", key));
            return None;
        }
        self.optional_text(fields, &path, key)
    }

    fn optional_text(&mut self, fields: &Map<String, Value>, path: &str, key: &str) -> Option<String> {
        match fields.get(key) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(other) => {
                self.wrong_type(path.to_string(), "type.text", other);
                None
            }
        }
    }

    fn optional_whole(&mut self, fields: &Map<String, Value>, path: &str, key: &str) -> Option<u64> {
        match fields.get(key) {
            None | Some(Value::Null) => None,
            Some(value) => {
                let whole = value.as_u64();
                match whole {
                    None if value.is_i64() => {
                        self.fault(path, Message::new("fault.negative").text("found", value.to_string()))
                    }
                    None => self.wrong_type(path.to_string(), "type.whole", value),
                    Some(whole) if whole > MAX_SAFE => {
                        self.fault(path, Message::new("fault.too-large"));
                        return None;
                    }
                    Some(_) => {}
                }
                whole
            }
        }
    }
}

fn small(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|value| u32::try_from(value).ok())
}

fn attr(value: &Value) -> Attr {
    match value {
        Value::String(text) => Attr::Text(text.clone()),
        other => Attr::Json(other.to_string()),
    }
}

/// A short piece of what stood there instead.
fn excerpt(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 40 { text } else { text.chars().take(39).chain(['…']).collect() }
}
