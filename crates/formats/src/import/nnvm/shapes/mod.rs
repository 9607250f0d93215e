//! Shapes of what operators make, for graphs that state none, and backwards those of the weights
//! that a layer owns.
//!
//! Source: the shape functions of MXNet 1.9.1 (`src/operator`) and of NNVM (apache/tvm v0.6.1,
//! `nnvm/src/top`). A rule answers `None` where shapes it needs are missing or do not fit: then the
//! outputs stay unknown, nothing is guessed.

mod layers;
mod moves;

use super::file::Node;
use crate::import::shape::{self, Extent, Table, axis_of, find};

/// Extents, all known.
pub type Shape = shape::Dims;

/// Highest rank followed, so that no file makes shapes longer than anyone means.
const MAX_RANK: usize = 16;

/// One node with what is known of its inputs. Rules may fill in inputs that are still unknown.
pub struct Call<'a> {
    pub node: &'a Node,
    pub inputs: Vec<Option<Shape>>,
    pub outputs: usize,
}

impl Call<'_> {
    /// The shape of an input, if known.
    fn input(&self, index: usize) -> Option<&Shape> {
        self.inputs.get(index)?.as_ref()
    }

    /// States the shape that an input must have, unless it is known.
    fn require(&mut self, index: usize, shape: &[Extent]) {
        if let Some(input @ None) = self.inputs.get_mut(index) {
            *input = Some(shape.to_vec()).filter(|shape| is_shape(shape));
        }
    }

    /// Whole numbers of an attribute: `(3, 3)`, `[3,3]` or `3`. The names of MXNet and NNVM, the
    /// first that is there.
    pub fn numbers(&self, keys: &[&str]) -> Option<Vec<i64>> {
        let text = keys.iter().find_map(|key| self.node.attr(key))?;
        let inner = text.trim().trim_matches(['(', ')', '[', ']']).trim_end_matches(',');
        if inner.trim().is_empty() {
            return Some(Vec::new());
        }
        inner.split(',').map(|part| part.trim().trim_matches(['(', ')', '[', ']', 'L', ' ']).parse().ok()).collect()
    }

    fn number(&self, keys: &[&str]) -> Option<i64> {
        self.numbers(keys)?.first().copied()
    }

    /// A number that is not negative.
    fn size(&self, keys: &[&str]) -> Option<i64> {
        self.number(keys).filter(|size| *size >= 0)
    }

    fn flag(&self, key: &str) -> bool {
        matches!(self.node.attr(key), Some("True" | "true" | "1"))
    }

    /// An axis counted from the front.
    fn axis(&self, keys: &[&str], default: i64, rank: usize) -> Option<usize> {
        axis_of(self.number(keys).unwrap_or(default), rank)
    }
}

/// Whether every extent is known.
fn is_shape(shape: &[Extent]) -> bool {
    shape.iter().all(|extent| matches!(extent, Extent::Known(0..)))
}

/// The shapes of a node's outputs, the first ones at least.
pub fn infer(call: &mut Call) -> Option<Vec<Shape>> {
    let op = call.node.op.as_deref().unwrap_or_default();
    let rule = match find(RULES, op) {
        Some(rule) => *rule,
        None if op.ends_with("_scalar") || op.ends_with("_scalar__") => elementwise,
        None if is_broadcast(op) => broadcast,
        None => return None,
    };
    rule(call).filter(|shapes| shapes.iter().all(|shape| shape.len() <= MAX_RANK && is_shape(shape)))
}

type Rule = fn(&mut Call) -> Option<Vec<Shape>>;

