"""Quotients such as sin(x)/x: 0/0 at a point, with a limit there."""

from __future__ import annotations

from collections import Counter

from cpcbench.expr.nodes import Expr
from cpcbench.studies.structure.canonical import Canonical
from cpcbench.studies.structure.forms import Forms, Sum

VANISHING = frozenset({"sin", "tan", "arcsin"})
"""Functions that are 0 where their argument is, and differ from it by a finite factor nearby."""


def is_removable(quotient: Expr) -> bool:
    """Whether every factor of the denominator that can be 0 is met by a factor of the numerator.

    A factor d is met by d itself, or by a sine, tangent or arcsine of a constant times d. Where as many
    meet as there are, absolute values must come in pairs: |d|/d has two limits, not one.
    """
    if quotient.op != "div":
        return False
    forms = Forms()
    above, absolute = _zeros(forms, quotient.args[0])
    below, also_absolute = _zeros(forms, quotient.args[1], plain=True)
    odd = {zero for zero, count in (absolute + also_absolute).items() if count % 2}
    return bool(below) and not below - above and not any(above[z] == below[z] for z in odd if z in below)


def _zeros(forms: Forms, node: Expr, plain: bool = False) -> tuple[Counter[int], Counter[int]]:
    """How many factors of a product are 0 where each of its zero sets is, and how many of them are absolute values."""
    found = [(_zero_set(forms, factor, plain), bare) for factor, bare in _factors(node)]
    zeros = [(zero, bare) for zero, bare in found if zero is not None]
    return Counter(zero for zero, _ in zeros), Counter(zero for zero, bare in zeros if bare)


def _factors(node: Expr) -> list[tuple[Expr, bool]]:
    """The factors of a product, whole powers written out, and whether the absolute value of each is meant."""
    found: list[tuple[Expr, bool]] = []
    stack = [(node, False)]
    while stack:
        part, bare = stack.pop()
        if part.op == "mul":
            stack += [(factor, bare) for factor in part.args]
        elif part.op in ("neg", "abs"):
            stack.append((part.args[0], bare or part.op == "abs"))
        elif part.op == "pow" and part.args[1].op == "const" and part.args[1].payload in (2, 3, 4):
            stack += [(part.args[0], bare)] * int(part.args[1].payload)
        else:
            found.append((part, bare))
    return found


def _zero_set(forms: Forms, factor: Expr, plain: bool = False) -> int | None:
    """The canonical number of what must be 0 for the factor to be; None for a constant factor."""
    inside = factor.args[0] if factor.op in VANISHING and not plain else factor
    body = forms.body(Canonical(inside, forms).of(inside))
    return forms.number(_primitive(forms, body)) if any(forms.monomial_variables(m) for m in body) else None


def _primitive(forms: Forms, body: Sum) -> Sum:
    """The sum without a common power of pi and with leading coefficient 1."""
    turns = min(dict(m).get(forms.pi, 0) for m in body)
    lead = body[forms.leading(body)]
    reduced: Sum = {}
    for monomial, c in body.items():
        rest = tuple((atom, p - turns if atom == forms.pi else p) for atom, p in monomial)
        missing = () if any(atom == forms.pi for atom, _ in monomial) or not turns else ((forms.pi, -turns),)
        reduced[tuple(sorted((atom, p) for atom, p in (*rest, *missing) if p))] = c / lead
    return reduced
