//! A graph as `memory-graph/1` JSON (docs/memory-graph.md).

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::{list, member};
use memplan_core::graph::{Attr, Dim, Graph, Node, Stated, Symbol, Tensor, TensorId, TrainingRole, UNKNOWN};

#[derive(Serialize)]
struct SymbolRecord {
    hint: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<u64>,
}

#[derive(Serialize)]
struct TensorRecord<'a> {
    name: &'a str,
    dtype: &'a str,
    shape: Vec<Extent<'a>>,
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    align: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mem_id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Extent<'a> {
    Fixed(u64),
    Expr(&'a str),
}

#[derive(Serialize)]
struct NodeRecord<'a> {
    name: &'a str,
    op: &'a str,
    inputs: Vec<&'a str>,
    outputs: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    inplace: &'a [(u32, u32)],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    ignore_inputs: &'a [u32],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    attrs: BTreeMap<&'a str, Value>,
}

#[derive(Serialize)]
struct StatedRecord<'a> {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    inputs_are_there: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kept: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    idle: Vec<IdleRecord<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    handed: Vec<[&'a str; 2]>,
}

#[derive(Serialize)]
struct IdleRecord<'a> {
    tensor: &'a str,
    from: &'a str,
    until: &'a str,
}

/// The file text of a graph, one tensor or node a line.
pub fn graph(graph: &Graph) -> String {
    let mut text = String::from("{\"format\":\"memory-graph/1\"");
    member(&mut text, "name", &graph.name);
    if !graph.symbols.is_empty() {
        let record = |symbol: &Symbol| SymbolRecord { hint: symbol.hint, min: symbol.min, max: symbol.max };
        let symbols: BTreeMap<&str, SymbolRecord> =
            graph.symbols.iter().map(|(name, symbol)| (name.as_str(), record(symbol))).collect();
        member(&mut text, "symbols", &symbols);
    }
    list(&mut text, "tensors", graph.tensors.iter().map(|tensor| tensor_record(graph, tensor)));
    list(&mut text, "nodes", graph.nodes.iter().map(|node| node_record(graph, node)));
    if !graph.stated.is_empty() {
        member(&mut text, "stated", &stated_record(graph));
    }
    text.push_str("\n}\n");
    text
}

fn stated_record(graph: &Graph) -> StatedRecord<'_> {
    let Stated { inputs_are_there, kept, idle, handed } = &graph.stated;
    let name = |tensor: TensorId| graph.tensors[tensor].name.as_str();
    StatedRecord {
        inputs_are_there: *inputs_are_there,
        kept: kept.iter().map(|&tensor| name(tensor)).collect(),
        idle: idle
            .iter()
            .map(|idle| IdleRecord { tensor: name(idle.tensor), from: &idle.from, until: &idle.until })
            .collect(),
        handed: handed.iter().map(|pair| [name(pair.donor), name(pair.acceptor)]).collect(),
    }
}

fn tensor_record<'a>(graph: &'a Graph, tensor: &'a Tensor) -> TensorRecord<'a> {
    let extent = |dim: &'a Dim| match dim {
        Dim::Fixed(extent) => Extent::Fixed(*extent),
        Dim::Expr(expr) => Extent::Expr(expr.source()),
        Dim::Unknown => Extent::Expr(UNKNOWN),
    };
    TensorRecord {
        name: &tensor.name,
        dtype: tensor.dtype.name(),
        shape: tensor.shape.iter().map(extent).collect(),
        kind: tensor.kind.name(),
        bytes: tensor.bytes,
        device: tensor.own_device.then(|| graph.devices[tensor.device].as_str()),
        align: tensor.align,
        mem_id: tensor.mem_id,
        role: tensor.role.map(TrainingRole::name),
    }
}

fn node_record<'a>(graph: &'a Graph, node: &'a Node) -> NodeRecord<'a> {
    let names =
        |tensors: &[TensorId]| tensors.iter().map(|&tensor| graph.tensors[tensor].name.as_str()).collect::<Vec<_>>();
    NodeRecord {
        name: &node.name,
        op: &node.op,
        inputs: names(&node.inputs),
        outputs: names(&node.outputs),
        device: node.device.map(|device| graph.devices[device].as_str()),
        inplace: &node.inplace,
        ignore_inputs: &node.ignore_inputs,
        attrs: node.attrs.iter().map(|(key, attr)| (key.as_str(), value(attr))).collect(),
    }
}

fn value(attr: &Attr) -> Value {
    match attr {
        Attr::Text(text) => Value::String(text.clone()),
        Attr::Json(text) => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Answers, Document, read};

    fn read_graph(text: &str) -> Graph {
        match read(text.as_bytes(), Answers::default()).unwrap_or_else(|faults| panic!("{faults:?}")).document {
            Document::Graph(graph) => graph,
            other => panic!("{other:?}"),
        }
    }

    /// A graph with every field of the format, written the way [`graph`] writes it.
    const FULL: &str = r#"{"format":"memory-graph/1",
"name":"all \"fields\"",
"symbols":{"s0":{"hint":8,"min":1,"max":64},"s1":{"hint":3}},
"tensors":[
{"name":"x","dtype":"float32","shape":["s0",3,"2*s1 + 1"],"kind":"input","device":"cuda:0"},
{"name":"w","dtype":"int4","shape":[7],"kind":"weight","bytes":64,"align":256,"mem_id":2},
{"name":"y","dtype":"float32","shape":["s0",3,"2*s1 + 1"],"kind":"intermediate"},
{"name":"z","dtype":"bool","shape":[],"kind":"output","role":"gradient"}
],
"nodes":[
{"name":"first","op":"relu","inputs":["x","w"],"outputs":["y"],"device":"cuda:1","inplace":[[0,0]],"ignore_inputs":[1],"attrs":{"alias":"false","axes":[0,{"a":null}],"module":"stem","scale":0.5}},
{"name":"second","op":"any","inputs":["y"],"outputs":["z"]}
],
"stated":{"inputs_are_there":true,"kept":["x"],"idle":[{"tensor":"w","from":"first","until":"second"}],"handed":[["x","y"]]}
}
"#;

    #[test]
    fn what_is_written_reads_back_equal() {
        let first = read_graph(FULL);
        assert_eq!(graph(&first), FULL);
        assert_eq!(read_graph(&graph(&first)), first);
        let empty =
            Graph { name: "empty".into(), ..read_graph(r#"{"format":"memory-graph/1","tensors":[],"nodes":[]}"#) };
        assert_eq!(read_graph(&graph(&empty)), empty);
    }

    #[test]
    fn an_attribute_that_is_no_json_is_written_as_text() {
        assert_eq!(value(&Attr::Json("{".into())), Value::String("{".into()));
    }
}
