"""What part of a problem is looked at: which variables, between which bounds, in how many cells."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from cpcbench.errors import CpcbenchError
from cpcbench.limits import checked_whole
from cpcbench.points import Floats
from cpcbench.problems.problem import Problem

Window = tuple[float, float]
Windows = tuple[Window, Window]

MOST_CELLS = 4000
"""Along one side: 16 million points in the square."""


def checked_axes(axes: Sequence[int], problem: Problem, count: int) -> Any:  # a tuple of `count` numbers
    """So many different variables of the problem, numbered from 0."""
    try:
        chosen = tuple(operator.index(i) for i in axes)
    except TypeError:
        chosen = ()
    if len(chosen) != count or len(set(chosen)) != count or not all(0 <= i < problem.dim for i in chosen):
        raise CpcbenchError(
            f"{count} different variables from 0 to {problem.dim - 1} are needed for this figure of {problem.id}, "
            f"not {axes!r}"
        )
    return chosen


def checked_window(window: Sequence[Window] | None, problem: Problem, axes: Sequence[int]) -> Any:  # a tuple of pairs
    """A pair of bounds for each axis; the box by default, never beyond it: kernels are made for the box."""
    if window is None:
        problem.needs_box("a figure without a window")
        window = [(float(problem.lower[i]), float(problem.upper[i])) for i in axes]
    try:
        sides = tuple((float(low), float(high)) for low, high in window)
    except (TypeError, ValueError):
        sides = ()
    if len(sides) != len(axes) or not all(np.isfinite(side).all() and side[0] < side[1] for side in sides):
        raise CpcbenchError(f"a window is (lower, upper), lower below upper, for each of the axes, not {window!r}")
    for i, (low, high) in zip(axes, sides, strict=True):
        if low < problem.lower[i] or high > problem.upper[i]:
            raise CpcbenchError(
                f"the window ({low:g}, {high:g}) of {problem.names[i]} leaves the box of {problem.id}, "
                f"[{problem.lower[i]:g}, {problem.upper[i]:g}]"
            )
    return sides


def cell_edges(side: Window, resolution: int) -> Floats:
    """So many cells' rising edges, from one bound to the other (by shares: the width of a huge box overflows)."""
    count = checked_whole(resolution, "the resolution", 2, MOST_CELLS)
    share = np.arange(count + 1) / count
    edges = np.clip(side[0] * share[::-1] + side[1] * share, *side)  # about 0 the edges are symmetric
    edges[0], edges[-1] = side
    return np.asarray(np.maximum.accumulate(edges))
