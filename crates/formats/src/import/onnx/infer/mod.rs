//! Shapes of what a node makes, from the shapes of what it reads: one rule per operator, as the
//! operator specification (onnx/onnx 1.23, docs/Operators.md) states them, over expressions so that
//! a symbolic batch keeps its name. An operator or a case without a rule gives nothing.

mod arithmetic;
mod attention;
mod contents;
mod elements;
mod gather;
mod layout;
mod linear;
mod microsoft;
mod nchwc;
mod reduce;
mod resize;
mod sequence;
mod signal;
mod vision;
mod window;

use std::borrow::Cow;
use std::rc::Rc;

use super::extent::{Dims, Extent, axis_of, broadcast, product};
use super::messages::AttributeProto;
use super::node::{Node, is_own};
use super::types::dtype;

pub use contents::of_tensor;

/// Most extents of a shape.
pub const MAX_RANK: usize = 64;

/// What is known of a tensor.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Value {
    /// Element type as ONNX numbers it; 0 = not known.
    pub elem: i32,
    pub dims: Option<Dims>,
    /// Contents of a number or a short list, where they are whole numbers.
    pub contents: Option<Vec<Extent>>,
    /// Contents of a short constant list that are no whole numbers, such as scales.
    pub fractions: Option<Vec<f64>>,
    /// The tensors of a sequence, if their number is known.
    pub sequence: Option<Rc<Vec<Value>>>,
}

impl Value {
    /// Type and extents of the memory that it takes: a sequence is its tensors one after the
    /// other.
    pub fn stored_as(&self) -> (i32, Option<Cow<'_, [Extent]>>) {
        let Some(items) = &self.sequence else { return (self.elem, self.dims.as_deref().map(Cow::Borrowed)) };
        let elem = items.first().map_or(self.elem, |first| first.elem);
        let mut elements = Extent::Known(0);
        for item in items.iter() {
            let Some(dims) = item.dims.as_ref().filter(|_| item.elem == elem) else { return (elem, None) };
            elements = elements.plus(&product(dims));
        }
        (elem, Some(Cow::Owned(vec![elements])))
    }

    /// The memory that it takes in bits.
    pub fn bits(&self) -> Option<Extent> {
        let (elem, dims) = self.stored_as();
        Some(product(&dims?).times(&Extent::Known(dtype(elem)?.bits() as i64)))
    }

    /// Type and shape alone.
    pub fn without_contents(&self) -> Value {
        Value { elem: self.elem, dims: self.dims.clone(), sequence: self.sequence.clone(), ..Value::default() }
    }
}

/// A node with what is known of its inputs.
pub struct Call<'a> {
    node: &'a Node<'a>,
    attributes: &'a [AttributeProto],
    /// Version of the operator set; 0 for operators that are not of ONNX itself.
    version: i64,
    /// Channels that lie together in images of ONNX Runtime's own layout.
    block: i64,
    inputs: Vec<Option<&'a Value>>,
}

