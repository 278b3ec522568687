"""The kernels with a filter against those without, on ten million points a problem: bits that differ."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

import cpcbench as cpc
from cpcbench.rules import RULES
from cpcbench.sampling.points import admissible_points, boundary_points, uniform_points
from cpcbench.studies.feasible.counting import counted, filtered_count
from cpcbench.studies.feasible.draws import state_of, stream

Floats = npt.NDArray[np.float64]
EVEN, BATCH = 9_600_000, 800_000
NEAR = 200_000


def run(console: Console) -> None:
    title = f"{EVEN:,} even draws, {NEAR:,} admissible points and {NEAR:,} at the edge of the domain, under each rule"
    table = Table(title=f"bits that a filter changes: {title}")
    for place, name in enumerate(("problem", "points", "values differ", "admissible differ", "counts differ")):
        table.add_column(name, justify="right" if place else "left")
    total = 0
    for id_ in [p.id for p in cpc.problems()]:
        found = np.sum([_differences(cpc.problem(id_, rule=rule)) for rule in RULES], axis=0)
        total += int(found[1:].sum())
        table.add_row(id_, *(f"{number:,}" for number in found))
    console.print(table)
    console.print(f"differences in all: {total}")


def _differences(p: cpc.Problem) -> tuple[int, int, int, int]:
    """Points, and how many of them have another value, another admissibility, or are counted otherwise."""
    rng = np.random.default_rng(2)
    value, test = p.fast.filtered("value"), p.fast.filtered("admissible")
    points = values = tests = 0
    draws = [(uniform_points, BATCH)] * (EVEN // BATCH) + [(admissible_points, NEAR), (boundary_points, NEAR)]
    for draw, count in draws:
        x = draw(p, count, rng).reshape(-1)
        points += len(x) // p.dim
        values += 0 if value is None else _apart(value, p.fast.kernel, x, np.empty(len(x) // p.dim))
        tests += 0 if test is None else _apart(test, p.fast.admissibility, x, np.empty(len(x) // p.dim, dtype=np.bool_))
    return points, values, tests, _counted_apart(p)


def _apart(one: Callable[..., object], other: Callable[..., object], x: Floats, out: npt.NDArray[np.generic]) -> int:
    second = out.copy()
    one(x, out)
    other(x, second)
    kind = np.int64 if out.dtype == np.float64 else out.dtype
    return int((out.view(kind) != second.view(kind)).sum())


def _counted_apart(p: cpc.Problem) -> int:
    kernel, filtered = counted(p), filtered_count(p)
    state, step = state_of(stream(p, 0, 0), 0, p.dim)
    return 0 if filtered is None else abs(filtered(state, step, EVEN) - kernel(state, step, EVEN))
