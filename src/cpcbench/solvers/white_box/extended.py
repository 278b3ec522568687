"""The formula in extended precision at many points: a quick guess which values in doubles are faithful.

Only a guess, to save judgements: where the platform's long double is no longer than a double, every
value looks faithful, and the judge decides alone.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from cpcbench.expr.nodes import Expr, double
from cpcbench.points import Floats
from cpcbench.problems.kinds import FAITHFUL
from cpcbench.readings.doubles.arrays import OPERATIONS, array_values
from cpcbench.solvers.white_box.judge import Flags

LONG = np.longdouble
PI = LONG("3.14159265358979323846264338327950288")


def looks_faithful(root: Expr, points: Floats, values: Floats, constants: str = "decimal") -> Flags:
    """Whether each value is what extended precision gives, with constants as the decimals written or as doubles."""
    columns: Any = np.ascontiguousarray(points.T).astype(LONG)
    number = _number if constants == "decimal" else lambda node: LONG(double(node))
    with np.errstate(all="ignore"):
        found = array_values(root, columns, {**OPERATIONS, "const": number, "pi": lambda node: PI})[id(root)]
        flags: Flags = np.abs(found - values) <= FAITHFUL * np.maximum(1.0, np.abs(values))
    return flags


def _number(node: Expr) -> Any:
    exact = Fraction(node.payload or 0)
    return LONG(str(exact.numerator)) / LONG(str(exact.denominator))
