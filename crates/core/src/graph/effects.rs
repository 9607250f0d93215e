//! What an operator does besides computing its results: the one rule for changes of a graph and for
//! writing models.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::{Node, plain_op};

/// Operators whose results follow from their operands alone, as [`plain_op`] spells them: those of
/// ATen, ONNX, TFLite, XLA and NNVM that neither draw random numbers nor keep a state nor run other
/// graphs.
const PURE: &str = "\
    conv conv1d conv2d conv3d convolution depthwiseconv2d convtranspose convtranspose1d convtranspose2d convtranspose3d \
    transposeconv conv3dtranspose convinteger qlinearconv convolutionbackward deconvolution \
    linear fullyconnected matmul bmm mm addmm baddbmm gemm batchmatmul dense dot dotgeneral einsum outer matmulinteger \
    qlinearmatmul scaleddotproductattention \
    maxpool maxpool1d maxpool2d maxpool3d maxpool2dwithindices avgpool1d avgpool2d avgpool3d averagepool averagepool2d \
    l2pool2d lppool globalaveragepool globalmaxpool globallppool adaptiveavgpool2d adaptivemaxpool2d pooling reducewindow \
    batchnorm batchnormalization nativebatchnormlegitnotraining layernorm nativelayernorm layernormalization groupnorm \
    groupnormalization instancenorm instancenormalization rmsnorm l2normalization localresponsenormalization lrn \
    lpnormalization meanvariancenormalization softmax logsoftmax logsoftmaxv2 hardmax \
    relu relu6 relun1to1 relu0to1 hardtanh silu swish sigmoid logistic tanh gelu hardswish hardsigmoid elu celu selu leakyrelu prelu \
    softplus softsign softshrink hardshrink mish threshold thresholdedrelu activation \
    add addv2 sub rsub mul div divide multiply subtract truedivide floordiv floordivide floormod mod fmod remainder addn sum2 \
    elemwiseadd elemwisesub elemwisemul elemwisediv broadcastadd broadcastsub broadcastmul broadcastdiv squareddifference \
    clip clamp clampmin clampmax neg negate negative abs sign exp exponential expm1 log log1p log2 sqrt rsqrt cbrt square reciprocal pow \
    power maximum minimum max min erf erfinv sin sine cos cosine tan asin acos atan atan2 sinh cosh asinh acosh atanh floor ceil round \
    roundnearesteven trunc addcmul addcdiv lerp bitshift shiftleft shiftrightlogical shiftrightarithmetic rightshift \
    and or not xor logicaland logicalor logicalnot logicalxor bitwiseand bitwiseor bitwisenot bitwisexor \
    equal notequal less lessequal lessorequal greater greaterequal greaterorequal eq ne lt le gt ge compare isnan isinf isfinite \
    where select selectv2 maskedfill tril triu \
    sum mean prod amax amin reducesum reducemean reducemax reducemin reduceprod reducel1 reducel2 reducelogsum reducelogsumexp \
    reducesumsquare reduceany reduceall reduce argmax argmin any all var std varmean cumsum cumprod logsumexp norm topk topkv2 sort \
    argsort segmentsum unsortedsegmentsum unsortedsegmentmax unsortedsegmentmin unsortedsegmentprod \
    gather gatherelements gathernd embedding embeddinglookup indexselect index take scatter scatternd scatterelements scatteradd \
    onehot dynamicslice dynamicupdateslice stridedslice slice narrow split splitv splitwithsizes chunk unbind unpack pack stack \
    cat concat concatenate concatenation pad padv2 mirrorpad tile repeat expand expandas broadcast broadcastto broadcastindim \
    broadcastargs reverse reversev2 reversesequence flip roll depthtospace spacetodepth spacetobatchnd batchtospacend pixelshuffle \
    reshape reshapelike view viewas flatten unflatten squeeze unsqueeze expanddims transpose permute t movedim numpyt copy clone \
    identity contiguous alias detach bitcast bitcastconvert cast convert to tocopy devicecopy quantize dequantize quantizelinear \
    dequantizelinear dynamicquantizelinear fakequant requantize \
    resize upsample upsamplenearest2d upsamplebilinear2d resizenearestneighbor resizebilinear gridsample \
    arange range iota full fulllike zeros zeroslike ones oneslike newzeros newones newfull fill constantofshape eyelike shape size \
    rank nonzero unique nonmaxsuppression nonmaxsuppressionv4 nonmaxsuppressionv5 sparsetodense densify matrixdiag matrixsetdiag \
    complexabs real imag rfft2d bucketize fusion bitcastfusion map tuple gettupleelement \
    thresholdbackward gelubackward softmaxbackwarddata logsoftmaxbackwarddata nativelayernormbackward nativebatchnormbackward \
    maxpool2dwithindicesbackward avgpool2dbackward embeddingdensebackward nlllossforward nlllossbackward nllloss2dforward \
    nllloss2dbackward tanhbackward sigmoidbackward silubackward hardtanhbackward";