impl<'a> Call<'a> {
    pub fn new(
        node: &'a Node<'a>,
        attributes: &'a [AttributeProto],
        version: i64,
        block: i64,
        inputs: Vec<Option<&'a Value>>,
    ) -> Call<'a> {
        Call { node, attributes, version, block, inputs }
    }

    pub fn op(&self) -> &'a str {
        self.node.op_type
    }

    pub fn version(&self) -> i64 {
        self.version
    }

    /// Whether the input is there at all.
    pub fn has(&self, input: usize) -> bool {
        self.value(input).is_some()
    }

    fn value(&self, input: usize) -> Option<&'a Value> {
        self.inputs.get(input).copied().flatten()
    }

    pub fn elem(&self, input: usize) -> i32 {
        self.value(input).map_or(0, |value| value.elem)
    }

    fn dims(&self, input: usize) -> Option<&'a [Extent]> {
        self.value(input)?.dims.as_deref()
    }

    fn contents(&self, input: usize) -> Option<&'a [Extent]> {
        self.value(input)?.contents.as_deref()
    }

    /// Contents that are plain numbers.
    fn numbers(&self, input: usize) -> Option<Vec<i64>> {
        self.contents(input)?.iter().map(Extent::known).collect()
    }

    /// Numbers, whole or not, of an input.
    fn scales(&self, input: usize) -> Option<Vec<f64>> {
        let value = self.value(input)?;
        let whole = || self.numbers(input).map(|numbers| numbers.iter().map(|&number| number as f64).collect());
        value.fractions.clone().or_else(whole)
    }

    pub fn attribute(&self, name: &str) -> Option<&'a AttributeProto> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    pub fn int(&self, name: &str) -> Option<i64> {
        self.attribute(name)?.i
    }

    fn ints(&self, name: &str) -> Option<&'a [i64]> {
        self.attribute(name).map(|attribute| &attribute.ints[..])
    }

    fn text(&self, name: &str) -> &'a str {
        let bytes = self.attribute(name).and_then(|attribute| attribute.s.as_deref());
        bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    /// A list that older operator sets have as an attribute and newer ones as an input. `Ok(None)`
    /// = left out.
    fn list(&self, name: &str, input: usize) -> Result<Option<Vec<i64>>, Unknown> {
        match (self.ints(name), self.value(input)) {
            (Some(list), _) => Ok(Some(list.to_vec())),
            (None, Some(_)) => self.numbers(input).map(Some).ok_or(Unknown),
            (None, None) => Ok(None),
        }
    }

    fn outputs(&self) -> usize {
        self.node.output.len()
    }

    /// The same call, to be given other inputs.
    fn same(&self) -> Call<'a> {
        Call { inputs: Vec::new(), ..*self }
    }

    /// The same call with these of its inputs alone.
    fn with(&self, inputs: &[usize]) -> Call<'a> {
        Call { inputs: inputs.iter().map(|&input| self.value(input)).collect(), ..*self }
    }
}

/// A list whose entries are not known.
struct Unknown;

/// Whether there is a rule for the shapes of this operator.
pub fn knows(node: &Node) -> bool {
    let op = node.op_type;
    match node.domain {
        MICROSOFT => microsoft::knows(op),
        NCHWC => nchwc::rule(op).is_some(),
        domain => {
            is_own(domain) && (shapes_are_the_same(op) || broadcasts(op) || has_rule(op) || sequence::handles(op))
        }
    }
}

/// The domain of the operators that ONNX Runtime adds.
const MICROSOFT: &str = "com.microsoft";

/// The domain of its operators on images whose channels lie in blocks.
pub const NCHWC: &str = "com.microsoft.nchwc";

/// What is known of each output.
pub fn infer(call: &Call) -> Vec<Value> {
    let mut results = vec![Value::default(); call.outputs()];
    if !knows(call.node) {
        return results;
    }
    let is_own = is_own(call.node.domain);
    let passes_on = call.op() == "Identity" && call.value(0).is_some_and(|value| value.sequence.is_some());
    if is_own && (sequence::handles(call.op()) || passes_on) {
        let value = if passes_on { call.value(0).cloned() } else { sequence::infer(call) };
        if let (Some(result), Some(value)) = (results.first_mut(), value) {
            *result = value;
        }
        return results;
    }
    let shapes = match nchwc::rule(call.op()).filter(|_| call.node.domain == NCHWC) {
        Some(rule) => rule(call),
        None if is_own => shapes(call),
        None => microsoft::shapes(call),
    };
    for (index, (result, dims)) in results.iter_mut().zip(shapes).enumerate() {
        result.elem = match call.node.domain {
            MICROSOFT => microsoft::elem(call, index),
            NCHWC => call.elem(0),
            _ => elements::of_output(call, index),
        };
        result.dims = dims.filter(|dims| dims.len() <= MAX_RANK);
        if let Some(dims) = result.dims.as_ref().filter(|_| is_own) {
            (result.contents, result.fractions) = contents::infer(call, index, dims);
        }
    }
    results
}

