//! The messages of `onnx.proto3` (onnx/onnx 1.23, commit 004aa57f) cut down to the fields that are
//! read; all others are skipped. Nodes and initializers are not listed in [`GraphProto`]:
//! [`super::layout`] finds them, so that each is read by itself ([`super::node`]) and the weights
//! are never copied.

use crate::import::protobuf::messages;

messages! {
    ModelProto {
        1 ir_version: i64,
        2 producer_name: String,
        3 producer_version: String,
        8 opset_import: Vec<OperatorSet>,
        14 metadata_props: Vec<Entry>,
    }
    /// A word about a model or a value, under a name.
    Entry {
        1 key: String,
        2 value: String,
    }
    OperatorSet {
        1 domain: String,
        2 version: i64,
    }
    GraphProto {
        2 name: String,
        11 input: Vec<ValueInfo>,
        12 output: Vec<ValueInfo>,
        13 value_info: Vec<ValueInfo>,
    }
    /// Graphs are left to [`super::node::Node::bodies`].
    AttributeProto {
        1 name: String,
        2 f: Option<f32>,
        3 i: Option<i64>,
        4 s: Option<Vec<u8>>,
        5 t: Option<Box<TensorProto>>,
        7 floats: Vec<f32>,
        8 ints: Vec<i64>,
        9 strings: Vec<Vec<u8>>,
        22 sparse_tensor: Option<Box<SparseTensorProto>>,
    }
    /// A tensor with its contents, for small constants.
    TensorProto {
        1 dims: Vec<i64>,
        2 data_type: i32,
        4 float_data: Vec<f32>,
        5 int32_data: Vec<i32>,
        7 int64_data: Vec<i64>,
        8 name: String,
        9 raw_data: Vec<u8>,
        10 double_data: Vec<f64>,
        14 data_location: i32,
    }
    /// A tensor without its contents, which the decoder skips.
    TensorHead {
        1 dims: Vec<i64>,
        2 data_type: i32,
        8 name: String,
        14 data_location: i32,
    }
    SparseTensorProto {
        1 values: Option<TensorHead>,
        2 indices: Option<TensorHead>,
        3 dims: Vec<i64>,
    }
    ValueInfo {
        1 name: String,
        2 kind: Option<TypeProto>,
        4 metadata_props: Vec<Entry>,
    }
    /// The other types are noted, not looked into.
    TypeProto {
        1 tensor: Option<TensorType>,
        4 sequence: Option<Vec<u8>>,
        5 map: Option<Vec<u8>>,
        8 sparse: Option<TensorType>,
        9 optional: Option<Vec<u8>>,
    }
    TensorType {
        1 elem_type: i32,
        2 shape: Option<ShapeProto>,
    }
    ShapeProto {
        1 dim: Vec<Dimension>,
    }
    Dimension {
        1 value: Option<i64>,
        2 param: Option<String>,
    }
}

impl TensorProto {
    /// Bytes in memory of the contents.
    pub fn contents_bytes(&self) -> usize {
        let narrow = self.float_data.len() + self.int32_data.len();
        let wide = self.int64_data.len() + self.double_data.len();
        self.raw_data.len() + 4 * narrow + 8 * wide
    }
}
