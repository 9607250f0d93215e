"""What several tests need: files of the repository, and programs that stand in for memplan."""

import os
import stat
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import memplan

pytest_plugins = ["pytester"]

DATA = Path(__file__).resolve().parents[2] / "tests" / "data"

GRAPH = {
    "format": "memory-graph/1",
    "name": "chain 链",
    "symbols": {"s0": {"hint": 2, "min": 1, "max": 64}},
    "tensors": [
        {"name": "x", "dtype": "int8", "shape": ["s0", 8], "kind": "input"},
        {"name": "y", "dtype": "int8", "shape": ["s0", 16], "kind": "intermediate"},
        {"name": "z", "dtype": "int8", "shape": ["s0", 4], "kind": "output"},
    ],
    "nodes": [
        {"name": "first", "op": "matmul", "inputs": ["x"], "outputs": ["y"]},
        {"name": "second", "op": "relu", "inputs": ["y"], "outputs": ["z"]},
    ],
}

ROWS = [("a", 1000, 0, 3), ("b", 640, 1, 5), ("c", 600, 3, 7), ("d", 320, 4, 6)]


@pytest.fixture
def refused():
    """Calls a function that must raise ``memplan.Error``, and returns the error."""

    def call(function, *args, **given):
        with pytest.raises(memplan.Error) as raised:
            function(*args, **given)
        words = str(raised.value)
        assert words and "Traceback" not in words, words
        return raised.value

    return call


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Puts a Python script in place of the program."""
    if os.name == "nt":
        pytest.skip("a script is no program on Windows")

    def put(code):
        program = tmp_path / "stand_in.py"
        program.write_text(f"import sys\n{code}\n", encoding="utf-8")
        # By a shell: the line `#!` of a script knows no spaces in a path.
        script = tmp_path / "memplan-stand-in"
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{program}" "$@"\n', encoding="utf-8")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("MEMPLAN_PROGRAM", str(script))
        return script

    return put


@pytest.fixture
def plugin():
    """Arguments by which pytest finds the fixture, whether or not the package is installed."""
    found = entry_points()
    names = found.select(group="pytest11") if hasattr(found, "select") else found.get("pytest11", [])
    return [] if any(entry.value == "memplan._pytest" for entry in names) else ["-p", "memplan._pytest"]
