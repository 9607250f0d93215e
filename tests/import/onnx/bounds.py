#!/usr/bin/env python3
"""Writes bounds.jsonl.gz: small models, and the most bytes that their tensors need at once.

    pip install onnx==1.23.2 onnxruntime==1.32.0 && python3 tests/import/onnx/bounds.py

Each line: {"kind", "name", "model" (base64), "symbols", "bound", "nodes", "weights"}, of some also {"taken", "tight"}: MiB that a run of
ONNX Runtime without arena takes, and whether the bound is as much. Sizes are those of what ONNX Runtime computes: every
tensor of the main graph is made an output and the model is run. If the file is not sorted, the order is that of the profile of a run
with all optimizations off. The bound is a count of bytes step by step over live ranges, made here. `weights` is
what the nodes that run read of results of nodes over weights alone; each is among the initializers of the model as the runtime
saves it with basic optimizations, by type and shape, except what it keeps for its integer kernels (DequantizeLinear).
"""
import base64, gzip, json, os, subprocess, sys, tempfile
from pathlib import Path
import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto as T, helper, numpy_helper, shape_inference

F, I, I32, B, U8, I8, H, D = T.FLOAT, T.INT64, T.INT32, T.BOOL, T.UINT8, T.INT8, T.FLOAT16, T.DOUBLE
VIEWS = {"Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze"}
RANDOM = {"RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Bernoulli", "Multinomial"}
ort.set_default_logger_severity(4)
cases = []
# Weights of the model at hand, by name.
constants = {}

def bits(elem):
    return {T.INT4: 4, T.UINT4: 4, T.FLOAT4E2M1: 4, T.INT2: 2, T.UINT2: 2}.get(elem) or np.dtype(helper.tensor_dtype_to_np_dtype(elem)).itemsize * 8

