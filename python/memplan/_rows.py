"""Lists of buffers, arrays and tables as the CSV that the program reads."""

from __future__ import annotations

import csv
import io
import re
from typing import Any, Iterable, List, Sequence

from ._program import Error
from ._source import Source

#: The apostrophe that marks a text which a spreadsheet would compute or trim (docs/buffer-csv.md).
_MARKED = re.compile(r"^'*([=+@＝＋－＠-]|\s)|^'*.*\s$", re.DOTALL)

_HEADS = {"name": "id", "start": "lower", "end": "upper"}


def _cell(value: Any) -> str:
    if value is None or value != value:  # NaN of a table stands for an empty cell.
        return ""
    if isinstance(value, str):
        return f"'{value}" if _MARKED.match(value) else value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _write(heads: Sequence[str], rows: Iterable[Sequence[Any]], name: str) -> Source:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    data = text.getvalue().encode("utf-8", "surrogatepass")
    return Source(data=data, name=name, suffix=".csv", own_note="note: Column `upper`")


def of_list(rows: Sequence[Any], name: str) -> Source:
    """Rows ``(name, size, start, end)``, with an address as fifth value if they form a plan."""
    from ._plan import Buffer

    if rows and all(isinstance(row, Buffer) for row in rows):
        return _of_buffers(rows, name)
    width = 0
    for number, row in enumerate(rows):
        if not isinstance(row, (list, tuple)) or len(row) not in (4, 5) or width not in (0, len(row)):
            raise Error(
                f"Row {number} of the list is {row!r}. Give every row as (name, size, start, end), "
                "or every row with an address as fifth value."
            )
        width = len(row)
    heads = ["id", "size", "lower", "upper", "offset"][: width or 4]
    return _write(heads, ([str(row[0]), *row[1:]] for row in rows), name)


def _of_buffers(buffers: Sequence[Any], name: str) -> Source:
    heads = ["id", "size", "lower", "upper", "offset", "pool", "kind", "align"]
    rows = ([b.name, b.size, b.start, b.end, b.offset, b.pool, b.kind, b.align] for b in buffers)
    return _write(heads, rows, name)


def of_array(array: Any, name: str) -> Source:
    """A structured array, by the names of its fields; or whole numbers in columns size, start, end."""
    if array.dtype.names:
        return _table(list(array.dtype.names), array.tolist(), name)
    if array.ndim != 2 or array.shape[1] not in (3, 4):
        raise Error(
            f"The array has the shape {tuple(array.shape)}. Give one row for each buffer, with the columns "
            "size, start, end and perhaps offset, or a structured array with fields of these names."
        )
    heads = ["id", "size", "lower", "upper", "offset"][: array.shape[1] + 1]
    return _write(heads, ([f"b{number}", *row] for number, row in enumerate(array.tolist())), name)


def of_frame(frame: Any, name: str) -> Source:
    """A table of pandas, by the names of its columns."""
    columns = [str(column) for column in frame.columns]
    return _table(columns, frame.itertuples(index=False, name=None), name)


def _table(columns: List[str], rows: Iterable[Sequence[Any]], name: str) -> Source:
    known = {column.strip().lower() for column in columns}
    # As everywhere in Python, `end` is the first step after the life of a buffer.
    heads = [column if "upper" in known else _HEADS.get(column.strip().lower(), column) for column in columns]
    rows = list(rows)
    if not known & {"id", "buffer", "buffer_id", "tensor_name", "name"}:
        heads = ["id", *heads]
        rows = [(f"b{number}", *row) for number, row in enumerate(rows)]
    return _write(heads, rows, name)
