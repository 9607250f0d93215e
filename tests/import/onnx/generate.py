#!/usr/bin/env python3
"""Writes odd/*.onnx, and shapes.jsonl.gz: models of one or a few nodes, and the types and shapes that onnx's own inference finds for them.

    pip install onnx==1.23.2 && python3 tests/import/onnx/generate.py

Each line: {"op", "case", "model" (base64 of a model without any shape but those of its inputs), "want" {tensor: [dtype, shape]}}.
Extents are numbers, symbol names or null; a shape is null where onnx does not know even the number of axes. Where inputs have
symbols there may also be "sized", the same with the numbers in "values" for them.
"""
import base64, gzip, json, sys
from pathlib import Path
import numpy as np
import onnx
from onnx import TensorProto as T, helper, numpy_helper, shape_inference

F, I, I32, B, U8, I8, H, D = T.FLOAT, T.INT64, T.INT32, T.BOOL, T.UINT8, T.INT8, T.FLOAT16, T.DOUBLE
cases, refused, unknown = [], [], []

def const(values, dtype=I, shape=None):
    """A constant input."""
    array = np.array(values, dtype=helper.tensor_dtype_to_np_dtype(dtype))
    return ("const", array if shape is None else array.reshape(shape))

def case(op, inputs, opset=17, outputs=1, domain="", **attrs):
    """One node. Inputs: (type, shape) tuples, const(...) or None for one that is left out."""
    names, infos, inits = [], [], []
    for number, item in enumerate(inputs):
        if item is None:
            names.append("")
            continue
        name = "abcdefghij"[number]
        names.append(name)
        if item[0] == "const":
            inits.append(numpy_helper.from_array(item[1], name))
        else:
            infos.append(helper.make_tensor_value_info(name, item[0], item[1]))
    outs = [f"out{n}" for n in range(outputs)]
    chain([helper.make_node(op, names, outs, domain=domain, **attrs)], infos, inits, outs, opset, op)

def chain(nodes, infos, inits, outs, opset, op):
    graph = helper.make_graph(nodes, op, infos, [onnx.ValueInfoProto(name=name) for name in outs], inits)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    bare = model.SerializeToString()
    try:
        want = inferred(model)
    except Exception as error:
        refused.append(f"{op} opset {opset}: {str(error).strip().splitlines()[-1][:120]}")
        return
    if not want:
        unknown.append(f"{op} opset {opset}")
        return
    entry = {"op": op, "case": len(cases), "opset": opset, "model": base64.b64encode(bare).decode(), "want": want}
    # The same model with numbers for the symbols: what expressions over symbols must come to.
    used = set()
    for info in model.graph.input:
        for d in info.type.tensor_type.shape.dim:
            if d.dim_param:
                used.add(d.dim_param)
                d.dim_value = VALUES[d.dim_param]
    if used:
        try:
            entry["sized"] = inferred(model)
            entry["values"] = {name: VALUES[name] for name in sorted(used)}
        except Exception:
            pass  # These numbers do not fit the model, such as 6 against 5.
    cases.append(entry)

def inferred(model):
    """Tensor -> [type, shape] for what onnx knows the type of."""
    done = shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    want = {}
    for info in list(done.graph.value_info) + list(done.graph.output):
        kind = info.type.tensor_type
        if kind.elem_type == T.UNDEFINED:
            continue
        shape = [d.dim_value if d.HasField("dim_value") else d.dim_param if d.dim_param and not d.dim_param.startswith("unk__") else None
                 for d in kind.shape.dim] if kind.HasField("shape") else None
        want[info.name] = [T.DataType.Name(kind.elem_type), shape]
    return want

VALUES = {"N": 6, "M": 4, "B": 5, "C": 6, "H": 17, "K": 3, "R": 2, "S": 7, "T": 11, "W": 24}

X = (F, [2, 3, 8, 8])
N = (F, ["N", 3, 8, 8])

# The same shape as the first input.
for op in ("Abs Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Elu Erf Exp Floor HardSigmoid HardSwish LeakyRelu Log LogSoftmax Neg "
           "Reciprocal Relu Round Selu Sigmoid Sign Sin Sinh Softmax Softplus Softsign Sqrt Tan Tanh ThresholdedRelu Celu Hardmax "
           "Identity Shrink LpNormalization Clip").split():
    case(op, [X])
    case(op, [N])
    case(op, [(H, ["N", "M"])])
for op in ("Gelu", "Mish"):
    case(op, [X], 22)
    case(op, [N], 22)
case("Swish", [N], 24)
for op in "Abs Relu Exp Neg Sqrt Sigmoid Tanh Floor Ceil".split():
    for opset in (1, 6, 13):
        case(op, [X], opset) if opset > 1 else case(op, [X], opset, consumed_inputs=[0])
