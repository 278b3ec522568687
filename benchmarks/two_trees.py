"""`python -m benchmarks.two_trees BEFORE AFTER`: two copies of the source side by side, nothing got worse.

Both trees do the same work in turns, each in processes of its own, through the public face alone. Of every part the
best time of some rounds counts, after a first one that fills the caches, in seconds of the processor, which other work
on the machine changes little; the ratio is before / after, so that above 1 is faster. Where a part finds something (low
points, proofs), what it finds is counted as well.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Found = dict[str, float]
"""Seconds, and how much was found."""

FORMULAS = [
    ("x1*x2*(1 - x1*x2) + sqrt(2 - x1*x2)", [(0, 3), (0, 3)]),
    ("sqrt(x1 - x2^2) - ln(x1 + x2)", [(0, 2), (-1, 1)]),
    ("(x1 - 0.3)^0.5 + (x2 - x1)^1.5 + (0.9 - x2)^2", [(-1, 1), (-1, 1)]),
    ("ln(4 - x1^2 - x2^2)*sin(3*x1) + x2", [(-2, 2), (-2, 2)]),
    ("exp(-x1)*cos(5*x2) + sqrt(1 - x1*x2)", [(0, 2), (0, 2)]),
    ("abs(x1 - 1/3) + (x1 + x2)^2 - ln(x2 - x1^2)", [(-1, 1), (-1, 2)]),
]
"""Small formulas that are undefined in parts, none of them of the suite."""


def kernels() -> Found:
    """Values of all problems at random points of their boxes."""
    import numpy as np

    import cpcbench as cpc

    logs, rng = [], np.random.default_rng(0)
    for problem in cpc.problems():
        points = rng.uniform(problem.lower, problem.upper, (200_000, problem.dim))
        problem(points[:10])
        logs.append(math.log(_best(lambda problem=problem, points=points: problem(points), 5)))  # type: ignore[misc]
    return {"seconds": math.exp(sum(logs) / len(logs))}


def search(budget: int) -> Found:
    """The black-box search on formulas that it sees as functions."""
    import cpcbench as cpc

    cpc.minimize(_function(0), FORMULAS[0][1], budget=100_000, seed=9)  # compiles
    found, start = 0.0, time.process_time()
    for k, (_, bounds) in enumerate(FORMULAS):
        for seed in range(2):
            found += cpc.minimize(_function(k), bounds, budget=budget, seed=seed).fun
    return {"seconds": time.process_time() - start, "sum of values": found}


def white_box() -> Found:
    """The search that reads the formula, with a budget."""
    import cpcbench as cpc

    cpc.minimize(*FORMULAS[0], budget=20_000, seed=9)
    found, start = 0.0, time.process_time()
    for formula, bounds in FORMULAS:
        found += cpc.minimize(formula, bounds, budget=100_000, seed=1).fun
    return {"seconds": time.process_time() - start, "sum of values": found}


def proofs() -> Found:
    """Certificates of formulas, from the formula to the checked proof."""
    import cpcbench as cpc

    cpc.certify("x1 - ln(x1)", [(0, 2)], seconds=5)
    proven, start = 0, time.process_time()
    for formula, bounds in FORMULAS:
        proven += cpc.certify(formula, bounds, seconds=10).relative_gap <= 1e-9
    return {"seconds": time.process_time() - start, "proven": proven}


def suite_bounds() -> Found:
    """The B&B of the paper's experiment."""
    return _commands(
        ["run", "--problems", "DF1,DF2,DF8,DF14", "--solvers", "B&B", "--budget", "20000", "--store", "s.db"]
    )


def studies() -> Found:
    """Structure, parts of the domain, feasible ratios, sensitivity."""
    return _commands(
        ["structure", "DF1", "DF5", "DF13", "DF24"],
        ["modality", "DF1", "DF2"],
        ["feasible", "DF3", "DF8", "--samples", "1e8"],
        ["sensitivity", "DF3"],
    )


def report() -> Found:
    """The published results typed, and a page."""
    return _commands(
        ["run", "DF1", "DF3", "--solvers", "SA,GPSO", "--runs", "4", "--store", "s.db"],
        ["report", "s.db", "--statistics"],
    )


PARTS: dict[str, Callable[[], Found]] = {
    "kernels": kernels,
    "search, 10,000": lambda: search(10_000),
    "search, 100,000": lambda: search(100_000),
    "white box": white_box,
    "proofs": proofs,
    "B&B": suite_bounds,
    "studies": studies,
    "runs and report": report,
}


def _function(k: int) -> Callable[[Any], float]:
    import cpcbench as cpc

    problem = cpc.parse(FORMULAS[k][0], bounds=FORMULAS[k][1])
    problem(problem.lower)

    def value(x: Any) -> float:
        return float(problem(x))

    return value


def _best(work: Callable[[], Any], times: int) -> float:
    found = math.inf
    for _ in range(times):
        start = time.process_time()
        work()
        found = min(found, time.process_time() - start)
    return found


def _commands(*commands: list[str]) -> Found:
    import tempfile

    total = 0.0
    for again in range(2):  # the first time compiles
        with tempfile.TemporaryDirectory() as folder:
            start = _spent()
            for words in commands:
                subprocess.run(
                    [sys.executable, "-P", "-m", "cpcbench", *words], cwd=folder, check=True, capture_output=True
                )
            total = _spent() - start if again else 0.0
    return {"seconds": total}


def _spent() -> float:
    """Seconds of the processor that the processes begun here have taken."""
    own = os.times()
    return own.children_user + own.children_system


def measured(tree: Path, part: str) -> Found:
    """What one part comes to in a process that sees one tree."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "CPCBENCH_CACHE": str(tree / ".two-trees-cache")}
    words = [sys.executable, "-P", str(Path(__file__).resolve()), "--measure", part]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{part} in {tree}:\n{done.stderr}")
    found: Found = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("trees", nargs="*", type=Path, help="BEFORE and AFTER: folders that hold src/")
    words.add_argument("--rounds", type=int, default=3)
    words.add_argument("--parts", default=",".join(PARTS).replace(", ", " "), help="some of them, by their first word")
    words.add_argument("--measure", choices=list(PARTS))
    given = words.parse_args()
    if given.measure:
        print(json.dumps(PARTS[given.measure]()))
        return
    if len(given.trees) != 2:
        words.error("two trees are needed: BEFORE AFTER")
    chosen = [part for part in PARTS if part.replace(", ", " ").startswith(tuple(given.parts.split(",")))]
    print("| part | before, s | after, s | before / after | found before | found after |\n|---|---:|---:|---:|---|---|")
    for part in chosen:
        rounds = [[measured(tree, part) for tree in given.trees] for _ in range(given.rounds + 1)][1:]
        before, after = (min(turn[k]["seconds"] for turn in rounds) for k in range(2))
        seen = [
            ", ".join(f"{name} {value:.12g}" for name, value in rounds[0][k].items() if name != "seconds")
            for k in range(2)
        ]
        print(f"| {part} | {before:.3g} | {after:.3g} | {before / after:.2f} | {seen[0]} | {seen[1]} |", flush=True)


if __name__ == "__main__":
    main()
