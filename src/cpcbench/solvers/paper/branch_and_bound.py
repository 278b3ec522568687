"""Branch and bound over boxes: finds low points and proves how low the objective can be at most.

Best first: the tree of boxes that the prover grows, too, with the boxes that opened last sampled as it grows. Boxes on
which the formula is defined nowhere, or cannot be lower than the best point, are closed. The lower bound is a proof
about the real formula, so a point counts as the best only if the real formula confirms its value: a low value that is
there in doubles only closes nothing.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

import numpy as np

from cpcbench.errors import CpcbenchError
from cpcbench.solvers.objective import Objective, StopRun
from cpcbench.solvers.registry import Solver

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult


def solve(
    objective: Objective,
    _rng: np.random.Generator,
    *,
    tolerance: float = 1e-9,
    seconds: float | None = None,
    batch: int = 2048,
    max_boxes: int = 1_000_000,
) -> OptimizeResult:
    """Minimises until the gap, absolute or relative, is within the tolerance, or time or budget is spent.

    The result also has `lower_bound` (no real value of the formula on the box is below it), `gap`
    (fun - lower_bound) and `boxes` (how many were looked at); at most `batch` are split at a time. `max_boxes`
    limits the memory: beyond it the boxes with the highest bounds are given up, and count in the lower bound from
    then on.
    """
    if not tolerance >= 0.0 or (seconds is not None and not seconds > 0.0) or batch < 1 or max_boxes < 2:
        raise CpcbenchError(
            "branch and bound takes tolerance >= 0, seconds > 0, batch >= 1 and max_boxes >= 2, not "
            f"tolerance={tolerance!r}, seconds={seconds!r}, batch={batch!r}, max_boxes={max_boxes!r}"
        )
    from cpcbench.solvers.paper.box_search import BoxSearch  # and with it what it compiles

    search = BoxSearch(objective, tolerance, batch, max_boxes)
    deadline = math.inf if seconds is None else time.perf_counter() + seconds
    with np.errstate(all="ignore"):  # sides of a box of 1e308 may overflow
        try:
            search.start()
            while not search.grow(deadline):
                search.sample()
            reason = ""
        except StopRun as stop:
            reason = stop.reason
    return search.result(reason)


def _prepare() -> None:
    from cpcbench.solvers.paper.box_search import compile_growth

    compile_growth()


SOLVER = Solver(
    name="B&B",
    solve=solve,
    undefined="nan",
    deterministic=True,
    expression=True,
    seconds=30.0,
    prepare=_prepare,
    summary="interval branch and bound: the best point found and a proven lower bound",
)
