"""The charts of a study as data: what the page and Matplotlib draw of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from cpcbench.experiment.statistics.convergence import FLOOR, Fall, falls, gaps
from cpcbench.experiment.statistics.curves import Curve, data_profile, ecdf, longest, performance_profile
from cpcbench.experiment.statistics.runs import FloatArray, RunArrays
from cpcbench.experiment.statistics.targets import SOLVED
from cpcbench.experiment.store.record import KINDS, REGULAR, RunRecord
from cpcbench.experiment.store.store import Store
from cpcbench.report.study.statistics import label, power

WHOLE_STUDY = ("ecdf", "performance", "data")
BY_PROBLEM = ("convergence", "final")
NAMES = (*WHOLE_STUDY, *BY_PROBLEM)
"""The charts of a study: three of all problems together, two of each problem."""

COUNTED = [KINDS.index(kind) for kind in REGULAR]
GAP = "gap to the best value"
HELD = {
    "study": "the lowest faithful value of this study", "published": "the published value",
    "best known": "the best-known value", "proven infimum": "the proven infimum",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Series:
    """One solver's line; `low` to `high` is a band around it. `place` is the solver's, for its colour."""

    name: str
    place: int
    x: FloatArray
    y: FloatArray
    low: FloatArray | None = None
    high: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Chart:
    """Lines over evaluations or factors, on a logarithmic axis; `window` is what the axes show, x then y."""

    key: str
    title: str
    x: str
    y: str
    series: tuple[Series, ...]
    window: tuple[tuple[float, float], tuple[float, float]]
    log_y: bool = False
    note: str = ""


@dataclass(frozen=True, eq=False)
class Box:
    """What one solver's runs end with, sorted; `nothing` runs have no value, `apart` only that of a thin point or an
    artefact."""

    name: str
    place: int
    values: FloatArray
    nothing: int
    apart: int

    @property
    def five(self) -> tuple[float, float, float, float, float]:
        """The lowest, the quartiles and the highest of the values."""
        low, first, middle, third, high = np.percentile(self.values, (0, 25, 50, 75, 100)).tolist()
        return low, first, middle, third, high


@dataclass(frozen=True, eq=False)
class Boxes:
    """Box plots of the solvers' final values, on a logarithmic axis."""

    key: str
    title: str
    y: str
    boxes: tuple[Box, ...]
    window: tuple[float, float]
    note: str = ""


def study_charts(runs: RunArrays) -> dict[str, Chart]:
    """The charts of all problems together, by their names; those in which something is reached."""
    top = longest(runs)
    made = {
        "ecdf": _shares(
            runs, "ecdf", "Share of targets reached", ecdf(runs), "evaluations", "share of (problem, target, run)",
            f"Targets: {power(runs.precisions[0])} to {power(runs.precisions[-1])} above each best value.",
            top,
        ),
        "performance": _shares(
            runs, "performance", "Performance profile", performance_profile(runs), "times as slow as the fastest",
            "share of problems", f"Problems solved to {power(SOLVED)}, by expected running time.",
        ),
        "data": _shares(
            runs, "data", "Data profile", data_profile(runs), "evaluations / (n + 1)", "share of runs",
            f"Runs that solve their problem to {power(SOLVED)}.",
        ),
    }  # fmt: skip
    return {name: chart for name, chart in made.items() if chart is not None}


def problem_charts(source: Store | Iterable[RunRecord], runs: RunArrays) -> dict[int, tuple[Chart | None, Boxes]]:
    """For each problem that has targets, by its place: how its values fall, and what the runs end with."""
    found: dict[int, list[Fall]] = {}
    for fall in falls(source, runs):
        found.setdefault(fall.problem, []).append(fall)
    return {p: (_convergence(runs, p, each), final_values(runs, p)) for p, each in found.items()}


