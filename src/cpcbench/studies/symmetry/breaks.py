"""Where a function of one variable is proven to go on without a jump, a pole or a kink."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cpcbench.expr.functions import cos, sin
from cpcbench.expr.nodes import Expr, pi
from cpcbench.expr.walk import constants, postorder
from cpcbench.intervals.boxes import ManyBoxes
from cpcbench.intervals.operations import EVERYWHERE

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

KINKED: dict[str, Callable[[Expr], Expr]] = {
    "abs": lambda node: node.args[0],
    "cbrt": lambda node: node.args[0],
    **dict.fromkeys(("min", "max"), lambda node: node.args[0] - node.args[1]),
    "hypot": lambda node: node,
}
BROKEN: dict[str, Callable[[Expr], Expr]] = {
    "where": lambda node: node.args[0].args[0] - node.args[0].args[1],
    **dict.fromkeys(("floor", "ceil", "whole"), lambda node: sin(pi * node.args[0])),
    "round": lambda node: cos(pi * node.args[0]),
    "sign": lambda node: node.args[0],
    "mod": lambda node: sin(pi * (node.args[0] / node.args[1])),
    "arctan2": lambda node: node.args[0],
    "tan": lambda node: cos(node.args[0]),
}
"""What is 0 wherever the operation has a kink, or jumps or has a pole; all others are smooth inside their domains."""


def unbroken(part: Expr, rule: str, *, kinks: bool = False) -> Callable[[Floats, Floats], Flags]:
    """Tells the intervals on which no jump and no pole can be, and with `kinks` no kink either, their ends included.

    A function that is also defined all over such an interval is continuous there.
    """
    free, table = constants(part), BROKEN | (KINKED if kinks else {})
    guards = [table[node.op](node) for node in postorder(part) if node.op in table and id(node) not in free]
    read = ManyBoxes(guards, rule) if guards else None

    def proven(a: Floats, b: Floats) -> Flags:
        found = np.ones(len(a), dtype=np.bool_)
        for least, most, state in read(a[:, None], b[:, None]) if read else ():
            found &= (state == EVERYWHERE) & ((least > 0.0) | (most < 0.0))
        return found

    return proven
