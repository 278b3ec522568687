"""A kernel that does not believe accidents of rounding: a new lowest value must hold in extended precision."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.solvers.white_box.extended import looks_faithful


class Guard:
    """`guard(points, out)` as a kernel of a problem, its own unless another is given, with NaN for
    lowest values that look like artefacts.

    Only values below the lowest so far are looked at, so it costs little more than the kernel.
    """

    def __init__(self, problem: Problem, kernel: Callable[[Floats, Floats], float] | None = None) -> None:
        self._kernel, self._root = kernel or problem.fast.boxed, problem.expression
        self.best = math.inf

    def __call__(self, flat: Floats, out: Floats) -> float:
        self._kernel(flat, out)
        low = np.flatnonzero(out < self.best)
        if len(low):
            faithful = looks_faithful(self._root, flat.reshape(len(out), -1)[low], out[low])
            self.best = float(np.min(out[low[faithful]], initial=self.best))
            out[low[~faithful]] = math.nan
        return 0.0
