"""`python -m benchmarks.outside --half held-back`: the share of functions solved with few evaluations, by solver.

Each function of the suite `classics` is run on boxes cut unevenly, and once more with slabs in which it is undefined,
about a third of the box being left. Solved is within 1e-4 of the best-known value, relative above 1. A solver that does
not look at its budget is run once with the largest and its way is read off; `cpc` is run for each budget. Runs are kept
in a file of lines (`--store`), so that a stopped command goes on; with `--report` nothing is run. The row of `egobox`
needs that package.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

from scipy.stats import binomtest

from benchmarks.outside.problems import functions, held_back
from benchmarks.outside.runs import Run, solved_at
from cpcbench.cli.progress import ProgressLine

BUDGETS = (50, 200, 1000, 10_000)
LARGEST = {
    "cpc": 10_000,
    "fcmaes-bite": 10_000,
    "scipy-dual-annealing": 10_000,
    "scipy-cobyqa": 1000,
    "nlopt-crs2": 10_000,
    "cmaes": 10_000,
    "scipy-de": 10_000,
    "nomad": 200,
    "optuna-tpe": 200,
    "egobox": 200,
}
"""The solvers, and with how many evaluations they are run at most: some take long for each."""
ASKED_APART = ("cpc",)
"""Those that share their evaluations out by how many there are, and so are run for each budget."""
HALVES = {"development": (False,), "held-back": (True,), "both": (False, True)}


def plan(names: Sequence[str], half: str, budgets: Sequence[int], numbers: Sequence[int]) -> Iterator[Run]:
    """All runs, each function in turn by all solvers."""
    chosen = [name for name in functions() if held_back(name) in HALVES[half]]
    for number, function, slabs, name in product(numbers, chosen, (False, True), names):
        for budget in asked(name, budgets):
            yield Run(name, function, number, slabs, budget)


def asked(name: str, budgets: Sequence[int]) -> list[int]:
    """The budgets that a solver is run with."""
    within = [budget for budget in budgets if budget <= LARGEST.get(name, max(BUDGETS))]
    return within if name in ASKED_APART else within[-1:]


def read(store: Path) -> dict[Run, int]:
    """What was run before."""
    done: dict[Run, int] = {}
    for line in store.read_text().splitlines() if store.exists() else ():
        name, function, number, slabs, budget, at = line.split(",")
        done[Run(name, function, int(number), slabs == "slabs", int(budget))] = int(at)
    return done


def line(run: Run, at: int) -> str:
    return f"{run.solver},{run.function},{run.number},{'slabs' if run.slabs else 'defined'},{run.budget},{at}\n"


def make(runs: Sequence[Run], store: Path, jobs: int) -> None:
    """Runs what is missing and adds each to the file as it ends."""
    done = read(store)
    missing = [run for run in runs if run not in done]
    with store.open("a") as file, ProcessPoolExecutor(jobs) as pool, ProgressLine() as progress:
        for count, (run, at) in enumerate(
            zip(missing, pool.map(solved_at, missing, chunksize=4), strict=True), start=1
        ):
            file.write(line(run, at))
            file.flush()
            progress.say(f"{count} of {len(missing)} runs")


def table(runs: Sequence[Run], done: dict[Run, int], budgets: Sequence[int]) -> list[str]:
    """A row a solver, a column a budget and kind of box: the share solved, and its 95 % interval by Wilson."""
    names = list(dict.fromkeys(run.solver for run in runs))
    columns = list(product(budgets, (False, True)))
    heads = [f"{budget:,} {'slabs' if slabs else 'defined'}" for budget, slabs in columns]
    lines = [f"| solver | {' | '.join(heads)} |", f"|---|{'---|' * len(heads)}"]
    for name in names:
        cells = []
        for budget, slabs in columns:
            ran_with = budget if name in ASKED_APART else max(asked(name, budgets), default=0)
            mine = [run for run in runs if (run.solver, run.slabs, run.budget) == (name, slabs, ran_with)]
            cells.append(share([0 < done[run] <= budget for run in mine if run in done]) if budget <= ran_with else "")
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return lines


def share(solved: Sequence[bool]) -> str:
    if not solved:
        return ""
    interval = binomtest(sum(solved), len(solved)).proportion_ci(0.95, "wilson")
    return f"{sum(solved) / len(solved):.0%} ({interval.low:.0%}-{interval.high:.0%})"


def main(arguments: Sequence[str] | None = None) -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--half", choices=list(HALVES), default="held-back", help="by a hash of the function's name")
    words.add_argument("--solvers", default=",".join(LARGEST))
    words.add_argument("--budgets", default=",".join(map(str, BUDGETS)))
    words.add_argument("--boxes", type=int, default=1, help="boxes of each function")
    words.add_argument("--first", type=int, default=1, help="the number of the first box")
    words.add_argument("--store", type=Path, default=Path("outside.csv"))
    words.add_argument("--jobs", type=int, default=1, help="processes")
    words.add_argument("--report", action="store_true", help="only print what was run")
    given = words.parse_args(arguments)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    budgets = sorted(int(word) for word in given.budgets.split(","))
    runs = list(plan(given.solvers.split(","), given.half, budgets, range(given.first, given.first + given.boxes)))
    if not given.report:
        make(runs, given.store, given.jobs)
    print("\n".join(table(runs, read(given.store), budgets)))


if __name__ == "__main__":
    main()
