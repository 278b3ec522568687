"""The truth of a test while a function is being read."""

from __future__ import annotations

from cpcbench.entrance.paths import decide
from cpcbench.expr.nodes import Expr
from cpcbench.expr.tests import Truth, both_ways
from cpcbench.expr.tests import choose as chosen


def choose(test: Truth, yes: Expr, no: Expr) -> Expr:
    """As the language chooses, but for what is the same either way."""
    return yes if yes is no else chosen(test, yes, no)


def holds(test: Truth) -> bool:
    """The truth on the way that is being traced, asked for as Python asks: from the left, no more than needed."""
    if isinstance(test, bool):
        return test
    if test[0] == "is":
        return decide(test[1])
    if test[0] == "equal":
        return holds(both_ways(*test[1:]))
    if test[0] == "not":
        return not holds(test[1])
    first = holds(test[1])
    return first if first == (test[0] == "or") else holds(test[2])
