"""What the program reads: a path, or bytes that go to it by standard input or a temporary file."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple, Union

from ._program import LISTS, Error

#: More than so many bytes go by a temporary file.
MOST_BY_INPUT = 1 << 20

_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\.|$)")


@dataclass
class Source:
    """One input of the program: ``path``, ``data``, or a temporary file."""

    path: Optional[str] = None
    data: Optional[bytes] = None
    #: Name of the document, which the program takes from that of the file.
    name: str = "input"
    suffix: str = ""
    #: Whether the data states its own name, so that that of the file does not count.
    is_named: bool = False
    #: Beginning of notes about how this package wrote the input, which say nothing to the user.
    own_note: Optional[str] = None
    _file: Optional[str] = field(default=None, repr=False)

    def given(self, by_input: bool = True) -> Tuple[str, Optional[bytes]]:
        """Returns the argument that stands for the input, and the bytes of standard input."""
        if self.path is not None:
            # An option begins with a dash, a path of a folder does not.
            return (os.path.join(os.curdir, self.path) if self.path.startswith("-") else self.path), None
        if by_input and self._file is None and self.is_named and len(self.data or b"") <= MOST_BY_INPUT:
            return "-", self.data
        return self.file(), None

    def concerns(self, notes: Tuple[str, ...]) -> Tuple[str, ...]:
        """Returns the notes of the program that concern the user."""
        return tuple(note for note in notes if not self.own_note or not note.startswith(self.own_note))

    def file(self) -> str:
        """Returns the path of a temporary file with the data. It is removed with this object."""
        if self._file is None:
            assert self.data is not None
            data = self.data
            self._write(lambda path: Path(path).write_bytes(data))
        assert self._file is not None
        if self.own_note is not None:
            LISTS.add(self._file)
            weakref.finalize(self, LISTS.discard, self._file)
        return self._file

    @classmethod
    def written(cls, name: str, suffix: str, write: Callable[[str], Any]) -> Source:
        """Returns the input that a function writes to the path of a file."""
        source = cls(name=name, suffix=suffix)
        source._write(write)
        return source

    def _write(self, write: Callable[[str], Any]) -> None:
        folder = tempfile.mkdtemp(prefix="memplan-")
        weakref.finalize(self, shutil.rmtree, folder, True)
        path = os.path.join(folder, file_name(self.name) + self.suffix)
        try:
            write(path)
        except OSError as error:
            raise Error(f"The temporary file {path} could not be written ({error}): make room there.") from None
        self._file = path


def file_name(name: str) -> str:
    """Returns a name that files may have on every system. Letters of all languages stay."""
    plain = re.sub(r"[^\w.+-]+", "_", name, flags=re.UNICODE).strip("._")[:60]
    plain = plain.strip("._") or "input"
    return f"_{plain}" if _RESERVED.match(plain) else plain


@dataclass(frozen=True)
class Reading:
    """How an input is read: the options that every command which reads a file has."""

    symbol: Optional[Mapping[str, int]] = None
    shape: Optional[Mapping[str, Union[str, int, Sequence[int]]]] = None
    parameters: Optional[str] = None
    constants: Optional[str] = None
    model: Optional[str] = None
    exclusive_end: bool = False

    def arguments(self) -> List[str]:
        words: List[str] = []
        for name, extents in (self.shape or {}).items():
            if isinstance(extents, (list, tuple)):
                extents = ",".join(str(extent) for extent in extents)
            elif isinstance(extents, int):
                extents = f"{extents} B"
            words += [f"--shape={name}={extents}"]
        for key in ("parameters", "constants", "model"):
            if getattr(self, key) is not None:
                words.append(f"--{key}={getattr(self, key)}")
        if self.exclusive_end:
            words.append("--exclusive-end")
        return words


@dataclass(frozen=True)
class Scope:
    """What of a graph is planned."""

    symbol: Optional[Mapping[str, int]] = None
    with_: Union[None, str, Sequence[str]] = None
    views: Optional[str] = None
    align: Optional[int] = None

    def arguments(self) -> List[str]:
        words = [f"--symbol={name}={value}" for name, value in (self.symbol or {}).items()]
        if self.with_ is not None:
            kinds = self.with_ if isinstance(self.with_, str) else ",".join(self.with_) or "none"
            words.append(f"--with={kinds}")
        if self.views is not None:
            words.append(f"--views={self.views}")
        if self.align is not None:
            words.append(f"--align={self.align}")
        return words


def set_options(options: Mapping[str, Any]) -> List[str]:
    """Returns the options of a planner as arguments."""

    def text(value: Any) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)

    return [f"--set={key}={text(value)}" for key, value in options.items()]


def dumps(document: Any, what: str) -> bytes:
    """Returns JSON in UTF-8."""
    try:
        return json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")
    except (TypeError, ValueError) as error:
        raise Error(f"{what} cannot be written as JSON ({error}): use texts, numbers, lists and dicts only.") from None
