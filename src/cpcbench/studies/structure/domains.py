"""The domain of a formula in canonical form: the set of its conditions, equal over the reals or not.

Conditions inside the branches of a `where` count only where their branch is taken, so they belong to
the branch and are compared as part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import needed, postorder
from cpcbench.readings.domain.requirements import SPANS, Requirement, domain_requirement
from cpcbench.readings.reals.reference import constant_values
from cpcbench.studies.structure.canonical import Canonical
from cpcbench.studies.structure.forms import Forms, Sum

Demands = frozenset[tuple[object, ...]]


class Domain:
    """The conditions of a formula under a rule, each known by its relation and canonical operands."""

    def __init__(self, canonical: Canonical, rule: str) -> None:
        self._canonical = canonical
        root = canonical.root
        free = constant_values(root)
        self._parts = [*_branches(root), root]
        self._members: list[list[Requirement]] = []
        self._choices: list[list[Expr]] = []
        for part in self._parts:
            always = needed(part)
            inside = [node for node in postorder(part) if id(node) in always]
            found = (domain_requirement(node, rule, free) for node in inside)
            self._members.append([r for r in found if r is not None])
            self._choices.append([node for node in inside if node.op == "where"])

    def demands(self, change: Mapping[int, Sum] | None = None) -> Demands:
        """What the formula demands of a point, with variables replaced by sums."""
        numbers = self._canonical.numbers(change or {})
        known: dict[int, Demands] = {}
        for part, members, choices in zip(self._parts, self._members, self._choices, strict=True):
            found: set[tuple[object, ...]] = {self._demand(r, numbers) for r in members}
            for choice in choices:
                test, yes, no = choice.args
                if known[id(yes)] or known[id(no)]:
                    found.add(("where", test.op, numbers[id(test)], known[id(yes)], known[id(no)]))
            known[id(part)] = frozenset(found)
        return known[id(self._canonical.root)]

    def _demand(self, requirement: Requirement, numbers: dict[int, int]) -> tuple[object, ...]:
        forms = self._canonical.forms
        operands = [numbers[id(o)] for o in requirement.operands]
        if requirement.exponent is not None:
            return (requirement.relation, *operands)
        return requirement.relation, _settled(forms, operands[0], requirement.relation)


def _settled(forms: Forms, number: int, relation: str) -> int:
    """The operand up to the factors that make no difference: 2 a > 0 and a > 0 are one condition."""
    body = forms.body(number)
    if not body or relation == "whole":
        return number
    lead = body[forms.leading(body)]
    span = SPANS.get(relation)
    if span is not None and span.low:  # at other numbers than 0 only the sign of what lies between -1 and 1 is free
        divisor = Fraction(1 if span.is_half_line or lead > 0 else -1)
    else:
        divisor = lead if relation == "nonzero" else abs(lead)
    return forms.number({monomial: c / divisor for monomial, c in body.items()})


def _branches(root: Expr) -> list[Expr]:
    """The branches of every `where`, inner ones first."""
    found = (branch for node in postorder(root) if node.op == "where" for branch in node.args[1:])
    return list(dict.fromkeys(found))
