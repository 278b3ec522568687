"""Landscapes on the page: a small picture to look at, and the data to turn and zoom it."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np

from cpcbench.report.figures.libraries import library
from cpcbench.report.figures.scales import scale_of
from cpcbench.report.figures.words import COLOURS
from cpcbench.report.page import markup
from cpcbench.studies.landscape.grids import Landscape

SEEN = 0.02
"""A view with less of it defined shows next to nothing."""

LEVELS = 65_534
"""Heights are kept in 16 bits: 0 where there is no value, else from 1 on."""

STAR = "M0-6L1.6-1.9L6-1.9L2.5 .8L3.8 5L0 2.4L-3.8 5L-2.5 .8L-6-1.9L-1.6-1.9Z"


def view_data(view: Landscape, title: str) -> dict[str, Any]:
    """A landscape as the page's script draws it: heights on a scale that tells the values apart, and the scale."""
    scale = scale_of(view.filled)
    first, second = view.axes
    low, high = scale([scale.low, scale.high]).tolist()
    heights = scale.forward(view.filled)
    bottom, top = (float(np.nanmin(heights)), float(np.nanmax(heights))) if np.isfinite(heights).any() else (low, high)
    return {
        "title": title,
        "names": [view.problem.names[first], view.problem.names[second]],
        "window": [list(side) for side in view.window],
        "x": markup.packed(view.x),
        "y": markup.packed(view.y),
        "z": _sixteen_bits(heights, bottom, top),
        "heights": [bottom, top],
        "share": float(np.mean(~np.isnan(view.z))),
        "scale": {"kind": scale.kind, "unit": scale.unit, "note": scale.note},
        "ticks": list(scale.marks),
        "low": low,
        "high": high,
        "marks": view.optima[:, [first, second]].tolist() if len(view.optima) else [],
    }


def _sixteen_bits(heights: Any, bottom: float, top: float) -> dict[str, str]:
    """As text: 1 is the lowest, 65,535 the highest height."""
    there = np.isfinite(heights)
    share = np.where(there, (heights - bottom) / ((top - bottom) or 1.0), 0.0)
    whole = np.where(there, 1.0 + np.round(share * LEVELS), 0.0).astype("<u2")
    return {"bdata": base64.b64encode(whole.tobytes()).decode("ascii"), "shape": ",".join(map(str, whole.shape))}


def shown(views: tuple[Landscape, ...]) -> int:
    """The first view in which there is something to see."""
    return next((i for i, view in enumerate(views) if np.mean(~np.isnan(view.z)) > SEEN), len(views) - 1)


def thumbnail(view: Landscape, label: str) -> str:
    """The picture as an SVG element: cells of colour, paper where nothing is defined, stars at the optima."""
    first, second = view.axes
    (left, right), (bottom, top) = view.window
    stars = "".join(
        f'<path class="star" d="{STAR}" transform="translate({100 * (x - left) / (right - left):.2f} '
        f'{100 - 100 * (y - bottom) / (top - bottom):.2f})"/>'
        for x, y in view.optima[:, [first, second]].tolist()[:40]
        if left <= x <= right and bottom <= y <= top
    )
    return (
        f'<svg class="picture" viewBox="0 0 100 100" role="img" aria-label="{markup.text(label)}">'
        f'<image href="data:image/png;base64,{_png(view)}" width="100" height="100" preserveAspectRatio="none"/>'
        f"{stars}</svg>"
    )


def _png(view: Landscape) -> str:
    """One byte a cell and a table of colours; the first colour is none."""
    colours, image = library("matplotlib"), library("PIL.Image")
    scale = scale_of(view.filled)
    low, high = scale([scale.low, scale.high]).tolist()
    heights = scale(view.filled)[::-1]
    there = np.isfinite(heights)
    share = np.where(there, (heights - low) / ((high - low) or 1.0), 0.0)
    cells = np.where(there, 1 + np.round(share * 254), 0).astype(np.uint8)
    table = colours.colormaps[COLOURS](np.linspace(0.0, 1.0, 255))[:, :3]
    drawn = image.fromarray(cells)
    drawn.putpalette(np.vstack([np.zeros((1, 3)), np.round(255 * table)]).astype(np.uint8).tobytes())
    out = io.BytesIO()
    drawn.save(out, "PNG", transparency=0, optimize=True)
    return base64.b64encode(out.getvalue()).decode("ascii")
