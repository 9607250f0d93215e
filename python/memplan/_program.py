"""Finds the program ``memplan`` and runs it. Everything that is computed is computed there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any, Iterable, NamedTuple, Optional, Sequence, Set, Tuple

#: Path of the program to run, in place of the one that came with this package.
VARIABLE = "MEMPLAN_PROGRAM"

#: Paths of lists and tables that were written as CSV.
LISTS: Set[str] = set()

_NOTES = ("note: ", "warning: ")


class Error(Exception):
    """What memplan refused, or could not capture, as a sentence with the way out.

    Attributes:
        code: the exit code of the program, or None if the program was not asked. 1: a plan is
            invalid; 2: unusable input or command; 3: no plan; 5: the file may be misread.
        faults: the reasons one by one. An invalid file can have several.
    """

    def __init__(self, message: str, code: Optional[int] = None, faults: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.faults: Tuple[str, ...] = tuple(faults) or (message,)


class Answer(NamedTuple):
    """What the program printed."""

    code: int
    output: bytes
    notes: Tuple[str, ...]
    #: Everything on standard error, line by line.
    told: Tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return self.output.decode("utf-8", "replace")

    def json(self) -> Any:
        try:
            return json.loads(self.output)
        except ValueError:
            raise Error(
                f"The program {find()} printed no JSON. It may be another program of this name: "
                f"set {VARIABLE} to the path of memplan."
            ) from None


def find() -> str:
    """Returns the path of the program: ``MEMPLAN_PROGRAM``, beside this package, or on ``PATH``."""
    named = os.environ.get(VARIABLE)
    if named:
        if Path(named).is_file():
            return named
        raise Error(f"{VARIABLE} is {named}, and there is no such file. Correct or unset the variable.")
    name = "memplan.exe" if os.name == "nt" else "memplan"
    for folder in _folders():
        if (folder / name).is_file():
            return str(folder / name)
    on_path = shutil.which("memplan")
    if on_path:
        return on_path
    raise Error(
        "The program memplan was not found beside this package or on PATH. Install the package again with "
        f"`{sys.executable} -m pip install --force-reinstall memplan`, or set {VARIABLE} to the path of the program."
    )


def _folders() -> Iterable[Path]:
    """Folders of programs: of this interpreter, of this user, and beside ``pip install --target``."""
    # Of Python 3.10 and newer; on macOS, the scheme of a user can have another name.
    preferred = getattr(sysconfig, "get_preferred_scheme", lambda key: f"{os.name}_{key}")
    yield Path(sysconfig.get_path("scripts"))
    try:
        yield Path(sysconfig.get_path("scripts", preferred("user")))
    except KeyError:
        pass
    packages = Path(__file__).resolve().parent.parent
    yield packages / "bin"
    yield packages / "Scripts"


def run(arguments: Sequence[str], stdin: Optional[bytes] = None, fine: Sequence[int] = (0,)) -> Answer:
    """Runs the program and returns what it printed.

    Ctrl-C, or the interruption of a notebook's cell, ends the program too.

    Raises:
        Error: the program is missing, or ended with an exit code that is none of ``fine``.
    """
    program = find()
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    # An empty standard input, and not none: the program must never wait for the user's terminal.
    given = b"" if stdin is None else stdin
    try:
        done = subprocess.run(
            [program, *arguments], input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, creationflags=flags
        )
    except OSError as error:
        raise Error(
            f"The program {program} could not be started ({error}). Install the package again with "
            f"`{sys.executable} -m pip install --force-reinstall memplan`."
        ) from None
    lines = done.stderr.decode("utf-8", "replace").splitlines()
    if not LISTS.isdisjoint(arguments):
        # Row 1 of the CSV is its head; lists count from 0.
        lines = [re.sub(r"\brow (\d+)", lambda found: f"row {int(found[1]) - 2}", line) for line in lines]
    notes = tuple(line for line in lines if line.startswith(_NOTES))
    if done.returncode in fine:
        return Answer(done.returncode, done.stdout, notes, tuple(lines))
    raise _refusal(program, arguments, done.returncode, lines)


def _refusal(program: str, arguments: Sequence[str], code: int, lines: Sequence[str]) -> Error:
    faults = [line for line in lines if line.strip() and not line.startswith(_NOTES)]
    if faults and faults[0].startswith("error: "):
        if "unrecognized subcommand" in faults[0] or "unexpected argument" in faults[0]:
            version = version_of(program)
            return Error(
                f"{program} ({version}) is too old for `memplan {arguments[0]}` as it was asked. Update it with "
                f"`{sys.executable} -m pip install --upgrade memplan`, or unset {VARIABLE} if it names an old one.",
                code,
            )
        # What follows is the usage of the command line.
        head = faults[0][len("error: ") :]
        return Error(head[:1].upper() + head[1:] + ("" if head.endswith(".") else "."), code)
    if code < 0:
        return Error(
            f"The program {program} was ended by signal {-code}. If memory ran out, plan a smaller input.", code
        )
    if not faults:
        return Error(f"`memplan {arguments[0]}` ended with exit code {code} and no reason.", code)
    return Error("\n".join(faults), code, faults)


def version_of(program: str) -> str:
    """Returns what a program calls itself, such as ``memplan 0.1.0``."""
    try:
        told = subprocess.run([program, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return "of unknown version"
    return told.stdout.decode("utf-8", "replace").strip() or "of unknown version"
