"""The suite as it is and in disguise: `python -m benchmarks.disguise --budget 1e5 --seeds 20 --first-seed 9000`.

In disguise each variable is shifted, scaled by a factor of its own, perhaps turned round, and they stand in another
order: the same function of the same set in other coordinates, others for each seed. What a search gains there it does
not owe to the coordinates. Solved means within 1e-4 max(1, |published|) of the published value, or below it.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product

import numpy as np

import cpcbench as cpc
from cpcbench.cli.progress import ProgressLine
from cpcbench.problems.instances.move import Move, form
from cpcbench.report.render import render
from cpcbench.report.table import Cell, Table
from cpcbench.solvers.registry import solver
from cpcbench.solvers.run import run_once

CLOSE = 1e-4
SOLVERS = ("cpc", "fcmaes-bite", "scipy-de")
FACTORS = (-2.0, 2.0)
"""Powers of ten between which the factors are."""
SHIFTS = 1.0
"""Shifts are up to so many widths of the box; the larger, the fewer bits are left of a coordinate."""


@dataclass(frozen=True)
class Job:
    problem: str
    solver: str
    budget: int
    seed: int
    disguised: bool


def disguise(problem: cpc.Problem, seed: int) -> Move:
    """Old variable i is a factor times new variable order[i], plus a shift; the box is the image of the old one."""
    name = hashlib.sha256(problem.id.encode()).digest()
    rng = np.random.default_rng([seed, int.from_bytes(name[:8], "big")])
    n = problem.dim
    order = rng.permutation(n)
    factors = 10.0 ** rng.uniform(*FACTORS, n) * rng.choice([-1.0, 1.0], n)
    shifts = (problem.upper - problem.lower) * rng.uniform(-SHIFTS, SHIFTS, n)
    ends = np.sort((np.array([problem.lower, problem.upper]) - shifts) / factors, axis=0)[:, np.argsort(order)]
    forms = [form({int(order[i]): float(factors[i])}, float(shifts[i])) for i in range(n)]
    return Move(tuple(forms), tuple(ends[0].tolist()), tuple(ends[1].tolist()))


def searched(job: Job) -> cpc.Problem:
    """The problem of a run, as it is or in the disguise of its seed."""
    p = cpc.problem(job.problem)
    return disguise(p, job.seed).of(p, f"{p.id} in disguise") if job.disguised else p


def published(problem: cpc.Problem) -> float:
    assert problem.published is not None  # noqa: S101 - each of the 25 has one
    return problem.published.value


def enough(problem: cpc.Problem) -> float:
    """The largest value that counts as solved."""
    return published(problem) + CLOSE * max(1.0, abs(published(problem)))


def gap(job: Job) -> float:
    """How far a run ends above the published value, relative above 1; NaN where nothing was found."""
    value = published(cpc.problem(job.problem))
    found = run_once(searched(job), solver(job.solver), job.seed, budget=job.budget)
    return float("nan") if not found.trajectory else (found.trajectory[-1][1] - value) / max(1.0, abs(value))


def share(gaps: Sequence[float]) -> str:
    solved = sum(gap <= CLOSE for gap in gaps)
    return f"{solved} of {len(gaps)} ({solved / len(gaps):.1%})"


def main(arguments: Sequence[str] | None = None) -> None:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    words.add_argument("ids", nargs="*", help="problems, all 25 if none are named")
    words.add_argument("--budget", type=float, default=1e5)
    words.add_argument("--seeds", type=int, default=20)
    words.add_argument("--first-seed", type=int, default=9000)
    words.add_argument("--solvers", default=",".join(SOLVERS))
    words.add_argument("--only", choices=("plain", "disguised"), help="not both")
    words.add_argument("--jobs", type=int, default=1, help="processes")
    given = words.parse_args(arguments)
    ids = given.ids or [p.id for p in cpc.problems() if p.id.startswith("CPC-")]
    kinds = [kind for kind in ("plain", "disguised") if given.only in (None, kind)]
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    columns = list(product(given.solvers.split(","), kinds))
    jobs = [
        Job(name, method, int(given.budget), seed, kind == "disguised")
        for name, seed, (method, kind) in product(ids, seeds, columns)
    ]
    gaps: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    with ProcessPoolExecutor(given.jobs) as pool, ProgressLine() as line:
        for done, (job, found) in enumerate(zip(jobs, pool.map(gap, jobs), strict=True), start=1):
            gaps[job.problem, job.solver, kinds[-1] if job.disguised else kinds[0]].append(found)
            line.say(f"{done} of {len(jobs)} runs")
    rows: list[tuple[Cell, ...]] = [
        (name, *(f"{sum(gap <= CLOSE for gap in gaps[name, *column])}" for column in columns)) for name in ids
    ]
    rows.append(("all", *(share([gap for name in ids for gap in gaps[name, *column]]) for column in columns)))
    title = f"{given.budget:g} evaluations, {given.seeds} seeds from {given.first_seed} on: runs solved"
    heads = ("problem", *(f"{method}, {kind}" for method, kind in columns))
    print(render([Table("disguise", title, heads, tuple(rows))], "markdown"))


if __name__ == "__main__":
    main()
