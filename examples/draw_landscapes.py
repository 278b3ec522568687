"""Draws three landscapes as one SVG: colour where the objective is defined, blank paper where it is not.

    python examples/draw_landscapes.py docs/picture.svg

Only NumPy and the standard library are used: each panel is a small PNG inside the SVG.
"""

from __future__ import annotations

import base64
import struct
import sys
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt

import cpcbench as cpc

Levels = npt.NDArray[np.uint8]

PANELS = ("CPC-DF9", "CPC-DF10", "CPC-DF8")
SIDE, GAP, LEFT, TOP = 280, 44, 40, 44
STOPS = ((52, 14, 92), (58, 82, 139), (33, 144, 141), (110, 205, 88), (253, 231, 37))
"""Dark is low, bright is high."""
BLANK = 255
"""The palette's last colour: white, for points where the objective is undefined."""


def landscape(problem: cpc.Problem, pixels: int) -> tuple[Levels, float]:
    """The problem over its box as levels 0 (lowest) to 254 by rank, and the admissible share."""
    share = (np.arange(pixels) + 0.5) / pixels
    across = problem.lower[0] + share * (problem.upper[0] - problem.lower[0])
    down = problem.upper[1] - share * (problem.upper[1] - problem.lower[1])
    values = problem(np.stack(np.meshgrid(across, down), axis=-1))
    defined = ~np.isnan(values)
    rank = np.searchsorted(np.sort(values[defined]), values[defined]) / defined.sum()
    levels = np.full(values.shape, BLANK, dtype=np.uint8)
    levels[defined] = (rank * (BLANK - 1)).astype(np.uint8)
    return levels, float(defined.mean())


def palette() -> bytes:
    place = np.linspace(0, len(STOPS) - 1, BLANK)
    channels = [np.interp(place, range(len(STOPS)), channel) for channel in zip(*STOPS, strict=True)]
    return np.stack(channels, axis=-1).round().astype(np.uint8).tobytes() + b"\xff\xff\xff"


def png(levels: Levels) -> bytes:
    """The levels as a PNG image with a palette."""
    height, width = levels.shape
    rows = np.hstack([np.zeros((height, 1), np.uint8), levels]).tobytes()  # each row opens with "no filter"
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = ((b"IHDR", header), (b"PLTE", palette()), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    chunks = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def panel(problem: cpc.Problem, left: int, pixels: int) -> list[str]:
    levels, share = landscape(problem, pixels)
    (a, b), (c, d) = problem.bounds
    image = base64.b64encode(png(levels)).decode()
    bottom = TOP + SIDE
    parts = [
        f'<text x="{left}" y="{TOP - 14}" class="title">{problem.id}</text>',
        f'<text x="{left + SIDE}" y="{TOP - 14}" class="end">defined on {share:.0%} of its box</text>',
        f'<image x="{left}" y="{TOP}" width="{SIDE}" height="{SIDE}" href="data:image/png;base64,{image}"/>',
        f'<rect x="{left}" y="{TOP}" width="{SIDE}" height="{SIDE}" class="frame"/>',
        f'<text x="{left}" y="{bottom + 18}">{a:g}</text>',
        f'<text x="{left + SIDE / 2}" y="{bottom + 18}" class="middle">x1</text>',
        f'<text x="{left + SIDE}" y="{bottom + 18}" class="end">{b:g}</text>',
        f'<text x="{left - 6}" y="{bottom}" class="end">{c:g}</text>',
        f'<text x="{left - 6}" y="{TOP + SIDE / 2}" class="end">x2</text>',
        f'<text x="{left - 6}" y="{TOP + 10}" class="end">{d:g}</text>',
    ]
    if problem.best_known is not None:
        for x, y in problem.best_known.points:
            cx, cy = left + (x - a) / (b - a) * SIDE, TOP + (d - y) / (d - c) * SIDE
            parts.append(f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="6" class="halo"/>')
            parts.append(f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="6" class="ring"/>')
    return parts


def draw(pixels: int = 560) -> str:
    """The whole picture as SVG text."""
    width = LEFT + len(PANELS) * (SIDE + GAP) - GAP // 2
    height = TOP + SIDE + 58
    colours = [f"rgb{stop}" for stop in STOPS]
    stops = "".join(f'<stop offset="{i / (len(colours) - 1)}" stop-color="{c}"/>' for i, c in enumerate(colours))
    key = height - 18
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        "<style>text{font:12px sans-serif;fill:#333}.title{font-size:15px;font-weight:bold}.end{text-anchor:end}"
        ".middle{text-anchor:middle}.frame{fill:none;stroke:#999}.halo,.ring{fill:none;stroke:#fff;stroke-width:4}"
        ".ring{stroke:#e3342f;stroke-width:2}</style>",
        f'<defs><linearGradient id="key">{stops}</linearGradient></defs>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="{LEFT}" y="{key + 10}">low</text>',
        f'<rect x="{LEFT + 28}" y="{key}" width="120" height="12" fill="url(#key)"/>',
        f'<text x="{LEFT + 154}" y="{key + 10}">high (by rank)</text>',
        f'<rect x="{LEFT + 262}" y="{key}" width="22" height="12" fill="#fff" stroke="#999"/>',
        f'<text x="{LEFT + 290}" y="{key + 10}">undefined</text>',
        f'<circle cx="{LEFT + 378}" cy="{key + 6}" r="6" class="ring"/>',
        f'<text x="{LEFT + 390}" y="{key + 10}">published optimum</text>',
    ]
    for i, name in enumerate(PANELS):
        parts += panel(cpc.problem(name), LEFT + i * (SIDE + GAP), pixels)
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "landscapes.svg")
    target.write_text(draw(), encoding="utf-8")
    print(f"wrote {target}")
