"""Boxes per second of the prover's compiled interval machine, beside the same bounds in NumPy, one core each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

import cpcbench as cpc
from benchmarks.speed.timing import best_of, geometric_mean
from cpcbench.intervals.boxes import Boxes, lower_bounds, natural_ranges
from cpcbench.intervals.tape import Tape
from cpcbench.solvers.paper.box_bounds import BoxBounds

COUNT = 4096
COLUMNS = ("problem", "natural", "NumPy", "ratio", "with slopes", "NumPy", "ratio")


def run(console: Console) -> None:
    table = Table(title="thousands of boxes per second (the best of 5 rounds)")
    for place, name in enumerate(COLUMNS):
        table.add_column(name, justify="right" if place else "left")
    ratios: list[tuple[float, float]] = []
    for p in cpc.problems():
        if p.category == "domain-induced" and p.dim <= 5:
            table.add_row(p.id, *_row(p, ratios))
    console.print(table)
    for name, values in zip(("natural", "with slopes"), zip(*ratios, strict=True), strict=True):
        console.print(f"{name}: {geometric_mean(values):.1f} times NumPy's boxes (geometric mean)")


def _row(p: cpc.Problem, ratios: list[tuple[float, float]]) -> list[str]:
    seconds = best_of(_candidates(p))
    rates = [COUNT / seconds[name] / 1e3 for name in ("natural", "NumPy", "slopes", "NumPy slopes")]
    ratios.append((rates[0] / rates[1], rates[2] / rates[3]))
    cells = [rates[0], rates[1], ratios[-1][0], rates[2], rates[3], ratios[-1][1]]
    return [f"{cell:.1f}" for cell in cells]


def _candidates(p: cpc.Problem) -> dict[str, Callable[[], object]]:
    """The same boxes for all: parts of the whole box of every size."""
    rng = np.random.default_rng(0)
    half = 10.0 ** rng.uniform(-4.0, 0.0, (COUNT, 1)) * (p.upper - p.lower) / 4
    centre = rng.uniform(p.lower, p.upper, (COUNT, p.dim))
    lower, upper = np.maximum(centre - half, p.lower), np.minimum(centre + half, p.upper)
    tape = Tape.of_formula(p.expression, p.dim)
    boxes, bounds = Boxes(p.expression, "strict"), BoxBounds(p.expression, "strict", p.upper - p.lower)
    return {
        "natural": lambda: natural_ranges(tape, lower, upper),
        "NumPy": lambda: boxes(lower, upper),
        "slopes": lambda: lower_bounds(tape, lower, upper),
        "NumPy slopes": lambda: bounds(lower, upper, float("inf")),
    }
