"""Every example of docs/python.md runs."""

import re
import shutil
from pathlib import Path

import pytest
from conftest import DATA

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python( [\w.]+)?\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
LIBRARIES = ("torch", "jax", "onnx")


def libraries(code):
    for library in LIBRARIES:
        if re.search(rf"^import {library}\b", code, re.MULTILINE):
            pytest.importorskip(library, reason=f"{library} is not installed")


def test_there_are_examples():
    assert len(BLOCKS) >= 8


@pytest.mark.parametrize(
    "code", [code for file, code in BLOCKS if not file], ids=lambda code: code.split("\n")[-2][:40]
)
def test_an_example(code, tmp_path, monkeypatch):
    libraries(code)
    monkeypatch.chdir(tmp_path)
    shutil.copy(DATA / "tflite/small_cnn_int8.tflite", "net.tflite")
    exec(compile(code, "docs/python.md", "exec"), {"__name__": "example"})


@pytest.mark.parametrize("file, code", [(file.strip(), code) for file, code in BLOCKS if file])
def test_a_test(file, code, pytester, plugin):
    libraries(code)
    pytester.makepyfile(**{file[: -len(".py")]: code})
    pytester.runpytest_subprocess(*plugin, "--memplan-update").assert_outcomes(passed=2)
    pytester.runpytest_subprocess(*plugin).assert_outcomes(passed=2)
