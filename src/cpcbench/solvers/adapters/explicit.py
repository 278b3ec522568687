"""What the solvers that read the formula share: constants folded, the hidden conditions as constraints g >= margin.

The translation is exact where the constraints hold, with one known difference: a power with a variable
exponent is written exp(y ln x), so its base must be positive; the thin sets where the exponent is a
whole number and the base is negative or zero are not part of the translated problem.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr, index
from cpcbench.expr.walk import postorder
from cpcbench.problems.problem import Problem
from cpcbench.readings.domain.requirements import SPANS, Span
from cpcbench.readings.reals.reference import constant_values
from cpcbench.solvers.objective import Objective

MOST_NODES = 20_000
"""Operations, each counted wherever it is used: the solvers' expressions are trees."""


STRICT = 1e-8
"""How far from zero a quantity is kept that must be positive, or not zero: the solvers know no strict inequality."""


@dataclass(frozen=True)
class Translated:
    """The objective and the constraints in a solver's own expressions; a constraint is g >= margin."""

    value: Any
    at_least: list[tuple[Any, float]]


def translated(
    problem: Problem, variables: list[Any], table: Mapping[str, Callable[..., Any]], solver: str, margin: float
) -> Translated:
    """The problem through a table of operations; `table["pow"]` gets a float or an expression as exponent.

    Parts without variables come as floats. Raises CpcbenchError naming an operation that is not in the table.
    """
    root = problem.expression
    _check_size(root, solver)
    free = constant_values(root)
    table = {**made_of(table), **table}
    values: dict[int, Any] = {}
    for node in postorder(root):
        if id(node) in free:
            values[id(node)] = free[id(node)]
        elif node.op == "var":
            values[id(node)] = variables[index(node)]
        elif node.op == "given":
            values[id(node)] = values[id(node.args[1])]  # what it asks for is among the conditions
        elif node.op not in table:
            raise CpcbenchError(f"{solver} has no operation {node.op!r}, and it cannot be written by others there")
        else:
            values[id(node)] = table[node.op](*[values[id(a)] for a in node.args])
    return Translated(values[id(root)], _constraints(problem, values, table, solver, margin))


def made_of(t: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Functions made of those that every solver here has."""
    add, sub, mul, div, exp, ln, sqrt = (t[op] for op in ("add", "sub", "mul", "div", "exp", "ln", "sqrt"))

    def half(a: Any) -> Any:
        return mul(0.5, a)

    return {
        "log10": lambda a: div(ln(a), math.log(10.0)),
        "log2": lambda a: div(ln(a), math.log(2.0)),
        "log1p": lambda a: ln(add(1.0, a)),
        "expm1": lambda a: sub(exp(a), 1.0),
        "sinh": lambda a: half(sub(exp(a), exp(t["neg"](a)))),
        "cosh": lambda a: half(add(exp(a), exp(t["neg"](a)))),
        "tanh": lambda a: sub(1.0, div(2.0, add(exp(mul(2.0, a)), 1.0))),
        "arccos": lambda a: sub(math.pi / 2.0, t["arcsin"](a)),
        "arcsinh": lambda a: ln(add(a, sqrt(add(mul(a, a), 1.0)))),
        "arccosh": lambda a: ln(add(a, sqrt(sub(mul(a, a), 1.0)))),
        "arctanh": lambda a: half(sub(ln(add(1.0, a)), ln(sub(1.0, a)))),
        "hypot": lambda a, b: sqrt(add(mul(a, a), mul(b, b))),
        "min": lambda a, b: half(sub(add(a, b), t["abs"](sub(a, b)))),
        "max": lambda a, b: half(add(add(a, b), t["abs"](sub(a, b)))),
    }


def _constraints(
    problem: Problem, values: dict[int, Any], table: Mapping[str, Callable[..., Any]], solver: str, margin: float
) -> list[tuple[Any, float]]:
    found: list[tuple[Any, float]] = []
    for condition in problem.conditions:
        if condition.relation == "finite":
            continue
        if condition.guarded:
            raise CpcbenchError(f"{solver} cannot be told that a condition counts in one branch only: {condition.text}")
        operand = values[id(condition.operand)]
        if isinstance(operand, float):
            continue  # no variable in it: it holds at every point or at none
        found += _SIDES[condition.relation](operand, table, margin)
    return found


def _within(span: Span) -> Callable[..., list[tuple[Any, float]]]:
    def sides(a: Any, t: Mapping[str, Callable[..., Any]], m: float) -> list[tuple[Any, float]]:
        margin = m if span.closed else max(m, STRICT)
        if not span.is_half_line:
            return [(t["sub"](span.high, a), margin), (t["add"](span.high, a), margin)]
        return [(t["sub"](a, span.low) if span.low else a, margin)]

    return sides


def _no_whole_numbers(*_: Any) -> list[tuple[Any, float]]:
    raise CpcbenchError("other programs are not told that a part of a formula is a whole number")


_SIDES: dict[str, Callable[..., list[tuple[Any, float]]]] = {
    **{relation: _within(span) for relation, span in SPANS.items()},
    "nonzero": lambda a, t, m: [(t["abs"](a), STRICT)],
    "whole": _no_whole_numbers,
    "power": lambda a, t, m: [(a, max(m, STRICT))],
    "strict power": lambda a, t, m: [(a, max(m, STRICT))],
}


def _check_size(root: Expr, solver: str) -> None:
    sizes: dict[int, int] = {}
    for node in postorder(root):
        sizes[id(node)] = 1 + sum(sizes[id(a)] for a in node.args)
    if sizes[id(root)] > MOST_NODES:
        raise CpcbenchError(
            f"the formula has {sizes[id(root)]} operations written out: up to {MOST_NODES} are handed to {solver}"
        )


def claim(objective: Objective, x: list[float] | None, value: float, message: str) -> OptimizeResult:
    """A solver's claim as an answer: its point, moved into the box and evaluated, and its own value."""
    if x is None or not all(map(math.isfinite, x)):
        return OptimizeResult(x=None, fun=math.nan, success=False, message=message)
    point = np.clip(np.array(x, dtype=np.float64), objective.lower, objective.upper)
    found = objective(point)
    note = f"{message}; it says {value!r}, the objective says {found!r}"
    return OptimizeResult(x=point, fun=float(value), success=bool(found == found), message=note)
