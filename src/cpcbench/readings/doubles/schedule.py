"""In which order a kernel tests the requirements: the one that rejects soonest for least work first.

How often a test rejects is measured on a fixed sample of the box, the work is counted in rough
nanoseconds. Only speed depends on it: the value keeps the bits of the order as written.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import postorder
from cpcbench.points import search_box
from cpcbench.readings.domain.requirements import Requirement
from cpcbench.readings.doubles.arrays import Flags, array_values, holds

COST = {
    "const": 0.0, "pi": 0.0, "var": 0.2, "div": 3.0, "pow": 25.0, "sqrt": 4.0, "ln": 8.0, "exp": 8.0,
    "sin": 14.0, "cos": 14.0, "tan": 20.0, "arcsin": 15.0, "arccos": 15.0, "arctan": 15.0, "sinh": 15.0, "cosh": 15.0,
    "tanh": 15.0, "arcsinh": 20.0, "arccosh": 15.0, "arctanh": 15.0, "log10": 12.0, "log2": 8.0, "log1p": 12.0,
    "expm1": 12.0, "cbrt": 15.0, "erf": 15.0, "hypot": 8.0, "arctan2": 20.0, "mod": 10.0,
}  # fmt: skip
"""Rough nanoseconds an operation; all others count 0.7."""

TEST_COST = 0.5
SAMPLE = 4096
FEW = 64
"""Fewer survivors than this say nothing about the next test: then all sample points are asked."""
LARGE = 300
"""With more requirements than this, they are ranked once instead of after every test."""


def order_tests(
    root: Expr, requirements: Sequence[Requirement], lower: Sequence[float], upper: Sequence[float]
) -> list[Requirement]:
    """The requirements in testing order; inner ones still come before those they are part of."""
    size = len(postorder(root))
    if not requirements or size > 20_000:
        return list(requirements)
    passed, defined = _measure(root, requirements, lower, upper, max(64, min(SAMPLE, 8_000_000 // size)))
    return _greedy(requirements, passed, defined)


def _measure(
    root: Expr, requirements: Sequence[Requirement], lower: Sequence[float], upper: Sequence[float], sample: int
) -> tuple[list[Flags], list[Flags]]:
    generator = np.random.default_rng(20_240_229)
    low, high = search_box(np.asarray(lower), np.asarray(upper))
    half_lower, half_upper = low[:, None] / 2, high[:, None] / 2
    columns = 2.0 * generator.uniform(half_lower, half_upper, (len(lower), sample))  # the width itself may overflow
    values = array_values(root, columns)
    shape = (sample,)
    passed = [np.broadcast_to(holds(r, values), shape) for r in requirements]
    finite = {id(o): np.broadcast_to(np.isfinite(values[id(o)]), shape) for r in requirements for o in r.operands}
    return passed, [np.all([finite[id(o)] for o in r.operands], axis=0) for r in requirements]


def _greedy(requirements: Sequence[Requirement], passed: list[Flags], defined: list[Flags]) -> list[Requirement]:
    below = [_below(r) for r in requirements]
    tests_at: dict[int, list[int]] = {}
    for i, requirement in enumerate(requirements):
        tests_at.setdefault(id(requirement.node), []).append(i)
    inner = [sorted(i for node in nodes for i in tests_at.get(node, ())) for nodes in below]
    left = set(range(len(requirements)))
    done: dict[int, None] = {}
    computed: set[int] = set()
    alive = np.ones(passed[0].shape, dtype=bool)
    ranking: list[int] = []
    while left:
        if not ranking:
            score = {i: _score(i, inner[i], below[i], computed, passed, defined, alive, done) for i in left}
            ranking = sorted(left, key=lambda i: (score[i], -i))
            if len(requirements) <= LARGE:
                ranking = ranking[-1:]
        best = ranking.pop()
        for i in (*inner[best], best):
            if i in left:
                left.remove(i)
                done[i] = None
                computed.update(below[i])
                alive = alive & passed[i]
    return [requirements[i] for i in done]


def _below(requirement: Requirement) -> dict[int, float]:
    """The nodes a test needs, by id, with their cost."""
    return {id(n): COST.get(n.op, 0.7) for n in postorder(*requirement.operands)}


def _score(
    index: int, inner: list[int], below: dict[int, float], computed: set[int],
    passed: list[Flags], defined: list[Flags], alive: Flags, done: dict[int, None],
) -> float:  # fmt: skip
    """Points rejected per nanosecond by a test together with the inner tests it still needs."""
    chain = [i for i in inner if i not in done] + [index]
    cost = TEST_COST * len(chain) + sum(c for n, c in below.items() if n not in computed)
    if alive.sum() >= FEW:
        survive = np.all([passed[i] for i in chain], axis=0)[alive].mean()
    else:  # too few survivors: treat the tests as independent
        survive = 1.0
        for i in chain:
            survive *= passed[i][defined[i]].mean() if defined[i].any() else 0.5
    return float(1.0 - survive) / cost
