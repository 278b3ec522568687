"""Functions that are lowest at an edge of their domain, with and without walks: `python -m benchmarks.outside.edges`.

Each is a plain Python function that raises where it is undefined. Printed are how far the median and the worst of the
runs end above the lowest value known.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence

import numpy as np

from cpcbench.report.render import render
from cpcbench.report.table import Cell, Table
from cpcbench.solvers.search.engine import Search
from cpcbench.solvers.search.loop import batch_size
from cpcbench.solvers.search.tuning import WALK_SHARE

Function = Callable[[Sequence[float]], float]


def readme(x: Sequence[float]) -> float:
    return x[0] + math.sqrt(0.25 - x[0] ** 2 - x[1] ** 2)


def corner(x: Sequence[float]) -> float:
    return 1 + math.sqrt(x[0] - 0.31) + math.sqrt(x[1] - x[0] ** 2) + (x[1] - 0.7) ** 2


def shell(x: Sequence[float]) -> float:
    return sum((x[i] - 0.3 * i) ** 2 for i in range(4)) + 2 * math.sqrt(1 - sum(v * v for v in x))


def flat_cost(x: Sequence[float]) -> float:
    """A linear cost; nothing warns of the edge."""
    left = 1.3 - (x[0] ** 2 + 2 * x[1] ** 2 + 0.5 * x[2] ** 2 + 0.3 * x[0] * x[1])
    return -x[0] - 0.7 * x[1] - 0.4 * x[2] + 0 * math.log(left)


def bent_corner(x: Sequence[float]) -> float:
    return math.pow(x[0] - x[1] ** 2, 0.3) + math.log(1 + math.sqrt(1.5 - x[0] - x[2])) + (x[1] + x[2] - 1) ** 2


CASES: dict[str, tuple[Function, list[tuple[float, float]]]] = {
    "README": (readme, [(-10, 10)] * 2),
    "corner": (corner, [(-2, 2)] * 2),
    "shell": (shell, [(-3, 3)] * 4),
    "flat cost": (flat_cost, [(-3, 5)] * 3),
    "bent corner": (bent_corner, [(-3, 4)] * 3),
}


def lowest(function: Function, box: list[tuple[float, float]], budget: int, seed: int, share: float) -> float:
    low, high = np.array(box, dtype=float).T
    search = Search(low, high, np.random.default_rng(seed), budget=budget, walk_share=share)
    size = batch_size(None, budget, 1)
    for start in range(0, budget, size):
        points = search.ask(min(size, budget - start))
        search.tell(points, [_value(function, x.tolist()) for x in points])
    return search.best_value


def _value(function: Function, x: list[float]) -> float:
    try:
        return function(x)
    except ValueError:
        return math.nan


def main(arguments: Sequence[str] | None = None) -> None:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    words.add_argument("--budgets", default="3000,10000")
    words.add_argument("--seeds", type=int, default=8)
    given = words.parse_args(arguments)
    budgets = [int(budget) for budget in given.budgets.split(",")]
    columns = [(budget, share) for budget in budgets for share in (0.0, WALK_SHARE)]
    rows: list[tuple[Cell, ...]] = []
    for name, (function, box) in CASES.items():
        found = [
            [lowest(function, box, *column[:1], seed, column[1]) for seed in range(given.seeds)] for column in columns
        ]
        best = min(map(min, found))
        rows.append((name, *(f"{np.median(values) - best:.1e}, {max(values) - best:.1e}" for values in found)))
    heads = ("function", *(f"{budget:,}{', walks' if share else ''}" for budget, share in columns))
    print(render([Table("edges", "median and worst above the lowest value", heads, tuple(rows))], "markdown"))


if __name__ == "__main__":
    main()
