"""Writes the buffers of graphs that torch.compile compiles as memory-graph/1, for memplan.

On the command line, with a program that compiles and runs a model:

    python capture_inductor.py -o net.json program.py [arguments of the program]

or in a program:

    from capture_inductor import capture
    with capture("net.json"):
        torch.compile(model)(x)

A graph is one compiled graph: after fusion, with the operators in the order in which they run. Its
tensors are the buffers that the compiled code allocates. A result that overwrites an operand lies in
the storage of that operand, as in the compiled code. A second graph, such as one after a graph break
or a backward pass, goes to net-2.json, a third to net-3.json. The branches of torch.cond and the body
of a loop are compiled as graphs of their own: they go to net-true_graph_0.json and the like.

Not in the file, because the compiled code does not allocate them there: inputs, weights, buffers of
branches and bodies, and results that the kernels of libraries allocate themselves, such as those of
convolutions. Their number and bytes are printed. Tested with PyTorch 2.15; older versions from 2.7 on
have the same hooks.
"""

import argparse
import contextlib
import json
import pathlib
import runpy
import sys

import torch
from torch._inductor import config, ir
from torch._inductor.codegen.wrapper import AllocateLine, FreeIfNotReusedLine, PythonWrapperCodegen
from torch._inductor.virtualized import V


def elements(buffer):
    """The elements of the storage of a buffer; of a symbolic size, its hint."""
    size = V.graph.get_allocation_storage_size(buffer)
    sizes = V.graph.sizevars
    if hasattr(sizes, "optimization_hint"):
        return int(sizes.optimization_hint(size, fallback=0))
    return int(sizes.size_hint(size, fallback=0))


def nbytes(buffer):
    """The bytes of the storage of a buffer."""
    return elements(buffer) * buffer.get_dtype().itemsize


class GraphCapture:
    """The buffers of one compiled graph and the operators that use them."""

    def __init__(self, wrapper, takeovers):
        scheduler, removed = V.graph.scheduler, V.graph.removed_buffers
        # Position of the operator that makes a buffer, and of the one after which it is freed.
        self.made, self.freed, self.outside = {}, {}, {}
        for line in wrapper.lines:
            if not isinstance(line, (AllocateLine, FreeIfNotReusedLine)) or line.scheduler is not scheduler:
                continue
            # What updates an input or a buffer of the module in place is allocated in vain, and the
            # line is dropped.
            if isinstance(line, AllocateLine) and line.node.get_name() not in removed:
                self.made[line.node.get_name()] = (line.scheduler_node_index, line.node)
            if isinstance(line, FreeIfNotReusedLine):
                self.freed[line.node.get_name()] = line.scheduler_node_index
        # Results that overwrite an operand: neither is the result allocated, nor the operand freed.
        self.inplace = []
        for old, new, position in takeovers:
            before = self.made.get(old.get_name())
            if before and before[0] == position:
                # Made and overwritten by one fused operator: a single buffer.
                self.made[new.get_name()] = self.made.pop(old.get_name())
                # It may have taken over a storage before, which the buffer then has by its new name.
                renamed = {old.get_name(): new.get_name()}
                self.inplace = [(first, renamed.get(then, then), step) for first, then, step in self.inplace]
            elif before:
                self.made[new.get_name()] = (position, new)
                self.freed[old.get_name()] = position
                self.inplace.append((old.get_name(), new.get_name(), position))
        for operation in V.graph.operations:
            if isinstance(operation, (ir.ExternKernelAlloc, ir.MultiOutput)):
                name = operation.get_name()
                is_owner = not operation.get_inputs_that_alias_output()
                if name not in self.made and is_owner and not isinstance(operation.layout, ir.MultiOutputLayout):
                    self.outside[name] = operation
        self.operators = list(scheduler.nodes)
        self.is_inference = V.graph.is_inference

    def graph(self, name):
        """Returns the graph as a value of memory-graph/1."""
        tensors = []
        reads = [set() for _ in self.operators]
        writes = [[] for _ in self.operators]
        for buffer, (position, node) in sorted(self.made.items(), key=lambda made: made[1][0]):
            is_output = buffer not in self.freed
            tensors.append({
                "name": buffer,
                "dtype": str(node.get_dtype()).removeprefix("torch."),
                "shape": [elements(node)],
                "device": str(node.get_device()),
                "kind": "output" if is_output else "intermediate",
            })
            writes[position].append(buffer)
            last = self.freed.get(buffer, len(self.operators) - 1)
            for at in range(position + 1, last + 1):
                if any(read.name == buffer for read in self.operators[at].read_writes.reads):
                    reads[at].add(buffer)
            # Reads through views carry the name of the view.
            if not is_output and last > position:
                reads[last].add(buffer)
        nodes = []
        for at, operator in enumerate(self.operators):
            inputs, outputs = sorted(reads[at]), writes[at]
            node = {
                "name": f"{at}_{operator.get_name()}",
                "op": type(operator).__name__,
                "inputs": inputs,
                "outputs": outputs,
            }
            pairs = [[inputs.index(old), outputs.index(new)] for old, new, step in self.inplace if step == at]
            if pairs:
                # Decided by Inductor, whatever plans the storages afterwards.
                node["attrs"] = {"alias": pairs}
            nodes.append(node)
        return {"format": "memory-graph/1", "name": name, "tensors": tensors, "nodes": nodes}