case("Not", [(B, ["N", 4])]); case("BitwiseNot", [(I32, [3, "N"])], 18)
for op in ("IsNaN", "IsInf"):
    case(op, [X]); case(op, [N])
for to in (H, D, I, I32, B, U8, T.BFLOAT16, T.FLOAT8E4M3FN, T.INT4):
    case("Cast", [N], 21, to=to)
case("Cast", [X], 6, to=I)
case("CastLike", [N, (H, [1])], 15); case("CastLike", [X, (I, [])], 19)
for opset in (7, 10, 12, 13, 22):
    case("Dropout", [N], opset, 1); case("Dropout", [N], opset, 2)
case("MeanVarianceNormalization", [N], 9); case("LRN", [X], size=3); case("LRN", [N], size=3)
C3 = (F, [3])
for opset in (7, 9, 14, 15):
    case("BatchNormalization", [N, C3, C3, C3, C3], opset)
case("BatchNormalization", [N, C3, C3, C3, C3], 15, 3, training_mode=1)
case("BatchNormalization", [X, C3, C3, C3, C3], 15, 3, training_mode=1)
case("InstanceNormalization", [N, C3, C3]); case("InstanceNormalization", [X, C3, C3], 6)
case("GroupNormalization", [(F, ["N", 6, 4, 4]), (F, [2]), (F, [2])], 18, num_groups=2)
case("GroupNormalization", [(F, ["N", 6, 4, 4]), (F, [6]), (F, [6])], 21, num_groups=2)
for axis in (-1, 1, 2):
    case("LayerNormalization", [(F, ["N", 5, 8]), (F, [8])], 17, 3, axis=axis)
case("LayerNormalization", [(H, ["N", 5, 8]), (H, [8])], 17, 3)
case("RMSNormalization", [(F, ["N", 5, 8]), (F, [8])], 23)
case("CumProd", [N, const(1)], 26); case("TensorScatter", [(F, ["N", 2, 9, 4]), (F, ["N", 2, 1, 4]), (I, ["N"])], 24)
case("CumSum", [N, const(1)]); case("Trilu", [(F, ["N", 5, 5])]); case("Trilu", [(I, [4, 4])], upper=0)
case("EyeLike", [(F, ["N", 4])]); case("EyeLike", [(I, [3, 4])], dtype=F)
case("Bernoulli", [N], dtype=B); case("Bernoulli", [N])
case("RandomNormalLike", [N]); case("RandomUniformLike", [(I, ["N", 2])], dtype=F)
case("RandomNormal", [], shape=[2, 3]); case("RandomUniform", [], shape=[4], dtype=D)
case("ReverseSequence", [(F, [5, "N", 2]), (I, ["N"])])
S = const(0.1, F)
for zero in (U8, I8):
    case("QuantizeLinear", [N, S, const(0, zero)], 13); case("QuantizeLinear", [X, S, const(0, zero)], 21)
    case("DequantizeLinear", [(zero, ["N", 3, 4]), S, const(0, zero)], 13)
    case("DequantizeLinear", [(zero, [2, 3, 4]), S], 21)
case("QuantizeLinear", [N, S], 13); case("QuantizeLinear", [N, S], 21, output_dtype=I8)
case("DequantizeLinear", [(U8, ["N", 4]), const(0.5, H)], 19)
case("DynamicQuantizeLinear", [N], 17, 3); case("DynamicQuantizeLinear", [X], 11, 3)

# Broadcasting.
shapes = [([2, 3, 4], [2, 3, 4]), ([2, 3, 4], [4]), (["N", 3, 4], [1]), (["N", 1, 4], [3, 1]), (["N", 3], ["N", 3]),
          (["N", "M"], [1, "M"]), ([], ["N"]), ([1, 3], ["N", 1]), (["N", 5], [5]), ([5], ["N"]), (["N"], ["M"])]
for op in "Add Sub Mul Div Pow".split():
    for a, b in shapes:
        case(op, [(F, a), (F, b)])
    case(op, [(F, [2, 3]), (F, [3])], 7)
    case(op, [(F, [2, 3, 4]), (F, [3])], 6, broadcast=1, axis=1)
for op in "Mod BitShift".split():
    for a, b in shapes[:6]:
        case(op, [(T.UINT32, a), (T.UINT32, b)], **({"direction": "LEFT"} if op == "BitShift" else {}))
for op in "Equal Less Greater LessOrEqual GreaterOrEqual".split():
    for a, b in shapes[:8]:
        case(op, [(F, a), (F, b)])
for op in "And Or Xor".split():
    for a, b in shapes[:6]:
        case(op, [(B, a), (B, b)])
