"""Certificates beside what a user would try instead: MAiNGO and SCIP on the same problems, in one run.

Their claims are judged like any other: the value at the point they report, in the reals, and whether
their lower bound lies above a value that is proven to be reached.
"""

from __future__ import annotations

import math
import multiprocessing
import time
from multiprocessing.connection import Connection

import numpy as np
from rich.console import Console
from rich.table import Table

import cpcbench as cpc
from cpcbench.certify.making import certify
from cpcbench.errors import CpcbenchError
from cpcbench.solvers.objective import Objective

SECONDS = 20.0
GRACE = 15.0
"""Seconds past the limit after which a solver is stopped from outside."""
OTHERS = ("maingo", "scip")


def run(console: Console, ids: tuple[str, ...] = (), seconds: float = SECONDS) -> None:
    chosen = [cpc.problem(word, rule="strict") for word in ids] or [
        p for p in cpc.problems(rule="strict") if p.category == "domain-induced"
    ]
    table = Table(title=f"proofs, {seconds:g} s a problem (gap: what is left open between the two bounds)")
    for name in ("problem", "cpcbench", "gap", "checked", *(f"{other}'s claim" for other in OTHERS)):
        table.add_column(name, justify="left" if name == "problem" else "right")
    claims = _claims(chosen, seconds)
    for p in chosen:
        start = time.perf_counter()
        made = certify(p, seconds=seconds)
        took = time.perf_counter() - start
        start = time.perf_counter()
        accepted = made.check().accepted
        checked = f"{'yes' if accepted else 'NO'}, {time.perf_counter() - start:.1f} s"
        said = [claims[p.id, other].words(made.upper) for other in OTHERS]
        table.add_row(p.id, f"{took:.1f} s", f"{made.gap:.1e}", checked, *said)
    console.print(table)


class Claim:
    """What a solver says, and what is true of it."""

    def __init__(
        self, p: cpc.Problem, x: list[float] | None, reported: float, lower: float | None, took: float
    ) -> None:
        self.reported, self.lower, self.took = reported, lower, took
        self.real = math.nan if x is None else p.enclosure(x).midpoint
        self.found = x is not None

    def words(self, reached: float) -> str:
        """In a few words; `reached` is a value that some point is proven to have."""
        if not self.found:
            return f"nothing, {self.took:.0f} s"
        scale = 1e-6 * max(1.0, abs(self.reported))
        if self.lower is not None and self.lower > reached + scale:
            return f"wrong bound, {self.took:.0f} s"
        if not abs(self.real - self.reported) <= scale:
            return f"point does not verify, {self.took:.0f} s"
        gap = math.inf if self.lower is None else self.reported - self.lower
        return f"gap {gap:.1e}, {self.took:.0f} s"


def _claims(problems: list[cpc.Problem], seconds: float) -> dict[tuple[str, str], Claim]:
    """The others' claims, each made in a process of its own: native code may hang or crash."""
    return {(p.id, name): _claim(p, name, seconds) for p in problems for name in OTHERS}


def _claim(p: cpc.Problem, name: str, seconds: float) -> Claim:
    if name not in cpc.solvers():
        return Claim(p, None, math.nan, None, 0.0)
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(p, name, seconds, theirs), daemon=True)
    start = time.perf_counter()
    process.start()
    theirs.close()
    x, reported, lower = _answer(ours, seconds + GRACE)
    took = time.perf_counter() - start
    process.kill()
    process.join()
    return Claim(p, x, reported, lower, took)


def _answer(pipe: Connection, seconds: float) -> tuple[list[float] | None, float, float | None]:
    """What the process says; nothing if it takes too long or ends without a word."""
    nothing: tuple[None, float, None] = (None, math.nan, None)
    try:
        return pipe.recv() if pipe.poll(seconds) else nothing
    except EOFError:
        return nothing


def _work(p: cpc.Problem, name: str, seconds: float, pipe: Connection) -> None:
    objective = Objective(p, seconds=seconds)
    try:
        found = cpc.solver(name).solve(objective, np.random.default_rng(0), seconds=seconds)
    except CpcbenchError:
        pipe.send((None, math.nan, None))
        return
    x = None if found.x is None else found.x.tolist()
    pipe.send((x, float(found.fun), getattr(found, "lower_bound", None)))
