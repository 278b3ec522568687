"""`python -m benchmarks.classics.against_scipy FOLDER`: our formulas of the classics held against SciPy's functions.

FOLDER is `benchmarks/benchmarks` of a checkout of SciPy, as for `benchmarks.entrance.scipy_functions`. Each function is
traced, and its formula compared with ours at random points of SciPy's box; boxes and listings are compared too.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import cpcbench as cpc
from benchmarks.entrance.scipy_functions import functions
from cpcbench.errors import UnknownNameError

ALIKE = 1e-9
"""Values agree to this accuracy, relative above 1, or as far as rounding can take each of them."""


def differences(ours: cpc.Problem, theirs: cpc.Problem, points: int) -> int:
    """At how many random points of their box the two differ by more than rounding."""
    spread = np.random.default_rng(1).uniform(theirs.lower, theirs.upper, (points, theirs.dim))
    a, b = ours(spread), theirs(spread)
    room = ALIKE * np.maximum(1.0, np.abs(b))
    apart = ~((np.abs(a - b) <= room) | (np.isnan(a) & np.isnan(b)) | (a == b))
    return sum(not _within_rounding(ours, theirs, x) for x in spread[apart])


def _within_rounding(ours: cpc.Problem, theirs: cpc.Problem, x: np.ndarray) -> bool:
    """Whether the real values are the same, as far as they can be told apart."""
    a, b = ours.enclosure(x), theirs.enclosure(x)
    room = ALIKE * max(1.0, abs(b.midpoint))
    return bool(a.lower - b.upper <= room and b.lower - a.upper <= room)


def found(name: str) -> cpc.Problem | None:
    """Our problem of SciPy's name, None if there is none."""
    try:
        return cpc.problem(name)
    except UnknownNameError:
        return None


def words(benchmark: Any, ours: cpc.Problem, points: int) -> list[str]:
    """What is different, in words; nothing if all is alike."""
    said = []
    bounds = [(float(low), float(high)) for low, high in benchmark.bounds]
    if bounds != ours.bounds:
        said.append(f"its box is {bounds}")
    if len(bounds) != ours.dim:
        return said
    try:
        theirs = cpc.trace(benchmark.fun, bounds)
    except cpc.CpcbenchError as trouble:
        return [*said, str(trouble).splitlines()[0]]
    if wrong := differences(ours, theirs, points):
        said.append(f"differs at {wrong} of {points:,} points")
    listed = [] if ours.facts is None else [one for one in ours.facts.published.listed if one.by == "scipy"]
    if not any(one.value == float(benchmark.fglob) for one in listed):
        said.append(
            f"lists {float(benchmark.fglob)!r}, here it has {', '.join(one.printed for one in listed) or 'none'}"
        )
    return said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--points", type=int, default=1000)
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    start, equal, missing, other = time.monotonic(), 0, [], []
    every = functions(settings.folder)
    for benchmark in every:
        name = type(benchmark).__name__
        ours = found(name)
        if ours is None:
            missing.append(name)
        elif said := words(benchmark, ours, settings.points):
            noted = ours.facts is not None and bool(ours.facts.published.notes)
            other.append(f"{name} ({ours.id}{'' if noted else ', NO NOTE'}): {'; '.join(said)}")
        else:
            equal += 1
    print(f"{equal} of {len(every)} alike at {settings.points:,} points each ({time.monotonic() - start:.0f} s)")
    print(f"not here: {', '.join(missing) or 'none'}")
    for line in other:
        print(f"  {line}")


if __name__ == "__main__":
    main()
