"""`python -m benchmarks.entrance.grey_box CPC-DF18 ...`: problems as plain Python code, entered by watching them.

Each problem is exported as a Python function that knows nothing of this package, and minimised by `method="grey-box"`
and as a black box with the same budget and seeds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import cpcbench as cpc


def as_code(problem: cpc.Problem) -> Callable[..., Any]:
    """The problem's formula as a function of its own, which uses nothing but `math`."""
    space: dict[str, Any] = {}
    exec(problem.export("python").text, space)  # noqa: S102 - text that was just written here
    (function,) = (made for name, made in space.items() if callable(made) and not name.startswith("_"))
    return function  # type: ignore[no-any-return]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", nargs="+")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--budget", type=int, default=100_000)
    settings = parser.parse_args()
    for name in settings.problems:
        problem = cpc.problem(name)
        function = as_code(problem)
        for method in ("grey-box", "black-box"):
            begin, entered, solved, values = time.monotonic(), 0, 0, []
            for rng in range(settings.runs):
                found = cpc.minimize(function, problem.bounds, budget=settings.budget, rng=rng, method=method)
                entered += found.x is not None
                best = problem.best_known.value if problem.best_known else float("nan")
                solved += found.x is not None and found.fun - best <= 1e-4 * max(1.0, abs(best))
                values.append(found.fun)
            seconds = (time.monotonic() - begin) / settings.runs
            print(
                f"{name} {method}: entered in {entered} of {settings.runs} runs, solved in {solved}, "
                f"best {min(values, key=lambda v: (v != v, v))!r}, {seconds:.0f} s a run",
                flush=True,
            )


if __name__ == "__main__":
    main()
