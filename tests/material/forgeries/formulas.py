"""Whole random formulas at low precision: ranges, mean values, tangents, faces, narrowing against values at points."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from cpcbench.certify.checker.core.intervals import add, between, neg
from cpcbench.certify.checker.core.link import Box, Link
from cpcbench.certify.checker.core.mean_value import check_monotone, mean_value_bound
from cpcbench.certify.checker.core.numbers import in_use, infinite, of_double
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.extensions.balls import Balls
from cpcbench.certify.checker.extensions.convex import SIDE, Convex
from cpcbench.certify.checker.extensions.fillers.all import FILLERS
from cpcbench.certify.checker.extensions.narrowing import narrowed
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr import arcsin, cos, exp, ln, sin, sqrt, tan
from cpcbench.expr.nodes import Expr, index, num, pi, var
from cpcbench.expr.walk import postorder
from tests.material.forgeries import nasty
from tests.material.forgeries.tally import Tally
from tests.material.forgeries.truth import (
    UnclearError,
    Value,
    as_ball,
    exact_end,
    is_interval,
    is_outside,
    many_bits,
    values_at,
)
from tests.material.random_formulas import ELEMENTARY, RATIONAL, Builder, formula

HOSTILE: list[Builder] = [
    lambda r, e: e() + _written(r, nasty.CONSTANTS),
    lambda r, e: e() * _written(r, nasty.CONSTANTS),
    lambda r, e: e() / (e() - _written(r, nasty.CONSTANTS)),
    lambda r, e: e() ** _written(r, nasty.EXPONENTS[:-1]),
    lambda r, e: (pi - num(Decimal("3.14159265358979323846"))) / e(),
    lambda r, e: _turned(r, e()),
    lambda r, e: _vanishing(r, e()),
    lambda r, e: _vanishing(r, e()),
    lambda r, e: sin(e()) * cos(e()),
    lambda r, e: e() ** (e() + r.choice([1, 2, -1])),
]
"""Constants next to whole numbers and to pi, exponents next to whole numbers, removable holes."""


def _written(r: random.Random, choices: Sequence[str]) -> Expr:
    return num(Decimal(r.choice(choices)))


def _turned(r: random.Random, u: Expr) -> Expr:
    """sin(c*u)/u, with or without a second divisor."""
    constant = r.choice([pi, num(2), num(1), num(0.5)])
    over = u * (u - r.choice([num(1), num(2), num(3), num(1.5)])) if r.random() < 0.5 else u
    return sin(constant * u) / over


TOGETHER: list[Callable[[Expr], Expr]] = [
    lambda u: (1 - cos(u)) / u**2,
    lambda u: (exp(u) - 1) / u,
    lambda u: (exp(u) - 1 - u) / (u * u),
    lambda u: ln(1 + u) / u,
    lambda u: u / u,
    lambda u: (u**3 - 1) / (u - 1),
    lambda u: (u**2 - 4) / (2 * u - 4),
    lambda u: (sqrt(1 + u) - 1) / u,
    lambda u: tan(u) / u,
    lambda u: arcsin(u) / u,
    lambda u: (u - sin(u)) / u**3,
    lambda u: u / (exp(u) - 1),
    lambda u: (u ** num(1.5) - 1) / (u - 1),
    lambda u: sin(u) ** 2 / (1 - cos(u)),
    lambda u: (2**u - 1) / u,
    lambda u: (u**u - 1) / (u - 1),
    lambda u: u * ln(u),
    lambda u: sqrt(u) * ln(u),
    lambda u: u**2 * ln(u) ** 2,
    lambda u: 3 * ln(u) * u ** num(0.1),
    lambda u: -(u * ln(u)) / 2 * u,
    lambda u: u**-1 * ln(u) * u**2,
    lambda u: u**u,
    lambda u: u ** (2 * sqrt(u)),
    lambda u: u ** (-(u**2) / 3),
]
"""Quotients of 0 and 0 and products of 0 and infinity, at places where the extensions fill holes."""


def _vanishing(r: random.Random, u: Expr) -> Expr:
    u = u if r.random() < 0.5 else r.choice([var(0), var(0) - num(1), num(1) - var(1), var(0) * var(1), 2 * var(1)])
    found = r.choice(TOGETHER)(u)
    return found if r.random() < 0.7 else found * r.choice([u, var(1), num(3), 1 / (1 + u * u)])


class Sample(NamedTuple):
    """A formula on a box, with points of it and the true values of all nodes there."""

    root: Expr
    box: Box
    ieee: bool
    points: list[list[Fraction]]
    values: list[dict[int, Value]]

    @property
    def defined(self) -> list[int]:
        """The places of the points at which the formula has a value."""
        return [place for place, found in enumerate(self.values) if found[id(self.root)] is not None]


def sample(r: random.Random, branches: bool = True, bowl: bool = False) -> Sample | None:
    """A random one, perhaps in a bowl, which makes it convex; None if its values are not clear."""
    builders = [*RATIONAL[: None if branches else -2], *ELEMENTARY, *HOSTILE, *HOSTILE]
    root = formula(r, r.choice([2, 3, 4, 5]), builders)
    if bowl:
        weight = num(r.choice([0, 1, 3, 30, 1000]))
        root = weight * (var(0) - num(r.choice([0, 0.5, 3]))) ** 2 + weight * var(1) * var(1) + root
    box = tuple(_side(r) for _ in range(2))
    ieee = r.random() < 0.3
    points, values = [], []
    for _ in range(5):
        x = [r.choice(nasty.inside(r, side, 2)) for side in box]
        try:
            with many_bits():
                found = values_at(root, x, ieee)
        except (UnclearError, OverflowError, ZeroDivisionError):
            continue
        points.append(x)
        values.append(found)
    return Sample(root, box, ieee, points, values) if points else None


def _side(r: random.Random) -> tuple[float, float]:
    """A side of a box of moderate size, ends often special."""
    if r.random() < 0.2:
        low, high = nasty.pair(r, 0.0)
        if max(abs(low), abs(high)) < 1e30:
            return low, high
    low = r.choice([-2.0, -1.0, 0.0, 0.0, 1.0, 0.5, 1e-300, r.uniform(-3.0, 3.0)])
    return low, low + r.choice([0.0, 2.0**-45, 2.0**-8, 0.25, 1.0, 2.0, r.uniform(0.0, 4.0)])


def link_of(found: Sample, fillers: Any = FILLERS) -> Link | None:
    """The formula as what a tree bounds; None if the checker refuses it."""
    try:
        program = Program([found.root], _numbers(found.root), ieee=found.ieee, fillers=fillers)
    except RejectedError:
        return None
    return Link("", program, [0, 1], [(program.slots[id(found.root)], 1)], 0.0, found.box)


def _numbers(root: Expr) -> dict[int, int]:
    return {id(node): place for place, node in enumerate(postorder(root))}


def _clear(value: Value) -> Any:
    with many_bits():
        try:
            return as_ball(value)
        except UnclearError:
            return None


def ranges(r: random.Random, tally: Tally) -> None:
    """Natural ranges hold every value of every node, and say rightly where there is none."""
    found = sample(r)
    fillers: Any = r.choice([(), FILLERS])  # with these a hole counts as defined
    link = None if found is None else link_of(found, fillers)
    if found is None or link is None:
        return
    evaluated = link.natural(found.box)
    wrong = evaluated is None and bool(found.defined)
    if evaluated is not None:
        values, maybe = evaluated
        slots = link.program.slots
        wrong = not fillers and not maybe and len(found.defined) < len(found.points)
        wrong |= not all(map(is_interval, values))
        nodes = [found.root] if link.program.has_where else [n for n in postorder(found.root) if id(n) in slots]
        for place in found.defined:
            for node in nodes:
                true = None if node.op in ("lt", "le") else _clear(found.values[place][id(node)])
                wrong |= true is not None and is_outside(true, values[slots[id(node)]])
    tally.judge("formulas: ranges", wrong, found)


def at_points(r: random.Random, tally: Tally) -> None:
    """With the variables held at exact values: the range holds the value, and is there only if there is one."""
    found = sample(r)
    if found is None:
        return
    place = r.randrange(len(found.points))
    variables = {id(n): found.points[place][index(n)] for n in postorder(found.root) if n.op == "var"}
    true = found.values[place][id(found.root)]
    try:
        program = Program([found.root], _numbers(found.root), ieee=found.ieee, pins=variables)
        evaluated = program.ranges({})
    except RejectedError:
        return
    wrong = evaluated is None and true is not None
    if evaluated is not None and true is None:
        wrong = not evaluated[1]
    elif evaluated is not None:
        clear = _clear(true)
        wrong = clear is not None and is_outside(clear, evaluated[0][program.slots[id(found.root)]])
    tally.judge("formulas: points", wrong, (found, place))


def mean_value(r: random.Random, tally: Tally) -> None:
    """Mean-value bounds, with and without multipliers, are above no value."""
    found = sample(r, branches=False)
    link = None if found is None else link_of(found)
    if found is None or link is None or link.program.has_where:
        return
    evaluated = link.natural(found.box)
    if evaluated is None:
        return
    values, maybe = evaluated
    signs = [made.has_sign for made in link.program.domains if made.slot in maybe]
    chosen = [Fraction(r.choice(["0", "0.5", "1", "3", "1e-9", "1e9"])) if sign else Fraction(0) for sign in signs]
    for kind, multipliers in (("mean value", None), ("mean value with multipliers", chosen)):
        if multipliers == []:
            continue
        end = mean_value_bound(link, found.box, values, maybe, multipliers, infinite(1))
        wrong = end != end  # no number at all
        bound = None if wrong else exact_end(end)
        for place in found.defined:
            true = _clear(found.values[place][id(found.root)])
            wrong |= bound is not None and true is not None and bool(true < bound)
        tally.judge(f"formulas: {kind}", wrong, (found, multipliers))


def balls(r: random.Random, tally: Tally) -> None:
    """Bounds by balls, natural or by slopes, of a formula or of its negative, are above no value."""
    found = sample(r, branches=False, bowl=r.random() < 0.3)
    link = None if found is None or in_use() != "arb" else link_of(found, ())
    if found is None or link is None:
        return
    sign = r.choice([1, -1])
    link.terms = [(slot, sign) for slot, _ in link.terms]
    for kind, slopes in (("natural", False), ("slopes", True)):
        end = Balls(link).bound(found.box, infinite(1), slopes)
        if end is None:
            continue
        wrong = end != end  # no number at all
        for place in found.defined:
            true = _clear(found.values[place][id(found.root)])
            wrong |= true is not None and bool(sign * true < end)
        tally.judge(f"formulas: balls, {kind}", wrong, (found, sign))


def convex(r: random.Random, tally: Tally) -> None:
    """Tangents that count as lower bounds are above no value, and the formula is defined all over the box."""
    found = sample(r, branches=r.random() < 0.1, bowl=True)
    link = None if found is None else link_of(found)
    if found is None or link is None:
        return
    places = ",".join(str(r.choice([0, SIDE // 2, SIDE, r.randrange(SIDE)])) for _ in found.box)
    try:
        end = Convex(link).bound(f"c:{places}", found.box)
    except RejectedError:
        return
    bound = exact_end(end)
    wrong = end != end or len(found.defined) < len(found.points)
    for place in found.defined:
        true = _clear(found.values[place][id(found.root)])
        wrong |= bound is not None and true is not None and bool(true < bound)
    tally.judge("formulas: convex", wrong, (found, places))


def faces(r: random.Random, tally: Tally) -> None:
    """Where a face is allowed, the formula has a value there too, and it is not higher."""
    found = sample(r, branches=False)
    link = None if found is None else link_of(found, ())  # a hole may be at the face, so holes stay holes here
    if found is None or link is None:
        return
    for axis in (0, 1):
        for rising in (True, False):
            try:
                check_monotone(link, found.box, axis, rising)
            except RejectedError:
                continue
            end = Fraction(found.box[axis][0 if rising else 1])
            tally.judge("formulas: faces", _is_below(found, axis, end), (found, axis, rising))


def _is_below(found: Sample, axis: int, end: Fraction) -> bool:
    """Whether moving some point to the end of the axis makes the formula higher, or undefined."""
    for place in found.defined:
        moved = list(found.points[place])
        moved[axis] = end
        try:
            with many_bits():
                there = values_at(found.root, moved, found.ieee)[id(found.root)]
                if there is None or as_ball(there) > as_ball(found.values[place][id(found.root)]):
                    return True
        except UnclearError:
            continue
    return False


def narrowing(r: random.Random, tally: Tally) -> None:
    """What is left once the value at a point is known, or a little more, still holds every node's value there."""
    found = sample(r, branches=False)
    link = None if found is None else link_of(found, ())
    if found is None or link is None or not found.defined:
        return
    place, slots = r.choice(found.defined), link.program.slots
    known = {}
    for node in [*r.sample(postorder(found.root), 1), found.root]:
        true = _clear(found.values[place][id(node)]) if id(node) in slots else None
        if true is None:
            continue
        low, high = _around(true)
        known[slots[id(node)]] = r.choice([(low, high), (infinite(-1), high), (low, infinite(1))])
    box = {0: between(*found.box[0]), 1: between(*found.box[1])}
    box = {v: box[v] for v in link.program.variables}
    values = narrowed(link.program, box, known)
    wrong = values is None or not all(map(is_interval, values))
    for node in postorder(found.root) if values is not None else []:
        true = _clear(found.values[place][id(node)]) if id(node) in slots else None
        wrong |= true is not None and values is not None and is_outside(true, values[slots[id(node)]])
    tally.judge("formulas: narrowing", wrong, (found, known))


def _around(true: Any) -> tuple[Any, Any]:
    """The checker's interval around a ball: the doubles at its ends, a little widened."""
    low, high = float(true.lower()), float(true.upper())
    size = max(abs(low), abs(high))
    if not size < 1e300:
        return infinite(-1), infinite(1)
    slack = of_double(size * 2.0**-40 + 2.0**-1000)
    pair = (of_double(low), of_double(high))
    return add(pair, neg((slack, slack)))[0], add(pair, (slack, slack))[1]


CHECKS: list[Callable[[random.Random, Tally], Any]] = [
    ranges,
    ranges,
    at_points,
    mean_value,
    mean_value,
    balls,
    balls,
    convex,
    convex,
    faces,
    faces,
    narrowing,
]
