"""offline.py MODEL PLAN OUT: puts a memory-plan/1 (buffers by tensor name) into a TFLite model as its offline plan.

The first metadata entry and its buffer are pointed at new bytes after the file: the name and the words of
tensorflow/tflite-micro, tensorflow/lite/micro/docs/memory_management.md. Nothing else is touched.
"""
import json
import struct
import sys

model, plan, out = sys.argv[1:]
data = bytearray(open(model, "rb").read())
u16 = lambda at: struct.unpack_from("<H", data, at)[0]
u32 = lambda at: struct.unpack_from("<I", data, at)[0]
follow = lambda at: at + u32(at)


def field(table, slot):
    vtable = table - struct.unpack_from("<i", data, table)[0]
    offset = u16(vtable + slot) if slot < u16(vtable) else 0
    return table + offset if offset else None


def element(vector, index):
    return follow(vector + 4 + 4 * index)


def append(content):
    data.extend(bytes(-len(data) % 4))
    at = len(data)
    data.extend(struct.pack("<I", len(content)) + content)
    return at


root = follow(0)
graph = element(follow(field(root, 8)), 0)
tensors = follow(field(graph, 4))
names = []
for index in range(u32(tensors)):
    text = follow(field(element(tensors, index), 10))
    names.append(data[text + 4 : text + 4 + u32(text)].decode())
offsets = {there["name"]: there["offset"] for there in json.load(open(plan))["buffers"]}
words = [1, 1, len(names)] + [offsets.get(name, -1) for name in names]
entry = element(follow(field(root, 16)), 0)
number = field(entry, 6)
buffer = element(follow(field(root, 12)), u32(number) if number else 0)
for at, content in [
    (field(entry, 4), b"OfflineMemoryAllocation"),
    (field(buffer, 4), struct.pack(f"<{len(words)}i", *words)),
]:
    target = append(content)
    struct.pack_into("<I", data, at, target - at)
    data.append(0)
data.extend(bytes(-len(data) % 4))
open(out, "wb").write(data)
