"""Nanoseconds per evaluation of every problem: our kernels, the same formula in NumPy, and C."""

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


def run(console: Console) -> None:
    table = Table(title="nanoseconds per evaluation, one core (the least of 5 rounds)")
    for name in ("problem", "uniform", "NumPy", "C", "admissible", "NumPy", "C", "test only"):
        table.add_column(name, justify="left" if name == "problem" else "right")
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
            cells += [_nanoseconds(seconds.get(name)) for name in ("cpcbench", "NumPy", "C")]
            for peer in ("NumPy", "C"):
                if peer in seconds:
                    ratios.setdefault(f"{peer} / cpcbench, {kind} points", []).append(
                        seconds[peer] / seconds["cpcbench"]
                    )
        table.add_row(*cells, _nanoseconds(_test_only(problem, samples["uniform"])))
    console.print(table)
    if compiler() is None:
        console.print("no C compiler found: the C columns are empty")
    for name, values in ratios.items():
        console.print(f"geometric mean of {name}: {geometric_mean(values):.2f}")


def _test_only(problem: cpc.Problem, points: Floats) -> float:
    """Seconds to learn only whether the points are admissible."""
    return best_of({"test": lambda: problem.admissible(points)})["test"]


def _candidates(problem: cpc.Problem, points: Floats) -> dict[str, Callable[[], object]]:
    found: dict[str, Callable[[], object]] = {
        "cpcbench": lambda: problem(points),
        "NumPy": lambda: evaluate(problem.expression, points),
    }
    if (compiled := c_batch(problem)) is not None:
        found["C"] = lambda: compiled(points)
    return found


def _nanoseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds / POINTS * 1e9:.1f}"
