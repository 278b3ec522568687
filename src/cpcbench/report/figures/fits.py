"""The figure of a curve fit: the observations, and the model through them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.errors import CpcbenchError
from cpcbench.expr import num, var
from cpcbench.points import Floats, as_point
from cpcbench.problems.collections.fits import CurveFit
from cpcbench.readings.doubles.arrays import evaluate
from cpcbench.report.figures.libraries import library

ALONG = 400
"""Places at which the curve is computed."""
LINE, DOT = "#2c6fbb", "#b3261e"


@dataclass(frozen=True)
class FittedCurve:
    """The observations (`at`, `seen`) and the curve (`x`, `y`); NaN where the model is undefined."""

    title: str
    at: Floats
    seen: Floats
    x: Floats
    y: Floats


def fitted_curve(fit: CurveFit, b: ArrayLike) -> FittedCurve:
    """The curve with these parameters, over the range of the observations."""
    point = as_point(b, fit.n, fit.names)
    at, seen = np.array(fit.x), np.array(fit.y)
    x = np.union1d(np.linspace(at.min(), at.max(), ALONG), at)
    y = np.array(evaluate(fit.model([num(v) for v in point.tolist()], var(0)), x[:, None]))
    y[~np.isfinite(y)] = np.nan
    return FittedCurve(f"{fit.id}: y = {fit.formula}", at, seen, x, y)


def draw_fit(data: FittedCurve, backend: str = "matplotlib") -> Any:
    """A figure of Matplotlib, or one of Plotly to zoom and point at."""
    if backend == "plotly":
        go = library("plotly.graph_objects")
        curve = go.Scatter(x=data.x, y=data.y, mode="lines", name="fit", line={"color": LINE})
        dots = go.Scatter(x=data.at, y=data.seen, mode="markers", name="data", marker={"color": DOT, "size": 9})
        return go.Figure([curve, dots], {"title": data.title, "xaxis": {"title": "x"}, "yaxis": {"title": "y"}})
    if backend != "matplotlib":
        raise CpcbenchError(f"figures are drawn by 'matplotlib' or 'plotly', not {backend!r}")
    figure = library("matplotlib.figure").Figure(figsize=(6.4, 4.4), layout="constrained")
    axes = figure.add_subplot()
    axes.plot(data.x, data.y, color=LINE, label="fit")
    axes.plot(data.at, data.seen, "o", color=DOT, label="data")
    axes.set(xlabel="x", ylabel="y")
    axes.set_title(data.title, fontsize=9)
    axes.legend()
    return figure
