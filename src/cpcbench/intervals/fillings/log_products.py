"""Products with u^p ln(u), p > 0, and powers u^(w u^p) = exp(w u^p ln(u)): which factors belong together."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction

from cpcbench.expr.nodes import Expr, num
from cpcbench.readings.reals.enclosure import enclose

MOST_FACTORS, MOST_LOGARITHMS = 30, 4


@dataclass(frozen=True)
class LogGroup:
    """u^p ln(u)^n = (u^(p/n) ln(u))^n: the factors it is made of, n, and p/n with an enclosure of it."""

    u: Expr
    factors: list[Expr]
    logarithms: int
    exponent: tuple[float, float]


@dataclass(frozen=True)
class LogProduct:
    """Groups, other factors and constant divisors, and whether the sign is turned."""

    groups: list[LogGroup]
    factors: list[Expr]
    divisors: list[Expr]
    minus: bool

    @property
    def size(self) -> int:
        return sum(len(group.factors) for group in self.groups)


def log_product(node: Expr, free: set[int]) -> LogProduct | None:
    """A product with such groups, more of them than one of its two factors has; None if it is none."""
    found = _grouped(node, free)
    if found is None:
        return None
    inner = [_grouped(arg, free) for arg in node.args]
    return None if any(part is not None and part.size >= found.size for part in inner) else found


def log_power(node: Expr, free: set[int]) -> LogProduct | None:
    """The exponent of a power u^(w u^p) times ln(u); None if it is none."""
    u, exponent = node.args
    if id(u) in free or id(exponent) in free:
        return None
    parts = _parts(exponent, free, {id(u)})
    if parts is None:
        return None
    powers = [factor for factor in parts.factors if _exponent(factor, u, free) is not None]
    group = _group(u, powers, [], 1, free)
    if group is None:
        return None
    rest = [factor for factor in parts.factors if _exponent(factor, u, free) is None]
    return LogProduct([group], rest, parts.divisors, parts.minus)


def _grouped(product: Expr, free: set[int]) -> LogProduct | None:
    first = _parts(product, free, ())
    if first is None:
        return None
    operands = {id(u): u for factor in first.factors if (u := _logarithm(factor, free)[0]) is not None}
    parts = _parts(product, free, operands) if operands else None
    if parts is None:
        return None
    groups: list[LogGroup] = []
    rest = parts.factors
    for u in operands.values():
        logs = [factor for factor in rest if _logarithm(factor, free)[0] is u]
        powers = [factor for factor in rest if _exponent(factor, u, free) is not None]
        left = [f for f in rest if _exponent(f, u, free) is None] if powers else _without(rest, u, free)
        group = _group(u, powers or [u], logs, sum(_logarithm(factor, free)[1] for factor in logs), free)
        if left is not None and group is not None:
            groups.append(group)
            rest = [factor for factor in left if _logarithm(factor, free)[0] is not u]
    return LogProduct(groups, rest, parts.divisors, parts.minus) if groups else None


def _without(factors: list[Expr], u: Expr, free: set[int]) -> list[Expr] | None:
    """The factors left when those of a product u are taken away; None if not all are there."""
    inner = _parts(u, free, ()) if u.op == "mul" else None
    if inner is None or inner.divisors or inner.minus:
        return None
    left = list(factors)
    for part in inner.factors:
        place = next((i for i, factor in enumerate(left) if factor is part), None)
        if place is None:
            return None
        del left[place]
    return left


def _group(u: Expr, powers: list[Expr], logs: list[Expr], count: int, free: set[int]) -> LogGroup | None:
    if not powers or not 1 <= count <= MOST_LOGARITHMS:
        return None
    total = num(0)
    for power in powers:
        more = _exponent(power, u, free)
        total = total if more is None else total + more
    found = enclose(total / count, ())
    if not found.defined or not 0.0 < found.lower <= found.upper < 1e300:
        return None
    return LogGroup(u, [*powers, *logs], count, (found.lower, found.upper))


def _parts(product: Expr, free: set[int], whole: Collection[int]) -> LogProduct | None:
    """The factors and constant divisors of a product, what is in `whole` left as it is."""
    factors: list[Expr] = []
    divisors: list[Expr] = []
    minus = False
    stack = [product]
    while stack:
        part = stack.pop()
        if id(part) in whole or id(part) in free:
            factors.append(part)
        elif part.op == "mul":
            stack.extend(reversed(part.args))
        elif part.op == "neg":
            minus = not minus
            stack.append(part.args[0])
        elif part.op == "div" and id(part.args[1]) in free:
            divisors.append(part.args[1])
            stack.append(part.args[0])
        else:
            factors.append(part)
        if len(factors) + len(stack) + len(divisors) > MOST_FACTORS:
            return None
    return LogProduct([], factors, divisors, minus)


def _logarithm(factor: Expr, free: set[int]) -> tuple[Expr | None, int]:
    """The u of ln(u) or of a natural power of it, and the exponent."""
    count = Fraction(1)
    if factor.op == "pow":
        exponent = factor.args[1]
        count = Fraction(exponent.payload or 0) if exponent.op == "const" else Fraction(0)
        factor = factor.args[0]
    if factor.op != "ln" or id(factor) in free or count.denominator != 1 or count < 1:
        return None, 0
    return factor.args[0], int(count)


def _exponent(factor: Expr, u: Expr, free: set[int]) -> Expr | None:
    """The p of a factor u^p; None if it is no power of u."""
    if factor is u:
        return num(1)
    if factor.op == "sqrt" and factor.args[0] is u:
        return num(0.5)
    if factor.op == "pow" and factor.args[0] is u and id(factor.args[1]) in free:
        return factor.args[1]
    return None
