//! The decoded model: everything but the weights' contents.

use std::collections::BTreeSet;

use prost::Message as _;

use super::infer::is_own;
use super::layout::Layout;
use super::messages::{GraphProto, ModelProto, NodeProto, SparseTensorProto, TensorHead, TensorProto};
use crate::base::Message;
use crate::graph::Fault;

/// Longest initializer, in bytes of the file, whose contents are read: 64 entries of 8 bytes, a long name and some room.
const MAX_SMALL: usize = 2048;

pub struct Model {
    pub about: ModelProto,
    pub graph: GraphProto,
    pub nodes: Vec<NodeProto>,
    pub weights: Vec<Weight>,
    pub sparse: Vec<SparseTensorProto>,
}

/// An initializer, with its contents if they are few.
pub enum Weight {
    Head(TensorHead),
    Small(TensorProto),
}

impl Weight {
    pub fn name(&self) -> &str {
        match self {
            Weight::Head(head) => &head.name,
            Weight::Small(small) => &small.name,
        }
    }

    pub fn dims(&self) -> &[i64] {
        match self {
            Weight::Head(head) => &head.dims,
            Weight::Small(small) => &small.dims,
        }
    }

    pub fn elem(&self) -> i32 {
        match self {
            Weight::Head(head) => head.data_type,
            Weight::Small(small) => small.data_type,
        }
    }

    /// Whether its contents lie in another file.
    pub fn is_elsewhere(&self) -> bool {
        match self {
            Weight::Head(head) => head.data_location == 1,
            Weight::Small(small) => small.data_location == 1,
        }
    }
}

impl Model {
    /// # Errors
    /// The decoder's reason, which names the field.
    pub fn decode(bytes: &[u8], layout: &Layout) -> Result<Model, Message> {
        let mut nodes = Vec::with_capacity(layout.nodes.len());
        for bytes in &layout.nodes {
            let mut node: NodeProto = message(bytes)?;
            // A large constant is held only while its node is decoded.
            for attribute in &mut node.attribute {
                if let Some(tensor) = attribute.t.as_mut().filter(|tensor| tensor.encoded_len() > MAX_SMALL) {
                    let (dims, data_type) = (std::mem::take(&mut tensor.dims), tensor.data_type);
                    **tensor = TensorProto { dims, data_type, ..TensorProto::default() };
                }
            }
            nodes.push(node);
        }
        let mut weights = Vec::with_capacity(layout.initializers.len());
        for &bytes in &layout.initializers {
            let is_small = bytes.len() <= MAX_SMALL;
            weights.push(if is_small { Weight::Small(message(bytes)?) } else { Weight::Head(message(bytes)?) });
        }
        Ok(Model {
            about: message(bytes)?,
            graph: message(layout.graph)?,
            nodes,
            weights,
            sparse: layout.sparse.iter().map(|&bytes| message(bytes)).collect::<Result<_, _>>()?,
        })
    }

    /// Version of ONNX's own operators; 0 if the file imports none.
    pub fn version(&self) -> i64 {
        self.about.opset_import.iter().find(|set| is_own(&set.domain)).map_or(0, |set| set.version)
    }

    /// Nodes whose work is written down elsewhere in the file cannot be planned as one step: what they need inside is unknown.
    ///
    /// # Errors
    /// One fault for bodies (`If`, `Loop`, `Scan`), one for functions, each with the first such node and their number.
    pub fn refuse_bodies(&self) -> Result<(), Vec<Fault>> {
        let functions: BTreeSet<(&str, &str)> =
            self.about.functions.iter().map(|function| (&*function.domain, &*function.name)).collect();
        let has_body = |node: &&NodeProto| {
            let has =
                |attribute: &super::messages::AttributeProto| attribute.g.is_some() || !attribute.graphs.is_empty();
            node.attribute.iter().any(has) || (is_own(&node.domain) && matches!(&*node.op_type, "If" | "Loop" | "Scan"))
        };
        let is_call = |node: &&NodeProto| functions.contains(&(&*node.domain, &*node.op_type));
        let fault = |key: &'static str, nodes: Vec<&NodeProto>| {
            let first = nodes.first()?;
            let name = node_name(first);
            let message = Message::new(key).text("op", &first.op_type).text("node", name);
            Some(Fault::new("", message.count("count", nodes.len() as u64)))
        };
        let bodies = fault("fault.onnx-body", self.nodes.iter().filter(has_body).collect());
        let calls = fault("fault.onnx-function", self.nodes.iter().filter(is_call).collect());
        let faults: Vec<Fault> = bodies.into_iter().chain(calls).collect();
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }
}

/// What a node is called in messages: its name, or that of what it makes.
pub fn node_name(node: &NodeProto) -> &str {
    let first = || node.output.iter().find(|name| !name.is_empty()).unwrap_or(&node.op_type);
    if node.name.is_empty() { first() } else { &node.name }
}

fn message<M: prost::Message + Default>(bytes: &[u8]) -> Result<M, Message> {
    M::decode(bytes).map_err(|error| Message::new("fault.onnx-damaged").text("reason", error.to_string()))
}
