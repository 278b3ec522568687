"""Sums of squares over a box, compiled: each square is above its tangent, and a sum of tangents is nearly straight.

r^2 >= 2 z r - z^2 for every number z. The numbers taken are what is left of the parts where the straight model of all
of them, about the middle of the box, has the least squares: there the slopes of the tangents cancel.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cpcbench.intervals.arithmetic import INF, down, times, up
from cpcbench.intervals.compiled import compiled
from cpcbench.intervals.forward import frozen, natural, workspace
from cpcbench.intervals.mean_value import few_digits, gradient_at
from cpcbench.intervals.operations import EVERYWHERE, NOWHERE
from cpcbench.intervals.slopes import back, seed
from cpcbench.intervals.tape import Tape

SWEEPS = 40
"""Of the descent to the least squares, along one axis after the other."""
DIGITS = 3
"""Of the numbers at which tangents touch: with more of them trees are hardly smaller, and their text is longer."""


class Squares(NamedTuple):
    """The parts that are squared, `roots` being their slots (none: there are too few), and what else is added, in slot
    `rest`; then room for one box: slopes of the parts, what is left of them, and a step."""

    code: Any
    work: Any
    roots: Any
    rest: int
    slopes: Any
    left: Any
    step: Any


def squares_of(tape: Tape, squares: Tape | None) -> Squares:
    """What is needed to bound the sum of a tape by tangents of its squares, from these; None bounds nothing."""
    code, roots = (tape.code, ()) if squares is None else (squares.code, squares.roots)
    slots = np.array(roots[:-1], dtype=np.int64)
    rest = 0 if squares is None else roots[-1]
    return Squares(
        code, workspace(code), slots, rest, np.zeros((len(slots), tape.dim)), np.zeros(len(slots)), np.zeros(tape.dim)
    )


@compiled
def tangents_bound(squares: Any, lower: Any, upper: Any) -> float:
    """A lower bound over a box by tangents of the squares, at what `left` says; -inf if there is none."""
    code, work, roots, left = squares.code, squares.work, squares.roots, squares.left
    natural(code, work, lower, upper)
    if len(roots) == 0 or work.state[squares.rest] == NOWHERE:
        return -INF
    for i in range(len(lower)):
        work.centre[i] = 0.5 * (lower[i] + upper[i])
    frozen(code, work, work.centre)
    for k in range(len(roots)):
        slot = roots[k]
        left[k] = 0.5 * (work.at_lo[slot] + work.at_hi[slot])
        known = work.state[slot] == EVERYWHERE and work.lo[slot] > -INF and work.hi[slot] < INF
        if not known or not gradient_at(code, work, slot, squares.slopes[k]):
            squares.slopes[k, :], left[k] = 0.0, 0.0
    if not gradient_at(code, work, squares.rest, work.gradient):
        work.gradient[:] = 0.0
    _least(squares.slopes, left, work.gradient, squares.step, work.centre, lower, upper)
    for k in range(len(roots)):
        left[k] = few_digits(left[k], DIGITS) if left[k] > 0.0 else -few_digits(-left[k], DIGITS)
    return _bound(squares, lower, upper)


@compiled
def _least(slopes: Any, left: Any, more: Any, step: Any, centre: Any, lower: Any, upper: Any) -> None:
    """Leaves of the parts what is left where the straight model has the least squares, with `more` added to it."""
    step[:] = 0.0
    for _ in range(SWEEPS):
        moved = False
        for i in range(len(step)):
            bend, pull = 0.0, 0.5 * more[i]
            for k in range(len(left)):
                bend += slopes[k, i] * slopes[k, i]
                pull += slopes[k, i] * left[k]
            if not lower[i] < upper[i] or not bend > 0.0:
                continue
            to = min(max(step[i] - pull / bend, lower[i] - centre[i]), upper[i] - centre[i])
            moved = moved or abs(to - step[i]) > 1e-9 * (upper[i] - lower[i])
            for k in range(len(left)):
                left[k] += (to - step[i]) * slopes[k, i]
            step[i] = to
        if not moved:
            return


@compiled
def _bound(squares: Any, lower: Any, upper: Any) -> float:
    """By the mean-value form of the sum of the tangents and the rest."""
    code, work, roots, left = squares.code, squares.work, squares.roots, squares.left
    work.adj_lo[:], work.adj_hi[:] = 0.0, 0.0
    for k in range(len(roots)):
        if left[k] != 0.0:
            seed(work.adj_lo, work.adj_hi, roots[k], 2.0 * left[k])
    seed(work.adj_lo, work.adj_hi, squares.rest, 1.0)
    if not back(code, work.open, work.lo, work.hi, work.adj_lo, work.adj_hi):
        return -INF
    fall = 0.0
    for i in range(len(lower)):
        k = code.place[i]
        low, high = (work.adj_lo[k], work.adj_hi[k]) if k >= 0 else (0.0, 0.0)
        work.centre[i] = lower[i] if low >= 0.0 else upper[i] if high <= 0.0 else 0.5 * (lower[i] + upper[i])
        if low < 0.0 < high and lower[i] < upper[i]:
            ahead, behind = up(upper[i] - work.centre[i]), down(lower[i] - work.centre[i])
            fall = down(fall + down(min(times(low, ahead), times(high, behind))))
    frozen(code, work, work.centre)
    bound = down(work.at_lo[squares.rest] + fall)
    for k in range(len(roots)):
        if left[k] != 0.0:
            value = work.at_lo[roots[k]] if left[k] > 0.0 else work.at_hi[roots[k]]
            bound = down(bound + down(down(2.0 * left[k] * value) - up(left[k] * left[k])))
    return bound if bound == bound else -INF
