"""Where the tests of a plan are cut into stages, between which the lanes that are left are packed into full vectors.

A vector goes on as long as one of its lanes does. Packing costs some work, and what a later stage needs of an earlier
one is computed again; the cuts are those of least expected work on the sample of `usual`. Only speed depends on them.
"""

from __future__ import annotations

import math
from functools import lru_cache

from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import postorder
from cpcbench.readings.doubles.filter.lanes import Stage
from cpcbench.readings.doubles.filter.usual import usual
from cpcbench.readings.doubles.filter.vectors import WIDTH
from cpcbench.readings.doubles.lowering import Plan

WORK = {
    "const": 0.0, "pi": 0.0, "var": 10.0, "div": 10.0, "sqrt": 14.0, "sin": 14.0, "cos": 14.0, "ln": 24.0, "exp": 18.0,
    "pow": 45.0, "arcsin": 30.0, "arccos": 30.0, "tan": 40.0,
}  # fmt: skip
"""Rough cycles of a vector; all others count 1, and each test `TEST`."""
TEST = 3.0
PACKING, READING = 20.0, 16.0
"""Cycles for a vector whose lanes are packed, and for one that is read again."""
STAGE = 0.5
"""What a stage must save at least: it takes time to compile."""
MOST_TESTS = 48
"""Tests of the plan that are looked at; what few lanes come to see is left to the kernel."""


@lru_cache(maxsize=8)
def stages(plan: Plan) -> tuple[Stage, ...]:
    """The stages of least expected work, by dynamic programming over where each begins."""
    shares = usual(plan).shares
    count = len(plan.tests)
    count = min(count, MOST_TESTS)
    best = [0.0] * (count + 1)
    end_of = [count] * (count + 1)
    for start in reversed(range(count)):
        costs = _costs(plan, start, count, shares)
        best[start], end_of[start] = min(
            (costs[end - start - 1] + best[end], end) for end in range(start + 1, count + 1)
        )
    found, start = [], 0
    while start < count:
        found.append(Stage(start, end_of[start], end_of[start] == len(plan.tests)))
        start = end_of[start]
    return tuple(found) or (Stage(0, 0, True),)


def _costs(plan: Plan, start: int, count: int, shares: list[float]) -> list[float]:
    """Of stages that begin there, by where they end; a point's share of the work of its vector."""
    computed: set[int] = set()
    begun = max(shares[start], 1e-9)
    total, found = STAGE + begun * (READING if start else 0.0), []
    for place in range(start, count):
        nodes = [node for node in postorder(*plan.tests[place].operands) if id(node) not in computed]
        computed.update(id(node) for node in nodes)
        total += begun * _reached(shares[place] / begun) * (TEST + sum(_work(plan, node) for node in nodes))
        found.append(total + (begun * _reached(shares[place + 1] / begun) * PACKING if place + 1 < count else 0.0))
    return found


def _reached(share: float) -> float:
    """How likely a vector goes on if this share of its lanes does."""
    return 1.0 - (1.0 - min(share, 1.0)) ** WIDTH


def _work(plan: Plan, node: Expr) -> float:
    if id(node) in plan.free:
        return 0.0
    exponent = plan.free.get(id(node.args[1])) if node.op == "pow" else None
    if exponent is not None and math.isfinite(exponent) and exponent == math.floor(exponent):
        return math.log2(abs(exponent) + 1.0)
    return WORK["sqrt"] if exponent in (0.5, 1.5) else WORK.get(node.op, 1.0)
