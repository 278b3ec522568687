"""Zeros and minimisers of a function of one variable on an interval, each proven to be alone in its place.

Intervals are halved until range and slope decide: no zero where the range excludes 0, exactly one where the function is
monotone and changes its sign; at most one minimiser where it is convex, none inside where it is monotone. Monotone
counts only where it is continuous, convex only where it is smooth. (Through a kink of |u| it is still monotone if the
slope has one sign with every number from -1 to 1 for that of u, as it is read here.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cpcbench.clock import look_at_clock
from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr
from cpcbench.expr.rewriting import replaced
from cpcbench.expr.walk import postorder
from cpcbench.intervals.boxes import Boxes
from cpcbench.intervals.operations import EVERYWHERE, NOWHERE
from cpcbench.readings.domain.requirements import SPANS, Requirement, domain_requirements
from cpcbench.readings.gradient import derivatives
from cpcbench.studies.symmetry.breaks import Flags, Floats, unbroken

CUT = 0.4871
"""Where an interval is cut: not in the middle, where round numbers are zeros of many formulas."""
FIRST = 256
"""Pieces to begin with."""
SMALLEST = 1e-12
"""Part of the whole interval below which a piece is not cut any more."""
NARROW = 1e-11
"""How narrow an interval around a point gets in the end, relative above 1."""
PAD = 1e-3
MOST_PIECES = 200_000

Side = tuple[float, float]


@dataclass(frozen=True)
class Places:
    """Intervals that hold exactly one such point each (`single`), at most one (`loose`), or any number (`open`).

    No such point is elsewhere. `exists` says that there is one somewhere.
    """

    single: tuple[Side, ...]
    loose: tuple[Side, ...] = ()
    open: tuple[Side, ...] = ()
    exists: bool = False

    def __post_init__(self) -> None:
        if self.at_most is not None and self.at_most < self.at_least:
            raise CpcbenchError("there is such a point, and nowhere for it to be: please report this formula")

    @property
    def at_least(self) -> int:
        return len(self.single) or int(self.exists)

    @property
    def at_most(self) -> int | None:
        """How many points there can be; None if that is not known."""
        return None if self.open else len(self.single) + len(self.loose)


class _Function:
    """A function of x1 and its slope over intervals; each is read by itself, as one may be defined where another is
    not."""

    def __init__(self, part: Expr, rule: str) -> None:
        self.part, self.rule = part, rule
        self.slope = derivatives(part, 1)[0]
        self.read, self.read_slope = Boxes(part, rule), Boxes(self.slope, rule)
        self._unbroken = unbroken(part, rule)

    def continuous(self, a: Floats, b: Floats) -> Flags:
        """On which intervals it is proven to be defined and continuous, their ends included."""
        flags: Flags = (self.read(a[:, None], b[:, None])[2] == EVERYWHERE) & self._unbroken(a, b)
        return flags

    def direction(self, a: Floats, b: Floats) -> Floats:
        """1 where it is continuous and proven to rise, -1 where it falls, 0 where that is not known."""
        down, up, steady = self.read_slope(a[:, None], b[:, None])
        known = self.continuous(a, b) & (steady == EVERYWHERE)
        ways: Floats = np.where(known, (down > 0.0) * 1.0 - (up < 0.0), 0.0)
        return ways


def zeros(part: Expr, low: float, high: float, rule: str) -> Places:
    """Where a function of one variable, x1, is 0; points at which it is undefined are none."""
    function = _Function(part, rule)
    read = function.read
    single: list[Side] = []
    loose: list[Side] = []

    def look(a: Floats, b: Floats) -> Flags:
        """Which pieces are to be cut further; the zeros that are settled are put down."""
        least, most, state = read(a[:, None], b[:, None])
        maybe: Flags = (state != NOWHERE) & (least <= 0.0) & (most >= 0.0)
        for i in np.flatnonzero(maybe & (function.direction(a, b) != 0.0)):
            signs = _sign(read, a[i]) * _sign(read, b[i])
            if signs:
                maybe[i] = False
                if signs < 0:
                    single.append((float(a[i]), float(b[i])))
            elif b[i] - a[i] <= SMALLEST * (high - low):
                maybe[i] = False
                loose.append((float(a[i]), float(b[i])))
        return maybe

    left = _cut_down(look, low, high)
    near = [_narrowed(read, side, _sign(read, side[1])) for side in sorted(single)]
    return Places(tuple(near), tuple(sorted(loose)), left)


def minimisers(part: Expr, low: float, high: float, rule: str) -> Places:
    """Where a function of one variable, x1, is lowest.

    It is so somewhere if it is defined at all and its domain is closed and it continuous in every piece that is left.
    """
    function = _Function(part, rule)
    read, bend = function.read, Boxes(derivatives(function.slope, 1)[0], rule)
    smooth = unbroken(part, rule, kinks=True)
    bowls: list[Side] = []
    best = np.inf

    def goes_on(a: Floats, b: Floats) -> Flags:
        """Pieces around which the function goes one way only, a little beyond both ends too."""
        room = PAD * (b - a)
        before, after = np.minimum(a - room, np.nextafter(a, -np.inf)), np.maximum(b + room, np.nextafter(b, np.inf))
        steep: Flags = (before > low) & (after < high) & (function.direction(before, after) != 0.0)
        return steep

    def look(a: Floats, b: Floats) -> Flags:
        nonlocal best
        middle = ((a + b) / 2)[:, None]
        _, value, there = read(middle, middle)
        best = min([best, *value[there == EVERYWHERE].tolist()])
        least, _, state = read(a[:, None], b[:, None])
        maybe = (state != NOWHERE) & (least <= best) & ~goes_on(a, b)
        up, _, bent = bend(a[:, None], b[:, None])
        steady = function.read_slope(a[:, None], b[:, None])[2]
        bowl = maybe & (state == EVERYWHERE) & smooth(a, b) & (steady == EVERYWHERE) & (bent == EVERYWHERE) & (up > 0.0)
        bowls.extend(zip(a[bowl].tolist(), b[bowl].tolist(), strict=True))
        rest: Flags = maybe & ~bowl
        return rest

    left = _cut_down(look, low, high)
    near = [_narrowed(function.read_slope, side, 1) for side in _joined(bowls)]
    best = min([best, *(_value(read, (a + b) / 2)[1] for a, b in near)])
    bottoms = tuple(side for side in near if _over(read, side)[0] <= best)
    edges = tuple(side for side in left if _is_edge(function, side) or _is_tip(function, side))
    unsettled = tuple(side for side in left if side not in edges)
    exists = best < np.inf and all(function.continuous(*_arrays(side))[0] for side in unsettled)
    return Places((), tuple(sorted(bottoms + edges)), unsettled, bool(exists))


def _arrays(side: Side) -> tuple[Floats, Floats]:
    return np.array(side[:1]), np.array(side[1:])


def _over(read: Boxes, side: Side) -> tuple[float, float, int]:
    """The range over one interval and how far the function is defined there."""
    least, most, state = read([[side[0]]], [[side[1]]])
    return float(least[0]), float(most[0]), int(state[0])


def _value(read: Boxes, x: float) -> Side:
    """Bounds on a function at a point; infinite where it may be undefined."""
    least, most, state = _over(read, (x, x))
    return (least, most) if state == EVERYWHERE else (-np.inf, np.inf)


def _sign(read: Boxes, x: float) -> int:
    """The sign of a function at a point, 0 if it is not known."""
    least, most = _value(read, x)
    return 1 if least > 0.0 else -1 if most < 0.0 else 0


def _narrowed(read: Boxes, side: Side, last: int) -> Side:
    """An interval halved towards where a monotone function comes to its last sign, as long as signs are known."""
    low, high = side
    while high - low > NARROW * max(1.0, abs(low)):
        middle = (low + high) / 2
        sign = _sign(read, middle)
        if not sign:
            return low, high
        low, high = (low, middle) if sign == last else (middle, high)
    return low, high


def _is_edge(function: _Function, side: Side) -> bool:
    """Whether a function is defined on one closed interval within this one, if at all, and monotone there.

    So it is where each condition holds with room to spare, or says that something monotone is not negative.
    """
    part, rule = function.part, function.rule
    needs = domain_requirements(part, rule=rule)
    if not unbroken(part, rule)(*_arrays(side))[0] or not all(_closed(need, side, rule) for need in needs):
        return False
    down, up, _ = _over(function.read_slope, side)
    return down > 0.0 or up < 0.0


def _closed(need: Requirement, side: Side, rule: str) -> bool:
    if need.exponent is not None or need.relation == "whole":
        return False
    least, most, state = _over(Boxes(need.operand, rule), side)
    if state == NOWHERE:
        return False
    span = SPANS.get(need.relation)
    if span is not None and span.low:
        return least > span.low and (span.is_half_line or most < span.high)
    if least > 0.0 or (need.relation == "nonzero" and most < 0.0):
        return True
    return need.relation == "nonnegative" and bool(_Function(need.operand, rule).direction(*_arrays(side))[0])


def _is_tip(function: _Function, side: Side) -> bool:
    """Whether a function falls up to the one kink of an |u| within this interval, and rises after it."""
    ends = _arrays(side)
    kinks = [
        node for node in postorder(function.part)
        if node.op == "abs" and not unbroken(node, function.rule, kinks=True)(*ends)[0]
    ]  # fmt: skip
    if len(kinks) != 1:
        return False
    inside = kinks[0].args[0]
    ways = [_Function(inside, function.rule)]
    ways += [_Function(replaced(function.part, {id(kinks[0]): u}), function.rule) for u in (-inside, inside)]
    turn, before, after = (way.direction(*ends)[0] for way in ways)
    return bool(before == -turn and after == turn and turn)


def _cut_down(look: Callable[[Floats, Floats], Flags], low: float, high: float) -> tuple[Side, ...]:
    """Cuts pieces until `look` lets none through; those too small to be cut, joined where they touch."""
    ends = np.linspace(low, high, FIRST + 1)
    ends[1:-1] += (high - low) / FIRST * (CUT - 0.5)
    a, b = ends[:-1], ends[1:]
    left: list[Side] = []
    while len(a):
        look_at_clock()
        kept = look(a, b)
        a, b = a[kept], b[kept]
        small = b - a <= SMALLEST * (high - low)
        if len(a) > MOST_PIECES:
            small[:] = True
        left += zip(a[small].tolist(), b[small].tolist(), strict=True)
        a, b = a[~small], b[~small]
        middle = a + CUT * (b - a)
        order = np.argsort(np.concatenate([a, middle]), kind="stable")
        a, b = np.concatenate([a, middle])[order], np.concatenate([middle, b])[order]
    return tuple(_joined(left))


def _joined(pieces: list[Side]) -> list[Side]:
    """Pieces that touch, as one."""
    found: list[Side] = []
    for low, high in sorted(pieces):
        if found and low <= found[-1][1]:
            found[-1] = found[-1][0], max(high, found[-1][1])
        else:
            found.append((low, high))
    return found
