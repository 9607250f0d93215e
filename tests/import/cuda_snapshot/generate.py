#!/usr/bin/env python3
"""Writes the memory snapshots and the hostile pickles of this folder with Python's own pickle module.

No GPU is needed: the dicts have the keys that torch/csrc/cuda/memory_snapshot.cpp (pytorch/pytorch) gives them, and like
there every distinct stack frame is one dict that many events refer to. Run: python3 generate.py
"""
import gzip
import io
import os
import pickle
import random

HERE = os.path.dirname(os.path.abspath(__file__))
BASE = 0x7F2A00000000
MIB = 1 << 20


def frame(number):
    files = ["/opt/torch/nn/functional.py", "/home/me/train.py", "CUDACachingAllocator.cpp", "/opt/torch/nn/modules/conv.py"]
    names = ["relu", "step", "malloc", "_conv_forward"]
    return {"filename": files[number % 4], "line": 10 + number, "name": names[number % 4]}


FRAMES = [frame(number) for number in range(40)]


def stack(random_):
    first = random_.randrange(30)
    return [FRAMES[2]] + FRAMES[first : first + 9]


def rounded(size):
    return max(512, -(-size // 512) * 512)


def simulate(seed, events, devices=1):
    """A small allocator: first fit in segments of 2 MiB; frees complete one event after they are requested."""
    random_ = random.Random(seed)
    traces, segments = [], []
    for device in range(devices):
        base = BASE + device * (1 << 36)
        trace, own = [], []

        def record(action, address, size, frames, trace=trace):
            trace.append({"action": action, "addr": address, "size": size, "stream": 0, "time_us": 1_700_000_000_000_000 + 7 * len(trace), "frames": frames})

        blocks = []  # (segment, offset, rounded, requested, frames)
        early = (0, 0, 1024, 1000, [])
        own.append([base, 2 * MIB])
        blocks.append(early)
        while len(trace) < events:
            if blocks and random_.random() < 0.45:
                segment, offset, _, asked, frames = blocks.pop(random_.randrange(len(blocks)))
                record("free_requested", own[segment][0] + offset, asked, stack(random_))
                record("free_completed", own[segment][0] + offset, asked, stack(random_))
                continue
            asked = random_.choice([64, 300, 4096, 100_000, 262_144])
            need = rounded(asked)
            spot = None
            for segment, (_, size) in enumerate(own):
                taken = sorted((b[1], b[1] + b[2]) for b in blocks if b[0] == segment)
                at = 0
                for low, high in taken + [(size, size)]:
                    if low - at >= need:
                        spot = (segment, at)
                        break
                    at = max(at, high)
                if spot:
                    break
            if not spot:
                # Not next to the one before: a hole in the addresses.
                own.append([own[-1][0] + 16 * MIB, 2 * MIB])
                record("segment_alloc", own[-1][0], 2 * MIB, stack(random_))
                spot = (len(own) - 1, 0)
            frames = stack(random_)
            blocks.append((*spot, need, asked, frames))
            record("alloc", own[spot[0]][0] + spot[1], asked, frames)
        traces.append(trace)
        for number, (address, size) in enumerate(own):
            inside, at = [], 0
            for _, offset, length, asked, frames in sorted((b for b in blocks if b[0] == number), key=lambda b: b[1]):
                if offset > at:
                    inside.append({"address": address + at, "size": offset - at, "requested_size": 0, "state": "inactive", "frames": []})
                inside.append({"address": address + offset, "size": length, "requested_size": asked, "state": "active_allocated", "frames": frames})
                at = offset + length
            if at < size:
                inside.append({"address": address + at, "size": size - at, "requested_size": 0, "state": "inactive", "frames": []})
            segments.append({"device": device, "address": address, "total_size": size, "allocated_size": 0, "active_size": 0, "requested_size": 0, "stream": 0, "segment_type": "small", "segment_pool_id": (0, 0), "is_expandable": False, "frames": [], "blocks": inside})
    return {"segments": segments, "device_traces": traces, "allocator_settings": {"expandable_segments": False, "garbage_collection_threshold": 0.0, "roundup_power2_divisions": {}}, "external_annotations": []}


class Command:
    def __reduce__(self):
        return (os.system, ("echo this must never run",))


class Plain:
    """Pickled by reference to its class: NEWOBJ and BUILD."""

    def __init__(self):
        self.segments = []


def write(name, data):
    with open(os.path.join(HERE, name), "wb") as file:
        file.write(data)
    print(f"{name}: {len(data)} bytes")


def main():
    small = simulate(1, 40)
    for protocol in (2, 4, 5):
        write(f"small-{protocol}.pickle", pickle.dumps(small, protocol))
    out = io.BytesIO()
    # The pickler written in Python, not the one in C.
    pickle._Pickler(out, 4).dump(small)
    write("small-python.pickle", out.getvalue())
    write("two_devices.pickle.gz", gzip.compress(pickle.dumps(simulate(2, 400, devices=2), 4), 9, mtime=0))
    write("other.pickle", pickle.dumps({"weights": [1.0, 2.0], "epoch": -3, "big": 1 << 90, "names": ("a", b"b")}, 4))
    # A block on half of another one, which no allocator does.
    event = lambda action, address: {"action": action, "addr": address, "size": 1024, "frames": []}
    pairs = [("alloc", 0x1000), ("alloc", 0x1200), ("free_completed", 0x1000), ("free_completed", 0x1200)]
    overlap = {"segments": [], "device_traces": [[event(*pair) for pair in pairs]]}
    write("overlap.pickle", pickle.dumps(overlap, 2))
    hostile = {"segments": [], "device_traces": [[Command()]]}
    write("hostile-2.pickle", pickle.dumps(hostile, 2))
    write("hostile-4.pickle", pickle.dumps(hostile, 4))
    write("class-2.pickle", pickle.dumps({"segments": [Plain()]}, 2))
    write("class-4.pickle", pickle.dumps({"segments": [Plain()]}, 4))
    # The oldest way to name something, and a reference that only the reader of the file can follow.
    write("inst.pickle", b"\x80\x02}(X\x08\x00\x00\x00segments(ios\nsystem\nu.")
    write("persid.pickle", b"\x80\x02}(X\x08\x00\x00\x00segmentsPstorage\nu.")


if __name__ == "__main__":
    main()
