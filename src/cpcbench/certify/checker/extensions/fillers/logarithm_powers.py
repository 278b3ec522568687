"""Products u^p ln(u) with p > 0, which tend to 0 where u does, and the powers u^(w u^p) = exp(w u^p ln(u)).

The function F(u) = u^p ln(u), and 0 for u <= 0, is continuous. It falls from 0 at 0 to -1/(p e) at exp(-1/p) and rises
from there on. A product or power with F in it is what it was wherever that was defined.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction

from cpcbench.certify.checker.core.functions.growth import exp, ln
from cpcbench.certify.checker.core.intervals import (
    EVERYWHERE,
    Interval,
    add,
    div,
    hull,
    meet,
    mul,
    neg,
    not_negative,
    single,
    sub,
)
from cpcbench.certify.checker.core.numbers import End, infinite, is_finite
from cpcbench.certify.checker.core.powers import positive_power
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.steps import Step, Values
from cpcbench.expr.nodes import Expr

NAME = "logarithm powers"

MOST_FACTORS, MOST_LOGARITHMS = 30, 4


def fill(program: Program, node: Expr) -> int | None:
    """The slot of a product or a power with such functions in it; None if there are none."""
    if id(node) in program.constant:
        return None
    if node.op == "mul":
        return _fill_product(program, node)
    return _fill_power(program, node) if node.op == "pow" and not program.ieee else None


def _fill_product(program: Program, node: Expr) -> int | None:
    matched = _matched(program, node)
    if matched is None or any(matched.size <= _size(_matched(program, arg)) for arg in node.args):
        return None
    slots = [_function(program, node, group) for group in matched.groups]
    if None in slots:
        return None
    program.rests_on.add(NAME)
    return _product(program, node, [slot for slot in slots if slot is not None], matched.rest)


def _fill_power(program: Program, node: Expr) -> int | None:
    """u^(w u^p); the power itself stays as a step, for its domain."""
    u, exponent = node.args
    if id(u) in program.constant or id(exponent) in program.constant:
        return None
    parts = _parts(exponent, program.constant, {id(u)})
    if parts is None:
        return None
    powers = [factor for factor in parts.factors if _is_power_of(u, factor, program)]
    rest = _Parts([f for f in parts.factors if not any(f is p for p in powers)], parts.divisors, parts.minus)
    slot = _function(program, node, _Group(u, 1, powers)) if powers else None
    if slot is None:
        return None
    program.emit("pow", [program.slots[id(u)], program.slots[id(exponent)]], node)
    program.rests_on.add(NAME)
    return program.emit("exp", [_product(program, node, [slot], rest)], node)


@dataclass(frozen=True)
class _Parts:
    """A product taken apart: its factors, its constant divisors, and whether its sign is turned."""

    factors: list[Expr]
    divisors: list[Expr]
    minus: bool


@dataclass(frozen=True)
class _Group:
    """The factors that are powers of u, beside some logarithms of u."""

    u: Expr
    logarithms: int
    powers: list[Expr]


@dataclass(frozen=True)
class _Matched:
    """A product as groups and the rest."""

    groups: list[_Group]
    rest: _Parts

    @property
    def size(self) -> int:
        return sum(group.logarithms + len(group.powers) for group in self.groups)


def _size(matched: _Matched | None) -> int:
    return 0 if matched is None else matched.size


def _parts(product: Expr, constant: set[int], whole: Collection[int]) -> _Parts | None:
    """From left to right, those in `whole` as they are; None if there are too many."""
    factors: list[Expr] = []
    divisors: list[Expr] = []
    minus = False
    stack = [product]
    while stack:
        part = stack.pop()
        if id(part) in whole or id(part) in constant:
            factors.append(part)
        elif part.op == "mul":
            stack += reversed(part.args)
        elif part.op == "neg":
            minus = not minus
            stack.append(part.args[0])
        elif part.op == "div" and id(part.args[1]) in constant:
            divisors.append(part.args[1])
            stack.append(part.args[0])
        else:
            factors.append(part)
        if len(factors) + len(stack) + len(divisors) > MOST_FACTORS:
            return None
    return _Parts(factors, divisors, minus)


def _matched(program: Program, product: Expr) -> _Matched | None:
    """The product with each logarithm beside the powers of its operand; None if there is none such."""
    first = _parts(product, program.constant, ())
    if first is None:
        return None
    operands = {id(u): u for factor in first.factors if (u := _logarithm(factor, program)[0]) is not None}
    parts = _parts(product, program.constant, operands) if operands else None
    if parts is None:
        return None
    groups: list[_Group] = []
    rest = parts.factors
    for u in operands.values():
        count = sum(n for factor in rest if (n := _count(u, factor, program)))
        powers = [factor for factor in rest if _is_power_of(u, factor, program)]
        left = [f for f in rest if not _is_power_of(u, f, program)] if powers else _without(rest, u, program.constant)
        if left is not None and 0 < count <= MOST_LOGARITHMS:
            groups.append(_Group(u, count, powers or [u]))
            rest = [factor for factor in left if not _count(u, factor, program)]
    return _Matched(groups, _Parts(rest, parts.divisors, parts.minus)) if groups else None


def _without(factors: list[Expr], u: Expr, constant: set[int]) -> list[Expr] | None:
    """The factors left when those of a product u are taken away; None if not all are there."""
    inner = _parts(u, constant, ()) if u.op == "mul" else None
    if inner is None or inner.divisors or inner.minus:
        return None
    left = list(factors)
    for part in inner.factors:
        place = next((i for i, factor in enumerate(left) if factor is part), None)
        if place is None:
            return None
        del left[place]
    return left


def _logarithm(factor: Expr, program: Program) -> tuple[Expr | None, int]:
    """The u of ln(u) or of a natural power of it, and the exponent."""
    count = Fraction(1)
    if factor.op == "pow":
        count = program.exact.get(program.slots[id(factor.args[1])], Fraction(0))
        factor = factor.args[0]
    if factor.op != "ln" or id(factor) in program.constant or count.denominator != 1 or count < 1:
        return None, 0
    return factor.args[0], count.numerator


def _count(u: Expr, factor: Expr, program: Program) -> int:
    """How many logarithms of u a factor is."""
    operand, count = _logarithm(factor, program)
    return count if operand is u else 0


def _is_power_of(u: Expr, factor: Expr, program: Program) -> bool:
    if factor is u:
        return True
    return (
        factor.op in ("sqrt", "pow") and factor.args[0] is u and all(id(a) in program.constant for a in factor.args[1:])
    )


def _function(program: Program, node: Expr, group: _Group) -> int | None:
    """The slot of u^p ln(u)^n = F(u)^n, F with the exponent p/n; None if p is not certainly positive."""
    p = program.number(Fraction(0))
    for power in group.powers:
        if power is group.u:
            more = program.number(Fraction(1))
        else:
            more = program.number(Fraction(1, 2)) if power.op == "sqrt" else program.slots[id(power.args[1])]
        p = program.emit("add", [p, more], node)
    p = program.emit("div", [p, program.number(Fraction(group.logarithms))], node)
    if not program.start[p][0] > 0:
        return None
    once = program.emit("u^p ln(u)", [program.slots[id(group.u)], p], node, _LogarithmPower)
    return program.product([once] * group.logarithms, node)


def _product(program: Program, node: Expr, slots: list[int], rest: _Parts) -> int:
    product = program.product([*slots, *(program.slots[id(factor)] for factor in rest.factors)], node)
    for divisor in rest.divisors:
        product = program.emit("div", [product, program.slots[id(divisor)]], node)
    return program.emit("neg", [product], node) if rest.minus else product


class _LogarithmPower(Step):
    """The operands are u and p."""

    def run(self, values: Values) -> int:
        values[self.slot] = logarithm_power(*self.operands(values))
        return EVERYWHERE

    def partials(self, values: Values) -> tuple[Interval, ...]:
        return logarithm_power_slope(*self.operands(values)), single(0)


def logarithm_power(a: Interval, p: Interval) -> Interval:
    """F over an interval, for a number p of one that is positive."""
    low, high = not_negative(a)
    if high <= 0:
        return single(0)
    turn = exp(neg(div(single(1), p)[0]))
    least = neg(div(exp(single(-1)), p)[0])
    bottom = _at(high, p)[0] if high <= turn[0] else _at(low, p)[0] if low >= turn[1] else least[0]
    return max(bottom, least[0]), max(_at(low, p)[1], _at(high, p)[1])


def _at(u: End, p: Interval) -> Interval:
    """At one number of at least 0, or at the infinite end of an interval."""
    if not u > 0:
        return single(0)
    if not is_finite(u):
        return single(0)[0], infinite(1)
    return mul(positive_power((u, u), p), ln((u, u)))


def logarithm_power_slope(a: Interval, p: Interval) -> Interval:
    """u^(p-1) (p ln(u) + 1) for u > 0, which is p u^(p-1) ln(u) + u^(p-1), and 0 for u < 0."""
    inside = not_negative(a)
    if not inside[1] > 0:
        return single(0)
    less = sub(p, single(1))
    power = positive_power(inside, less)
    found = mul(power, add(mul(p, ln(inside)), single(1)))
    if less[0] > 0:
        other = add(mul(p, logarithm_power(inside, less)), power)
        found = meet(found, other) or found
    return hull([found, single(0)]) if a[0] < 0 else found
