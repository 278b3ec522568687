"""The thin sets of a formula: where a varying exponent is a whole number and its base is negative.

Each is given by a whole number, or None for an ordinary value (the base not negative), for every power with a varying
exponent. On it the formula is another one, with these numbers for exponents; conditions that hold nowhere else,
such as 0*sqrt(e - 2) + 0*sqrt(-(e - 2)) for an exponent e of 2, are added to that, so that its domain is the set.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

from cpcbench.certify.checker.exact import precision
from cpcbench.certify.checker.intervals import WHOLE, ZERO, between
from cpcbench.certify.checker.narrowing import narrowed
from cpcbench.certify.checker.program import Program
from cpcbench.certify.checker.reading import listed, shown
from cpcbench.certify.checker.steps import Values
from cpcbench.certify.checker.subject import Subject
from cpcbench.certify.checker.verdict import RejectedError
from cpcbench.expr.nodes import Expr, node, num
from cpcbench.expr.walk import constants, postorder

BITS = 64

MOST_NUMBERS = 100
"""Whole numbers that one exponent may be."""

MOST_SETS = 3000

Exponents = tuple[int | None, ...]


@dataclass(frozen=True)
class ThinSet:
    """`subject` is about the formula whose regular part is this set, and where the bases are 0; `bases` are negative
    on the set itself."""

    exponents: Exponents
    subject: Subject
    bases: tuple[Expr, ...]

    @property
    def edges(self) -> frozenset[int]:
        """The numbers of the roots that are 0 where a base is."""
        numbers = self.subject.numbers
        return frozenset(numbers[id(part)] for part in self.subject.order if self._is_edge(part))

    def _is_edge(self, part: Expr) -> bool:
        if part.op != "sqrt" or part.args[0].op != "neg":
            return False
        return any(part.args[0].args[0] is base for base in self.bases)


def varying_powers(root: Expr) -> list[Expr]:
    """The powers whose exponents depend on variables, in the order of their numbers."""
    fixed = constants(root)
    return [part for part in postorder(root) if part.op == "pow" and id(part.args[1]) not in fixed]


def thin_sets(subject: Subject) -> dict[Exponents, ThinSet]:
    """All that may not be empty, as far as ranges over the whole box tell."""
    precision(BITS)  # the same sets whoever counts them
    powers = varying_powers(subject.root)
    if not powers or any(part.op == "where" for part in subject.order):
        raise RejectedError("thin sets need exponents that vary, and a formula without where()")
    program = Program([subject.root], subject.numbers, ieee=True, fill=False)
    values = narrowed(program, {v: between(*pair) for v, pair in enumerate(subject.bounds)}, {})
    if values is None:
        return {}
    choices: list[list[int | None]] = [[None, *_whole_numbers(program, values, power)] for power in powers]
    count = math.prod(map(len, choices)) - 1
    if count > MOST_SETS:
        raise RejectedError(f"there may be {count:,} thin sets, more than {MOST_SETS:,}")
    return {chosen: _thin_set(subject, powers, chosen) for chosen in itertools.product(*choices) if any_whole(chosen)}


def any_whole(exponents: Exponents) -> bool:
    return any(number is not None for number in exponents)


def _whole_numbers(program: Program, values: Values, power: Expr) -> list[int]:
    """What the exponent can be where the base is negative."""
    base, exponent = (values[program.slots[id(part)]] or WHOLE for part in power.args)
    if base[0] >= ZERO:
        return []
    low, high = exponent
    if not (low.is_finite() and high.is_finite()):
        raise RejectedError("an exponent has no bounds, so that its thin sets cannot be counted")
    first, last = math.ceil(float(low.lower())), math.floor(float(high.upper()))
    # doubles are rounded: one more on either side, if it may be in the range
    numbers = [n for n in range(first - 1, last + 2) if not (low > n or high < n)]
    if len(numbers) > MOST_NUMBERS:
        raise RejectedError(f"an exponent may be {len(numbers):,} whole numbers, more than {MOST_NUMBERS}")
    return numbers


def _thin_set(subject: Subject, powers: list[Expr], exponents: Exponents) -> ThinSet:
    chosen = [(power, num(n)) for power, n in zip(powers, exponents, strict=True) if n is not None]
    held = {id(power.args[1]): n for power, n in chosen}
    root = replaced(subject.root, held)
    bases = []
    for power, n in chosen:
        base, exponent = power.args
        apart = _inside(exponent, held) - n
        bases.append(replaced(base, held))
        for condition in (apart, -apart, -bases[-1]):
            root = root + 0 * node("sqrt", condition)
    return ThinSet(exponents, Subject(subject.name, root, subject.bounds, "regular"), tuple(bases))


def _inside(part: Expr, held: Mapping[int, Expr]) -> Expr:
    """A part with what is held inside it replaced, but not the part itself."""
    args = [replaced(a, held) for a in part.args]
    same = all(new is old for new, old in zip(args, part.args, strict=True))
    return part if same else node(part.op, *args)


def replaced(root: Expr, held: Mapping[int, Expr]) -> Expr:
    """The expression with some parts, by id, replaced."""
    made: dict[int, Expr] = {}
    for part in postorder(root):
        args = [made[id(a)] for a in part.args]
        same = all(new is old for new, old in zip(args, part.args, strict=True))
        made[id(part)] = held[id(part)] if id(part) in held else part if same else node(part.op, *args)
    return made[id(root)]


def read_exponents(value: object) -> Exponents:
    """Whole numbers and nulls."""
    found = listed(value)
    for part in found:
        if part is not None and (isinstance(part, bool) or not isinstance(part, int)):
            raise RejectedError(f"{shown(part)} should be a whole number or null")
    return tuple(found)