fn shapes_are_the_same(op: &str) -> bool {
    #[rustfmt::skip]
    const SAME: [&str; 78] = [
        "Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BatchNormalization", "Bernoulli", "BitCast", "BitwiseNot", "Cast",
        "CastLike", "Ceil", "Celu", "Clip", "Cos", "Cosh", "CumProd", "CumSum", "DequantizeLinear", "Dropout", "DynamicQuantizeLinear",
        "Elu", "Erf", "Exp", "EyeLike", "Floor", "Gelu", "GroupNormalization", "HardSigmoid", "HardSwish", "Hardmax",
        "Identity", "InstanceNormalization", "IsInf", "IsNaN", "LRN", "LayerNormalization", "LeakyRelu", "Log", "LogSoftmax",
        "LpNormalization", "MeanVarianceNormalization", "Mish", "Neg", "Not", "PRelu", "QuantizeLinear", "RMSNormalization",
        "RandomNormalLike", "RandomUniformLike", "Reciprocal", "RegexFullMatch", "Relu", "ReverseSequence", "RotaryEmbedding", "Round", "Scatter",
        "ScatterElements", "ScatterND", "Selu", "Shrink", "Sigmoid", "Sign", "SimplifiedLayerNormalization", "Sin", "Sinh", "Softmax", "Softplus",
        "Softsign", "Sqrt", "Swish", "Tan", "Tanh", "TensorScatter", "ThresholdedRelu", "Trilu",
    ];
    SAME.contains(&op)
}

fn broadcasts(op: &str) -> bool {
    #[rustfmt::skip]
    const BROADCAST: [&str; 25] = [
        "Add", "And", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Div", "Equal", "Greater", "GreaterOrEqual",
        "Less", "LessOrEqual", "Max", "Mean", "Min", "Mod", "Mul", "Or", "Pow", "StringConcat", "Sub", "Sum", "SwiGLU", "Where",
        "Xor",
    ];
    BROADCAST.contains(&op)
}

fn has_rule(op: &str) -> bool {
    rule(op).is_some()
}

type Rule = fn(&Call) -> Vec<Option<Dims>>;

