"""The mean-value form: a lower bound from the slopes over a box, with conditions that may fail held apart.

Operations that may be undefined on the box are frozen: their values count as independent of the point. (Not so
`given`: its value is defined by the same formula where its condition fails, so it only has the condition.) What is
left has slopes D, and from a point c of the box the sum is at least its value at c plus the least of D (x - c).
A multiple of a condition a >= 0 may be taken off beforehand, since it is not negative where the sum is defined.
"""

from __future__ import annotations

from fractions import Fraction

from cpcbench.certify.checker.core.intervals import Interval, add, between, magnitude, mul, scale, sub
from cpcbench.certify.checker.core.link import Box, Ends, Link
from cpcbench.certify.checker.core.numbers import DOWN, UP, End, is_finite
from cpcbench.certify.checker.core.steps import Applied, Step, Values
from cpcbench.certify.checker.ground.verdict import RejectedError

NEARLY = tuple(Fraction(1, 10**digits) for digits in (15, 13, 11))
"""How far above 0, relative to its size, a condition may be to count as open for another program's rounding."""

Taken = dict[int, End]
"""Multiples of slots that are taken off; any number of at least 0 will do."""


def mean_value_bound(
    link: Link, box: Box, values: Values, maybe: set[int], multipliers: list[Fraction] | None, goal: End
) -> End:
    """The bound; `values` and `maybe` are those of the natural evaluation over the box.

    What needs more time is tried only if the goal is not met without.
    """
    if link.program.has_where:
        raise RejectedError("there is no mean-value form with where()")
    held = maybe if multipliers is None else open_conditions(link, values, maybe, len(multipliers))
    open_ = [made for made in link.program.domains if made.slot in held]
    taken = _taken(open_, multipliers or [Fraction(0)] * len(open_))
    slopes = link.slopes(values, box, dict.fromkeys(held, False), taken)
    centre = tuple(centre_of(pair, slope) for pair, slope in zip(box, slopes, strict=True))
    levelled = [is_levelled(pair, slope) for pair, slope in zip(box, slopes, strict=True)]
    found = _at(link, box, centre, values, held, taken)
    for pair, place, slope, level in zip(box, centre, slopes, levelled, strict=True):
        if not level:
            found = add(found, mul(slope, sub(between(*pair), between(*place))))
    if found[0] >= goal:
        return found[0]
    faces = tuple(place if level else pair for pair, place, level in zip(box, centre, levelled, strict=True))
    return max(found[0], _at(link, box, faces, values, held, taken)[0])


def open_conditions(link: Link, values: Values, maybe: set[int], count: int) -> set[int]:
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


def _is_near(made: Step, values: Values, nearness: Fraction) -> bool:
    operand = values[made.watched[0]]
    if isinstance(made, Applied):
        operand = made.function.domain.room(operand)
    size = magnitude(operand)[1]
    one = UP.rational(Fraction(1))
    reach = UP.mul(UP.rational(nearness), UP.add(one, size if is_finite(size) else one))
    return not operand[0] > reach and not operand[1] < DOWN.neg(reach)


def _taken(open_: list[Step], multipliers: list[Fraction]) -> Taken:
    """The conditions to be taken off and how many times; only those that say a >= 0."""
    found: Taken = {}
    for made, multiplier in zip(open_, multipliers, strict=True):
        if multiplier and not made.has_sign:
            raise RejectedError(f"a multiplier for {made.op}, whose condition is not that something is >= 0")
        if multiplier:
            before = found.get(made.args[0])
            more = UP.rational(multiplier)
            found[made.args[0]] = more if before is None else UP.add(before, more)
    return found


def centre_of(pair: Ends, slope: Interval) -> Ends:
    """A place of the interval: the end at which the sum is least, or some place between."""
    low, high = pair
    place = low if slope[0] >= 0 else high if slope[1] <= 0 else low + (high - low) / 2
    return (place, place) if low <= place <= high else (low, low)


def is_levelled(pair: Ends, slope: Interval) -> bool:
    """Whether the centre is where the sum is least along the axis."""
    return bool(pair[0] == pair[1] or slope[0] >= 0 or slope[1] <= 0)


def _at(link: Link, box: Box, inner: Box, values: Values, held: set[int], taken: Taken) -> Interval:
    """The range over an inner box, the frozen operations and parts that jump keeping what they have on the whole."""
    inside = link.program.rerun(values, link.intervals(inner), held)
    found = link.total(inside, [part.inside(box[part.axis], inner[part.axis]) for part in link.parts])
    for slot, multiplier in taken.items():
        found = sub(found, scale(multiplier, inside[slot]))
    return found


def check_monotone(link: Link, box: Box, axis: int, rising: bool) -> None:
    """Rejects unless the sum is monotone along the axis, whose variable is in no condition that may fail."""
    evaluated = link.natural(box)
    if evaluated is None:
        return
    if link.program.has_where:
        raise RejectedError("there are no slopes with where()")
    values, maybe = evaluated
    variable = link.variables[axis]
    for made in link.program.domains:
        depends = made.condition if made.op in ("div", "given") else link.program.uses[made.slot]
        if made.slot in maybe and depends >> variable & 1:
            raise RejectedError(
                f"variable {variable} is in the condition of {made.op} (node {made.number}), which may fail"
            )
    if any(part.axis == axis and part.slope(*box[axis]) is None for part in link.parts):
        raise RejectedError("its table may jump there")
    slope = link.slopes(values, box, dict.fromkeys(maybe, True), {})[axis]
    if not (slope[0] >= 0 if rising else slope[1] <= 0):
        raise RejectedError(f"it is not proven to be {'rising' if rising else 'falling'} along axis {axis}")
