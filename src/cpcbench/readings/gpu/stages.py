"""The sieve of a formula as one or two stages: what it comes to, and where it pays to put together what is left."""

from __future__ import annotations

import math

import numpy as np

from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import postorder
from cpcbench.readings.domain.requirements import Requirement
from cpcbench.readings.doubles.arrays import array_values, holds
from cpcbench.readings.doubles.lowering import Lowering, Plan, overflow_sources
from cpcbench.readings.doubles.ranges import ranges
from cpcbench.readings.gpu.sifting import SiftTarget, Value

COSTS = {
    "cpc_block(": 60.0, "cpc_whole(": 8.0, "cpc_turned(": 20.0, "cpc_turned_float(": 6.0, "cpc_power(": 30.0,
    " / ": 25.0, "cpc_sin(": 4.0, "cpc_cos(": 4.0, "cpc_log2(": 6.0, "cpc_exp2(": 6.0, "cpc_over(": 6.0,
    "cpc_root(": 6.0, "cpc_asin(": 20.0, "(float)": 6.0, "floor(": 8.0,
}  # fmt: skip
ASIDE, PUT_TOGETHER, WARP = 10.0, 20.0, 32
"""Instructions to see who is left, and to put those together; threads that go on together."""
SAMPLE, LONG = 8192, 5000
"""Even draws on which it is measured what the tests leave, and parts of a formula from which on it is not."""


class _Sifting(Lowering):
    """Tells the target and each value how large it can be on the box."""

    def __init__(self, plan: Plan, target: SiftTarget) -> None:
        super().__init__(plan, target)
        self._sift = target
        self._boxed = ranges(plan.roots, plan.box)

    def test(self, requirement: Requirement) -> None:
        """One of the tests, and what it needs."""
        for operand in requirement.operands:
            self.value(operand)
        self._test(requirement)

    def _node(self, node: Expr) -> Value:
        low, high = self._boxed[id(node)]
        self._sift.most = max(abs(low), abs(high))
        value: Value = super()._node(node)
        if value.text is not None:
            value.most = min(value.most, self._sift.most)
        return value


def sift_lines(plan: Plan) -> list[str]:
    """The body of `int cpc_sift_point(cpc_place place)`."""
    target = SiftTarget(plan.box)
    lowering = _Sifting(plan, target)
    lowering.tests()
    if any(id(node) not in plan.must for node in postorder(plan.root)):
        lowering.result(plan.root)
    else:
        lowering.finite(overflow_sources(plan))
    return [*target.lines, "return sure ? 1 : 2;"]


def quick_lines(plan: Plan) -> list[str] | None:
    """The body of `int cpc_quick(cpc_place place)`: as much of the sieve as pays before what is left is put together.

    Threads of a card go on together, all as long as one of them must. None where that is no gain.
    """
    target = SiftTarget(plan.box)
    lowering = _Sifting(plan, target)
    whole = _cost(sift_lines(plan))
    done = work = 0.0
    alive, best, kept = 1.0, math.inf, 0
    for count, left in enumerate(_survivors(plan), start=1):
        lowering.test(plan.tests[count - 1])
        cost = _cost(target.lines)
        work, done = work + alive * (cost - done), cost
        alive = 1.0 - (1.0 - left) ** WARP  # that all go on
        if work + left * (PUT_TOGETHER + whole) < best:
            best, kept = work + left * (PUT_TOGETHER + whole), len(target.lines)
    if best + ASIDE > 0.95 * (work + alive * (whole - done)):
        return None
    return [*(line for line in target.lines[:kept] if "sure" not in line), "return 1;"]


def _survivors(plan: Plan) -> list[float]:
    """Which share of even draws is left after each test."""
    if not plan.tests or len(postorder(plan.root)) > LONG:
        return []
    low, high = (np.array(side)[:, None] / 2 for side in (plan.lower, plan.upper))
    draws = 2.0 * np.random.default_rng(5).uniform(low, high, (len(plan.lower), SAMPLE))
    left, shares = np.ones(SAMPLE, dtype=np.bool_), []
    with np.errstate(all="ignore"):
        values = array_values(plan.root, draws)
        for test in plan.tests:
            left = left & np.broadcast_to(holds(test, values), (SAMPLE,))
            shares.append(float(left.mean()))
    return shares


def _cost(lines: list[str]) -> float:
    """Rough instructions: those of the words that are long, and one or two for every other line."""
    text = "\n".join(lines)
    known = sum(cost * text.count(word) for word, cost in COSTS.items())
    return known + sum(2.0 if line.startswith("const double") else 1.0 for line in lines)
