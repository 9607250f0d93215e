"""See how the memory of a neural network is planned.

    import memplan

    p = memplan.plan("model.onnx", planner="best")
    p.peak, p.bound, p.waste          # bytes
    print(p.why("conv1"))             # why the buffer lies where it lies
    print(p.at())                     # what the peak is made of
    memplan.show("model.onnx")        # the page, in the cell of a notebook
    memplan.whatif("snapshot.pickle", card="80GiB")   # other settings of the CUDA allocator

Every function takes as ``x``:

* a path, the bytes of a model file, or the name of a built-in example (``"ex:resnet18"``)
* a dict of memory-graph/1 or memory-plan/1, or of ``torch.cuda.memory._snapshot()``
* rows ``(name, size, start, end)``, a numpy array, a pandas table, ``Plan.buffers``
* ``onnx.ModelProto``, ``torch.export.ExportedProgram``, ``jax.stages.Compiled`` and ``Lowered``
* a ``torch.nn.Module``, or a function of ``jax.jit``, with the arguments of one call (``args=``)

Sizes and addresses are in bytes. A buffer lives during the steps ``start <= step < end``, and a step is
one operator. What cannot be read or planned raises ``memplan.Error`` with a sentence.

Nothing is computed in Python: each call runs the program ``memplan``, which came with this package.
"""

from __future__ import annotations

import sys

if sys.version_info < (3, 9):  # noqa: UP036
    raise ImportError("memplan needs Python 3.9 or newer, and this is %d.%d." % sys.version_info[:2])

import json
import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import _program
from ._capture import Call, source_of
from ._inductor import InductorGraph, inductor
from ._notebook import View, page
from ._own import Problem, ProblemBuffer, ProblemMemory, ProblemNode, answered, is_own, problem_of
from ._plan import Alive, AliveBuffer, Buffer, Check, Finding, LeftOut, Plan, Pool, Why, check_of, plan_of
from ._program import Error
from ._results import Comparison, Diff, Fit, Option, Planner, Row, WhatIf, Written
from ._run import PathLike, Run, save
from ._source import Reading, Scope, Source, dumps, set_options

__all__ = [
    "Alive",
    "AliveBuffer",
    "Buffer",
    "Check",
    "Comparison",
    "Diff",
    "Error",
    "Finding",
    "Fit",
    "InductorGraph",
    "LeftOut",
    "Option",
    "Plan",
    "Planner",
    "Pool",
    "Problem",
    "ProblemBuffer",
    "ProblemMemory",
    "ProblemNode",
    "Row",
    "View",
    "WhatIf",
    "Why",
    "Written",
    "check",
    "compare",
    "diff",
    "fit",
    "inductor",
    "plan",
    "planners",
    "show",
    "whatif",
    "write",
]

_READING = ("symbol", "shape", "parameters", "constants", "model", "exclusive_end")
_SCOPE = ("symbol", "with_", "views", "align")
_CALL = ("args", "kwargs", "dynamic_shapes", "training", "loss")


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("memplan")
        except PackageNotFoundError:
            return _program.version_of(_program.find()).split()[-1]
    raise AttributeError(f"module 'memplan' has no attribute {name!r}")


