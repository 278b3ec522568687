"""One step of reading an expression in the reals: the number an operation gives, and where it exists."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from numbers import Real
from typing import NamedTuple, cast

from cpcbench.errors import PointError, UnknownNameError
from cpcbench.expr.nodes import ARITY, COMPARISONS, Expr
from cpcbench.expr.walk import constants as constant_nodes
from cpcbench.expr.walk import dimension, postorder
from cpcbench.readings.reals import pairs
from cpcbench.readings.reals.exact import NEGATIVE, ZERO, Number, hull
from cpcbench.readings.reals.operations import Reals
from cpcbench.readings.reals.outcomes import (
    DEFINED,
    INSIDE,
    after,
    arccosh_outcome,
    arcsine_outcome,
    arctanh_outcome,
    both,
    is_integer,
    is_open,
    log1p_outcome,
    log_outcome,
    power_outcome,
    quotient_outcome,
    root_outcome,
    tangent_outcome,
    whole_nodes,
    whole_outcome,
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


class Operation(NamedTuple):
    """The number that an operation gives, and where it exists; everywhere, if nothing is said."""

    number: Callable[..., Number]
    outcome: Callable[..., int] | None = None


OPERATIONS: dict[str, Operation] = {
    "add": Operation(Reals.add),
    "sub": Operation(Reals.sub),
    "mul": Operation(Reals.mul),
    "div": Operation(Reals.div, quotient_outcome),
    "neg": Operation(Reals.neg),
    "sqrt": Operation(Reals.sqrt, root_outcome),
    "ln": Operation(Reals.ln, log_outcome),
    "exp": Operation(Reals.exp),
    "sin": Operation(Reals.sin),
    "cos": Operation(Reals.cos),
    "tan": Operation(Reals.tan, tangent_outcome),
    "arcsin": Operation(Reals.arcsin, arcsine_outcome),
    "arccos": Operation(Reals.arccos, arcsine_outcome),
    "arctan": Operation(Reals.arctan),
    "sinh": Operation(lambda reals, a: reals.odd("sinh", a, grows=True)),
    "cosh": Operation(Reals.cosh),
    "tanh": Operation(lambda reals, a: reals.odd("tanh", a)),
    "arcsinh": Operation(lambda reals, a: reals.odd("asinh", a)),
    "arccosh": Operation(Reals.arccosh, arccosh_outcome),
    "arctanh": Operation(lambda reals, a: reals.odd("atanh", a), arctanh_outcome),
    "log10": Operation(lambda reals, a: reals.log(a, 10), log_outcome),
    "log2": Operation(lambda reals, a: reals.log(a, 2), log_outcome),
    "log1p": Operation(Reals.log1p, log1p_outcome),
    "expm1": Operation(Reals.expm1),
    "cbrt": Operation(Reals.cbrt),
    "erf": Operation(lambda reals, a: reals.odd("erf", a)),
    "abs": Operation(Reals.abs),
    "floor": Operation(Reals.floor),
    "ceil": Operation(lambda reals, a: reals.neg(reals.floor(reals.neg(a)))),
    "round": Operation(Reals.round),
    "sign": Operation(Reals.sign),
    "whole": Operation(lambda reals, a: a, whole_outcome),
    "min": Operation(pairs.least),
    "max": Operation(pairs.largest),
    "hypot": Operation(pairs.hypot),
    "arctan2": Operation(pairs.arctan2),
    "mod": Operation(pairs.mod, quotient_outcome),
    "lt": Operation(Reals.sub),
    "le": Operation(Reals.sub),
    "given": Operation(lambda _, __, value: value, lambda reals, condition, _: root_outcome(reals, condition)),
}
"""A comparison gives the difference of its sides; `where` looks at the difference's sign."""


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
        operation = OPERATIONS[node.op]
        own = INSIDE if operation.outcome is None else operation.outcome(self.reals, *numbers)
        return (operation.number(self.reals, *numbers) if own & DEFINED else None), own

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
    values = Reference(root).values([0.0] * dimension(root))
    parts = (n for n in postorder(root) if id(n) in constant and n.op not in COMPARISONS)
    return {id(n): values[id(n)] for n in parts if math.isfinite(values[id(n)])}


def exact_point(root: Expr, point: Sequence[float | Fraction]) -> list[Fraction]:
    """The coordinates as the exact rational numbers they are."""
    needed = dimension(root)
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
