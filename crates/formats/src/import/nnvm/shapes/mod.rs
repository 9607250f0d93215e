//! Shapes of what operators make, for graphs that state none, and backwards those of the weights
//! that a layer owns.
//!
//! Source: the shape functions of MXNet 1.9.1 (`src/operator`) and of NNVM (apache/tvm v0.6.1,
//! `nnvm/src/top`). A function answers `None` where shapes it needs are missing or do not fit: then
//! the outputs stay unknown, nothing is guessed.

mod layers;
mod moves;

use super::file::Node;

/// Extents, all known.
pub type Shape = Vec<u64>;

/// Highest rank followed, so that no file makes shapes longer than anyone means.
const MAX_RANK: usize = 16;

/// One node with what is known of its inputs. Functions may fill in inputs that are still unknown.
pub struct Call<'a> {
    pub node: &'a Node,
    pub inputs: Vec<Option<Shape>>,
    pub outputs: usize,
}

impl Call<'_> {
    /// The shape of an input, if known.
    pub fn input(&self, index: usize) -> Option<&Shape> {
        self.inputs.get(index)?.as_ref()
    }

    /// States the shape that an input must have, unless it is known.
    pub fn require(&mut self, index: usize, shape: &[u64]) {
        if let Some(input @ None) = self.inputs.get_mut(index) {
            *input = Some(shape.to_vec());
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

    pub fn number(&self, keys: &[&str]) -> Option<i64> {
        self.numbers(keys)?.first().copied()
    }

    pub fn size(&self, keys: &[&str]) -> Option<u64> {
        u64::try_from(self.number(keys)?).ok()
    }

    pub fn flag(&self, key: &str) -> bool {
        matches!(self.node.attr(key), Some("True" | "true" | "1"))
    }

    /// An axis counted from the front.
    pub fn axis(&self, keys: &[&str], default: i64, rank: usize) -> Option<usize> {
        from_front(self.number(keys).unwrap_or(default), rank)
    }
}

/// An axis, perhaps counted from the end, counted from the front.
pub fn from_front(axis: i64, rank: usize) -> Option<usize> {
    let rank_ = i64::try_from(rank).ok()?;
    let axis = if axis < 0 { axis.checked_add(rank_)? } else { axis };
    usize::try_from(axis).ok().filter(|axis| *axis < rank)
}

/// The number of elements, if it fits.
pub fn product(extents: &[u64]) -> Option<u64> {
    extents.iter().try_fold(1u64, |all, &extent| all.checked_mul(extent))
}

/// The shapes of a node's outputs, the first ones at least.
pub fn infer(call: &mut Call) -> Option<Vec<Shape>> {
    let op = call.node.op.as_deref().unwrap_or_default();
    let shapes = match op {
        "Convolution" | "Convolution_v1" | "conv2d" => layers::convolution(call),
        "Deconvolution" | "conv2d_transpose" => layers::deconvolution(call),
        "FullyConnected" | "dense" => layers::dense(call),
        "BatchNorm" | "BatchNorm_v1" | "CuDNNBatchNorm" | "_contrib_SyncBatchNorm" | "batch_norm" => {
            layers::batch_norm(call)
        }
        "LayerNorm" | "InstanceNorm" | "GroupNorm" => layers::other_norm(call),
        "Pooling" | "Pooling_v1" | "max_pool2d" | "avg_pool2d" | "global_max_pool2d" | "global_avg_pool2d" => {
            layers::pooling(call)
        }
        "Embedding" => layers::embedding(call),
        "UpSampling" | "upsampling" => layers::up_sampling(call),
        "RNN" => layers::recurrent(call),
        "dot" | "batch_dot" | "matmul" => layers::product_of_matrices(call),
        "SoftmaxOutput"
        | "Softmax"
        | "SVMOutput"
        | "LinearRegressionOutput"
        | "LogisticRegressionOutput"
        | "MAERegressionOutput" => layers::loss(call),
        "LeakyReLU" | "prelu" => layers::leaky_relu(call),
        "Flatten" | "flatten" => moves::flatten(call),
        "Reshape" | "reshape" => moves::reshape(call),
        "transpose" => moves::transpose(call),
        "SwapAxis" | "swapaxes" => moves::swap(call),
        "expand_dims" => moves::expand_dims(call),
        "squeeze" => moves::squeeze(call),
        "Concat" | "concat" | "concatenate" => moves::concat(call),
        "stack" => moves::stack(call),
        "SliceChannel" | "split" => moves::split(call),
        "slice_axis" => moves::slice_axis(call),
        "slice" | "strided_slice" | "crop" => moves::slice(call),
        "Pad" | "pad" => moves::pad(call),
        "mean" | "sum" | "max" | "min" | "prod" | "nanprod" | "nansum" | "norm" | "sum_axis" | "max_axis"
        | "min_axis" | "argmax" | "argmin" => moves::reduce(call),
        "_zeros" | "_ones" | "zeros" | "ones" | "_full" | "full" => {
            let shape = call.numbers(&["shape"])?;
            Some(vec![shape.into_iter().map(|extent| u64::try_from(extent).ok()).collect::<Option<Shape>>()?])
        }
        _ if is_broadcast(op) => broadcast(call),
        _ if is_elementwise(op) => elementwise(call),
        _ => None,
    }?;
    (shapes.iter().all(|shape| shape.len() <= MAX_RANK)).then_some(shapes)
}

fn is_broadcast(op: &str) -> bool {
    op.strip_prefix("broadcast_").is_some_and(|rest| !matches!(rest, "to" | "axis" | "axes" | "like"))
}

/// Operators whose inputs and output have one shape.
const ELEMENTWISE: &str = " Activation SoftmaxActivation softmax log_softmax softmin relu sigmoid hard_sigmoid tanh erf \
    exp expm1 log log2 log10 log1p sqrt rsqrt cbrt square abs sign negative reciprocal floor ceil round rint fix trunc \
    sin cos tan sinh cosh arcsin arccos arctan softsign gamma gammaln clip Dropout dropout leaky_relu identity _copy copy \
    BlockGrad stop_gradient make_loss MakeLoss Cast cast amp_cast L2Normalization l2_normalize LRN lrn zeros_like ones_like \
    _identity_with_attr_like_rhs add_n ElementWiseSum elemwise_sum _grad_add smooth_l1 logical_not \
    elemwise_add elemwise_sub elemwise_mul elemwise_div elemwise_mod elemwise_pow _add _plus _Plus _sub _minus _Minus _mul \
    _Mul _div _Div _mod _power _Power _maximum _Maximum _minimum _Minimum _hypot _equal _not_equal _greater \
    _greater_equal _lesser _lesser_equal where ";

fn is_elementwise(op: &str) -> bool {
    let scalar = op.ends_with("_scalar") || op.ends_with("_scalar__");
    scalar || (!op.is_empty() && ELEMENTWISE.split_ascii_whitespace().any(|known| known == op))
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
    let (a, b) = (call.input(0)?, call.input(1)?);
    let rank = a.len().max(b.len());
    let extent = |shape: &Shape, axis: usize| (axis + shape.len()).checked_sub(rank).map_or(1, |axis| shape[axis]);
    let mut shape = Vec::with_capacity(rank);
    for axis in 0..rank {
        shape.push(match (extent(a, axis), extent(b, axis)) {
            (a, b) if a == b => a,
            (1, other) | (other, 1) => other,
            _ => return None,
        });
    }
    Some(vec![shape])
}
