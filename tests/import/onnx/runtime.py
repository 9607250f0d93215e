#!/usr/bin/env python3
"""Writes runtime.jsonl.gz: models of one or a few nodes, and the types and shapes of what ONNX Runtime computes with them.

    pip install onnx==1.23.2 onnxruntime==1.32.0 && python3 tests/import/onnx/runtime.py

Each line: {"op", "model" (base64, shapes of the inputs alone), "values" (a number for every symbol), "want" {tensor: [dtype, shape]}}.
The runtime gets inputs of the shapes that the values make; what it returns is what is wanted. Where it has no kernel for the CPU,
`from` is "onnx" or "onnxruntime.tools", whose inference is asked, with the numbers in place of the symbols.
"""
import base64, gzip, json, sys, tempfile
from pathlib import Path
import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto as T, helper, numpy_helper, shape_inference

F, I, I32, B, U8, I8, H, D = T.FLOAT, T.INT64, T.INT32, T.BOOL, T.UINT8, T.INT8, T.FLOAT16, T.DOUBLE
MS = "com.microsoft"
VALUES = {"N": 2, "S": 5, "P": 3, "M": 4, "W": 12}
cases, failed = [], []
ort.set_default_logger_severity(4)

def const(values, dtype=I, shape=None):
    array = np.array(values, dtype=helper.tensor_dtype_to_np_dtype(dtype))
    return ("const", array if shape is None else array.reshape(shape))

def weight(dtype, shape, low=0):
    """A weight with contents of no meaning."""
    kind = helper.tensor_dtype_to_np_dtype(dtype)
    return ("const", (np.arange(int(np.prod(shape))) % 3 + low).astype(kind).reshape(shape))

def case(op, inputs, opset=17, outputs=1, domain="", /, **attrs):
    names, infos, inits = [], [], []
    for number, item in enumerate(inputs):
        if item is None:
            names.append("")
            continue
        name = f"in{number}"
        names.append(name)
        if item[0] == "const":
            inits.append(numpy_helper.from_array(item[1], name))
        else:
            infos.append(helper.make_tensor_value_info(name, item[0], item[1]))
    outs = [f"out{n}" for n in range(outputs)] if isinstance(outputs, int) else outputs
    chain([helper.make_node(op, names, outs, domain=domain, **attrs)], infos, inits, [o for o in outs if o], opset, op)

def chain(nodes, infos, inits, outs, opset, op):
    graph = helper.make_graph(nodes, op, infos, [onnx.ValueInfoProto(name=name) for name in outs], inits)
    sets = [helper.make_opsetid("", opset)] + [helper.make_opsetid(d, 1) for d in dict.fromkeys([MS] + [n.domain for n in nodes if n.domain])]
    model = helper.make_model(graph, opset_imports=sets, ir_version=10)
    entry = {"op": op, "model": base64.b64encode(model.SerializeToString()).decode(), "values": VALUES}
    number = lambda d: VALUES[d.dim_param] if d.dim_param else d.dim_value
    try:
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = 1
        session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        feeds = {}
        for info in model.graph.input:
            kind = info.type.tensor_type
            shape = [number(d) for d in kind.shape.dim]
            feeds[info.name] = FEEDS.get((op, info.name), np.ones(shape)).astype(helper.tensor_dtype_to_np_dtype(kind.elem_type))
        names = {"tensor(float)": "FLOAT", "tensor(double)": "DOUBLE", "tensor(float16)": "FLOAT16"}
        entry["want"] = {}
        for out, value in zip(session.get_outputs(), session.run(None, feeds)):
            kind = names.get(out.type, out.type[7:-1].upper())
            entry["want"][out.name] = [kind, list(value.shape)]
    except Exception as error:
        reason = str(error).strip().splitlines()[-1][:160]
        try:
            for info in model.graph.input:
                for d in info.type.tensor_type.shape.dim:
                    d.dim_value = number(d)
            if any(node.domain == MS for node in nodes):
                from onnxruntime.tools.symbolic_shape_infer import SymbolicShapeInference
                done, entry["from"] = SymbolicShapeInference.infer_shapes(model, 2**31 - 1, True, False, 0), "onnxruntime.tools"
            else:
                done, entry["from"] = shape_inference.infer_shapes(model, strict_mode=True, data_prop=True), "onnx"
            entry["want"] = {}
            for info in done.graph.output:
                kind = info.type.tensor_type
                assert kind.elem_type and kind.HasField("shape"), "nothing known"
                entry["want"][info.name] = [T.DataType.Name(kind.elem_type), [d.dim_value if d.HasField("dim_value") else None for d in kind.shape.dim]]
        except Exception:
            failed.append(f"{op}: {reason}")
            return
    cases.append(entry)

