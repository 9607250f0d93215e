"""Node data of Model Explorer, against its own classes and its own reader of models."""

import json
import subprocess
import sys

import pytest
from conftest import DATA

builder = pytest.importorskip("model_explorer.node_data_builder", reason="ai-edge-model-explorer is not installed")

MODEL = str(DATA / "tflite/small_cnn_int8.tflite")
#: What its reader adds to the operators of a model.
ADDED = ("GraphInputs", "GraphOutputs", "pseudo_const")


@pytest.mark.parametrize("form", ["model-explorer", "model-explorer-offset", "model-explorer-free"])
def test_every_operator_is_found_by_its_outputs(form):
    import dacite
    from model_explorer.builtin_tflite_flatbuffer_adapter import BuiltinTfliteFlatbufferAdapter

    command = [sys.executable, "-m", "memplan", "plan", MODEL, "--planner=best", f"--format={form}", "--quiet"]
    written = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    strict = dacite.Config(strict=True)
    data = {graph: dacite.from_dict(builder.GraphNodeData, value, strict) for graph, value in written.items()}
    again = json.loads(builder.ModelNodeData(data).to_json_string())
    assert all(again[graph]["results"] == value["results"] for graph, value in written.items())
    (collection,) = BuiltinTfliteFlatbufferAdapter().convert(MODEL, {})["graphCollections"]
    for graph in collection.graphs:
        operators = [node for node in graph["nodes"] if node["label"] not in ADDED]
        for node in operators:
            attributes = [pair for output in node["outputsMetadata"] for pair in output["attrs"]]
            names = {pair["value"] for pair in attributes if pair["key"] == "tensor_name"}
            assert names & data[graph["id"]].results.keys(), node["label"]
        assert len(operators) == 12
