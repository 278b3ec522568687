"""Nanoseconds per sampled point of a feasible ratio: the compiled count beside the same in NumPy, one core each."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

import cpcbench as cpc
from benchmarks.speed.timing import best_of, geometric_mean
from cpcbench.readings.doubles.arrays import array_values
from cpcbench.studies.feasible.counting import counted
from cpcbench.studies.feasible.draws import state_of, stream
from cpcbench.studies.feasible.ratio import REPEATS, SAMPLES, feasible_ratio

POINTS = 50_000


def run(console: Console) -> None:
    table = Table(title="nanoseconds per point of a feasible ratio, drawing included (the least of 5 rounds)")
    for name in ("problem", "cpcbench", "NumPy", "ratio"):
        table.add_column(name, justify="left" if name == "problem" else "right")
    problems = [p for p in cpc.problems() if p.category == "domain-induced"]
    ratios = []
    for p in problems:
        seconds = best_of({"cpcbench": _ours(p), "NumPy": _numpy(p)})
        ratios.append(seconds["NumPy"] / seconds["cpcbench"])
        cells = (f"{seconds[name] / POINTS * 1e9:.1f}" for name in ("cpcbench", "NumPy"))
        table.add_row(p.id, *cells, f"{ratios[-1]:.1f}")
    console.print(table)
    console.print(
        f"NumPy / cpcbench: {min(ratios):.1f} to {max(ratios):.1f}, geometric mean {geometric_mean(ratios):.1f}"
    )
    start = time.perf_counter()
    for p in problems:
        feasible_ratio(p, method="sample")
    total = SAMPLES * REPEATS * len(problems)
    console.print(
        f"the paper's protocol, {total:,} points of {len(problems)} problems: {time.perf_counter() - start:.1f} s"
    )


def _ours(p: cpc.Problem) -> Callable[[], object]:
    kernel = counted(p)
    state, step = state_of(stream(p, 0, 0), 0, p.dim)
    return lambda: kernel(state, step, POINTS)


def _numpy(p: cpc.Problem) -> Callable[[], object]:
    rng = np.random.default_rng(0)
    low, high = p.lower[:, None], p.upper[:, None]

    def count() -> int:
        columns = rng.uniform(low, high, (p.dim, POINTS))
        return int(np.isfinite(array_values(p.expression, columns)[id(p.expression)]).sum())

    return count
