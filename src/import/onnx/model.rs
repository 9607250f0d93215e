//! The decoded model: everything but the weights' contents.

use std::collections::BTreeSet;

use super::infer::is_own;
use super::layout::Layout;
use super::message;
use super::messages::{GraphProto, ModelProto, SparseTensorProto, TensorHead, TensorProto};
use super::node::Node;
use crate::base::Message;
use crate::graph::Fault;

/// Longest initializer, in bytes of the file, whose contents are read: 64 entries of 8 bytes, a long name and some room.
const MAX_SMALL: usize = 2048;

pub struct Model<'a> {
    pub about: ModelProto,
    pub graph: GraphProto,
    /// Nodes as they lie in the file, read one at a time.
    pub nodes: Vec<&'a [u8]>,
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
    pub fn decode(bytes: &'a [u8], layout: &Layout<'a>) -> Result<Model<'a>, Message> {
        let mut weights = Vec::with_capacity(layout.initializers.len());
        for &bytes in &layout.initializers {
            let is_small = bytes.len() <= MAX_SMALL;
            weights.push(if is_small { Weight::Small(message(bytes)?) } else { Weight::Head(message(bytes)?) });
        }
        Ok(Model {
            about: message(bytes)?,
            graph: message(layout.graph)?,
            nodes: layout.nodes.clone(),
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
        let (mut bodies, mut calls) = ((0, None), (0, None));
        for node in self.nodes.iter().filter_map(|bytes| Node::read(bytes).ok()) {
            let is_body = node.has_body() || ["If", "Loop", "Scan"].iter().any(|op| node.is(op));
            let is_call = functions.contains(&(node.domain, node.op_type));
            for (found, is_such) in [(&mut bodies, is_body), (&mut calls, is_call)] {
                if is_such {
                    found.0 += 1;
                    found.1.get_or_insert((node.op_type, node.label()));
                }
            }
        }
        let fault = |key: &'static str, (count, first): (u64, Option<(&str, &str)>)| {
            let (op, label) = first?;
            Some(Fault::new("", Message::new(key).text("op", op).text("node", label).count("count", count)))
        };
        let bodies = fault("fault.onnx-body", bodies);
        let calls = fault("fault.onnx-function", calls);
        let faults: Vec<Fault> = bodies.into_iter().chain(calls).collect();
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }
}
