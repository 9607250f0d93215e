//! Element types of ONNX (`TensorProto.DataType`) and the ones that operators give their outputs.

use super::infer::Call;
use crate::graph::Dtype;

pub const FLOAT: i32 = 1;
pub const UINT8: i32 = 2;
pub const INT32: i32 = 6;
pub const INT64: i32 = 7;
pub const STRING: i32 = 8;
pub const BOOL: i32 = 9;
pub const FLOAT16: i32 = 10;
pub const DOUBLE: i32 = 11;

/// `None` for 0 (not stated), strings, and types that ONNX got later.
pub fn dtype(elem: i32) -> Option<Dtype> {
    Some(match elem {
        FLOAT => Dtype::Float32,
        UINT8 => Dtype::UInt8,
        3 => Dtype::Int8,
        4 => Dtype::UInt16,
        5 => Dtype::Int16,
        INT32 => Dtype::Int32,
        INT64 => Dtype::Int64,
        BOOL => Dtype::Bool,
        FLOAT16 => Dtype::Float16,
        DOUBLE => Dtype::Float64,
        12 => Dtype::UInt32,
        13 => Dtype::UInt64,
        14 => Dtype::Complex64,
        15 => Dtype::Complex128,
        16 => Dtype::BFloat16,
        17 => Dtype::Float8E4M3Fn,
        18 => Dtype::Float8E4M3Fnuz,
        19 => Dtype::Float8E5M2,
        20 => Dtype::Float8E5M2Fnuz,
        21 => Dtype::UInt4,
        22 => Dtype::Int4,
        23 => Dtype::Float4E2M1,
        24 => Dtype::Float8E8M0,
        _ => return None,
    })
}

/// The number that stands for a type.
pub fn elem_of(dtype: Dtype) -> i32 {
    (1..=24).find(|&elem| self::dtype(elem) == Some(dtype)).unwrap_or_default()
}

/// The element type of one output; 0 = not known.
pub fn of_output(call: &Call, output: usize) -> i32 {
    let first = call.elem(0);
    let stated = |name: &str| call.int(name).and_then(|elem| i32::try_from(elem).ok()).filter(|elem| *elem != 0);
    match (call.op(), output) {
        ("Shape" | "Size" | "ArgMax" | "ArgMin" | "NonZero" | "NonMaxSuppression", _) => INT64,
        ("TopK" | "MaxPool", 1) | ("Unique", 1..) => INT64,
        ("Equal" | "Less" | "LessOrEqual" | "Greater" | "GreaterOrEqual" | "And" | "Or" | "Xor" | "Not", _) => BOOL,
        ("IsNaN" | "IsInf", _) => BOOL,
        ("Dropout", 1) if call.version() >= 10 => BOOL,
        ("Cast", _) => stated("to").unwrap_or_default(),
        ("CastLike" | "Where", _) => call.elem(1),
        ("ConstantOfShape", _) => match call.attribute("value") {
            Some(value) => value.t.as_ref().map_or(0, |tensor| tensor.data_type),
            None => FLOAT,
        },
        ("EyeLike" | "RandomNormalLike" | "RandomUniformLike" | "Bernoulli", _) => stated("dtype").unwrap_or(first),
        ("RandomNormal" | "RandomUniform", _) => stated("dtype").unwrap_or(FLOAT),
        ("OneHot", _) => call.elem(2),
        ("MatMulInteger" | "ConvInteger", _) => INT32,
        ("QLinearMatMul" | "QLinearConv", _) => call.elem(7),
        ("DynamicQuantizeLinear", 1) => FLOAT,
        ("DynamicQuantizeLinear", _) => UINT8,
        ("QuantizeLinear", _) if call.has(2) => call.elem(2),
        ("QuantizeLinear", _) => stated("output_dtype").unwrap_or(UINT8),
        ("DequantizeLinear", _) => {
            stated("output_dtype").unwrap_or(if call.version() < 19 { FLOAT } else { call.elem(1) })
        }
        ("LayerNormalization" | "RMSNormalization", 1..) => stated("stash_type").unwrap_or(FLOAT),
        _ => first,
    }
}