def size(elem, shape):
    return -(-int(np.prod(shape, dtype=object)) * bits(elem) // 8)

def node(op, inputs, outputs, **attrs):
    return helper.make_node(op, inputs.split(), outputs.split(), name=attrs.pop("name", "n_" + outputs.split()[0]), **attrs)

def init(name, array):
    return numpy_helper.from_array(np.asarray(array), name)

def value(name, elem=F, shape=None):
    return helper.make_tensor_value_info(name, elem, shape)

def bodies(n):
    return [a.g for a in n.attribute if a.type == onnx.AttributeProto.GRAPH]

def free(graph):
    """Names that a graph reads from outside."""
    own = {i.name for i in graph.input} | {i.name for i in graph.initializer} | {o for n in graph.node for o in n.output}
    used = [x for n in graph.node for x in list(n.input) + [y for g in bodies(n) for y in free(g)]] + [o.name for o in graph.output]
    return [x for x in used if x and x not in own]

def reads(n):
    return [x for x in n.input if x] + [y for g in bodies(n) for y in free(g)]

def options(level, saved=None):
    o = ort.SessionOptions()
    o.graph_optimization_level = level
    o.intra_op_num_threads = 1
    if saved:
        o.optimized_model_filepath = saved
    return o

def saved_by_runtime(model, level):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.onnx")
        ort.InferenceSession(model.SerializeToString(), options(level, path), providers=["CPUExecutionProvider"])
        return onnx.load(path)

def order_of_run(model):
    """First results of the nodes in the order in which the runtime runs them, from its profile."""
    with tempfile.TemporaryDirectory() as folder:
        o = options(ort.GraphOptimizationLevel.ORT_DISABLE_ALL)
        o.enable_profiling, o.profile_file_prefix = True, os.path.join(folder, "p")
        session = ort.InferenceSession(model.SerializeToString(), o, providers=["CPUExecutionProvider"])
        session.run(None, {i.name: np.ones([d.dim_value for d in i.type.tensor_type.shape.dim], np.float32) for i in model.graph.input})
        with open(session.end_profiling()) as file:
            events = json.load(file)
    names = [e["name"] for e in sorted(events, key=lambda e: e["ts"]) if e["name"].endswith("_kernel_time")]
    by_name = {n.name: n.output[0] for n in model.graph.node}
    return [by_name[name.removesuffix("_kernel_time")] for name in names]

def infer(graph, known, opset):
    """Types and shapes of all tensors of a body with numbers for all that is outside and for its inputs."""
    copy = onnx.GraphProto()
    copy.CopyFrom(graph)
    del copy.value_info[:]
    outside = [value(name, *known[name]) for name in dict.fromkeys(free(graph)) if name in known and name not in constants]
    fixed = [constants[name] for name in dict.fromkeys(free(graph)) if name in constants]
    inputs = [value(i.name, *known.get(("in", i.name), (i.type.tensor_type.elem_type, [d.dim_value for d in i.type.tensor_type.shape.dim]))) for i in graph.input]
    outputs = [onnx.ValueInfoProto(name=o.name) for o in graph.output]
    model = helper.make_model(helper.make_graph(list(copy.node), "b", inputs + outside, outputs, list(copy.initializer) + fixed), opset_imports=[helper.make_opsetid("", opset)])
    done = shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    found = {}
    for info in list(done.graph.input) + list(done.graph.value_info) + list(done.graph.output):
        kind = info.type.tensor_type
        found[info.name] = (kind.elem_type, [d.dim_value for d in kind.shape.dim])
    return found

def scratch(n, known, opset):
    """The bytes that a node needs while it runs besides its operands and results. A result takes memory from the node inside that makes
    it, so the step needs the larger of the results and of what is alive at once inside, results that are made already among it."""
    most, handed = 0, 0
    for graph in bodies(n):
        inner, borrowed = dict(known), set()
        if n.op_type == "Loop":
            operands = [None, None] + [known[x] for x in n.input[2:]]
            for info, operand in zip(graph.input[2:], operands[2:]):
                inner[("in", info.name)] = operand
            inner[("in", graph.input[0].name)], inner[("in", graph.input[1].name)] = (I, []), (B, [])
            if n.input[0] in constants and int(numpy_helper.to_array(constants[n.input[0]])) <= 1:
                borrowed.update(info.name for info in graph.input[2:])  # The only turn reads the operands.
        elif n.op_type == "Scan":
            states = len(n.input) - next(a.i for a in n.attribute if a.name == "num_scan_inputs")
            for at, (info, x) in enumerate(zip(graph.input, n.input)):
                elem, shape = known[x]
                inner[("in", info.name)] = (elem, shape if at < states else shape[1:])
                if at >= states:
                    borrowed.add(info.name)
        shapes = infer(graph, inner, opset)
        root, life = {}, {}
        fixed = {i.name for i in graph.initializer} | borrowed
        for info in graph.input:
            if info.name not in fixed:
                life[info.name] = [0, 0]
        extra = [0] * max(len(graph.node), 1)
        for at, m in enumerate(graph.node):
            if m.op_type == "Constant":
                fixed.update(m.output)
                continue
            if m.op_type in VIEWS:
                root[m.output[0]] = root.get(m.input[0], m.input[0])
            else:
                for out in m.output:
                    life[out] = [at, at]
            for x in reads(m) + list(m.output):
                if root.get(x, x) in life:
                    life[root.get(x, x)][1] = at
            extra[at] = scratch(m, {**known, **shapes}, opset) if bodies(m) else 0
        results = [o.name for o in graph.output]
        for out in results:
            if root.get(out, out) in life:
                life[root.get(out, out)][1] = len(extra) - 1
        for at in range(len(extra)):
            most = max(most, extra[at] + sum(size(*shapes[x]) for x, (a, b) in life.items() if a <= at <= b and x not in fixed))
        # Of results that hold a slice for every turn, those of the turns before lie beside all that is counted here.
        first = {"If": 0, "Loop": 1, "Scan": 0}[n.op_type]
        whole = {"If": len(n.output), "Loop": len(n.input) - 2}.get(n.op_type) if n.op_type != "Scan" else states
        outer = {**known}
        handed = sum(size(*(outer[o] if at < whole else shapes[results[first + at]])) for at, o in enumerate(n.output) if o)
    return max(most - handed, 0)

def taken(model):
    """MiB that a run of ONNX Runtime adds to what the process holds, without its arena."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.onnx")
        onnx.save(model, path)
        return int(subprocess.run([sys.executable, __file__, "--taken", path], capture_output=True, text=True, check=True).stdout)

def run_alone(path):
    o = options(ort.GraphOptimizationLevel.ORT_DISABLE_ALL)
    o.enable_cpu_mem_arena = o.enable_mem_pattern = False
    session = ort.InferenceSession(path, o, providers=["CPUExecutionProvider"])
    feeds = {i.name: np.ones(i.shape, bool if "bool" in i.type else np.float32) for i in session.get_inputs()}
    held = lambda key: next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(key))
    before = held("VmRSS")
    open("/proc/self/clear_refs", "w").write("5")
    session.run(None, feeds)
    print(round((held("VmHWM") - before) / 1024))

def measure(model, values, runs):
    """Sizes of all tensors of the main graph, from a run."""
    graph = model.graph
    for info in graph.input:
        for d in info.type.tensor_type.shape.dim:
            if d.HasField("dim_param") or d.dim_value <= 0:
                d.dim_value = values.get(d.dim_param, 1)
    if not runs:  # numpy has no type for what the runtime returns.
        done = shape_inference.infer_shapes(model, strict_mode=True)
        infos = list(done.graph.input) + list(done.graph.value_info) + list(done.graph.output)
        known = {i.name: (i.type.tensor_type.elem_type, [d.dim_value for d in i.type.tensor_type.shape.dim]) for i in infos}
        ort.InferenceSession(model.SerializeToString(), options(ort.GraphOptimizationLevel.ORT_DISABLE_ALL), providers=["CPUExecutionProvider"])
        return known, {name: size(*what) for name, what in known.items()}
    every = onnx.ModelProto()
    every.CopyFrom(model)
    listed = {o.name for o in graph.output}
    every.graph.output.extend(onnx.ValueInfoProto(name=o) for n in graph.node for o in n.output if o and o not in listed)
    session = ort.InferenceSession(every.SerializeToString(), options(ort.GraphOptimizationLevel.ORT_DISABLE_ALL), providers=["CPUExecutionProvider"])
    feeds = {}
    names = {i.name for i in graph.initializer}
    for info in graph.input:
        kind = info.type.tensor_type
        if info.name not in names:
            feeds[info.name] = np.ones([d.dim_value for d in kind.shape.dim]).astype(helper.tensor_dtype_to_np_dtype(kind.elem_type))
    known = {info.name: (info.type.tensor_type.elem_type, list(feeds[info.name].shape)) for info in graph.input if info.name in feeds}
    for weight in graph.initializer:
        known[weight.name] = (weight.data_type, list(weight.dims))
    sizes = {}
    for out, got in zip(session.get_outputs(), session.run(None, feeds)):
        if isinstance(got, list):
            sizes[out.name] = [x.nbytes for x in got]
        else:
            elem = {"tensor(uint2)": T.UINT2, "tensor(int2)": T.INT2, "tensor(int4)": T.INT4, "tensor(uint4)": T.UINT4}.get(out.type)
            known[out.name] = (elem or helper.np_dtype_to_tensor_dtype(np.asarray(got).dtype), list(np.asarray(got).shape))
    sizes.update({name: size(*what) for name, what in known.items()})
    return known, sizes

def case(kind, name, model, values=None, symbols=None, folding="fold", runs=True, tight=None):
    """tight: whether the bound is what the runtime takes; it is measured unless this is None."""
    constants.clear()
    constants.update({w.name: w for w in model.graph.initializer})
    values = values or {}
    original = model.SerializeToString()
    opset = next(s.version for s in model.opset_import if not s.domain)
    known, sizes = measure(model, values, runs)
    graph = model.graph
    nodes = list(graph.node)
    made_before, is_sorted = {i.name for i in graph.input} | {i.name for i in graph.initializer}, True
    for n in nodes:
        is_sorted &= all(x in made_before for x in reads(n))
        made_before.update(n.output)
    if not is_sorted:
        place = {name: at for at, name in enumerate(order_of_run(model))}
        assert len(place) == len(nodes)
        nodes.sort(key=lambda n: place[n.output[0]])
    results = {o.name for o in graph.output}
    inputs = [i.name for i in graph.input if i.name not in {w.name for w in graph.initializer}]
    # Since IR version 4, an initializer among the inputs is a default.
    listed = {i.name for i in graph.input} if model.ir_version >= 4 else set()
    fixed = {w.name for w in graph.initializer} - listed
    folded, steps = [], []
    for n in nodes:
        if n.op_type == "Constant":
            fixed.update(n.output)
        elif folding == "fold" and n.input and all(x in fixed for x in reads(n)) and n.op_type not in RANDOM and not bodies(n):
            fixed.update(n.output)
            folded.append(n)
        else:
            steps.append(n)
    produced = {o for n in steps for o in n.output if o}
    life, root = {x: [0, 0] for x in inputs}, {}
    # The tensors of a sequence. The runtime copies what goes into one; what stays is in both.
    parts = {}
    for at, n in enumerate(steps):
        for out in n.output:
            if out and n.op_type in VIEWS and n.input[0] not in (fixed - produced):
                root[out] = root.get(n.input[0], n.input[0])
            elif out and isinstance(sizes[out], list):
                place = lambda k: int(numpy_helper.to_array(constants[n.input[k]])) if len(n.input) > k else None
                mine = list(parts[n.input[0]]) if n.op_type in ("SequenceInsert", "SequenceErase") else []
                added = [(f"{out}[{k}]", bytes_of) for k, bytes_of in enumerate(sizes[out])]
                if n.op_type == "SequenceInsert":
                    added = [(f"{out}[]", sizes[n.input[1]])]
                    mine.insert(len(mine) if place(2) is None else place(2), added[0][0])
                elif n.op_type == "SequenceErase":
                    added = []
                    mine.pop(-1 if place(1) is None else place(1))
                else:
                    mine = [part for part, _ in added]
                parts[out] = mine
                sizes.update(added)
                life.update({part: [at, at] for part, _ in added})
            elif out:
                life[out] = [at, at]
        for x in reads(n) + list(n.output):
            for part in parts.get(x, [root.get(x, x)]):
                if part in life:
                    life[part][1] = at
    last = len(steps) - 1
    returned = [x for x in inputs if x in results]
    last += len(returned)
    for out in results:
        for part in parts.get(out, [root.get(out, out)]):
            if part in life:
                life[part][1] = last
    extra = [scratch(n, known, opset) if bodies(n) else 0 for n in steps] + [0] * len(returned)
    # The weights that steps read are none of these bytes.
    bound = max(extra[at] + sum(sizes[x] for x, (a, b) in life.items() if a <= at <= b) for at in range(last + 1))
    read = {x for n in steps for x in reads(n)}
    weights = sorted(o for n in folded for o in n.output if o in read)
    if weights:
        done = saved_by_runtime(model, ort.GraphOptimizationLevel.ORT_ENABLE_BASIC)
        there = [(w.data_type, list(w.dims)) for w in done.graph.initializer] + [known[x] for n in folded if n.op_type == "DequantizeLinear" for x in n.output]
        held = any(n.op_type == "DequantizeLinear" for n in folded)
        if not any(n.op_type == "DequantizeLinear" for n in folded):
            assert {o for n in folded for o in n.output}.isdisjoint(o for n in done.graph.node for o in n.output), name
        assert all(known[w] in there or held and known[w][1] in [s for _, s in there] for w in weights), (name, [known[w] for w in weights], there)
    cases.append({"kind": kind, "name": name, "model": base64.b64encode(original).decode(), "symbols": symbols or {}, "constants": folding,
                  "bound": bound, "nodes": len(steps) + len(returned), "weights": weights})
    if tight is not None:
        cases[-1].update(taken=taken(onnx.load_from_string(original)), tight=tight)

if sys.argv[1:2] == ["--taken"]:
    sys.exit(run_alone(sys.argv[2]))

def model(nodes, inputs, outputs, inits=(), opset=17, ir=8):
    graph = helper.make_graph(nodes, "g", inputs, [onnx.ValueInfoProto(name=o) for o in outputs], list(inits))
    sets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=sets, ir_version=ir)

W = lambda *shape: np.full(shape, 0.5, np.float32)
Q8 = lambda *shape: np.full(shape, 5, np.int8)
def dq(name): return node("DequantizeLinear", f"{name}_q s z", name)
SZ = [init("s", np.float32(0.1)), init("z", np.int8(0))]

# Tensors made of weights alone.
x = value("x", F, [1, 8, 16, 16])
case("fold", "dequantized weight", model([dq("w"), node("Conv", "x w", "y")], [x], ["y"], [init("w_q", Q8(16, 8, 3, 3)), *SZ]))
case("fold", "two dequantized weights", model([dq("w"), dq("v"), node("Conv", "x w", "a"), node("Relu", "a", "b"), node("Conv", "b v", "y")], [x], ["y"], [init("w_q", Q8(16, 8, 3, 3)), init("v_q", Q8(4, 16, 1, 1)), *SZ]))
case("fold", "kept", model([dq("w"), node("Conv", "x w", "y")], [x], ["y"], [init("w_q", Q8(16, 8, 3, 3)), *SZ]), folding="keep")
case("fold", "transposed weight", model([node("Transpose", "w", "t", perm=[1, 0]), node("MatMul", "m t", "y")], [value("m", F, [4, 32])], ["y"], [init("w", W(64, 32))]))
case("fold", "dequantized and transposed", model([dq("w"), node("Transpose", "w", "t", perm=[1, 0]), node("MatMul", "m t", "y")], [value("m", F, [4, 32])], ["y"], [init("w_q", Q8(64, 32)), *SZ]))
case("fold", "chain", model([node("Add", "w v", "a"), node("Mul", "a v", "b"), node("Relu", "b", "c"), node("MatMul", "m c", "y")], [value("m", F, [4, 32])], ["y"], [init("w", W(32, 64)), init("v", W(32, 64))]))
case("fold", "constant nodes", model([node("Constant", "", "k", value=init("", W(32, 8))), node("Neg", "k", "n"), node("MatMul", "m n", "y")], [value("m", F, [4, 32])], ["y"]))
case("fold", "constant of shape and range", model([node("ConstantOfShape", "sh", "zero"), node("Range", "r0 r1 r2", "r"), node("Cast", "r", "rf", to=F), node("Add", "zero rf", "k"), node("Add", "m k", "y")], [value("m", F, [4, 32])], ["y"], [init("sh", np.array([4, 32])), init("r0", np.int64(0)), init("r1", np.int64(32)), init("r2", np.int64(1))]))
case("fold", "output of weights alone", model([node("Add", "w v", "k"), node("Neg", "k", "n"), node("Mul", "m n", "y")], [value("m", F, [4, 32])], ["y", "k"], [init("w", W(4, 32)), init("v", W(4, 32))]))
case("fold", "random numbers stay", model([node("RandomNormalLike", "w", "r"), node("Add", "m r", "y")], [value("m", F, [4, 32])], ["y"], [init("w", W(4, 32))]))
case("fold", "default of an input is no weight", model([node("Neg", "w", "n"), node("Add", "m n", "y")], [value("m", F, [4, 32]), value("w", F, [4, 32])], ["y"], [init("w", W(4, 32))]))
case("fold", "before version 4 it is", model([node("Neg", "w", "n"), node("Add", "m n", "y")], [value("m", F, [4, 32]), value("w", F, [4, 32])], ["y"], [init("w", W(4, 32))], ir=3))
case("fold", "quantized and dequantized", model([node("QuantizeLinear", "w s z", "w_q"), node("DequantizeLinear", "w_q s z", "v"), node("Conv", "x v", "y")], [x], ["y"], [init("w", W(16, 8, 3, 3)), *SZ]))
case("fold", "split weight", model([node("Split", "w", "a b c", axis=1), node("MatMul", "m a", "q"), node("MatMul", "m b", "k"), node("MatMul", "m c", "v"), node("Add", "q k", "t"), node("Add", "t v", "y")], [value("m", F, [4, 32])], ["y"], [init("w", W(32, 96))]))
case("fold", "gathered rows", model([node("Gather", "w i", "rows"), node("Add", "m rows", "y")], [value("m", F, [4, 32])], ["y"], [init("w", W(100, 32)), init("i", np.array([3, 1, 4, 1]))]))

# Graphs inside nodes.
def branch(name, nodes, out, inits=()): return helper.make_graph(nodes, name, [], [onnx.ValueInfoProto(name=out)], list(inits))
def typed(graph, elem, shape):
    for o in graph.output: o.CopyFrom(value(o.name, elem, shape))
    return graph
S = [1, 3, 64, 64]
def if_model(then, other, more=(), cond=True, shape=S):
    nodes = [node("Sigmoid", "x", "a"), *more, node("If", "big", "y0", then_branch=typed(then, F, shape), else_branch=typed(other, F, shape)), node("Tanh", "y0", "y")]
    return model(nodes, [value("x", F, S)] + ([value("big", B, [])] if cond else []), ["y"])
one = branch("e", [node("Neg", "a", "e1")], "e1")
case("body", "if, two steps", if_model(branch("t", [node("Relu", "a", "t1"), node("Exp", "t1", "t2")], "t2"), one))
case("body", "if, four steps", if_model(branch("t", [node("Relu", "a", "t1"), node("Exp", "t1", "t2"), node("Add", "t1 t2", "t3"), node("Mul", "t3 a", "t4")], "t4"), one))
case("body", "if, larger else", if_model(one, branch("f", [node("Concat", "a a", "f1", axis=1), node("Exp", "f1", "f2"), node("Slice", "f2 b0 b1 b2", "f3")], "f3", [init("b0", np.array([0])), init("b1", np.array([3])), init("b2", np.array([1]))])))
case("body", "if, views", if_model(branch("t", [node("Reshape", "a sh", "t1"), node("Relu", "t1", "t2"), node("Reshape", "t2 s2", "t3")], "t3", [init("sh", np.array([1, -1])), init("s2", np.array(S))]), one))
inner = typed(branch("i", [node("Exp", "t1", "i1"), node("Neg", "i1", "i2")], "i2"), F, S)
case("body", "if in if", if_model(branch("t", [node("Relu", "a", "t1"), node("If", "big", "t2", then_branch=inner, else_branch=typed(branch("j", [node("Neg", "t1", "j1")], "j1"), F, S))], "t2"), one))
case("body", "if reads later what is before", if_model(branch("t", [node("Relu", "a", "t1"), node("Add", "t1 x", "t2")], "t2"), one, [node("Exp", "a", "unused_path"), node("Neg", "unused_path", "gone")]))
case("body", "if with weights", if_model(branch("t", [node("Add", "a k", "t1"), node("Exp", "t1", "t2")], "t2", [init("k", W(1, 3, 1, 1))]), one))
late = [node("Concat", "a a a", "b1", axis=1), node("Exp", "b1", "b2"), node("ReduceMean", "b2", "b3", axes=[1, 2, 3])]
case("body", "if, output made late", if_model(branch("t", [*late, node("Add", "b3 a", "t4")], "t4"), one))
case("body", "if, output made in between", if_model(branch("t", [node("Relu", "a", "t4"), *late], "t4"), one))
case("body", "if, nothing but its output", if_model(branch("t", [node("Relu", "a", "t4")], "t4"), one))
def pair(a, b, name): return helper.make_graph([node("Identity", "a", a), *late, node("Add", "b3 a", b)], name, [], [value(a, F, S), value(b, F, S)])
case("body", "if, output from outside", model([node("Sigmoid", "x", "a"), node("If", "big", "p q", then_branch=pair("p1", "q1", "t"), else_branch=pair("p2", "q2", "e")), node("Add", "p q", "y")], [value("x", F, S), value("big", B, [])], ["y"]))
def loop(body_nodes, outs, states, inits=(), trip=5, scans=(), size=(4, 256)):
    graph = helper.make_graph(body_nodes, "body", [value("i", I, []), value("c", B, [])] + [value(s, F, list(size)) for s in states], [value("c_out", B, [])] + [value(o, F, list(size)) for o in outs], list(inits))
    main = node("Loop", "trip go " + " ".join(f"{s}0" for s in states), " ".join([f"{s}_end" for s in states] + list(scans)), body=graph)
    outputs = [f"y_{s}" for s in states] + list(scans)
    return model([node("Relu", "x", "x1")] + [node("Neg", "x1", f"{s}0") for s in states] + [main] + [node("Exp", f"{s}_end", f"y_{s}") for s in states],
                 [value("x", F, list(size))], outputs, [init("trip", np.int64(trip)), init("go", np.array(True))])
case("body", "loop with a state", loop([node("Identity", "c", "c_out"), node("Add", "v v", "v1"), node("Relu", "v1", "v2")], ["v2"], ["v"]))
case("body", "loop, three steps", loop([node("Identity", "c", "c_out"), node("Add", "v x1", "v1"), node("Exp", "v1", "v2"), node("Mul", "v2 v1", "v3")], ["v3"], ["v"]))
case("body", "loop with two states", loop([node("Identity", "c", "c_out"), node("Add", "v u", "v1"), node("Exp", "v1", "u1")], ["v1", "u1"], ["v", "u"]))
case("body", "loop with slices", loop([node("Identity", "c", "c_out"), node("Add", "v x1", "v1"), node("Exp", "v1", "sl")], ["v1", "sl"], ["v"], scans=["all"]))
case("body", "loop with a condition", loop([node("ReduceSum", "v ax", "sum", keepdims=0), node("Less", "sum lim", "c_out"), node("Add", "v v", "v1")], ["v1"], ["v"], [init("ax", np.array([0, 1])), init("lim", np.float32(1e9))]))
big = [node("Identity", "c", "c_out"), node("Concat", "v v v", "b1", axis=0), node("Exp", "b1", "b2"), node("ReduceMean", "b2", "b3", axes=[0])]
for trip in (1, 3):
    case("body", f"loop of {trip}, state made late", loop([*big, node("Add", "b3 x1", "v1")], ["v1"], ["v"], trip=trip))
    case("body", f"loop of {trip}, slice made late", loop([*big, node("Add", "b3 v", "v1"), node("Add", "v1 x1", "sl")], ["v1", "sl"], ["v"], scans=["all"], trip=trip))
    case("body", f"loop of {trip}, state handed on", loop([*big, node("Add", "b3 v", "v1"), node("Identity", "u", "u1")], ["v1", "u1"], ["v", "u"], trip=trip))
def scan(nodes, outs, out_sizes, states=1):
    graph = helper.make_graph(nodes, "body", [value("h", F, [1, 64]), value("xt", F, [1, 32])], [value(o, F, s) for o, s in zip(outs, out_sizes)], [])
    main = node("Scan", "h0 seq", "h_end ys", body=graph, num_scan_inputs=1)
    return model([node("Relu", "x", "seq"), main, node("Tanh", "ys", "y")], [value("x", F, [10, 1, 32]), value("h0", F, [1, 64])], ["y", "h_end"], [init("wx", W(32, 64)), init("wh", W(64, 64))])
case("body", "scan, recurrent layer", scan([node("MatMul", "xt wx", "p"), node("MatMul", "h wh", "q"), node("Add", "p q", "r"), node("Tanh", "r", "h1"), node("Identity", "h1", "o")], ["h1", "o"], [[1, 64], [1, 64]]))
case("body", "scan, two results", scan([node("MatMul", "xt wx", "p"), node("MatMul", "h wh", "q"), node("Add", "p q", "h1"), node("Tanh", "h1", "o")], ["h1", "o"], [[1, 64], [1, 64]]))

# Nodes in any order.
for seed in range(12):
    draw = np.random.default_rng(seed)
    names, nodes = ["x"], []
    for at in range(int(draw.integers(5, 14))):
        picked = [names[int(k)] for k in draw.integers(0, len(names), int(draw.integers(1, 3)))]
        nodes.append(node("Add" if len(picked) == 2 else ["Relu", "Exp", "Neg"][int(draw.integers(3))], " ".join(picked), f"t{at}"))
        names.append(f"t{at}")
    ends = [n for n in names[1:] if not any(n in m.input for m in nodes)]
    order = draw.permutation(len(nodes))
    case("unsorted", f"drawn {seed}", model([nodes[int(k)] for k in order], [value("x", F, [1, 256])], ends))

# Symbols, and extents that are unknown in other ways.
def net(shape): return model([node("Conv", "x w", "a", pads=[1, 1, 1, 1]), node("Relu", "a", "b"), node("Conv", "b v", "y")], [value("x", F, shape)], ["y"], [init("w", W(16, 3, 3, 3)), init("v", W(8, 16, 1, 1))])
case("symbols", "question marks", net(["?", 3, "?", "?"]), {"?": 7}, {"x_0": 7, "x_2": 7, "x_3": 7})
case("symbols", "no names", net([None, 3, None, None]), {"": 6}, {"x_0": 6, "x_2": 6, "x_3": 6})
case("symbols", "zero", net([0, 3, 24, 24]), {"": 5}, {"x_0": 5})
case("symbols", "minus one", net([-1, 3, 24, -1]), {"": 9}, {"x_0": 9, "x_3": 9})
case("symbols", "none", net(["None", 3, "None", 12]), {"None": 4}, {"x_0": 4, "x_2": 4})
case("symbols", "names", net(["batch", 3, "h", "h"]), {"batch": 4, "h": 10}, {"batch": 4, "h": 10})
case("symbols", "zeros in two axes", net([0, 3, 0, 20]), {"": 8}, {"x_0": 8, "x_2": 8})

# Inputs and weights that are outputs.
def odd(outputs, extra=()): return model([node("Relu", "x", "a"), node("Relu", "a", "b"), node("Min", "b hi", "c"), node("Add", "c c", "y"), *extra], [value("x", F, [1, 256]), value("z", F, [1, 64])], outputs, [init("hi", np.float32(6)), init("w", W(1, 64))])
for name, outputs in {"input": ["y", "x"], "weight": ["y", "hi"], "both": ["y", "x", "hi"], "first": ["x", "y"], "two inputs": ["y", "z", "x"], "unread input": ["y", "z"], "middle": ["b", "y"], "view": ["y", "r"], "view of an input": ["y", "rx"], "all": ["y", "x", "a", "b", "hi"]}.items():
    case("outputs", name, odd(outputs, [node("Identity", "a", "r"), node("Identity", "x", "rx")] if "view" in name else []))

# Types of less than a byte.
for elem, name in ((T.INT4, "int4"), (T.UINT4, "uint4"), (T.INT2, "int2"), (T.UINT2, "uint2")):
    for length in (1000, 1001, 7):
        try:
            case("bits", f"{name} of {length}", model([node("Cast", "x", "q", to=elem), node("Cast", "q", "y", to=F)], [value("x", F, [1, length])], ["y"], opset=25, ir=13), runs=False)
        except Exception as error:
            print("left out:", name, length, str(error)[:120])

# Sequences of a fixed length.
s0 = [value("x", F, [2, 64]), value("z", F, [3, 64])]
at = lambda k: init(f"k{k}", np.int64(k))
case("sequence", "construct and at", model([node("SequenceConstruct", "x z", "s"), node("SequenceAt", "s k1", "y")], s0, ["y"], [at(1)]))
case("sequence", "construct and concat", model([node("Relu", "x", "a"), node("SequenceConstruct", "a z x", "s"), node("ConcatFromSequence", "s", "y", axis=0)], s0, ["y"]))
case("sequence", "split and concat", model([node("SplitToSequence", "x n", "s", axis=1), node("ConcatFromSequence", "s", "y", axis=0)], s0, ["y"], [init("n", np.int64(16))]))
case("sequence", "uneven split", model([node("SplitToSequence", "x n", "s", axis=1), node("SequenceAt", "s k1", "y")], s0, ["y"], [init("n", np.array([20, 44])), at(1)]))
case("sequence", "split into rows", model([node("SplitToSequence", "x", "s", axis=0, keepdims=0), node("ConcatFromSequence", "s", "y", axis=0, new_axis=1)], s0, ["y"]))
case("sequence", "insert", model([node("SequenceConstruct", "x z", "s"), node("SequenceInsert", "s x k0", "t"), node("ConcatFromSequence", "t", "y", axis=0)], s0, ["y"], [at(0)]))
case("sequence", "erase", model([node("SequenceConstruct", "x z x", "s"), node("SequenceErase", "s k1", "t"), node("ConcatFromSequence", "t", "y", axis=0)], s0, ["y"], [at(1)]))
case("sequence", "empty and insert", model([node("SequenceEmpty", "", "s", dtype=F), node("SequenceInsert", "s x", "t"), node("SequenceInsert", "t z", "u"), node("SequenceAt", "u k0", "y")], s0, ["y"], [at(0)]))
def chain(*last, outputs=("y",)): return model([node("SequenceConstruct", "x z", "s"), node("Relu", "x", "a"), node("SequenceInsert", "s a", "t"), node("Relu", "z", "b"), node("SequenceInsert", "t b k0", "u"), *last], s0, list(outputs), [at(0), at(1)])
case("sequence", "two inserts", chain(node("SequenceAt", "u k1", "y")))
case("sequence", "inserts, the first sequence again", chain(node("SequenceAt", "u k1", "c"), node("SequenceAt", "s k1", "d"), node("Concat", "c d", "y", axis=0)))
case("sequence", "insert and erase", chain(node("SequenceErase", "u k1", "v"), node("ConcatFromSequence", "v", "c", axis=0), node("Relu", "c", "y")))
case("sequence", "erase, the rest is let go", model([node("SequenceConstruct", "x z z", "s"), node("SequenceErase", "s", "t"), node("SequenceErase", "t k1", "u"), node("Concat", "x x x", "c", axis=0), node("Relu", "c", "d"), node("SequenceAt", "u k0", "e"), node("Add", "e x", "y")], s0, ["y", "d"], [at(0), at(1)]))
case("sequence", "length", model([node("SequenceConstruct", "x z", "s"), node("SequenceLength", "s", "n"), node("Neg", "n", "y")], s0, ["y"]))
case("sequence", "symbolic", model([node("SequenceConstruct", "x x", "s"), node("ConcatFromSequence", "s", "y", axis=0)], [value("x", F, ["n", 64])], ["y"]), {"n": 9}, {"n": 9})

# What the runtime takes. Every large tensor has 16 MiB.
L = [4096, 1024]
sh = [init("sh", np.array(L)), init("half", np.array([2048, 1024])), init("one", np.int64(1)), init("three", np.int64(3))]
xr = [value("x", F, [1, 1024])]
def large(start, out): return [node("Expand", f"{start} sh", "g1"), node("Exp", "g1", "g2"), node("ReduceMean", "g2", "g3"), node("Expand", "g3 sh", out)]
end = node("ReduceSum", "z ", "y", keepdims=0)
case("taken", "flat", model([node("Relu", "x", "a"), *large("a", "z"), end], xr, ["y"], sh), tight=True)
case("taken", "if", model([node("Relu", "x", "a"), node("If", "c", "z", then_branch=branch("t", large("a", "t"), "t"), else_branch=branch("e", [node("Expand", "a sh", "e")], "e")), end], [*xr, value("c", B, [])], ["y"], sh), tight=True)
def turns(trip): return helper.make_node("Loop", [trip, "", "a"], ["f", "z"], name="n_f", body=helper.make_graph([node("Identity", "c", "co"), node("Expand", "s sh", "g1"), node("ReduceMean", "g1", "ns"), node("Expand", "ns half", "sl")], "b", [value("i", I, []), value("c", B, []), value("s", F, [1, 1])], [value("co", B, []), value("ns", F, [1, 1]), value("sl", F, [2048, 1024])]))
for trip, tight in (("one", True), ("three", False)):
    case("taken", f"loop of {trip}", model([node("Relu", "x", "a"), turns(trip), end], [value("x", F, [1, 1])], ["y", "f"], sh), tight=tight)
links = [n for k in range(1, 5) for n in (node("Expand", "a sh", f"b{k}"), node("SequenceInsert", f"s{k - 1} b{k}", f"s{k}"))]
case("taken", "inserts", model([node("Relu", "x", "a"), node("Expand", "a sh", "b0"), node("SequenceConstruct", "b0", "s0"), *links, node("SequenceAt", "s4 one", "z"), end], xr, ["y"], sh), tight=True)
case("taken", "split", model([node("Relu", "x", "a"), node("Expand", "a sh", "b"), node("SplitToSequence", "b rows", "s", axis=0), node("SequenceAt", "s one", "z"), end], xr, ["y"], [*sh, init("rows", np.int64(1024))]), tight=True)

# nn.TransformerEncoder of PyTorch 2.15.0 (one layer of width 8), exported through TorchScript: the end of a slice is a remainder.
case("exported", "transformer encoder", onnx.load_from_string(gzip.open(Path(__file__).parent / "encoder.onnx.gz").read()))

if __name__ == "__main__":
    here = Path(__file__).parent
    lines = "".join(json.dumps(entry) + "\n" for entry in cases)
    with open(sys.argv[1] if len(sys.argv) > 1 else here / "bounds.jsonl.gz", "wb") as out:
        out.write(gzip.compress(lines.encode(), 9, mtime=0))
    kinds = [entry["kind"] for entry in cases]
    print(len(cases), {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)})
