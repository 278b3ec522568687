"""From a figure to a file: the name's ending decides the format, and the library that draws it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cpcbench.errors import CpcbenchError
from cpcbench.files import write_bytes
from cpcbench.report.figures.libraries import library
from cpcbench.report.figures.standalone import standalone

IMAGES = ("png", "svg", "pdf")
PAGES = ("html",)
FORMATS = (*IMAGES, *PAGES)

UNDATED: dict[str, dict[str, None]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None, "ModDate": None},
    "png": {},
}
"""So that the same data give the same bytes."""


def format_of(path: Path | str) -> str:
    """The format that a file's name asks for."""
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        given = f"the ending {Path(path).suffix!r}" if ending else "no ending"
        raise CpcbenchError(f"{path} has {given}: a figure is written as .{', .'.join(FORMATS[:-1])} or .{FORMATS[-1]}")
    return ending


def save(figure: Any, path: Path | str, *, dpi: int = 150) -> Path:
    """Writes a figure of Matplotlib (.png, .svg, .pdf) or of Plotly (.html, one file that needs no network)."""
    target = Path(path)
    write_bytes(target, packed(figure, format_of(path), dpi=dpi))
    return target


def packed(figure: Any, ending: str, *, dpi: int = 150) -> bytes:
    """The bytes of a figure's file in one of the formats."""
    if hasattr(figure, "to_html"):
        if ending not in PAGES:
            raise CpcbenchError(f"an interactive figure is written as .html, not as .{ending}")
        return standalone(figure).encode("utf-8")
    if ending not in IMAGES:
        raise CpcbenchError(f"a drawn figure is written as .{', .'.join(IMAGES[:-1])} or .{IMAGES[-1]}, not .{ending}")
    matplotlib, made = library("matplotlib"), io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "cpcbench", "svg.fonttype": "path", "pdf.fonttype": 42}):
        figure.savefig(made, format=ending, dpi=dpi, metadata=UNDATED[ending], facecolor=figure.get_facecolor())
    return made.getvalue()


def save_as(draw: Any, base: Path, formats: Sequence[str]) -> list[Path]:
    """The figure in each format, named after `base`; `draw(backend)` makes it."""
    written = []
    for ending in formats:
        path = base.with_suffix(f".{ending}")
        backend = "plotly" if format_of(path) in PAGES else "matplotlib"
        written.append(save(draw(backend), path))
    return written
