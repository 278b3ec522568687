"""The suite by the white-box solver, from a clean start: `python -m benchmarks.white_box --seconds 30`.

The published values are read for the table only, after each search has ended.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat

import numpy as np

from cpcbench.problems.registry import problem, problems
from cpcbench.solvers.white_box import WhiteBoxResult, solve_expression


def main() -> None:
    """Prints one line a problem: published value, ours, the difference, thin and artefact values, time."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("ids", nargs="*", help="problems, all 25 if none are named")
    words.add_argument("--seconds", type=float, default=30.0, help="for each problem")
    words.add_argument("--seed", type=int, default=0)
    words.add_argument("--jobs", type=int, default=1, help="processes")
    words.add_argument("--processor-time", action="store_true", help="count seconds of processor time")
    given = words.parse_args()
    ids = given.ids or [p.id for p in problems() if p.id.startswith("CPC-")]
    settings = repeat(given.seconds), repeat(given.seed), repeat(given.processor_time)
    print(f"{'problem':9} {'published':>24} {'faithful':>24} {'difference':>11} {'thin':>12} {'artefact':>14} seconds")
    with ProcessPoolExecutor(given.jobs) as pool:
        for line in pool.map(row, ids, *settings):
            print(line, flush=True)


def row(name: str, seconds: float, seed: int, processor_time: bool) -> str:
    """One problem solved, as a line of the table."""
    p = problem(name)
    clock = time.process_time if processor_time else time.perf_counter
    found = solve_expression(p, np.random.default_rng(seed), seconds=seconds, clock=clock)
    published = p.published.value if p.published else float("nan")
    gap = f"{found.value - published:+.3e}"
    return (
        f"{p.id:9} {published!r:>24} {found.value!r:>24} {gap:>11} "
        f"{_short(found, 'thin'):>12} {_short(found, 'artefact'):>14} {found.seconds:7.1f}"
    )


def _short(found: WhiteBoxResult, kind: str) -> str:
    """The value of the other kind, if it is lower than the faithful one."""
    candidate = getattr(found, kind)
    lower = candidate is not None and not candidate.value >= found.value
    return f"{candidate.value:.9g}" if lower else "-"


if __name__ == "__main__":
    main()
