"""What a problem is made of, checked as it is given: errors say what was given and what is accepted."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import COMPARISONS, Expr
from cpcbench.expr.walk import postorder, variables
from cpcbench.points import Points, default_names
from cpcbench.problems.facts import frozen


def checked_workers(workers: int) -> int:
    """The number of threads, if it is one."""
    try:
        count = operator.index(workers)
    except TypeError:
        count = 0
    if count < 1 or isinstance(workers, bool):
        raise CpcbenchError(f"workers is a whole number of threads from 1 on, not {workers!r}")
    return count


def identifier(text: str) -> str:
    if not isinstance(text, str) or not text.strip() or text != text.strip() or not text.isprintable():
        raise CpcbenchError(f"a problem's id is a short text without blanks around it, not {text!r}")
    return text


def checked_box(lower: ArrayLike, upper: ArrayLike) -> tuple[Points, Points]:
    try:
        low, high = frozen(lower), frozen(upper)
    except (TypeError, ValueError):
        raise CpcbenchError(f"bounds are real numbers, not {lower!r} and {upper!r}") from None
    if low.ndim != 1 or low.shape != high.shape or not low.size:
        raise CpcbenchError(f"one lower and one upper bound for each variable, not shapes {low.shape} and {high.shape}")
    for i, (a, b) in enumerate(zip(low.tolist(), high.tolist(), strict=True), start=1):
        if not (a <= b and a < np.inf and b > -np.inf):
            raise CpcbenchError(
                f"the bounds of variable {i} are ({a}, {b}): numbers, lower <= upper, are needed, "
                "or -inf and inf where there is no bound"
            )
    return low, high


def checked_expression(expression: Expr, n: int) -> Expr:
    if not isinstance(expression, Expr) or expression.op in COMPARISONS:
        raise CpcbenchError(f"a problem needs an expression with a value, not {expression!r}")
    used = variables(expression)
    if used and used[-1] >= n:
        raise CpcbenchError(f"the formula uses x{used[-1] + 1}, but there are bounds for {n} variables only")
    return expression


def skips_variables(expression: Expr, n: int) -> bool:
    """Whether a value may come about without every coordinate, so that it says nothing about them."""
    return len(variables(expression)) < n or any(node.op == "where" for node in postorder(expression))


def checked_names(names: Sequence[str] | None, n: int) -> tuple[str, ...]:
    if names is None:
        return default_names(n)
    given = tuple(names)
    if len(given) != n or len(set(given)) != n or not all(isinstance(name, str) and name for name in given):
        raise CpcbenchError(f"{n} different names are needed for the variables, not {given!r}")
    return given


def shown_box(lower: Points, upper: Points) -> str:
    sides = [f"[{a:g}, {b:g}]" for a, b in zip(lower[:4].tolist(), upper[:4].tolist(), strict=True)]
    if (lower == lower[0]).all() and (upper == upper[0]).all():
        return sides[0] if len(lower) == 1 else f"{sides[0]}^{len(lower)}"
    return " x ".join(sides) + (" x ..." if len(lower) > 4 else "")
