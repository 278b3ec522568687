"""The mean-value form: a lower bound from the slopes over a box, with conditions that may fail held apart.

Operations that may be undefined on the box are frozen: their values count as independent of the point. What is
left has slopes D, and from a point c of the box the sum is at least its value at c plus the least of D (x - c).
A multiple of a condition a >= 0 may be taken off beforehand, since it is not negative where the sum is defined.
"""

from __future__ import annotations

from cpcbench.certify.checker.intervals import (
    ONE,
    WHOLE,
    ZERO,
    Ball,
    Interval,
    add,
    between,
    exact,
    magnitude,
    mul,
    neg,
    scale,
    single,
    sub,
)
from cpcbench.certify.checker.link import Box, Link
from cpcbench.certify.checker.steps import Step, Values, give
from cpcbench.certify.checker.verdict import RejectedError

NEARLY = (1e-15, 1e-13, 1e-11)
"""How far above 0, relative to its size, a condition may be to count as open for another program's rounding."""


def mean_value_bound(
    link: Link, box: Box, values: Values, maybe: set[int], multipliers: list[float] | None, goal: Ball
) -> Ball:
    """The bound; `values` and `maybe` are those of the natural evaluation over the box.

    What needs more time is tried only if the goal is not met without.
    """
    if link.program.has_where:
        raise RejectedError("there is no mean-value form with where()")
    held = maybe if multipliers is None else _open_conditions(link, values, maybe, len(multipliers))
    open_ = [made for made in link.program.domains if made.slot in held]
    taken = _taken(open_, multipliers or [0.0] * len(open_))
    slopes = _slopes(link, box, values, held, taken)
    centre = tuple(_centre(pair, slope) for pair, slope in zip(box, slopes, strict=True))
    levelled = [_is_levelled(pair, slope) for pair, slope in zip(box, slopes, strict=True)]
    found = _at(link, box, centre, values, held, taken)
    for pair, place, slope, level in zip(box, centre, slopes, levelled, strict=True):
        if not level:
            found = add(found, mul(slope, sub(between(*pair), single(exact(place[0])))))
    if found[0] >= goal:
        return found[0]
    faces = tuple(place if level else pair for pair, place, level in zip(box, centre, levelled, strict=True))
    return _larger(found[0], _at(link, box, faces, values, held, taken)[0])


def _larger(a: Ball, b: Ball) -> Ball:
    return b if not a.is_finite() or b > a else a


def _open_conditions(link: Link, values: Values, maybe: set[int], count: int) -> set[int]:
    """The operations to freeze, as many as there are multipliers.

    Those that may be undefined, or if these are too few, also those that are nearly so: freezing more
    than needed is sound, and a prover with coarser rounding has to.
    """
    if len(maybe) == count:
        return maybe
    for nearness in NEARLY:
        near = {made.slot for made in link.program.domains if _is_near(made, values, nearness)} | maybe
        if len(near) == count:
            return near
    raise RejectedError(f"{count} multipliers for {len(maybe)} open conditions")


def _is_near(made: Step, values: Values, nearness: float) -> bool:
    operand = values[made.watched[0]] or WHOLE
    if made.op == "arcsin":
        operand = sub(single(ONE), magnitude(operand))
    low, high = operand
    size = abs(low).max(abs(high)) if low.is_finite() and high.is_finite() else exact(1.0)
    reach = exact(nearness) * (1 + size)
    return not low > reach and not high < -reach


def _taken(open_: list[Step], multipliers: list[float]) -> list[tuple[int, Ball]]:
    """The conditions to be taken off and how many times; only those that say a >= 0."""
    found: list[tuple[int, Ball]] = []
    for made, multiplier in zip(open_, multipliers, strict=True):
        if multiplier and not made.has_sign:
            raise RejectedError(f"a multiplier for {made.op}, whose condition is not that something is >= 0")
        if multiplier:
            found.append((made.args[0], exact(multiplier)))
    return found


def _slopes(link: Link, box: Box, values: Values, held: set[int], taken: list[tuple[int, Ball]]) -> list[Interval]:
    """The slope along each axis of the sum less what is taken off; tables that may jump are left out."""
    weights: Values = [None] * len(values)
    for slot, weight in link.seeds().items():
        give(weights, slot, weight)
    for slot, multiplier in taken:
        give(weights, slot, single(-multiplier))
    seeds = {slot: weight for slot, weight in enumerate(weights) if weight is not None}
    adjoint = link.program.slopes(values, seeds, dict.fromkeys(held, False))
    found = [axis_slope(link, adjoint, variable) for variable in link.variables]
    for axis, sign, table in link.tables:
        slope = table.slope(*box[axis])
        if slope is not None:
            found[axis] = add(found[axis], slope if sign > 0 else neg(slope))
    return found


def axis_slope(link: Link, adjoint: Values, variable: int) -> Interval:
    """The slope in one variable from the slopes in all slots."""
    slot = link.program.variables.get(variable)
    return (None if slot is None else adjoint[slot]) or single(ZERO)


def _centre(pair: tuple[float, float], slope: Interval) -> tuple[float, float]:
    low, high = pair
    place = low if slope[0] >= ZERO else high if slope[1] <= ZERO else 0.5 * (low + high)
    return place, place


def _is_levelled(pair: tuple[float, float], slope: Interval) -> bool:
    """Whether the centre is where the sum is least along the axis."""
    return bool(pair[0] == pair[1] or slope[0] >= ZERO or slope[1] <= ZERO)


def _at(link: Link, box: Box, inner: Box, values: Values, held: set[int], taken: list[tuple[int, Ball]]) -> Interval:
    """The range over an inner box, the frozen operations and tables with jumps keeping what they have on the whole."""
    inside = link.program.rerun(values, link.intervals(inner), held)
    found = link.total(inside, _tables(link, box, inner))
    for slot, multiplier in taken:
        found = sub(found, scale(multiplier, inside[slot] or WHOLE))
    return found


def _tables(link: Link, box: Box, inner: Box) -> list[Interval]:
    """The tables over the inner box, or over the whole one where they have no slope."""
    found = []
    for axis, sign, table in link.tables:
        part = table.inside(box[axis], inner[axis])
        found.append(part if sign > 0 else neg(part))
    return found


def falls_or_rises(link: Link, box: Box, axis: int, rising: bool) -> None:
    """Rejects unless the sum is monotone along the axis, whose variable is in no condition that may fail."""
    evaluated = link.natural(box)
    if evaluated is None:
        return
    if link.program.has_where:
        raise RejectedError("there are no slopes with where()")
    values, maybe = evaluated
    variable = link.variables[axis]
    for made in link.program.domains:
        if made.slot in maybe and made.condition >> variable & 1:
            raise RejectedError(
                f"variable {variable} is in the condition of {made.op} (node {made.number}), which may fail"
            )
    adjoint = link.program.slopes(values, link.seeds(), dict.fromkeys(maybe, True))
    slope = axis_slope(link, adjoint, variable)
    for place, sign, table in link.tables:
        if place == axis:
            part = table.slope(*box[axis])
            if part is None:
                raise RejectedError("its table may jump there")
            slope = add(slope, part if sign > 0 else neg(part))
    if not (slope[0] >= ZERO if rising else slope[1] <= ZERO):
        raise RejectedError(f"it is not proven to be {'rising' if rising else 'falling'} along axis {axis}")
