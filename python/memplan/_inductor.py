"""The graphs that torch.compile compiles, and the storages that Inductor itself gives their buffers."""

from __future__ import annotations

import contextlib
import tempfile
import types
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from . import _program
from ._capture import Call, refusal
from ._plan import Plan, plan_of
from ._program import Error
from ._run import Run
from ._source import Reading, Scope, Source, dumps

_TESTED = "tested with torch 2.15"


@dataclass(frozen=True)
class InductorGraph:
    """One graph that torch.compile compiled. Give it to ``memplan.plan`` or ``memplan.compare``.

    ``graph`` is memory-graph/1 after fusion, with the operators in the order in which they run. ``plan``
    is what this torch did: a pool for each storage, or the pools of ``memory_planning=True``.
    ``outside`` are the bytes that kernels of libraries allocate themselves, which neither counts.
    """

    name: str
    graph: Dict[str, Any] = field(repr=False)
    plan: Plan
    outside: int

    def __memplan_source__(self) -> Source:
        return Source(data=dumps(self.graph, "The graph"), name=self.name, suffix=".json", is_named=True)


def inductor(
    model: Any,
    args: Any = (),
    kwargs: Optional[Dict[str, Any]] = None,
    *,
    backward: bool = False,
    memory_planning: bool = False,
    name: Optional[str] = None,
    **compile_options: Any,
) -> Tuple[InductorGraph, ...]:
    """Compiles and runs a torch module, and returns every graph with the plan that Inductor made.

    There is one graph, more if the model is split (graph breaks), and one for the backward pass.

    Args:
        model: a ``torch.nn.Module`` or a function of tensors.
        args, kwargs: what it is called with.
        backward: also run the backward pass of the sum of the outputs, so that it is compiled, too.
        memory_planning: whether Inductor plans pools (``torch._inductor.config.memory_planning``).
            It does so only without gradients; otherwise it reuses storages one by one.
        name: name of the graphs; that of the model's class if absent.
        compile_options: keywords of ``torch.compile``, such as ``dynamic=True``.

    Raises:
        Error: torch is missing or too old, torch.compile fails, or nothing was compiled.
    """
    try:
        import torch
        from torch._inductor import config
        from torch._inductor.codegen.wrapper import AllocateLine, PythonWrapperCodegen, ReuseLine  # noqa: F401
    except ImportError as error:
        way_out = f"Install torch, {_TESTED}: pip install torch."
        raise refusal(
            "memplan.inductor reads what torch.compile makes, and this torch lacks it", error, way_out
        ) from error
    call = Call(args, kwargs)
    if isinstance(model, torch.jit.ScriptModule):
        raise Error("torch.compile takes no TorchScript. Give the module that it was made of.")
    name = name or getattr(model, "__name__", None) or type(getattr(model, "_orig_mod", model)).__name__
    model = getattr(model, "_orig_mod", model)
    found: List[InductorGraph] = []
    torch._dynamo.reset()
    try:
        with _recorded(name, found), config.patch(memory_planning=memory_planning):
            # Inductor plans pools in inference only.
            with torch.no_grad() if memory_planning else contextlib.nullcontext():
                compiled: Any = torch.compile(model, **compile_options)
                out = compiled(*call.args, **call.kwargs)
            if backward:
                _sum_of(out).backward()
    except Error:
        raise
    except Exception as error:
        way_out = (
            "Run torch.compile(model)(*args) by itself to see the whole error. Inductor needs a C++ compiler for CPUs, "
            "and a Python that this torch supports."
        )
        raise refusal("torch.compile could not compile the model", error, way_out) from error
    finally:
        torch._dynamo.reset()
    if not found:
        raise Error(
            "torch.compile compiled nothing: the model makes no tensor that needs a kernel. Give a larger part."
        )
    return tuple(found)


