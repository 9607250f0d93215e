//! Element types that operators give their outputs.

use super::Call;
use crate::import::onnx::types::{BOOL, FLOAT, INT32, INT64, UINT8};

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
        ("BitCast", _) => stated("to").unwrap_or_default(),
        ("SimplifiedLayerNormalization", 0) => call.elem(1),
        ("Attention", 2) => call.elem(2),
        ("LinearAttention" | "CausalConvWithState", 1) if call.has(3) => call.elem(3),
        ("HannWindow" | "HammingWindow" | "BlackmanWindow" | "MelWeightMatrix", _) => {
            stated("output_datatype").unwrap_or(FLOAT)
        }
        ("Multinomial", _) => stated("dtype").unwrap_or(INT32),
        ("ImageDecoder", _) => UINT8,
        ("RegexFullMatch", _) => BOOL,
        ("TfIdfVectorizer", _) => FLOAT,
        ("LayerNormalization" | "RMSNormalization" | "SimplifiedLayerNormalization", 1..) => {
            stated("stash_type").unwrap_or(FLOAT)
        }
        _ => first,
    }
}
