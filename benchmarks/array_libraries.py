"""`python -m benchmarks.array_libraries jax.numpy torch`: how far other libraries are from the kernels, and how fast.

Of 4,000 points a problem half are within a few ulps of the edge of the domain. Libraries that are named are used on the
device that they choose; a time is that of one call with many points, compiled where the library can, the best of three.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import cpcbench as cpc
from cpcbench.studies.agreement import sample, ulps_apart


def prepared(library: str) -> tuple[Any, Callable[[Any], Any], Callable[[Any], Any], Callable[[Any], Any]]:
    """The library, how points get into it, how a function is compiled, and how values get out."""
    xp = importlib.import_module(library)
    if library == "jax.numpy":
        import jax

        jax.config.update("jax_enable_x64", True)
        return xp, xp.asarray, jax.jit, lambda values: np.asarray(values.block_until_ready())
    if library == "torch":
        device = "cuda" if xp.cuda.is_available() else "cpu"
        return xp, lambda x: xp.asarray(x, device=device), lambda f: f, lambda values: values.cpu().numpy()
    if library == "cupy":
        return xp, xp.asarray, lambda f: f, xp.asnumpy
    return xp, xp.asarray, lambda f: f, np.asarray


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("libraries", nargs="+", help="numpy, jax.numpy, torch, cupy")
    parser.add_argument("--points", type=int, default=4000, help="of each problem, to compare at")
    parser.add_argument("--many", type=int, default=1_000_000, help="points of a call that is timed")
    parser.add_argument("--problems", nargs="*", default=[p.id for p in cpc.problems()])
    settings = parser.parse_args()
    print("| problem | library | both defined | only one | median ulps | largest relative | ns a point | kernel |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for name in settings.problems:
        problem = cpc.problem(name)
        points = sample(problem, settings.points, 1)
        expected = problem(points)
        many = np.random.default_rng(1).uniform(problem.lower, problem.upper, (settings.many, problem.dim))
        kernel = _best_of_three(lambda: problem(many))  # noqa: B023
        for library in settings.libraries:
            xp, put, compiled, get = prepared(library)
            function = compiled(problem.arrays(xp))
            values = get(function(put(points)))
            there = put(many)
            get(function(there))
            seconds = _best_of_three(lambda: get(function(there)))  # noqa: B023
            both = ~np.isnan(values) & ~np.isnan(expected)
            apart = np.abs(values - expected)[both] / np.maximum(1.0, np.abs(expected[both]))
            print(
                f"| {name} | {library} | {both.sum()} | {(np.isnan(values) != np.isnan(expected)).sum()} "
                f"| {np.median(ulps_apart(values[both], expected[both])) if both.any() else 0:.0f} "
                f"| {apart.max(initial=0.0):.1e} | {1e9 * seconds / settings.many:.2f} "
                f"| {1e9 * kernel / settings.many:.2f} |",
                flush=True,
            )


def _best_of_three(call: Callable[[], Any]) -> float:
    taken = []
    for _ in range(3):
        begin = time.perf_counter()
        call()
        taken.append(time.perf_counter() - begin)
    return min(taken)


if __name__ == "__main__":
    main()
