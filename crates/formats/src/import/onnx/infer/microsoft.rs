//! Operators of ONNX Runtime (domain com.microsoft), as its schemas state them
//! (microsoft/onnxruntime 1.32, docs/ContribOperators.md).

use super::{Call, Value, attention, gather, layout, linear, reduce, signal, vision, window};
use crate::import::onnx::extent::{Dims, Extent, axis_of, broadcast};
use crate::import::onnx::types::{BOOL, FLOAT, INT32, INT64, UINT8};

use Extent::{Known, Open};

#[rustfmt::skip]
const SAME: [&str; 44] = [
    "BiasAdd", "BiasDropout", "BiasGelu", "BiasSoftmax", "BitmaskBiasDropout", "BitmaskDropout", "BranchwiseRMSNorm", "DequantizeBFP",
    "DequantizeLinear", "DequantizeWithOrder", "DynamicSparseAttention", "FastGelu", "GatedAdd", "GatedRMSNorm", "Gelu", "GemmaRotaryEmbedding",
    "GroupNorm", "Inverse", "LongformerAttention", "MRotaryEmbedding", "MoE", "MoEPacked", "QLinearLeakyRelu", "QLinearSigmoid", "QLinearSoftmax", "QMoE",
    "QOrderedGelu", "QOrderedLayerNormalization", "QOrderedLongformerAttention", "QuantizeLinear", "QuantizeWithOrder",
    "QuickGelu", "RotaryEmbedding", "SampleOp", "ScaledSiLU", "SkipGroupNorm", "SkipLayerNormalization",
    "SkipSimplifiedLayerNormalization", "Trilu", "SimplifiedLayerNormalization", "LayerNormalization", "Identity", "Cast", "Dropout",
];

/// Whether there is a rule for the shapes of this operator.
pub fn knows(op: &str) -> bool {
    SAME.contains(&op) || rule(op).is_some()
}

/// The shapes of all outputs, as far as they are known.
pub fn shapes(call: &Call) -> Vec<Option<Dims>> {
    match rule(call.op()) {
        Some(rule) => rule(call),
        None => same(call),
    }
}

/// Further outputs: sums have the shape of the input, statistics end in an extent of 1.
fn same(call: &Call) -> Vec<Option<Dims>> {
    let first = || call.dims(0).map(<[Extent]>::to_vec);
    let statistics = || {
        let mut dims = first()?;
        *dims.last_mut()? = Known(1);
        Some(dims)
    };
    match call.op() {
        "SkipLayerNormalization" | "SkipSimplifiedLayerNormalization" => {
            vec![first(), statistics(), statistics(), first()]
        }
        "GemmaRotaryEmbedding" => {
            let (query, key) = (call.dims(1).map(<[Extent]>::to_vec), call.dims(3).map(<[Extent]>::to_vec));
            vec![query, key]
        }
        _ => vec![first(), first()],
    }
}

