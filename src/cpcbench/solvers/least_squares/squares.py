"""A sum of squares, recognised by how it is written: its residuals, and the variables that enter them linearly."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from cpcbench.expr.nodes import Expr
from cpcbench.expr.rewriting import terms
from cpcbench.expr.walk import variables
from cpcbench.readings.gradient import derivatives


def residuals(root: Expr) -> list[Expr] | None:
    """What is squared in r1^2 + r2^2 + ...; None for a formula that is not written so."""
    found = []
    for sign, term in terms(root):
        square = term.op == "pow" and term.args[1].op == "const" and term.args[1].payload == Fraction(2)
        if sign < 0 or not (square or (term.op == "mul" and term.args[0] is term.args[1])):
            return None
        found.append(term.args[0])
    return found


def slopes(parts: Sequence[Expr], n: int) -> list[list[Expr]]:
    """The partial derivatives of each residual."""
    return [derivatives(part, n) for part in parts]


def linear_variables(by: Sequence[Sequence[Expr]], n: int) -> tuple[int, ...]:
    """The largest set of variables in which all residuals, with these derivatives, are linear together."""
    acting = [{k for row in by for k in variables(row[j])} for j in range(n)]
    alone = [j for j in range(n) if j not in acting[j]]
    for size in range(len(alone), 0, -1):
        for chosen in combinations(alone, size):
            if not any(acting[j] & set(chosen) for j in chosen):
                return chosen
    return ()
