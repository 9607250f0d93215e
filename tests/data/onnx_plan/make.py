#!/usr/bin/env python3
"""Writes models, and what onnxsim makes of them: NAME.onnx and NAME.annotated.onnx.

Needs onnx 1.23.2 and onnxsim 0.8.1. `overlap_written.annotated.onnx` is `reshape_again` with entries changed by hand, so that a
result lies on bytes that are read later.
"""
from pathlib import Path

import onnx
from onnx import TensorProto as T, helper as h
from onnxsim.memory_planning import annotate_memory_plan, plan_activation_memory

here = Path(__file__).resolve().parent
N = h.make_node


def tensor(name, *shape, kind=T.FLOAT):
    return h.make_tensor_value_info(name, kind, shape)


def numbers(name, *values):
    return h.make_tensor(name, T.INT64, [len(values)], values)


def save(name, nodes, inputs, outputs, weights=(), functions=(), infos=()):
    graph = h.make_graph(nodes, name, inputs, outputs, list(weights), value_info=list(infos))
    opsets = [h.make_opsetid("", 18), h.make_opsetid("own", 1)]
    model = h.make_model(graph, opset_imports=opsets, ir_version=10, functions=list(functions))
    onnx.checker.check_model(model)
    onnx.save(model, here / f"{name}.onnx")
    annotated = annotate_memory_plan(model)
    onnx.save(annotated, here / f"{name}.annotated.onnx")
    print(name, plan_activation_memory(model).arena_bytes)
    return annotated


# What a view shows is read again through its source.
save("view_again", [N("Sin", ["x"], ["a"]), N("Identity", ["a"], ["b"]), N("Cos", ["b"], ["c"]), N("Add", ["a", "c"], ["d"]),
                    N("Sin", ["d"], ["y"])], [tensor("x", 4)], [tensor("y", 4)])
again = [N("Sin", ["x"], ["a"]), N("Reshape", ["a", "s"], ["b"]), N("Cos", ["b"], ["c"]), N("Sin", ["a"], ["e"]),
         N("Reshape", ["e", "s"], ["f"]), N("Add", ["f", "c"], ["y"])]
collision = save("reshape_again", again, [tensor("x", 4, 4)], [tensor("y", 16)], [numbers("s", 16)])

# `b` and `c` lie on `a`, which is read once `c` is written.
places = {"x": 0, "a": 64, "b": 64, "c": 64, "e": 128, "f": 128, "y": 0}
for info in [*collision.graph.input, *collision.graph.output, *collision.graph.value_info]:
    for entry in info.metadata_props:
        if entry.key == "onnxsim.mem_offset":
            entry.value = str(places[info.name])
onnx.save(collision, here / "overlap_written.annotated.onnx")

# A view is overwritten before a branch reads its source: the plan of the original is wrong.
then = h.make_graph([N("Sin", ["a"], ["t"])], "then", [], [tensor("t", 64)])
other = h.make_graph([N("Cos", ["a"], ["o"])], "else", [], [tensor("o", 64)])
save("overlap_captured", [N("Sin", ["x"], ["a"]), N("Identity", ["a"], ["b"]), N("Relu", ["b"], ["c"]), N("Cos", ["c"], ["d"]),
                  N("If", ["k"], ["r"], then_branch=then, else_branch=other), N("Add", ["r", "d"], ["y"])],
     [tensor("x", 64), tensor("k", kind=T.BOOL)], [tensor("y", 64)])

# The sum overwrites an operand, which the lower bound counts apart.
save("overwritten", [N("Concat", ["x", "x"], ["a"], axis=0), N("Concat", ["x", "x"], ["b"], axis=0), N("Add", ["a", "b"], ["s"]),
                     N("ReduceMax", ["s"], ["y"])], [tensor("x", 4)], [tensor("y", 1)])

# A sequence whose tensors have known sizes.
save("sequence", [N("SequenceConstruct", ["x", "z"], ["both"]), N("ConcatFromSequence", ["both"], ["c"], axis=0), N("Sin", ["c"], ["y"])],
     [tensor("x", 3, 4), tensor("z", 5, 4)], [tensor("y", 8, 4)])

# What nodes make of weights alone has places, too.
save("constants", [N("Constant", [], ["extents"], value_ints=[8, 4]), N("ConstantOfShape", ["extents"], ["w0"]), N("Exp", ["w0"], ["w"]),
                   N("Constant", [], ["two"], value_float=2.0), N("Mul", ["x", "w"], ["m"]), N("Mul", ["m", "two"], ["y"])],
     [tensor("x", 8, 4)], [tensor("y", 8, 4)])

# The file states no shape inside branches and bodies.
deep = h.make_graph([N("Tanh", ["t2"], ["n1"]), N("MatMul", ["n1", "w"], ["n2"])], "deep", [], [tensor("n2", 8, 32)])
flat = h.make_graph([N("Neg", ["a"], ["m1"])], "flat", [], [tensor("m1", 8, 32)])
then = h.make_graph([N("Relu", ["a"], ["t1"]), N("Exp", ["t1"], ["t2"]), N("If", ["l"], ["nn"], then_branch=deep, else_branch=flat),
                     N("Add", ["nn", "t2"], ["to"])], "then", [], [tensor("to", 8, 32)])
