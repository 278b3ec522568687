"""What outside solvers make of undefined values: `python -m benchmarks.undefined_policies [--budget N] [names]`.

For each solver and each substitute it prints, over a few problems and seeds, in how many runs anything
admissible was found, the share of admissible evaluations, how many runs were best or as good as the best of
the substitutes, the evaluations made and the runs that failed.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import cpcbench as cpc
from cpcbench.cli.progress import ProgressLine
from cpcbench.problems.undefined import POLICIES
from cpcbench.solvers import registry
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.registry import Solver
from cpcbench.solvers.run import Outcome, run_once

PROBLEMS = ("CPC-DF1", "CPC-DF3", "CPC-DF8", "CPC-DF14", "CPC-DF17", "CPC-DF20", "CPC-DF23", "CPC-DF24", "CPC-DF25")
"""Admissible on 49 % of the box down to 0.02 %, two to five variables, values from tens to ten thousands."""

SUBSTITUTES = ("nan", "inf", "penalty", "worst")
"""`worst` is twice as far above the best as the worst value seen so far: finite, and in proportion."""

SAME = 1e-6
"""Values are as good as each other within this, relative to the larger or to 1."""


class Proportionate:
    """An objective whose substitute for undefined values follows the values seen so far."""

    def __init__(self, objective: Objective) -> None:
        self.inner = objective
        self.highest = -math.inf

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def __call__(self, x: ArrayLike) -> Any:
        values = self.inner(x)
        highest = float(np.fmax.reduce(values, axis=None))
        self.highest = max(self.highest, highest) if highest == highest else self.highest
        filled = np.where(np.isnan(values), self._beyond(), values)
        return filled if filled.ndim else float(filled)

    def _beyond(self) -> float:
        if math.isinf(self.highest):
            return 1.0
        return self.highest + max(self.highest - self.inner.best_value, 1e-3 * abs(self.highest), 1e-9)


@dataclasses.dataclass(frozen=True)
class Proportioned:
    """A solve function that sees the objective with the substitute that follows the values."""

    solve: Callable[..., Any]

    def __call__(self, objective: Objective, rng: np.random.Generator, **parameters: Any) -> Any:
        return self.solve(Proportionate(objective), rng, **parameters)


def with_substitute(solver: Solver, substitute: str) -> Solver:
    if substitute in POLICIES:
        return dataclasses.replace(solver, undefined=substitute)
    return dataclasses.replace(solver, undefined="nan", solve=Proportioned(solver.solve))


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("solvers", nargs="*", help="names; all outside solvers that are installed otherwise")
    parser.add_argument("--budget", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args(None if arguments is None else list(arguments))
    names = given.solvers or [name for name in registry.solvers() if name in registry.OUTSIDE]
    print("| solver | undefined as | runs with a find | admissible share | best of four | evaluations | failed |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for name in names:
        found = registry.solver(name)
        if not found.expression:
            for line in table(found, given.budget, 1 if found.deterministic else given.seeds):
                print(line, flush=True)


def table(solver: Solver, budget: int, seeds: int) -> list[str]:
    """The lines for one solver."""
    runs = {substitute: outcomes(with_substitute(solver, substitute), budget, seeds) for substitute in SUBSTITUTES}
    bests = {substitute: np.array([best(o) for o in done]) for substitute, done in runs.items()}
    least = np.min(list(bests.values()), axis=0)
    lines = []
    for substitute, done in runs.items():
        values = bests[substitute]
        with np.errstate(invalid="ignore"):
            ahead = np.isfinite(values) & (values <= least + SAME * np.maximum(1.0, np.abs(least)))
        admissible = sum(o.evaluations - o.undefined for o in done) / max(1, sum(o.evaluations for o in done))
        mark = " *" if substitute == solver.undefined else ""
        lines.append(
            f"| {solver.name} | {substitute}{mark} | {np.isfinite(values).sum()} of {len(done)} | {admissible:.1%} "
            f"| {ahead.sum()} | {np.mean([o.evaluations for o in done]):,.0f} "
            f"| {sum(o.status == 'failed' for o in done)} |"
        )
    return lines


def outcomes(solver: Solver, budget: int, seeds: int) -> list[Outcome]:
    done = []
    with ProgressLine() as line:
        for name, seed in product(PROBLEMS, range(seeds)):
            line.say(f"{solver.name} {name} {seed}")
            done.append(run_once(cpc.problem(name), solver, seed, budget=budget))
    return done


def best(outcome: Outcome) -> float:
    """The best value evaluated; infinite if none was defined."""
    return outcome.trajectory[-1][1] if outcome.trajectory else math.inf


if __name__ == "__main__":
    main()
