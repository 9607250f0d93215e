"""Functions that jax compiled, with the plan that XLA made."""

from __future__ import annotations

from typing import Any, Optional

from ._capture import Call, refusal
from ._program import Error
from ._source import Source

_WAY_OUT = (
    "Set XLA_FLAGS='--xla_dump_to=FOLDER --xla_dump_hlo_as_proto' before jax starts, and give the path of "
    "FOLDER/*_after_optimizations.hlo.pb."
)


def of_jitted(function: Any, call: Call, name: Optional[str]) -> Source:
    """A function of ``jax.jit`` with its arguments; ``jax.ShapeDtypeStruct`` in place of an array costs nothing."""
    if call.training or call.loss or call.dynamic_shapes:
        raise Error(
            "training, loss and dynamic_shapes are for torch. For jax, give the jitted training step, "
            "such as jax.jit(jax.grad(loss)), with its arguments."
        )
    try:
        lowered = function.lower(*call.args, **call.kwargs)
    except Exception as error:
        way_out = (
            "Check that args and kwargs are those of the function; arguments that choose code are static_argnames."
        )
        raise refusal("jax could not lower the function", error, way_out) from error
    return of_stage(lowered, name or getattr(function, "__name__", None))


def of_stage(stage: Any, name: Optional[str]) -> Source:
    """A ``jax.stages.Traced``, ``Lowered`` or ``Compiled``."""
    try:
        lowered = stage.lower() if hasattr(stage, "lower") else stage
        compiled = lowered.compile() if hasattr(lowered, "compile") else lowered
    except Exception as error:
        raise refusal(
            "jax could not compile the function", error, "Compile it by itself to see the whole error."
        ) from error
    try:
        plan = compiled.memory_analysis().serialized_buffer_assignment_proto
        modules = compiled.runtime_executable().hlo_modules()
        module = modules[0].as_serialized_hlo_module_proto()
        module_name = modules[0].name
    except Exception as error:
        raise refusal("This jax does not hand out the plan of a compiled function", error, _WAY_OUT) from error
    if not plan:
        raise Error(f"This backend of jax states no plan of its buffers. {_WAY_OUT}")
    # HloProto: field 1 is the module, field 3 its buffer assignment.
    data = _field(1, module) + _field(3, plan)
    return Source(data=data, name=name or module_name or "function", suffix=".hlo.pb")


def _field(number: int, data: bytes) -> bytes:
    """A field of protobuf that holds bytes."""
    length, size = bytearray(), len(data)
    while size > 0x7F:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    length.append(size)
    return bytes([number << 3 | 2]) + bytes(length) + data