fn rule(op: &str) -> Option<super::Rule> {
    Some(match op {
        "Attention" | "DecoderMaskedSelfAttention" | "QOrderedAttention" => |call| attention::projected(call, 4),
        "QAttention" => |call| attention::projected(call, 8),
        "MultiHeadAttention" => |call| attention::multi_head(call, 6, 8),
        "DecoderMaskedMultiHeadAttention" => |call| attention::multi_head(call, 5, 7),
        "GroupQueryAttention" => attention::group_query,
        "SparseAttention" | "PagedAttention" | "SparsePagedAttention" => attention::cached,
        "PackedAttention" => attention::packed,
        "PackedMultiHeadAttention" => attention::packed_multi_head,
        "LinearAttention" => attention::linear,
        "CausalConvWithState" => attention::causal_conv,
        "EmbedLayerNormalization" | "QEmbedLayerNormalization" => attention::embedding,
        "RelativePositionBias" => |call| vec![position_bias(call)],
        "GatedRelativePositionBias" => |call| vec![gated_position_bias(call)],
        "RemovePadding" => remove_padding,
        "RestorePadding" => |call| vec![restore_padding(call)],
        "MatMulNBits"
        | "MatMulBnb4"
        | "MatMulBlockQuantizedFp4Weight"
        | "MatMulBlockQuantizedFp8Weight"
        | "MatMulNBitsQLoRA" => |call| vec![last(call, 0, call.int("N").map_or(Open, Known))],
        "MatMulFpQ4" => {
            |call| vec![last(call, 0, call.contents(2).and_then(|shape| shape.last().cloned()).unwrap_or(Open))]
        }
        "MatMulNBitsMlp" => {
            |call| vec![last(call, 0, call.int("N").map_or(Open, Known)), last(call, 0, Open).and(copy(call, 0))]
        }
        "MatMulNBitsQkv" => qkv,
        "GatherBlockQuantized" => |call| vec![gather_quantized(call)],
        "FusedMatMul" | "TransposeMatMul" | "FusedMatMulActivation" => |call| vec![fused_matmul(call)],
        "DynamicQuantizeMatMul"
        | "MatMulIntegerToFloat"
        | "MatMulInteger16"
        | "GemmFastGelu"
        | "GemmFloat8"
        | "SparseToDenseMatMul" => |call| vec![linear::matmul(call)],
        "FusedGemm" => |call| vec![linear::gemm(call)],
        "QGemm" => |call| vec![linear::gemm(&call.with(&[0, 3]))],
        "CDist" => |call| vec![first_of_both(call)],
        "FusedConv" => |call| vec![window::conv(call)],
        "QLinearConv" => |call| vec![channels_last(call, 0, call.int("channels_last") == Some(1), window::conv)],
        "NhwcConv" | "NhwcFusedConv" => |call| vec![channels_last(call, 0, true, window::conv)],
        "NhwcMaxPool" => |call| vec![channels_last(call, 0, true, |call| window::pool(call).into_iter().next()?)],
        "MaxpoolWithMask" => window::pool,
        "QLinearAveragePool" => |call| {
            let is_last = call.int("channels_last") == Some(1);
            vec![channels_last(call, 0, is_last, |call| window::pool(call).into_iter().next()?)]
        },
        "QLinearGlobalAveragePool" => {
            |call| vec![channels_last(call, 0, call.int("channels_last") == Some(1), window::global_pool)]
        }
        "QLinearAdd" | "QLinearMul" => {
            |call| vec![broadcast(&[call.dims(0).unwrap_or(&[Open]), call.dims(3).unwrap_or(&[Open])])]
        }
        "MulInteger" => |call| vec![broadcast(&[call.dims(0).unwrap_or(&[Open]), call.dims(2).unwrap_or(&[Open])])],
        "ComplexMul" | "ComplexMulConj" => {
            |call| vec![broadcast(&[call.dims(0).unwrap_or(&[Open]), call.dims(1).unwrap_or(&[Open])])]
        }
        "QLinearWhere" => |call| {
            let dims = |input: usize| call.dims(input).unwrap_or(&[Open]);
            vec![broadcast(&[dims(0), dims(1), dims(4)])]
        },
        "QLinearConcat" => |call| {
            let inputs: Vec<usize> = (2..call.inputs.len()).step_by(3).collect();
            vec![layout::concat(&call.with(&inputs))]
        },
        "QLinearReduceMean" | "ReduceSumInteger" => |call| vec![reduce::reduce(&call.with(&[0]))],
        "BiasSplitGelu" => |call| vec![halved(call)],
        "SwiGLU" => |call| vec![if call.has(1) { copy(call, 0) } else { halved(call) }],
        "ExpandDims" => |call| vec![expand_dims(call)],
        "Pad" => |call| vec![layout::pad(call)],
        "Range" => |call| vec![gather::range(call)],
        "GatherND" => |call| vec![gather::gather_nd(call)],
        "TorchEmbedding" => |call| vec![embedding(call)],
        "NGramRepeatBlock" => |call| vec![copy(call, 1)],
        "GridSample" => |call| vec![vision::grid_sample(call)],
        "CropAndResize" => |call| vec![vision::crop_and_resize(call)],
        "Rfft" => |call| vec![signal::rfft(call)],
        "Irfft" => |call| vec![signal::irfft(call)],
        "DynamicQuantizeLSTM" => linear::recurrent,
        "IsAllFinite" => |_| vec![Some(Vec::new())],
        "Unique" => |call| vec![Some(vec![Open]), copy(call, 0), Some(vec![Open])],
        _ => return None,
    })
}

/// The element type of one output; 0 = not known.
pub fn elem(call: &Call, output: usize) -> i32 {
    match (call.op(), output) {
        ("DequantizeLinear" | "DequantizeWithOrder" | "SimplifiedLayerNormalization", 0) => call.elem(1),
        ("QuantizeLinear", _) => {
            if call.has(2) {
                call.elem(2)
            } else {
                UINT8
            }
        }
        ("EmbedLayerNormalization", 0 | 2) => call.elem(2),
        ("QEmbedLayerNormalization", 0) => call.elem(8),
        ("EmbedLayerNormalization" | "QEmbedLayerNormalization", _) => INT32,
        ("QAttention", _) => call.elem(3),
        ("SkipLayerNormalization" | "SkipSimplifiedLayerNormalization", 1 | 2) => FLOAT,
        ("GroupQueryAttention" | "SparseAttention" | "PagedAttention", 1) if call.has(3) => call.elem(3),
        ("GroupQueryAttention" | "SparseAttention" | "PagedAttention", 2) if call.has(4) => call.elem(4),
        ("LinearAttention" | "CausalConvWithState", 1) if call.has(3) => call.elem(3),
        ("GatherBlockQuantized", _) => call.elem(2),
        ("MatMulIntegerToFloat", _) => call.elem(2),
        ("MatMulInteger16" | "MulInteger" | "ReduceSumInteger", _) => INT32,
        ("QGemm", _) if call.has(8) => call.elem(8),
        ("QGemm", _) => FLOAT,
        ("QLinearConv", _) => call.elem(7),
        ("QLinearConcat" | "QLinearWhere" | "NGramRepeatBlock" | "GemmaRotaryEmbedding", _) => call.elem(1),
        ("RemovePadding", 1..) => INT32,
        ("Unique", 1..) => INT64,
        ("BiasDropout", 1) | ("IsAllFinite", _) => BOOL,
        _ => call.elem(0),
    }
}

