"""A report of a large study: how long `cpcbench report` takes over 100,000 runs, and how much memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import cpcbench as cpc
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import Store

SOLVERS = 18
RUNS = 200
TRAJECTORY = 30
REPORTS = (("--statistics",), (), ("--paper",))

PEAK = """
import json, resource, sys, time
from cpcbench.cli.app import app

def peak():
    try:  # what the process itself had at most; the other figure begins with the size of the one that forked it
        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            return int(next(line for line in file if line.startswith("VmHWM:")).split()[1])
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

start = time.perf_counter()
code = 0
try:
    app(sys.argv[1:])
except SystemExit as stop:
    code = int(stop.code or 0)
used = time.perf_counter() - start, time.process_time(), peak()
print(json.dumps([code, *used]), file=sys.stderr)
"""


@dataclass(frozen=True)
class Measured:
    """What a command took, in its own process."""

    code: int
    seconds: float
    cpu_seconds: float
    megabytes: float
    errors: str


def run(console: Console) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "large.db"
        start = time.perf_counter()
        count = build(store, RUNS)
        console.print(f"{count} runs written in {time.perf_counter() - start:.1f} s")
        table = Table(title=f"cpcbench report of {count} runs")
        for name in ("command", "seconds", "CPU seconds", "MB at most"):
            table.add_column(name, justify="left" if name == "command" else "right")
        for options in REPORTS:
            used = measured("report", str(store), *options, "--output", str(Path(folder) / "report.txt"))
            table.add_row(
                " ".join(("report", *options)),
                f"{used.seconds:.1f}",
                f"{used.cpu_seconds:.1f}",
                f"{used.megabytes:.0f}",
            )
        console.print(table)


def measured(*words: str) -> Measured:
    """Runs a command of cpcbench in a process of its own (POSIX)."""
    import json

    done = subprocess.run(
        [sys.executable, "-c", PEAK, *words], capture_output=True, text=True, env=dict(os.environ), check=False
    )
    code, seconds, cpu, peak = json.loads(done.stderr.splitlines()[-1])
    return Measured(code, seconds, cpu, peak / (2**20 if sys.platform == "darwin" else 2**10), done.stderr)


def build(path: Path, runs: int, solvers: int = SOLVERS) -> int:
    """A study of made-up runs over the whole suite, written through the store; returns how many."""
    rng = np.random.default_rng(7)
    count = 0
    with Store(path, writing=True) as store:
        for problem in cpc.problems():
            count += store.add(made_up(problem, runs, solvers, rng))
    return count


def made_up(problem: cpc.Problem, runs: int, solvers: int, rng: np.random.Generator) -> Iterator[RunRecord]:
    """Runs around the best-known point, without evaluations: values that fall towards the best one, or nothing."""
    best = problem.best_known
    if best is None:
        raise ValueError(f"{problem.id} has no best-known solution to make up runs around")
    width = problem.upper - problem.lower
    for s in range(solvers):
        for i in range(runs):
            gap = 10.0 ** rng.uniform(-10, 2)
            value = best.value + gap * max(1.0, abs(best.value))
            x = np.clip(best.points[0] + rng.normal(size=problem.dim) * width * 0.01, problem.lower, problem.upper)
            kind = str(rng.choice(["faithful", "thin", "artefact", "none"], p=[0.7, 0.1, 0.1, 0.1]))
            made = _record(problem, f"solver {s:02}", i + 1)
            if kind == "none":
                status = str(rng.choice(["budget", "failed", "crashed"]))
                yield replace(made, status=status, message=f"made up: {status}")
                continue
            evaluations = np.sort(rng.choice(50_000, TRAJECTORY, replace=False)) + 1
            values = value + np.geomspace(1e3, 1e-12, TRAJECTORY) * np.arange(TRAJECTORY - 1, -1, -1)
            yield replace(
                made, kind=kind, domain="inside", x=tuple(x.tolist()), in_box=True,
                reported=value, fast=value, reference=value, real_lower=value, real_upper=value,
                trajectory=tuple(zip(evaluations.tolist(), values.tolist(), strict=True)),
            )  # fmt: skip


def _record(problem: cpc.Problem, solver: str, run: int) -> RunRecord:
    nan = float("nan")
    return RunRecord(
        problem=problem.id, n=problem.dim, rule=problem.rule, solver=solver, run=run, seed=f"0:{run}",
        parameters={"size": 100, "rates": [0.5, 0.25]}, budget=50_000, seconds_limit=None, status="finished",
        message="", x=None, reported=None, fast=nan, reference=nan, real_lower=nan, real_upper=nan, domain="none",
        kind="none", in_box=False, evaluations=50_000, undefined=40_000, seconds=1.0,
        versions={"python": "3.11", "numpy": "2.0", "cpcbench": "0"},
    )  # fmt: skip