def plan(
    x: Any,
    planner: Union[str, Callable[..., Any]] = "best",
    *,
    args: Any = (),
    kwargs: Optional[Dict[str, Any]] = None,
    dynamic_shapes: Any = None,
    training: bool = False,
    loss: Any = None,
    name: Optional[str] = None,
    symbol: Optional[Mapping[str, int]] = None,
    shape: Optional[Mapping[str, Union[str, int, Sequence[int]]]] = None,
    parameters: Optional[str] = None,
    constants: Optional[str] = None,
    model: Optional[str] = None,
    exclusive_end: bool = False,
    with_: Union[None, str, Sequence[str]] = None,
    views: Optional[str] = None,
    align: Optional[int] = None,
    **options: Any,
) -> Plan:
    """Gives every buffer of ``x`` a place in memory, and returns the plan.

    Args:
        x: what is planned, see ``help(memplan)``.
        planner: an id of ``memplan.planners()``, with options as in ``"beam;k=4"``. ``"best"`` runs
            several and keeps the smallest plan; ``"imported"`` is the plan that the file holds.
            ``"mine.rhai"`` and ``"exec:…"`` are planners of your own. So is a function: it gets a
            ``memplan.Problem``, and returns the offsets in the order of its buffers, or yields events.
        options: options of the planner, such as ``tie="size"``; keywords of a function.
        args, kwargs: what a torch module or a jax function is called with: tensors, or
            ``jax.ShapeDtypeStruct``. Only shapes and types count.
        dynamic_shapes: of torch: extents that stay open, as ``torch.export.export`` takes them.
        training: of torch: plan forward and backward pass. The model must return its loss first.
        loss: of torch with ``training``: a function from the output of the model to the loss.
        name: name of the graph.
        symbol: values of symbols in shapes, such as ``{"batch": 8}``; 1 or the file's hint if absent.
        shape: shapes that the file leaves open, such as ``{"t7": (1, 64, 56, 56)}``, or bytes as an int.
        parameters: what the arguments of a graph are whose file does not tell: ``"by-name"``
            (default), ``"inputs"`` or ``"weights"``.
        constants: ONNX nodes that compute from weights alone: ``"fold"`` (default) or ``"keep"``.
        model: which of several models in one file; the first if absent.
        exclusive_end: of CSV: the column ``end`` is the first step after a buffer's life.
        with_: what is planned besides intermediates: ``"inputs,outputs"`` (default), ``"weights"``,
            ``"none"``, or a list of them.
        views: ``"share"`` (default) or ``"copy"``: whether views lie in the storage of their root.
        align: alignment of every buffer in bytes, a power of two; 1 if absent.

    Returns:
        The plan. It keeps its input, and ``why``, ``at``, ``svg`` and others run the program again.

    Raises:
        Error: the input cannot be read or captured, the planner does not exist or does not apply, or
            no plan fits. ``Error.code`` is the exit code of the program, ``Error.faults`` the reasons.
    """
    call = Call(args, kwargs, dynamic_shapes, training, loss)
    reading = Reading(symbol, shape, parameters, constants, model, exclusive_end)
    scope = Scope(symbol, with_, views, align)
    source = source_of(x, call, name)
    if callable(planner):
        return _plan_by(planner, source, reading, scope, options)
    return _plan(Run(source, reading, scope, planner, tuple(set_options(options))))


def _plan_by(
    planner: Callable[..., Any], source: Source, reading: Reading, scope: Scope, options: Mapping[str, Any]
) -> Plan:
    """Plans by a function, in this process: the program gives the problem and takes the answer."""
    answer = _answer(planner, source, reading, scope, options)
    planned = _plan(Run(source, reading, scope, f"answer:{answer.file()}", keeps=answer))
    return replace(planned, planner=answer.name, document={**planned.document, "planner": answer.name})


def _answer(
    planner: Callable[..., Any], source: Source, reading: Reading, scope: Scope, options: Mapping[str, Any]
) -> Source:
    """Runs a function on the problem of an input, and returns the file with its answer."""
    path, stdin = source.given()
    words = ["convert", "--format=memory-problem", "-o", "-", *reading.arguments(), *scope.arguments()]
    problem = problem_of(_program.run([*words, "--", path], stdin).json())
    return answered(planner, problem, options)


def _plan(run: Run) -> Plan:
    answer = run.ask("plan", fine=(0, 1) if run.planner == "imported" or is_own(run.planner) else (0,))
    return plan_of(answer.json(), run, run.source.concerns(answer.notes), valid=answer.code == 0)


