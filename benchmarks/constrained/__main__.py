"""`python -m benchmarks.constrained [G06 ...]`: problems with constraints from the literature, searched and proven.

Each is minimised by the black box and by the white box with several seeds, and then certified. Printed are rows of the
table in docs/constraints.md, and with `--points` the lowest point found of each.
"""

from __future__ import annotations

import argparse
import os
import statistics
from typing import Any

import cpcbench as cpc
from benchmarks.constrained.problems import PROBLEMS, Constrained

SOLVED = 1e-4
"""How far above the printed value, relative above 1, counts as solved."""


def above(value: float, printed: float) -> float:
    """How far a value is above the printed one, relative above 1; infinite where there is none."""
    return (value - printed) / max(1.0, abs(printed)) if value == value else float("inf")


def searched(one: Constrained, method: str, budget: int, runs: int) -> tuple[str, Any]:
    """How often it was solved and how far above the median run ended; and the lowest result."""
    problem = one.problem
    found = [cpc.minimize(problem, method=method, budget=budget, rng=seed) for seed in range(runs)]
    gaps = [above(result.fun, one.printed) for result in found]
    solved = sum(gap <= SOLVED for gap in gaps)
    return f"{solved} of {runs}, {statistics.median(gaps):.0e}", min(zip(gaps, range(runs), found, strict=True))[2]


def processor_time() -> float:
    """Seconds that this process and those that it waited for have worked."""
    return sum(os.times()[:4])


def proven(one: Constrained, seconds: float, workers: int) -> str:
    """Both bounds, or how far it came, and the processor time of search, proof and check."""
    begin = processor_time()
    try:
        made = cpc.certify(one.problem, tolerance=1e-6, seconds=seconds, workers=workers)
    except cpc.CpcbenchError as trouble:
        return f"no: {str(trouble)[:60]} | {processor_time() - begin:.0f}"
    closed = "" if made.relative_gap <= 1e-6 else f" (gap {made.relative_gap:.0e})"
    accepted = "" if made.checked is not None and made.checked.accepted else " (its check outlasted the time)"
    return f"{made.lower!r} to {made.upper!r}{closed}{accepted} | {processor_time() - begin:.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", nargs="*", help="their names; all of them unless some are given")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--black", type=int, default=100_000, help="evaluations of the black box")
    parser.add_argument("--white", type=int, default=300_000, help="evaluations of the white box")
    parser.add_argument("--seconds", type=float, default=120.0, help="for each proof; 0 leaves it out")
    parser.add_argument("--workers", type=int, default=1, help="threads of a proof, and processes of its check")
    parser.add_argument("--points", action="store_true", help="print the lowest points")
    settings = parser.parse_args()
    for one in PROBLEMS:
        if settings.problems and one.id not in settings.problems:
            continue
        black, _ = searched(one, "black-box", settings.black, settings.runs)
        white, best = searched(one, "white-box", settings.white, settings.runs)
        proof = proven(one, settings.seconds, settings.workers) if settings.seconds else ""
        count = len(one.problem.constraints)
        print(f"| {one.id} | {one.problem.dim} | {count} | {one.printed!r} | {black} | {white} | {proof} |", flush=True)
        if settings.points:
            print(f"{one.id}: {best.fun!r} at {None if best.x is None else best.x.tolist()}", flush=True)


if __name__ == "__main__":
    main()
