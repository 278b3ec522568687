"""Sums of products with exact coefficients, each distinct one numbered: the material of canonical forms.

Signs and angles are settled: of u and -u under an even or odd function one stands for both, and
whole quarter turns are taken out of sines and cosines.
"""

from __future__ import annotations

import math
from fractions import Fraction

Monomial = tuple[tuple[int, int], ...]
"""(number of an atom, its power), ascending; the empty one is the constant 1."""
Sum = dict[Monomial, Fraction]

MOST_TERMS = 64
"""Products are written out up to this many terms; larger ones stay products."""
_QUARTERS = (("sin", 1), ("cos", 1), ("sin", -1), ("cos", -1))
"""What the sine becomes after so many quarter turns."""
MOST_BITS = 2048
"""Constants beyond this size are not worked out."""


class Forms:
    """The canonical forms of some expressions; forms of one object can be compared by their numbers."""

    def __init__(self) -> None:
        self._atoms: dict[tuple[object, ...], int] = {}
        self._keys: list[tuple[object, ...]] = []
        self._atom_variables: list[int] = []
        self._sums: dict[frozenset[tuple[Monomial, Fraction]], int] = {}
        self._bodies: list[Sum] = []
        self._sum_variables: list[int] = []
        self.pi = self._atom("pi")

    # Reading results

    def body(self, number: int) -> Sum:
        """The sum behind a canonical number."""
        return self._bodies[number]

    def variables(self, number: int) -> int:
        """The variables of a form, as bits."""
        return self._sum_variables[number]

    def monomial_variables(self, monomial: Monomial) -> int:
        found = 0
        for atom, _power in monomial:
            found |= self._atom_variables[atom]
        return found

    def key(self, atom: int) -> tuple[object, ...]:
        """What an atom is: its operation and the canonical numbers of its arguments."""
        return self._keys[atom]

    # Building

    def variable(self, place: int) -> Sum:
        return {((self._atom("var", place, variables=1 << place), 1),): Fraction(1)}

    def number(self, total: Sum) -> int:
        """The canonical number of a sum."""
        key = frozenset(total.items())
        known = self._sums.get(key)
        if known is None:
            known = self._sums[key] = len(self._bodies)
            self._bodies.append(total)
            found = 0
            for monomial in total:
                found |= self.monomial_variables(monomial)
            self._sum_variables.append(found)
        return known

    def _atom(self, op: str, *arguments: object, variables: int = 0) -> int:
        key = (op, *arguments)
        known = self._atoms.get(key)
        if known is None:
            known = self._atoms[key] = len(self._keys)
            self._keys.append(key)
            self._atom_variables.append(variables)
        return known

    def opaque(self, op: str, *arguments: Sum) -> Sum:
        """An operation that is not looked into."""
        numbers = [self.number(a) for a in arguments]
        found = 0
        for number in numbers:
            found |= self._sum_variables[number]
        return {((self._atom(op, *numbers, variables=found), 1),): Fraction(1)}

    # Arithmetic

    def times(self, a: Sum, b: Sum) -> Sum:
        if len(a) * len(b) > MOST_TERMS:
            a, b = self.factor(a), self.factor(b)
        total: Sum = {}
        for left, p in a.items():
            for right, q in b.items():
                add_term(total, _merged(left, right), p * q)
        return total

    def power(self, a: Sum, exponent: Sum) -> Sum:
        fixed = _constant(exponent)
        if fixed is None or fixed.denominator != 1:
            return self.opaque("pow", a, exponent)
        return self.whole_power(a, int(fixed))

    def whole_power(self, a: Sum, k: int) -> Sum:
        if k == 0:
            return {(): Fraction(1)}
        if not a and k > 0:
            return {}
        if not a or not _is_small(a, k):
            return self.opaque("pow", a, {(): Fraction(k)})
        if len(a) > 1 and (k < 0 or k > 6 or len(a) ** k > MOST_TERMS):
            a = self.factor(a)
        if len(a) == 1:
            ((monomial, c),) = a.items()
            return {tuple((atom, p * k) for atom, p in monomial): c**k}
        result = a
        for _ in range(k - 1):
            result = self.times(result, a)
        return result

    def factor(self, a: Sum) -> Sum:
        """The sum as one factor, its leading coefficient pulled out."""
        if len(a) < 2:
            return a
        lead = a[self.leading(a)]
        ((monomial, _),) = self.opaque("sum", {m: c / lead for m, c in a.items()}).items()
        return {monomial: lead}

    def leading(self, a: Sum) -> Monomial:
        """The first term with a variable in it, in the order in which its parts were met."""
        return min(a, key=lambda m: (self.monomial_variables(m) == 0, m))

    def is_negative(self, a: Sum) -> bool:
        """Whether -a, not a, is the one of the two that stands for both."""
        return bool(a) and a[self.leading(a)] < 0

    # Functions

    def absolute(self, a: Sum) -> Sum:
        if not a:
            return a
        lead = a[self.leading(a)]
        inner = {m: c / lead for m, c in a.items()}
        return {(): abs(lead)} if inner == {(): 1} else scaled(self.opaque("abs", inner), abs(lead))

    def odd(self, op: str, a: Sum) -> Sum:
        if not a:
            return a
        negative = self.is_negative(a)
        inner = scaled(a, Fraction(-1)) if negative else a
        if op == "tan":
            inner = self._turned(inner)[0]
        found = self.opaque(op, inner) if inner else {}
        return scaled(found, Fraction(-1)) if negative else found

    def wave(self, op: str, a: Sum) -> Sum:
        """A sine or cosine, its angle freed from a sign and from quarter turns."""
        mirrored = self.is_negative(a)  # sin(-u) = -sin(u), cos(-u) = cos(u)
        angle, quarters = self._turned(scaled(a, Fraction(-1)) if mirrored else a, quarters=True)
        name, factor = _QUARTERS[(quarters + (0 if op == "sin" else 1)) % 4]
        sign = Fraction(-factor if mirrored and op == "sin" else factor)
        if not angle:
            return {} if name == "sin" else {(): sign}
        return scaled(self.opaque(name, angle), sign)

    def _turned(self, a: Sum, quarters: bool = False) -> tuple[Sum, int]:
        """The angle with its multiple of pi reduced to [0, 1) or, in quarters, [0, 1/2); and how many were taken."""
        turn: Monomial = ((self.pi, 1),)
        if turn not in a:
            return a, 0
        unit = Fraction(1, 2) if quarters else Fraction(1)
        taken = math.floor(a[turn] / unit)
        rest = dict(a)
        add_term(rest, turn, -taken * unit)
        return rest, taken


def scaled(a: Sum, factor: Fraction) -> Sum:
    return {m: c * factor for m, c in a.items()} if factor else {}


def added(a: Sum, b: Sum, factor: Fraction = Fraction(1)) -> Sum:
    total = dict(a)
    for monomial, c in b.items():
        add_term(total, monomial, c * factor)
    return total


def add_term(total: Sum, monomial: Monomial, c: Fraction) -> None:
    new = total.get(monomial, 0) + c
    if new:
        total[monomial] = Fraction(new)
    else:
        total.pop(monomial, None)


def _merged(left: Monomial, right: Monomial) -> Monomial:
    powers = dict(left)
    for atom, p in right:
        powers[atom] = powers.get(atom, 0) + p
    return tuple(sorted((atom, p) for atom, p in powers.items() if p))


def _constant(a: Sum) -> Fraction | None:
    """The rational number a sum is, if it is one."""
    if not a:
        return Fraction(0)
    return a[()] if len(a) == 1 and () in a else None


def _is_small(a: Sum, k: int) -> bool:
    bits = max(c.numerator.bit_length() + c.denominator.bit_length() for c in a.values())
    return bits == 2 or bits * abs(k) <= MOST_BITS  # 1 and -1 have two bits
