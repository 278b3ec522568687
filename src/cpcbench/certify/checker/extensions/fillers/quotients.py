"""Quotients g(u)/h(u) of 0 and 0: where g and h vanish together at a place u0, by their Taylor series from there.

If both vanish at u0 with their first m - 1 derivatives, and t = u - u0, then g = t^m G and h = t^m H with smooth
G and H, whose Taylor coefficients are those of g and h moved down by m places. Where H is not 0, G/H is the quotient
with its hole filled, which only adds a point to the domain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce

from cpcbench.certify.checker.core.intervals import (
    EVERYWHERE,
    MAYBE,
    NOWHERE,
    Interval,
    add,
    div,
    hull,
    meet,
    mul,
    single,
    sub,
    whole_line,
)
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.steps import Step, Values
from cpcbench.certify.checker.extensions.fillers.taylor import Series, series
from cpcbench.certify.checker.ground.clock import look_at_clock
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import postorder

NAME = "quotients"

MOST_VANISHING, TERMS = 3, 3
"""How often numerator and divisor may vanish at the same place, and how many terms of G and H are taken there before
the remainder."""

MOST_NODES, MOST_FACTORS, MOST_PLACES, MOST_HOLES = 300, 30, 12, 3

MOST_TRIED = 400
"""Parts that are looked at in a formula; a quotient that is not filled stands for itself."""


def fill(program: Program, quotient: Expr) -> int | None:
    """The slot of a quotient with its holes filled; None if it has none that is known."""
    if quotient.op != "div" or id(quotient.args[1]) in program.constant or not _is_small(quotient):
        return None
    for above, below, u in _ways(quotient, program.constant):
        look_at_clock()
        program.fillings += 1
        if program.fillings > MOST_TRIED:
            return None
        g, h = (reduce(Expr.__mul__, part.through) for part in (above, below))
        holes = _holes(g, h, u, program.ieee)
        if holes:
            program.rests_on.add(NAME)
            return _emitted(program, quotient, above, below, u, holes)
    return None


def _is_small(root: Expr) -> bool:
    """Whether it has no more than so many operations; no more than that are counted."""
    seen: set[int] = set()
    stack = [root]
    while stack:
        part = stack.pop()
        if id(part) not in seen:
            seen.add(id(part))
            if len(seen) > MOST_NODES:
                return False
            stack += part.args
    return True


def _emitted(program: Program, quotient: Expr, above: _Factors, below: _Factors, u: Expr, holes: list[Hole]) -> int:
    def product(parts: list[Expr]) -> int:
        return program.product([program.slots[id(part)] for part in parts], quotient)

    def whole(factors: _Factors, node: Expr) -> int:
        return product(factors.through) if factors.others else program.slots[id(node)]

    args = [whole(below, quotient.args[1]), whole(above, quotient.args[0]), program.slots[id(u)]]
    slot = program.emit("quotient", args, quotient, partial(_Filled, holes=holes))
    if above.others:
        slot = program.emit("mul", [product(above.others), slot], quotient)
    return program.emit("div", [slot, product(below.others)], quotient) if below.others else slot


@dataclass(frozen=True)
class _Factors:
    """Of a product: those whose variables enter through u only, and the others."""

    through: list[Expr]
    others: list[Expr]


def _ways(quotient: Expr, constant: set[int]) -> Iterator[tuple[_Factors, _Factors, Expr]]:
    """The parts u that numerator and divisor share, the largest first, with the factors of each that depend on u."""
    above, below = quotient.args
    shared = {id(node) for node in postorder(above)} - constant
    for u in reversed(postorder(below)):
        if id(u) in shared and u.op not in ("lt", "le"):
            pair = [_factors(product, u, constant) for product in (above, below)]
            if all(factors is not None and factors.through for factors in pair):
                yield pair[0] or _Factors([], []), pair[1] or _Factors([], []), u


def _factors(product: Expr, u: Expr, constant: set[int]) -> _Factors | None:
    """From left to right, u itself being one factor; None if there are too many."""
    found: list[Expr] = []
    stack = [product]
    while stack:
        part = stack.pop()
        if part.op == "mul" and part is not u:
            stack += reversed(part.args)
        else:
            found.append(part)
        if len(found) + len(stack) > MOST_FACTORS:
            return None
    through = [id(part) not in constant and _enters_through(u, part, constant) for part in found]
    return _Factors(
        [part for part, chosen in zip(found, through, strict=True) if chosen],
        [part for part, chosen in zip(found, through, strict=True) if not chosen],
    )


def _enters_through(u: Expr, root: Expr, constant: set[int]) -> bool:
    """Whether every way from the root down to a variable passes u."""
    seen: set[int] = set()
    stack = [root]
    while stack:
        part = stack.pop()
        if part is u or id(part) in constant or id(part) in seen:
            continue
        if part.op == "var":
            return False
        seen.add(id(part))
        stack += part.args
    return True


def _holes(g: Expr, h: Expr, u: Expr, ieee: bool) -> list[Hole]:
    order = MOST_VANISHING + TERMS
    above, below = series(g, u, order), series(h, u, order)
    if above is None or below is None:
        return []
    found: list[Hole] = []
    for place in _places(g, h, u, ieee):
        try:
            hole = _hole(above, below, u, place, ieee)
        except RejectedError:  # an exponent that is not decided: the plain quotient says so itself
            hole = None
        if hole is not None and len(found) < MOST_HOLES:
            found.append(hole)
    return found


def _places(g: Expr, h: Expr, u: Expr, ieee: bool) -> list[Fraction]:
    """Where the two may vanish, to be tried: numbers written in them, and where the divisor does if it is straight."""
    written = [Fraction(part.payload or 0) for part in postorder(h, g) if part.op == "const"]
    tried = [Fraction(0), Fraction(1), Fraction(-1), *(sign * value for value in written for sign in (1, -1))]
    at_0, at_1 = (_values([h], u, Fraction(place), ieee) for place in (0, 1))
    if at_0 and at_1 and at_0[0].exact is not None and at_1[0].exact is not None and at_0[0].exact != at_1[0].exact:
        tried.insert(0, at_0[0].exact / (at_0[0].exact - at_1[0].exact))
    return list(dict.fromkeys(tried))[:MOST_PLACES]


@dataclass(frozen=True)
class _Value:
    """Of a formula at one place: the number itself, if it is known to be rational, and its range."""

    exact: Fraction | None
    range: Interval


def _values(roots: Series, u: Expr, place: Fraction, ieee: bool) -> list[_Value]:
    """The values where u is exactly the place, 0 for what is None; nothing if one is not defined there."""
    given = [root for root in roots if root is not None]
    program = Program(given, {}, ieee=ieee, pins={id(u): place})
    values = program.everywhere({})
    if values is None:
        return []
    zero = _Value(Fraction(0), single(0))
    slots = [None if root is None else program.slots[id(root)] for root in roots]
    return [zero if s is None else _Value(program.exact.get(s), values[s]) for s in slots]


def _hole(above: Series, below: Series, u: Expr, place: Fraction, ieee: bool) -> Hole | None:
    """The hole at a place; None if there is none, or the two are not known exactly to vanish there."""
    order = len(above)
    values = _values([below[0]], u, place, ieee)
    if not values or values[0].exact != 0:
        return None
    values = _values([*above, *below], u, place, ieee)
    if not values:
        return None
    g, h = values[:order], values[order:]
    m = next((k for k in range(order) if h[k].exact != 0), order)
    if not 1 <= m <= MOST_VANISHING or any(value.exact != 0 for value in g[:m]):
        return None
    last = m + TERMS
    roots = [root for root in (*above[: last + 1], *below[: last + 1]) if root is not None]
    program = Program(roots, {}, ieee=ieee, inputs={id(u): 0})
    limit, state = div(g[m].range, h[m].range)
    if state != EVERYWHERE:
        return None
    numerator = _Half([value.range for value in g[m:last]], above[last])
    divisor = _Half([value.range for value in h[m:last]], below[last])
    return Hole(single(place), limit, program, numerator, divisor, above[:2], below[:2])


@dataclass(frozen=True)
class _Half:
    """G or H: its first coefficients at u0, and the formula of the one after them."""

    first: list[Interval]
    last: Expr | None

    def at(self, t: Interval, last: Interval) -> tuple[Interval, Interval]:
        """The range and that of the derivative at distances t from u0, where the last coefficient is known."""
        value, slope = last, mul(single(TERMS), last)
        for k in range(TERMS - 1, -1, -1):
            value = add(self.first[k], mul(t, value))
            if k:
                slope = add(mul(single(k), self.first[k]), mul(t, slope))
        return value, slope


@dataclass(frozen=True)
class Hole:
    """A place where numerator and divisor vanish, and the `limit` of the quotient there: `program` has their
    coefficients as functions of u; `above` and `below` are those of order 0 and 1."""

    place: Interval
    limit: Interval
    program: Program
    numerator: _Half
    divisor: _Half
    above: Series
    below: Series

    def filled(self, u: Interval) -> tuple[Interval, Interval] | None:
        """The quotient and its slope over a range of u; None if it is not known to be smooth from there to u0."""
        t = sub(u, self.place)
        known = self._coefficients(hull([u, self.place]), [self.numerator.last, self.divisor.last])
        if known is None:
            return None
        (g, g_slope), (h, h_slope) = self.numerator.at(t, known[0]), self.divisor.at(t, known[1])
        return _quotient_and_slope(g, g_slope, h, h_slope)

    def plain(self, u: Interval) -> tuple[Interval, Interval] | None:
        """The same away from the hole, by the quotient rule."""
        known = self._coefficients(u, [*self.above, *self.below])
        return None if known is None else _quotient_and_slope(*known)

    def holds(self, u: Interval) -> bool:
        """Whether u0 may be in a range."""
        return meet(u, self.place) is not None

    def _coefficients(self, u: Interval, wanted: Series) -> list[Interval] | None:
        """The ranges of some coefficients; None unless all of them are defined all over the range of u."""
        values = self.program.everywhere({0: u})
        if values is None:
            return None
        return [single(0) if root is None else values[self.program.slots[id(root)]] for root in wanted]


def _quotient_and_slope(
    g: Interval, g_slope: Interval, h: Interval, h_slope: Interval
) -> tuple[Interval, Interval] | None:
    value, state = div(g, h)
    if state != EVERYWHERE:
        return None
    return value, div(sub(g_slope, mul(value, h_slope)), h)[0]


class _Filled(Step):
    """The quotient as a function of u alone; the operands are the divisor, the numerator and u.

    It is frozen unless its slope in u is known: a value from u and slopes from the other two must not be mixed,
    since parts of these may be frozen themselves.
    """

    has_domain = True

    def __init__(self, op: str, slot: int, args: list[int], number: int, holes: list[Hole]) -> None:
        super().__init__(op, slot, args, number)
        self.holes = holes

    def run(self, values: Values) -> int:
        """Of the filled quotient, which has the limit as its value at a hole, wherever it is asked for."""
        divisor, numerator, u = self.operands(values)
        value, state = div(numerator, divisor)
        found: Interval | None = None if state == NOWHERE else value
        known = self._known(u)
        for other, _ in known:
            found = None if found is None else meet(found, other)
        limits = [] if state == EVERYWHERE else [hole.limit for hole in self.holes if hole.holds(u)]
        parts = limits if found is None else [found, *limits]
        values[self.slot] = hull(parts) if parts else value
        return EVERYWHERE if known else NOWHERE if state == NOWHERE and not limits else MAYBE

    def partials(self, values: Values) -> tuple[Interval, ...]:
        slope = whole_line()
        for _, other in self._known(values[self.args[2]]):
            slope = meet(slope, other) or slope
        return single(0), single(0), slope

    def _known(self, u: Interval) -> list[tuple[Interval, Interval]]:
        """The value and the slope in u, in each of the ways in which they are known all over a range of u."""
        ways = [way(u) for hole in self.holes for way in (hole.filled, hole.plain)]
        return [way for way in ways if way is not None]