other = h.make_graph([N("Mul", ["a", "x"], ["e1"]), N("Sin", ["e1"], ["e2"]), N("Concat", ["e2", "e1"], ["e3"], axis=1),
                      N("Slice", ["e3", "st", "en", "ax"], ["eo"])], "else", [], [tensor("eo", 8, 32)])
body = h.make_graph([N("Add", ["s", "r"], ["s1"]), N("Cos", ["s1"], ["s2"]), N("Sin", ["s2"], ["s3"]), N("Identity", ["go"], ["on"])],
                    "body", [tensor("i", kind=T.INT64), tensor("go", kind=T.BOOL), tensor("s", 8, 32)],
                    [tensor("on", kind=T.BOOL), tensor("s3", 8, 32)])
scan = h.make_graph([N("Add", ["q", "row"], ["q1"]), N("Cos", ["q1"], ["q2"]), N("Sin", ["q2"], ["q3"])], "scan",
                    [tensor("q", 32), tensor("row", 32)], [tensor("q3", 32), tensor("q2", 32)])
save("branches", [N("MatMul", ["x", "w"], ["a"]), N("If", ["k"], ["r"], then_branch=then, else_branch=other),
                  N("Loop", ["turns", "", "x"], ["f"], body=body), N("Scan", ["z", "f"], ["u", "v"], body=scan, num_scan_inputs=1),
                  N("Add", ["v", "u"], ["y"])],
     [tensor("x", 8, 32), tensor("k", kind=T.BOOL), tensor("l", kind=T.BOOL), tensor("z", 32)], [tensor("y", 8, 32)],
     [h.make_tensor("w", T.FLOAT, [32, 32], [0.5] * 1024), numbers("st", 0), numbers("en", 32), numbers("ax", 1),
      h.make_tensor("turns", T.INT64, [], [3])], infos=[tensor("f", 8, 32)])

# Sequences and optional values, none of which the file describes.
seq = h.make_sequence_type_proto(h.make_tensor_type_proto(T.FLOAT, None))
listed = lambda name: h.make_value_info(name, seq)
then = h.make_graph([N("SequenceInsert", ["made", "x"], ["longer"])], "then", [], [listed("longer")])
other = h.make_graph([N("Identity", ["made"], ["same"])], "else", [], [listed("same")])
body = h.make_graph([N("SequenceInsert", ["s", "x"], ["s1"]), N("Identity", ["go"], ["on"])], "body",
                    [tensor("i", kind=T.INT64), tensor("go", kind=T.BOOL), listed("s")], [tensor("on", kind=T.BOOL), listed("s1")])
each = h.make_graph([N("Relu", ["item"], ["done"])], "each", [tensor("item", 3, 4)], [tensor("done", 3, 4)])
pair = h.make_function("own", "Pair", ["p", "q"], ["both"], [N("SequenceConstruct", ["p", "q"], ["both"])],
                       [h.make_opsetid("", 18)])
save("kinds", [
    N("SequenceConstruct", ["x", "x"], ["made"]), N("ConcatFromSequence", ["made"], ["c0"], axis=0),
    N("If", ["k"], ["chosen"], then_branch=then, else_branch=other), N("ConcatFromSequence", ["chosen"], ["c1"], axis=0),
    N("SequenceEmpty", [], ["none"]), N("Loop", ["turns", "", "none"], ["looped"], body=body),
    N("Identity", ["looped"], ["again"]), N("ConcatFromSequence", ["again"], ["c2"], axis=0),
    N("Optional", ["made"], ["may"]), N("OptionalGetElement", ["may"], ["got"]), N("SequenceAt", ["got", "zero"], ["c3"]),
    N("Optional", ["x"], ["maybe"]), N("OptionalGetElement", ["maybe"], ["value"]), N("Relu", ["value"], ["c4"]),
    N("SplitToSequence", ["x"], ["rows"], axis=0), N("SequenceAt", ["rows", "zero"], ["c5"]),
    N("SequenceErase", ["made", "zero"], ["shorter"]), N("SequenceAt", ["shorter", "zero"], ["c6"]),
    N("SequenceMap", ["made"], ["mapped"], body=each), N("SequenceAt", ["mapped", "zero"], ["c7"]),
    N("Pair", ["x", "x"], ["called"], domain="own"), N("SequenceAt", ["called", "zero"], ["c8"]),
    N("Concat", [f"c{at}" for at in range(9)], ["y"], axis=0)],
    [tensor("x", 3, 4), tensor("k", kind=T.BOOL)], [tensor("y", "n", 4)],
    [h.make_tensor("zero", T.INT64, [], [0]), h.make_tensor("turns", T.INT64, [], [3])], [pair])