FEEDS = {}
X = (F, ["N", "S", 16])

# Products with packed weights.
for bits, block in ((4, 32), (8, 32), (4, 16)):
    blob = block * bits // 8
    case("MatMulNBits", [(F, ["N", "S", 64]), weight(U8, [48, 64 // block, blob]), weight(F, [48, 64 // block])], 17, 1, MS, K=64, N=48, bits=bits, block_size=block)
case("MatMulNBits", [(F, ["S", 64]), weight(U8, [24, 2, 16]), weight(F, [24, 2]), weight(U8, [24, 1])], 17, 1, MS, K=64, N=24, bits=4, block_size=32)
case("MatMulNBits", [(H, ["N", "S", 64]), weight(U8, [48, 2, 16]), weight(H, [48, 2])], 17, 1, MS, K=64, N=48, bits=4, block_size=32)
case("MatMulBnb4", [(F, ["N", "S", 64]), weight(U8, [64 * 48 // 2]), weight(F, [64 * 48 // 64])], 17, 1, MS, K=64, N=48, block_size=64, quant_type=1)
case("GatherBlockQuantized", [weight(U8, [20, 32]), (I, ["N", "S"]), weight(F, [20, 2])], 17, 1, MS, block_size=32, gather_axis=0, quantize_axis=1, bits=4)
case("GatherBlockQuantized", [weight(U8, [20, 32]), (I, ["S"]), weight(F, [20, 1])], 17, 1, MS, block_size=32, gather_axis=0, quantize_axis=1, bits=8)
case("GatherBlockQuantized", [weight(T.UINT4, [20, 64]), (I, ["N", "S"]), weight(F, [20, 2])], 21, 1, MS, block_size=32, gather_axis=0, quantize_axis=1)
for a, b, flags in (((F, ["N", 4, "S", 8]), (F, ["N", 4, 8, 6]), {}), ((F, ["N", 4, 8, "S"]), (F, ["N", 4, 6, 8]), {"transA": 1, "transB": 1}),
                    ((F, ["S", 3, 8]), (F, [3, 8, 6]), {"transBatchA": 1}), ((F, ["N", 3, 8]), (F, [8, "N", 6]), {"transBatchB": 1}),
                    ((F, ["S", 8]), (F, [6, 8]), {"transB": 1, "alpha": 0.5})):
    case("FusedMatMul", [a, b], 17, 1, MS, **flags)
case("TransposeMatMul", [(F, ["N", 8, "S"]), (F, ["N", 8, 6])], 17, 1, MS, transA=1)
case("FusedMatMulActivation", [(F, ["N", "S", 8]), (F, [8, 6])], 17, 1, MS, activation="Relu")
case("FusedGemm", [(F, ["N", 8]), (F, [6, 8]), (F, [6])], 17, 1, MS, transB=1, activation="Relu")
case("DynamicQuantizeMatMul", [(F, ["N", "S", 8]), weight(I8, [8, 6]), weight(F, [1])], 17, 1, MS)
case("MatMulIntegerToFloat", [(U8, ["N", "S", 8]), weight(I8, [8, 6]), weight(F, [1]), weight(F, [1])], 17, 1, MS)
case("MatMulInteger16", [(T.INT16, ["S", 8]), (T.INT16, [8, 6])], 17, 1, MS)
case("QGemm", [(U8, ["N", 8]), const(0.5, F), const(3, U8), weight(U8, [8, 6]), const(0.5, F), const(3, U8)], 17, 1, MS)
case("QGemm", [(U8, ["N", 8]), const(0.5, F), const(3, U8), weight(U8, [6, 8]), const(0.5, F), const(3, U8), None, const(0.5, F), const(1, U8)], 17, 1, MS, transB=1)
case("CDist", [(F, ["N", 8]), (F, ["S", 8])], 17, 1, MS, metric="euclidean")
case("GemmFastGelu", [(F, ["N", "S", 8]), (F, [8, 6])], 17, 1, MS)
# Normalization and activations.
for op in ("SkipLayerNormalization",):
    case(op, [X, X, weight(F, [16]), weight(F, [16])], 17, 1, MS)
    case(op, [X, X, weight(F, [16]), weight(F, [16]), weight(F, [16])], 17, ["out0", "", "", "out3"], MS)
    case(op, [(H, ["N", "S", 16]), (H, ["N", "S", 16]), weight(H, [16]), weight(H, [16])], 17, ["out0", "", "", "out3"], MS)
case("SkipSimplifiedLayerNormalization", [X, X, weight(F, [16])], 17, ["out0", "", "", "out3"], MS)
case("SkipSimplifiedLayerNormalization", [(H, ["S", 16]), (H, ["S", 16]), weight(H, [16])], 17, 1, MS)
case("SimplifiedLayerNormalization", [X, weight(F, [16])], 17, 1, axis=-1, epsilon=1e-5, stash_type=1)
case("SimplifiedLayerNormalization", [X, weight(F, [16])], 17, 2, axis=-1)
case("SimplifiedLayerNormalization", [(H, ["N", "S", 16]), weight(H, [16])], 17, 1, axis=-1)
case("EmbedLayerNormalization", [(I32, ["N", "S"]), (I32, ["N", "S"]), weight(F, [30, 16]), weight(F, [20, 16]), weight(F, [2, 16]), weight(F, [16]), weight(F, [16]), (I32, ["N", "S"])], 17, 2, MS)
case("EmbedLayerNormalization", [(I32, ["N", "S"]), None, weight(F, [30, 16]), weight(F, [20, 16]), None, weight(F, [16]), weight(F, [16])], 17, 3, MS)
for op in ("FastGelu", "QuickGelu", "Gelu"):
    case(op, [X], 17, 1, MS)
    case(op, [(F, ["N", 8, "W", "W"])], 17, 1, MS)
case("FastGelu", [X, weight(F, [16])], 17, 1, MS)
case("FastGelu", [(H, ["N", "S", 16])], 17, 1, MS)
case("BiasGelu", [X, weight(F, [16])], 17, 1, MS)
case("BiasSoftmax", [(F, ["N", 4, "S", "S"]), (F, ["N", 1, 1, "S"])], 17, 1, MS, axis=3, is_inner_broadcast=0)
case("BiasSplitGelu", [(F, ["N", "S", 32]), weight(F, [32])], 17, 1, MS)
case("BiasAdd", [(F, ["N", "S", 320]), weight(F, [320]), (F, ["N", "S", 320])], 17, 1, MS)
case("GroupNorm", [(F, ["N", "W", "W", 32]), weight(F, [32]), weight(F, [32])], 17, 1, MS, groups=4, activation=1)
case("SkipGroupNorm", [(F, ["N", "W", "W", 32]), weight(F, [32]), weight(F, [32]), (F, ["N", "W", "W", 32])], 17, 2, MS, groups=4, activation=1)
FEEDS[("Inverse", "in0")] = np.tile(np.eye(3), (2, 1, 1))
case("Inverse", [(F, ["N", 3, 3])], 17, 1, MS)
case("RMSNormalization", [X, weight(F, [16])], 23, 1)
# Attention.
def heads(name, size=16): return (F, ["N", 4, name, size])
case("Attention", [(F, ["N", "S", 32]), weight(F, [32, 96]), weight(F, [96])], 17, 1, MS, num_heads=4)
case("Attention", [(F, ["N", "S", 32]), weight(F, [32, 96]), weight(F, [96]), None, (F, [2, "N", 4, "P", 8])], 17, 2, MS, num_heads=4, unidirectional=1)
case("Attention", [(F, ["N", "S", 32]), weight(F, [32, 80]), weight(F, [80])], 17, 1, MS, num_heads=4, qkv_hidden_sizes=[32, 32, 16])
case("QAttention", [(U8, ["N", "S", 32]), weight(I8, [32, 96]), weight(F, [96]), const(0.1, F), const(0.1, F), None, const(0, U8), const(0, I8)], 17, 1, MS, num_heads=4)
case("MultiHeadAttention", [(F, ["N", "S", 32]), (F, ["N", "M", 32]), (F, ["N", "M", 32])], 17, 1, MS, num_heads=4)
case("MultiHeadAttention", [(F, ["N", "S", 32]), (F, ["N", "M", 32]), (F, ["N", "M", 64])], 17, 1, MS, num_heads=4)
case("MultiHeadAttention", [(F, ["N", "S", 32]), (F, ["N", "S", 32]), (F, ["N", "S", 32]), None, None, None, (F, ["N", 4, "P", 8]), (F, ["N", 4, "P", 8])], 17, 3, MS, num_heads=4)
case("MultiHeadAttention", [(F, ["N", "S", 32]), (F, ["N", 4, "M", 8]), (F, ["N", 4, "M", 8])], 17, 1, MS, num_heads=4)
case("DecoderMaskedMultiHeadAttention", [(F, ["N", 1, 32]), (F, ["N", 1, 32]), (F, ["N", 1, 32]), None, None, (F, ["N", 4, "P", 8]), (F, ["N", 4, "P", 8])], 17, 3, MS, num_heads=4)
GQA = dict(num_heads=4, kv_num_heads=2)
for kind in (F, H):
    FEEDS[("GroupQueryAttention", "in5")], FEEDS[("GroupQueryAttention", "in6")] = np.array([7]), np.array(8)
    case("GroupQueryAttention", [(kind, [1, "S", 32]), (kind, [1, "S", 16]), (kind, [1, "S", 16]), (kind, [1, 2, "P", 8]), (kind, [1, 2, "P", 8]), (I32, [1]), (I32, [])], 17, 3, MS, **GQA)
    case("GroupQueryAttention", [(kind, [1, "S", 64]), None, None, (kind, [1, 2, "P", 8]), (kind, [1, 2, "P", 8]), (I32, [1]), (I32, [])], 17, 3, MS, **GQA)
FEEDS[("GroupQueryAttention", "in5")], FEEDS[("GroupQueryAttention", "in6")] = np.array([8, 8]), np.array(9)
case("GroupQueryAttention", [(F, ["N", 1, 32]), (F, ["N", 1, 16]), (F, ["N", 1, 16]), (F, ["N", 2, 128, 8]), (F, ["N", 2, 128, 8]), (I32, ["N"]), (I32, [])], 17, 3, MS, **GQA)
FEEDS[("GroupQueryAttention", "in5")], FEEDS[("GroupQueryAttention", "in6")] = np.array([4, 4]), np.array(5)
case("GroupQueryAttention", [(F, ["N", "S", 32]), (F, ["N", "S", 16]), (F, ["N", "S", 16]), None, None, (I32, ["N"]), (I32, [])], 17, 3, MS, **GQA)
case("RotaryEmbedding", [(F, ["N", "S", 32]), (I, ["N", "S"]), weight(F, [16, 4]), weight(F, [16, 4])], 17, 1, MS, num_heads=4)
case("RotaryEmbedding", [(F, ["N", 4, "S", 8]), (I, ["N", "S"]), weight(F, [16, 4]), weight(F, [16, 4])], 17, 1, MS)
case("RelativePositionBias", [weight(F, [8, 4]), const(6), const(6)], 17, 1, MS, max_distance=16)
case("GatedRelativePositionBias", [(F, ["N", "S", 32]), weight(F, [32]), (F, [1, 4, "S", "S"]), weight(F, [8, 8]), weight(F, [8]), weight(F, [1, 4, 1, 1])], 17, 1, MS, num_heads=4)
for opset in (23, 24):
    case("Attention", [heads("S"), heads("M"), heads("M")], opset, 1)
    case("Attention", [heads("S"), heads("M"), heads("M"), None, heads("P"), heads("P")], opset, 3)
    case("Attention", [(F, ["N", "S", 32]), (F, ["N", "M", 16]), (F, ["N", "M", 24])], opset, 1, q_num_heads=4, kv_num_heads=2)
    case("Attention", [(F, ["N", "S", 32]), (F, ["N", "M", 16]), (F, ["N", "M", 16])], opset, 4, q_num_heads=4, kv_num_heads=2)
    case("Attention", [heads("S"), heads("S"), heads("S"), None, heads("P"), heads("P")], opset, 4)
case("RotaryEmbedding", [(F, ["N", 4, "S", 8]), weight(F, [16, 4]), weight(F, [16, 4]), (I, ["N", "S"])], 23, 1)
case("RotaryEmbedding", [(F, ["N", "S", 32]), weight(F, [16, 4]), weight(F, [16, 4]), (I, ["N", "S"])], 23, 1, num_heads=4)
case("MoE", [(F, ["S", 16]), (F, ["S", 4]), weight(F, [4, 32, 16]), None, weight(F, [4, 16, 32])], 17, 1, MS, k=2, activation_type="relu")
case("LinearAttention", [(F, ["N", "S", 32]), (F, ["N", "S", 32]), (F, ["N", "S", 16])], 17, 2, MS, q_num_heads=4, kv_num_heads=4, update_rule="linear")
case("CausalConvWithState", [(F, ["N", 8, "S"]), weight(F, [8, 1, 4]), weight(F, [8]), (F, ["N", 8, 3])], 17, 2, MS)
# Quantized operators.
Q = [const(0.5, F), const(3, U8)]
case("QLinearAdd", [(U8, ["N", "S", 8]), *Q, (U8, [8]), *Q, *Q], 17, 1, MS)
case("QLinearMul", [(U8, ["N", 1, 8]), *Q, (U8, ["N", "S", 1]), *Q, *Q], 17, 1, MS)
case("QLinearSigmoid", [(U8, ["N", "S"]), *Q, *Q], 17, 1, MS)
case("QLinearLeakyRelu", [(U8, ["N", "S"]), *Q, *Q], 17, 1, MS, alpha=0.1)
case("QLinearSoftmax", [(U8, ["N", "S"]), *Q, *Q], 17, 1, MS, axis=-1, opset=13)
case("QLinearConcat", [*Q, (U8, ["N", "S"]), *Q, (U8, ["N", 3]), *Q], 17, 1, MS, axis=1)
case("QLinearWhere", [(B, ["N", 1]), (U8, ["N", "S"]), *Q, (U8, [1, "S"]), *Q, *Q], 17, 1, MS)
case("QLinearAveragePool", [(U8, ["N", 4, "W", "W"]), *Q, *Q], 17, 1, MS, kernel_shape=[2, 2], strides=[2, 2])
case("QLinearAveragePool", [(U8, ["N", "W", "W", 4]), *Q, *Q], 17, 1, MS, kernel_shape=[3, 3], channels_last=1)
case("QLinearGlobalAveragePool", [(U8, ["N", 4, "W", "W"]), *Q, *Q], 17, 1, MS)
case("QLinearGlobalAveragePool", [(U8, ["N", "W", "W", 4]), *Q, *Q], 17, 1, MS, channels_last=1)
case("QLinearConv", [(U8, ["N", 4, "W", "W"]), *Q, weight(U8, [6, 4, 3, 3]), *Q, *Q], 17, 1, kernel_shape=[3, 3], strides=[2, 2])
case("QLinearConv", [(U8, ["N", "W", "W", 4]), *Q, weight(U8, [6, 4, 3, 3]), *Q, *Q], 17, 1, MS, kernel_shape=[3, 3], channels_last=1)
case("NhwcMaxPool", [(U8, ["N", "W", "W", 4])], 17, 1, MS, kernel_shape=[2, 2], strides=[2, 2])
case("QuantizeLinear", [(F, ["N", "S"]), const(0.5, F), const(3, I8)], 17, 1, MS)
case("DequantizeLinear", [(U8, ["N", "S"]), const(0.5, F), const(3, U8)], 17, 1, MS)
case("FusedConv", [(F, ["N", 4, "W", "W"]), weight(F, [6, 4, 3, 3]), weight(F, [6])], 17, 1, MS, kernel_shape=[3, 3], pads=[1, 1, 1, 1], activation="Relu")
# Others of com.microsoft.
case("Trilu", [(F, ["N", "S", "S"])], 17, 1, MS)
case("ExpandDims", [(F, ["N", "S"]), const(1, I32, [1])], 17, 1, MS)
case("ExpandDims", [(F, ["N", "S"]), const(-1, I32)], 17, 1, MS)
case("Pad", [(F, ["N", "S"]), const([0, 1, 0, 2])], 17, 1, MS)
case("Range", [const(1), const(11), const(3)], 17, 1, MS)
case("NGramRepeatBlock", [(I, ["N", "S"]), (F, ["N", 30])], 17, 1, MS, ngram_size=3)
case("CropAndResize", [(F, ["N", 3, "W", "W"]), (F, ["S", 4]), (I32, ["S"]), const([5, 6], I32)], 17, 1, MS)
case("GridSample", [(F, ["N", 3, "W", "W"]), (F, ["N", 5, 6, 2])], 17, 1, MS)
case("Rfft", [(F, ["N", 12])], 17, 1, MS, signal_ndim=1, normalized=0, onesided=1)
case("Irfft", [(F, ["N", 7, 2])], 17, 1, MS, signal_ndim=1, normalized=0, onesided=1)
case("ComplexMul", [(F, ["N", "S", 2]), (F, ["N", "S", 2])], 17, 1, MS)
case("TorchEmbedding", [weight(F, [30, 16]), (I, ["N", "S"])], 17, 1, MS)
case("Unique", [(F, [6])], 17, ["", "out1"], MS)
# Recent operators of ONNX.
for mode in ("bilinear", "nearest"):
    case("GridSample", [(F, ["N", 3, "W", "W"]), (F, ["N", 5, "S", 2])], 16, 1, mode=mode)
case("GridSample", [(F, ["N", 3, "W", "W", 4]), (F, ["N", 5, "S", 6, 3])], 20, 1, mode="linear")
case("AffineGrid", [(F, ["N", 2, 3]), const([2, 3, 5, 6])], 20, 1)
case("AffineGrid", [(F, ["N", 3, 4]), const([2, 3, 4, 5, 6])], 20, 1)
case("RoiAlign", [(F, ["N", 3, "W", "W"]), (F, ["S", 4]), (I, ["S"])], 16, 1, output_height=7, output_width=5)
case("RoiAlign", [(F, ["N", 3, "W", "W"]), (F, ["S", 4]), (I, ["S"])], 22, 1)
case("MaxRoiPool", [(F, ["N", 3, "W", "W"]), (F, ["S", 5])], 17, 1, pooled_shape=[6, 7])
case("DeformConv", [(F, ["N", 4, "W", "W"]), weight(F, [6, 4, 3, 3]), (F, ["N", 18, 10, 10])], 19, 1, kernel_shape=[3, 3])
case("DeformConv", [(F, ["N", 4, 12, 12]), weight(F, [6, 4, 3, 3]), (F, ["N", 18, 12, 12]), weight(F, [6])], 19, 1, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
case("DFT", [(F, ["N", 12, 1])], 17, 1, axis=1, onesided=1)
case("DFT", [(F, ["N", "W", 2])], 17, 1)
case("DFT", [(F, ["N", 12, 5, 1]), None, const(2)], 20, 1)
case("DFT", [(F, ["N", "W", 1]), const(8)], 20, 1, onesided=1)
case("DFT", [(F, ["N", 7, 2])], 20, 1, inverse=1)
case("STFT", [(F, ["N", 64, 1]), const(8), weight(F, [16], 1)], 17, 1)
case("STFT", [(F, ["N", 64, 1]), const(8), None, const(16)], 17, 1, onesided=0)
for op in ("HannWindow", "HammingWindow", "BlackmanWindow"):
    case(op, [const(10)], 17, 1)
case("HannWindow", [const(10)], 17, 1, output_datatype=D)
case("MelWeightMatrix", [const(8), const(32), const(8000), const(0.0, F), const(4000.0, F)], 17, 1)
case("Col2Im", [(F, ["N", 12, 9]), const([4, 4]), const([2, 2])], 18, 1)
case("CenterCropPad", [(F, ["N", 8, "W"]), const([5, 20])], 18, 1, axes=[1, 2])
case("CenterCropPad", [(F, [3, 8]), const([5, 4])], 18, 1)
case("MaxUnpool", [(F, ["N", 3, 4, 4]), (I, ["N", 3, 4, 4])], 17, 1, kernel_shape=[2, 2], strides=[2, 2])
case("MaxUnpool", [(F, [1, 1, 2, 2]), (I, [1, 1, 2, 2]), const([1, 1, 5, 5])], 17, 1, kernel_shape=[2, 2], strides=[2, 2])
case("Multinomial", [(F, ["N", 10])], 17, 1, sample_size=6)
case("NegativeLogLikelihoodLoss", [(F, ["N", 5, "S"]), (I, ["N", "S"])], 17, 1, reduction="none")
case("NegativeLogLikelihoodLoss", [(F, ["N", 5]), (I, ["N"])], 17, 1)
case("SoftmaxCrossEntropyLoss", [(F, ["N", 5, "S"]), (I, ["N", "S"])], 17, 2, reduction="none")
case("SoftmaxCrossEntropyLoss", [(F, ["N", 5]), (I, ["N"])], 17, 1)
case("BitCast", [(F, ["N", "S"])], 26, 1, to=I32)
case("SwiGLU", [(F, ["N", "S"]), (F, ["N", "S"])], 28, 1)
case("TensorScatter", [(F, ["N", 4, 16, 8]), (F, ["N", 4, 3, 8]), (I, ["N"])], 24, 1, axis=2)
case("LinearAttention", [(F, ["N", "S", 32]), (F, ["N", "S", 32]), (F, ["N", "S", 16])], 27, 2, q_num_heads=4, kv_num_heads=4, update_rule="linear")
case("CausalConvWithState", [(F, ["N", 8, "S"]), weight(F, [8, 1, 4])], 27, 2)
case("Einsum", [(F, ["N", "S", 8]), (F, [8, 6])], 17, 1, equation="...i,ij->...j")
case("Einsum", [(F, ["N", 3, "S", 8]), (F, ["N", 3, 8, 6])], 17, 1, equation="...ij,...jk->...ik")
case("Einsum", [(F, ["N", "S", "S"])], 17, 1, equation="...ii->...i")

# Lists that become shapes: of the symbols N, S, W = 2, 5, 12, and of the numbers 7, 24, 3.
def follow(op, nodes, more=(), source=("N", "S", "W"), opset=18):
    """The nodes make "list" from "d", the shape of an input."""
    made = [helper.make_node(o, i.split(), out.split(), **attrs) for o, i, out, attrs in nodes]
    made = [helper.make_node("Shape", ["x"], ["d"]), *made, helper.make_node("ConstantOfShape", ["list"], ["y"])]
    inits = [numpy_helper.from_array(np.array(v, dtype=np.float32 if isinstance(np.ravel(v)[0], float) else np.int64), n) for n, v in more]
    chain(made, [helper.make_tensor_value_info("x", F, list(source))], inits, ["y"], opset, op)

fixed = (7, 24, 3)
for source in (("N", "S", "W"), fixed):
    follow("Mod", [("Mod", "d k", "list", {})], [("k", [3, 4, 5])], source)
    follow("Mod", [("Mod", "d k", "a", {}), ("Sub", "k a", "b", {}), ("Mod", "b k", "list", {})], [("k", [4, 4, 4])], source)
    follow("Mod", [("Mod", "d k", "list", {"fmod": 1})], [("k", [3, 4, 5])], source)
    follow("Pow", [("Pow", "d k", "list", {})], [("k", [2, 1, 0])], source)
    follow("Abs", [("Abs", "d", "list", {})], (), source)
    follow("Split", [("Split", "d k", "a list", {"axis": 0})], [("k", [1, 2])], source)
    follow("Tile", [("Tile", "d k", "list", {})], [("k", [2])], source)
    follow("Expand", [("Gather", "d i", "a", {}), ("Expand", "a k", "list", {})], [("i", [1]), ("k", [3])], source)
    follow("ScatterND", [("ScatterND", "d i k", "list", {})], [("i", [[0], [-1]]), ("k", [9, 8])], source)
    follow("ScatterElements", [("ScatterElements", "d i k", "list", {})], [("i", [1]), ("k", [9])], source)
    follow("CumSum", [("CumSum", "d zero", "list", {})], [("zero", 0)], source)
    follow("CumSum", [("CumSum", "d zero", "a", {"exclusive": 1, "reverse": 1}), ("Add", "a k", "list", {})], [("zero", 0), ("k", [1])], source)
    follow("ReduceSum", [("ReduceSum", "d", "list", {})], (), source)
    follow("Reshape", [("Concat", "d d", "a", {"axis": 0}), ("Reshape", "a s", "b", {}), ("Slice", "b m e z m", "c", {}), ("Transpose", "c", "t", {"perm": [1, 0]}), ("Reshape", "t m", "list", {})], [("s", [-1, 2]), ("m", [-1]), ("e", [-9223372036854775807]), ("z", [0])], source)
    follow("Where", [("GreaterOrEqual", "d k", "a", {}), ("Not", "a", "b", {}), ("Where", "b k d", "list", {})], [("k", [0, 0, 0])], source)
for op in ("Less", "LessOrEqual", "Greater", "GreaterOrEqual"):
    follow(op, [(op, "d k", "a", {}), ("Where", "a d k", "list", {})], [("k", [7, 8, 9])], fixed)
for op in ("And", "Or", "Xor"):
    follow(op, [("Less", "d k", "a", {}), ("Greater", "d l", "b", {}), (op, "a b", "c", {}), ("Where", "c d k", "list", {})], [("k", [7, 30, 9]), ("l", [6, 30, 2])], fixed)
follow("ReduceMax", [("ReduceMax", "d", "list", {})], (), fixed)
follow("ReduceMin", [("ReduceMin", "d", "list", {})], (), fixed)
follow("Sign", [("Sub", "d k", "a", {}), ("Sign", "a", "b", {}), ("Add", "b l", "list", {})], [("k", [7, 1, 8]), ("l", [2])], fixed)
follow("Mod", [("Sub", "d k", "a", {}), ("Mod", "a l", "b", {}), ("Add", "b m", "list", {})], [("k", [9, 30, 9]), ("l", [4, -5, -4]), ("m", [9])], fixed)
follow("Mod", [("Sub", "d k", "a", {}), ("Mod", "a l", "b", {"fmod": 1}), ("Add", "b m", "list", {})], [("k", [9, 30, 9]), ("l", [4, -5, -4]), ("m", [9])], fixed)
for op in ("Floor", "Ceil", "Round", "Identity", "Sqrt"):
    follow(op, [("Cast", "d", "a", {"to": F}), ("Mul", "a k", "b", {}), (op, "b", "c", {}), ("Cast", "c", "list", {"to": I})], [("k", [1.5, 0.4, 2.9])], fixed)
follow("Div", [("Cast", "d", "a", {"to": F}), ("Div", "a k", "b", {}), ("Floor", "b", "c", {}), ("Cast", "c", "list", {"to": I})], [("k", [2.0])], fixed)

# Images whose channels lie in blocks: a model as the runtime saves it with all optimizations for the processor of this machine.
def blocks():
    conv = lambda x, w, y, **a: helper.make_node("Conv", [x, w], [y], **a)
    nodes = [conv("x", "w1", "a", pads=[1, 1, 1, 1], strides=[2, 2]), helper.make_node("Relu", ["a"], ["b"]), conv("b", "w2", "c", pads=[1, 1, 1, 1], group=24),
             helper.make_node("MaxPool", ["c"], ["p"], kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1), conv("p", "w3", "d"), helper.make_node("AveragePool", ["d"], ["e"], kernel_shape=[2, 2]),
             helper.make_node("Tanh", ["e"], ["f"]), helper.make_node("Softmax", ["f"], ["g"], axis=1), conv("g", "w4", "h"), helper.make_node("GlobalAveragePool", ["h"], ["y"])]
    weights = [("w1", [24, 3, 3, 3]), ("w2", [24, 1, 3, 3]), ("w3", [40, 24, 1, 1]), ("w4", [8, 40, 1, 1])]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", F, ["N", 3, 30, 26])], [onnx.ValueInfoProto(name="y")], [numpy_helper.from_array(weight(F, s)[1], n) for n, s in weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    with tempfile.TemporaryDirectory() as folder:
        options = ort.SessionOptions()
        options.optimized_model_filepath = str(Path(folder) / "m.onnx")
        ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        done = onnx.load(options.optimized_model_filepath).graph
    chain(list(done.node), list(done.input), list(done.initializer), [o for n in done.node for o in n.output if o], 17, "blocks of channels")
blocks()

if __name__ == "__main__":
    here = Path(__file__).parent
    lines = "".join(json.dumps(entry) + "\n" for entry in cases)
    with open(sys.argv[1] if len(sys.argv) > 1 else here / "runtime.jsonl.gz", "wb") as out:
        out.write(gzip.compress(lines.encode(), 9, mtime=0))
    ran = sum("from" not in entry for entry in cases)
    print(f"{len(cases)} cases of {len({entry['op'] for entry in cases})} operators, {ran} run by ONNX Runtime; left out:", *failed, sep="\n  ")
