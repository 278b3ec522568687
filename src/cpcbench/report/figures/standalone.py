"""A figure of Plotly as a page of its own: one file, with the library packed in it, that asks nothing of a network."""

from __future__ import annotations

import base64
import zlib
from html import escape
from importlib import resources
from typing import Any

from cpcbench.report.figures.libraries import library

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
"""The page may not ask anything of any network; a browser holds it to that."""

NARROWEST = 330
"""Pixels of a panel, from which on panels side by side are scrolled to instead of squeezed."""

STYLE = """
:root { color-scheme: light dark; --paper: #fcfcfa; --ink: #1c1f23; --line: #d9dce0; --blank: #f1f3f4; }
:root[data-theme="dark"] { --paper: #15181c; --ink: #e6e8ea; --line: #3a4149; --blank: #23292f; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem system-ui, sans-serif; }
header { display: flex; justify-content: space-between; align-items: center; padding: .4rem .8rem; }
button { font: inherit; color: inherit; background: var(--blank); border: 1px solid var(--line); padding: .1rem .6rem; }
.scroll { overflow-x: auto; } @media print { button { display: none; } }
"""


def packed_script(source: str) -> str:
    """Text as a page keeps it until it is asked for: deflated, in letters and digits that end no element early."""
    return base64.b64encode(zlib.compress(source.encode("utf-8"), 9)).decode("ascii")


def standalone(figure: Any, title: str = "cpcbench") -> str:
    """The page; the figure is as wide as the window and as high as its layout says."""
    layout = figure.layout
    wide = int((layout.meta or {}).get("columns", 1)) * NARROWEST if isinstance(layout.meta, dict) else NARROWEST
    script = resources.files("cpcbench.report.figures").joinpath("standalone.js").read_text(encoding="utf-8")
    return (
        '<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"><link rel="icon" href="data:,">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>"
        f'<header><strong>{escape(title)}</strong><button type="button" id="theme">Dark</button></header>'
        f'<div class="scroll"><div id="figure" style="min-width:{wide}px;height:{layout.height or 560}px"></div></div>'
        f'<script type="text/plain" id="data">{packed_script(figure.to_json())}</script>'
        f'<script type="text/plain" id="plotly">{packed_script(library("plotly.offline").get_plotlyjs())}</script>'
        f"<script>{script}</script></body></html>\n"
    )
