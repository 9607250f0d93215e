//! Element types and their widths.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Dim, ExprError};
use crate::base::MAX_SAFE;

macro_rules! dtypes {
    ($($variant:ident $name:literal $bits:literal),* $(,)?) => {
        /// Element type of a tensor.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        pub enum Dtype { $(#[doc = $name] $variant),* }

        impl Dtype {
            /// All types in the order of declaration.
            pub const ALL: &'static [Dtype] = &[$(Dtype::$variant),*];

            /// The word of the file format.
            pub const fn name(self) -> &'static str {
                match self { $(Dtype::$variant => $name),* }
            }

            /// Width of one element; types of less than a byte share bytes.
            pub const fn bits(self) -> u64 {
                match self { $(Dtype::$variant => $bits),* }
            }

            /// The type that the file format calls so; names of other tools are only
            /// [suggested](Dtype::suggestion).
            pub fn from_name(name: &str) -> Option<Dtype> {
                match name { $($name => Some(Dtype::$variant),)* _ => None }
            }
        }
    };
}

dtypes! {
    Float64 "float64" 64, Float32 "float32" 32, Float16 "float16" 16, BFloat16 "bfloat16" 16,
    Float8E4M3Fn "float8_e4m3fn" 8, Float8E4M3Fnuz "float8_e4m3fnuz" 8, Float8E5M2 "float8_e5m2" 8,
    Float8E5M2Fnuz "float8_e5m2fnuz" 8, Float8E8M0 "float8_e8m0fnu" 8, Float4E2M1 "float4_e2m1" 4,
    Float6E2M3 "float6_e2m3fn" 6, Float6E3M2 "float6_e3m2fn" 6,
    Int64 "int64" 64, Int32 "int32" 32, Int16 "int16" 16, Int8 "int8" 8, Int4 "int4" 4, Int2 "int2" 2,
    UInt64 "uint64" 64, UInt32 "uint32" 32, UInt16 "uint16" 16, UInt8 "uint8" 8, UInt4 "uint4" 4, UInt2 "uint2" 2,
    Bool "bool" 8, Complex64 "complex64" 64, Complex128 "complex128" 128,
}

impl Dtype {
    /// The format's name for what people also write (`fp32`, `half`, `f16`, …), to suggest it in a
    /// fault.
    pub fn suggestion(name: &str) -> Option<Dtype> {
        let lower = name.to_ascii_lowercase();
        let lower = lower.rsplit('.').next().unwrap_or(&lower);
        let direct = match lower {
            "double" | "fp64" | "f64" | "float_64" => "float64",
            "float" | "single" | "fp32" | "f32" | "float_32" => "float32",
            "half" | "fp16" | "f16" | "float_16" => "float16",
            "bf16" => "bfloat16",
            "long" | "i64" => "int64",
            "int" | "i32" => "int32",
            "short" | "i16" => "int16",
            "char" | "i8" | "s8" => "int8",
            "byte" | "u8" => "uint8",
            "u16" => "uint16",
            "u32" => "uint32",
            "u64" => "uint64",
            "boolean" | "i1" => "bool",
            other => other,
        };
        Dtype::from_name(direct)
    }

    /// Bytes of a tensor of this type.
    ///
    /// # Errors
    /// As [`Expr::value`](super::Expr::value), or [`ExprError::TooLarge`] beyond 2^53 - 1 bytes.
    pub fn bytes_of_shape(self, shape: &[Dim], symbols: &BTreeMap<String, u64>) -> Result<u64, ExprError> {
        let mut elements: u128 = 1;
        for dim in shape {
            let extent = match dim {
                Dim::Fixed(extent) => *extent,
                Dim::Expr(expr) => expr.size(symbols)?,
                Dim::Unknown => return Err(ExprError::Unknown),
            };
            elements = elements.checked_mul(extent as u128).ok_or(ExprError::TooLarge)?;
            if elements > 8 * MAX_SAFE as u128 {
                // A later extent of zero would still make the tensor empty.
                let empty = shape.iter().any(|dim| matches!(dim, Dim::Fixed(0)));
                if empty {
                    return Ok(0);
                }
                return Err(ExprError::TooLarge);
            }
        }
        let bytes = (elements * self.bits() as u128).div_ceil(8);
        if bytes > MAX_SAFE as u128 { Err(ExprError::TooLarge) } else { Ok(bytes as u64) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn part_bytes_round_up_and_products_are_bounded() {
        let none = BTreeMap::new();
        assert_eq!(Dtype::Float32.bytes_of_shape(&[Dim::Fixed(3), Dim::Fixed(5)], &none), Ok(60));
        assert_eq!(Dtype::Int4.bytes_of_shape(&[Dim::Fixed(3)], &none), Ok(2));
        assert_eq!(Dtype::Float32.bytes_of_shape(&[], &none), Ok(4));
        let huge = [Dim::Fixed(u64::MAX), Dim::Fixed(u64::MAX), Dim::Fixed(u64::MAX)];
        assert_eq!(Dtype::UInt8.bytes_of_shape(&huge, &none), Err(ExprError::TooLarge));
        assert_eq!(Dtype::UInt8.bytes_of_shape(&[Dim::Fixed(u64::MAX), Dim::Fixed(0)], &none), Ok(0));
    }

    #[test]
    fn suggests_the_name_people_meant() {
        assert_eq!(Dtype::suggestion("fp32"), Some(Dtype::Float32));
        assert_eq!(Dtype::suggestion("torch.bfloat16"), Some(Dtype::BFloat16));
        assert_eq!(Dtype::suggestion("quaternion"), None);
    }
}
