//! The tables of a TFLite file that sizes, live ranges and rows need; weights, other options and
//! quantisation are left alone.
//!
//! **From**: tensorflow/tensorflow, `tensorflow/lite/schema/schema.fbs`, slots as of 2.21.0.

use flatbuffers::{ForwardsUOffset, Vector};

use crate::import::flat::{table, union};

table!(Model {
    version = 4: scalar u32,
    operator_codes = 6: offset Vector<'a, ForwardsUOffset<OperatorCode<'a>>>,
    subgraphs = 8: offset Vector<'a, ForwardsUOffset<SubGraph<'a>>>,
    description = 10: offset &'a str,
    buffers = 12: offset Vector<'a, ForwardsUOffset<Buffer<'a>>>,
    metadata = 16: offset Vector<'a, ForwardsUOffset<Metadata<'a>>>,
});

table!(OperatorCode {
    deprecated_builtin_code = 4: scalar i8,
    custom_code = 6: offset &'a str,
    builtin_code = 10: scalar i32,
});

table!(SubGraph {
    tensors = 4: offset Vector<'a, ForwardsUOffset<Tensor<'a>>>,
    inputs = 6: offset Vector<'a, i32>,
    outputs = 8: offset Vector<'a, i32>,
    operators = 10: offset Vector<'a, ForwardsUOffset<Operator<'a>>>,
    options = 10: offset Vector<'a, ForwardsUOffset<OperatorOptions<'a>>>,
    name = 12: offset &'a str,
});

table!(Tensor {
    shape = 4: offset Vector<'a, i32>,
    element = 6: scalar i8,
    buffer = 8: scalar u32,
    name = 10: offset &'a str,
    is_variable = 14: scalar bool,
    shape_signature = 18: offset Vector<'a, i32>,
});

table!(Operator {
    opcode_index = 4: scalar u32,
    inputs = 6: offset Vector<'a, i32>,
    outputs = 8: offset Vector<'a, i32>,
});

union!(
    /// The same operator, as far as its rows are concerned.
    OperatorOptions as RowOptions, 10, 12 {
        Conv = 1: ConvOptions,
        Depthwise = 2: DepthwiseOptions,
        Pool = 5: PoolOptions,
        Transposed = 49: TransposedOptions,
        Nearest = 74: NearestOptions,
    }
);

/// The options of an operator with a window, whose first fields are the same: padding, 0 `SAME` and
/// 1 `VALID`, and strides.
macro_rules! windowed {
    ($name:ident { $($field:ident = $slot:literal),* }) => {
        table!($name {
            padding = 4: scalar i8,
            stride_w = 6: scalar i32,
            stride_h = 8: scalar i32,
            $($field = $slot: scalar i32),*
        });
    };
}

// A dilation that is left out is 1.
windowed!(ConvOptions { dilation_w = 12, dilation_h = 14 });
windowed!(DepthwiseOptions { dilation_w = 14, dilation_h = 16 });
windowed!(PoolOptions { filter_w = 10, filter_h = 12 });
windowed!(TransposedOptions {});

table!(NearestOptions {
    align_corners = 4: scalar bool,
    half_pixel_centers = 6: scalar bool,
});

table!(
    /// Bytes of weights or of metadata. Beyond 2 GB they lie after the flatbuffer, at `offset`; 0
    /// and 1 mean that they are inside it.
    Buffer {
        data = 4: offset Vector<'a, u8>,
        offset = 6: scalar u64,
        size = 8: scalar u64,
    }
);

table!(Metadata {
    name = 4: offset &'a str,
    buffer = 6: scalar u32,
});

impl Buffer<'_> {
    pub fn holds_data(&self) -> bool {
        self.data().is_some_and(|data| !data.is_empty()) || (self.offset() > 1 && self.size() > 1)
    }
}
