"""Motions of the space: coordinates swapped, mirrored and shifted, carried out without rounding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

from cpcbench.studies.structure.forms import Forms, Sum, added, scaled

Exact = tuple[Fraction, Fraction]
"""(a, b) is the number a + b pi."""

ZERO: Exact = (Fraction(0), Fraction(0))


@dataclass(frozen=True)
class Motion:
    """x_i becomes signs[i] * x_places[i] + shifts[i] (places from 0)."""

    places: tuple[int, ...]
    signs: tuple[int, ...]
    shifts: tuple[Exact, ...]

    @property
    def kind(self) -> str:
        """`swap`, `mirror`, `shift`, or several of them."""
        words = []
        if any(p != i for i, p in enumerate(self.places)):
            words.append("swap")
        if any(s < 0 for s in self.signs):
            words.append("mirror")
        elif any(s != ZERO for s in self.shifts):
            words.append("shift")
        return " and ".join(words) or "identity"

    @cached_property
    def moved(self) -> tuple[int, ...]:
        """The variables that change, from 0."""
        parts = zip(self.places, self.signs, self.shifts, strict=True)
        return tuple(i for i, part in enumerate(parts) if part != (i, 1, ZERO))

    def change(self, forms: Forms) -> dict[int, Sum]:
        """What each variable is replaced by, for the canonical form."""
        return {i: self._replaced(i, forms) for i in self.moved}

    def _replaced(self, i: int, forms: Forms) -> Sum:
        a, b = self.shifts[i]
        shift: Sum = {}
        if a:
            shift[()] = a
        if b:
            shift[((forms.pi, 1),)] = b
        return added(scaled(forms.variable(self.places[i]), Fraction(self.signs[i])), shift)

    def apply(self, point: Sequence[Exact]) -> tuple[Exact, ...]:
        """The image of a point, exactly."""
        image = list(point)
        for i in self.moved:
            p, s, (a, b) = self.places[i], self.signs[i], self.shifts[i]
            image[i] = s * point[p][0] + a, s * point[p][1] + b
        return tuple(image)

    def inverse(self) -> Motion:
        n = len(self.places)
        places, signs, shifts = [0] * n, [1] * n, [ZERO] * n
        for i, (p, s, (a, b)) in enumerate(zip(self.places, self.signs, self.shifts, strict=True)):
            places[p], signs[p], shifts[p] = i, s, (-s * a, -s * b)
        return Motion(tuple(places), tuple(signs), tuple(shifts))

    def text(self, names: Sequence[str]) -> str:
        """Such as `x1 -> -x1` or `x1 <-> x2`."""
        if self.kind == "swap" and len(self.moved) == 2:
            return " <-> ".join(names[i] for i in self.moved)
        return ", ".join(f"{names[i]} -> {self._image(i, names)}" for i in self.moved)

    def _image(self, i: int, names: Sequence[str]) -> str:
        variable = names[self.places[i]]
        if self.shifts[i] == ZERO:
            return variable if self.signs[i] > 0 else f"-{variable}"
        shift = exact_text(self.shifts[i])
        if self.signs[i] < 0:
            return f"{shift} - {variable}"
        return f"{variable} - {shift[1:]}" if shift.startswith("-") else f"{variable} + {shift}"


def mirror(n: int, centres: dict[int, Exact]) -> Motion:
    """The mirror image in these variables; a centre is the number twice which a variable is taken from."""
    signs = tuple(-1 if i in centres else 1 for i in range(n))
    shifts = tuple((2 * centres[i][0], 2 * centres[i][1]) if i in centres else ZERO for i in range(n))
    return Motion(tuple(range(n)), signs, shifts)


def swap(n: int, places: Sequence[int], sign: int = 1) -> Motion:
    """The permutation that puts variable places[i] in place i; `sign` -1 mirrors what it moves."""
    signs = tuple(sign if p != i else 1 for i, p in enumerate(places))
    return Motion(tuple(places), signs, (ZERO,) * n)


def shift(vector: Sequence[Exact]) -> Motion:
    n = len(vector)
    return Motion(tuple(range(n)), (1,) * n, tuple(vector))


def exactly(point: Sequence[float]) -> tuple[Exact, ...]:
    return tuple((Fraction(x), Fraction(0)) for x in point)


def rounded(number: Exact) -> float:
    """The double nearest to a + b pi."""
    a, b = number
    return float(a + b * _pi()) if b else float(a)


def distance(number: Exact, x: float) -> float:
    """How far a double is from a + b pi."""
    a, b = number
    return abs(float(a + b * _pi() - Fraction(x))) if b else abs(float(a - Fraction(x)))


def exact_text(number: Exact) -> str:
    a, b = number
    parts = ([_short(a)] if a else []) + ([_multiple(b)] if b else [])
    return " + ".join(parts).replace("+ -", "- ") or "0"


def _multiple(b: Fraction) -> str:
    head = {1: "", -1: "-"}.get(b.numerator, f"{b.numerator}*")
    return f"{head}pi" + ("" if b.denominator == 1 else f"/{b.denominator}")


def _short(a: Fraction) -> str:
    """A decimal where that is short, else the quotient."""
    return f"{float(a):g}" if Fraction(f"{float(a):g}") == a else str(a)


@cache
def _pi() -> Fraction:
    """pi to 400 bits: enough to round any sum with doubles of ordinary size correctly."""
    import flint

    from cpcbench.readings.reals.exact import working_precision

    with working_precision(400):
        man, exp = flint.arb.pi().mid().man_exp()
    return Fraction(int(man)) * Fraction(2) ** int(exp)
