"""Models of torch as programs of torch.export, without their weights."""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
import io
import logging
import sys
import warnings
from typing import Any, Callable, Iterator, List, Optional, Tuple

from ._capture import Call, refusal
from ._program import Error
from ._source import Source

_CONTROL_FLOW = ("data-dependent", "control flow", "GuardOnDataDependent", "is_nonzero", "torch.cond")


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Keeps back what torch prints of a failure that is reported as one sentence."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    printed = io.StringIO()
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
    # What the model itself prints stays.
    sys.stdout.write(printed.getvalue())


def of_exported(program: Any, name: Optional[str]) -> Source:
    """A ``torch.export.ExportedProgram``. Its weights are left out where torch can do that."""
    import torch

    for candidate in (_without_weights(program), program):
        try:
            with _quietly():
                # By a path: torch takes the name of the program from it.
                save = functools.partial(torch.export.save, candidate)
                return Source.written(name or "exported_program", ".pt2", save)
        except Error:
            raise
        except Exception as error:
            failed = error
    way_out = "Save it by torch.export.save to see the whole error."
    raise refusal("torch.export.save refused the program", failed, way_out) from failed


def _without_weights(program: Any) -> Any:
    """Returns the program with weights that take no memory, or the program itself if that fails."""
    try:
        from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

        state = program._state_dict
        if all(isinstance(value, FakeTensor) for value in state.values()):
            return program
        mode = FakeTensorMode(allow_non_fake_inputs=True)
        slim = copy.copy(program)
        slim._state_dict = {key: mode.from_tensor(value) for key, value in state.items()}
        slim._example_inputs = None
        return slim
    except Exception:
        return program


def of_module(model: Any, call: Call, name: Optional[str]) -> Source:
    """A ``torch.nn.Module``, or a function of tensors, with the arguments of one call."""
    program = export(model, call)
    return of_exported(program, name or _label(model, call))


def _label(model: Any, call: Call) -> str:
    inner = getattr(model, "_orig_mod", model)
    label = getattr(inner, "__name__", None) or type(inner).__name__
    return f"{label}_train" if call.training else label


def export(model: Any, call: Call) -> Any:
    """Exports a model under fake tensors, so that neither weights nor activations take memory."""
    try:
        import torch
        from torch.export import export as torch_export
    except ImportError as error:
        way_out = "torch 2.5 or newer is needed: pip install --upgrade torch."
        raise refusal("This torch cannot export models", error, way_out) from error
    # A compiled model is exported as it was before.
    model = getattr(model, "_orig_mod", model)
    if isinstance(model, torch.jit.ScriptModule):
        raise Error("TorchScript states no shapes. Give the module that it was made of, with args=.")
    if not isinstance(model, torch.nn.Module):
        model = _Function.of(model)
    if not call.args and not call.kwargs:
        raise Error(
            "A torch module is planned for one call: give its tensors, such as args=(torch.randn(1, 3, 224, 224),)."
        )
    if call.training:
        model = _with_loss(model, call)
    elif call.loss is not None:
        raise Error("loss= is for training graphs: add training=True, or leave it out.")
    program = _export(torch_export, model, call)
    return _with_backward(program) if call.training else program


def _export(torch_export: Callable[..., Any], model: Any, call: Call) -> Any:
    try:
        with _quietly():
            faked = _fake(model, call)
            if faked is None:
                return _call_export(torch_export, model, call.args, call.kwargs, call)
            mode, fake_model, args, kwargs = faked
            with mode:
                return _call_export(torch_export, fake_model, args, kwargs, call)
    except Exception as error:
        words = f"{type(error).__name__} {error}"
        if any(mark in words for mark in _CONTROL_FLOW):
            way_out = (
                "The path through the model depends on the values of tensors. Write that part with torch.cond, "
                "export a part without it, or use memplan.inductor(model, args), which splits the model there."
            )
        elif isinstance(error, (TypeError, AttributeError, KeyError)) or "shape" in words or "size" in words:
            way_out = "Check that args and kwargs are those that the model is called with, and dynamic_shapes if given."
        else:
            way_out = "Run torch.export.export(model, args) by itself to see the whole error, or export a part of it."
        raise refusal("torch.export refused the model", error, way_out) from error


