"""`python -m benchmarks.simulations`: what cpc, BiteOpt and NOMAD find in 300 evaluations of simulations that fail.

Each of the five is written after a published model, and undefined where it fails. Printed are the share of the box that
is defined (1,000 even draws), the lowest value that any run has found (one of `cpc` with 2,000 evaluations among them),
and for each solver the median above that over the seeds, and in how many of them it is within 1e-3 of it, relative to
what the middle of the defined draws is above it.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from benchmarks.simulations import flash, likelihood, load_flow, reactor, truss
from cpcbench.solvers.functions.black_box import BlackBox
from cpcbench.solvers.objective import Objective, StopRun
from cpcbench.solvers.registry import solver

SIMULATIONS: dict[str, Any] = {
    "flash": flash, "likelihood": likelihood, "load flow": load_flow, "reactor": reactor, "truss": truss
}  # fmt: skip
SOLVERS = ("cpc", "fcmaes-bite", "nomad")
DRAWS, LONG, NEAR = 1000, 2000, 1e-3


def problem(name: str) -> BlackBox:
    room = SIMULATIONS[name]
    return BlackBox(room.simulate, room.BOUNDS, id=name.replace(" ", "-"))


def lowest(name: str, method: str, budget: int, seed: int) -> float:
    """The best value of one run, infinite if it found none."""
    chosen = solver(method)
    objective = Objective(problem(name), budget=budget, undefined=chosen.undefined)
    with suppress(StopRun):
        chosen.solve(objective, np.random.default_rng([seed, 300]), **chosen.parameters)
    return objective.best_value if objective.best_x is not None else np.inf


def row(name: str, budget: int, seeds: int) -> str:
    box = np.array(SIMULATIONS[name].BOUNDS)
    drawn = problem(name)(np.random.default_rng(0).uniform(box[:, 0], box[:, 1], (DRAWS, len(box))))
    found = {method: [lowest(name, method, budget, seed) for seed in range(seeds)] for method in SOLVERS}
    best = min(lowest(name, "cpc", LONG, seeds), *(min(values) for values in found.values()))
    scale = float(np.nanmedian(drawn)) - best
    cells = [
        f"{np.median(values) - best:.1e}, {sum(value <= best + NEAR * scale for value in values)} of {seeds}"
        for values in found.values()
    ]
    return f"| {name} | {len(box)} | {np.isfinite(drawn).mean():.0%} | {best:.6g} | {' | '.join(cells)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("names", nargs="*", default=list(SIMULATIONS), help=f"of {', '.join(SIMULATIONS)}")
    words.add_argument("--budget", type=int, default=300)
    words.add_argument("--seeds", type=int, default=10)
    given = words.parse_args(arguments)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    heads = " | ".join(f"`{method}`" for method in SOLVERS)
    print(f"| simulation | variables | defined | lowest | {heads} |\n|---|---|---|---|{'---|' * len(SOLVERS)}")
    for name in given.names:
        print(row(name, given.budget, given.seeds), flush=True)


if __name__ == "__main__":
    main()
