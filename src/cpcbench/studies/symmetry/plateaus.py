"""Whether a formula with steps is constant around a point: its steps are settled, and nothing variable is left."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from cpcbench.expr.functions import JUMPS, STEPS
from cpcbench.expr.nodes import Expr, node, num
from cpcbench.expr.walk import postorder
from cpcbench.intervals.boxes import Boxes
from cpcbench.intervals.operations import EVERYWHERE
from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.studies.structure.canonical import Canonical

SIZES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)


def plateau(problem: Problem, point: Floats) -> float | None:
    """The size, as a part of the box, of a box around the point where the formula is proven constant; or None."""
    if not any(n.op in JUMPS for n in postorder(problem.expression)):
        return None
    for size in SIZES:
        reach = size * (problem.upper / 2 - problem.lower / 2)
        low, high = np.maximum(point - reach, problem.lower), np.minimum(point + reach, problem.upper)
        if (low < high).any() and _is_constant(problem, low, high):
            return size
    return None


def _is_constant(problem: Problem, low: Floats, high: Floats) -> bool:
    settled = settle(problem.expression, problem.rule, low, high)
    canonical = Canonical(settled)
    if canonical.forms.variables(canonical.of(settled)):
        return False
    state = Boxes(settled, problem.rule)(low[None], high[None])[2]
    return bool(state[0] == EVERYWHERE)


def settle(root: Expr, rule: str, low: Floats, high: Floats) -> Expr:
    """The formula on a box with those steps, signs and choices replaced that have one outcome there."""
    built: dict[int, Expr] = {}
    for part in postorder(root):
        if not part.args:
            built[id(part)] = part
            continue
        arguments = [built[id(a)] for a in part.args]
        outcome = _outcome(part.op, arguments, rule, low, high) if part.op in JUMPS else None
        built[id(part)] = node(part.op, *arguments) if outcome is None else outcome
    return built[id(root)]


def _outcome(op: str, arguments: list[Expr], rule: str, low: Floats, high: Floats) -> Expr | None:
    if op == "where":
        return _choice(arguments, rule, low, high)
    if len(arguments) > 1:
        return None
    least, most = _range(arguments[0], rule, low, high)
    if op in STEPS:
        settled = math.isfinite(least) and math.isfinite(most) and STEPS[op](least) == STEPS[op](most)
        return num(STEPS[op](least)) if settled else None
    if least > 0 or most < 0:
        return num(1 if least > 0 else -1)
    return num(0) if least == most == 0 else None


def _choice(arguments: list[Expr], rule: str, low: Floats, high: Floats) -> Expr | None:
    test, yes, no = arguments
    least, most = _range(test.args[0] - test.args[1], rule, low, high)
    if most < 0 or (test.op == "le" and most <= 0):
        return yes
    return no if least > 0 or (test.op == "lt" and least >= 0) else None


def _range(part: Expr, rule: str, low: Floats, high: Floats) -> tuple[float, float]:
    """Where the values lie; exactly where the part is a rational number in disguise."""
    canonical = Canonical(part)
    body = canonical.forms.body(canonical.of(part))
    if not body or set(body) == {()}:
        value = float(body.get((), Fraction(0)))
        return (value, value) if Fraction(value) == body.get((), 0) else _whole()
    least, most, _state = Boxes(part, rule)(low[None], high[None])
    return (float(least[0]), float(most[0])) if least[0] <= most[0] else _whole()


def _whole() -> tuple[float, float]:
    return -math.inf, math.inf