fn copy(call: &Call, input: usize) -> Option<Dims> {
    call.dims(input).map(<[Extent]>::to_vec)
}

/// An input with another last extent.
fn last(call: &Call, input: usize, extent: Extent) -> Option<Dims> {
    let mut dims = copy(call, input)?;
    *dims.last_mut()? = extent;
    Some(dims)
}

fn halved(call: &Call) -> Option<Dims> {
    last(call, 0, call.dims(0)?.last()?.over(&Known(2)))
}

fn qkv(call: &Call) -> Vec<Option<Dims>> {
    let columns = |name: &str| last(call, 0, call.int(name).map_or(Open, Known));
    vec![columns("Nq"), columns("Nkv"), columns("Nkv"), copy(call, 0)]
}

fn position_bias(call: &Call) -> Option<Dims> {
    let length = |input: usize| call.contents(input).and_then(|contents| contents.first().cloned()).unwrap_or(Open);
    Some(vec![Known(1), call.dims(0)?.get(1)?.clone(), length(1), length(2)])
}

fn gated_position_bias(call: &Call) -> Option<Dims> {
    let batch_and_steps = match call.dims(0)? {
        [batch, steps, _] => [batch, steps],
        _ => call.dims(6)?.first_chunk::<2>()?.each_ref(),
    };
    let [batch, steps] = batch_and_steps;
    Some(vec![batch.clone(), Known(call.int("num_heads")?), steps.clone(), steps.clone()])
}

fn remove_padding(call: &Call) -> Vec<Option<Dims>> {
    let outputs = || {
        let [batch, steps, hidden] = call.dims(0)? else { return None };
        let more = batch.plus(&Known(1));
        // How many tokens are no padding depends on the contents; at most all of them.
        let tokens = vec![batch.times(steps), hidden.clone()];
        Some(vec![Some(tokens), Some(vec![batch.clone(), steps.clone()]), Some(vec![more]), Some(vec![Known(1)])])
    };
    outputs().unwrap_or_default()
}

fn restore_padding(call: &Call) -> Option<Dims> {
    let ([_, hidden], [batch, steps]) = (call.dims(0)?, call.dims(1)?) else { return None };
    Some(vec![batch.clone(), steps.clone(), hidden.clone()])
}

/// Two or more elements lie in a byte of the data.
fn gather_quantized(call: &Call) -> Option<Dims> {
    let data = call.dims(0)?;
    let axis = axis_of(call.int("gather_axis").unwrap_or(0), data.len())?;
    let quantized = axis_of(call.int("quantize_axis").unwrap_or(1), data.len())?;
    let mut data = data.to_vec();
    if call.elem(0) == UINT8 {
        let each = 8i64.checked_div(call.int("bits").unwrap_or(4))?;
        let packed = data.get_mut(quantized)?;
        *packed = packed.times(&Known(each));
    }
    Some([data.get(..axis)?, call.dims(1)?, data.get(axis + 1..)?].concat())
}

/// Matrices that are turned first, and stacks whose first axis comes before the rows.
fn fused_matmul(call: &Call) -> Option<Dims> {
    let turned = |input: usize, matrix: &str, stack: &str| {
        let mut dims = copy(call, input)?;
        let rank = dims.len();
        if call.int(stack) == Some(1) && rank > 2 {
            dims.get_mut(..rank - 1)?.rotate_left(1);
        }
        if call.int(matrix) == Some(1) && rank > 1 {
            dims.swap(rank - 1, rank - 2);
        }
        Some(Value { dims: Some(dims), ..Value::default() })
    };
    let (a, b) = (turned(0, "transA", "transBatchA")?, turned(1, "transB", "transBatchB")?);
    linear::matmul(&Call { inputs: vec![Some(&a), Some(&b)], ..call.same() })
}

fn first_of_both(call: &Call) -> Option<Dims> {
    Some(vec![call.dims(0)?.first()?.clone(), call.dims(1)?.first()?.clone()])
}

/// Applies a rule of images to one whose channels come last.
fn channels_last(call: &Call, input: usize, is_last: bool, rule: fn(&Call) -> Option<Dims>) -> Option<Dims> {
    if !is_last {
        return rule(call);
    }
    let mut dims = copy(call, input)?;
    dims.get_mut(1..)?.rotate_right(1);
    let image = Value { dims: Some(dims), ..Value::default() };
    let mut inputs = call.inputs.clone();
    *inputs.get_mut(input)? = Some(&image);
    let mut dims = rule(&Call { inputs, ..call.same() })?;
    dims.get_mut(1..)?.rotate_left(1);
    Some(dims)
}

fn expand_dims(call: &Call) -> Option<Dims> {
    let mut dims = copy(call, 0)?;
    let axis = axis_of(*call.numbers(1)?.first()?, dims.len() + 1)?;
    dims.insert(axis, Known(1));
    Some(dims)
}

fn embedding(call: &Call) -> Option<Dims> {
    Some([call.dims(1)?, &[call.dims(0)?.last()?.clone()]].concat())
}
