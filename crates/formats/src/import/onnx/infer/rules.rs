//! How the shapes of outputs follow from those of the inputs, and the operators of ONNX itself.

use super::{Call, attention, gather, layout, linear, reduce, resize, signal, vision, window};
use crate::import::shape::{Dims, Extent, Table, axis_of, broadcast};

use Extent::{Known, Open};

type Kernel = fn(&Call) -> Option<Dims>;

/// The rule for the shapes of an operator.
pub enum Rule {
    /// Each output has the shape of this input.
    Copies(&'static [usize]),
    /// The first output has the shape to which these inputs broadcast.
    Broadcast(&'static [usize]),
    /// The first output has this shape; -1 stands for an extent that depends on the contents.
    Fixed(&'static [i64]),
    /// The first output.
    One(Kernel),
    /// The first two outputs alike.
    Twice(Kernel),
    /// The first output, by a kernel that is given these inputs alone.
    Over(&'static [usize], Kernel),
    /// The first output, by a kernel of images, of one whose channels come last.
    ChannelsLast(Kernel),
    /// The same where the attribute `channels_last` is 1.
    ChannelsLastIf(Kernel),
    /// All outputs.
    All(fn(&Call) -> Vec<Option<Dims>>),
    /// Sequences or optional values go in or out: [`super::sequence`].
    Sequence,
}

use Rule::{All, Broadcast, Copies, Fixed, One, Over, Sequence, Twice};

impl Rule {
    /// The shapes of the outputs, as far as they are known.
    pub fn shapes(&self, call: &Call) -> Vec<Option<Dims>> {
        let one = match self {
            Copies(inputs) => return inputs.iter().map(|&input| call.copy(input)).collect(),
            All(kernel) => return kernel(call),
            Twice(kernel) => {
                let dims = kernel(call);
                return vec![dims.clone(), dims];
            }
            Sequence => return Vec::new(),
            Broadcast(inputs) => {
                let shapes: Vec<&[Extent]> = inputs.iter().map(|&at| call.dims(at).unwrap_or(&[Open])).collect();
                broadcast(&shapes)
            }
            Fixed(dims) => Some(dims.iter().map(|&extent| if extent < 0 { Open } else { Known(extent) }).collect()),
            One(kernel) => kernel(call),
            Over(inputs, kernel) => kernel(&call.with(inputs)),
            Rule::ChannelsLast(kernel) => window::channels_last(call, *kernel),
            Rule::ChannelsLastIf(kernel) if call.int("channels_last") == Some(1) => {
                window::channels_last(call, *kernel)
            }
            Rule::ChannelsLastIf(kernel) => kernel(call),
        };
        vec![one]
    }
}

#[rustfmt::skip]
pub const RULES: Table<Rule> = &[
    (&[
        "Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Bernoulli", "BitCast", "BitwiseNot", "Cast", "CastLike", "Ceil",
        "Celu", "Clip", "Cos", "Cosh", "CumProd", "CumSum", "DequantizeLinear", "Elu", "Erf", "Exp", "EyeLike", "Floor", "Gelu",
        "GroupNormalization", "HardSigmoid", "HardSwish", "Hardmax", "Identity", "InstanceNormalization", "IsInf", "IsNaN", "LRN",
        "LeakyRelu", "Log", "LogSoftmax", "LpNormalization", "MeanVarianceNormalization", "Mish", "Neg", "Not", "PRelu",
        "QuantizeLinear", "RandomNormalLike", "RandomUniformLike", "Reciprocal", "RegexFullMatch", "Relu", "ReverseSequence",
        "RotaryEmbedding", "Round", "Scatter", "ScatterElements", "ScatterND", "Selu", "Shrink", "Sigmoid", "Sign", "Sin", "Sinh",
        "Softmax", "Softplus", "Softsign", "Sqrt", "Swish", "Tan", "Tanh", "TensorScatter", "ThresholdedRelu", "Trilu",
    ], Copies(&[0])),
    (&["Dropout"], Copies(&[0, 0])),
    (&["BatchNormalization"], Copies(&[0, 3, 3, 3, 3])),
    (&["GatherElements"], Copies(&[1])),
    (&["DynamicQuantizeLinear"], All(|call| vec![call.copy(0), Some(Vec::new()), Some(Vec::new())])),
    (&["LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization"], All(normalization)),
    (&[
        "Add", "And", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Div", "Equal", "Greater", "GreaterOrEqual", "Less",
        "LessOrEqual", "Mod", "Mul", "Or", "Pow", "StringConcat", "Sub", "SwiGLU", "Where", "Xor",
    ], One(of_operands)),
    (&["Max", "Mean", "Min", "Sum"], One(of_all)),
    (&["MatMul", "MatMulInteger"], One(linear::matmul)),
    (&["QLinearMatMul"], Over(&[0, 3], linear::matmul)),
    (&["Gemm"], One(linear::gemm)),
    (&["Einsum"], One(linear::einsum)),
    (&["Det"], One(linear::det)),
    (&["RNN", "GRU", "LSTM"], All(linear::recurrent)),
    (&["Conv", "ConvInteger", "DeformConv"], One(window::conv)),
    (&["QLinearConv"], Over(&[0, 3], window::conv)),
    (&["ConvTranspose"], One(window::conv_transpose)),
    (&["MaxPool", "AveragePool", "LpPool"], Twice(window::pool)),
    (&["GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"], One(window::global_pool)),
    (&["MaxUnpool"], One(window::max_unpool)),
    (&[
        "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp",
        "ReduceSumSquare",
    ], One(reduce::reduce)),
    (&["ArgMax", "ArgMin"], One(reduce::arg)),
    (&["TopK"], Twice(reduce::top_k)),
    (&["NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"], All(reduce::loss)),
    (&["Transpose"], One(layout::transpose)),
    (&["Reshape"], One(layout::reshape)),
    (&["Flatten"], One(layout::flatten)),
    (&["Squeeze"], One(layout::squeeze)),
    (&["Unsqueeze"], One(layout::unsqueeze)),
    (&["Concat"], One(layout::concat)),
    (&["Split"], All(layout::split)),
    (&["Expand"], One(layout::expand)),
    (&["Tile"], One(layout::tile)),
    (&["Pad"], One(layout::pad)),
    (&["DepthToSpace"], One(layout::depth_to_space)),
    (&["SpaceToDepth"], One(layout::space_to_depth)),
    (&["Resize"], One(resize::resize)),
    (&["Upsample"], One(resize::upsample)),
    (&["Slice"], One(gather::slice)),
    (&["Gather"], One(gather::gather)),
    (&["GatherND"], One(gather::gather_nd)),
    (&["OneHot"], One(gather::one_hot)),
    (&["Compress"], One(gather::picked)),
    (&["Range"], One(gather::range)),
    (&["Shape"], One(gather::shape)),
    (&["Size"], Fixed(&[])),
    (&["ConstantOfShape"], One(gather::from_contents)),
    (&["RandomNormal", "RandomUniform"], One(gather::from_attribute)),
    (&["NonZero"], One(gather::non_zero)),
    (&["Multinomial"], One(gather::multinomial)),
    (&["Unique"], All(gather::unique)),
    (&["TfIdfVectorizer"], One(gather::tf_idf)),
    (&["NonMaxSuppression"], Fixed(&[-1, 3])),
    (&["Attention"], All(attention::attention)),
    (&["LinearAttention"], All(attention::linear)),
    (&["CausalConvWithState"], All(attention::causal_conv)),
    (&["GridSample"], One(vision::grid_sample)),
    (&["AffineGrid"], One(vision::affine_grid)),
    (&["RoiAlign"], One(vision::roi_align)),
    (&["MaxRoiPool"], One(vision::roi_pool)),
    (&["Col2Im"], One(vision::col2im)),
    (&["CenterCropPad"], One(vision::center_crop_pad)),
    (&["ImageDecoder"], Fixed(&[-1, -1, -1])),
    (&["DFT"], One(signal::dft)),
    (&["STFT"], One(signal::stft)),
    (&["HannWindow", "HammingWindow", "BlackmanWindow"], One(signal::window)),
    (&["MelWeightMatrix"], One(signal::mel_weights)),
    (&[
        "ConcatFromSequence", "Optional", "OptionalGetElement", "OptionalHasElement", "SequenceAt", "SequenceConstruct",
        "SequenceEmpty", "SequenceErase", "SequenceInsert", "SequenceLength", "SplitToSequence",
    ], Sequence),
];

/// The shape to which all inputs broadcast.
fn of_all(call: &Call) -> Option<Dims> {
    let all: Option<Vec<&[Extent]>> = (0..call.inputs.len()).map(|input| call.dims(input)).collect();
    broadcast(&all?)
}

/// The same; before version 7 the second of two operands stretched to the first.
fn of_operands(call: &Call) -> Option<Dims> {
    if call.version < 7 && call.inputs.len() == 2 { call.copy(0) } else { of_all(call) }
}

/// The data, and two statistics with one value for all that is normalised together.
fn normalization(call: &Call) -> Vec<Option<Dims>> {
    let statistics = call.copy(0).and_then(|mut dims| {
        let start = axis_of(call.int("axis").unwrap_or(-1), dims.len())?;
        dims.iter_mut().skip(start).for_each(|extent| *extent = Known(1));
        Some(dims)
    });
    vec![call.copy(0), statistics.clone(), statistics]
}
