"""Charts of a study by Matplotlib: for papers, in their size and with one legend for all panels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from cpcbench.errors import CpcbenchError
from cpcbench.report.figures.drawn import STYLE
from cpcbench.report.figures.libraries import library
from cpcbench.report.figures.scales import tick_text
from cpcbench.report.figures.words import HATCH, LINES
from cpcbench.report.study.charts import Boxes, Chart, decades

DASHES = ("solid", "dashed", "dotted", "dashdot")
COLUMNS = 3
WIDTH, HEIGHT = 3.6, 2.7
"""Inches of a panel; one alone is a half larger."""

PRINT: dict[str, Any] = {"font.size": 8.5, "axes.titlesize": 9.0, "axes.labelsize": 8.5}


def draw_charts(charts: Sequence[Chart | Boxes]) -> Any:
    """One figure with a panel a chart, in rows of three."""
    if not charts:
        raise CpcbenchError("a figure needs at least one chart: no run reaches a target here")
    matplotlib, figures = library("matplotlib"), library("matplotlib.figure")
    library("matplotlib.backends.backend_agg")
    columns = min(len(charts), COLUMNS)
    rows = math.ceil(len(charts) / columns)
    scale = 1.5 if len(charts) == 1 else 1.0
    with matplotlib.rc_context({**STYLE, **PRINT}):
        figure = figures.Figure(figsize=(scale * WIDTH * columns, scale * HEIGHT * rows + 0.5), layout="constrained")
        names: dict[str, Any] = {}
        for place, data in enumerate(charts):
            axes = figure.add_subplot(rows, columns, place + 1)
            names |= _boxes(axes, data) if isinstance(data, Boxes) else _lines(axes, data)
            axes.set_title(_plain(data.title), loc="left")
            axes.grid(color=HATCH, linewidth=0.6)
            axes.set_axisbelow(True)
        many = min(len(names), 3 * columns)
        figure.legend(names.values(), map(_plain, names), loc="outside lower center", ncols=many, frameon=False)
    return figure


def _lines(axes: Any, data: Chart) -> dict[str, Any]:
    made = {}
    for series in data.series:
        colour, dash = look(series.place)
        draw = axes.plot if data.log_y else axes.step
        how = {} if data.log_y else {"where": "post"}
        (made[series.name],) = draw(series.x, series.y, color=colour, linestyle=dash, linewidth=1.5, **how)
        if series.low is not None and series.high is not None:
            high = np.minimum(series.high, 10.0 * data.window[1][1])
            axes.fill_between(series.x, series.low, high, color=colour, alpha=0.13, linewidth=0)
    axes.set_xscale("log")
    _marks(axes.xaxis, *data.window[0])
    if data.log_y:
        axes.set_yscale("log")
        _marks(axes.yaxis, *data.window[1])
    axes.set(xlim=data.window[0], ylim=data.window[1], xlabel=_plain(data.x), ylabel=_plain(data.y))
    return made


def _boxes(axes: Any, data: Boxes) -> dict[str, Any]:
    """The whole range, the quartiles, and each run as a dot; where there is no value the place stays empty."""
    made = {}
    for place, box in enumerate(data.boxes):
        colour, _ = look(box.place)
        (made[box.name],) = axes.plot([], [], color=colour, linewidth=4)
        if not len(box.values):
            axes.text(place, 0.5, "none", transform=axes.get_xaxis_transform(), ha="center", color=colour)
            continue
        low, first, middle, third, high = box.five
        axes.vlines([place, place], [low, third], [first, high], color=colour, linewidth=1.2)
        axes.bar(place, third - first, bottom=first, width=0.55, color=colour, alpha=0.2, edgecolor=colour)
        axes.hlines(middle, place - 0.27, place + 0.27, color=colour, linewidth=1.8)
        axes.plot(np.full(len(box.values), place), box.values, ".", color=colour, markersize=3, alpha=0.6)
    axes.set_yscale("log")
    _marks(axes.yaxis, *data.window)
    axes.set(ylim=data.window, xlim=(-0.6, len(data.boxes) - 0.4), ylabel=_plain(data.y))
    axes.set_xticks([])
    return made


def _marks(axis: Any, low: float, high: float) -> None:
    """The marks that the page has too, and none between them."""
    values = decades(low, high)
    axis.set_ticks(values, labels=[tick_text(value) for value in values])
    axis.set_ticks([], minor=True)


def look(place: int) -> tuple[str, str]:
    """A solver's colour and dash, the same in every chart."""
    return LINES[place % len(LINES)], DASHES[place // len(LINES) % len(DASHES)]


def _plain(text: str) -> str:
    """Text that Matplotlib does not read as mathematics."""
    return text.replace("$", r"\$")
