"""The sheet of a curve fit: what is printed, what is known, and data and fit as a picture."""

from __future__ import annotations

import numpy as np

from cpcbench.problems.collections.fits import curve_fits
from cpcbench.problems.problem import Problem
from cpcbench.report.figures.fits import DOT, LINE, FittedCurve, fitted_curve
from cpcbench.report.page import markup

WIDTH, HEIGHT, ROOM = 480, 300, 14


def fit_sheet(p: Problem) -> str:
    """Facts and notes beside the picture of the best-known fit."""
    fit = curve_fits()[p.id]
    rows = [("parameters", f"{fit.n}"), ("observations", f"{len(fit.x)}"), ("rule", markup.text(p.rule))]
    rows += [("printed sum of squares", markup.number(solution.value)) for solution in fit.printed]
    notes = markup.listing([markup.text(note) for note in fit.notes])
    picture = "" if p.best_known is None else fit_picture(fitted_curve(fit, p.best_known.points[0]))
    return f'<div class="columns"><div>{markup.facts(rows)}{notes}</div><div>{picture}</div></div>'


def fit_picture(data: FittedCurve) -> str:
    """Data and fit as an SVG element; where the curve is far outside of the data it is left out."""
    low, high, left = float(data.seen.min()), float(data.seen.max()), float(data.at.min())
    span, side = (high - low) or 1.0, float(np.ptp(data.at)) or 1.0

    def place(x: float, y: float) -> tuple[str, str]:
        across, up = (x - left) / side, (y - low + 0.1 * span) / (1.2 * span)
        return f"{ROOM + across * (WIDTH - 2 * ROOM):.1f}", f"{HEIGHT - ROOM - up * (HEIGHT - 2 * ROOM):.1f}"

    near = np.isfinite(data.y) & (np.abs(data.y - (low + high) / 2) <= span)
    line = " ".join(",".join(place(x, y)) for x, y in zip(data.x[near].tolist(), data.y[near].tolist(), strict=True))
    dots = [place(x, y) for x, y in zip(data.at.tolist(), data.seen.tolist(), strict=True)]
    marks = "".join(f'<circle cx="{x}" cy="{y}" r="4" fill="{DOT}"/>' for x, y in dots)
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{markup.text(data.title)}: data and fit">'
        f'<polyline points="{line}" fill="none" stroke="{LINE}" stroke-width="2"/>{marks}</svg>'
    )
