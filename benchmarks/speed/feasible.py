"""Nanoseconds per sampled point of a feasible ratio: counted with and without filter, and in NumPy, one core each."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

import cpcbench as cpc
from benchmarks.speed.timing import best_of, geometric_mean
from cpcbench.readings.doubles.arrays import array_values
from cpcbench.studies.feasible.counting import counted, filtered_count
from cpcbench.studies.feasible.draws import state_of, stream
from cpcbench.studies.feasible.ratio import REPEATS, SAMPLES, feasible_ratio

POINTS = 50_000


def run(console: Console) -> None:
    table = Table(title="nanoseconds per point of a feasible ratio, drawing included (the least of 5 rounds)")
    for name in ("problem", "filter", "kernel", "NumPy", "kernel / filter", "NumPy / filter"):
        table.add_column(name, justify="left" if name == "problem" else "right")
    problems = [p for p in cpc.problems() if p.category == "domain-induced"]
    over: dict[str, list[float]] = {"kernel": [], "NumPy": []}
    for p in problems:
        seconds = best_of({"filter": _ours(p, filtered_count(p) or counted(p)), "kernel": _ours(p, counted(p)),
                           "NumPy": _numpy(p)})  # fmt: skip
        for name, ratios in over.items():
            ratios.append(seconds[name] / seconds["filter"])
        table.add_row(
            p.id, *(f"{seconds[name] / POINTS * 1e9:.1f}" for name in seconds), *(f"{r[-1]:.1f}" for r in over.values())
        )
    console.print(table)
    for name, ratios in over.items():
        mean = geometric_mean(ratios)
        console.print(f"{name} / filter: {min(ratios):.1f} to {max(ratios):.1f}, geometric mean {mean:.1f}")
    start = time.perf_counter()
    for p in problems:
        feasible_ratio(p, method="sample")
    total = SAMPLES * REPEATS * len(problems)
    console.print(
        f"the paper's protocol, {total:,} points of {len(problems)} problems: {time.perf_counter() - start:.1f} s"
    )


def _ours(p: cpc.Problem, kernel: Callable[[int, int, int], int]) -> Callable[[], object]:
    state, step = state_of(stream(p, 0, 0), 0, p.dim)
    return lambda: kernel(state, step, POINTS)


def _numpy(p: cpc.Problem) -> Callable[[], object]:
    rng = np.random.default_rng(0)
    low, high = p.lower[:, None], p.upper[:, None]

    def count() -> int:
        columns = rng.uniform(low, high, (p.dim, POINTS))
        return int(np.isfinite(array_values(p.expression, columns)[id(p.expression)]).sum())

    return count
