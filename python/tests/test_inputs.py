"""What can be planned, in every form in which people have it."""

import gc
import gzip
import json
import os
import subprocess
from pathlib import Path

import pytest
from conftest import DATA, GRAPH, ROWS

import memplan
from memplan import _source
from memplan._capture import source_of


def peaks(*inputs, planner="first-fit", **given):
    return {memplan.plan(x, planner, **given).peak for x in inputs}


def test_a_graph_is_the_same_as_dict_bytes_and_file(tmp_path):
    path = tmp_path / "-图 one.json"
    path.write_text(json.dumps(GRAPH), encoding="utf-8")
    data = json.dumps(GRAPH).encode()
    with open(path, "rb") as file:
        assert len(peaks(GRAPH, data, bytearray(data), gzip.compress(data), path, str(path), file)) == 1
    assert memplan.plan(path).graph == memplan.plan(GRAPH).graph == "chain 链"
    assert memplan.plan(GRAPH, name="other").graph == "other"


def test_a_path_that_looks_like_an_option(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-q.json").write_text(json.dumps(GRAPH), encoding="utf-8")
    assert memplan.plan("-q.json").graph == "chain 链"


def test_names_of_rows_stay_as_they_are():
    names = ["=1+1", "'a", "+", "名 字", " edge ", "a,b", 'say "x"', "-", "'=", "@x\t", "line\nbreak"]
    plan = memplan.plan([(name, 8, at, at + 2) for at, name in enumerate(names)], "naive")
    assert [buffer.name for buffer in plan.buffers] == names


def test_rows_with_addresses_are_a_plan():
    plan = memplan.plan([("a", 8, 0, 4, 0), ("b", 8, 2, 6, 16)], "imported")
    assert (plan.peak, [buffer.offset for buffer in plan.buffers]) == (24, [0, 16])
    assert memplan.plan(plan.buffers, "imported").peak == 24
    assert memplan.plan(plan, "imported").peak == 24, "a plan is an input, too"


def test_arrays():
    numpy = pytest.importorskip("numpy")
    rows = numpy.array([[8, 0, 3], [16, 1, 4]])
    assert [(b.size, b.start, b.end) for b in memplan.plan(rows).buffers] == [(8, 0, 3), (16, 1, 4)]
    fields = [("name", "U8"), ("size", "i8"), ("start", "i8"), ("end", "i8")]
    named = numpy.array([("x", 8, 0, 3), ("层", 16, 1, 4)], dtype=fields)
    assert [(b.name, b.end) for b in memplan.plan(named).buffers] == [("x", 3), ("层", 4)]
    assert memplan.plan([("a", numpy.int64(8), 0, numpy.int32(2))]).peak == 8


def test_tables():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS, columns=["name", "size", "start", "end"])
    assert peaks(frame, ROWS) == {1640}
    with_hole = pandas.DataFrame(
        {"id": ["a", "b"], "size": [8, 8], "lower": [0, 0], "upper": [2, 2], "offset": [0, None]}
    )
    assert memplan.plan(with_hole).peak == 16


def test_large_inputs_go_by_a_file_that_is_removed(monkeypatch):
    graph = dict(GRAPH, description="x" * (_source.MOST_BY_INPUT + 1))
    plan = memplan.plan(graph)
    path = plan._run.source._file
    assert path and os.path.exists(path) and plan.why("y").name == "y"
    del plan
    gc.collect()
    assert not os.path.exists(os.path.dirname(path))


@pytest.mark.parametrize("name", ["网络 1", "a/b\\c:d", "CON", "..", "x" * 300, ""])
def test_any_name_is_a_file_name(name):
    source = source_of(b"id,lower,upper,size\na,0,1,8\n", name=name or None)
    path = Path(source.file())
    assert path.exists() and path.parent.name.startswith("memplan-") and len(path.name) < 90


def test_models_of_microcontrollers_and_executorch():
    for path, planner in [
        (DATA / "tflite/small_cnn_int8.tflite", "tflm-greedy"),
        (DATA / "executorch/tiny_add_cat.pte", "imported"),
    ]:
        assert len(peaks(path, path.read_bytes(), planner=planner)) == 1


def test_a_snapshot_of_cuda_memory():
    frames = [{"filename": "model.py", "name": "forward", "line": 57}]
    blocks = [{"address": 512, "size": 1024, "requested_size": 1000, "state": "active_allocated", "frames": []}]
    segment = {"device": 0, "address": 512, "total_size": 1024, "stream": 0, "segment_type": "small", "blocks": blocks}
    alloc = {"action": "alloc", "addr": 512, "size": 1000, "stream": 0, "frames": frames, "time_us": 1}
    plan = memplan.plan({"segments": [segment], "device_traces": [[alloc]]}, "imported")
    assert plan.peak == 1000 and "model.py:57" in plan.buffers[0].name


def test_reader_options(tmp_path):
    text = b"id,start,end,size\na,0,2,8\nb,2,4,8\n"
    assert memplan.plan(text).bound == 16, "in a file, the column end is the last step"
    assert memplan.plan(text, exclusive_end=True).bound == 8


def test_the_command_line_is_in_the_package():
    import sys

    told = subprocess.run([sys.executable, "-m", "memplan", "--version"], stdout=subprocess.PIPE, check=True)
    assert told.stdout.startswith(b"memplan ")
