"""Memory budgets as tests: the fixture ``memplan`` of pytest.

def test_memory(memplan):
    memplan(model, args=(x,)).peak_below("4 MiB")
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Union

import pytest

_UNITS = {"": 1, "B": 1, "K": 1 << 10, "KIB": 1 << 10, "M": 1 << 20, "MIB": 1 << 20, "G": 1 << 30, "GIB": 1 << 30}
_UNITS.update({"KB": 1000, "MB": 1000**2, "GB": 1000**3})

#: Lines of the list of buffers that a failure prints.
_LINES = 12

Size = Union[int, str]


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("memplan")
    group.addoption(
        "--memplan-update", action="store_true", help="write the files that no_growth compares with, and do not compare"
    )
    group.addoption(
        "--memplan-report",
        metavar="FOLDER",
        default=None,
        help="folder for the page of each test that fails; that of the cache of pytest if absent",
    )


@pytest.fixture
def memplan(request: Any) -> Any:
    """A function that plans like ``memplan.plan`` and returns a ``Budget``."""

    def budget(x: Any, args: Any = (), **given: Any) -> Budget:
        # Imported here: pytest loads this file at every start.
        import memplan as package

        refused = None
        try:
            return Budget(x if isinstance(x, package.Plan) else package.plan(x, args=args, **given), request)
        except package.Error as error:
            refused = str(error)
        # Outside the handler, so that pytest shows the sentence alone.
        pytest.fail(f"memplan: {refused}", pytrace=False)

    return budget


class Budget:
    """A plan that must stay within a budget. Every method returns the same object."""

    def __init__(self, plan: Any, request: Any) -> None:
        self.plan = plan
        self._request = request

    def peak_below(self, most: Size) -> Budget:
        """Fails if the plan is invalid or needs more than ``most``, such as ``"4 MiB"`` or bytes."""
        self._must_be_valid()
        if self.plan.need > size(most):
            self._fail(f"the peak {_shown(self.plan.need)} is above {_shown(size(most))}", with_gap=True)
        return self

    def bound_below(self, most: Size) -> Budget:
        """Fails if no plan can need ``most`` or less: if the lower bound is above it."""
        if self.plan.bound > size(most):
            self._fail(f"the lower bound {_shown(self.plan.bound)} is above {_shown(size(most))}; no planner is lower")
        return self

    def no_growth(self, golden: Union[str, "os.PathLike[str]"], limit: Union[int, str] = "0%") -> Budget:
        """Fails if the peak is more than ``limit`` above that of the file, and says what made it grow.

        ``golden`` is relative to the file of the test, ``limit`` is ``"3%"``, ``"64KiB"`` or bytes.
        ``pytest --memplan-update`` writes the file.
        """
        import memplan as package

        self._must_be_valid()
        path = Path(os.path.join(os.path.dirname(str(self._request.fspath)), os.fspath(golden)))
        if self._request.config.getoption("--memplan-update"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(_golden(self.plan))
            return self
        if not path.exists():
            pytest.fail(f"memplan: {path} does not exist. `pytest --memplan-update` writes it.", pytrace=False)
        run = self.plan._run
        planner = ";".join([run.planner, *(word[len("--set=") :] for word in run.options)])
        limit = limit.replace(" ", "") if isinstance(limit, str) else limit
        diff, refused = None, ""
        try:
            diff = package.diff(str(path), run.source, planner, fail_above=limit)
        except package.Error as error:
            refused = str(error)
        if diff is None:
            pytest.fail(f"memplan: {refused}", pytrace=False)
        if diff.failed:
            self._fail(f"the peak grew by more than {limit} since {path.name}\n{diff}")
        return self

    def _must_be_valid(self) -> None:
        if not self.plan.valid:
            self._fail(f"the plan is {self.plan.check()}")

    def _fail(self, what: str, with_gap: bool = False) -> None:
        plan = self.plan
        lines = [f"memplan: {what}", f"{plan.graph}, planner {plan.planner}: lower bound {_shown(plan.bound)}"]
        alive = str(plan.at()).splitlines()
        lines += alive[:_LINES]
        if len(alive) > _LINES:
            lines.append(f"  and {len(alive) - _LINES} more")
        if with_gap and plan.waste:
            lines.append(plan.gap())
        lines.append(f"The plan: {self._report()}")
        pytest.fail("\n".join(lines), pytrace=False)

    def _report(self) -> Path:
        """Writes the page of the plan, or a picture if the program has none."""
        import memplan as package

        config = self._request.config
        named = config.getoption("--memplan-report")
        if named:
            folder = Path(named)
        elif hasattr(config, "cache") and config.cache is not None:
            folder = Path(str(config.cache.mkdir("memplan")))
        else:
            folder = Path(str(self._request.getfixturevalue("tmp_path")))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / (re.sub(r"[^\w.-]+", "_", self._request.node.name)[:80] + ".html")
        try:
            self.plan.html(path)
        except package.Error:
            path = path.with_suffix(".svg")
            self.plan.svg(path)
        return path


def size(text: Size) -> int:
    """Returns a number of bytes: ``"4 MiB"``, ``"64KiB"``, ``"1 MB"`` (of 1000 kB), ``"4096"`` or a number."""
    if isinstance(text, int):
        return text
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", text)
    unit = _UNITS.get(found.group(2).upper()) if found else None
    if found is None or unit is None:
        raise ValueError(f"{text!r} is no size. Write it as '4 MiB', '64 KiB', '1.5 MB' or a number of bytes.")
    return int(float(found.group(1)) * unit)


def _shown(count: int) -> str:
    for unit, scale in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= scale:
            return f"{count / scale:.2f} {unit} ({count} B)"
    return f"{count} B"


def _golden(plan: Any) -> bytes:
    """Returns what a later version is compared with: the graph, which explains more, else the plan."""
    from . import _program
    from ._program import Error
    from ._source import dumps

    run = plan._run
    path, stdin = run.source.given()
    words = ["convert", *run.reading.arguments(), *run.scope.arguments(), "--format=memory-graph", "-o", "-"]
    try:
        return _program.run([*words, "--", path], stdin).output
    except Error:
        return dumps(plan.document, "The plan")
