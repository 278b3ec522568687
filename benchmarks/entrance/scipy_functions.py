"""`python -m benchmarks.entrance.scipy_functions FOLDER`: SciPy's collection of test functions, read as they stand.

FOLDER is `benchmarks/benchmarks` of a checkout of SciPy, which holds `go_benchmark_functions`; none of it is part of
this project. Each function is traced and held against the original at many points of its box.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import cpcbench as cpc
from cpcbench.entrance.comparing import alike, value_of


class _Import:
    """What SciPy's benchmarks guard their imports with."""

    def __enter__(self) -> _Import:
        return self

    def __exit__(self, *trouble: object) -> bool:
        return True


def functions(folder: Path) -> list[Any]:
    """One object of each benchmark class, the abstract one left out."""
    if not (folder / "go_benchmark_functions").is_dir():
        raise SystemExit(f"{folder} holds no go_benchmark_functions: give benchmarks/benchmarks of SciPy's sources")
    package, common = ModuleType("scipy_benchmarks"), ModuleType("scipy_benchmarks.common")
    package.__path__ = [str(folder)]
    vars(common)["safe_import"] = _Import
    sys.modules.update({package.__name__: package, common.__name__: common})
    home = "scipy_benchmarks.go_benchmark_functions"
    base = importlib.import_module(f"{home}.go_benchmark").Benchmark
    found = {}
    for module in (importlib.import_module(home), importlib.import_module(f"{home}.go_funcs_univariate")):
        for name, kind in vars(module).items():
            if isinstance(kind, type) and issubclass(kind, base) and kind is not base:
                found[name] = kind()
    return [found[name] for name in sorted(found)]


def differences(problem: cpc.Problem, fun: Any, points: int) -> int:
    """At how many random points the function and the formula differ by more than rounding."""
    rng = np.random.default_rng(1)
    spread = rng.uniform(problem.lower, problem.upper, (points, problem.dim))
    ours = problem(spread)
    return sum(not alike(problem, x, value, value_of(fun, x)) for x, value in zip(spread, ours, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--points", type=int, default=10_000)
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    start, equal, other = time.monotonic(), 0, []
    every = functions(settings.folder)
    for benchmark in every:
        name = type(benchmark).__name__
        try:
            problem = cpc.trace(benchmark.fun, benchmark.bounds)
            wrong = differences(problem, benchmark.fun, settings.points)
        except cpc.CpcbenchError as trouble:
            other.append((name, str(trouble).splitlines()[0].removeprefix("the function cannot be read: ")))
            continue
        equal += wrong == 0
        if wrong:
            other.append((name, f"differs at {wrong} of {settings.points:,} points"))
    print(f"{equal} of {len(every)} read, equal at {settings.points:,} points each ({time.monotonic() - start:.0f} s)")
    for name, reason in other:
        print(f"  {name}: {reason}")


if __name__ == "__main__":
    main()
