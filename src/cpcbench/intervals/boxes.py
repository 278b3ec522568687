"""Lower bounds over many boxes: what other parts of the prover ask of a tape."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from cpcbench.errors import CpcbenchError
from cpcbench.intervals import operations as ops
from cpcbench.intervals.backward import contract
from cpcbench.intervals.compiled import entry
from cpcbench.intervals.forward import natural, workspace
from cpcbench.intervals.mean_value import best_by_slopes
from cpcbench.intervals.tape import Tape

Floats = npt.NDArray[np.float64]
States = npt.NDArray[np.int8]
Flags = npt.NDArray[np.bool_]


def lower_bounds(tape: Tape, lower: ArrayLike, upper: ArrayLike, *, slopes: bool = True) -> tuple[Floats, States]:
    """A lower bound over each box with the corners `lower` and `upper`, of shape (m, n), and its state.

    The better of the natural bound and, with `slopes`, the mean-value form; +inf where the state is 0: the
    formula is defined nowhere on the box (1: not known, 2: everywhere).
    """
    low, high = corners_of(tape, lower, upper)
    ranges, state = np.empty((2, len(low))), np.empty(len(low), dtype=np.int8)
    _visit(tape.code, workspace(tape.code), low, high, slopes, ranges, state)
    return ranges[0], state


def natural_ranges(tape: Tape, lower: ArrayLike, upper: ArrayLike) -> tuple[Floats, Floats, States]:
    """The natural range over each box and its state; where that is 0 the lower end is inf and the upper one -inf."""
    low, high = corners_of(tape, lower, upper)
    ranges, state = np.empty((2, len(low))), np.empty(len(low), dtype=np.int8)
    _visit(tape.code, workspace(tape.code), low, high, False, ranges, state)
    return ranges[0], ranges[1], state


def cut_boxes(tape: Tape, lower: ArrayLike, upper: ArrayLike, limit: float) -> tuple[Floats, Floats, Flags]:
    """Boxes cut down without losing a point where the formula is defined and at most `limit`.

    The flag is False where no such point is in a box; its corners are then as they were.
    """
    low, high = corners_of(tape, lower, upper)
    alive = np.zeros(len(low), dtype=np.bool_)
    _cut(tape.code, workspace(tape.code), low, high, limit, alive)
    return low, high, alive


def corners_of(tape: Tape, lower: ArrayLike, upper: ArrayLike) -> tuple[Floats, Floats]:
    """The corners of boxes as arrays, checked."""
    low, high = np.array(lower, dtype=np.float64, order="C"), np.array(upper, dtype=np.float64, order="C")
    if low.ndim != 2 or low.shape != high.shape or low.shape[1] != tape.dim:
        raise CpcbenchError(
            f"boxes are two arrays of shape (m, {tape.dim}) for this tape, not {low.shape} and {high.shape}"
        )
    if not (low <= high).all() or not (np.isfinite(low).all() and np.isfinite(high).all()):
        raise CpcbenchError("the corners of a box are finite, and the lower one at most the upper one")
    for table in tape.tables:
        axis = tape.variables.index(table.variable)
        if (low[:, axis] < table.breaks[0]).any() or (high[:, axis] > table.breaks[-1]).any():
            raise CpcbenchError(
                f"the table on variable {table.variable} goes from {table.breaks[0]} to {table.breaks[-1]}, "
                "a box further"
            )
    return low, high


@entry
def _visit(code: Any, work: Any, lower: Any, upper: Any, slopes: bool, ranges: Any, state: Any) -> None:
    last = len(code.op) - 1
    for m in range(len(lower)):
        state[m] = natural(code, work, lower[m], upper[m])
        if state[m] == ops.NOWHERE:
            ranges[0, m], ranges[1, m] = math.inf, -math.inf
            continue
        ranges[0, m], ranges[1, m] = work.lo[last], work.hi[last]
        if slopes:
            ranges[0, m] = max(ranges[0, m], best_by_slopes(code, work, lower[m], upper[m], math.inf))


@entry
def _cut(code: Any, work: Any, lower: Any, upper: Any, limit: float, alive: Any) -> None:
    for m in range(len(lower)):
        alive[m] = natural(code, work, lower[m], upper[m]) != ops.NOWHERE and contract(code, work, limit)
        if alive[m]:
            for i in range(len(code.place)):
                k = code.place[i]
                if k >= 0:
                    lower[m, i] = max(lower[m, i], work.cut_lo[k])
                    upper[m, i] = min(upper[m, i], work.cut_hi[k])
