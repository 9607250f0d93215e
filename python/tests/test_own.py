"""Planners that are functions, programs and files of the caller."""

import json
import re
import sys
from pathlib import Path

import pytest
from conftest import GRAPH, ROWS

import memplan


def first_fit(problem, start=0):
    placed = []
    for buffer in problem.buffers:
        live = sorted((offset, offset + other.size) for other, offset in placed if other.meets(buffer))
        offset = start
        for low, high in live:
            if low - offset >= buffer.size:
                break
            offset = max(offset, high)
        placed.append((buffer, offset))
    return [offset for _, offset in placed]


def test_a_function_returns_offsets():
    plan = memplan.plan(ROWS, first_fit)
    ours = memplan.plan(ROWS, "first-fit")
    assert plan.planner == "first_fit" and plan.check()
    assert [b.offset for b in plan.buffers] == [b.offset for b in ours.buffers]
    assert plan.peak == ours.peak and plan.bound == 1640
    assert plan.document["planner"] == "first_fit" and "first_fit decided so." in str(plan.why("a"))
    assert "by first_fit</title>" in plan.svg() and "answer:" not in plan._repr_html_()


def test_options_are_keywords_of_the_function():
    assert min(b.offset for b in memplan.plan(ROWS, first_fit, start=64).buffers) == 64


def test_a_function_gets_everything_that_a_planner_may_read():
    seen = []

    def stack(problem):
        seen.append(problem)
        top = 0
        for buffer in problem.buffers:
            yield buffer, top
            top += buffer.size

    plan = memplan.plan(GRAPH, stack, symbol={"s0": 3}, align=8)
    (problem,) = seen
    assert problem.name == "chain 链" and problem.steps == 2 and problem.capacity is None
    assert [(b.name, b.size, b.align, b.kind) for b in problem.buffers] == [
        ("x", 24, 8, "input"),
        ("y", 48, 8, "intermediate"),
        ("z", 12, 8, "output"),
    ]
    first, second = problem.nodes
    x, y, _ = problem.buffers
    assert (first.op, first.step, first.inputs, first.outputs) == ("matmul", 0, (x,), (y,))
    assert y.readers == (1,) and second.inputs == (y,)
    assert plan.peak == 84 and problem.memories[x.memory].arena is None


def test_events_are_explained():
    def looking(problem):
        top = 0
        for buffer in problem.buffers:
            yield {"look": buffer, "offset": 0, "reason": "the very bottom", "line": 4}
            yield {"note": f"{buffer.name} is next"}
            yield {"place": buffer.name, "offset": top, "line": 6}
            top += buffer.size

    plan = memplan.plan(ROWS, looking)
    why = plan.why("c")
    assert "line 6" in why.rule and any("the very bottom" in note for note in why.notes)
    assert any("c is next" in note for note in why.notes)
    assert "looking" in plan._repr_html_()


def test_an_overlap_is_shown_and_checked():
    plan = memplan.plan(ROWS, lambda problem: {buffer: 0 for buffer in problem.buffers})
    check = plan.check()
    assert not check and check.findings[0].kind == "overlap" and plan.peak == 1000


def test_what_is_no_answer_is_a_sentence(refused):
    cases = [
        (lambda problem: None, "returned NoneType. Return offsets"),
        (lambda problem: [0], "1 offsets for 4 buffers"),
        (lambda problem: [0, 1.5, 0, 0], "the offset 1.5. An offset is a whole number"),
        (lambda problem: [0, -1, 0, 0], "the offset -1"),
        (lambda problem: [(0, 1, 2)], "Yield (buffer, offset)"),
        (lambda problem: [{"put": 0}], "An event has place, look or note."),
        (lambda problem: [{"place": "nobody", "offset": 0}], "There is no buffer `nobody`."),
        (lambda problem: [(problem.buffers[0], 0)], "gave no place to 3 buffers"),
        (lambda problem: [(None, 0)], "named a buffer by None"),
    ]
    for function, words in cases:
        assert words in str(refused(memplan.plan, ROWS, function))


