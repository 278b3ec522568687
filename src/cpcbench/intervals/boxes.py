"""What a formula can come to over many boxes: its ranges, where it is defined, lower bounds, and what is left of a box.

The bounds hold for the real formula; what they rest on is said in `intervals.arithmetic`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr
from cpcbench.intervals import operations as ops
from cpcbench.intervals.backward import contract
from cpcbench.intervals.compiled import entry
from cpcbench.intervals.forward import natural, workspace
from cpcbench.intervals.many import read_many
from cpcbench.intervals.mean_value import best_by_slopes
from cpcbench.intervals.tape import Tape

Floats = npt.NDArray[np.float64]
States = npt.NDArray[np.int8]
Flags = npt.NDArray[np.bool_]
Ranges = tuple[Floats, Floats, States]

CHUNK, MOST_NUMBERS = 256, 1_000_000
"""Boxes read at a time: few enough that what is being worked on stays in the processor's cache; and slots of them."""


# Formulas as they are written


class ManyBoxes:
    """Several formulas over the same boxes, their common parts read once; one answer a formula.

    Call it with the lower and upper corners of the boxes, arrays of shape (m, n). An answer is three arrays of
    length m: `low` and `high` enclose the real values of the formula on the part of each box where it is defined, and
    `state` is 0 if it is defined nowhere on the box (low is then +inf and high -inf), 2 if everywhere, 1 if neither
    is proven.
    """

    def __init__(self, roots: Sequence[Expr], rule: str = "ieee") -> None:
        self._tape = Tape.as_written(roots, rule=rule)

    def __call__(self, lower: ArrayLike, upper: ArrayLike) -> list[Ranges]:
        return _read(self._tape, *_corners(self._tape.dim, lower, upper))


class Boxes:
    """One formula over boxes, answered as by `ManyBoxes`."""

    def __init__(self, root: Expr, rule: str = "ieee") -> None:
        self._tape = Tape.as_written([root], rule=rule)

    def __call__(self, lower: ArrayLike, upper: ArrayLike) -> Ranges:
        return _read(self._tape, *_corners(self._tape.dim, lower, upper))[0]

    def cut(self, lower: ArrayLike, upper: ArrayLike, limit: float = math.inf) -> tuple[Floats, Floats, Flags]:
        """The boxes cut down without losing a point where the formula is defined and at most `limit`.

        The flag is False where no such point is in a box; its corners are then as they were.
        """
        return _cut(self._tape, *_corners(self._tape.dim, lower, upper), limit)


# Tapes


def lower_bounds(tape: Tape, lower: ArrayLike, upper: ArrayLike, *, slopes: bool = True) -> tuple[Floats, States]:
    """A lower bound over each box with the corners `lower` and `upper`, of shape (m, n), and its state.

    The better of the natural bound and, with `slopes`, the mean-value form; +inf where the state is 0: the
    formula is defined nowhere on the box (1: not known, 2: everywhere).
    """
    low, _, state = _bound(tape, lower, upper, slopes)
    return low, state


def natural_ranges(tape: Tape, lower: ArrayLike, upper: ArrayLike) -> Ranges:
    """The natural range over each box and its state; where that is 0 the lower end is inf and the upper one -inf."""
    return _bound(tape, lower, upper, False)


def _bound(tape: Tape, lower: ArrayLike, upper: ArrayLike, slopes: bool) -> Ranges:
    low, high = corners_of(tape, lower, upper)
    ranges, state = np.empty((2, len(low))), np.empty(len(low), dtype=np.int8)
    _bound_all(tape.code, workspace(tape.code), low, high, slopes, ranges, state)
    return ranges[0], ranges[1], state


def cut_boxes(tape: Tape, lower: ArrayLike, upper: ArrayLike, limit: float) -> tuple[Floats, Floats, Flags]:
    """As `Boxes.cut`."""
    return _cut(tape, *corners_of(tape, lower, upper), limit)


def cut_and_bound(tape: Tape, lower: ArrayLike, upper: ArrayLike, limit: float) -> tuple[Floats, Floats, Floats]:
    """The boxes cut down, and natural lower bounds over them as given, +inf where no value is at most `limit`."""
    low, high = corners_of(tape, lower, upper)
    return low, high, _cut_with_bounds(tape, low, high, limit)