@contextlib.contextmanager
def capture(path):
    """Writes every graph that is compiled inside, the first one to `path`."""
    path = pathlib.Path(path)
    count = 0
    takeovers = []
    passes, overwrite = PythonWrapperCodegen.run_wrapper_ir_passes, PythonWrapperCodegen.codegen_inplace_reuse

    def record_takeover(self, old, new):
        scheduler = V.graph.scheduler
        takeovers.append((V.graph, old, new, scheduler.nodes.index(scheduler.current_node)))
        return overwrite(self, old, new)

    def record_graph(self, is_inference):
        nonlocal count
        found = GraphCapture(self, [takeover[1:] for takeover in takeovers if takeover[0] is V.graph])
        takeovers[:] = [takeover for takeover in takeovers if takeover[0] is not V.graph]
        parent = getattr(V.graph, "parent", None)
        if parent is None:
            count += 1
            name = path.stem if count == 1 else f"{path.stem}-{count}"
        else:
            name = f"{path.stem}-{V.graph.name}"
        target = path.with_name(f"{name}{path.suffix}")
        target.write_text(json.dumps(found.graph(name)) + "\n")
        print(f"{target}: {len(found.made)} buffers, {len(found.operators)} operators", file=sys.stderr)
        if found.outside:
            outside = sum(nbytes(buffer) for buffer in found.outside.values())
            words = f"not in the file: {len(found.outside)} results that libraries allocate, {outside} B"
            print(words, file=sys.stderr)
        return passes(self, is_inference)

    PythonWrapperCodegen.run_wrapper_ir_passes = record_graph
    PythonWrapperCodegen.codegen_inplace_reuse = record_takeover
    try:
        # A graph that is found in the cache is not compiled.
        with config.patch(fx_graph_cache=False), torch._functorch.config.patch(enable_autograd_cache=False):
            yield
    finally:
        PythonWrapperCodegen.run_wrapper_ir_passes = passes
        PythonWrapperCodegen.codegen_inplace_reuse = overwrite
    if count == 0:
        print("Nothing was compiled: the program must call a compiled model.", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", required=True, metavar="FILE", help="file for the first graph")
    parser.add_argument("program", help="Python program that compiles and runs a model")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the program")
    given = parser.parse_args()
    sys.argv = [given.program, *given.arguments]
    sys.path[0] = str(pathlib.Path(given.program).resolve().parent)
    with capture(given.o):
        runpy.run_path(given.program, run_name="__main__")


if __name__ == "__main__":
    main()
