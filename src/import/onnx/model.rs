//! The decoded model: everything but the weights' contents.

use super::functions::Inlined;
use super::layout::Layout;
use super::message;
use super::messages::{GraphProto, ModelProto, SparseTensorProto, TensorHead, TensorProto};
use super::node::Node;
use super::node::is_own;
use crate::base::Message;
use crate::graph::Fault;

/// Longest initializer, in bytes of the file, whose contents are read: 64 entries of 8 bytes, a
/// long name and some room.
const MAX_SMALL: usize = 2048;

pub struct Model<'a> {
    pub about: ModelProto,
    pub graph: GraphProto,
    /// Nodes as they lie in the file, read one at a time.
    pub nodes: Vec<&'a [u8]>,
    /// Calls of functions that were replaced by nodes.
    pub calls: u64,
    /// Version of ONNX's own operators in functions.
    inner_version: i64,
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

impl<'a> Model<'a> {
    /// # Errors
    /// The decoder's reason, which names the field.
    pub fn decode(bytes: &'a [u8], layout: &Layout<'a>, inlined: &'a Inlined) -> Result<Model<'a>, Message> {
        let mut weights = Vec::with_capacity(layout.initializers.len());
        for &bytes in &layout.initializers {
            let is_small = bytes.len() <= MAX_SMALL;
            weights.push(if is_small { Weight::Small(message(bytes)?) } else { Weight::Head(message(bytes)?) });
        }
        Ok(Model {
            about: message(bytes)?,
            graph: message(layout.graph)?,
            nodes: inlined.nodes.iter().map(|node| &**node).collect(),
            calls: inlined.calls,
            inner_version: inlined.version,
            weights,
            sparse: layout.sparse.iter().map(|&bytes| message(bytes)).collect::<Result<_, _>>()?,
        })
    }

    /// Returns the version of ONNX's own operator set: that of the model, else that of its
    /// functions, else 0. Functions may import another version than the model; that makes no
    /// difference to the operators that functions use.
    pub fn version(&self) -> i64 {
        self.about.opset_import.iter().find(|set| is_own(&set.domain)).map_or(self.inner_version, |set| set.version)
    }

    /// Nodes that hold graphs of their own cannot be planned as one step: what they need inside is
    /// unknown.
    ///
    /// # Errors
    /// One fault with the first such node (`If`, `Loop`, `Scan`) and their number.
    pub fn refuse_bodies(&self) -> Result<(), Vec<Fault>> {
        let nodes = self.nodes.iter().filter_map(|bytes| Node::read(bytes).ok());
        let mut bodies = nodes.filter(|node| node.has_body() || ["If", "Loop", "Scan"].iter().any(|op| node.is(op)));
        let Some(first) = bodies.next() else { return Ok(()) };
        let message = Message::new("fault.onnx-body").text("op", first.op_type).text("node", first.label());
        Err(vec![Fault::new("", message.count("count", 1 + bodies.count() as u64))])
    }
}
