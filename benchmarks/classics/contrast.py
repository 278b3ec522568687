"""Functions of the literature beside the benchmark's own, as they are and in disguise, by the same protocol.

`python -m benchmarks.classics.contrast --budget 10000 --runs 2 --store contrast.db` runs, or goes on with, one study of
the 25 functions, the classics, and an instance of each, and prints which share of the runs reaches the best-known
value to 1e-4, relative above 1. With `--report` nothing is run.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.experiment.comparison import reached_runs
from cpcbench.experiment.statistics.runs import RunArrays, gather
from cpcbench.experiment.store.store import Store
from cpcbench.problems.classics.all import formulas
from cpcbench.problems.registry import original

SOLVERS = ("cpc", "GA", "SA", "BFGS+MS", "GPSO", "scipy-de", "fcmaes-bite", "nlopt-crs2", "cmaes")
GROUPS = ("CPC", "CPC, instances", "classics", "classics, instances")


def problems(instance: int) -> Iterator[cpc.Problem]:
    """The functions with an optimum to be held against, and their instances."""
    suite = [p for p in cpc.problems() if p.id.startswith("CPC-DF")]
    for p in [*suite, *cpc.problems(suite="classics")]:
        if p.best_known is None or not len(p.best_known.points):
            print(f"{p.id}: no optimum is known")
            continue
        yield p
        try:
            yield cpc.problem(p.id, instance=instance)
        except CpcbenchError as error:
            print(f"{p.id}: {error}")


def group(id_: str) -> str:
    suite = "classics" if original(id_) in formulas() else "CPC"
    return suite if original(id_) == id_ else f"{suite}, instances"


def table(runs: RunArrays) -> list[str]:
    """A row a solver, a column a group: the share of runs that reach the value, and functions that some run solves."""
    reached, _ = reached_runs(runs)
    groups = np.array([group(p.id) for p in runs.problems])[runs.problem]
    lines = [f"| solver | {' | '.join(GROUPS)} |", f"|---|{'---:|' * len(GROUPS)}"]
    for s, name in enumerate(runs.solvers):
        cells = []
        for one in GROUPS:
            mine = (runs.solver == s) & (groups == one) & runs.with_targets[runs.problem]
            solved, there = (len(set(runs.problem[which].tolist())) for which in (mine & reached, mine))
            share = f"{reached[mine].mean():.0%}" if there else "-"
            cells.append(f"{share} ({solved} of {there})")
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--instance", type=int, default=1)
    parser.add_argument("--solvers", default=",".join(SOLVERS))
    parser.add_argument("--seconds", type=float, default=30.0, help="seconds a run")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=424242)
    parser.add_argument("--store", type=Path, default=Path("contrast.db"))
    parser.add_argument("--report", action="store_true")
    given = parser.parse_args()
    if not given.report:
        names = given.solvers.split(",")
        settings = {"workers": given.workers, "budget": given.budget, "seconds": given.seconds, "rng": given.seed}
        cpc.run(list(problems(given.instance)), names, given.runs, given.store, progress=print, **settings)
    with Store(given.store) as study:
        for runs in gather(study):
            print("\n".join(table(runs)))


if __name__ == "__main__":
    main()
