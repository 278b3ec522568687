"""`python -m benchmarks.language.functions`: each function of the language in every reading that can be run here.

Fast against correctly rounded doubles at 10^5 points, of every size and next to the edges; 10^5 random boxes, whose
ranges must hold the values at points in them; as many cuts, which must lose no point within the limit; the checker's
ranges and slopes at 6 to 64 bits against true values; and the exported programs, in ulps from the kernels. One wrong
answer and the exit status is 1.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import dataclass

import numpy as np
from tests.material.forgeries import difference_quotients, operations
from tests.material.forgeries.tally import Tally
from tests.material.forgeries.truth import ARITHMETICS, PRECISIONS, setting

import cpcbench as cpc
from benchmarks.language import exports
from benchmarks.language.points import lost_by_cuts, outside_of_boxes, wild
from cpcbench.expr.functions import FUNCTIONS, PAIRS
from cpcbench.expr.nodes import ARITY
from cpcbench.problems.problem import Problem
from cpcbench.studies.agreement import ulps_apart

EXPORTED = {"c": 10_000, "python": 10_000, "jax": 10_000, "octave": 300, "sympy": 40}
"""How many points each program is run at."""


@dataclass(frozen=True)
class Found:
    """What was found of one function; of all counts but that of cut boxes 0 is right."""

    op: str
    ulps: int
    disputed: int
    scalar: int
    outside: int
    lost: int
    cut: int
    checks: int
    violations: int

    @property
    def wrong(self) -> int:
        return self.disputed + self.scalar + self.outside + self.lost + self.violations


def problem_of(op: str) -> Problem:
    dim = ARITY[op]
    return cpc.parse(f"{op}({', '.join(f'x{i + 1}' for i in range(dim))})", [(-1e300, 1e300)] * dim, id=f"f_{op}")


def found(op: str, points: int, boxes: int, checks: int, seed: int = 1) -> Found:
    """One function in the readings of this package."""
    rng, problem = np.random.default_rng([seed, *op.encode()]), problem_of(op)
    x = wild(rng, points, problem.dim)
    fast, exact = problem(x), np.array([problem.reference(point) for point in x])
    here, there = ~np.isnan(fast), ~np.isnan(exact)
    both = here & there
    single = np.array([problem(point) for point in x[:1000]])
    tally = checked(op, checks, seed)
    return Found(
        op,
        int(ulps_apart(fast[both], exact[both]).max(initial=0)),
        int((here != there).sum()),
        int((single.view(np.int64) != fast[:1000].view(np.int64)).sum()),
        outside_of_boxes(problem, op, rng, boxes),
        *lost_by_cuts(problem, rng, boxes),
        tally.total(["held", "violations"]),
        len(tally.violations),
    )


def checked(op: str, count: int, seed: int) -> Tally:
    """The checker's range and slopes of a function, at every precision and in both arithmetics in turn."""
    r, tally = random.Random(f"{seed} {op}"), Tally()  # noqa: S311
    ways = (operations.unary, difference_quotients.function)
    if op in PAIRS:
        ways = (operations.binary, difference_quotients.pair)
    for turn in range(count):
        with setting(ARITHMETICS[turn % 2], PRECISIONS[turn // 2 % 4]):
            for way in ways:
                way(r, tally, op)
    return tally


def exported(ops: list[str], seed: int = 2) -> dict[str, list[str]]:
    """What the programs give, for each function: C, Python, JAX, MATLAB (GNU Octave) and SymPy."""
    problems = {op: problem_of(op) for op in ops}
    points = {op: wild(np.random.default_rng([seed, *op.encode()]), 10_000, ARITY[op]) for op in ops}
    few = {op: x[np.abs(x).max(axis=1) < 1e3] for op, x in points.items()}
    by_octave = exports.by_octave({op: (p, few[op][: EXPORTED["octave"]]) for op, p in problems.items()})
    return {
        op: [
            exports.by_c(p, points[op]),
            exports.by_python(p, points[op]),
            exports.by_jax(p, points[op]),
            by_octave[op],
            exports.by_sympy(p, few[op][: EXPORTED["sympy"]]),
        ]
        for op, p in problems.items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("functions", nargs="*", help="all, if none are named")
    parser.add_argument("--points", type=float, default=1e5)
    parser.add_argument("--boxes", type=float, default=1e5)
    parser.add_argument("--checks", type=float, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    ops = given.functions or [*FUNCTIONS, *PAIRS]
    programs, wrong = exported(ops), 0
    print("| function | ulps | disputed | boxes wrong | points lost | boxes cut | checks | wrong |", end="")
    print(" C | Python | JAX | Octave | SymPy |")
    print("|---|" + "---:|" * 12)
    for op in ops:
        row = found(op, int(given.points), int(given.boxes), int(given.checks), given.seed)
        wrong += row.wrong
        cells = [row.ulps, row.disputed + row.scalar, row.outside, row.lost, row.cut, row.checks, row.violations]
        print(f"| `{op}` | " + " | ".join([*(f"{cell:,}" for cell in cells), *programs[op]]) + " |", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