for op in "BitwiseAnd BitwiseOr BitwiseXor".split():
    for a, b in shapes[:4]:
        case(op, [(I32, a), (I32, b)], 18)
for op in "Max Min Mean Sum".split():
    for a, b in shapes[:8]:
        case(op, [(F, a), (F, b)])
    case(op, [(F, ["N", 1, 4]), (F, [3, 1]), (F, [1])]); case(op, [(F, ["N", 2])]); case(op, [(F, [2, 3])] * 3, 8)
for a, b in shapes:
    case("Where", [(B, a), (F, b), (F, [1])]); case("Where", [(B, [1]), (I, a), (I, b)])
case("PRelu", [N, (F, [3, 1, 1])]); case("PRelu", [X, (F, [1])], 7)

# Products.
for a, b in [([2, 3], [3, 4]), (["N", 3], [3, 4]), (["N", 5, 3], [3, 4]), ([3], [3, 4]), ([2, 3], [3]), ([3], [3]), (["N", 1, 5, 3], [6, 3, 4]),
             (["B", 8, "S", 64], ["B", 8, 64, "S"]), (["N", "K"], ["K", 7]), ([7, 2, 3], ["N", 7, 3, 2])]:
    case("MatMul", [(F, a), (F, b)]); case("MatMulInteger", [(U8, a), (U8, b)])
    case("QLinearMatMul", [(U8, a), S, const(0, U8), (U8, b), S, const(0, U8), S, const(0, U8)])
for ta in (0, 1):
    for tb in (0, 1):
        a, b = ([3, "N"] if ta else ["N", 3]), ([5, 3] if tb else [3, 5])
        for opset in (7, 13):
            case("Gemm", [(F, a), (F, b), (F, [5])], opset, transA=ta, transB=tb)
case("Gemm", [(F, ["N", 4]), (F, [4, 2])], 13)
for equation, dims in [("ij,jk->ik", [["N", 3], [3, 4]]), ("bhid,bhjd->bhij", [["B", 8, 5, 64], ["B", 8, 7, 64]]), ("ij->ji", [["N", 3]]), ("ii->i", [[4, 4]]),
                       ("ij,jk", [["N", 3], [3, 4]]), ("i,i->", [[4], [4]]), ("b i j , b j k -> b i k", [[2, 3, 4], [2, 4, 5]])]:
    case("Einsum", [(F, shape) for shape in dims], equation=equation)
case("Det", [(F, ["N", 3, 3])])

# Convolution and pooling.
W = (F, [16, 3, 3, 3])
windows = [dict(), dict(pads=[1, 1, 1, 1]), dict(pads=[1, 1, 1, 1], strides=[2, 2]), dict(dilations=[2, 2], pads=[2, 2, 2, 2]),
           dict(auto_pad="SAME_UPPER", strides=[2, 2]), dict(auto_pad="SAME_LOWER"), dict(auto_pad="SAME_UPPER", strides=[3, 3]), dict(auto_pad="VALID", strides=[2, 1]),
           dict(pads=[0, 1, 2, 3], strides=[3, 2]), dict(auto_pad="NOTSET", pads=[1, 0, 1, 0])]
for options in windows:
    for opset in (1, 11, 22):
        case("Conv", [X, W], opset, kernel_shape=[3, 3], **options)
    case("Conv", [N, W, (F, [16])], **options)
    case("ConvInteger", [(U8, ["N", 3, 9, 9]), (U8, [16, 3, 3, 3])], **options)
    case("QLinearConv", [(U8, ["N", 3, 9, 9]), S, const(0, U8), (U8, [16, 3, 3, 3]), S, const(0, U8), S, const(0, I8)], **options)
    for op in ("MaxPool", "AveragePool", "LpPool"):
        opset = 22
        for size in ([2, 3, 8, 8], ["N", 3, 9, 7], [1, 1, 7, 7], [1, 1, 10, 11]):
            for ceil in (0, 1):
                case(op, [(F, size)], opset, 2 if op == "MaxPool" else 1, kernel_shape=[3, 3], ceil_mode=ceil, **options)
    for op in ("MaxPool", "AveragePool"):
        old = {key: value for key, value in options.items() if key != "dilations"}
        case(op, [X], 7, kernel_shape=[2, 2], **old); case(op, [N], 10, kernel_shape=[2, 2], **old)
