//! Element types of ONNX (`TensorProto.DataType`).

use memplan_core::graph::Dtype;

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
        25 => Dtype::UInt2,
        26 => Dtype::Int2,
        27 => Dtype::Float6E2M3,
        28 => Dtype::Float6E3M2,
        _ => return None,
    })
}

/// The number that stands for a type.
pub fn elem_of(dtype: Dtype) -> i32 {
    (1..=28).find(|&elem| self::dtype(elem) == Some(dtype)).unwrap_or_default()
}