def test_what_a_function_raises_gets_through():
    def broken(problem):
        raise KeyError("mine")

    with pytest.raises(KeyError):
        memplan.plan(ROWS, broken)


def test_a_list_without_buffers_has_a_plan():
    graph = {"format": "memory-graph/1", "name": "empty", "tensors": [], "nodes": []}
    assert memplan.plan(graph, lambda problem: []).peak == 0


def test_programs_and_files_are_planners_too(tmp_path, refused):
    code = tmp_path / "mine.rhai"
    code.write_text("const OPTIONS = #{ at: 0 };\nfn place(buffer, gaps) { gaps[-1].start + OPTIONS.at }\n")
    assert memplan.plan(ROWS, str(code)).check()
    assert min(b.offset for b in memplan.plan(ROWS, str(code), at=32).buffers) == 32
    code.write_text("fn place(buffer, gaps) { gaps[0].stat }\n")
    assert "Did you mean `start`?" in str(refused(memplan.plan, ROWS, str(code)))
    script = tmp_path / "mine.py"
    script.write_text("import json, sys\nprint(json.dumps([0] * len(json.load(sys.stdin)['buffers'])))\n")
    plan = memplan.plan(ROWS, f'exec:"{sys.executable}" "{script}"')
    assert not plan.check() and plan.peak == 1000
    answer = tmp_path / "answer.json"
    answer.write_text(json.dumps([0, 1000, 2000, 3000]))
    assert memplan.plan(ROWS, f"answer:{answer}").check()


def test_the_program_of_the_documentation_runs(tmp_path):
    page = (Path(__file__).resolve().parents[2] / "docs" / "own-planner.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python mine.py\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    script = tmp_path / "mine.py"
    script.write_text(code, encoding="utf-8")
    plan = memplan.plan("ex:teaching", f'exec:"{sys.executable}" "{script}"')
    assert plan.check() and plan.peak == memplan.plan("ex:teaching", "first-fit").peak


def nothing_apart(problem):
    return [0] * len(problem.buffers)


def test_an_invalid_plan_says_so_wherever_it_is_shown():
    plan = memplan.plan(ROWS, nothing_apart)
    assert not plan.valid and not plan.check() and "valid=False" in repr(plan)
    assert "This plan is invalid: " in plan._repr_html_() and "hold the same bytes" in plan._repr_html_()
    good = memplan.plan(ROWS, first_fit)
    assert good.valid and "invalid" not in good._repr_html_() and memplan.plan(ROWS, "first-fit").valid


def test_functions_are_compared_by_their_names():
    found = memplan.compare(ROWS, [first_fit, nothing_apart, "best-fit"])
    ours = memplan.plan(ROWS, "first-fit")
    assert found["first_fit"].peak == ours.peak and not found["nothing_apart"].valid
    for text in (str(found), found.markdown()):
        assert "first_fit" in text.replace("\\_", "_") and "answer:" not in text
    lines = str(found).splitlines()
    assert len({line.index("yes") for line in lines if line.rstrip().endswith("yes")}) == 1, "columns stay columns"


def test_the_page_shows_the_plan_that_a_function_made(tmp_path):
    plan = memplan.plan(ROWS, first_fit)
    plan.html(tmp_path / "plan.html", light=True)
    assert "answer:" not in (tmp_path / "plan.html").read_text("utf-8")
    view = memplan.show(ROWS, first_fit, light=True)
    assert b"answer:" not in view.content and len(view.content) > 10_000


def test_what_a_function_cannot_do_is_said_with_a_way():
    with pytest.raises(memplan.Error, match="pass the two plans"):
        memplan.diff(ROWS, ROWS, first_fit)
    with pytest.raises(memplan.Error, match="plan=memplan.plan"):
        memplan.write("model.tflite", first_fit)
