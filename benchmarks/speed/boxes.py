"""Boxes per second of the compiled box arithmetic, beside balls of python-flint at 53 bits, one core each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

import cpcbench as cpc
from benchmarks.speed.timing import best_of, geometric_mean
from cpcbench.certify.upper.balls import Balls, interval
from cpcbench.intervals.boxes import Boxes, lower_bounds, natural_ranges
from cpcbench.intervals.tape import Tape
from cpcbench.readings.reals.exact import working_precision

COUNT, FEW = 4096, 64
COLUMNS = ("problem", "as written", "holes filled", "with slopes", "balls", "as written / balls")


def run(console: Console) -> None:
    table = Table(title="thousands of boxes per second (the best of 5 rounds)")
    for place, name in enumerate(COLUMNS):
        table.add_column(name, justify="right" if place else "left")
    rows = []
    for p in cpc.problems():
        if p.category == "domain-induced" and p.dim <= 5:
            rows.append(_rates(p))
            table.add_row(p.id, *(f"{rate:.1f}" for rate in rows[-1]), f"{rows[-1][0] / rows[-1][3]:.0f}")
    console.print(table)
    means = [geometric_mean(column) for column in zip(*rows, strict=True)]
    console.print("geometric means: " + ", ".join(f"{n} {m:.1f}" for n, m in zip(COLUMNS[1:], means, strict=False)))


def _rates(p: cpc.Problem) -> list[float]:
    seconds = best_of(_candidates(p))
    return [(FEW if name == "balls" else COUNT) / took / 1e3 for name, took in seconds.items()]


def _candidates(p: cpc.Problem) -> dict[str, Callable[[], object]]:
    """The same boxes for all, but few for balls: parts of the whole box of every size."""
    rng = np.random.default_rng(0)
    half = 10.0 ** rng.uniform(-4.0, 0.0, (COUNT, 1)) * (p.upper - p.lower) / 4
    centre = rng.uniform(p.lower, p.upper, (COUNT, p.dim))
    lower, upper = np.maximum(centre - half, p.lower), np.minimum(centre + half, p.upper)
    tape, boxes, balls = Tape.of_formula(p.expression, p.dim), Boxes(p.expression, "strict"), Balls(p.expression)

    def by_balls() -> None:
        with working_precision(53):
            for low, high in zip(lower[:FEW].tolist(), upper[:FEW].tolist(), strict=True):
                balls.values([interval(a, b) for a, b in zip(low, high, strict=True)])

    return {
        "as written": lambda: boxes(lower, upper),
        "holes filled": lambda: natural_ranges(tape, lower, upper),
        "with slopes": lambda: lower_bounds(tape, lower, upper),
        "balls": by_balls,
    }