def _call_export(torch_export: Callable[..., Any], model: Any, args: Any, kwargs: Any, call: Call) -> Any:
    return torch_export(model, args, kwargs or None, dynamic_shapes=call.dynamic_shapes, strict=False)


def _fake(model: Any, call: Call) -> Optional[Tuple[Any, Any, Any, Any]]:
    """Returns a mode, and the model and its arguments in it without memory; None if that fails."""
    import torch

    try:
        from torch._subclasses.fake_tensor import FakeCopyMode, FakeTensorMode
        from torch.fx.experimental.symbolic_shapes import ShapeEnv
        from torch.utils._pytree import tree_map_only

        mode = FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv())
        with FakeCopyMode(mode):
            fake_model = copy.deepcopy(model)
        fake = lambda tensor: mode.from_tensor(tensor, static_shapes=True)  # noqa: E731
        args, kwargs = tree_map_only(torch.Tensor, fake, (call.args, call.kwargs))
    except Exception:
        return None
    return mode, fake_model, args, kwargs


class _Function:
    """Functions of tensors as modules."""

    @staticmethod
    def of(function: Callable[..., Any]) -> Any:
        import torch

        class Function(torch.nn.Module):
            def forward(self, *args: Any, **kwargs: Any) -> Any:
                return function(*args, **kwargs)

        _takes_arguments_of(function, Function)
        return Function()


def _takes_arguments_of(function: Callable[..., Any], module: Any) -> None:
    """Names the arguments of ``module.forward`` like those of a function: dynamic_shapes goes by them."""
    try:
        signature = inspect.signature(function)
        own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        module.forward.__signature__ = signature.replace(parameters=[own, *signature.parameters.values()])
    except (TypeError, ValueError):
        # Some functions written in C state no arguments.
        return


def _with_loss(model: Any, call: Call) -> Any:
    """Returns a module whose first output is the loss."""
    import torch

    loss = call.loss
    if loss is None:
        return model

    class WithLoss(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, *args: Any, **kwargs: Any) -> Any:
            return loss(self.model(*args, **kwargs))

    _takes_arguments_of(model.forward, WithLoss)
    return WithLoss()


def _with_backward(program: Any) -> Any:
    """Returns forward and backward pass in one program, by a function that torch calls unstable."""
    import torch

    _loss_is_a_number(program)
    try:
        from torch.export.experimental import _export_forward_backward
    except ImportError:
        raise Error(
            f"torch {torch.__version__} has no torch.export.experimental._export_forward_backward, which training=True "
            "is built on (tested with torch 2.15). Use that torch, leave training out, or use memplan.inductor."
        ) from None
    try:
        with _quietly():
            return _export_forward_backward(program)
    except Exception as error:
        way_out = "Check that some parameter needs a gradient and that the loss depends on it, or leave training out."
        raise refusal("torch could not export the backward pass", error, way_out) from error


def _loss_is_a_number(program: Any) -> None:
    nodes: List[Any] = list(program.graph.nodes)
    results = nodes[-1].args[0]
    signature = program.graph_signature
    mutated = len(signature.buffers_to_mutate) + len(getattr(signature, "user_inputs_to_mutate", {}))
    users = results[mutated:]
    value = getattr(users[0], "meta", {}).get("val") if users else None
    if value is None or value.numel() != 1:
        found = "nothing" if value is None else f"a tensor of shape {tuple(value.shape)}"
        raise Error(
            f"training=True needs a loss, and the model returns {found} first. Give one, such as "
            "loss=lambda output: output.square().mean(), or a model that returns its loss."
        )
