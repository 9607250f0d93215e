"""Turns what the user has at hand into an input of the program.

No library is imported here: an object of torch, jax, onnx, numpy or pandas brings its library along.
"""

from __future__ import annotations

import os
import pickle
from typing import Any, Dict, Iterable, Optional, Tuple

from ._program import Error
from ._source import Source, dumps

#: Beginnings of files, for the names of temporary files. The program itself goes by the contents.
_MAGIC = ((4, b"TFL3", ".tflite"), (4, b"ET", ".pte"), (0, b"PK\x03\x04", ".pt2"), (0, b"\x80", ".pickle"))

#: Objects that can be called and yet are captured as they are.
_CALLABLE_VALUES = (
    ("torch", "ExportedProgram"),
    ("torch", "ONNXProgram"),
    ("jax", "Compiled"),
    ("keras", "Model"),
    ("tensorflow", "Module"),
)


class Call:
    """How a live model is called: its arguments, and what its export needs to know."""

    def __init__(
        self,
        args: Iterable[Any] = (),
        kwargs: Optional[Dict[str, Any]] = None,
        dynamic_shapes: Any = None,
        training: bool = False,
        loss: Any = None,
    ) -> None:
        if isinstance(args, (list, tuple)):
            self.args = tuple(args)
        else:
            # A single tensor is what many mean.
            self.args = (args,)
        self.kwargs = dict(kwargs or {})
        self.dynamic_shapes = dynamic_shapes
        self.training = training
        self.loss = loss

    @property
    def is_given(self) -> bool:
        return bool(self.args or self.kwargs or self.training or self.loss or self.dynamic_shapes)


def source_of(x: Any, call: Optional[Call] = None, name: Optional[str] = None) -> Source:
    """Returns the input that an object stands for.

    Raises:
        Error: nothing is known of such objects, or its library refuses it.
    """
    call = call or Call()
    if _calls(x):
        return _of_call(x, call, name)
    if call.is_given:
        kind = _kind(x)
        raise Error(
            "args, kwargs, dynamic_shapes, training and loss are for torch modules and jax functions. "
            f"{kind} is neither: leave them out, or give the module itself."
        )
    return _of_value(x, name)


def _of_value(x: Any, name: Optional[str]) -> Source:
    if isinstance(x, Source):
        return x
    if hasattr(x, "__memplan_source__"):
        own: Source = x.__memplan_source__()
        return own
    if isinstance(x, (str, os.PathLike)):
        return _of_path(x)
    if isinstance(x, (bytes, bytearray, memoryview)):
        data = bytes(x)
        return Source(data=data, name=name or "input", suffix=_suffix(data))
    if isinstance(x, dict):
        return _of_dict(x, name)
    if isinstance(x, (list, tuple)):
        from ._rows import of_list

        return of_list(list(x), name or "buffers")
    if _is(x, "numpy", "ndarray"):
        from ._rows import of_array

        return of_array(x, name or "buffers")
    if _is(x, "pandas", "DataFrame"):
        from ._rows import of_frame

        return of_frame(x, name or "buffers")
    if _is(x, "torch", "ONNXProgram"):
        x = x.model_proto
    if _is(x, "onnx", "ModelProto"):
        from ._onnx import of_model

        return of_model(x, name)
    if _is(x, "torch", "ExportedProgram"):
        from ._torch import of_exported

        return of_exported(x, name)
    if _is(x, "executorch", "EdgeProgramManager"):
        from ._torch import of_exported

        return of_exported(x.exported_program(), name)
    if _is(x, "executorch", "ExecutorchProgramManager"):
        return Source(data=bytes(x.buffer), name=name or "program", suffix=".pte")
    if _is(x, "jax", "Compiled") or _is(x, "jax", "Lowered") or _is(x, "jax", "Traced"):
        from ._jax import of_stage

        return of_stage(x, name)
    if callable(getattr(x, "read", None)):
        data = x.read()
        if isinstance(data, bytes):
            return _of_value(data, name)
        raise Error("The file is open for text. Open it with mode 'rb', or give its path.")
    if _is(x, "keras", "Model") or _is(x, "tensorflow", "Module"):
        raise Error(
            f"{_kind(x)} cannot be captured. Convert it with tf.lite.TFLiteConverter and give the bytes of the "
            "result, or compile it with jax."
        )
    raise Error(
        f"{_kind(x)} is nothing that memplan reads. Give a path, the bytes of a model file, a dict of memory-graph/1, "
        "rows (name, size, start, end), an array, a table, or a model of torch, onnx or jax (docs/python.md)."
    )


def _calls(x: Any) -> bool:
    """Whether an object is captured by calling it."""
    if _is(x, "torch", "Module"):
        return True
    is_value = any(_is(x, library, name) for library, name in _CALLABLE_VALUES)
    return callable(x) and not isinstance(x, type) and not is_value


def _of_call(x: Any, call: Call, name: Optional[str]) -> Source:
    if _is(x, "torch", "Module") or _has(call, "torch", "Tensor"):
        from ._torch import of_module

        return of_module(x, call, name)
    if callable(getattr(x, "lower", None)):
        from ._jax import of_jitted

        return of_jitted(x, call, name)
    raise Error(
        f"{_kind(x)} is captured by calling it. For torch, give the tensors of a call: args=(…). For jax, wrap the "
        "function in jax.jit first."
    )


def _of_path(x: Any) -> Source:
    path = os.fspath(x)
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if not path or path == "-":
        raise Error("The path is empty or `-`: give that of a file, or its bytes.")
    return Source(path=path)


def _of_dict(x: Dict[str, Any], name: Optional[str]) -> Source:
    if "segments" in x and "device_traces" in x:
        # Plain lists, dicts, texts and numbers: what torch.cuda.memory._dump_snapshot writes.
        return Source(data=pickle.dumps(x, protocol=4), name=name or "snapshot", suffix=".pickle")
    if name and str(x.get("format", "")).startswith("memory-graph/"):
        x = {**x, "name": name}
    named = x.get("name") or x.get("graph")
    data = dumps(x, "The dict")
    return Source(data=data, name=name or "graph", suffix=".json", is_named=isinstance(named, str))


def _suffix(data: bytes) -> str:
    for at, magic, suffix in _MAGIC:
        if data[at : at + len(magic)] == magic:
            return suffix
    return ""


def _is(x: Any, library: str, name: str) -> bool:
    """Whether an object is an instance of a class of this name in a library, without importing it."""
    for cls in type(x).__mro__:
        if cls.__name__ == name and (cls.__module__ or "").split(".")[0].startswith(library):
            return True
    return False


def _has(call: Call, library: str, name: str) -> bool:
    def inside(value: Any) -> bool:
        if isinstance(value, (list, tuple)):
            return any(map(inside, value))
        if isinstance(value, dict):
            return any(map(inside, value.values()))
        return _is(value, library, name)

    return inside(call.args) or inside(call.kwargs)


def _kind(x: Any) -> str:
    cls = type(x)
    label = cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
    return f"An object of type {label}"


def refusal(what: str, error: BaseException, way_out: str) -> Error:
    """Returns the error of a library with what to do instead."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    reason = (lines[0] if lines else type(error).__name__).rstrip(".:")
    shown: Tuple[str, ...] = (reason[:300],)
    return Error(f"{what}: {type(error).__name__}: {shown[0]}. {way_out}")
