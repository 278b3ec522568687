"""Attempts to break the checker, by the million: `python -m benchmarks.forgeries --checks 1e6 --forgeries 1e5`.

Low-precision checks compare every rule of the checker, at 6 to 64 bits in both arithmetics, with exact values or values
of many bits; forgeries are certificates whose claims are known to be false. One violation and the exit status is 1.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed

from rich.console import Console
from rich.table import Table
from tests.material.forgeries.claims import FALSE_REJECTED, TRUE_ACCEPTED, TRUE_REJECTED, VIOLATION
from tests.material.forgeries.tally import Tally
from tests.material.forgeries.trying import checks, forgeries

SHARE = 2000
"""Tries that one process makes at a time."""

CHECK_OUTCOMES = ("held", VIOLATION)
FORGERY_OUTCOMES = (FALSE_REJECTED, TRUE_ACCEPTED, TRUE_REJECTED, VIOLATION)


def tried(work: Callable[[int, int], Tally], count: int, seed: int, jobs: int) -> Tally:
    """The work cut into shares, each with a seed of its own, so that the figures do not depend on the processes."""
    shares = [min(SHARE, count - start) for start in range(0, count, SHARE)]
    total = Tally()
    if jobs == 1:
        for place, share in enumerate(shares):
            total.merge(work(seed * 1_000_003 + place, share))
        return total
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        waiting = [pool.submit(work, seed * 1_000_003 + place, share) for place, share in enumerate(shares)]
        for done in as_completed(waiting):
            total.merge(done.result())
    return total


def table(title: str, tally: Tally, outcomes: tuple[str, ...]) -> Table:
    found = Table(title=title)
    for name in ("kind", "tried", *outcomes):
        found.add_column(name, justify="left" if name == "kind" else "right")
    for kind in tally.kinds:
        found.add_row(kind, f"{tally.of(kind):,}", *(f"{tally.of(kind, outcome):,}" for outcome in outcomes))
    sums = [f"{tally.total([outcome]):,}" for outcome in outcomes]
    found.add_section()
    found.add_row("all", f"{tally.counts.total():,}", *sums)
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.forgeries", description=__doc__)
    parser.add_argument("--checks", type=float, default=1e6, help="how many low-precision checks")
    parser.add_argument("--forgeries", type=float, default=1e5, help="how many forged certificates")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    asked = parser.parse_args(arguments)
    console = Console(width=130)
    violations: list[str] = []
    runs = [
        ("low-precision checks, at 6, 10, 16 and 64 bits in both arithmetics", checks, asked.checks, CHECK_OUTCOMES),
        ("forged certificates", forgeries, asked.forgeries, FORGERY_OUTCOMES),
    ]
    for title, work, count, outcomes in runs:
        start = time.perf_counter()
        tally = tried(work, round(count), asked.seed, asked.jobs)
        took = time.perf_counter() - start
        console.print(table(f"{title}; seed {asked.seed}, {took:.0f} s", tally, outcomes))
        violations += tally.violations
    for violation in violations:
        console.print(f"VIOLATION {violation}", markup=False, soft_wrap=True)
    console.print(f"{len(violations):,} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
