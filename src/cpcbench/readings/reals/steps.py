"""One step of reading an expression in the reals: the number an operation gives, and where it exists."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from numbers import Real
from typing import cast

from cpcbench.errors import PointError, UnknownNameError
from cpcbench.expr.nodes import ARITY, COMPARISONS, Expr
from cpcbench.expr.walk import constants as constant_nodes
from cpcbench.expr.walk import postorder, variables
from cpcbench.readings.reals.exact import NEGATIVE, ZERO, Number, hull
from cpcbench.readings.reals.operations import Reals
from cpcbench.readings.reals.outcomes import (
    DEFINED,
    INSIDE,
    after,
    arcsine_outcome,
    both,
    is_integer,
    is_open,
    log_outcome,
    power_outcome,
    quotient_outcome,
    root_outcome,
    tangent_outcome,
    whole_nodes,
)
from cpcbench.readings.reals.reference import Reference
from cpcbench.rules import check_rule

CONSTANTS = ("decimal", "double")


@dataclass(frozen=True, slots=True)
class Step:
    """What is known of one node: its number (None if it certainly does not exist) and its outcome.

    `doubt` is the first node whose own condition could not be decided.
    """

    number: Number | None
    outcome: int
    doubt: Expr | None = None


_NUMBERS: dict[str, Callable[..., Number]] = {
    "add": Reals.add, "sub": Reals.sub, "mul": Reals.mul, "div": Reals.div, "neg": Reals.neg,
    "sqrt": Reals.sqrt, "ln": Reals.ln, "exp": Reals.exp, "sin": Reals.sin, "cos": Reals.cos,
    "tan": Reals.tan, "arcsin": Reals.arcsin, "abs": Reals.abs, "floor": Reals.floor, "sign": Reals.sign,
    "lt": Reals.sub, "le": Reals.sub,
}  # fmt: skip
"""A comparison gives the difference of its sides; `where` looks at the difference's sign."""

_OUTCOMES: dict[str, Callable[..., int]] = {
    "div": quotient_outcome,
    "sqrt": root_outcome,
    "ln": log_outcome,
    "arcsin": arcsine_outcome,
    "tan": tangent_outcome,
}


class RealSteps:
    """The table of steps for one expression at one point, at the current working precision."""

    def __init__(self, facts: Facts, point: Sequence[Fraction]) -> None:
        self.reals = Reals()
        self._facts = facts
        self._point = point

    def table(self) -> dict[str, Callable[..., Step]]:
        return dict.fromkeys(ARITY, self.step)

    def step(self, node: Expr, *arguments: Step) -> Step:
        if id(node) in self._facts.rounded:
            return Step(self.reals.of(self._facts.rounded[id(node)]), INSIDE)
        if not arguments:
            return Step(self._leaf(node), INSIDE)
        if node.op == "where":
            return self._where(node, *arguments)
        outcome = reduce(both, (a.outcome for a in arguments))
        if not outcome & DEFINED:
            return Step(None, outcome, _first(*(a.doubt for a in arguments)))
        numbers = [a.number for a in arguments if a.number is not None]
        number, own = self._apply(node, numbers)
        outcome = after(outcome, own)
        doubt = _first(*(a.doubt for a in arguments), node if is_open(own) else None)
        return Step(number if outcome & DEFINED else None, outcome, doubt)

    def _apply(self, node: Expr, numbers: list[Number]) -> tuple[Number | None, int]:
        if node.op == "pow":
            return self._power(node, *numbers)
        condition = _OUTCOMES.get(node.op)
        own = condition(self.reals, *numbers) if condition else INSIDE
        return (_NUMBERS[node.op](self.reals, *numbers) if own & DEFINED else None), own

    def _power(self, node: Expr, a: Number, p: Number) -> tuple[Number | None, int]:
        varies = id(node.args[1]) not in self._facts.constant
        whole = id(node.args[1]) in self._facts.whole
        integer = True if whole else is_integer(p)
        strict = varies and self._facts.rule == "strict"
        own = power_outcome(a, p, integer, wobbles=varies and not whole, strict=strict)
        return (self.reals.power(a, p, integer) if own & DEFINED else None), own

    def _leaf(self, node: Expr) -> Number:
        if node.op == "pi":
            return self.reals.pi()
        if node.op == "const":
            return self.reals.of(cast(Fraction, node.payload))
        return self.reals.of(self._point[cast(int, node.payload)])

    def _where(self, node: Expr, test: Step, yes: Step, no: Step) -> Step:
        if test.number is None:
            return test
        holds = NEGATIVE | (ZERO if node.args[0].op == "le" else 0)
        if test.number.signs & holds and test.number.signs & ~holds:
            branch = self._either(node, yes, no)
        else:
            branch = yes if test.number.signs & holds else no
        return Step(branch.number, after(test.outcome, branch.outcome), _first(test.doubt, branch.doubt))

    def _either(self, node: Expr, yes: Step, no: Step) -> Step:
        """What holds of both branches, where the comparison could not be decided."""
        outcome = yes.outcome | no.outcome
        doubt = _first(yes.doubt, no.doubt, node if is_open(outcome) else None)
        if yes.number is None or no.number is None:
            return Step(yes.number or no.number, outcome, doubt)
        if yes.number.key == no.number.key and yes.number.flip == no.number.flip:
            return Step(yes.number, outcome, doubt)
        merged = Number(
            hull(yes.number.ball, no.number.ball),
            yes.number.signs | no.number.signs,
            self.reals.keys("where", id(node)),
        )
        return Step(merged, outcome, doubt)


def _first(*doubts: Expr | None) -> Expr | None:
    return next((doubt for doubt in doubts if doubt is not None), None)


@dataclass(frozen=True)
class Facts:
    """What the steps need to know of an expression as a whole, and how it is to be read."""

    rule: str
    constants: str
    constant: set[int]
    whole: set[int]
    rounded: dict[int, float]
    """The parts without a variable that are read as the double they come to."""

    @classmethod
    def of(cls, root: Expr, rule: str, constants: str) -> Facts:
        check_rule(rule)
        if constants not in CONSTANTS:
            raise UnknownNameError(f"unknown reading of constants {constants!r}: they are 'decimal' or 'double'")
        constant = constant_nodes(root)
        return cls(rule, constants, constant, whole_nodes(root), _rounded(root, constant, constants))


def _rounded(root: Expr, constant: set[int], constants: str) -> dict[int, float]:
    """Each variable-free part as the double it comes to: 0.1, pi, and also 2/3 as a whole."""
    if constants == "decimal":
        return {}
    values = Reference(root).values([0.0] * (max(variables(root), default=-1) + 1))
    parts = (n for n in postorder(root) if id(n) in constant and n.op not in COMPARISONS)
    return {id(n): values[id(n)] for n in parts if math.isfinite(values[id(n)])}


def exact_point(root: Expr, point: Sequence[float | Fraction]) -> list[Fraction]:
    """The coordinates as the exact rational numbers they are."""
    needed = max(variables(root), default=-1) + 1
    if len(point) < needed:
        raise PointError(f"the point has {len(point)} coordinates, and the formula uses x1 to x{needed}")
    return [_coordinate(value, i) for i, value in enumerate(point, start=1)]


def _coordinate(value: object, place: int) -> Fraction:
    if isinstance(value, Fraction):
        return value
    try:
        return Fraction(value) if isinstance(value, int) else Fraction(_double(value))
    except (TypeError, ValueError, OverflowError):
        raise PointError(f"coordinate {place} is {value!r}, not a finite real number") from None


def _double(value: object) -> float:
    if not isinstance(value, Real):
        raise TypeError
    return float(value)