def _shares(
    runs: RunArrays, key: str, title: str, curves: Sequence[Curve], x: str, y: str, note: str, end: float = 0.0
) -> Chart | None:
    """Curves of shares, the best first; None where none of them rises."""
    if not any(curve.limit > 0 for curve in curves):
        return None
    rising = np.concatenate([curve.x[curve.y > 0] for curve in curves])
    low = 1.0 if key == "performance" else _round_below(float(rising.min()))
    high = max(end or 1.15 * float(rising.max()), 3.0 * low)
    top = min(1.0, _round_above(max(float(curve.limit) for curve in curves if curve.count)))
    places = {name: i for i, name in enumerate(runs.solvers)}
    order = sorted(curves, key=lambda curve: -np.nan_to_num(curve.limit, nan=-1.0))
    series = [Series(c.name, places[c.name], *_edge_to_edge(c, low, high)) for c in order if c.count]
    heading = f"{title} (rule {runs.rule})"
    return Chart(f"{key}-{runs.rule}", heading, x, y, tuple(series), ((low, high), (0.0, top)), note=note)


def _edge_to_edge(curve: Curve, low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Where the curve rises, and the edges: one that never rises is a line as well."""
    rises = np.concatenate([[True], np.diff(curve.y) > 0])
    inner = curve.x[rises & (curve.x > low) & (curve.x < high)]
    x = np.array([low, *inner, high])
    return x, curve.at(x)


def _convergence(runs: RunArrays, p: int, found: Sequence[Fall]) -> Chart | None:
    series, reach = [], []
    for fall in found:
        first, median, third = fall.gap
        there = np.isfinite(median)
        if there.any():
            x = fall.x[there]
            series.append(Series(runs.solvers[fall.solver], fall.solver, x, median[there], first[there], third[there]))
            reach += [*median[there], *first[there]]
    if not series:
        return None
    problem = runs.problems[p]
    low = _round_below(min(float(s.x[0]) for s in series))
    high = max(float(s.x[-1]) for s in series)
    return Chart(
        f"convergence-{problem.id}-n{problem.n}-{runs.rule}", f"Best value so far on {label(problem)}", "evaluations",
        GAP, tuple(series), ((low, max(high, 3.0 * low)), _whole_decades(reach)), log_y=True,
        note=_held(problem.source),
    )  # fmt: skip


def final_values(runs: RunArrays, p: int) -> Boxes:
    """What the runs on a problem end with: gaps of the verified values."""
    problem, boxes = runs.problems[p], []
    for s, name in enumerate(runs.solvers):
        if (p, s) in runs.cells:
            mine = runs.cells[p, s]
            there = np.isfinite(runs.verified[mine])
            regular = there & np.isin(runs.kind[mine], COUNTED)
            values = np.sort(gaps(runs.verified[mine[regular]], problem.best))
            boxes.append(Box(name, s, values, int((~there).sum()), int((there & ~regular).sum())))
    return Boxes(
        f"final-{problem.id}-n{problem.n}-{runs.rule}", f"Final values on {label(problem)}", GAP, tuple(boxes),
        _whole_decades([value for box in boxes for value in box.values]), _held(problem.source),
    )  # fmt: skip


def _held(source: str) -> str:
    what = HELD.get(source, source)
    return f"Held against {what}, relative above 1; gaps below {power(FLOOR)} are shown as that."


def _whole_decades(values: Sequence[float]) -> tuple[float, float]:
    """Whole decades around positive values, two at least; a little more where a value lies on the edge."""
    if not len(values):
        return FLOOR, 1.0
    low, high = math.floor(math.log10(min(values)) + 1e-9), math.ceil(math.log10(max(values)) - 1e-9)
    return 10.0**low * (0.5 if min(values) < 1.2 * 10.0**low else 1.0), 10.0 ** max(high, low + 2)


def _round_below(value: float) -> float:
    """1, 2 or 5 times a power of ten, at most the value."""
    size = 10.0 ** math.floor(math.log10(value))
    return max(m * size for m in (1.0, 2.0, 5.0) if m * size <= value * (1 + 1e-12))


def _round_above(value: float) -> float:
    """A little above a share: the next round number."""
    size = 10.0 ** math.floor(math.log10(value))
    return min(round(m * size, 12) for m in (1.2, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0) if m * size >= value * 1.02)


def decades(low: float, high: float) -> list[float]:
    """The marks of a logarithmic axis: powers of ten, seven at most; with 2 and 5 times as much where there are few."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    if last - first >= 2:
        return [10.0**e for e in range(first, last + 1, max(1, math.ceil((last - first + 1) / 7)))]
    fine = [m * 10.0**e for e in range(first - 1, last + 1) for m in (1.0, 2.0, 5.0)]
    return [v for v in fine if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]
