"""The same formula in NumPy, operation by operation: for statistics and as the yardstick of speed.

NumPy's vectorised functions are not the platform's libm and may differ in the last bits, so no
verdict is ever taken from here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from cpcbench.clock import look_at_clock
from cpcbench.expr.nodes import Expr, double, index
from cpcbench.expr.walk import postorder
from cpcbench.readings.domain.requirements import SPANS, Requirement, Span

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


def array_values(
    root: Expr, columns: Floats, operations: Mapping[str, Callable[..., Any]] | None = None
) -> dict[int, Any]:
    """The value of every node, by id, at the points whose coordinates are the rows of `columns`."""
    table = operations or OPERATIONS
    values: dict[int, Any] = {}
    with np.errstate(all="ignore"):
        for node in postorder(root):
            look_at_clock()
            if node.op == "var":
                values[id(node)] = columns[index(node)]
            else:
                values[id(node)] = table[node.op](node, *[values[id(a)] for a in node.args])
    return values


def evaluate(root: Expr, points: Floats) -> Floats:
    """The formula at each row of `points`; undefined points come out as NaN or infinity."""
    columns = np.ascontiguousarray(points.T)
    return np.broadcast_to(array_values(root, columns)[id(root)], points.shape[:1])


def holds(requirement: Requirement, values: dict[int, Any]) -> Flags:
    """Whether the requirement holds at each point (False where its operand is undefined)."""
    with np.errstate(all="ignore"):
        result: Flags = _HOLDS[requirement.relation](*[np.asarray(values[id(o)]) for o in requirement.operands])
    return result


def _erf(_node: Expr, a: Any) -> Any:
    from scipy.special import erf

    return erf(np.asarray(a, dtype=np.float64))  # there is none of more digits


OPERATIONS: dict[str, Callable[..., Any]] = {
    "const": double,
    "pi": lambda node: np.pi,
    "add": lambda node, a, b: np.add(a, b),
    "sub": lambda node, a, b: np.subtract(a, b),
    "mul": lambda node, a, b: np.multiply(a, b),
    "div": lambda node, a, b: np.divide(a, b),
    "neg": lambda node, a: np.negative(a),
    "pow": lambda node, a, b: np.power(a, b),
    "sqrt": lambda node, a: np.sqrt(a),
    "ln": lambda node, a: np.log(a),
    "exp": lambda node, a: np.exp(a),
    "sin": lambda node, a: np.sin(a),
    "cos": lambda node, a: np.cos(a),
    "tan": lambda node, a: np.tan(a),
    "arcsin": lambda node, a: np.arcsin(a),
    "arccos": lambda node, a: np.arccos(a),
    "arctan": lambda node, a: np.arctan(a),
    "sinh": lambda node, a: np.sinh(a),
    "cosh": lambda node, a: np.cosh(a),
    "tanh": lambda node, a: np.tanh(a),
    "arcsinh": lambda node, a: np.arcsinh(a),
    "arccosh": lambda node, a: np.arccosh(a),
    "arctanh": lambda node, a: np.arctanh(a),
    "log10": lambda node, a: np.log10(a),
    "log2": lambda node, a: np.log2(a),
    "log1p": lambda node, a: np.log1p(a),
    "expm1": lambda node, a: np.expm1(a),
    "cbrt": lambda node, a: np.cbrt(a),
    "erf": _erf,
    "abs": lambda node, a: np.abs(a),
    "floor": lambda node, a: np.floor(a),
    "ceil": lambda node, a: np.ceil(a),
    "round": lambda node, a: np.rint(a),
    "sign": lambda node, a: np.sign(a),
    "whole": lambda node, a: np.where(a == np.floor(a), a, np.nan),
    "min": lambda node, a, b: np.minimum(a, b),
    "max": lambda node, a, b: np.maximum(a, b),
    "hypot": lambda node, a, b: np.hypot(a, b),
    "arctan2": lambda node, y, x: np.arctan2(y + 0.0, x + 0.0),
    "mod": lambda node, a, b: np.mod(a, b),
    "lt": lambda node, a, b: np.less(a, b),
    "le": lambda node, a, b: np.less_equal(a, b),
    "where": lambda node, test, yes, no: np.where(test, yes, no),
    "given": lambda node, condition, value: np.where(np.greater_equal(condition, 0.0), value, np.nan),
}


def _inside(span: Span) -> Callable[..., Any]:
    """A half-line has infinity in it: an overflow is another requirement's matter."""
    if span.is_half_line:
        return (lambda a: a >= span.low) if span.closed else (lambda a: a > span.low)
    return (lambda a: abs(a) <= span.high) if span.closed else (lambda a: abs(a) < span.high)


def relations(xp: Any) -> dict[str, Callable[..., Any]]:
    """Whether each requirement holds of arrays of a library; no where an operand is NaN."""
    return {
        **{relation: _inside(span) for relation, span in SPANS.items()},
        "nonzero": lambda a: (a > 0) | (a < 0),
        "whole": lambda a: a == xp.floor(a),
        "power": lambda a, p: (a > 0) | ((a == 0) & (p >= 0)) | ((a < 0) & (p == xp.floor(p))),
        "strict power": lambda a, p: (a > 0) | ((a == 0) & (p >= 0)),
        "finite": xp.isfinite,
    }


_HOLDS = relations(np)
