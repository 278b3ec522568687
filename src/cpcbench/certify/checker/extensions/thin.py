"""The thin sets of a formula: where a varying exponent is a whole number and its base is negative.

Each is given by a whole number, or None for an ordinary value (the base not negative), for every power with a varying
exponent. On it the formula is another one, with these numbers for exponents; conditions that hold nowhere else,
such as 0*sqrt(e - 2) + 0*sqrt(-(e - 2)) for an exponent e of 2, are added to that, so that its domain is the set.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cpcbench.certify.checker.core.numbers import floor, precision
from cpcbench.certify.checker.core.program import Filler, Program
from cpcbench.certify.checker.core.steps import Values
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.core.task import Task, whole_formula
from cpcbench.certify.checker.core.witness import check_witness, held_by, upper_ends
from cpcbench.certify.checker.extensions import narrowing
from cpcbench.certify.checker.extensions.narrowing import narrowed
from cpcbench.certify.checker.ground.clock import look_at_clock
from cpcbench.certify.checker.ground.fields import field, listed, only, shown
from cpcbench.certify.checker.ground.verdict import NotCheckedError, RejectedError
from cpcbench.expr.nodes import Expr, node, num
from cpcbench.expr.walk import constants, postorder

NAME = "thin sets"
BITS = 64

MOST_NUMBERS = 100
"""Whole numbers that one exponent may be."""

MOST_SETS, MOST_OPERATIONS = 3000, 2_000_000

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
    subject.rests_on.update((NAME, narrowing.NAME))
    program = Program([subject.root], subject.numbers, ieee=True)
    values = narrowed(program, subject.box, {})
    if values is None:
        return {}
    numbers = [_whole_numbers(program, values, power) for power in powers]
    count = math.prod(len(part) + 1 for part in numbers) - 1
    if count > MOST_SETS:
        raise RejectedError(f"there may be {count:,} thin sets, more than {MOST_SETS:,}")
    if count * len(subject.order) > MOST_OPERATIONS:
        raise NotCheckedError(f"there may be {count:,} thin sets of a formula with {len(subject.order):,} operations")
    choices: list[list[int | None]] = [[None, *part] for part in numbers]
    return {chosen: _thin_set(subject, powers, chosen) for chosen in itertools.product(*choices) if any_whole(chosen)}


def any_whole(exponents: Exponents) -> bool:
    return any(number is not None for number in exponents)


def _whole_numbers(program: Program, values: Values, power: Expr) -> range:
    """What the exponent can be where the base is negative."""
    base, (low, high) = (values[program.slots[id(part)]] for part in power.args)
    if base[0] >= 0:
        return range(0)
    first, last = floor(low), floor(high)
    if first is None or last is None:
        raise RejectedError("an exponent has no bounds, so that its thin sets cannot be counted")
    numbers = range(first if low == first else first + 1, last + 1)
    if last - first > MOST_NUMBERS and len(numbers) > MOST_NUMBERS:
        raise RejectedError(f"an exponent may be more than {MOST_NUMBERS} whole numbers")
    return numbers


def _thin_set(subject: Subject, powers: list[Expr], exponents: Exponents) -> ThinSet:
    look_at_clock()
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
    return ThinSet(exponents, Subject(subject.name, root, subject.bounds, "regular", subject.rests_on), tuple(bases))


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
        if part is not None and type(part) is not int:
            raise RejectedError(f"{shown(part)} should be a whole number or null")
    return tuple(found)


def thin_tasks(subject: Subject, data: list[Any], fillers: Sequence[Filler]) -> list[Task]:
    """A tree for each thin set that there may be."""
    expected = thin_sets(subject)
    tasks: dict[Exponents, Task] = {}
    for part in data:
        only(part, {"exponents", "lower"})
        exponents = read_exponents(field(part, "exponents"))
        if exponents not in expected or exponents in tasks:
            raise RejectedError(f"{shown(str(exponents))} are the exponents of no thin set, or of one listed before")
        lower = field(part, "lower")
        if field(lower, "by") != "tree":
            raise RejectedError("the lower bound on a thin set is by a tree")
        task = replace(whole_formula(expected[exponents].subject, lower, fillers), strict=expected[exponents].edges)
        task.link.name = f"the tree of the thin set {exponents}"
        tasks[exponents] = task
    missing = [exponents for exponents in expected if exponents not in tasks]
    if missing or not expected:
        raise RejectedError(f"{len(missing)} thin sets have no lower bound, {missing[:1]} among them")
    return list(tasks.values())


def check_thin_witness(subject: Subject, data: object, upper: float) -> None:
    """Rejects unless some value on a thin set is proven to be at most `upper`."""
    if field(data, "by") != "thin":
        raise RejectedError("a value on a thin set is shown by 'thin'")
    only(data, {"by", "exponents", "witness"})
    found = thin_sets(subject).get(read_exponents(field(data, "exponents")))
    if found is None:
        raise RejectedError("its exponents are those of no thin set")
    check_witness(found.subject, field(data, "witness"), upper)
    check_negative(found, field(data, "witness"))


def check_negative(thin: ThinSet, witness: object) -> None:
    """Rejects unless a witness for the formula of a thin set is on the set itself, where the bases are not 0."""
    held = held_by(thin.subject, witness)
    for base in thin.bases:
        if not any(end < 0 for end in upper_ends(thin.subject, base, held)):
            raise RejectedError("a base is not proven to be negative there")
