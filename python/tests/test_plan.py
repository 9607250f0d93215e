"""A plan, its figures, and what it answers."""

import json
import re

import pytest
from conftest import GRAPH, ROWS

import memplan


def test_the_figures_are_those_of_the_program():
    plan = memplan.plan(ROWS, "first-fit")
    figures = plan.document["metrics"]
    assert (plan.peak, plan.waste, plan.bound) == (figures["peak"], figures["waste"], figures["placed_lower_bound"])
    assert plan.bound == 1640 and plan.planner == "first-fit" and plan.steps == 7
    assert plan.need == plan.peak and plan.held is None
    assert [(b.name, b.size, b.start, b.end) for b in plan.buffers] == ROWS
    assert plan.buffers[0].memory == plan.pools[0].name and plan.pools[0].size == plan.peak


def test_storages_that_are_given_back_have_their_own_need():
    plan = memplan.plan("ex:teaching", "inductor-reuse")
    assert plan.held is not None and plan.need == plan.held <= plan.peak


def test_options_of_a_planner_are_keywords():
    assert memplan.plan(ROWS, "first-fit", tie="size").options["tie"] == "size"
    assert memplan.plan(ROWS, "beam;k=4").options["k"] == "4"
    assert memplan.plan("ex:two_branches", "first-fit", branch_safe=True).options["branch_safe"] == "true"


def test_symbols_scope_and_alignment_reach_the_program():
    assert memplan.plan(GRAPH, "naive").unshared == 2 * (8 + 16 + 4)
    assert memplan.plan(GRAPH, "naive", symbol={"s0": 3}).unshared == 3 * (8 + 16 + 4)
    assert memplan.plan(GRAPH, "naive", with_="none").unshared == 2 * 16
    assert memplan.plan(GRAPH, "naive", with_=["inputs"]).unshared == 2 * (8 + 16)
    assert all(b.offset % 64 == 0 for b in memplan.plan(GRAPH, "naive", align=64).buffers)


def test_why_is_a_sentence_about_the_buffer():
    plan = memplan.plan("ex:teaching", "first-fit")
    why = plan.why("F")
    assert why.name == "F" and why.frame > 0 and why.headline.startswith("F (200\u202fB") and why.rule
    assert str(why).startswith(why.headline) and why.effect in str(why)


def test_a_tensor_leads_to_the_buffer_that_holds_it():
    graph = json.loads(json.dumps(GRAPH))
    graph["nodes"][1]["attrs"] = {"alias": "true"}
    graph["tensors"][2]["shape"] = ["s0", 16]
    plan = memplan.plan(graph, "first-fit")
    assert plan.why("z").name == plan.why("y").name


def test_at_lists_what_is_alive():
    plan = memplan.plan("ex:unet_512", "first-fit")
    alive = plan.at()
    assert alive.load == alive.most == plan.bound == sum(buffer.bytes for buffer in alive.buffers)
    assert alive.buffers[0].bytes == max(buffer.bytes for buffer in alive.buffers)
    assert alive.fullest[0][0] == alive.step and alive.buffers[0].name in str(alive)
    first = plan.at(0)
    assert first.step == 0 and all(buffer.start == 0 for buffer in first.buffers)


def test_a_plan_is_checked_by_other_code():
    check = memplan.plan(ROWS, "best-fit").check()
    assert check and check.valid and check.findings == () and str(check) == "valid"
    broken = memplan.check([("a", 8, 0, 4, 0), ("b", 8, 2, 6, 4)])
    assert not broken and broken.findings[0].kind == "overlap" and broken.findings[0].buffers == ("a", "b")
    assert "same bytes" in str(broken)


def test_a_plan_that_breaks_rules_can_be_looked_at():
    plan = memplan.plan([("a", 8, 0, 4, 0), ("b", 8, 2, 6, 4)], "imported")
    assert plan.peak == 12 and not plan.check()


def test_pictures_and_tables(tmp_path):
    plan = memplan.plan(ROWS, "best-fit")
    svg = plan.svg(tmp_path / "计划 1.svg", width=700, height=300)
    assert (tmp_path / "计划 1.svg").read_text(encoding="utf-8") == svg and "<svg" in svg
    html = plan._repr_html_()
    assert "<svg" in html and "<script" not in html and "best-fit" in html or "best fit" in html
    assert "waiting" not in html and "not chosen" not in html and "not chosen" not in svg, "the plan, and no decision"
    other = memplan.plan("ex:teaching", "first-fit")._repr_html_()
    names = [set(re.findall(r'\bid="([^"]+)"', picture)) for picture in (html, other)]
    assert names[0] and not names[0] & names[1], "two pictures in one document"
    assert all(f'id="{name}"' in html for name in re.findall(r"url\(#([^)]+)\)", html))
    text = plan.to_csv(tmp_path / "plan.csv")
    assert text.startswith("id,lower,upper,size") and (tmp_path / "plan.csv").read_text(encoding="utf-8") == text
    assert json.loads(json.dumps(plan.document))["format"] == "memory-plan/1"
    assert "waste" in plan.gap() or "above" in plan.gap() or "bound" in plan.gap()


def test_a_plan_as_a_table_reads_back():
    pytest.importorskip("pandas")
    plan = memplan.plan(ROWS, "best-fit")
    frame = plan.dataframe()
    assert list(frame["name"]) == ["a", "b", "c", "d"]
    again = memplan.plan(frame, "imported")
    assert [b.offset for b in again.buffers] == [b.offset for b in plan.buffers] and again.check()


def test_plans_are_values():
    assert memplan.plan(ROWS, "best-fit") == memplan.plan(ROWS, "best-fit")
    assert "buffers=" not in repr(memplan.plan(ROWS, "best-fit")), "one line, however many buffers"
