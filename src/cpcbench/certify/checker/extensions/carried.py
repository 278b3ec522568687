"""A problem that is another one with affine forms in place of its variables: what is proven of that one carries over.

Theorem. Let g be affine and one to one, B and B' boxes with g(B') inside B, and the problem f(g(y)) on B'. What no
value of f on B is below, no value of f(g) on B' is below; and if x = g(y), y in B', then f(x) is a value of f(g) on B'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from cpcbench.certify.checker.core.rationals import combined
from cpcbench.certify.checker.core.subject import MOST_NODES, Subject, bounds_pair, parsed
from cpcbench.certify.checker.ground.clock import look_at_clock
from cpcbench.certify.checker.ground.fields import doubles, field, listed, only, text
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.nodes import Expr, index, node, var
from cpcbench.expr.walk import postorder

MOST_VARIABLES = 1000
STAYS = ("bounds", "compact", "least")
"""Proofs that the infimum is attained which hold on every part of the box that is closed and has the witness in it."""

ALONE = -1
Affine = dict[int, Fraction]
"""The factor of each variable, and under `ALONE` the number that is added; what is not there is 0."""
Sides = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Carried:
    """`back` gives y, variable by variable, as affine forms of x."""

    inner: Subject
    outer: Subject
    back: list[Affine]

    @property
    def onto(self) -> bool:
        """Whether g(B') is B."""
        return self._reaches(self.inner.bounds)

    def _reaches(self, sides: Sides) -> bool:
        """Whether every point x of a box is g(y) with y in B'."""
        spans = [_range(form, sides) for form in self.back]
        return all(low <= a and b <= high for (a, b), (low, high) in zip(spans, self.outer.bounds, strict=True))

    def check_claim(self, data: object) -> None:
        """Rejects unless the claim about f on B is one about f(g) on B' too, once it is proven."""
        self.outer.rests_on.add("carried")
        self.inner.rests_on.add("carried")
        if self.onto:
            return
        claim = field(data, "claim")
        kind = field(claim, "kind")
        if kind == "unbounded":
            raise RejectedError("carried: where there is no bound may be outside of the problem's box")
        if kind == "infimum":
            self._check_infimum(data, claim)

    def _check_infimum(self, data: object, claim: dict[str, object]) -> None:
        witness = field(data, "upper")
        by = field(witness, "by")
        if by not in ("point", "pinned"):
            raise RejectedError("carried: the witness is neither 'point' nor 'pinned'")
        count = len(self.inner.bounds)
        sides = (
            [(x, x) for x in doubles(field(witness, "x"), count)]
            if by == "point"
            else [bounds_pair(pair) for pair in listed(field(witness, "box"), count)]
        )
        if not self._reaches(sides):
            raise RejectedError("carried: the witness is not shown to be in the problem's box")
        attained = claim.get("attained")
        if attained is False or (attained is not None and field(field(data, "attained"), "by") not in STAYS):
            raise RejectedError("carried: whether the infimum is attained may be decided outside of the problem's box")


def read_carried(data: dict[str, object]) -> tuple[Carried, dict[str, object]]:
    """How the problem of a certificate comes from another, and the certificate about that one."""
    carried = data["carried"]
    only(carried, {"formula", "bounds", "x"})
    if field(data, "part") == "thin" or data.get("optima") is not None or data.get("reach") is not None:
        raise RejectedError("carried: not with thin sets, boxes of the optima or a box without ends")
    about = {"name": field(field(data, "problem"), "name"), **{k: field(carried, k) for k in ("formula", "bounds")}}
    plain = {key: value for key, value in data.items() if key != "carried"}
    outer, other = Subject.read(plain), plain | {"problem": about}
    inner = Subject.read(other)
    n = len(inner.bounds)
    if len(outer.bounds) != n or n > MOST_VARIABLES:
        raise RejectedError(f"carried: as many variables are needed, at most {MOST_VARIABLES:,}")
    forms = read_forms(field(carried, "x"), n)
    if _replaced(inner.root, forms) is not outer.root:
        raise RejectedError("carried: the problem's formula is another than the one with its variables replaced")
    rows = [_affine(form) for form in forms]
    for place, (row, (low, high)) in enumerate(zip(rows, inner.bounds, strict=True)):
        least, most = _range(row, outer.bounds)
        if not (low <= least and most <= high):
            raise RejectedError(f"carried: variable {place} leaves its bounds [{low!r}, {high!r}]")
    return Carried(inner, outer, _inverse(rows)), other


def read_forms(given: object, n: int) -> list[Expr]:
    """The forms in place of n variables, with no more operations together than a formula may have."""
    forms: list[Expr] = []
    count = 0
    for form in listed(given, n):
        look_at_clock()
        forms.append(parsed(text(form), n))
        count += len(postorder(forms[-1]))
        if count > MOST_NODES:
            raise RejectedError(f"carried: the forms have more than {MOST_NODES:,} operations")
    return forms


def inverse_of(forms: list[Expr]) -> list[Affine]:
    """The variables of affine forms as forms of their values; rejects where there is no such thing."""
    return _inverse([_affine(form) for form in forms])


def _replaced(root: Expr, forms: list[Expr]) -> Expr:
    """The formula with forms in place of its variables."""
    variables = [var(place) for place in range(len(forms))]  # kept, so that no other node is given their ids
    made = {id(variable): form for variable, form in zip(variables, forms, strict=True)}
    for part in postorder(root):
        if part.op != "var":
            made[id(part)] = node(part.op, *(made[id(a)] for a in part.args)) if part.args else part
    return made[id(root)]


def _affine(root: Expr) -> Affine:
    """A formula as an affine form, exactly: each part adds its factor to those of its operands."""
    order = postorder(root)
    numbers = _numbers(order)
    factors: Affine = {id(root): Fraction(1)}
    found: Affine = {}
    for part in reversed(order):
        look_at_clock()
        factor = factors.get(id(part), Fraction(0))
        if id(part) in numbers:
            _add(found, ALONE, factor, numbers[id(part)])
        elif part.op == "var":
            _add(found, index(part), factor, Fraction(1))
        elif part.op in ("neg", "add", "sub"):
            signs = (-1,) if part.op == "neg" else (1, 1 if part.op == "add" else -1)
            for sign, operand in zip(signs, part.args, strict=True):
                _add(factors, id(operand), factor, Fraction(sign))
        elif part.op == "mul" and any(id(operand) in numbers for operand in part.args):
            number, other = part.args if id(part.args[0]) in numbers else part.args[::-1]
            _add(factors, id(other), factor, numbers[id(number)])
        else:
            raise RejectedError(f"carried: {part.op[:20]} in place of a variable is not affine")
    return {key: value for key, value in found.items() if value != 0}


def _numbers(order: list[Expr]) -> dict[int, Fraction]:
    """The parts that are rational numbers, by id."""
    found: dict[int, Fraction] = {}
    for part in order:
        if part.op == "const":
            found[id(part)] = Fraction(part.payload or 0)
        elif part.args and all(id(operand) in found for operand in part.args):
            value = combined(part.op, [found[id(operand)] for operand in part.args])
            if value is not None:
                found[id(part)] = value
    return found


def _add(sums: Affine, key: int, factor: Fraction, value: Fraction) -> None:
    """Adds a product to one of the sums."""
    term = combined("mul", [factor, value])
    total = None if term is None else combined("add", [sums.get(key, Fraction(0)), term])
    if total is None:
        raise RejectedError("carried: the numbers become too long")
    sums[key] = total


def _sum(parts: Sequence[tuple[Fraction, Affine]]) -> Affine:
    """Forms times numbers, added up; terms that vanish are left out."""
    found: Affine = {}
    look_at_clock()
    for factor, form in parts:
        for key, value in form.items():
            _add(found, key, factor, value)
    return {key: value for key, value in found.items() if value != 0}


def _range(form: Affine, sides: Sides) -> tuple[Fraction, Fraction]:
    """The least and the largest value of a form on a box."""
    look_at_clock()
    ends: Affine = {side: form.get(ALONE, Fraction(0)) for side in (0, 1)}
    for key, factor in form.items():
        if key != ALONE:
            for side in (0, 1):
                _add(ends, side, factor, Fraction(sides[key][side if factor > 0 else 1 - side]))
    return ends[0], ends[1]


def _inverse(rows: list[Affine]) -> list[Affine]:
    """The forms of the other direction, by elimination; rejects where there are none."""
    n = len(rows)
    left = [{key: value for key, value in row.items() if key != ALONE} for row in rows]
    right = [{i: Fraction(1), ALONE: -row.get(ALONE, Fraction(0))} for i, row in enumerate(rows)]
    order: list[int] = []
    for column in range(n):
        look_at_clock()
        pivot = next((i for i in range(n) if i not in order and column in left[i]), None)
        if pivot is None:
            raise RejectedError("carried: the replacement is not one to one")
        order.append(pivot)
        scale = 1 / left[pivot][column]
        left[pivot], right[pivot] = _sum([(scale, left[pivot])]), _sum([(scale, right[pivot])])
        for i in range(n):
            if i != pivot and column in left[i]:
                parts = (Fraction(1), -left[i][column])
                left[i] = _sum(list(zip(parts, (left[i], left[pivot]), strict=True)))
                right[i] = _sum(list(zip(parts, (right[i], right[pivot]), strict=True)))
    return [right[row] for row in order]
