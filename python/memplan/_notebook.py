"""The page in the cell of a notebook."""

from __future__ import annotations

import html
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from ._program import Error
from ._run import PathLike, Run, save

#: What a sandboxed frame may do: no cookies, no storage, nothing of the notebook around it.
_SANDBOX = "allow-scripts allow-downloads"


def page(run: Run, light: bool = False) -> bytes:
    """Returns the page with a plan as one HTML file."""
    with tempfile.TemporaryDirectory(prefix="memplan-") as folder:
        out = os.path.join(folder, "plan.html")
        try:
            run.ask("html", *(["--light"] if light else []), "-o", out)
        except Error as error:
            if "too old for `memplan html`" in str(error):
                raise Error(
                    f"{error} Until then, Plan.svg() and the plan itself in a cell show a picture.", error.code
                ) from None
            raise
        return Path(out).read_bytes()


@dataclass(frozen=True)
class View:
    """The page of memplan with a plan. A notebook shows it in the cell; elsewhere use ``save``.

    The page lies in a sandboxed frame: no server, no port and no extension, also on remote kernels.
    ``height`` is in pixels.
    """

    height: int
    content: bytes = field(repr=False)

    def save(self, path: PathLike) -> None:
        """Writes the page as one HTML file.

        Raises:
            Error: the file cannot be written.
        """
        save(self.content, path)

    def _repr_html_(self) -> str:
        document = html.escape(self.content.decode("utf-8"), quote=True)
        style = f"box-sizing:border-box;width:100%;height:{self.height}px;border:1px solid #d0d7de;border-radius:4px"
        return f'<iframe title="memplan" sandbox="{_SANDBOX}" style="{style}" srcdoc="{document}"></iframe>'
