"""What a user waits for: the import, the first call, the first call of a later process, one scalar call."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

import numpy as np
from rich.console import Console
from rich.table import Table

import cpcbench as cpc
from benchmarks.speed.timing import best_of, geometric_mean

IMPORT = "import time; t = time.perf_counter(); import cpcbench; print(time.perf_counter() - t)"
FIRST = """
import time, cpcbench
p = cpcbench.problem({id!r}); x = (p.lower + p.upper) / 2
t = time.perf_counter(); p(x); print(time.perf_counter() - t)
"""
SLOWEST = ("CPC-DF3", "CPC-DF7", "CPC-DF18", "CPC-DF23")


def run(console: Console) -> None:
    console.print(f"import cpcbench: {min(_seconds(IMPORT) for _ in range(5)):.3f} s")
    table = Table(title="first call of a problem, seconds, Numba's own import included")
    for name in ("problem", "first process", "later process"):
        table.add_column(name, justify="left" if name == "problem" else "right")
    for name in SLOWEST:
        with tempfile.TemporaryDirectory() as folder:
            times = [_seconds(FIRST.format(id=name), CPCBENCH_CACHE=folder) for _ in range(4)]
        table.add_row(name, f"{times[0]:.2f}", f"{min(times[1:]):.2f}")
    console.print(table)
    scalar = [_scalar(p) for p in cpc.problems()]
    mean = geometric_mean(scalar)
    console.print(f"one scalar call p(x), nanoseconds: {min(scalar):.0f} to {max(scalar):.0f}, mean {mean:.0f}")


def _seconds(code: str, **environment: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def _scalar(problem: cpc.Problem) -> float:
    """Nanoseconds of one call at an admissible point."""
    published = problem.published
    x = np.array(published.points[0] if published is not None else problem.lower)

    def calls() -> None:
        for _ in range(1000):
            problem(x)

    return best_of({"call": calls})["call"] * 1e6
