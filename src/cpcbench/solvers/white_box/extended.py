"""The formula in extended precision at many points: a quick guess which values in doubles are faithful.

Only a guess, to save judgements: where the platform's long double is no longer than a double, every
value looks faithful, and the judge decides alone.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from cpcbench.expr.nodes import Expr, index
from cpcbench.expr.walk import postorder
from cpcbench.problems.kinds import FAITHFUL
from cpcbench.readings.doubles.arrays import OPERATIONS
from cpcbench.solvers.white_box.judge import Flags, Floats

LONG = np.longdouble
PI = LONG("3.14159265358979323846264338327950288")


def looks_faithful(root: Expr, points: Floats, values: Floats) -> Flags:
    """Whether each value is what extended precision gives."""
    columns = np.ascontiguousarray(points.T).astype(LONG)
    found: dict[int, Any] = {}
    with np.errstate(all="ignore"):
        for node in postorder(root):
            if node.op == "var":
                found[id(node)] = columns[index(node)]
            else:
                operation = _STEPS.get(node.op, OPERATIONS[node.op])
                found[id(node)] = operation(node, *[found[id(a)] for a in node.args])
        apart = np.abs(np.broadcast_to(found[id(root)], values.shape) - values)
        flags: Flags = apart <= FAITHFUL * np.maximum(1.0, np.abs(values))
    return flags


def _number(node: Expr) -> Any:
    exact = Fraction(node.payload or 0)
    return LONG(str(exact.numerator)) / LONG(str(exact.denominator))


_STEPS: dict[str, Callable[..., Any]] = {"const": _number, "pi": lambda node: PI}
