"""Planners that are Python functions: they get a problem and answer in memory-problem/1."""

from __future__ import annotations

import json
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple

from ._program import Error
from ._source import Source

#: The largest offset that memplan takes.
_LARGEST = 2**53 - 1


@dataclass(frozen=True)
class ProblemBuffer:
    """A buffer that needs a place. It lives during the steps ``start <= step < end``."""

    id: int
    name: str
    size: int
    align: int
    start: int
    end: int
    kind: str
    memory: int
    readers: Tuple[int, ...]

    def meets(self, other: ProblemBuffer) -> bool:
        """Returns whether both live at a common step."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True)
class ProblemNode:
    """An operator, with the buffers that it reads and makes."""

    name: str
    op: str
    step: int
    inputs: Tuple[ProblemBuffer, ...]
    outputs: Tuple[ProblemBuffer, ...]


@dataclass(frozen=True)
class ProblemMemory:
    """A memory: buffers of different memories never share bytes."""

    device: str
    arena: Optional[int]


@dataclass(frozen=True)
class Problem:
    """What a planner is given. Sizes and offsets are in bytes."""

    name: str
    steps: int
    capacity: Optional[int]
    memories: Tuple[ProblemMemory, ...]
    buffers: Tuple[ProblemBuffer, ...]
    nodes: Tuple[ProblemNode, ...]


def problem_of(document: Mapping[str, Any]) -> Problem:
    """Returns the problem of a memory-problem/1."""
    buffers = tuple(ProblemBuffer(**{**row, "readers": tuple(row["readers"])}) for row in document["buffers"])

    def node(row: Mapping[str, Any]) -> ProblemNode:
        ends = {key: tuple(buffers[id] for id in row[key]) for key in ("inputs", "outputs")}
        return ProblemNode(row["name"], row["op"], row["step"], **ends)

    return Problem(
        document["name"],
        document["steps"],
        document["capacity"],
        tuple(ProblemMemory(**row) for row in document["memories"]),
        buffers,
        tuple(node(row) for row in document["nodes"]),
    )


def answered(planner: Callable[..., Any], problem: Problem, options: Mapping[str, Any]) -> Source:
    """Runs a function, and returns the file with its answer.

    Raises:
        Error: the answer is none. What the function raises itself gets through.
    """
    name = getattr(planner, "__name__", type(planner).__name__)
    answer = planner(problem, **options)
    if isinstance(answer, AnyMapping):
        events = [_event(name, pair) for pair in answer.items()]
    elif isinstance(answer, (str, bytes)) or not isinstance(answer, Iterable):
        found = type(answer).__name__
        raise Error(f"{name} returned {found}. Return offsets in the order of the buffers, or yield events.")
    else:
        items = list(answer)
        if items and all(isinstance(item, (tuple, AnyMapping)) for item in items):
            events = [_event(name, item) for item in items]
        else:
            if len(items) != len(problem.buffers):
                counts = f"{len(items)} offsets for {len(problem.buffers)} buffers"
                raise Error(f"{name} returned {counts}. Return one for each, in their order.")
            events = [_event(name, pair) for pair in zip(problem.buffers, items)]
    text = "".join(f"{json.dumps(event, ensure_ascii=False)}\n" for event in events)
    # A problem without buffers has no events, and an empty file is no answer.
    # Without an ending: sentences call the planner by the name of the file.
    return Source(data=(text or "[]").encode("utf-8", "surrogatepass"), name=name)


def _event(name: str, item: Any) -> Dict[str, Any]:
    if isinstance(item, tuple):
        if len(item) != 2:
            raise Error(f"{name} yielded {item!r}. Yield (buffer, offset), or a dict with place, look or note.")
        item = {"place": item[0], "offset": item[1]}
    event = dict(item)
    for key in ("place", "look"):
        if key in event:
            event[key] = _named(name, event[key])
            event["offset"] = _offset(name, event.get("offset"), event[key])
    if not any(key in event for key in ("place", "look", "note")):
        raise Error(f"{name} yielded {item!r}. An event has place, look or note.")
    return event


def _named(name: str, buffer: Any) -> Any:
    if isinstance(buffer, ProblemBuffer):
        return buffer.id
    if isinstance(buffer, (int, str)) and not isinstance(buffer, bool):
        return buffer
    raise Error(f"{name} named a buffer by {buffer!r}. Name it by itself, its position or its name.")


def _offset(name: str, offset: Any, buffer: Any) -> int:
    try:
        # Whole numbers of other libraries, such as numpy, count.
        whole: int = offset.__index__()
    except AttributeError:
        whole = -1
    if isinstance(offset, bool) or not 0 <= whole <= _LARGEST:
        raise Error(f"{name} gave buffer {buffer!r} the offset {offset!r}. An offset is a whole number from 0.")
    return whole


def is_own(planner: str) -> bool:
    """Returns whether a planner is one of the user, whose plan may be invalid."""
    words: List[str] = planner.split(";")
    return planner.startswith(("exec:", "answer:")) or words[0].strip().endswith(".rhai")
