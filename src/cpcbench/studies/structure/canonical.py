"""One form for formulas that are equal over the reals: sums of products, with signs and angles settled.

Two expressions with the same canonical number have the same real value wherever both are defined;
different numbers say nothing. Terms that cancel are dropped, so where a formula is defined is
compared apart, by the set of its conditions (`domains`).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from cpcbench.expr.nodes import Expr, index
from cpcbench.expr.rewriting import LINEAR, terms
from cpcbench.expr.walk import postorder
from cpcbench.studies.structure.forms import Forms, Sum, add_term, added

ODD = frozenset({"tan", "arcsin", "sign"})


class Canonical:
    """The canonical numbers of all parts of a formula, and of the formula after its variables were changed."""

    def __init__(self, root: Expr, forms: Forms | None = None) -> None:
        self.root = root
        self.forms = forms or Forms()
        self._order = postorder(root)
        self._depends = _dependencies(self._order)
        self._inner = _inside_sums(self._order, root)
        self._plain: dict[int, int] = {}
        self._plain = self.numbers({})

    def numbers(self, change: Mapping[int, Sum]) -> dict[int, int]:
        """The canonical number of every part, with variables replaced by sums; parts of sums may be left out."""
        changed = 0
        for place in change:
            changed |= 1 << place
        found: dict[int, int] = {}
        for node in self._order:
            if not self._depends[id(node)] & changed and id(node) in self._plain:
                found[id(node)] = self._plain[id(node)]
            elif node.op in ("lt", "le"):
                found[id(node)] = self.forms.number(self._difference(node, found))
            elif id(node) not in self._inner:
                found[id(node)] = self.forms.number(self._form(node, found, change))
        return found

    def of(self, node: Expr, change: Mapping[int, Sum] | None = None) -> int:
        """The canonical number of one part."""
        numbers = self._plain if not change else self.numbers(change)
        if id(node) in numbers:
            return numbers[id(node)]
        return self.forms.number(self._total(node, numbers))

    def variables(self, node: Expr) -> int:
        """The variables that occur in a part as written, as bits."""
        return self._depends[id(node)]

    def _form(self, node: Expr, found: dict[int, int], change: Mapping[int, Sum]) -> Sum:
        forms = self.forms
        if node.op == "var":
            return change[index(node)] if index(node) in change else forms.variable(index(node))
        if node.op == "const":
            value = Fraction(node.payload or 0)
            return {(): value} if value else {}
        if node.op == "pi":
            return {((forms.pi, 1),): Fraction(1)}
        if node.op in LINEAR:
            return self._total(node, found)
        arguments = [forms.body(found[id(a)]) for a in node.args]
        return self._function(node, arguments)

    def _function(self, node: Expr, a: list[Sum]) -> Sum:
        forms, op = self.forms, node.op
        if op == "mul":
            return forms.times(*a)
        if op == "div":
            return forms.times(a[0], forms.whole_power(a[1], -1))
        if op == "pow":
            return forms.power(*a)
        if op == "sqrt":
            return forms.opaque("pow", a[0], {(): Fraction(1, 2)})
        if op in ("sin", "cos"):
            return forms.wave(op, a[0])
        if op in ODD:
            return forms.odd(op, a[0])
        if op == "abs":
            return forms.absolute(a[0])
        if op == "given":  # what it asks for is part of the domain
            return a[1]
        if op == "where":  # the comparison is known by the difference of its two sides
            return forms.opaque(f"where {node.args[0].op}", *a)
        return forms.opaque(op, *a)

    def _difference(self, node: Expr, found: dict[int, int]) -> Sum:
        left, right = (self.forms.body(found[id(a)]) for a in node.args)
        return added(left, right, Fraction(-1))

    def _total(self, node: Expr, found: dict[int, int]) -> Sum:
        """A sum with all its brackets opened, collected in one go however deep it is."""
        total: Sum = {}
        for sign, part in terms(node, lambda n: id(n) not in found):
            body = self.forms.body(found[id(part)])
            for monomial, c in body.items():
                add_term(total, monomial, c * sign)
        return total


def _dependencies(order: list[Expr]) -> dict[int, int]:
    found: dict[int, int] = {}
    for node in order:
        bits = 1 << index(node) if node.op == "var" else 0
        for a in node.args:
            bits |= found[id(a)]
        found[id(node)] = bits
    return found


def _inside_sums(order: list[Expr], root: Expr) -> set[int]:
    """Partial sums used once, by a larger sum: they need no form of their own."""
    uses: dict[int, int] = {}
    outside: set[int] = {id(root)}
    for node in order:
        for a in node.args:
            uses[id(a)] = uses.get(id(a), 0) + 1
            if node.op not in LINEAR:
                outside.add(id(a))
    return {id(n) for n in order if n.op in LINEAR and uses.get(id(n), 0) == 1 and id(n) not in outside}


def bits(mask: int) -> tuple[int, ...]:
    """The places of the ones, ascending."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return tuple(found)
