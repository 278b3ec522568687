"""`python -m benchmarks.constrained [G06 ...]`: problems with constraints from the literature, searched and proven.

Each is minimised by the black box and by the white box with several seeds, and then certified. Printed are rows of the
table in docs/constraints.md, and with `--points` the lowest point found of each.
"""

from __future__ import annotations

import argparse
import statistics
import time
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


def proven(one: Constrained, seconds: float) -> str:
    begin = time.monotonic()
    try:
        made = cpc.certify(one.problem, tolerance=1e-6, seconds=seconds)
    except cpc.CpcbenchError as trouble:
        return f"no: {str(trouble)[:60]} | {time.monotonic() - begin:.0f}"
    accepted = made.checked is not None and made.checked.accepted
    words = f"{made.lower!r} to {made.upper!r}{'' if accepted else ', not checked in time'}"
    return f"{words} | {made.relative_gap:.0e} | {time.monotonic() - begin:.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", nargs="*", help="their names; all of them unless some are given")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--black", type=int, default=100_000, help="evaluations of the black box")
    parser.add_argument("--white", type=int, default=300_000, help="evaluations of the white box")
    parser.add_argument("--seconds", type=float, default=120.0, help="for each proof; 0 leaves it out")
    parser.add_argument("--points", action="store_true", help="print the lowest points")
    settings = parser.parse_args()
    for one in PROBLEMS:
        if settings.problems and one.id not in settings.problems:
            continue
        black, _ = searched(one, "black-box", settings.black, settings.runs)
        white, best = searched(one, "white-box", settings.white, settings.runs)
        proof = proven(one, settings.seconds) if settings.seconds else ""
        count = len(one.problem.constraints)
        print(f"| {one.id} | {one.problem.dim} | {count} | {one.printed!r} | {black} | {white} | {proof} |", flush=True)
        if settings.points:
            print(f"{one.id}: {best.fun!r} at {None if best.x is None else best.x.tolist()}", flush=True)


if __name__ == "__main__":
    main()
