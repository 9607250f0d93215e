"""What the commands other than ``plan`` answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Tuple

from ._plan import Plan, Readable
from ._program import Error


@dataclass(frozen=True)
class Option:
    """An option of a planner. ``allowed`` are its values; None if any text or number is one."""

    key: str
    default: str
    allowed: Optional[Tuple[str, ...]]
    original: str


@dataclass(frozen=True)
class Planner:
    """A planner that ``plan`` can run.

    ``needs`` is ``intervals``, or ``graph`` if a list of buffers is not enough. ``effort`` is ``pass``,
    or ``search`` if it looks at many plans. ``source`` names repository, version and file of the original.
    """

    id: str
    name: str
    system: str
    needs: str
    effort: str
    complexity: str
    options: Tuple[Option, ...]
    source: Mapping[str, str]


@dataclass(frozen=True)
class Row:
    """The figures of one planner on one input. Sizes in bytes.

    Figures are None if there is no plan, and ``reason`` then says why, or if the plan breaks rules.
    ``milliseconds`` is the time to plan. ``figures`` has all columns of ``memplan compare``.
    """

    graph: str
    planner: str
    options: Mapping[str, str]
    peak: Optional[int]
    held: Optional[int]
    bound: Optional[int]
    waste: Optional[int]
    ratio: Optional[float]
    valid: bool
    milliseconds: Optional[float]
    reason: Optional[str]
    figures: Mapping[str, Any] = field(repr=False)

    @property
    def need(self) -> Optional[int]:
        """The bytes by which plans are ranked: ``held`` if storages are given back, else ``peak``."""
        return self.peak if self.held is None else self.held


@dataclass(frozen=True)
class Comparison(Readable):
    """One row for each planner. ``str(comparison)`` is a table."""

    rows: Tuple[Row, ...]
    notes: Tuple[str, ...] = field(repr=False)
    _text: Callable[[str], str] = field(repr=False, compare=False)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, planner: str) -> Row:
        """Returns the first row of a planner.

        Raises:
            KeyError: no row is of this planner.
        """
        for row in self.rows:
            if row.planner == planner:
                return row
        raise KeyError(planner)

    def markdown(self) -> str:
        """Returns the table as Markdown."""
        return self._text("markdown")

    def dataframe(self) -> Any:
        """Returns all figures as a ``pandas.DataFrame``.

        Raises:
            Error: pandas is not installed.
        """
        try:
            import pandas  # type: ignore[import-untyped, unused-ignore]
        except ImportError:
            raise Error("A dataframe needs pandas: install it with `pip install pandas`, or use markdown().") from None
        return pandas.DataFrame([dict(row.figures) for row in self.rows])

    def __str__(self) -> str:
        return self._text("table")


@dataclass(frozen=True)
class Diff(Readable):
    """What differs between two versions. ``str(diff)`` is a report. Sizes in bytes.

    ``change`` is the new peak minus the old one, ``relative`` the same divided by the old peak. ``blame``
    is ``graph``, ``plan``, ``both`` or ``none``: what made the peak change. ``failed`` is True if the
    peak rose above ``fail_above``. ``document`` is diff/1.
    """

    planner: str
    old_peak: Optional[int]
    new_peak: Optional[int]
    change: int
    relative: Optional[float]
    blame: str
    failed: bool
    notes: Tuple[str, ...] = field(repr=False)
    document: Dict[str, Any] = field(repr=False, compare=False)
    _text: Callable[[str], str] = field(repr=False, compare=False)

    def markdown(self) -> str:
        """Returns the report as Markdown, as for a pull request."""
        return self._text("markdown")

    def svg(self) -> str:
        """Returns both load curves as SVG."""
        return self._text("svg")

    def __str__(self) -> str:
        return self._text("text")


@dataclass(frozen=True)
class Fit(Readable):
    """The cheapest changes that fit, or the proof that there are none. ``str(fit)`` is a report.

    ``result`` is ``fits``, ``impossible`` (proved) or ``unknown``. ``before`` is the largest load as the
    input is, ``after`` the peak of the plan, the bound of the proof, or the least that was found, in
    bytes. ``price`` has macs, bytes_moved and weight_bytes. ``moves`` are the changes in order.
    ``graph`` is the changed graph as memory-graph/1 and ``plan`` its plan, if it fits.
    ``document`` is fit/1.
    """

    result: str
    optimal: bool
    before: Optional[int]
    after: Optional[int]
    price: Optional[Mapping[str, Any]]
    moves: Tuple[Mapping[str, Any], ...] = field(repr=False)
    graph: Optional[Dict[str, Any]] = field(repr=False, compare=False)
    plan: Optional[Plan] = field(repr=False)
    notes: Tuple[str, ...] = field(repr=False)
    document: Dict[str, Any] = field(repr=False, compare=False)
    _text: Callable[[str], str] = field(repr=False, compare=False)

    def __bool__(self) -> bool:
        return self.result == "fits"

    def __str__(self) -> str:
        return self._text("text")


@dataclass(frozen=True)
class WhatIf(Readable):
    """What other settings of the CUDA allocator would have done. ``str(whatif)`` is a table.

    ``runs`` says whether the recorded settings run on the card, or is None without one. ``cheapest``
    is the change of fewest settings that avoids an out of memory, or None. ``rows`` are dicts with
    settings, reserved_peak, allocated_peak, largest_gap, cudamalloc_calls, smallest_card and on_card;
    the first is that of the recorded settings. ``equal`` says whether a replay with unchanged
    settings is the recording. Sizes in bytes. ``document`` is whatif/1.
    """

    verdict: str
    runs: Optional[bool]
    cheapest: Optional[str]
    equal: bool
    rows: Tuple[Mapping[str, Any], ...] = field(repr=False)
    notes: Tuple[str, ...] = field(repr=False)
    document: Dict[str, Any] = field(repr=False, compare=False)
    _text: Callable[[], str] = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self._text()


@dataclass(frozen=True)
class Written:
    """A model with a plan inside. ``model`` are the bytes of the file, ``figures`` is write/1."""

    model: bytes = field(repr=False)
    figures: Mapping[str, Any]
    notes: Tuple[str, ...] = field(repr=False)