def corners_of(tape: Tape, lower: ArrayLike, upper: ArrayLike) -> tuple[Floats, Floats]:
    """The corners of boxes as arrays, checked: finite, one number for each of the tape's variables, on its tables."""
    low, high = _corners(tape.dim, lower, upper)
    if low.shape[1] != tape.dim:
        raise CpcbenchError(f"boxes are two arrays of shape (m, {tape.dim}) for this tape, not {low.shape}")
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        raise CpcbenchError("the corners of a box are finite")
    for table in tape.tables:
        axis = tape.variables.index(table.variable)
        if (low[:, axis] < table.breaks[0]).any() or (high[:, axis] > table.breaks[-1]).any():
            raise CpcbenchError(
                f"the table on variable {table.variable} goes from {table.breaks[0]} to {table.breaks[-1]}, "
                "a box further"
            )
    return low, high


def _corners(dim: int, lower: ArrayLike, upper: ArrayLike) -> tuple[Floats, Floats]:
    low, high = np.array(lower, dtype=np.float64, order="C"), np.array(upper, dtype=np.float64, order="C")
    if low.ndim != 2 or low.shape != high.shape or low.shape[1] < dim:
        raise CpcbenchError(
            f"boxes are two arrays of shape (m, n), n at least {dim} here, not {low.shape} and {high.shape}"
        )
    if not (low <= high).all() or (low == math.inf).any() or (high == -math.inf).any():
        raise CpcbenchError("each lower corner of a box is at most its upper corner, and neither is NaN")
    return low, high


# In compiled code


def _read(tape: Tape, lower: Floats, upper: Floats) -> list[Ranges]:
    count, roots, slots = len(lower), len(tape.roots), len(tape.code.op)
    low, high, state = np.empty((roots, count)), np.empty((roots, count)), np.empty((roots, count), dtype=np.int8)
    size = min(max(MOST_NUMBERS // slots, 1), CHUNK, max(count, 1))
    rows, states = np.empty((2, slots, size)), np.empty((slots, size), dtype=np.int8)
    read_many(tape.code, lower, upper, np.array(tape.roots), rows, states, low, high, state)
    nowhere = state == ops.NOWHERE
    low[nowhere], high[nowhere] = math.inf, -math.inf
    return list(zip(low, high, state, strict=True))


@entry
def _bound_all(code: Any, work: Any, lower: Any, upper: Any, slopes: bool, ranges: Any, state: Any) -> None:
    last = len(code.op) - 1
    for m in range(len(lower)):
        state[m] = natural(code, work, lower[m], upper[m])
        if state[m] == ops.NOWHERE:
            ranges[0, m], ranges[1, m] = math.inf, -math.inf
            continue
        ranges[0, m], ranges[1, m] = work.lo[last], work.hi[last]
        if slopes:
            ranges[0, m] = max(ranges[0, m], best_by_slopes(code, work, lower[m], upper[m], math.inf))


def _cut(tape: Tape, lower: Floats, upper: Floats, limit: float) -> tuple[Floats, Floats, Flags]:
    return lower, upper, _cut_with_bounds(tape, lower, upper, limit) < math.inf


def _cut_with_bounds(tape: Tape, lower: Floats, upper: Floats, limit: float) -> Floats:
    bounds = np.full(len(lower), math.inf)
    _cut_all(tape.code, workspace(tape.code), lower, upper, limit, bounds)
    return bounds


@entry
def _cut_all(code: Any, work: Any, lower: Any, upper: Any, limit: float, bounds: Any) -> None:
    last = len(code.op) - 1
    for m in range(len(lower)):
        if natural(code, work, lower[m], upper[m]) == ops.NOWHERE or not contract(code, work, limit):
            continue
        bounds[m] = min(work.lo[last], np.finfo(np.float64).max)
        for i in range(len(code.place)):
            k = code.place[i]
            if k >= 0:
                lower[m, i] = max(lower[m, i], work.cut_lo[k])
                upper[m, i] = min(upper[m, i], work.cut_hi[k])
