//! The decoded model: everything but the weights' contents.

use std::collections::HashSet;

use super::functions::Inlined;
use super::infer::NCHWC;
use super::layout::{self, Layout};
use super::message;
use super::messages::{GraphProto, ModelProto, SparseTensorProto, TensorHead, TensorProto};
use super::node::{Node, is_own};
use memplan_core::base::Message;

/// Longest initializer, in bytes of the file, whose contents are read: 64 entries of 8 bytes, a
/// long name and some room.
const MAX_SMALL: usize = 2048;

/// Channels that lie together where a processor has the widest vectors (`MlasNchwcGetBlockSize`);
/// on others 8.
pub const MAX_BLOCK: i64 = 16;

pub struct Model<'a> {
    pub about: ModelProto,
    pub net: Net<'a>,
    /// Calls of functions that were replaced by nodes.
    pub calls: u64,
    /// Version of ONNX's own operators in functions.
    inner_version: i64,
}

/// A graph: that of the model, or one that a node holds.
pub struct Net<'a> {
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

impl<'a> Net<'a> {
    /// # Errors
    /// The decoder's reason, which names the field.
    fn decode(layout: &Layout, nodes: Vec<&'a [u8]>) -> Result<Net<'a>, Message> {
        let mut weights = Vec::with_capacity(layout.initializers.len());
        for &bytes in &layout.initializers {
            let is_small = bytes.len() <= MAX_SMALL;
            weights.push(if is_small { Weight::Small(message(bytes)?) } else { Weight::Head(message(bytes)?) });
        }
        let sparse = layout.sparse.iter().map(|&bytes| message(bytes)).collect::<Result<_, _>>()?;
        Ok(Net { graph: message(layout.graph)?, nodes, weights, sparse })
    }

    /// A graph that a node holds.
    ///
    /// # Errors
    /// The field that is damaged.
    pub fn of_body(bytes: &'a [u8]) -> Result<Net<'a>, Message> {
        let layout = layout::body(bytes).map_err(|refusal| super::fault_of(refusal, bytes))?;
        let nodes = layout.nodes.clone();
        Net::decode(&layout, nodes)
    }
}

impl<'a> Model<'a> {
    /// # Errors
    /// The decoder's reason, which names the field.
    pub fn decode(bytes: &'a [u8], layout: &Layout<'a>, inlined: &'a Inlined) -> Result<Model<'a>, Message> {
        let net = Net::decode(layout, inlined.nodes.iter().map(|node| &**node).collect())?;
        Ok(Model { about: message(bytes)?, net, calls: inlined.calls, inner_version: inlined.version })
    }

    /// Returns the version of ONNX's own operator set: that of the model, else that of its
    /// functions, else 0. Functions may import another version than the model; that makes no
    /// difference to the operators that functions use.
    pub fn version(&self) -> i64 {
        self.about.opset_import.iter().find(|set| is_own(&set.domain)).map_or(self.inner_version, |set| set.version)
    }

    /// Returns the number of channels that lie together in the layout into which ONNX Runtime puts
    /// images: the weights of its convolutions have a multiple of it as rows.
    pub fn channel_block(&self) -> i64 {
        if self.about.opset_import.iter().all(|set| set.domain != NCHWC) {
            return MAX_BLOCK;
        }
        let mut rows = HashSet::new();
        for node in self.net.nodes.iter().filter_map(|bytes| Node::read(bytes).ok()) {
            if node.domain == NCHWC && node.op_type == "Conv" {
                rows.extend(node.input.get(1).copied());
            }
        }
        let is_odd = |weight: &Weight| {
            rows.contains(weight.name()) && weight.dims().first().is_some_and(|rows| rows % MAX_BLOCK != 0)
        };
        if self.net.weights.iter().any(is_odd) { MAX_BLOCK / 2 } else { MAX_BLOCK }
    }
}