def compare(
    x: Any,
    planners: Union[None, str, Callable[..., Any], Iterable[Union[str, Callable[..., Any]]]] = None,
    **given: Any,
) -> Comparison:
    """Runs several planners on ``x`` and returns the figures of each.

    Args:
        x: what is planned, see ``help(memplan)``.
        planners: ids with options, such as ``["best-fit", "beam;k=4"]``, and functions, as in
            ``memplan.plan``; all that apply if absent.
        given: the keywords of the input, as in ``memplan.plan``: args, symbol, with_, align, …

    Raises:
        Error: the input cannot be read or captured, or no planner made a plan.
    """
    source, reading, scope = _input(x, given)
    single = isinstance(planners, str) or callable(planners)
    wanted: List[Any] = [] if planners is None else [planners] if single else list(planners)  # type: ignore[arg-type]
    answers = {number: _answer(one, source, reading, scope, {}) for number, one in enumerate(wanted) if callable(one)}
    ids = [f"answer:{answers[number].file()}" if number in answers else one for number, one in enumerate(wanted)]
    words = ["compare", *(f"--planner={planner}" for planner in ids), *reading.arguments(), *scope.arguments()]

    # The files with answers are removed with the objects that made them.
    def ask(*more: str, _keeps: Any = answers) -> _program.Answer:
        path, stdin = source.given()
        return _program.run([*words, *more, "--", path], stdin)

    # Functions go by their own names.
    names = {ids[number]: answer.name for number, answer in answers.items()}

    def text(form: str) -> str:
        # The narrow table cuts long names.
        wide = ["--wide"] if names and form == "table" else []
        shown = ask(f"--format={form}", *wide).text.rstrip()
        for own, name in names.items():
            if form == "markdown":
                own, name = own.replace("_", "\\_"), name.replace("_", "\\_")
            shown = shown.replace(own, name.ljust(len(own)) if wide else name)
        return _narrowed(shown, max(map(len, ids))) if wide else shown

    answer = ask("--json")
    found = (_row(row) for row in answer.json()["rows"])
    rows = tuple(replace(row, planner=names.get(row.planner, row.planner)) for row in found)
    return Comparison(rows, source.concerns(answer.notes), text)


def _narrowed(table: str, width: int) -> str:
    """Returns a table whose first column, of ``width``, is as wide as its longest name."""
    rows = [(line[:width].rstrip(), line[width:]) for line in table.splitlines()]
    longest = max(len(name) for name, _ in rows)
    return "\n".join(name.ljust(longest) + rest for name, rest in rows)


def _row(row: Dict[str, Any]) -> Row:
    return Row(
        graph=row["graph"],
        planner=row["planner"],
        options=row.get("options", {}),
        peak=row.get("peak"),
        held=row.get("held"),
        bound=row.get("bound"),
        waste=row.get("waste"),
        ratio=row.get("ratio"),
        valid=row.get("valid", False),
        milliseconds=row.get("time"),
        reason=row.get("error"),
        figures=row,
    )


def diff(
    old: Any,
    new: Any,
    planner: Optional[str] = None,
    *,
    without_weights: bool = False,
    fail_above: Union[None, str, int] = None,
    top: Optional[int] = None,
    **given: Any,
) -> Diff:
    """Compares two versions of a model: what made the peak rise or fall.

    Args:
        old, new: the versions, see ``help(memplan)``.
        planner: one planner of both; the plans in the files if both have one, else the planner that
            the page would choose.
        without_weights: weights do not count.
        fail_above: by how much the peak may rise before ``failed`` is True: ``"3%"``, ``"64KiB"`` or bytes.
        top: most rows in the reports; 10 if absent.
        given: the keywords of the input, as in ``memplan.plan``; they hold for both.

    Raises:
        Error: an input cannot be read, captured or planned.
    """
    if callable(planner):
        raise Error("diff asks one planner for both. Plan both by the function, and pass the two plans.")
    sources = []
    for x in (old, new):
        source, reading, scope = _input(x, dict(given))
        sources.append(source)
    words = ["diff", *([f"--planner={planner}"] if planner else []), *reading.arguments(), *scope.arguments()]
    words += ["--without=weights"] if without_weights else []
    words += [f"--fail-above={fail_above}B" if isinstance(fail_above, int) else f"--fail-above={fail_above}"] * (
        fail_above is not None
    )
    words += [f"--top={top}"] if top is not None else []

    def ask(form: str) -> _program.Answer:
        first, _ = sources[0].given(by_input=False)
        second, stdin = sources[1].given()
        return _program.run([*words, f"--format={form}", "--", first, second], stdin, fine=(0, 1))

    answer = ask("json")
    document = answer.json()
    model = document["models"][0]
    return Diff(
        planner=document["planner"],
        old_peak=(model["old"] or {}).get("peak"),
        new_peak=(model["new"] or {}).get("peak"),
        change=model["change_bytes"],
        relative=model["change_relative"],
        blame=model["blame"],
        failed=document["failed"],
        notes=answer.notes,
        document=document,
        _text=lambda form: ask(form).text.rstrip(),
    )


