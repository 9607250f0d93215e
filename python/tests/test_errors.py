"""Everything that fails is a sentence with the way out."""

import signal
import subprocess
import sys
import textwrap
import time

import pytest
from conftest import GRAPH, ROWS

import memplan
from memplan import _program


def test_faults_of_a_file_are_a_list(refused):
    graph = {"format": "memory-graph/1", "tensors": [{"name": "a"}], "nodes": []}
    error = refused(memplan.plan, graph)
    assert error.code == 2 and len(error.faults) == 4 and error.faults[0] in str(error)
    assert "dtype" in error.faults[0]


@pytest.mark.parametrize(
    "function, words",
    [
        (lambda: memplan.plan("nope.onnx"), "nope.onnx"),
        (lambda: memplan.plan("ex:nope"), "memplan list --examples"),
        (lambda: memplan.plan(ROWS, "frist-fit"), "Did you mean `first-fit`?"),
        (lambda: memplan.plan(ROWS, "first-fit", tei="size"), "Did you mean `tie`?"),
        (lambda: memplan.plan(ROWS, "inductor-tree"), "needs a graph"),
        (lambda: memplan.plan(GRAPH, "naive", align=3), "a power of two"),
        (lambda: memplan.plan(GRAPH, "naive", symbol={"s9": 1}), "s9"),
        (lambda: memplan.plan(b"garbage"), "The type of this file is unknown"),
        (lambda: memplan.plan([("a", 1)]), "Row 0"),
        (lambda: memplan.plan([("a", "x", 0, 2)]), "size is `x`"),
        (lambda: memplan.plan([("a", 1, 0, 2), ("b", -3, 0, 2)]), "row 1: size is -3"),
        (lambda: memplan.plan({"a": {1}}), "cannot be written as JSON"),
        (lambda: memplan.plan(3.5), "nothing that memplan reads"),
        (lambda: memplan.plan(len), "jax.jit"),
        (lambda: memplan.plan("ex:teaching", args=(1,)), "leave them out"),
        (lambda: memplan.plan("-"), "its bytes"),
        (lambda: memplan.check("ex:teaching"), "no plan to check"),
        (lambda: memplan.fit("ex:teaching"), 'SRAM="512KiB"'),
        (lambda: memplan.plan(ROWS, "best-fit").why("nope"), "no buffer `nope`"),
        (lambda: memplan.plan(ROWS, "best-fit").at(99), "the last step is 6"),
        (lambda: memplan.plan(ROWS, "best-fit").svg("no such folder/x.svg"), "could not be written"),
        (lambda: memplan.plan(open(__file__, encoding="utf-8")), "mode 'rb'"),
    ],
)
def test_sentences(function, words, refused):
    assert words in str(refused(function))


def test_a_search_without_a_plan_has_its_code(refused):
    assert refused(memplan.plan, "ex:teaching", "exact", capacity=100).code == 3


def test_unknown_keywords_are_those_of_python():
    with pytest.raises(TypeError, match="Keywords of the input"):
        memplan.compare(ROWS, foo=1)


def test_a_missing_program(monkeypatch, refused, tmp_path):
    monkeypatch.setenv("MEMPLAN_PROGRAM", str(tmp_path / "none"))
    assert "MEMPLAN_PROGRAM is" in str(refused(memplan.plan, ROWS))
    monkeypatch.delenv("MEMPLAN_PROGRAM")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(_program, "_folders", lambda: [tmp_path])
    assert "pip install --force-reinstall memplan" in str(refused(memplan.plan, ROWS))


def test_a_program_that_cannot_be_started(monkeypatch, refused, tmp_path):
    broken = tmp_path / "memplan"
    broken.write_bytes(b"no program")
    monkeypatch.setenv("MEMPLAN_PROGRAM", str(broken))
    assert "could not be started" in str(refused(memplan.plan, ROWS))


def test_another_program_of_this_name(stand_in, refused):
    stand_in("print('hello')")
    assert "no JSON" in str(refused(memplan.plan, ROWS))


def test_an_old_program_says_how_to_update(stand_in, refused):
    stand_in(
        "if '--version' in sys.argv: print('memplan 0.0.1')\n"
        "else: sys.stderr.write(\"error: unrecognized subcommand 'html'\\n\\nUsage: memplan\\n\"); sys.exit(2)"
    )
    words = str(refused(memplan.show, ROWS))
    assert "memplan 0.0.1" in words and "pip install --upgrade memplan" in words and "Plan.svg()" in words


def test_a_program_that_is_killed(stand_in, refused):
    stand_in("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert "signal 9" in str(refused(memplan.plan, ROWS))


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_ends_the_program_too(stand_in, tmp_path):
    marker = tmp_path / "pid"
    stand_in(f"import os, time; open({str(marker)!r}, 'w').write(str(os.getpid())); time.sleep(60)")
    code = textwrap.dedent(
        """
        import memplan
        try:
            memplan.plan([("a", 8, 0, 1)])
        except KeyboardInterrupt:
            print("interrupted")
        """
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True)
    for _ in range(200):
        if marker.exists() and marker.read_text():
            break
        time.sleep(0.05)
    # To Python alone, as the kernel of a notebook gets it.
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=20)[0] == b"interrupted\n"
    with pytest.raises(ProcessLookupError):
        _alive(int(marker.read_text()))


def _alive(pid):
    import os

    for _ in range(100):
        os.kill(pid, 0)
        time.sleep(0.05)
