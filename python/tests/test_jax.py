"""Functions that jax compiled, against the dump that XLA writes and against what it reports."""

import glob
import os
import subprocess
import sys

import pytest

import memplan

jax = pytest.importorskip("jax", reason="jax is not installed")

SOURCE = """
import jax, jax.numpy as jnp

def loss(weights, x):
    for weight in weights:
        x = jnp.tanh(x @ weight)
    return (x**2).sum()

shape = jax.ShapeDtypeStruct
arguments = ([shape((64, 64), "float32")] * 3, shape((16, 64), "float32"))
step = jax.jit(jax.grad(loss))
"""
scope = {}
exec(SOURCE, scope)
step, arguments = scope["step"], scope["arguments"]


def test_a_compiled_function_has_the_plan_of_its_dump(tmp_path):
    lowered = step.lower(*arguments)
    compiled = lowered.compile()
    plans = [memplan.plan(x, "imported") for x in (lowered, compiled, step.trace(*arguments))]
    plans.append(memplan.plan(step, "imported", args=arguments))
    assert len({plan.peak for plan in plans}) == 1 and plans[0].check()
    environment = dict(os.environ, XLA_FLAGS=f"--xla_dump_to={tmp_path} --xla_dump_hlo_as_proto")
    subprocess.run([sys.executable, "-c", SOURCE + "step.lower(*arguments).compile()"], env=environment, check=True)
    (dump,) = glob.glob(str(tmp_path / "*jit_loss*after_optimizations.hlo.pb"))
    of_file = memplan.plan(dump, "imported")
    assert sorted(b.size for b in of_file.buffers) == sorted(b.size for b in plans[1].buffers)
    stats = compiled.memory_analysis()
    told = stats.argument_size_in_bytes + stats.output_size_in_bytes + stats.temp_size_in_bytes
    assert of_file.peak == plans[1].peak == told


def test_refusals_are_sentences(refused, monkeypatch):
    assert "jax.jit" in str(refused(memplan.plan, scope["loss"], args=arguments))
    assert "could not lower" in str(refused(memplan.plan, step, args=arguments[1:]))
    assert "for torch" in str(refused(memplan.plan, step, args=arguments, training=True))
    compiled = step.lower(*arguments).compile()
    monkeypatch.setattr(type(compiled), "memory_analysis", lambda self: None)
    assert "xla_dump_hlo_as_proto" in str(refused(memplan.plan, compiled))
