"""The suite by the white-box solver, from a clean start: `python -m benchmarks.white_box --seconds 30`.

`--anytime 1e3 1e4 1e5` gives budgets instead, to the white and to the black box, also on the problems outside of the
suite, and prints how many runs of each reach the best-known value (to 1e-4, relative above 1) and which median is
lower. Values are the lowest in doubles, artefacts of rounding included, since the black box knows no others.

The published values are read for the table only, after each search has ended.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat

import numpy as np
from tests.material.own_problems import own_problems

from cpcbench.problems.problem import Problem
from cpcbench.problems.registry import problem, problems
from cpcbench.solvers.minimize import minimize
from cpcbench.solvers.white_box import WhiteBoxResult, solve_expression

Pair = tuple[float, float]


def main() -> None:
    """Prints one line a problem: published value, ours, the difference, thin and artefact values, time."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("ids", nargs="*", help="problems, all 25 if none are named")
    words.add_argument("--seconds", type=float, default=30.0, help="for each problem")
    words.add_argument("--seed", type=int, default=0)
    words.add_argument("--jobs", type=int, default=1, help="processes")
    words.add_argument("--processor-time", action="store_true", help="count seconds of processor time")
    words.add_argument("--anytime", type=float, nargs="+", help="budgets: white and black box side by side")
    words.add_argument("--seeds", type=int, default=3, help="runs with each of these budgets")
    given = words.parse_args()
    if given.anytime:
        anytime(given.ids, [int(budget) for budget in given.anytime], given.seeds, given.jobs)
        return
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


def anytime(names: list[str], budgets: list[int], seeds: int, jobs: int) -> None:
    """One line a problem: runs solved and medians of the white and of the black box with each budget, and the sums."""
    known = [(p, p.best_known.value) for p in problems() if p.id.startswith("CPC-") and p.best_known]
    known += [(own.problem, own.value) for own in own_problems()]
    known = [(p, value) for p, value in known if not names or p.id in names]
    print(f"{'problem':15}" + "".join(f" {budget:>9,}: white black medians" for budget in budgets))
    totals = np.zeros((len(budgets), 2), dtype=int)
    with ProcessPoolExecutor(jobs) as pool:
        for (p, _), found in zip(known, pool.map(_curves, known, repeat(budgets), repeat(seeds)), strict=True):
            solved, medians = found
            totals += solved
            words = [
                f" {'':10} {white:5} {black:5} {a:.5g} {'<' if a < b else '=' if a == b else '>'} {b:.5g}"
                for (white, black), (a, b) in zip(solved, medians, strict=True)
            ]
            print(f"{p.id:15}" + "".join(words), flush=True)
    print(f"{'all':15}" + "".join(f" {'':10} {white:5} {black:5}" for white, black in totals))


def _curves(case: tuple[Problem, float], budgets: list[int], seeds: int) -> tuple[list[tuple[int, int]], list[Pair]]:
    """For each budget the runs solved and the medians, of the white and of the black box."""
    p, known = case
    solved, medians = [], []
    for budget in budgets:
        both = [[_lowest(p, method, budget, seed) for seed in range(seeds)] for method in ("white-box", "black-box")]
        near = [sum(value - known <= 1e-4 * max(1.0, abs(known)) for value in values) for values in both]
        solved.append((near[0], near[1]))
        medians.append((float(np.median(both[0])), float(np.median(both[1]))))
    return solved, medians


def _lowest(p: Problem, method: str, budget: int, seed: int) -> float:
    found = minimize(p, budget=budget, rng=seed, method=method)
    values = [found.fun, *(getattr(found.get(kind), "value", np.nan) for kind in ("thin", "artefact"))]
    return float(np.min([value for value in values if np.isfinite(value)], initial=np.inf))


def _short(found: WhiteBoxResult, kind: str) -> str:
    """The value of the other kind, if it is lower than the faithful one."""
    candidate = getattr(found, kind)
    lower = candidate is not None and not candidate.value >= found.value
    return f"{candidate.value:.9g}" if lower else "-"


if __name__ == "__main__":
    main()