#[rustfmt::skip]
const RULES: Table<Rule> = &[
    (&["Convolution", "Convolution_v1", "conv2d"], layers::convolution),
    (&["Deconvolution", "conv2d_transpose"], layers::deconvolution),
    (&["Pooling", "Pooling_v1", "max_pool2d", "avg_pool2d"], layers::pooling),
    (&["global_max_pool2d", "global_avg_pool2d"], layers::global_pooling),
    (&["FullyConnected"], layers::fully_connected),
    (&["dense"], layers::dense),
    (&["BatchNorm", "BatchNorm_v1", "CuDNNBatchNorm", "_contrib_SyncBatchNorm", "batch_norm"], layers::batch_norm),
    (&["LayerNorm"], layers::layer_norm),
    (&["InstanceNorm", "GroupNorm"], layers::channel_norm),
    (&["Embedding"], layers::embedding),
    (&["UpSampling", "upsampling"], layers::up_sampling),
    (&["RNN"], layers::recurrent),
    (&["dot", "matmul"], |call| layers::multiplied(call, |rank| rank == 2)),
    (&["batch_dot"], |call| layers::multiplied(call, |rank| rank >= 3)),
    (&["SoftmaxOutput", "Softmax", "SVMOutput"], layers::loss_of_classes),
    (&["LinearRegressionOutput", "LogisticRegressionOutput", "MAERegressionOutput"], layers::loss_of_values),
    (&["LeakyReLU", "prelu"], layers::leaky_relu),
    (&["Flatten", "flatten"], moves::flatten),
    (&["Reshape", "reshape"], moves::reshape),
    (&["transpose"], moves::transpose),
    (&["SwapAxis", "swapaxes"], moves::swap),
    (&["expand_dims"], moves::expand_dims),
    (&["squeeze"], moves::squeeze),
    (&["Concat", "concat", "concatenate"], moves::concat),
    (&["stack"], moves::stack),
    (&["SliceChannel", "split"], moves::split),
    (&["slice_axis"], moves::slice_axis),
    (&["slice", "strided_slice", "crop"], moves::slice),
    (&["Pad", "pad"], moves::pad),
    (&[
        "mean", "sum", "max", "min", "prod", "nanprod", "nansum", "norm", "sum_axis", "max_axis", "min_axis", "argmax", "argmin",
    ], moves::reduce),
    (&["_zeros", "_ones", "zeros", "ones", "_full", "full"], moves::filled),
    (&[
        "Activation", "SoftmaxActivation", "softmax", "log_softmax", "softmin", "relu", "sigmoid", "hard_sigmoid", "tanh", "erf", "exp",
        "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "cbrt", "square", "abs", "sign", "negative", "reciprocal", "floor",
        "ceil", "round", "rint", "fix", "trunc", "sin", "cos", "tan", "sinh", "cosh", "arcsin", "arccos", "arctan", "softsign", "gamma",
        "gammaln", "clip", "Dropout", "dropout", "leaky_relu", "identity", "_copy", "copy", "BlockGrad", "stop_gradient", "make_loss",
        "MakeLoss", "Cast", "cast", "amp_cast", "L2Normalization", "l2_normalize", "LRN", "lrn", "zeros_like", "ones_like",
        "_identity_with_attr_like_rhs", "add_n", "ElementWiseSum", "elemwise_sum", "_grad_add", "smooth_l1", "logical_not",
        "elemwise_add", "elemwise_sub", "elemwise_mul", "elemwise_div", "elemwise_mod", "elemwise_pow", "_add", "_plus", "_Plus",
        "_sub", "_minus", "_Minus", "_mul", "_Mul", "_div", "_Div", "_mod", "_power", "_Power", "_maximum", "_Maximum", "_minimum",
        "_Minimum", "_hypot", "_equal", "_not_equal", "_greater", "_greater_equal", "_lesser", "_lesser_equal", "where",
    ], elementwise),
];

fn is_broadcast(op: &str) -> bool {
    op.strip_prefix("broadcast_").is_some_and(|rest| !matches!(rest, "to" | "axis" | "axes" | "like"))
}

/// Every input and output has the shape that one of them is known to have.
fn elementwise(call: &mut Call) -> Option<Vec<Shape>> {
    let known = call.inputs.iter().flatten().next()?.clone();
    for index in 0..call.inputs.len() {
        call.require(index, &known);
    }
    Some(vec![known; call.outputs.min(2)])
}

fn broadcast(call: &mut Call) -> Option<Vec<Shape>> {
    Some(vec![shape::broadcast(&[call.input(0)?, call.input(1)?])?])
}