case("Conv", [(F, ["N", 4, 20]), (F, [8, 4, 5])], strides=[2], pads=[2, 2]); case("Conv", [(F, ["N", 4, 5, 6, 7]), (F, [8, 4, 1, 3, 3])])
case("Conv", [(F, ["N", 8, 9, 9]), (F, [8, 1, 3, 3])], group=8); case("Conv", [(F, ["N", 3, "H", "W"]), W], pads=[1] * 4)
case("Conv", [(F, ["N", 3, "H", "W"]), W], pads=[1] * 4, strides=[2, 2]); case("MaxPool", [(F, ["N", 3, "H", "W"])], kernel_shape=[2, 2], strides=[2, 2])
for options in [dict(), dict(strides=[2, 2]), dict(strides=[2, 2], pads=[1] * 4), dict(strides=[2, 2], pads=[1] * 4, output_padding=[1, 1]), dict(dilations=[2, 2]),
                dict(output_shape=[10, 12]), dict(auto_pad="SAME_UPPER", strides=[2, 2]), dict(auto_pad="SAME_LOWER", strides=[1, 1]), dict(auto_pad="VALID", strides=[2, 2]),
                dict(auto_pad="SAME_UPPER", strides=[3, 3])]:
    for opset in (1, 11, 22):
        case("ConvTranspose", [X, (F, [3, 5, 3, 3])], opset, kernel_shape=[3, 3], **options)
    case("ConvTranspose", [(F, ["N", 4, 6, 6]), (F, [4, 2, 4, 4])], group=2, **options)
for op in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"):
    case(op, [X]); case(op, [N]); case(op, [(F, ["N", 4, "T"])])

for stride in (1, 2, 3):
    for pads in ([0] * 4, [1] * 4, [1, 0, 2, 1]):
        for same in ("NOTSET", "SAME_UPPER"):
            options = dict(strides=[stride, stride], auto_pad=same, **(dict(pads=pads) if same == "NOTSET" else {}))
            case("Conv", [(F, ["N", 3, "H", "W"]), W], dilations=[1, 2] if stride == 1 else [1, 1], **options)
            case("AveragePool", [(F, ["N", 3, "H", "W"])], 19, kernel_shape=[3, 2], **options)
            case("ConvTranspose", [(F, ["N", 3, "H", "W"]), (F, [3, 5, 3, 3])], **options)

# Reductions.
for op in "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare".split():
    for keep in (0, 1):
        for axes in (None, [1], [-1], [2, 3], [0, 2]):
            old = {} if axes is None else {"axes": axes}
            if op != "ReduceSum":
                case(op, [N], 13, keepdims=keep, **old)
            case(op, [N], 11, keepdims=keep, **old)
            new = [N] if axes is None else [N, const(axes)]
            case(op, new, 18, keepdims=keep)
        case(op, [N], 18, keepdims=keep, noop_with_empty_axes=1); case(op, [N, (I, [1])], 18, keepdims=keep)
case("ReduceSum", [N, const([1])], 13)
for op in ("ArgMax", "ArgMin"):
    for axis in (0, 1, -1):
        for keep in (0, 1):
            case(op, [N], 13, axis=axis, keepdims=keep); case(op, [X], 11, axis=axis, keepdims=keep)
    case(op, [X], 1)
for axis in (-1, 1):
    case("TopK", [N], 1, 2, axis=axis, k=2); case("TopK", [N, const([3])], 10, 2, axis=axis); case("TopK", [X, const([3])], 11, 2, axis=axis)
case("TopK", [X, (I, [1])], 11, 2)

# Movement.
case("Transpose", [N]); case("Transpose", [N], perm=[0, 2, 3, 1]); case("Transpose", [X], 1, perm=[3, 0, 1, 2]); case("Transpose", [(F, [])])
for target in ([0, -1], [-1, 192], [2, 3, 64], [-1], [1, -1, 8], [0, 0, 64], [0, 0, 0, 0], [-1, 3, 8, 8]):
    for opset in (5, 13, 14, 21):
        case("Reshape", [X, const(target)], opset)
    case("Reshape", [N, const(target)])
case("Reshape", [X], 1, shape=[2, -1]); case("Reshape", [(F, [0, 4]), const([0, 4])], 14, allowzero=1); case("Reshape", [X, (I, [3])]); case("Reshape", [X, (I, ["R"])])
for axis in (0, 1, 2, 4, -1, -2):
    case("Flatten", [X], 11, axis=axis); case("Flatten", [N], 13, axis=axis)
case("Flatten", [X], 1); case("Flatten", [(F, ["N", 1280, 1, 1])])
for axes in ([0], [1], [1, 3], [-1, 0]):
    case("Squeeze", [(F, [1, 1, "N", 1])], 11, axes=axes) ; case("Squeeze", [(F, [1, 1, "N", 1]), const(axes)], 13)
    case("Unsqueeze", [(F, ["N", 3])], 11, axes=axes) ; case("Unsqueeze", [(F, ["N", 3]), const(axes)], 13)