def fit(
    x: Any,
    memory: Optional[Mapping[str, Union[str, int]]] = None,
    *,
    allow: Union[None, str, Sequence[str]] = None,
    limit: Optional[Mapping[str, Union[str, int]]] = None,
    prefer: Optional[str] = None,
    scratch: Union[None, str, int] = None,
    persistent: Union[None, str, int] = None,
    arena: bool = False,
    seconds: Optional[float] = None,
    **given: Any,
) -> Fit:
    """Finds the cheapest changes by which ``x`` fits into a memory, or proves that there are none.

    Args:
        x: what is planned, see ``help(memplan)``.
        memory: the memories, the fast one first: ``{"SRAM": "512KiB", "DRAM": "8MiB@4"}``, where a byte
            of DRAM costs 4. Names in capitals may be keywords: ``memplan.fit(x, SRAM="512KiB")``.
        allow: what may be changed: ``"all"`` or some of planner, order, inplace, views, bank, spill,
            recompute, stripes; the first four if absent.
        limit: the most that may be paid: ``{"macs": "5%"}``, ``{"bytes": "1MiB"}``.
        prefer: the price that counts first: ``"macs"`` (default) or ``"bytes"``.
        scratch: bytes that kernels need beside the tensors, or a CSV file with ``op,bytes``.
        persistent: bytes that stay between runs.
        arena: of .tflite: count the whole arena of TensorFlow Lite Micro.
        seconds: seconds of search; 5 if absent.
        given: memories, and the keywords of the input, as in ``memplan.plan``.

    Raises:
        Error: the input cannot be read or captured, or memplan may misread it.
    """
    memories = dict(memory or {})
    for key in [key for key in given if key.isupper()]:
        memories[key] = given.pop(key)
    if not memories:
        raise Error('fit needs a memory, such as SRAM="512KiB".')
    source, reading, scope = _input(x, given)
    words = ["fit", *(f"--memory={key}={size}" for key, size in memories.items())]
    words += [f"--limit={key}={most}" for key, most in (limit or {}).items()]
    for option, value in (("prefer", prefer), ("scratch", scratch), ("persistent", persistent), ("seconds", seconds)):
        words += [f"--{option}={value}"] if value is not None else []
    if allow is not None:
        words.append(f"--allow={allow if isinstance(allow, str) else ','.join(allow)}")
    words += ["--arena"] if arena else []
    words += [*reading.arguments(), *scope.arguments()]

    def ask(*more: str) -> _program.Answer:
        path, stdin = source.given()
        return _program.run([*words, *more, "--", path], stdin, fine=(0, 3, 4))

    with tempfile.TemporaryDirectory(prefix="memplan-") as folder:
        graph_file, plan_file = os.path.join(folder, "graph.json"), os.path.join(folder, "plan.json")
        answer = ask("--json", f"--graph={graph_file}", f"--plan={plan_file}")
        graph, planned = _json_of(graph_file), _json_of(plan_file)
    document = answer.json()
    fitted = None
    if planned is not None:
        own = Source(data=dumps(planned, "The plan"), name="fitted", suffix=".json", is_named=True)
        fitted = plan_of(planned, Run(own, Reading(), Scope(), "imported"))
    return Fit(
        result=document["result"],
        optimal=document["optimal"],
        before=document["required"]["before"],
        after=document["required"]["after"],
        price=document["price"],
        moves=tuple(document["moves"]),
        graph=graph,
        plan=fitted,
        notes=source.concerns(answer.notes),
        document=document,
        _text=lambda form: ask(f"--format={form}").text.rstrip(),
    )


