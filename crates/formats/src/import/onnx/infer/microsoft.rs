//! Operators of ONNX Runtime (domain com.microsoft), as its schemas state them
//! (microsoft/onnxruntime 1.32, docs/ContribOperators.md).

use super::rules::Rule;
use super::{Call, attention, gather, layout, linear, reduce, signal, vision, window};
use crate::import::onnx::types::{BOOL, FLOAT, INT32, INT64, UINT8};
use crate::import::shape::{Dims, Extent, Table, axis_of, inserted, multiplied, replaced};

use Extent::{Known, Open};
use Rule::{All, Broadcast, ChannelsLast, ChannelsLastIf, Copies, Fixed, One, Over, Twice};

#[rustfmt::skip]
pub const RULES: Table<Rule> = &[
    (&[
        "BiasAdd", "BiasDropout", "BiasGelu", "BiasSoftmax", "BitmaskBiasDropout", "BitmaskDropout", "BranchwiseRMSNorm", "Cast",
        "DequantizeBFP", "DequantizeLinear", "DequantizeWithOrder", "Dropout", "DynamicSparseAttention", "FastGelu", "GatedAdd",
        "GatedRMSNorm", "Gelu", "GroupNorm", "Identity", "Inverse", "LayerNormalization", "LongformerAttention", "MRotaryEmbedding",
        "MoE", "MoEPacked", "QLinearLeakyRelu", "QLinearSigmoid", "QLinearSoftmax", "QMoE", "QOrderedGelu",
        "QOrderedLayerNormalization", "QOrderedLongformerAttention", "QuantizeLinear", "QuantizeWithOrder", "QuickGelu",
        "RotaryEmbedding", "SampleOp", "ScaledSiLU", "SimplifiedLayerNormalization", "SkipGroupNorm", "Trilu",
    ], Copies(&[0, 0])),
    (&["GemmaRotaryEmbedding"], Copies(&[1, 3])),
    (&["NGramRepeatBlock"], Copies(&[1])),
    (&["SkipLayerNormalization", "SkipSimplifiedLayerNormalization"], All(normalization)),
    (&["Attention", "DecoderMaskedSelfAttention", "QOrderedAttention"], All(|call| attention::projected(call, 4))),
    (&["QAttention"], All(|call| attention::projected(call, 8))),
    (&["MultiHeadAttention"], All(|call| attention::multi_head(call, 6, 8))),
    (&["DecoderMaskedMultiHeadAttention"], All(|call| attention::multi_head(call, 5, 7))),
    (&["GroupQueryAttention"], All(attention::group_query)),
    (&["SparseAttention", "PagedAttention", "SparsePagedAttention"], All(attention::cached)),
    (&["PackedAttention"], All(attention::packed)),
    (&["PackedMultiHeadAttention"], All(attention::packed_multi_head)),
    (&["LinearAttention"], All(attention::linear)),
    (&["CausalConvWithState"], All(attention::causal_conv)),
    (&["EmbedLayerNormalization", "QEmbedLayerNormalization"], All(attention::embedding)),
    (&["RelativePositionBias"], One(position_bias)),
    (&["GatedRelativePositionBias"], One(gated_position_bias)),
    (&["RemovePadding"], All(remove_padding)),
    (&["RestorePadding"], One(restore_padding)),
    (&[
        "MatMulNBits", "MatMulBnb4", "MatMulBlockQuantizedFp4Weight", "MatMulBlockQuantizedFp8Weight", "MatMulNBitsQLoRA",
    ], One(|call| columns(call, "N"))),
    (&["MatMulFpQ4"], One(|call| last(call, call.contents(2).and_then(|shape| shape.last().cloned()).unwrap_or(Open)))),
    (&["MatMulNBitsMlp"], All(|call| vec![columns(call, "N"), last(call, Open).and(call.copy(0))])),
    (&["MatMulNBitsQkv"], All(qkv)),
    (&["GatherBlockQuantized"], One(gather_quantized)),
    (&["FusedMatMul", "TransposeMatMul", "FusedMatMulActivation"], One(fused_matmul)),
    (&[
        "DynamicQuantizeMatMul", "MatMulIntegerToFloat", "MatMulInteger16", "GemmFastGelu", "GemmFloat8", "SparseToDenseMatMul",
    ], One(linear::matmul)),
    (&["FusedGemm"], One(linear::gemm)),
    (&["QGemm"], Over(&[0, 3], linear::gemm)),
    (&["CDist"], One(first_of_both)),
    (&["FusedConv"], One(window::conv)),
    (&["QLinearConv"], ChannelsLastIf(|call| window::conv(&call.with(&[0, 3])))),
    (&["NhwcConv", "NhwcFusedConv"], ChannelsLast(window::conv)),
    (&["NhwcMaxPool"], ChannelsLast(window::pool)),
    (&["MaxpoolWithMask"], Twice(window::pool)),
    (&["QLinearAveragePool"], ChannelsLastIf(window::pool)),
    (&["QLinearGlobalAveragePool"], ChannelsLastIf(window::global_pool)),
    (&["QLinearAdd", "QLinearMul"], Broadcast(&[0, 3])),
    (&["MulInteger"], Broadcast(&[0, 2])),
    (&["ComplexMul", "ComplexMulConj"], Broadcast(&[0, 1])),
    (&["QLinearWhere"], Broadcast(&[0, 1, 4])),
    (&["QLinearConcat"], One(concat)),
    (&["QLinearReduceMean", "ReduceSumInteger"], Over(&[0], reduce::reduce)),
    (&["BiasSplitGelu"], One(halved)),
    (&["SwiGLU"], One(|call| if call.has(1) { call.copy(0) } else { halved(call) })),
    (&["ExpandDims"], One(expand_dims)),
    (&["Pad"], One(layout::pad)),
    (&["Range"], One(gather::range)),
    (&["GatherND"], One(gather::gather_nd)),
    (&["TorchEmbedding"], One(embedding)),
    (&["GridSample"], One(vision::grid_sample)),
    (&["CropAndResize"], One(vision::crop_and_resize)),
    (&["Rfft"], One(signal::rfft)),
    (&["Irfft"], One(signal::irfft)),
    (&["DynamicQuantizeLSTM"], All(linear::recurrent)),
    (&["IsAllFinite"], Fixed(&[])),
    (&["Unique"], All(|call| vec![Some(vec![Open]), call.copy(0), Some(vec![Open])])),
];

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

