"""Makes the graphs of this folder and measured.json: what PyTorch holds of each in one call.

    memplan capture-inductor --script > capture_inductor.py
    OMP_NUM_THREADS=1 python measure.py [names]

Ten small networks without convolutions are compiled for the CPU and captured; then one call runs
under PyTorch's profiler. Its memory events give every allocation and every free, so that the largest
sum is what the compiled code holds at once, inputs and weights not counted. Made with PyTorch 2.15.
"""

import gc
import gzip
import json
import pathlib
import sys
import tempfile

import torch
from capture_inductor import capture
from torch import nn
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile

FOLDER = pathlib.Path(__file__).resolve().parent


class Attention(nn.Module):
    def __init__(self, width=64, heads=4):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.qkv(self.first(x)).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(-1, -2) / 8).softmax(-1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.second(x))


class Glu(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(96, 256), nn.Linear(96, 256), nn.Linear(256, 96)

    def forward(self, x):
        for _ in range(3):
            x = x + self.c(F.silu(self.a(x)) * self.b(x))
        return x


class Auto(nn.Module):
    def __init__(self):
        super().__init__()
        widths = [256, 128, 32, 8, 32, 128, 256]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(widths, widths[1:]))

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return x


class Dense(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(32 * (i + 1), 32) for i in range(6))

    def forward(self, x):
        parts = [x]
        for layer in self.layers:
            parts.append(F.relu(layer(torch.cat(parts, 1))))
        return torch.cat(parts, 1)


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.channels, self.out = nn.Linear(16, 16), nn.Linear(32, 32), nn.Linear(32, 10)

    def forward(self, x):
        x = x + self.tokens(x.transpose(1, 2)).transpose(1, 2)
        x = x + F.gelu(self.channels(x))
        return self.out(x.mean(1))


class Gru(nn.Module):
    def __init__(self):
        super().__init__()
        self.inputs, self.state = nn.Linear(24, 3 * 48), nn.Linear(48, 3 * 48)

    def forward(self, x):
        h = x.new_zeros(x.shape[0], 48)
        for t in range(5):
            (r, z, n), (a, b, c) = self.inputs(x[:, t]).chunk(3, 1), self.state(h).chunk(3, 1)
            z = torch.sigmoid(z + b)
            h = (1 - z) * torch.tanh(n + torch.sigmoid(r + a) * c) + z * h
        return h


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(64, 512), nn.Linear(64, 128)
        self.c, self.d = nn.Linear(512, 64), nn.Linear(128, 64)

    def forward(self, x):
        y, z = self.c(F.relu(self.a(x))), self.d(F.relu(self.b(x)))
        return y.softmax(-1) * z, (y - z).pow(2).sum()


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(40, 200)
        self.heads = nn.ModuleList(nn.Linear(200, n) for n in (10, 20, 30, 40))

    def forward(self, x):
        x = F.layer_norm(self.body(x), (200,))
        return [head(x).log_softmax(-1) for head in self.heads]


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        widths = [64, 100, 99, 100, 98, 100, 64]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(widths, widths[1:]))

    def forward(self, x):
        y = x
        for layer in self.layers:
            y = F.silu(layer(y))
            y = y - y.mean(-1, keepdim=True)
        return x + y


class Pointer(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.out = nn.Embedding(50, 48), nn.Linear(48, 48)

    def forward(self, x):
        keys = self.table(x)
        scores = (keys @ self.out(keys).transpose(1, 2)).softmax(-1)
        return (scores @ keys).amax(1), scores.argmax(-1)


NETWORKS = {
    "attention": (lambda: nn.Sequential(Attention(), Attention()), lambda: torch.randn(2, 16, 64)),
    "auto": (Auto, lambda: torch.randn(64, 256)),
    "deep": (Deep, lambda: torch.randn(32, 64)),
    "dense": (Dense, lambda: torch.randn(16, 32)),
    "glu": (Glu, lambda: torch.randn(32, 96)),
    "gru": (Gru, lambda: torch.randn(8, 5, 24)),
    "heads": (Heads, lambda: torch.randn(8, 40)),
    "mixer": (Mixer, lambda: torch.randn(4, 16, 32)),
    "pointer": (Pointer, lambda: torch.randint(50, (4, 12))),
    "two": (Two, lambda: torch.randn(16, 64)),
}


def held(call, x, folder):
    """The most bytes that one call has allocated at a time."""
    call(x)
    gc.collect()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        result = call(x)
    del result
    trace = folder / "trace.json"
    profiler.export_chrome_trace(str(trace))
    events = [event for event in json.loads(trace.read_text())["traceEvents"] if event.get("name") == "[memory]"]
    bytes_now = most = 0
    for event in sorted(events, key=lambda event: event["ts"]):
        bytes_now += event["args"]["Bytes"]
        most = max(most, bytes_now)
    return most


def main():
    torch.set_num_threads(1)
    table = FOLDER / "measured.json"
    measured = json.loads(table.read_text()) if table.exists() else {}
    for name in sys.argv[1:] or NETWORKS:
        torch.manual_seed(0)
        torch._dynamo.reset()
        make, sample = NETWORKS[name]
        model, x = torch.compile(make().eval()), sample()
        with torch.no_grad(), tempfile.TemporaryDirectory() as folder:
            graph = pathlib.Path(folder) / f"{name}.json"
            with capture(graph):
                model(x)
            (FOLDER / f"{name}.json.gz").write_bytes(gzip.compress(graph.read_bytes(), 9, mtime=0))
            measured[name] = held(model, x, pathlib.Path(folder))
        print(name, measured[name])
    table.write_text(json.dumps(dict(sorted(measured.items())), indent=1) + "\n")


if __name__ == "__main__":
    main()
