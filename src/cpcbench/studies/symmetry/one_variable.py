"""Zeros and minimisers of a function of one variable on an interval, each proven to be alone in its place.

Intervals are halved until range and slope decide: no zero where the range excludes 0, exactly one where the function is
monotone and changes its sign; at most one minimiser where it is convex, none inside where it is monotone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cpcbench.clock import look_at_clock
from cpcbench.expr.functions import JUMPS
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import postorder
from cpcbench.intervals.boxes import ManyBoxes
from cpcbench.intervals.operations import EVERYWHERE, NOWHERE
from cpcbench.readings.domain.requirements import domain_requirements, is_proven
from cpcbench.readings.gradient import derivatives

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

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Side = tuple[float, float]


@dataclass(frozen=True)
class Places:
    """Intervals that hold exactly one such point each (`single`), at most one (`loose`), or any number (`open`)."""

    single: tuple[Side, ...]
    loose: tuple[Side, ...] = ()
    open: tuple[Side, ...] = ()

    @property
    def at_most(self) -> int | None:
        """How many points there can be; None if that is not known."""
        return None if self.open else len(self.single) + len(self.loose)


def zeros(part: Expr, low: float, high: float, rule: str) -> Places:
    """Where a function of one variable, x1, is 0; points at which it is undefined are none."""
    read = ManyBoxes([part, derivatives(part, 1)[0]], rule)
    single: list[Side] = []
    loose: list[Side] = []

    def look(a: Floats, b: Floats) -> Flags:
        """Which pieces are to be cut further; the zeros that are settled are put down."""
        (least, most, state), (down, up, steady) = read(a[:, None], b[:, None])
        maybe = (state != NOWHERE) & (least <= 0.0) & (most >= 0.0)
        monotone = (state == EVERYWHERE) & (steady == EVERYWHERE) & ((down > 0.0) | (up < 0.0))
        for i in np.flatnonzero(maybe & monotone):
            signs = _sign(read, a[i]) * _sign(read, b[i])
            if signs:
                maybe[i] = False
                if signs < 0:
                    single.append((float(a[i]), float(b[i])))
            elif b[i] - a[i] <= SMALLEST * (high - low):
                maybe[i] = False
                loose.append((float(a[i]), float(b[i])))
        found: Flags = maybe
        return found

    left = _cut_down(look, low, high)
    near = [_narrowed(read, 0, side, _sign(read, side[1])) for side in sorted(single)]
    return Places(tuple(near), tuple(sorted(loose)), left)


def minimisers(part: Expr, low: float, high: float, rule: str) -> Places:
    """Where a function of one variable, x1, is lowest; it is somewhere, if no place is `open`."""
    slope = derivatives(part, 1)[0]
    read = ManyBoxes([part, slope, derivatives(slope, 1)[0]], rule)
    bowls: list[Side] = []
    best = np.inf

    def slopes_down(a: Floats, b: Floats) -> Flags:
        """Pieces around which the function goes one way only, a little beyond both ends too."""
        room = PAD * (b - a)
        (_, _, state), (down, up, steady), _ = read((a - room)[:, None], (b + room)[:, None])
        inner = (a - room > low) & (b + room < high)
        steep: Flags = inner & (state == EVERYWHERE) & (steady == EVERYWHERE) & ((down > 0.0) | (up < 0.0))
        return steep

    def look(a: Floats, b: Floats) -> Flags:
        nonlocal best
        middle = ((a + b) / 2)[:, None]
        _, value, there = read(middle, middle)[0]
        best = min([best, *value[there == EVERYWHERE].tolist()])
        (least, _, state), (_, _, steady), (bend, _, bent) = read(a[:, None], b[:, None])
        maybe = (state != NOWHERE) & (least <= best) & ~slopes_down(a, b)
        bowl = maybe & (state == EVERYWHERE) & (steady == EVERYWHERE) & (bent == EVERYWHERE) & (bend > 0.0)
        bowls.extend(zip(a[bowl].tolist(), b[bowl].tolist(), strict=True))
        rest: Flags = maybe & ~bowl
        return rest

    left = _cut_down(look, low, high)
    near = [_narrowed(read, 1, side, 1) for side in _joined(bowls)]
    best = min([best, *(_value(read, (a + b) / 2)[1] for a, b in near)])
    edges = tuple(side for side in left if _is_edge(part, slope, side, rule))
    bottoms = tuple(side for side in near if _lowest(read, side) <= best)
    return Places((), tuple(sorted(bottoms + edges)), tuple(side for side in left if side not in edges))


def _value(read: ManyBoxes, x: float, which: int = 0) -> Side:
    """Bounds on one of the functions at a point; infinite where it may be undefined."""
    least, most, state = read([[x]], [[x]])[which]
    return (float(least[0]), float(most[0])) if state[0] == EVERYWHERE else (-np.inf, np.inf)


def _sign(read: ManyBoxes, x: float, which: int = 0) -> int:
    """The sign of one of the functions at a point, 0 if it is not known."""
    least, most = _value(read, x, which)
    return 1 if least > 0.0 else -1 if most < 0.0 else 0


def _lowest(read: ManyBoxes, side: Side) -> float:
    """A lower bound on the first function over an interval."""
    return float(read([[side[0]]], [[side[1]]])[0][0][0])


def _narrowed(read: ManyBoxes, which: int, side: Side, last: int) -> Side:
    """An interval halved towards where a monotone function comes to its last sign, as long as signs are known."""
    low, high = side
    while high - low > NARROW * max(1.0, abs(low)):
        middle = (low + high) / 2
        sign = _sign(read, middle, which)
        if not sign:
            return low, high
        low, high = (low, middle) if sign == last else (middle, high)
    return low, high


def _is_edge(part: Expr, slope: Expr, side: Side, rule: str) -> bool:
    """Whether a function is defined on one closed interval within this one, if at all, and monotone there.

    So it is where each condition holds throughout, or says that something monotone is not negative.
    """
    if any(node.op in JUMPS for node in postorder(part)):
        return False
    needs = domain_requirements(part, rule=rule)
    if any(need.exponent is not None for need in needs):
        return False
    low, high = [[side[0]]], [[side[1]]]
    ways = [slope, *(derivatives(need.operand, 1)[0] for need in needs)]
    ranges = [(float(a[0]), float(b[0]), int(c[0])) for a, b, c in ManyBoxes(ways, rule)(low, high)]
    operands = ManyBoxes([need.operand for need in needs] or [part], rule)(low, high)
    (down, up, _), *turns = ranges
    for need, (least, most, _), (fall, rise, state) in zip(needs, operands, turns, strict=False):
        holds = is_proven(need.relation, float(least[0]), float(most[0]))
        monotone = state == EVERYWHERE and (fall > 0.0 or rise < 0.0)
        if not holds and not (monotone and need.relation == "nonnegative"):
            return False
    return down > 0.0 or up < 0.0


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