case("Squeeze", [(F, [1, 3, 1, 4])], 11); case("Squeeze", [(F, [1, 3, 1, 4])], 13); case("Squeeze", [(F, [1]), const([0])])
case("Unsqueeze", [(F, []), const([0])]); case("Unsqueeze", [(I, []), const([0, 1])], 21)
for axis in (0, 1, -1):
    case("Concat", [(F, [2, 3, 4]), (F, [2, 3, 4])], axis=axis); case("Concat", [(F, ["N", 3, 4])] * 3, 11, axis=axis)
case("Concat", [(F, ["N", 3]), (F, ["M", 3]), (F, [2, 3])], axis=0); case("Flatten", [(F, ["N", 3, "H", "W"])], axis=1); case("Flatten", [(F, ["N", 3, "H", "W"])], axis=3)
case("Reshape", [(F, ["N", 3, "H", "W"]), const([0, 3, -1])]); case("Reshape", [(F, ["N", 4, "H", "W"]), const([-1, 8])]); case("Reshape", [(F, ["N", 4, "H"]), const([0, -1, 2])])
case("Split", [(F, ["N", "W"])], 13, 2, axis=1); case("Split", [(F, ["N", "H"])], 18, 3, axis=1, num_outputs=3); case("Split", [(F, ["N", "H"])], 18, 2, axis=1, num_outputs=2)
case("Pad", [(F, ["N", "H"]), const([0, 2, 0, 3])], 13); case("Tile", [(F, ["N", "H"]), const([2, 3])]); case("DepthToSpace", [(F, ["N", 12, "H", "W"])], blocksize=2); case("SpaceToDepth", [(F, ["N", 3, "M", "W"])], blocksize=2)
case("Resize", [(F, ["N", 3, "H", "W"]), None, const([1.0, 1.0, 2.0, 0.5], F)], 13); case("Upsample", [(F, ["N", 3, "H", "W"]), const([1.0, 1.0, 3.0, 2.0], F)], 9)
case("Concat", [(F, ["N", 3]), (F, ["N", 5])], axis=1); case("Concat", [(F, ["N", 3]), (F, [2, 3])], axis=1); case("Concat", [(F, [2, 3]), (F, ["N", 3])], axis=0)
for axis in (1, -1):
    case("Split", [(F, ["N", 6, 6])], 11, 2, axis=axis); case("Split", [(F, ["N", 6, 6])], 11, 3, axis=axis, split=[1, 2, 3])
    case("Split", [(F, ["N", 6, 6]), const([2, 4])], 13, 2, axis=axis); case("Split", [(F, ["N", 6, 6])], 13, 3, axis=axis)
    case("Split", [(F, ["N", 7, 7])], 18, 3, axis=axis, num_outputs=3); case("Split", [(F, ["N", 6, 6]), const([5, 1])], 18, 2, axis=axis)
case("Split", [(F, ["N", 4])], 13, 2, axis=0)
for target in ([2, 3, 4], [3, 1], [5, 1, 3, 4], [1]):
    case("Expand", [(F, [3, 1]), const(target)]) if target != [2, 3, 4] else case("Expand", [(F, [3, 4]), const(target)])
    case("Expand", [(F, ["N", 1, 1]), const([1] * (3 - len(target)) + target if len(target) < 3 else target)], 8)
case("Expand", [(F, [3, 1]), (I, [3])]); case("Expand", [(F, ["N", 1, 4]), const([1, 5, 1])])
case("Tile", [(F, [2, 3]), const([2, 4])]); case("Tile", [(F, ["N", 3]), const([1, 4])], 6); case("Tile", [(F, ["N", 3]), const([3, 1])]); case("Tile", [(F, [2, 3]), (I, [2])])
case("Pad", [X], 2, pads=[0, 0, 1, 1, 0, 0, 2, 2]); case("Pad", [N], 2, pads=[0, 0, 1, 1, 0, 0, 2, 2]); case("Pad", [X], 1, paddings=[0, 0, 1, 1, 0, 0, 2, 2])
for opset in (11, 13, 18, 21):
    case("Pad", [N, const([0, 0, 1, 1, 0, 0, 2, 2])], opset); case("Pad", [X, const([0, 0, -1, 1, 0, 0, -2, 2])], opset, mode="reflect")
case("Pad", [X, const([1, 2, 3, 4]), None, const([2, 3])], 18); case("Pad", [N, const([1, 2]), const(0.0, F), const([-1])], 19); case("Pad", [X, (I, [8])], 13)
for opset in (1, 11, 13):
    case("DepthToSpace", [(F, ["N", 12, 4, 5])], opset, blocksize=2); case("SpaceToDepth", [(F, ["N", 3, 4, 6])], opset, blocksize=2)
