"""Whether a listed minimum is the formula's value at the points listed with it, to the digits that are printed."""

from __future__ import annotations

from collections.abc import Sequence

from cpcbench.problems.classics.entry import Listed, unit_of
from cpcbench.problems.problem import Problem

ROUNDING = 1e-9
"""Room for the rounding of operations, relative above 1."""

DECIMALS = 3
"""A coordinate with so many decimals is taken as rounded, others as exact."""


def meets(problem: Problem, one: Listed) -> bool:
    """Whether every point has the listed value, one unit of its last digit aside, and what the points' digits hide."""
    room = one.unit + ROUNDING * max(1.0, abs(one.value))
    return all(abs(problem.reference(x) - one.value) <= room + _hidden(problem, x) for x in one.at)


def _hidden(problem: Problem, x: Sequence[float]) -> float:
    """How far the value can be from that of the point that was rounded to this one, going along each axis."""
    here, most = problem.reference(x), 0.0
    for i, c in enumerate(x):
        step = unit_of(repr(c)) / 2
        if 0.0 < step < 10.0**-DECIMALS:
            ways = [problem.reference([*x[:i], c + way, *x[i + 1 :]]) for way in (-step, step)]
            most += max((abs(value - here) for value in ways if value == value), default=0.0)
    return most
