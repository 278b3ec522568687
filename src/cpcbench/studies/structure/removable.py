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

    A factor d is met by d itself, or by a sine, tangent or arcsine of a constant times d.
    """
    if quotient.op != "div":
        return False
    forms = Forms()
    above = [_zero_set(forms, factor) for factor in _factors(quotient.args[0])]
    below = [_zero_set(forms, factor, plain=True) for factor in _factors(quotient.args[1])]
    open_zeros = Counter(zero for zero in below if zero is not None)
    return bool(open_zeros) and not open_zeros - Counter(zero for zero in above if zero is not None)


def _factors(node: Expr) -> list[Expr]:
    """The factors of a product, whole powers written out."""
    found: list[Expr] = []
    stack = [node]
    while stack:
        part = stack.pop()
        if part.op == "mul":
            stack += list(part.args)
        elif part.op in ("neg", "abs"):
            stack.append(part.args[0])
        elif part.op == "pow" and part.args[1].op == "const" and part.args[1].payload in (2, 3, 4):
            stack += [part.args[0]] * int(part.args[1].payload)
        else:
            found.append(part)
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
