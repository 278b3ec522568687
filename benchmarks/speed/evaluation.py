"""Nanoseconds per evaluation of every problem: our kernels with and without filter, the formula in NumPy, and C."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

import cpcbench as cpc
from benchmarks.speed.c_peer import c_batch, compiler
from benchmarks.speed.timing import best_of, geometric_mean
from cpcbench.readings.doubles.arrays import evaluate
from cpcbench.sampling.points import admissible_points, uniform_points

Floats = npt.NDArray[np.float64]
POINTS = 50_000
WAYS = ("filter", "kernel", "NumPy", "C")


def run(console: Console) -> None:
    table = Table(title="nanoseconds per evaluation, one core (the least of 5 rounds)")
    for place, name in enumerate(("problem", *WAYS, *WAYS, "filter", "kernel")):
        heading = {1: "uniform: filter", 5: "admissible: filter", 9: "test only: filter"}.get(place, name)
        table.add_column(heading, justify="right" if place else "left")
    ratios: dict[str, list[float]] = {}
    for problem in cpc.problems():
        cells = [problem.id]
        rng = np.random.default_rng(1)
        samples = {
            "uniform": uniform_points(problem, POINTS, rng),
            "admissible": admissible_points(problem, POINTS, rng),
        }
        for kind, points in samples.items():
            seconds = best_of(_candidates(problem, points))
            cells += [_nanoseconds(seconds.get(name)) for name in WAYS]
            _compare(seconds, f"{kind} points", ratios)
        seconds = best_of(_tests(problem, samples["uniform"]))
        _compare(seconds, "test only", ratios)
        table.add_row(*cells, *(_nanoseconds(seconds[name]) for name in ("filter", "kernel")))
    console.print(table)
    if compiler() is None:
        console.print("no C compiler found: the C columns are empty")
    for name, values in ratios.items():
        console.print(f"geometric mean of {name}: {geometric_mean(values):.2f}")


def _compare(seconds: dict[str, float], kind: str, ratios: dict[str, list[float]]) -> None:
    for peer in WAYS[1:]:
        if peer in seconds:
            ratios.setdefault(f"{peer} / filter, {kind}", []).append(seconds[peer] / seconds["filter"])


def _candidates(problem: cpc.Problem, points: Floats) -> dict[str, Callable[[], object]]:
    """Each makes an array of values; a formula without tests has no filter, and its kernel stands in for it."""
    kernel, x = problem.fast.kernel, points.reshape(-1)
    filtered = problem.fast.filtered("value") or kernel
    found: dict[str, Callable[[], object]] = {
        "filter": lambda: filtered(x, np.empty(len(points))),
        "kernel": lambda: kernel(x, np.empty(len(points))),
        "NumPy": lambda: evaluate(problem.expression, points),
    }
    if (compiled := c_batch(problem)) is not None:
        found["C"] = lambda: compiled(points)
    return found


def _tests(problem: cpc.Problem, points: Floats) -> dict[str, Callable[[], object]]:
    """What only tells whether the points are admissible."""
    kernel, x = problem.fast.admissibility, points.reshape(-1)
    filtered = problem.fast.filtered("admissible") or kernel
    return {
        "filter": lambda: filtered(x, np.empty(len(points), dtype=np.bool_)),
        "kernel": lambda: kernel(x, np.empty(len(points), dtype=np.bool_)),
    }


def _nanoseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds / POINTS * 1e9:.1f}"
