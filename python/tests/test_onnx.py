"""ONNX models in memory, against the same models as files."""

import pytest

import memplan

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
numpy = pytest.importorskip("numpy", reason="numpy is not installed")
helper, to_tensor = onnx.helper, onnx.numpy_helper.from_array


def branch(name, op, inputs, tensors):
    out = helper.make_tensor_value_info(f"{name}_y", onnx.TensorProto.FLOAT, [1, 500])
    return helper.make_graph([helper.make_node(op, inputs, [f"{name}_y"])], name, [], [out], tensors)


def model():
    big = to_tensor(numpy.zeros((8 * 30 * 30, 500), "float32"), "big")
    bias = to_tensor(numpy.zeros((1, 500), "float32"), "bias")
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"]),
        helper.make_node("Relu", ["c"], ["r"]),
        helper.make_node("Constant", [], ["shape"], value=to_tensor(numpy.array([1, -1]))),
        helper.make_node("Reshape", ["r", "shape"], ["f"]),
        helper.make_node("MatMul", ["f", "big"], ["m"]),
        helper.make_node(
            "If",
            ["cond"],
            ["y"],
            then_branch=branch("then", "Add", ["m", "bias"], [bias]),
            else_branch=branch("else", "Neg", ["m"], []),
        ),
    ]
    info = helper.make_tensor_value_info
    inputs = [info("x", onnx.TensorProto.FLOAT, [1, 3, 32, 32]), info("cond", onnx.TensorProto.BOOL, [])]
    weights = [to_tensor(numpy.zeros((8, 3, 3, 3), "float32"), "w"), big]
    graph = helper.make_graph(nodes, "网 net", inputs, [info("y", onnx.TensorProto.FLOAT, [1, 500])], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def test_a_model_in_memory_is_that_of_its_file(tmp_path):
    made = model()
    onnx.checker.check_model(made)
    path = tmp_path / "n.onnx"
    onnx.save(made, path)
    before = made.SerializeToString()
    of_file, plan = memplan.plan(path), memplan.plan(made)
    assert plan.graph == "网 net"
    assert [(b.name, b.size, b.start, b.end) for b in plan.buffers] == [
        (b.name, b.size, b.start, b.end) for b in of_file.buffers
    ]
    assert made.SerializeToString() == before, "the model is not changed"


def test_what_torch_exports_to_onnx():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("onnxscript", reason="onnxscript is not installed")
    net = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4)).eval()
    program = torch.onnx.export(net, (torch.randn(2, 16),), dynamo=True, verbose=False)
    assert memplan.plan(program).peak == memplan.plan(program.model_proto).peak == 2 * (32 + 32) * 4


def test_weights_are_not_written():
    from memplan._onnx import of_model

    assert len(of_model(model(), None).data) < 2000 < model().ByteSize()


def test_weights_count_if_they_are_asked_for():
    made = model()
    weights = (
        memplan.plan(made, "naive", with_="inputs,outputs,weights").unshared - memplan.plan(made, "naive").unshared
    )
    assert weights >= 8 * 30 * 30 * 500 * 4