def _json_of(path: str) -> Optional[Dict[str, Any]]:
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        document: Dict[str, Any] = json.load(file)
    return document


def whatif(
    x: Any,
    card: Union[None, str, int] = None,
    *,
    settings: Union[None, str, Sequence[str]] = None,
    torch: Optional[str] = None,
    device: Optional[int] = None,
) -> WhatIf:
    """Shows what other settings of PyTorch's CUDA allocator would have done to a recorded program.

    Args:
        x: a snapshot: the dict of ``torch.cuda.memory._snapshot()``, its bytes, or the path of its file.
        card: memory of the card that is asked about: ``"80GiB"`` or bytes.
        settings: texts to measure in place of the usual ones, as in ``PYTORCH_ALLOC_CONF``.
        torch: version whose rules hold, such as ``"2.12"``; the newest known if absent.
        device: which card of the snapshot, from 0.

    Raises:
        Error: the input cannot be read or records no calls, or the version does not take its settings.
    """
    source = source_of(x)
    words = ["whatif"]
    for option, value in (("card", card), ("torch", torch), ("device", device)):
        words += [f"--{option}={value}"] if value is not None else []
    texts = [] if settings is None else [settings] if isinstance(settings, str) else list(settings)
    words += [f"--settings={text}" for text in texts]

    def ask(*more: str) -> _program.Answer:
        path, stdin = source.given()
        return _program.run([*words, *more, "--", path], stdin)

    answer = ask("--json")
    document = answer.json()
    own = document["rows"][0]["on_card"]
    return WhatIf(
        verdict=document["verdict"],
        runs=own["runs"] if own else None,
        cheapest=document["cheapest"],
        equal=document["check"]["equal"],
        rows=tuple(document["rows"]),
        notes=source.concerns(answer.notes),
        document=document,
        _text=lambda: ask().text.rstrip(),
    )


def write(
    x: Any,
    planner: Optional[str] = None,
    path: Optional[PathLike] = None,
    *,
    plan: Union[None, Plan, PathLike] = None,
    shape: Optional[Mapping[str, Union[str, int, Sequence[int]]]] = None,
    order: Optional[Sequence[int]] = None,
    reorder: bool = False,
    scratch: Optional[Mapping[Union[int, str], int]] = None,
    force: bool = False,
    **options: Any,
) -> Written:
    """Writes a plan into a model: a .tflite, for TensorFlow Lite Micro, an ExecuTorch .pte, or an .onnx.

    Args:
        x: the model: a path, its bytes, or an ``ExecutorchProgramManager``.
        planner: the planner, ``"exact"`` if absent; ``"imported"`` is the plan that the model has.
        path: file to write; ``Written.model`` has the bytes in any case.
        plan: the plan to write, in place of a planner: offsets by the names of tensors.
        shape: shapes that an ONNX model leaves open, as in ``memplan.plan``.
        order, reorder: another order of the operators, given as positions or searched for.
        scratch: working memory of operators in bytes by position, such as ``{3: 1024}``.
        force: overwrite ``path``, and write a plan that needs more than none.
        options: options of the planner.

    Raises:
        Error: the model cannot be read, the plan cannot be written into it, or ``path`` exists.
    """
    if callable(planner):
        raise Error("Plan by the function first: memplan.write(x, plan=memplan.plan(x, function)).")
    source = source_of(x)
    words = ["write", "--json", *set_options(options), *Reading(shape=shape).arguments()]
    # Its temporary file lives as long as this object.
    of_plan = plan.source() if isinstance(plan, Plan) else None
    if plan is None:
        words.append(f"--planner={planner or 'exact'}")
    elif planner is not None:
        raise Error("Give a planner or a plan, and not both.")
    else:
        words.append(f"--plan={of_plan.file() if of_plan else os.fspath(plan)}")  # type: ignore[arg-type]
    words += [f"--order={','.join(map(str, order))}"] if order is not None else []
    words += ["--reorder"] if reorder else []
    words += [f"--scratch={at}={size}" for at, size in (scratch or {}).items()]
    words += ["--force"] if force else []
    if path is not None and os.path.exists(path) and not force:
        raise Error(f"{os.fspath(path)} exists. Give another path, or force=True to overwrite it.")
    with tempfile.TemporaryDirectory(prefix="memplan-") as folder:
        out = Path(folder) / "written"
        given, stdin = source.given()
        answer = _program.run([*words, "-o", str(out), "--", given], stdin)
        figures = answer.json()
        model = out.read_bytes()
        # The file of this call alone has no meaning outside it.
        told = tuple(line.replace(f"{out}: ", "") for line in answer.told)
    figures.pop("output", None)
    save(model, path)
    return Written(model=model, figures=figures, notes=told)


