"""Models of torch, against the files that torch.export writes and against what Inductor does."""

import io
import pickle

import pytest

import memplan

torch = pytest.importorskip("torch", reason="torch is not installed")
export = pytest.importorskip("torch.export", reason="this torch has no torch.export")
nn = torch.nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1)
        self.norm, self.last = nn.BatchNorm2d(8), nn.Linear(8 * 8 * 8, 10)

    def forward(self, x):
        y = torch.relu(self.norm(self.first(x)))
        y = y + torch.relu(self.second(y))
        return self.last(nn.functional.max_pool2d(y, 2).flatten(1))


class Flow(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(64, 64)

    def forward(self, x):
        x = torch.relu(self.inner(x))
        return x * 2 if x.sum() > 0 else x - 1


X = torch.randn(4, 3, 16, 16)


def buffers(plan):
    return [(b.name, b.size, b.start, b.end) for b in plan.buffers]


def test_a_module_is_planned_as_the_file_that_torch_writes(tmp_path):
    model = Net().eval()
    program = export.export(model, (X,))
    path = tmp_path / "net.pt2"
    export.save(program, path)
    of_file = memplan.plan(path)
    for plan in (memplan.plan(model, args=(X,)), memplan.plan(program), memplan.plan(model, args=X)):
        assert buffers(plan) == buffers(of_file) and plan.peak == of_file.peak
    assert memplan.plan(model, args=(X,)).graph == "Net"
    assert memplan.plan(model, args=(X,), name="网").graph == "网"


def test_weights_are_neither_copied_nor_changed():
    with torch.device("meta"):
        huge = nn.Sequential(nn.Linear(200_000, 200_000), nn.ReLU(), nn.Linear(200_000, 10))
        x = torch.randn(4, 200_000)
    assert memplan.plan(huge, args=(x,)).bound == 2 * 4 * 200_000 * 4
    model = Net().train()
    before = pickle.dumps(model.state_dict())
    memplan.plan(model, args=(X,))
    memplan.plan(model, args=(X,), training=True, loss=lambda y: y.square().mean())
    assert pickle.dumps(model.state_dict()) == before and model.first.weight.grad is None
    program = export.export(model.eval(), (X,))
    memplan.plan(program)
    export.save(program, io.BytesIO())
    assert program.state_dict["first.weight"] is model.first.weight


def test_open_extents_become_symbols():
    batch = export.Dim("batch", min=2, max=64)
    given = dict(args=(X,), dynamic_shapes=({0: batch},))
    plan = memplan.plan(Net().eval(), **given)
    symbol = next(note for note in plan.notes if "symbol" in note).split(": ")[2].split(" =")[0]
    assert memplan.plan(Net().eval(), symbol={symbol: 8}, **given).peak == 2 * plan.peak


def test_training_takes_extents_that_change():
    model, batch = Net(), export.Dim("batch", min=2, max=64)
    given = dict(args=(X,), dynamic_shapes=({0: batch},))
    step = dict(training=True, loss=lambda y: y.square().mean())
    changing = memplan.plan(model, **given, **step)
    fixed = memplan.plan(model, args=(X,), **step)
    assert changing.peak == fixed.peak
    symbol = next(note for note in changing.notes if "Value of the symbol" in note).split("symbol: ")[1].split(" ")[0]
    assert memplan.plan(model, **given, **step, symbol={symbol: 8}).peak > 1.9 * fixed.peak


def test_branches_take_the_memory_of_the_larger_one():
    class Branches(nn.Module):
        def forward(self, x):
            def heavy(x):
                return torch.cat([x, x, x, x], 1)[:, :3].clone()

            return torch.cond(x.sum() > 0, heavy, lambda x: x.clone(), (x,))

    plan = memplan.plan(Branches(), args=(X,))
    # The input, a sum, a flag, the result, and four times as much inside.
    assert plan.bound >= 6 * X.nbytes and not any("Not planned" in note for note in plan.notes)


def test_training_plans_both_passes():
    pytest.importorskip("torch.export.experimental")
    model, loss = Net().train(), lambda output: output.square().mean()
    forward = memplan.plan(model, args=(X,))
    plan = memplan.plan(model, args=(X,), training=True, loss=loss)
    assert plan.steps > 2 * forward.steps and plan.peak > forward.peak and plan.graph == "Net_train"
    outputs = [b.size for b in plan.buffers if b.kind == "output"]
    gradients = [4 * parameter.numel() for parameter in model.parameters()]
    assert all(outputs.count(size) >= gradients.count(size) for size in gradients), "each gradient is handed out"
    at_end = plan.at(plan.steps - 1).buffers
    assert sorted(b.size for b in at_end if b.role == "gradient") == sorted(gradients)
    assert "activation" in {b.role for b in plan.at().buffers} and forward.at().buffers[0].role is None

    class Whole(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = Net()

        def forward(self, x):
            return loss(self.net(x))

    assert memplan.plan(Whole().train(), args=(X,), training=True).peak == plan.peak


def test_functions_and_compiled_models():
    assert memplan.plan(lambda a, b: (a @ b).relu(), args=(torch.randn(8, 8), torch.randn(8, 8))).bound >= 256
    model = Net().eval()
    assert memplan.plan(torch.compile(model), args=(X,)).peak == memplan.plan(model, args=(X,)).peak


def test_refusals_are_sentences(refused, capfd):
    model = Net().eval()
    assert "args=(" in str(refused(memplan.plan, model))
    assert "torch.cond" in str(refused(memplan.plan, Flow(), args=(torch.randn(2, 64),)))
    assert "Check that args" in str(refused(memplan.plan, model, args=(torch.randn(3, 3),)))
    assert "needs a loss" in str(refused(memplan.plan, model, args=(X,), training=True))
    assert "training=True" in str(refused(memplan.plan, model, args=(X,), loss=torch.sum))
    assert "shapes" in str(refused(memplan.plan, torch.jit.trace(model, X), args=(X,)))
    assert "Traceback" not in capfd.readouterr().err


def test_a_private_function_that_is_gone(monkeypatch, refused):
    experimental = pytest.importorskip("torch.export.experimental")
    monkeypatch.delattr(experimental, "_export_forward_backward", raising=False)
    words = str(refused(memplan.plan, Net(), args=(X,), training=True, loss=torch.sum))
    assert "_export_forward_backward" in words and "leave training out" in words


def test_executorch_programs():
    exir = pytest.importorskip("executorch.exir", reason="executorch is not installed")
    net = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 8)).eval()
    edge = exir.to_edge(export.export(net, (torch.randn(4, 64),)))
    assert memplan.plan(edge).bound > 0
    manager = edge.to_executorch()
    plan = memplan.plan(manager, "imported")
    assert plan.peak == sum(manager.executorch_program.execution_plan[0].non_const_buffer_sizes) and plan.check()
    assert memplan.plan(manager.buffer, "imported").peak == plan.peak
    assert memplan.plan(memplan.write(manager, "best-fit").model, "imported").check()