/// Output, two statistics, and the sum of the inputs; statistics end in an extent of 1.
fn normalization(call: &Call) -> Vec<Option<Dims>> {
    vec![call.copy(0), last(call, Known(1)), last(call, Known(1)), call.copy(0)]
}

/// The data with another last extent.
fn last(call: &Call, extent: Extent) -> Option<Dims> {
    let dims = call.dims(0)?;
    replaced(dims, dims.len().checked_sub(1)?, extent)
}

/// The data with as many columns as an attribute states.
fn columns(call: &Call, name: &str) -> Option<Dims> {
    last(call, call.int(name).map_or(Open, Known))
}

fn halved(call: &Call) -> Option<Dims> {
    last(call, call.dims(0)?.last()?.over(&Known(2)))
}

fn qkv(call: &Call) -> Vec<Option<Dims>> {
    vec![columns(call, "Nq"), columns(call, "Nkv"), columns(call, "Nkv"), call.copy(0)]
}

/// Each input has a scale and a zero point beside it.
fn concat(call: &Call) -> Option<Dims> {
    let inputs: Vec<usize> = (2..call.inputs.len()).step_by(3).collect();
    layout::concat(&call.with(&inputs))
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
        let mut dims = call.copy(input)?;
        let rank = dims.len();
        if call.int(stack) == Some(1) && rank > 2 {
            dims.get_mut(..rank - 1)?.rotate_left(1);
        }
        if call.int(matrix) == Some(1) && rank > 1 {
            dims.swap(rank - 1, rank - 2);
        }
        Some(dims)
    };
    multiplied(&turned(0, "transA", "transBatchA")?, &turned(1, "transB", "transBatchB")?)
}

fn first_of_both(call: &Call) -> Option<Dims> {
    Some(vec![call.dims(0)?.first()?.clone(), call.dims(1)?.first()?.clone()])
}

fn expand_dims(call: &Call) -> Option<Dims> {
    let dims = call.dims(0)?;
    inserted(dims, axis_of(*call.numbers(1)?.first()?, dims.len() + 1)?, Known(1))
}

fn embedding(call: &Call) -> Option<Dims> {
    Some([call.dims(1)?, &[call.dims(0)?.last()?.clone()]].concat())
}
