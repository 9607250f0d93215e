"""A planner on an input: the arguments that several commands share."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import List, Optional, Sequence, Tuple, Union

from . import _program
from ._program import Answer, Error
from ._source import Reading, Scope, Source

PathLike = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Run:
    """An input, a planner with its options, and what of the input is planned."""

    source: Source
    reading: Reading
    scope: Scope
    planner: str
    options: Tuple[str, ...] = ()
    #: A file that the planner needs as long as this object lives.
    keeps: Optional[Source] = None

    def ask(self, command: str, *more: str, fine: Sequence[int] = (0,)) -> Answer:
        """Runs a command of one planner."""
        path, stdin = self.source.given()
        return _program.run([*self.words(command), *more, "--", path], stdin, fine)

    def words(self, command: str) -> List[str]:
        words = [command, f"--planner={self.planner}", *self.options]
        return words + self.reading.arguments() + self.scope.arguments()


def save(text: Union[str, bytes], path: Optional[PathLike]) -> None:
    """Writes a result to a file, if one was named.

    Raises:
        Error: the file cannot be written.
    """
    if path is None:
        return
    data = text.encode("utf-8") if isinstance(text, str) else text
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise Error(f"{os.fspath(path)} could not be written ({error}). Name another file.") from None