/// Words in the names of operators that draw random numbers, talk to others, or keep a state.
const EFFECTS: [&str; 23] = [
    "rand",
    "rng",
    "dropout",
    "bernoulli",
    "multinomial",
    "assign",
    "variable",
    "varhandle",
    "hashtable",
    "custom",
    "allreduce",
    "allgather",
    "alltoall",
    "reducescatter",
    "collective",
    "send",
    "recv",
    "infeed",
    "outfeed",
    "print",
    "callback",
    "batchnormtrain",
    "partitionid",
];

/// Names of operators that run other graphs or keep a state from run to run.
const STATEFUL: [&str; 30] = [
    "call",
    "if",
    "while",
    "callonce",
    "loop",
    "scan",
    "cond",
    "conditional",
    "case",
    "composite",
    "delegate",
    "partitionedcall",
    "statefulpartitionedcall",
    "sequencemap",
    "svdf",
    "lstm",
    "rnn",
    "unidirectionalsequencelstm",
    "unidirectionalsequencernn",
    "bidirectionalsequencelstm",
    "bidirectionalsequencernn",
    "afterall",
    "domain",
    "asyncstart",
    "asyncupdate",
    "asyncdone",
    "copystart",
    "copydone",
    "whileloop",
    "mapimpl",
];

static PURE_NAMES: LazyLock<BTreeSet<&str>> = LazyLock::new(|| PURE.split_ascii_whitespace().collect());

/// The name without underscores, hyphens and the prefix of StableHLO, lower case.
fn spelled(op: &str) -> String {
    let plain = plain_op(op).replace('-', "");
    plain.strip_prefix("stablehlo").map(str::to_string).unwrap_or(plain)
}

/// Whether an operator of this name draws random numbers, keeps a state, talks to others or runs
/// other graphs: such operators run once, in the order of the file.
pub fn has_effects(op: &str) -> bool {
    // `add_` writes its first input, by the rule of PyTorch.
    if op.ends_with('_') {
        return true;
    }
    let plain = spelled(op);
    STATEFUL.contains(&plain.as_str()) || EFFECTS.iter().any(|word| plain.contains(word))
}

impl Node {
    /// Whether it may read or change more than its operands and results: by its name, as a custom
    /// operator of the file (attribute `custom`), or because it writes into what it reads
    /// (attribute `mutates`).
    pub fn has_effects(&self) -> bool {
        has_effects(&self.op) || self.attrs.contains_key("custom") || self.attrs.contains_key("mutates")
    }

    /// Whether it may run again: the tables name it, and its results follow from its operands
    /// alone. What no table names is not known to be so.
    pub fn is_pure(&self) -> bool {
        let is_common = self.op.split_once("::").is_none_or(|(from, _)| ["aten", "prims"].contains(&from));
        is_common && !self.has_effects() && PURE_NAMES.contains(spelled(&self.op).as_str())
    }
}
