"""A box without some of its ends: what is proven on a part with all of them holds on the whole.

Theorem. Let B be a part of the box, and let every value outside B be above U. If some value in B is at most U, then
the infimum over B, whether it is attained, and where, is that over the whole box. If there is no value outside B and
none in it, there is none. If there is no lower bound on B, there is none.

Outside, a tree splits the whole box at numbers that it names, and takes the end of an axis along which the formula is
monotone; each of its leaves lies in B, or its natural range is above U, or the formula is defined nowhere on it.
Infinite ends are those of intervals: there is no bound on that side.
"""

from __future__ import annotations

import math
import re

from cpcbench.certify.checker.core.link import Box, Link
from cpcbench.certify.checker.core.mean_value import check_monotone
from cpcbench.certify.checker.core.numbers import End, infinite, of_double, shown
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.core.trees import NATURAL, Place, is_inside, tokens_of
from cpcbench.certify.checker.ground.clock import look_at_clock
from cpcbench.certify.checker.ground.fields import doubles, field, only, text
from cpcbench.certify.checker.ground.verdict import RejectedError

INSIDE = "b"
MOST_OPEN = 100_000
_SPLIT = re.compile(r"u([0-9]{1,6}):([0-9]{1,9})", re.ASCII)
_FACE = re.compile(r"([lh])([0-9]{1,6})", re.ASCII)


def check_outside(subject: Subject, data: object, upper: float | None) -> int:
    """Rejects unless every value outside the subject's bounds is above `upper`, or there is none where that is None;
    gives the number of leaves."""
    only(data, {"box", "tree", "at"})
    if subject.part == "thin":
        raise RejectedError("reach: thin sets need a box with all its ends")
    subject.rests_on.add("reach")
    link = outside_of(subject)
    tokens, places = tokens_of(text(field(data, "tree"))), doubles(field(data, "at"))
    limit = infinite(1) if upper is None else of_double(upper)
    waiting = [Place(link.box, link.box)]
    leaves = 0
    for number, token in enumerate(tokens):
        if not waiting or len(waiting) > MOST_OPEN:
            raise RejectedError(f"reach: the tree goes on too long, at token {number}")
        try:
            parts = _follow(link, token, places, waiting.pop(), tuple(subject.bounds), limit)
        except RejectedError as trouble:
            raise RejectedError(f"reach, at token {number}: {trouble}") from None
        leaves += not parts
        waiting += reversed(parts)
        look_at_clock()
    if waiting:
        raise RejectedError("reach: the tree ends too early")
    return leaves


def outside_of(subject: Subject) -> Link:
    """The formula over the whole box; made for the precision of the moment."""
    program = Program([subject.root], subject.numbers, ieee=subject.ieee)
    variables, term = list(range(len(subject.whole))), (program.slots[id(subject.root)], 1)
    return Link("what is outside", program, variables, [term], -math.inf, tuple(subject.whole))


def least(link: Link, box: Box) -> End | None:
    """What no value on the box is below; None if the formula is defined nowhere on it."""
    evaluated = link.natural(box)
    return None if evaluated is None else link.natural_bound(evaluated[0], box)


def face(link: Link, box: Box, axis: int, rising: bool) -> Box:
    """The side of the box, which must have one there, where the formula is least along an axis."""
    end = box[axis][0] if rising else box[axis][1]
    if math.isinf(end):
        raise RejectedError(f"axis {axis} has no end there")
    check_monotone(link, box, axis, rising)
    return (*box[:axis], (end, end), *box[axis + 1 :])


def _follow(link: Link, token: str, places: list[float], place: Place, inner: Box, limit: End) -> list[Place]:
    """Checks one token; gives the parts that follow it, none for a leaf."""
    if token == INSIDE:
        if not is_inside(place.whole, inner):
            raise RejectedError("the part is not inside the box of the proof")
        return []
    if token == NATURAL:
        lowest = least(link, place.box)
        if lowest is not None and not lowest > limit:
            raise RejectedError(f"there may be values from {shown(lowest)} on, which is not above {shown(limit)}")
        return []
    turned = _FACE.fullmatch(token)
    if turned is not None:
        return [Place(face(link, place.box, _axis(link, turned[2]), turned[1] == "l"), place.whole)]
    cut = _SPLIT.fullmatch(token)
    if cut is None or int(cut[2]) >= len(places):
        raise RejectedError(f"{token[:40]!r} is no token")
    axis, middle = _axis(link, cut[1]), places[int(cut[2])]
    low, high = place.box[axis]
    if not low < middle < high:
        raise RejectedError(f"{middle!r} is not inside ({low!r}, {high!r})")
    return [
        Place(*((*box[:axis], pair, *box[axis + 1 :]) for box in place)) for pair in ((low, middle), (middle, high))
    ]


def _axis(link: Link, text: str) -> int:
    axis = int(text)
    if axis >= len(link.variables):
        raise RejectedError(f"axis {axis} does not exist: there are {len(link.variables)}")
    return axis
