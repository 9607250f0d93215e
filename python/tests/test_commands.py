"""The commands other than plan."""

import gzip
import os
import pickle
import subprocess
import sys

import pytest
from conftest import DATA, GRAPH, ROWS

import memplan
from memplan import _program


def test_compare():
    found = memplan.compare(ROWS, ["first-fit", "beam;k=4", "exact;capacity=100"])
    assert [row.planner for row in found][:2] == ["first-fit", "beam"] or found.rows[1].planner.startswith("beam")
    assert found["first-fit"].peak == 1640 and found["first-fit"].valid and found["first-fit"].milliseconds > 0
    refused = found["exact"]
    assert refused.peak is None and "100 bytes" in refused.reason
    assert "first-fit" in str(found) and found.markdown().startswith("|")
    with pytest.raises(KeyError):
        found["nope"]
    assert found._repr_html_().startswith("<pre>") and "first-fit" in found._repr_html_()
    assert len(memplan.compare(ROWS)) > 20 and len(memplan.compare(ROWS, "naive")) == 1


def test_diff():
    found = memplan.diff(ROWS, [*ROWS, ("e", 400, 1, 5)], "best-fit", fail_above="3%")
    assert (found.old_peak, found.change, found.failed) == (1640, found.new_peak - 1640, True)
    assert "e" in str(found) and found.markdown() and "<svg" in found.svg()
    assert not memplan.diff(ROWS, ROWS, "best-fit", fail_above=0).failed
    assert memplan.diff(GRAPH, GRAPH, symbol={"s0": 4}).change == 0


def test_fit():
    found = memplan.fit("ex:mobilenet_v2", SRAM="6MiB")
    assert found and found.result == "fits" and found.after <= 6 << 20 < found.before
    assert found.plan.peak == found.after and found.plan.check() and found.graph["format"] == "memory-graph/1"
    assert memplan.plan(found.graph, "best").peak <= 6 << 20 and found.moves[0]["lever"] and "fits" in str(found)
    none = memplan.fit("ex:teaching", {"SRAM": 300})
    assert not none and none.result == "impossible" and none.plan is None and "proved" in str(none)


SNAPSHOTS = DATA.parent / "golden/data/cuda_allocator/snapshots"


def test_whatif(refused):
    found = memplan.whatif(SNAPSHOTS / "gpt_inference.pickle.gz", card="80MiB")
    assert found.runs is False and found.equal and "out of memory" in str(found)
    assert found.cheapest in [row["settings"] for row in found.rows[1:] if row["on_card"]["runs"]]
    assert found.document["format"] == "whatif/1" and found.rows[0]["settings"] == ""
    snapshot = pickle.loads(gzip.decompress((SNAPSHOTS / "plain.pickle.gz").read_bytes()))
    own = memplan.whatif(snapshot, settings=["expandable_segments:True"], torch="2.12")
    assert own.runs is None and len(own.rows) == 2 and own.document["card"] is None
    assert refused(memplan.whatif, "ex:diamond").code == 2
    assert refused(memplan.whatif, snapshot, card="much").code == 2


def test_write(tmp_path, refused):
    model = (DATA / "tflite/small_cnn_int8.tflite").read_bytes()
    written = memplan.write(model, "exact")
    assert memplan.plan(written.model, "imported").check() and any("arena" in note for note in written.notes)
    path = tmp_path / "planned.tflite"
    memplan.write(model, "exact", path)
    assert path.read_bytes() == written.model
    assert "force=True" in str(refused(memplan.write, model, "exact", path))
    memplan.write(model, "exact", path, force=True)
    program = (DATA / "executorch/tiny_add_cat.pte").read_bytes()
    own = memplan.plan(program, "imported")
    assert memplan.plan(memplan.write(program, plan=own).model, "imported").peak == own.peak
    assert "not both" in str(refused(memplan.write, program, "exact", plan=own))
    assert refused(memplan.write, b"garbage").code == 2


def test_write_into_onnx(refused):
    custom = (DATA.parent / "import/onnx/odd/custom.onnx").read_bytes()
    assert "no size" in str(refused(memplan.write, custom))
    written = memplan.write(custom, shape={"h": (4, 5)})
    assert memplan.plan(written.model, "imported").peak == memplan.plan(custom, "exact", shape={"h": (4, 5)}).peak


def test_planners():
    found = {planner.id: planner for planner in memplan.planners()}
    assert found["inductor-tree"].needs == "graph" and found["inductor-tree"].system == "Inductor"
    options = {option.key: option for option in found["first-fit"].options}
    assert "size" in options["tie"].allowed and options["tie"].default == "index"


def test_show(stand_in):
    stand_in(
        "open(sys.argv[sys.argv.index('-o') + 1], 'w').write('<!doctype html><p title=\"a\">名 &amp; \\'b\\'</p>')"
    )
    view = memplan.show(ROWS, "first-fit", height=438)
    html = view._repr_html_()
    assert 'sandbox="allow-scripts allow-downloads"' in html and "height:438px" in html
    inside = html.split('srcdoc="')[1].split('"></iframe>')[0]
    assert '"' not in inside and "<" not in inside, "nothing leaves the attribute"
    import html as escapes

    assert escapes.unescape(inside).encode() == view.content


def test_show_writes_a_page_that_asks_for_nothing(tmp_path):
    try:
        view = memplan.show(ROWS, "first-fit")
    except memplan.Error as error:
        pytest.skip(f"this program writes no page: {error}")
    assert b"<html" in view.content.lower()
    view.save(tmp_path / "plan.html")
    memplan.plan(ROWS, "first-fit").html(tmp_path / "again.html")
    assert (tmp_path / "plan.html").stat().st_size == (tmp_path / "again.html").stat().st_size


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
def test_an_html_file_does_not_fill_a_terminal():
    terminal, shown = os.openpty()
    words = [_program.find(), "html", "--light", "ex:teaching"]
    done = subprocess.run(words, stdout=shown, stderr=subprocess.PIPE, text=True)
    os.close(shown)
    os.close(terminal)
    assert done.returncode == 2 and "-o plan.html" in done.stderr
