"""Named curves in one frame: distributions of runs, profiles, histories."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from cpcbench.report.figures.drawn import HATCH, STYLE
from cpcbench.report.figures.files import library

if TYPE_CHECKING:
    from cpcbench.report.figures.draw import Curve

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe and Ito's, which colour-blind readers can tell apart; dashes change when they begin again."""
DASHES = ("solid", "dashed", "dotted", "dashdot")
PLOTLY_DASHES = {"solid": "solid", "dashed": "dash", "dotted": "dot", "dashdot": "dashdot"}


def by_matplotlib(curves: Sequence[Curve], xlabel: str, ylabel: str, log_x: bool, title: str) -> Any:
    matplotlib, figures = library("matplotlib"), library("matplotlib.figure")
    with matplotlib.rc_context(STYLE):
        figure = figures.Figure(figsize=(7.2, 4.6), layout="constrained")
        axes = figure.add_subplot()
        for curve, (colour, dash) in zip(curves, cycle(_looks()), strict=False):
            x, y = np.asarray(curve.x), np.asarray(curve.y)
            name = curve.name.replace("$", r"\$")
            axes.step(x, y, where="post", label=name, color=colour, linestyle=dash, linewidth=1.7)
        axes.set_xscale("log" if log_x else "linear")
        axes.set(xlabel=xlabel, ylabel=ylabel)
        axes.set_title(title, loc="left")
        axes.grid(color=HATCH, linewidth=0.6)
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=9)
    return figure


def by_plotly(curves: Sequence[Curve], xlabel: str, ylabel: str, log_x: bool, title: str) -> Any:
    go = library("plotly.graph_objects")
    figure = go.Figure()
    for curve, (colour, dash) in zip(curves, cycle(_looks()), strict=False):
        line = {"color": colour, "dash": PLOTLY_DASHES[dash], "shape": "hv", "width": 2}
        figure.add_trace(
            go.Scatter(x=np.asarray(curve.x), y=np.asarray(curve.y), name=curve.name, mode="lines", line=line)
        )
    figure.update_layout(title=title, plot_bgcolor="white", paper_bgcolor="white", hovermode="x unified")
    figure.update_xaxes(title=xlabel, type="log" if log_x else "linear", gridcolor=HATCH, linecolor="#888888")
    figure.update_yaxes(title=ylabel, gridcolor=HATCH, linecolor="#888888")
    return figure


def _looks() -> list[tuple[str, str]]:
    return [(colour, dash) for dash in DASHES for colour in COLOURS]