for scales in ([1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 0.5, 1.5], [1.0, 1.0, 1.7, 0.3]):
    case("Upsample", [X], 7, scales=[max(scale, 1.0) for scale in scales]); case("Upsample", [X, const([max(scale, 1.0) for scale in scales], F)], 9)
    case("Resize", [X, const(scales, F)], 10); case("Resize", [N, const(scales, F)], 10)
    for opset in (11, 13, 19):
        case("Resize", [X, None, const(scales, F)], opset); case("Resize", [N, None, const(scales, F)], opset)
case("Upsample", [X], 1, height_scale=2.0, width_scale=1.5); case("Upsample", [N], 7, scales=[1.0, 1.0, 2.0, 2.0])
for opset in (11, 13, 19):
    case("Resize", [X, None, None, const([2, 3, 20, 30])], opset); case("Resize", [N, None, const([], F), const([1, 3, 20, 30])], opset)
case("Resize", [X, None, None, const([20, 30])], 18, axes=[2, 3]); case("Resize", [N, None, const([2.0, 3.0], F)], 19, axes=[2, 3])
for policy in ("not_larger", "not_smaller", "stretch"):
    case("Resize", [(F, [1, 3, 10, 16]), None, None, const([20, 24])], 19, axes=[2, 3], keep_aspect_ratio_policy=policy)
for start, end, axes, steps in [([0], [2], [0], None), ([1], [-1], [2], None), ([0, 1], [9223372036854775807, 3], [1, 2], None), ([-3], [9223372036854775807], [3], None), ([0], [8], [3], [2]),
                                ([7], [0], [2], [-1]), ([-1], [-9223372036854775808], [2], [-1]), ([-1], [-9223372036854775807], [3], [-2]), ([5], [2], [2], None), ([100], [200], [2], None), ([1], [100], [-1], [3]), ([0, 0], [1, 1], None, None)]:
    source = (F, [2, 3, 8, 8])
    if steps is None:
        extra = {} if axes is None or min(axes) < 0 else {"axes": axes}
        case("Slice", [source], 9, starts=start, ends=end, **extra)
    items = [source, const(start), const(end)] + ([const(axes)] if axes else []) + ([const(steps)] if steps else [])
    for opset in (10, 11, 13):
        if min(axes or [0]) >= 0 or opset > 10:
            case("Slice", items, opset)
    case("Slice", [(F, ["N", 3, 8, 8])] + items[1:], 13)
for start in (0, 1, 3, -2, -5, 20):
    for end in (2, 5, 30, -1, -4, 9223372036854775807):
        for step in (1, 2):
            case("Slice", [(F, ["H", "N", 4]), const([start, start]), const([end, end]), const([0, 1]), const([step, step])], 13)
case("Slice", [X, (I, [1]), (I, [1]), const([2])], 13); case("Slice", [X, (I, [2]), (I, [2])], 13); case("Slice", [N, const([0]), const([9223372036854775807]), const([0])], 13)
for axis in (0, 1, -1):
    case("Gather", [(F, ["N", 3, 4]), (I, [2])], 11, axis=axis); case("Gather", [(F, [5, 3, 4]), (I, ["B", "S"])], 13, axis=axis)
    case("Gather", [(F, ["N", 3, 4]), const(1)], 13, axis=axis); case("GatherElements", [(F, ["N", 3, 4]), (I, [2, 3, 4])], 13, axis=axis)
    case("ScatterElements", [(F, ["N", 3, 4]), (I, [1, 3, 4]), (F, [1, 3, 4])], 18, axis=axis); case("Scatter", [(F, ["N", 3]), (I, [1, 3]), (F, [1, 3])], 9, axis=0)
for indices, stacked in [([2, 1], 0), ([2, 2], 0), (["M", 3], 0), (["N", 4, 1], 1)]:
    case("GatherND", [(F, ["N", 3, 4]), (I, indices)], 13, batch_dims=stacked)
case("ScatterND", [(F, ["N", 3]), (I, [2, 1]), (F, [2, 3])], 16); case("ScatterND", [(F, [4, 3]), (I, [2, 1]), (F, [2, 3])], 11)
case("DepthToSpace", [(F, [1, 8, 2, 3])], 13, blocksize=2, mode="CRD")
for axis in (-1, 0, 1):
    case("OneHot", [(I, ["N", 5]), const([7]), const([0.0, 1.0], F)], 11, axis=axis); case("OneHot", [(I, [3, 5]), const(7), const([0, 1], I32)], 11, axis=axis)