/// Rules of the operators whose outputs have shapes of their own.
fn rule(op: &str) -> Option<Rule> {
    Some(match op {
        "MatMul" | "MatMulInteger" | "QLinearMatMul" => |call| vec![linear::matmul(call)],
        "Gemm" => |call| vec![linear::gemm(call)],
        "Einsum" => |call| vec![linear::einsum(call)],
        "Det" => |call| vec![linear::det(call)],
        "RNN" | "GRU" | "LSTM" => linear::recurrent,
        "Conv" | "ConvInteger" | "QLinearConv" => |call| vec![window::conv(call)],
        "ConvTranspose" => |call| vec![window::conv_transpose(call)],
        "MaxPool" | "AveragePool" | "LpPool" => window::pool,
        "GlobalAveragePool" | "GlobalMaxPool" | "GlobalLpPool" => |call| vec![window::global_pool(call)],
        "ReduceSum" | "ReduceMean" | "ReduceMax" | "ReduceMin" | "ReduceProd" | "ReduceL1" | "ReduceL2"
        | "ReduceLogSum" | "ReduceLogSumExp" | "ReduceSumSquare" => |call| vec![reduce::reduce(call)],
        "ArgMax" | "ArgMin" => |call| vec![reduce::arg(call)],
        "TopK" => reduce::top_k,
        "Transpose" => |call| vec![layout::transpose(call)],
        "Reshape" => |call| vec![layout::reshape(call)],
        "Flatten" => |call| vec![layout::flatten(call)],
        "Squeeze" => |call| vec![layout::squeeze(call)],
        "Unsqueeze" => |call| vec![layout::unsqueeze(call)],
        "Concat" => |call| vec![layout::concat(call)],
        "Split" => layout::split,
        "Expand" => |call| vec![layout::expand(call)],
        "Tile" => |call| vec![layout::tile(call)],
        "Pad" => |call| vec![layout::pad(call)],
        "DepthToSpace" => |call| vec![layout::depth_to_space(call)],
        "SpaceToDepth" => |call| vec![layout::space_to_depth(call)],
        "Resize" => |call| vec![resize::resize(call)],
        "Upsample" => |call| vec![resize::upsample(call)],
        "Slice" => |call| vec![gather::slice(call)],
        "Gather" => |call| vec![gather::gather(call)],
        "GatherElements" => |call| vec![call.dims(1).map(<[Extent]>::to_vec)],
        "GatherND" => |call| vec![gather::gather_nd(call)],
        "OneHot" => |call| vec![gather::one_hot(call)],
        "Compress" => |call| vec![gather::compress(call)],
        "Range" => |call| vec![gather::range(call)],
        "Shape" => |call| vec![gather::shape(call)],
        "Size" => |_| vec![Some(Vec::new())],
        "ConstantOfShape" => |call| vec![gather::from_contents(call)],
        "RandomNormal" | "RandomUniform" => |call| vec![gather::from_attribute(call)],
        "NonZero" => |call| vec![gather::non_zero(call)],
        "Attention" => attention::attention,
        "LinearAttention" => attention::linear,
        "CausalConvWithState" => attention::causal_conv,
        "DeformConv" => |call| vec![window::conv(call)],
        "GridSample" => |call| vec![vision::grid_sample(call)],
        "AffineGrid" => |call| vec![vision::affine_grid(call)],
        "RoiAlign" => |call| vec![vision::roi_align(call)],
        "MaxRoiPool" => |call| vec![vision::roi_pool(call)],
        "Col2Im" => |call| vec![vision::col2im(call)],
        "CenterCropPad" => |call| vec![vision::center_crop_pad(call)],
        "MaxUnpool" => |call| vec![vision::max_unpool(call)],
        "ImageDecoder" => |_| vec![Some(vec![Extent::Open, Extent::Open, Extent::Open])],
        "DFT" => |call| vec![signal::dft(call)],
        "STFT" => |call| vec![signal::stft(call)],
        "HannWindow" | "HammingWindow" | "BlackmanWindow" => |call| vec![signal::window(call)],
        "MelWeightMatrix" => |call| vec![signal::mel_weights(call)],
        "Multinomial" => |call| vec![gather::multinomial(call)],
        "Unique" => gather::unique,
        "NegativeLogLikelihoodLoss" | "SoftmaxCrossEntropyLoss" => reduce::loss,
        "TfIdfVectorizer" => |call| vec![gather::tf_idf(call)],
        "NonMaxSuppression" => |_| vec![Some(vec![Extent::Open, Extent::Known(3)])],
        _ => return None,
    })
}

/// The shapes of all outputs whose shape follows from the inputs.
fn shapes(call: &Call) -> Vec<Option<Dims>> {
    let op = call.op();
    if let Some(rule) = rule(op) {
        return rule(call);
    }
    let first = || call.dims(0).map(<[Extent]>::to_vec);
    if broadcasts(op) {
        // Before version 7 the second operand stretched to the first.
        let legacy =
            call.version < 7 && matches!(call.inputs.len(), 2) && !matches!(op, "Max" | "Min" | "Mean" | "Sum");
        let all: Option<Vec<&[Extent]>> = (0..call.inputs.len()).map(|input| call.dims(input)).collect();
        return vec![if legacy { first() } else { all.and_then(|all| broadcast(&all)) }];
    }
    match op {
        "Dropout" => vec![first(), first()],
        "DynamicQuantizeLinear" => vec![first(), Some(Vec::new()), Some(Vec::new())],
        "LayerNormalization" | "RMSNormalization" | "SimplifiedLayerNormalization" => {
            let statistics = first().and_then(|mut dims| {
                let start = axis_of(call.int("axis").unwrap_or(-1), dims.len())?;
                dims.iter_mut().skip(start).for_each(|extent| *extent = Extent::Known(1));
                Some(dims)
            });
            vec![first(), statistics.clone(), statistics]
        }
        "BatchNormalization" => {
            let channels = || call.dims(3).map(<[Extent]>::to_vec);
            vec![first(), channels(), channels(), channels(), channels()]
        }
        _ => vec![first()],
    }
}
