"""What a solver itself costs for an evaluation, beside SciPy's differential evolution and `cma` in the same run.

The objective's own time is taken by calling it again with as many points. All times are of the processor, so that
other programs on the machine count less.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import cpcbench as cpc
from cpcbench.solvers.registry import solver, solvers
from cpcbench.solvers.run import run_once

PROBLEM = "CPC-DF20"
SHORT, LONG = 20_000, 1_000_000
ROUNDS = 3
BATCH = 48
"""Points that our search asks for at a time; the others get their own batches."""
STATUS, REFERENCES = Path("/proc/self/status"), Path("/proc/self/clear_refs")
PEERS = ("scipy-de", "cma-bipop")


@dataclass(frozen=True)
class Cost:
    """Microseconds an evaluation: of the whole run, and of it without the objective."""

    whole: float
    own: float


def run(console: Console) -> None:
    """Prints the cost of each solver on compiled code and on a Python function, and how memory grows."""
    table = Table(title=f"processor microseconds an evaluation, {SHORT:,} evaluations, best of {ROUNDS}")
    for name in ("solver", f"{PROBLEM}: whole", "solver's own", "a Python function: whole", "solver's own"):
        table.add_column(name, justify="left" if name == "solver" else "right")
    costs = {name: (on_problem(name), on_function(name)) for name in ("cpc", *PEERS) if name in solvers()}
    for name, (compiled, python) in costs.items():
        table.add_row(name, *(f"{x:.2f}" for cost in (compiled, python) for x in (cost.whole, cost.own)))
    console.print(table)
    ours = costs["cpc"][0].own
    for name in PEERS:
        if name in costs:
            console.print(f"{name} costs {costs[name][0].own / ours:.0f} times as much of its own as cpc")
    if REFERENCES.exists():  # on Linux
        console.print(f"cpc, {LONG:,} evaluations of {PROBLEM}: memory grows by at most {memory_growth():.1f} MB")


def on_problem(name: str) -> Cost:
    """On a compiled problem, as a study runs it."""
    p, method = cpc.problem(PROBLEM), solver(name)
    points = np.random.default_rng(0).uniform(p.lower, p.upper, (BATCH, p.dim))
    run_once(p, method, 0, budget=2000)  # what is compiled or imported once
    whole = best(lambda: run_once(p, method, 1, budget=SHORT).evaluations)
    return Cost(whole, whole - best(lambda: _called(p, points)))


def on_function(name: str) -> Cost:
    """On a user's Python function that costs next to nothing, through each library's own front."""
    lower, upper = np.full(4, -3.0), np.full(4, 5.0)
    front = {"cpc": _ours, "scipy-de": _scipy, "cma-bipop": _cma}[name]
    points = np.random.default_rng(0).uniform(lower, upper, (BATCH, 4))
    front(lower, upper, 2000)
    whole = best(lambda: front(lower, upper, SHORT))
    return Cost(whole, whole - best(lambda: _one_by_one(points)))


def best(once: Callable[[], int]) -> float:
    """Processor microseconds an evaluation of the fastest of some rounds; `once` returns how many it made."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        made = once()
        times.append((time.process_time() - start) / made * 1e6)
    return min(times)


def trivial(x: Any) -> float:
    """Undefined on half of the box."""
    first = x[0]
    return float(first * first + x[1]) if first > 1.0 else float("nan")


def _called(p: cpc.Problem, points: Any) -> int:
    for _ in range(SHORT // BATCH):
        p(points)
    return SHORT // BATCH * BATCH


def _one_by_one(points: Any) -> int:
    for _ in range(SHORT // BATCH):
        for x in points:
            trivial(x)
    return SHORT // BATCH * BATCH


def _ours(lower: Any, upper: Any, budget: int) -> int:
    return int(cpc.minimize(trivial, np.column_stack([lower, upper]), budget=budget, seed=1).nfev)


def _scipy(lower: Any, upper: Any, budget: int) -> int:
    from scipy.optimize import differential_evolution

    made = 0
    while made < budget:
        result = differential_evolution(
            _finite, np.column_stack([lower, upper]), seed=made, polish=False, tol=0.0, atol=0.0,
            maxiter=max(1, (budget - made) // 60 - 1),
        )  # fmt: skip
        made += int(result.nfev)
    return made


def _cma(lower: Any, upper: Any, budget: int) -> int:
    import cma

    options = {"bounds": [lower.tolist(), upper.tolist()], "verbose": -9, "seed": 1}
    made = 0
    while made < budget:
        es = cma.CMAEvolutionStrategy((lower + upper) / 2, 2.0, {**options, "maxfevals": budget - made})
        es.optimize(_finite)
        made += int(es.result.evaluations)
    return made


def _finite(x: Any) -> float:
    value = trivial(x)
    return value if value == value else 1e100


def memory_growth() -> float:
    """Megabytes, measured in a process of its own."""
    code = "from benchmarks.speed.solver_cost import growth; import sys; print(growth(int(sys.argv[1])))"
    done = subprocess.run([sys.executable, "-c", code, str(LONG)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def growth(budget: int) -> float:
    """Megabytes by which the peak during a run lies above what a short run before it left in use."""
    p = cpc.problem(PROBLEM)
    cpc.minimize(p, method="black-box", budget=SHORT, seed=1)
    REFERENCES.write_text("5")  # the peak begins anew: compiling took more than searching does
    before = _kilobytes("VmRSS")
    cpc.minimize(p, method="black-box", budget=budget, seed=1)
    return (_kilobytes("VmHWM") - before) / 1024


def _kilobytes(entry: str) -> float:
    """What Linux says of this process."""
    lines = STATUS.read_text().splitlines()
    return float(next(line for line in lines if line.startswith(entry)).split()[1])