def check(x: Any, **given: Any) -> Check:
    """Checks a plan by code that shares nothing with the planners.

    Args:
        x: a ``Plan``, a dict of memory-plan/1, rows with addresses, or a file with a plan of its own.
        given: the keywords of the input, as in ``memplan.plan``.

    Raises:
        Error: the input cannot be read, or holds no plan.
    """
    if isinstance(x, Plan) and not given:
        return x.check()
    source, reading, _ = _input(x, given)
    return check_of(source, tuple(reading.arguments()))


def planners() -> Tuple[Planner, ...]:
    """Returns all planners with their options."""
    rows = _program.run(["list", "--json"]).json()
    return tuple(
        Planner(
            id=row["id"],
            name=row["name"],
            system=row["system"],
            needs=row["needs"],
            effort=row["effort"],
            complexity=row["complexity"],
            options=tuple(
                Option(
                    key=option["key"],
                    default=str(option["default"]),
                    allowed=tuple(option["allowed"]) if isinstance(option["allowed"], list) else None,
                    original=option["original"],
                )
                for option in row["options"]
            ),
            source=row["source"],
        )
        for row in rows
    )


def show(
    x: Any, planner: Union[str, Callable[..., Any]] = "best", *, height: int = 640, light: bool = False, **given: Any
) -> View:
    """Returns the page of memplan with a plan of ``x``, which a notebook shows in its cell.

    Args:
        x: what is planned, see ``help(memplan)``, or a ``Plan``, whose planner is then kept.
        planner: as in ``memplan.plan``. Of a planner of your own, the page shows the plan that it made.
        height: height of the cell in pixels.
        light: pictures in place of the page: at most 300 kB instead of about 4 MB in the notebook.
        given: the keywords of the input, as in ``memplan.plan``, and options of the planner.

    Raises:
        Error: as ``memplan.plan``, or the program is too old for one-file pages.
    """
    if isinstance(x, Plan) and not given:
        return View(height, page(x._shown(), light))
    if callable(planner) or is_own(planner):
        return View(height, page(plan(x, planner, **given)._shown(), light))
    known = {*_READING, *_SCOPE, *_CALL, "name"}
    options = {key: given.pop(key) for key in list(given) if key not in known}
    source, reading, scope = _input(x, given)
    return View(height, page(Run(source, reading, scope, planner, tuple(set_options(options))), light))


def _input(x: Any, given: Dict[str, Any]) -> Tuple[Source, Reading, Scope]:
    """Takes the keywords of an input from ``given``, which must hold no others."""
    known: List[str] = [*_READING, *_SCOPE, *_CALL, "name"]
    for key in given:
        if key not in known:
            raise TypeError(f"{key!r} is no keyword here. Keywords of the input: {', '.join(sorted(set(known)))}")
    reading = Reading(**{key: given[key] for key in _READING if key in given})
    scope = Scope(**{key: given[key] for key in _SCOPE if key in given})
    call = Call(**{key: given[key] for key in _CALL if key in given})
    return source_of(x, call, given.get("name")), reading, scope