case("OneHot", [(I, [3]), (I, [1]), const([0.0, 1.0], F)], 11)
case("Range", [const(0), const(10), const(3)]); case("Range", [const(10), const(0), const(-4)]); case("Range", [const(5), const(0), const(1)]); case("Range", [const(0.0, F), const(1.0, F), const(0.3, F)])
case("Range", [const(1, I32), const(7, I32), const(2, I32)]); case("Range", [const(0), (I, []), const(1)])
case("Shape", [N]); case("Shape", [X], 15, start=1, end=3); case("Shape", [X], 19, start=-2); case("Shape", [(F, [])]); case("Size", [N]); case("Size", [X], 19)
case("ConstantOfShape", [const([2, 3])]); case("ConstantOfShape", [const([4])], value=numpy_helper.from_array(np.array([1], dtype=np.int64))); case("ConstantOfShape", [(I, [3])]); case("ConstantOfShape", [const([], I)])
case("NonZero", [N]); case("NonZero", [(F, [4])], 9); case("Compress", [X, (B, [3])], 11, axis=1); case("Compress", [X, (B, ["K"])], 11)
case("NonMaxSuppression", [(F, ["N", 9, 4]), (F, ["N", 2, 9])], 11)

# Recurrent.
for op, gates, outputs in (("RNN", 1, 2), ("GRU", 3, 2), ("LSTM", 4, 3)):
    for direction in ("forward", "reverse", "bidirectional"):
        n = 2 if direction == "bidirectional" else 1
        for layout in (0, 1):
            x = ["B", 5, 6] if layout else [5, "B", 6]
            case(op, [(F, x), (F, [n, gates * 8, 6]), (F, [n, gates * 8, 8])], 14, outputs, hidden_size=8, direction=direction, layout=layout)
        case(op, [(F, [7, 2, 6]), (F, [n, gates * 8, 6]), (F, [n, gates * 8, 8]), (F, [n * 1, gates * 16])], 7, outputs, hidden_size=8, direction=direction)

# Chains of small operators that end in a shape, as exporters write them.
def node(op, inputs, output, **attrs):
    return helper.make_node(op, inputs, [output], **attrs)

def ints(name, values):
    return numpy_helper.from_array(np.array(values, dtype=np.int64), name)

def contents(label, info, inits, nodes, opset=17, end="Reshape"):
    chain(nodes, [helper.make_tensor_value_info("x", F, info)], inits, [nodes[-1].output[0]], opset, f"{end} after {label}")

for dims in (["N", 6, 4, 4], [2, 6, 4, 4], ["N", "C", 4, 4], ["N", 6, "H", "W"]):
    s = node("Shape", ["x"], "s")
    contents("Gather", dims, [ints("i", 0), ints("a", [0]), ints("m", [-1])],
             [s, node("Gather", ["s", "i"], "g"), node("Unsqueeze", ["g", "a"], "u"), node("Concat", ["u", "m"], "t", axis=0), node("Reshape", ["x", "t"], "y")])
    contents("Slice", dims, [ints("b", [0]), ints("e", [2]), ints("m", [-1])],
             [s, node("Slice", ["s", "b", "e"], "g"), node("Concat", ["g", "m"], "t", axis=0), node("Reshape", ["x", "t"], "y")])
    contents("arithmetic", dims, [ints("i", [2, 3]), ints("two", 2), ints("f", [1, 1]), ints("one", [1])],
             [s, node("Gather", ["s", "i"], "g"), node("Mul", ["g", "two"], "h"), node("Div", ["h", "two"], "d"), node("Add", ["d", "one"], "p"), node("Sub", ["p", "one"], "q"),
              node("ConstantOfShape", ["q"], "y")], end="ConstantOfShape")
    contents("Cast", dims, [ints("i", [2, 3]), ints("m", [0, -1])],
             [s, node("Gather", ["s", "i"], "g"), node("Cast", ["g"], "c", to=F), node("Cast", ["c"], "d", to=I), node("Concat", ["m", "d"], "t", axis=0), node("Reshape", ["x", "t"], "y")])
    contents("Min and Max", dims, [ints("i", [2, 3]), ints("k", [3, 9])],
             [s, node("Gather", ["s", "i"], "g"), node("Min", ["g", "k"], "c"), node("Max", ["c", "k"], "d"), node("ConstantOfShape", ["d"], "y")], end="ConstantOfShape")
    contents("Where and Equal", dims, [ints("i", [2, 3]), ints("k", [-1, 4]), ints("one", [1, 1])],
             [s, node("Gather", ["s", "i"], "g"), node("Equal", ["k", "g"], "e"), node("Where", ["e", "one", "g"], "w"), node("ConstantOfShape", ["w"], "y")], end="ConstantOfShape")
    contents("Squeeze", dims, [ints("i", [2]), ints("a", [0]), ints("z", 0), ints("o", 1)],
             [s, node("Gather", ["s", "i"], "g"), node("Squeeze", ["g", "a"], "q"), node("Range", ["z", "q", "o"], "y")], end="Range")
    contents("Range", dims, [ints("z", 0), ints("l", 2), ints("o", 1)],
             [s, node("Range", ["z", "l", "o"], "r"), node("Gather", ["s", "r"], "g"), node("Concat", ["g", "g"], "t", axis=0), node("ConstantOfShape", ["t"], "y")], end="ConstantOfShape")
    contents("Expand", dims, [ints("i", [3])],
             [s, node("Gather", ["s", "i"], "g"), helper.make_node("Constant", [], ["k"], value_ints=[5]), node("Concat", ["k", "g"], "t", axis=0), node("Gather", ["x", "i"], "v"),
              node("ConstantOfShape", ["t"], "y")], end="ConstantOfShape")