def _sum_of(out: Any) -> Any:
    import torch
    from torch.utils._pytree import tree_leaves

    leaves = [leaf for leaf in tree_leaves(out) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    if not leaves:
        raise Error("backward=True needs an output with a gradient: give a model with parameters, or leave it out.")
    return sum(leaf.sum() for leaf in leaves)


def _script() -> types.ModuleType:
    """The script that ``memplan capture-inductor`` prints, as a module."""
    text = _program.run(["capture-inductor", "--script"]).text
    module = types.ModuleType("memplan_capture_inductor")
    module.__dict__["print"] = lambda *words, **keywords: None
    try:
        exec(compile(text, "capture_inductor.py", "exec"), module.__dict__)
    except ImportError as error:
        way_out = f"Use another torch ({_TESTED}), or plan the graph before torch.compile: memplan.plan(model, args=…)."
        raise refusal("A private part of torch that memplan.inductor reads is gone", error, way_out) from error
    return module


@contextlib.contextmanager
def _recorded(name: str, found: List[InductorGraph]) -> Iterator[None]:
    """Records every graph that is compiled inside."""
    from torch._inductor.codegen.wrapper import PythonWrapperCodegen
    from torch._inductor.virtualized import V

    script: Any = _script()
    captures: List[Any] = []

    class Recorded(script.GraphCapture):  # type: ignore[misc]
        def __init__(self, wrapper: Any, takeovers: Any) -> None:
            super().__init__(wrapper, takeovers)
            self.takeovers = [(old.get_name(), new.get_name()) for old, new, _ in takeovers]
            captures.append(self)

    script.GraphCapture = Recorded
    with tempfile.TemporaryDirectory(prefix="memplan-") as folder:
        with script.capture(Path(folder) / "graph.json"):
            try:
                passes = PythonWrapperCodegen.run_wrapper_ir_passes
            except AttributeError as error:
                way_out = f"Use another torch ({_TESTED})."
                raise refusal("A private function of torch is gone", error, way_out) from error

            def record(self: Any, is_inference: bool) -> Any:
                before = len(captures)
                result = passes(self, is_inference)
                if len(captures) > before and getattr(V.graph, "parent", None) is None:
                    label = name if not found else f"{name}-{len(found) + 1}"
                    found.append(_graph_of(label, captures[-1], self, script.nbytes))
                return result

            wrapper_class: Any = PythonWrapperCodegen
            wrapper_class.run_wrapper_ir_passes = record
            try:
                yield
            finally:
                wrapper_class.run_wrapper_ir_passes = passes


def _graph_of(name: str, capture: Any, wrapper: Any, nbytes: Callable[[Any], int]) -> InductorGraph:
    graph = capture.graph(name)
    document = _real_plan(name, capture, wrapper, nbytes)
    source = Source(data=dumps(document, "The plan"), name=name, suffix=".json", is_named=True)
    run = Run(source, Reading(), Scope(), "imported")
    answer = run.ask("plan")
    plan = plan_of(answer.json(), run, answer.notes)
    return InductorGraph(name, graph, plan, sum(nbytes(buffer) for buffer in capture.outside.values()))


def _real_plan(name: str, capture: Any, wrapper: Any, nbytes: Callable[[Any], int]) -> Dict[str, Any]:
    """Returns the storages that Inductor chose as memory-plan/1, from the lines of the code it writes."""
    from torch._inductor.codegen.wrapper import AllocateLine, ReuseLine

    own: Dict[str, Tuple[str, int]] = {}
    took: Dict[str, str] = {}
    for line in wrapper.lines:
        if isinstance(line, ReuseLine):
            took[line.reused_as.get_name()] = line.node.get_name()
        elif isinstance(line, AllocateLine):
            own[line.node.get_name()] = (line.node.get_name(), 0)
        elif hasattr(line, "group") and getattr(line.group, "allocation", None) is not None:
            allocation = line.group.allocation
            for member in line.group.names:
                own[member] = (allocation.pool.name, int(allocation.offset))
    # A result that overwrites an operand lies in its storage.
    for old, new in capture.takeovers:
        took.setdefault(new, old)

    def place(buffer: str) -> Optional[Tuple[str, int]]:
        seen = set()
        while buffer not in own and buffer in took and buffer not in seen:
            seen.add(buffer)
            buffer = took[buffer]
        return own.get(buffer)

    steps = len(capture.operators)
    pools: Dict[str, Dict[str, Any]] = {}
    buffers: List[Dict[str, Any]] = []
    in_place = {new: old for old, new, _ in capture.inplace}
    for buffer, (position, node) in sorted(capture.made.items(), key=lambda made: made[1][0]):
        where = place(buffer)
        if where is None:
            continue
        storage, offset = where
        size = nbytes(node)
        pool = pools.setdefault(
            storage, {"id": len(pools), "size": 0, "name": storage, "device": str(node.get_device())}
        )
        pool["size"] = max(pool["size"], offset + size)
        is_output = buffer not in capture.freed
        row = {
            "name": buffer,
            "size": size,
            "start": position,
            "end": steps if is_output else capture.freed[buffer] + 1,
            "pool": pool["id"],
            "offset": offset,
            "kind": "output" if is_output else "intermediate",
        }
        if buffer in in_place:
            row["shares"] = in_place[buffer]
        buffers.append(row)
    return {
        "format": "memory-plan/1",
        "graph": name,
        "planner": "imported",
        "options": {},
        "steps": steps,
        "returned": True,
        "pools": list(pools.values()),
        "buffers": buffers,
        "unplanned": [],
    }
