"""A plan and its parts."""

from __future__ import annotations

import html
import json
import re
import zlib
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Tuple

from . import _program
from ._own import is_own
from ._program import Error
from ._run import PathLike, Run, save
from ._source import Reading, Scope, Source


class Readable:
    """A notebook shows the text of the object."""

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


@dataclass(frozen=True)
class Pool:
    """A stretch of memory that holds buffers. ``size`` in bytes."""

    id: int
    name: str
    size: int
    device: str


@dataclass(frozen=True)
class Buffer:
    """A buffer and its place.

    ``size`` and ``offset`` are in bytes, ``offset`` from the base of the pool. The buffer lives during
    the steps ``start <= step < end``. ``memory`` is the name of its pool, ``pool`` the number of it.
    ``kind`` is input, weight, intermediate or output; None if the input has no graph. ``shares`` names
    the buffer whose storage this one takes over in place. ``gaps`` are steps during which it is unused.
    """

    name: str
    size: int
    start: int
    end: int
    offset: int
    memory: str
    pool: int = 0
    kind: Optional[str] = None
    align: int = 1
    shares: Optional[str] = None
    gaps: Tuple[Tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class LeftOut:
    """A buffer that the planner gives no place, with the reason. ``size`` in bytes."""

    name: str
    size: int
    start: int
    end: int
    reason: str


@dataclass(frozen=True)
class Why(Readable):
    """Why a buffer lies where it lies. ``str(why)`` is the whole explanation.

    ``frame`` is the number of the decision, from 1. ``candidates`` are the places that the planner
    looked at, ``rule`` is what the planner does, ``source`` the place in the original's sources.
    """

    name: str
    frame: int
    headline: str
    candidates: Tuple[str, ...]
    notes: Tuple[str, ...]
    rule: Optional[str]
    effect: Optional[str]
    source: Optional[str]

    def __str__(self) -> str:
        parts = [self.headline, *self.notes, self.rule or "", self.effect or ""]
        return " ".join(part for part in parts if part)


@dataclass(frozen=True)
class AliveBuffer:
    """A buffer that is alive at a step.

    ``bytes`` are those in use at the step, ``size`` those of the whole buffer. ``maker`` and ``reader``
    are the operator that makes it and the last one that reads it, or None. ``role`` is ``weight``,
    ``input``, ``activation``, ``gradient``, ``temporary`` or ``output`` in a step of training, else None.
    """

    name: str
    bytes: int
    size: int
    start: int
    end: int
    kind: Optional[str]
    maker: Optional[str]
    reader: Optional[str]
    pool: Optional[int]
    offset: Optional[int]
    role: Optional[str] = None


@dataclass(frozen=True)
class Alive(Readable):
    """What is alive at a step, the largest first. ``str(alive)`` is a list to read.

    ``load`` are the bytes in use at the step, ``most`` those at the fullest step, ``bound`` the lower
    bound of every plan. ``fullest`` are the stretches of steps that are as full as any.
    """

    step: int
    load: int
    most: int
    bound: int
    fullest: Tuple[Tuple[int, int], ...]
    buffers: Tuple[AliveBuffer, ...]
    _run: Run = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self._run.ask("alive", f"--step={self.step}").text.rstrip()


@dataclass(frozen=True)
class Finding:
    """A rule that a plan breaks. With ``quirk``, the original system breaks it too, which is allowed."""

    kind: str
    message: str
    buffers: Tuple[str, ...]
    quirk: bool


@dataclass(frozen=True)
class Check(Readable):
    """Whether a plan is valid, and every rule that it breaks. True in a condition if it is valid."""

    valid: bool
    findings: Tuple[Finding, ...]
    metrics: Mapping[str, Any]

    def __bool__(self) -> bool:
        return self.valid

    def __str__(self) -> str:
        broken = [finding.message for finding in self.findings if not finding.quirk]
        return "valid" if self.valid else "invalid: " + " ".join(broken)


@dataclass(frozen=True)
class Plan:
    """A place for every buffer. All sizes are in bytes.

    Attributes:
        graph: the name of what was planned.
        planner: the id of the planner.
        options: every option of the planner with its value.
        steps: the number of steps, one for each operator.
        peak: the bytes that the plan needs: the highest end of each pool, summed over the pools.
        bound: the most bytes that are alive at one step; no plan needs less.
        waste: the peak (or ``held``) minus the bound.
        held: only of planners that give storages back: the most bytes held at one step, else None.
        optimal: whether the planner proved that no plan needs less; None if it proves nothing.
        proved_bound: what the planner proved that every plan needs, or None.
        unshared: the bytes without any sharing.
        pools: the memories.
        buffers: the buffers with their places.
        unplanned: the buffers that the planner leaves out.
        notes: what the reader found out and assumed, one sentence each.
        valid: whether the plan keeps every rule; only one of your own or of a file may break some.
            ``check()`` names them.
        document: the plan as memory-plan/1, for ``json.dump``.
    """

    graph: str
    planner: str
    options: Mapping[str, str]
    steps: int
    peak: int
    bound: int
    waste: int
    held: Optional[int]
    optimal: Optional[bool]
    proved_bound: Optional[int]
    unshared: int
    pools: Tuple[Pool, ...] = field(repr=False)
    buffers: Tuple[Buffer, ...] = field(repr=False)
    unplanned: Tuple[LeftOut, ...] = field(repr=False)
    notes: Tuple[str, ...] = field(repr=False)
    valid: bool
    document: Dict[str, Any] = field(repr=False, compare=False)
    _run: Run = field(repr=False, compare=False)

    @property
    def need(self) -> int:
        """The bytes by which plans are ranked: ``held`` if storages are given back, else ``peak``."""
        return self.peak if self.held is None else self.held

    def why(self, name: str) -> Why:
        """Returns why the buffer of this name, or the buffer that holds this tensor, lies where it lies.

        Raises:
            Error: there is no such buffer, or the plan gives it no place.
        """
        frame = self._run.ask("frame", f"--of={name}").json()
        words = frame["why"]
        return Why(
            name=frame["focus"]["name"],
            frame=frame["frame"],
            headline=words["headline"],
            candidates=tuple(words["candidates"]),
            notes=tuple(words["notes"]),
            rule=words["rule"],
            effect=words["effect"],
            source=words["source"],
        )

    def at(self, step: Optional[int] = None) -> Alive:
        """Returns what is alive at a step, from 0; without a step, at the first of the fullest.

        Raises:
            Error: there is no such step.
        """
        more = [] if step is None else [f"--step={step}"]
        found = self._run.ask("alive", "--json", *more).json()
        return Alive(
            step=found["step"],
            load=found["load"],
            most=found["most"],
            bound=found["bound"],
            fullest=tuple((start, end) for start, end in found["fullest"]),
            buffers=tuple(AliveBuffer(**row) for row in found["buffers"]),
            _run=self._run,
        )

    def check(self) -> Check:
        """Checks the plan by code that shares nothing with the planners."""
        return check_of(self.source())

    def gap(self) -> str:
        """Returns the decisions that raised the peak above the bound, one a line, with their reasons."""
        return self._run.ask("gap").text.rstrip()

    def svg(self, path: Optional[PathLike] = None, *, width: int = 1000, height: int = 640, dark: bool = False) -> str:
        """Returns the plan as SVG, and writes it to ``path`` if one is given. Sizes are in pixels.

        Raises:
            Error: the file cannot be written.
        """
        dark_words = ["--dark"] if dark else []
        words = [f"--size={width}x{height}", "--plan-only", "--title", "--legend", *dark_words]
        text = self._run.ask("svg", *words).text
        save(text, path)
        return text

    def html(self, path: PathLike, *, light: bool = False) -> None:
        """Writes the page with this plan as one HTML file, which opens without a server or a network.

        With ``light``, the file holds pictures in place of the page: at most 300 kB, no WebAssembly.

        Raises:
            Error: the file cannot be written, or the program is too old for one-file pages.
        """
        from ._notebook import page

        save(page(self._shown(), light), path)

    def to_csv(self, path: Optional[PathLike] = None) -> str:
        """Returns the plan as CSV with the columns id, lower, upper, size, offset, and writes it to ``path``.

        Raises:
            Error: the file cannot be written.
        """
        text = self._run.ask("plan", "--format=csv").text
        save(text, path)
        return text

    def dataframe(self) -> Any:
        """Returns the buffers as a ``pandas.DataFrame``, one row each.

        Raises:
            Error: pandas is not installed.
        """
        try:
            import pandas  # type: ignore[import-untyped, unused-ignore]
        except ImportError:
            raise Error("A dataframe needs pandas: install it with `pip install pandas`, or use to_csv().") from None
        heads = ["name", "size", "start", "end", "offset", "pool", "memory", "kind"]
        rows = [[getattr(buffer, head) for head in heads] for buffer in self.buffers]
        return pandas.DataFrame(rows, columns=heads)

    def source(self) -> Source:
        """Returns the plan as an input of the program."""
        data = json.dumps(self.document, ensure_ascii=False).encode("utf-8", "surrogatepass")
        return Source(data=data, name=self.graph or "plan", suffix=".json", is_named=True)

    def _shown(self) -> Run:
        """Returns what the page is given: it runs no planner of yours, but shows the plan that yours made."""
        if not is_own(self._run.planner):
            return self._run
        return Run(self.source(), Reading(), Scope(), "imported")

    def __memplan_source__(self) -> Source:
        return self.source()

    def _repr_html_(self) -> str:
        """Returns a picture with the figures for a notebook. It needs no script."""
        svg = self._run.ask("svg", "--size=900x300", "--plan-only", "--title").text
        # Pictures of one notebook are in one document, where a name stands for one thing.
        own = f"memplan-{zlib.crc32(svg.encode()):08x}-"
        svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{own}", svg[svg.find("<svg") :])
        fault = ""
        if not self.valid:
            fault = f'<p style="color:#b00020"><strong>{html.escape(_faults(self.check()))}</strong></p>'
        return f'<div style="max-width:900px;background:#fff;color:#000">{fault}{svg}</div>'


def _faults(check: Check) -> str:
    """Says in a sentence that a plan is invalid, and why, by the first rule that it breaks."""
    broken = [finding.message for finding in check.findings if not finding.quirk]
    more = f" ({len(broken)} in all)" if len(broken) > 1 else ""
    return f"This plan is invalid: {broken[0] if broken else 'it breaks a rule.'}{more}"


def plan_of(document: Dict[str, Any], run: Run, notes: Tuple[str, ...] = (), valid: bool = True) -> Plan:
    """Returns the plan of a memory-plan/1."""
    metrics = document["metrics"]
    pools = {pool.get("id", number): pool for number, pool in enumerate(document["pools"])}
    name_of = {number: pool.get("name") or f"pool {number}" for number, pool in pools.items()}
    return Plan(
        graph=document.get("graph", ""),
        planner=document.get("planner", run.planner),
        options=document.get("options", {}),
        steps=document["steps"],
        peak=metrics["peak"],
        bound=metrics["placed_lower_bound"] if metrics["placed"] else metrics["lower_bound"],
        waste=metrics["waste"],
        held=metrics.get("held"),
        optimal=metrics.get("optimal"),
        proved_bound=metrics.get("proved_bound"),
        unshared=metrics["unshared"],
        pools=tuple(
            Pool(number, name_of[number], pool["size"], pool.get("device") or "") for number, pool in pools.items()
        ),
        buffers=tuple(_buffer(row, name_of) for row in document["buffers"]),
        unplanned=tuple(
            LeftOut(row["name"], row["size"], row["start"], row["end"], row["reason"])
            for row in document.get("unplanned", [])
        ),
        notes=notes,
        valid=valid,
        document=document,
        _run=run,
    )


def _buffer(row: Dict[str, Any], name_of: Mapping[int, str]) -> Buffer:
    pool = row.get("pool", 0)
    return Buffer(
        name=row["name"],
        size=row["size"],
        start=row["start"],
        end=row["end"],
        offset=row["offset"],
        memory=name_of.get(pool, f"pool {pool}"),
        pool=pool,
        kind=row.get("kind"),
        align=row.get("align", 1),
        shares=row.get("shares"),
        gaps=tuple(tuple(gap) for gap in row.get("gaps", [])),
    )


def check_of(source: Source, words: Tuple[str, ...] = ()) -> Check:
    """Checks the plan that an input holds."""
    path, stdin = source.given()
    found = _program.run(["check", "--json", *words, "--", path], stdin, fine=(0, 1)).json()
    findings = tuple(
        Finding(row["kind"], row["message"], tuple(row["buffers"]), row["quirk"]) for row in found["findings"]
    )
    return Check(valid=found["valid"], findings=findings, metrics=found["metrics"])
