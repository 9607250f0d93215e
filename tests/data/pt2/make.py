"""Makes the .pt2 files of this folder but two_branches.pt2. Run with torch (its version is in each file): python3 make.py"""

import io
import pathlib
import zipfile

import torch
from torch import nn
from torch.export import Dim, export, save

HERE = pathlib.Path(__file__).parent


class Attention(nn.Module):
    """Symbolic batch and length, views, several outputs of one node, a counter written back, a stepped slice."""

    def __init__(self):
        super().__init__()
        self.project = nn.Linear(8, 12, bias=False)
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x):
        self.calls.add_(1)
        q, k, v = self.project(x).chunk(3, dim=-1)
        weights = torch.softmax(q @ k.transpose(1, 2), dim=-1)
        out = torch.relu(weights @ v)
        values, indices = torch.topk(out, 2, dim=-1)
        return out.reshape(x.shape[0], -1), values[:, ::2], torch.cat([x, x + 1], dim=1)


class Branch(nn.Module):
    """Sub-graphs as arguments."""

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: torch.sin(x) * 2, lambda x: torch.cos(x), (x,))


class Nested(nn.Module):
    """A `cond` in a branch of a `cond`; one branch has a large tensor inside."""

    def __init__(self):
        super().__init__()
        self.wide, self.narrow = nn.Linear(64, 1024), nn.Linear(1024, 64)

    def forward(self, x):
        def heavy(x):
            return self.narrow(torch.relu(self.wide(x))) * 2

        def inner(x):
            return torch.cond(x.max() > 1, heavy, lambda x: x.clone(), (x,))

        return torch.cond(x.sum() > 0, lambda x: inner(x + 1).exp(), lambda x: x.sin(), (x,))


class Loop(nn.Module):
    """A `while_loop` with two states."""

    def forward(self, x):
        from torch._higher_order_ops.while_loop import while_loop

        def turn(i, x):
            tripled = torch.cat([x, x, x], 1)
            return i + 1, (tripled.relu() + tripled)[:, :64].clone()

        start = (torch.zeros((), dtype=torch.int64), x)
        return while_loop(lambda i, x: i < 5, turn, start)[1] * 2


def save_slim(program, name):
    """Without weights and sample inputs, which no reader needs."""
    whole = io.BytesIO()
    save(program, whole)
    with zipfile.ZipFile(whole) as read, zipfile.ZipFile(HERE / name, "w", zipfile.ZIP_DEFLATED) as slim:
        for entry in read.infolist():
            if "sample_inputs" in entry.filename or ("weights/" in entry.filename and not entry.filename.endswith("json")):
                continue
            slim.writestr(zipfile.ZipInfo(entry.filename, (1980, 1, 1, 0, 0, 0)), read.read(entry), zipfile.ZIP_DEFLATED)


class Results(nn.Module):
    """Results that are written into tensors given by keyword: `out=`, and `out=` of two."""

    def forward(self, x):
        product = torch.empty(4, 4)
        torch.mm(x, x.t(), out=product)
        powers = product.exp()
        torch.add(powers, 1, out=product)
        values, indices = torch.empty(4, 2), torch.empty(4, 2, dtype=torch.int64)
        torch.topk(powers, 2, dim=1, out=(values, indices))
        return product * powers, values + indices


class ChannelsLast(nn.Module):
    """Extents that merge although the data is not contiguous, and extents that do not."""

    def forward(self, x):
        x = torch.relu(x.to(memory_format=torch.channels_last))
        merged, copied = x.flatten(2), x.reshape(2, -1)
        return merged.sum(1), copied


class Training(nn.Module):
    """Loss and gradients of a step of training."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 4)

    def forward(self, x, wanted):
        return nn.functional.cross_entropy(self.second(torch.relu(self.first(x))), wanted)


class Doubled(nn.Module):
    """A symbol that no extent is by itself."""

    def forward(self, x):
        return torch.relu(x) @ x.t()


def main():
    torch.manual_seed(0)
    save(export(Results(), (torch.randn(4, 6),)), HERE / "results.pt2")
    save(export(ChannelsLast(), (torch.randn(2, 4, 5, 5),)), HERE / "channels_last.pt2")
    half = Dim("half", min=2, max=32)
    save(export(Doubled(), (torch.randn(10, 7),), dynamic_shapes={"x": {0: 2 * half}}), HERE / "doubled.pt2")
    shapes = {"x": {0: Dim("batch", min=2, max=64), 1: Dim("length", min=4, max=128)}}
    attention = export(Attention().eval(), (torch.zeros(3, 10, 8),), dynamic_shapes=shapes, strict=False)
    save(attention, HERE / "attention.pt2")
    branch = export(Branch(), (torch.zeros(4, 4),))
    save(branch, HERE / "branch.pt2")
    save_slim(export(Nested(), (torch.randn(32, 64),), strict=False), "nested.pt2")
    save_slim(export(Loop(), (torch.randn(32, 64),), strict=False), "loop.pt2")
    # The function is private to torch.
    from torch.export.experimental import _export_forward_backward
    step = export(Training(), (torch.randn(32, 8), torch.zeros(32, dtype=torch.int64)))
    save(_export_forward_backward(step), HERE / "training.pt2")
    try:
        from torch.export.pt2_archive._package import package_pt2
        package_pt2(str(HERE / "two_models.pt2"), exported_programs={"attention": attention, "branch": branch})
    except ImportError as error:
        print("no package_pt2", error)


main()