here = Path(__file__).parent
with open(here / "shapes.jsonl.gz", "wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=9, mtime=0) as out:
    for entry in cases:
        out.write((json.dumps(entry, separators=(",", ":")) + "\n").encode())
print(f"onnx {onnx.__version__}: {len(cases)} cases of {len({entry['op'].split(' after ')[0] for entry in cases})} operators; with numbers for symbols: {sum('sized' in entry for entry in cases)}; "
      f"refused by onnx: {len(refused)}; nothing known to onnx: {len(unknown)}")
for line in refused + unknown:
    print("  ", line, file=sys.stderr)

# Files with something odd in them, for what the reader says.
(here / "odd").mkdir(exist_ok=True)

def write(name, nodes, inputs, outs, inits=(), ir=10, opset=17, functions=(), infos=(), opsets=()):
    graph = helper.make_graph(nodes, name, inputs, outs, list(inits), value_info=list(infos))
    imports = [helper.make_opsetid("", opset)] + [helper.make_opsetid(domain, 1) for domain in opsets]
    model = helper.make_model(graph, opset_imports=imports, ir_version=ir, functions=list(functions), producer_name="memplan tests")
    (here / "odd" / f"{name}.onnx").write_bytes(model.SerializeToString())

def tensor(name, shape, kind=F):
    return helper.make_tensor_value_info(name, kind, shape)

x, y, bare = tensor("x", [2, 3]), tensor("y", [2, 3]), onnx.ValueInfoProto(name="y")
relu, last = helper.make_node("Relu", ["x"], ["h"], "first"), helper.make_node("Neg", ["h"], ["y"], "second")
write("order", [last, helper.make_node("Abs", ["x"], ["z"], "between"), relu], [x], [y])
write("undefined", [last], [x], [y])
write("twice", [relu, helper.make_node("Abs", ["x"], ["h"], "again"), last], [x], [y])
body = helper.make_graph([helper.make_node("Relu", ["x"], ["r"])], "body", [], [tensor("r", [2, 3])])
write("body", [helper.make_node("If", ["c"], ["y"], "choice", then_branch=body, else_branch=body)], [x, tensor("c", [], B)], [y])
function = helper.make_function("own", "Twice", ["a"], ["b"], [helper.make_node("Add", ["a", "a"], ["b"])], [helper.make_opsetid("", 17)])
write("function", [helper.make_node("Twice", ["x"], ["y"], "call", domain="own")], [x], [y], functions=[function], opsets=["own"])
write("sequence", [helper.make_node("SplitToSequence", ["x"], ["s"], "split"), helper.make_node("ConcatFromSequence", ["s"], ["y"], "join", axis=0)], [x], [y],
      infos=[helper.make_tensor_sequence_value_info("s", F, [1, 3])])
write("string", [helper.make_node("Relu", ["x"], ["y"])], [x, tensor("label", ["N"], T.STRING)], [y])
write("custom", [helper.make_node("Magic", ["x"], ["h"], "spell", domain="own"), helper.make_node("Relu", ["h"], ["g"]), helper.make_node("Neg", ["g"], ["y"])], [x], [bare], opsets=["own"])
write("conflict", [relu, last], [x], [y], infos=[tensor("h", [2, 4])])
write("old", [helper.make_node("Add", ["x", "w"], ["y"])], [x, tensor("w", [3])], [y], [numpy_helper.from_array(np.zeros(3, dtype=np.float32), "w")], ir=3, opset=8)
write("names", [helper.make_node("Concat", ["x", "z"], ["y"], axis=0), helper.make_node("Relu", ["y"], ["v"])],
      [tensor("x", ["batch-size", None]), tensor("z", ["n", 4])], [tensor("y", ["made_up", None]), tensor("v", ["2*n", 4])])
write("image", [helper.make_node("MaxPool", ["x"], ["h"], kernel_shape=[3, 3], strides=[2, 2]), helper.make_node("MaxPool", ["h"], ["y"], kernel_shape=[3, 3], strides=[2, 2])],
      [tensor("x", ["batch", 3, "height", "width"])], [bare])
