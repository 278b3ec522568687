"""What the objective adds to an evaluation: beside the bare kernel and ioh's problem call, in one run."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

import cpcbench as cpc
from benchmarks.speed.timing import best_of, geometric_mean
from cpcbench.sampling.points import uniform_points
from cpcbench.solvers.objective import Objective

BATCH = 20_000
CALLS = 2000


def run(console: Console) -> None:
    table = Table(title=f"the objective's overhead: one point at a time, and batches of {BATCH:,}")
    for name in (
        "problem",
        "kernel ns",
        "objective ns",
        "adds ns",
        "ioh ns",
        "batch kernel ns",
        "batch objective ns",
        "ratio",
    ):
        table.add_column(name, justify="left" if name == "problem" else "right")
    added, ratios = [], []
    for p in cpc.problems():
        single, batch = _single(p), _batch(p)
        extra, ratio = single["objective"] - single["kernel"], batch["objective"] / batch["kernel"]
        added.append(extra)
        ratios.append(ratio)
        ioh = f"{single['ioh']:.0f}" if "ioh" in single else ""
        table.add_row(
            p.id, f"{single['kernel']:.0f}", f"{single['objective']:.0f}", f"{extra:.0f}", ioh,
            f"{batch['kernel']:.1f}", f"{batch['objective']:.1f}", f"{ratio:.2f}",
        )  # fmt: skip
    console.print(table)
    console.print(f"the objective adds {np.median(added):.0f} ns to one evaluation (median)")
    console.print(f"in batches it costs {geometric_mean(ratios):.3f} times the bare kernel (geometric mean)")


def _single(p: cpc.Problem) -> dict[str, float]:
    """Nanoseconds a call, points one at a time."""
    points = list(uniform_points(p, CALLS, np.random.default_rng(0)))
    kernel, scratch, objective = p.fast.kernel, np.empty(1), Objective(p)
    candidates: dict[str, Callable[[], object]] = {
        "kernel": lambda: [kernel(x, scratch) for x in points],
        "objective": lambda: [objective(x) for x in points],
    }
    if (wrapped := _ioh(p)) is not None:
        candidates["ioh"] = lambda: [wrapped(x) for x in points]
    return {name: seconds / CALLS * 1e9 for name, seconds in best_of(candidates).items()}


def _batch(p: cpc.Problem) -> dict[str, float]:
    points = uniform_points(p, BATCH, np.random.default_rng(0))
    out, objective = np.empty(BATCH), Objective(p, undefined="penalty")
    candidates: dict[str, Callable[[], object]] = {
        "kernel": lambda: p.fast.kernel(points.reshape(-1), out),
        "objective": lambda: objective(points),
    }
    return {name: seconds / BATCH * 1e9 for name, seconds in best_of(candidates).items()}


def _ioh(p: cpc.Problem) -> Callable[[object], object] | None:
    """The same function as a problem of the ioh package, which also counts and keeps the best."""
    try:
        import ioh
    except ImportError:
        return None
    wrapped = ioh.wrap_problem(
        lambda x: p(np.asarray(x)), f"cpcbench {p.id}", dimension=p.dim, lb=float(p.lower[0]), ub=float(p.upper[0])
    )
    found: Callable[[object], object] = wrapped
    return found
