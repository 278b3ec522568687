"""Both modes on problems outside the suite, whose optima are known: `python -m benchmarks.own_problems [names]`.

For each problem it prints how many runs of the black-box search reach the known optimum to 1e-4, what kinds of points
they end in, and what the white-box search finds.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.material.own_problems import Own, Simulation, own_problems, simulations

import cpcbench as cpc
from cpcbench.report.render import render
from cpcbench.report.table import Cell, Table

SOLVED = 1e-4
FIRST_SEED = 8101


@dataclass(frozen=True)
class Tally:
    """The runs on one problem with one budget: those at the optimum, and the kinds of all end points."""

    runs: int
    solved: int
    kinds: Counter[str]

    @property
    def text(self) -> str:
        return f"{self.solved} of {self.runs}"

    @property
    def ends(self) -> str:
        return ", ".join(f"{count} {kind}" for kind, count in sorted(self.kinds.items()))


def reaches(value: float, optimum: float) -> bool:
    """Within 1e-4 of the optimum, relative above 1; NaN does not."""
    return value - optimum <= SOLVED * max(1.0, abs(optimum))


def black_box(case: Own | Simulation, budget: int, seeds: Iterable[int], seconds: float | None = None) -> Tally:
    """The search that sees values only. A run that ends in a thin point is held against the lowest thin value."""
    kinds: Counter[str] = Counter()
    solved = runs = 0
    for seed in seeds:
        found = _found(case, budget, seed, seconds)
        runs += 1
        kind = _kind(case, found)
        solved += reaches(found.fun, _optimum(case, kind))
        kinds[kind] += 1
    return Tally(runs, solved, kinds)


def _optimum(case: Own | Simulation, kind: str) -> float:
    thin = case.thin if isinstance(case, Own) and kind == "thin" else None
    return case.value if thin is None else thin[0]


def _found(case: Own | Simulation, budget: int, seed: int, seconds: float | None) -> Any:
    limits: dict[str, Any] = {"budget": budget, "seed": seed, "seconds": seconds}
    if isinstance(case, Simulation):
        return cpc.minimize(case.function, list(case.bounds), **limits)
    return cpc.minimize(case.problem, method="black-box", **limits)


def _kind(case: Own | Simulation, found: Any) -> str:
    if found.x is None:
        return "nothing"
    if isinstance(case, Simulation):
        return "a value"  # there is no formula to judge the point by
    return str(cpc.verify(case.problem, found.x, found.fun).kind)


def white_box(case: Own, seconds: float) -> tuple[Cell, ...]:
    """Whether the search that reads the formula solves it, how far above the optimum it ends, and the thin value."""
    found = cpc.minimize(case.problem, seconds=seconds, seed=FIRST_SEED)
    thin = getattr(found, "thin", None)
    kind = _kind(case, found)
    gap = float(f"{found.fun - case.value:.2g}")
    below = None if thin is None or case.thin is None else bool(reaches(thin.value, case.thin[0]))
    return bool(reaches(found.fun, case.value)), gap, kind, below


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("names", nargs="*", help="problems; all otherwise")
    parser.add_argument("--budgets", type=float, nargs="+", default=[1e5, 1e6])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=15.0, help="of the white-box search; 0 leaves it out")
    parser.add_argument("--run-seconds", type=float, default=120.0, help="at most for one run of the black-box search")
    given = parser.parse_args(arguments)
    every: list[Own | Simulation] = [*own_problems(), *simulations()]
    cases = [case for case in every if not given.names or case.name in given.names]
    seeds = range(FIRST_SEED, FIRST_SEED + given.seeds)
    rows = [_row(case, [int(b) for b in given.budgets], seeds, given.seconds, given.run_seconds) for case in cases]
    columns = ["problem", "n", "traits"]
    for budget in given.budgets:
        columns += [f"{budget:g} solved", f"{budget:g} ends"]
    columns += ["white box solved", "above optimum", "kind", "thin optimum too"]
    title = f"Problems outside the suite: {given.seeds} runs each, white box {given.seconds:g} s"
    print(render([Table("own-problems", title, tuple(columns), tuple(rows))], "markdown"))


def _row(
    case: Own | Simulation, budgets: Sequence[int], seeds: Iterable[int], seconds: float, limit: float
) -> tuple[Cell, ...]:
    print(case.name, file=sys.stderr)
    tallies = [black_box(case, budget, seeds, limit) for budget in budgets]
    cells = [cell for tally in tallies for cell in (tally.text, tally.ends)]
    white = (None,) * 4 if isinstance(case, Simulation) or seconds <= 0 else white_box(case, seconds)
    return case.name, len(case.bounds), case.traits, *cells, *white


if __name__ == "__main__":
    main()