@pytest.fixture(scope="module")
def compiler():
    pytest.importorskip("torch._inductor", reason="this torch has no Inductor")
    try:
        torch.compile(lambda x: x.sin() + 1)(torch.randn(8))
    except Exception as error:
        pytest.skip(f"torch.compile does not work here: {type(error).__name__}")


def mixer(x):
    y = torch.softmax(x @ x.transpose(0, 1), -1)
    return (y @ x).sigmoid() + x.cos()


def test_the_plan_of_inductor(compiler):
    x = torch.randn(64, 128)
    (found,) = memplan.inductor(mixer, (x,))
    assert found.plan.check() and found.graph["format"] == "memory-graph/1" and found.name == "mixer"
    again = memplan.plan(found, "inductor-reuse")
    assert (again.need, len(again.pools)) == (found.plan.need, len(found.plan.pools)), "ours is that of this torch"
    (pooled,) = memplan.inductor(mixer, (x,), memory_planning=True)
    assert pooled.plan.check() and memplan.plan(pooled, "inductor-tree").peak == pooled.plan.peak
    assert memplan.compare(found, ["inductor-reuse", "best"])["best"].need <= found.plan.need


def test_parts_and_the_backward_pass_are_graphs_of_their_own(compiler):
    assert len(memplan.inductor(Flow(), (torch.randn(4, 64),))) == 2
    forward, backward = memplan.inductor(Flow().inner, (torch.randn(4, 64),), backward=True)
    assert (forward.name, backward.name) == ("Linear", "Linear-2") and backward.plan.check()


def test_inductor_refuses_with_a_sentence(compiler, refused, monkeypatch):
    def boom(x):
        raise ValueError("boom")

    assert "boom" in str(refused(memplan.inductor, boom, (X,)))
    assert "compiled nothing" in str(refused(memplan.inductor, lambda x: x, (X,)))
    import torch._inductor.codegen.wrapper as wrapper

    monkeypatch.delattr(wrapper, "ReuseLine")
    assert "tested with torch" in str(refused(memplan.inductor, mixer, (X,)))


class Normed(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.last = nn.Linear(64, 128), nn.LayerNorm(128), nn.Linear(128, 64)

    def forward(self, x):
        return self.last(nn.functional.gelu(self.norm(self.first(x))))


def test_storages_that_are_taken_over_twice_in_a_row(compiler):
    (found,) = memplan.inductor(Normed(), (torch.randn(32, 64),), memory_planning=True)
    assert found.plan.check() and memplan.plan(found, "inductor-tree").peak == found.plan.peak
