"""ONNX models without their weights."""

from __future__ import annotations

from typing import Any, Optional

from ._capture import refusal
from ._source import Source

#: The reader looks at the contents of weights of up to so many entries, which may end up in shapes.
_SMALL = 64

_CONTENTS = (
    "raw_data",
    "float_data",
    "int32_data",
    "string_data",
    "int64_data",
    "double_data",
    "uint64_data",
    "external_data",
    "data_location",
)


def of_model(model: Any, name: Optional[str]) -> Source:
    """An ``onnx.ModelProto``. It is not changed, and its weights are neither copied nor written."""
    try:
        data = _without_weights(model).SerializeToString()
    except Exception as error:
        raise refusal(
            "The ONNX model could not be serialised", error, "Save it with onnx.save and give the path of the file."
        ) from error
    return Source(data=data, name=name or model.graph.name or "model", suffix=".onnx")


def _without_weights(model: Any) -> Any:
    slim = type(model)()
    for field, value in model.ListFields():
        if field.name == "graph":
            _copy_graph(value, slim.graph)
        elif field.name == "functions":
            for function in value:
                copy = slim.functions.add()
                copy.CopyFrom(function)
                _strip_nodes(copy.node)
        else:
            _copy_field(slim, field, value)
    return slim


def _copy_graph(graph: Any, slim: Any) -> None:
    for field, value in graph.ListFields():
        if field.name == "initializer":
            for tensor in value:
                _copy_tensor(tensor, slim.initializer.add())
        elif field.name == "node":
            for node in value:
                _copy_node(node, slim.node.add())
        else:
            _copy_field(slim, field, value)


def _copy_node(node: Any, slim: Any) -> None:
    for field, value in node.ListFields():
        if field.name != "attribute":
            _copy_field(slim, field, value)
            continue
        for attribute in value:
            copy = slim.attribute.add()
            if attribute.HasField("g"):
                copy.name, copy.type = attribute.name, attribute.type
                _copy_graph(attribute.g, copy.g)
            elif attribute.HasField("t"):
                copy.name, copy.type = attribute.name, attribute.type
                _copy_tensor(attribute.t, copy.t)
            else:
                copy.CopyFrom(attribute)


def _copy_tensor(tensor: Any, slim: Any) -> None:
    entries = 1
    for extent in tensor.dims:
        entries *= extent
    for field, value in tensor.ListFields():
        if entries <= _SMALL or field.name not in _CONTENTS:
            _copy_field(slim, field, value)


def _strip_nodes(nodes: Any) -> None:
    copies = [type(node)() for node in nodes]
    for node, copy in zip(nodes, copies):
        _copy_node(node, copy)
    del nodes[:]
    nodes.extend(copies)


def _copy_field(to: Any, field: Any, value: Any) -> None:
    target = getattr(to, field.name)
    if hasattr(target, "extend"):
        target.extend(value)
    elif hasattr(target, "CopyFrom"):
        target.CopyFrom(value)
    else:
        setattr(to, field.name, value)
