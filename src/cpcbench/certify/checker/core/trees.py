"""Trees: a box split again and again, with a bound on each part, checked token by token."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, Protocol

from cpcbench.certify.checker.core.link import Box, Link
from cpcbench.certify.checker.core.mean_value import check_monotone, mean_value_bound
from cpcbench.certify.checker.core.numbers import UP, End, of_double, shown
from cpcbench.certify.checker.ground.clock import look_at_clock
from cpcbench.certify.checker.ground.verdict import NotCheckedError, RejectedError

MOST_TOKENS, MOST_SIDES = 8_000_000, 4_000_000
NATURAL, HALF, MOST_HALVINGS = ".", 128, 24
_SPLIT = re.compile(r"([st])([0-9]{1,6}):([0-9]{1,9})", re.ASCII)
_EVEN = re.compile(r"e([0-9]{1,6}):([0-9]{1,2})", re.ASCII)
_FACE = re.compile(r"([lh])([0-9]{1,6})", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,40}(\.[0-9]{0,40})?([eE][+-]?[0-9]{1,3})?", re.ASCII)


class Place(NamedTuple):
    """A part of a tree still to be checked: its box, and the box that the points it speaks for come from."""

    box: Box
    whole: Box


class Guard(Protocol):
    """Something that every low leaf has to show."""

    def check(self, box: Box, /) -> None: ...


@dataclass(frozen=True)
class Watch:
    """What must hold of every leaf on which the sum is not proven to be above `limit`: one of the boxes, if there are
    any, holds it, and the guard accepts it."""

    limit: Fraction
    boxes: Sequence[Box] | None = None
    guard: Guard | None = None

    def check(self, bound: End | None, whole: Box) -> None:
        if bound is None or bound > UP.rational(self.limit):
            return
        if self.boxes is not None and not any(is_inside(whole, box) for box in self.boxes):
            raise RejectedError("a part that is not proven to be above the upper bound is in no box of the optima")
        if self.guard is not None:
            self.guard.check(whole)


def is_inside(inner: Sequence[tuple[float, float]], outer: Sequence[tuple[float, float]]) -> bool:
    return all(a >= c and b <= d for (a, b), (c, d) in zip(inner, outer, strict=True))


def tokens_of(text: str) -> list[str]:
    """The tokens of a tree, separated by single spaces."""
    if text.count(" ") >= MOST_TOKENS:
        raise RejectedError(f"a tree of more than {MOST_TOKENS:,} tokens is too long")
    return text.split(" ")


def start_of(link: Link) -> Place:
    return Place(link.box, link.box)


def check_part(
    link: Link,
    tokens: Sequence[str],
    start: int,
    place: Place,
    watch: Watch | None = None,
) -> tuple[int, int]:
    """Checks the part of a tree that starts at a token; gives where it ends and how many leaves it has."""
    waiting = [place]
    position, leaves = start, 0
    while waiting:
        if position >= len(tokens):
            raise RejectedError(f"{link.name}: the tree ends too early, at {path_of(tokens, position)}")
        try:
            parts = follow(link, tokens[position], waiting.pop(), watch)
        except RejectedError as trouble:
            raise RejectedError(f"{link.name}, at {path_of(tokens, position)}: {trouble}") from None
        leaves += 0 if parts else leaves_of(tokens[position])
        waiting += reversed(parts)
        if len(waiting) * len(link.variables) > MOST_SIDES:
            raise NotCheckedError(f"a tree with {len(waiting):,} open boxes of {len(link.variables):,} variables")
        position += 1
        look_at_clock()
    return position, leaves


def follow(link: Link, token: str, place: Place, watch: Watch | None) -> list[Place]:
    """Checks one token; gives the parts that follow it, none for a leaf."""
    if token[:1] in ("s", "t"):
        return _split(link, token, place)
    if token[:1] in ("l", "h"):
        return [_face(link, token, place)]
    if token[:1] == "e":
        _even(link, token, place, watch)
    else:
        _check_leaf(link, token, place, watch)
    return []


def _check_leaf(link: Link, token: str, place: Place, watch: Watch | None) -> None:
    bound = _leaf(link, token, place.box, watch)
    if watch is not None:
        watch.check(bound, place.whole)


def _even(link: Link, token: str, place: Place, watch: Watch | None) -> None:
    """A box halved along one axis so many times, all of its parts: leaves by their natural ranges."""
    match = _EVEN.fullmatch(token)
    if match is None or int(match[2]) > MOST_HALVINGS:
        raise RejectedError(f"{token[:40]!r} is no token")
    axis = _axis(link, match[1])
    waiting = [(place, int(match[2]))]
    while waiting:
        part, times = waiting.pop()
        if times:
            waiting += [(half, times - 1) for half in reversed(_cut(part, axis, _share(part, axis, HALF), token))]
        else:
            _check_leaf(link, NATURAL, part, watch)


def leaves_of(token: str) -> int:
    """How many leaves a token stands for that no parts follow."""
    match = _EVEN.fullmatch(token)
    return 1 if match is None else 1 << int(match[2])


def _split(link: Link, token: str, place: Place) -> list[Place]:
    match = _SPLIT.fullmatch(token)
    if match is None:
        raise RejectedError(f"{token[:40]!r} is no token")
    axis, k = _axis(link, match[2]), int(match[3])
    if match[1] == "s":
        if not 1 <= k <= 255:
            raise RejectedError(f"{token!r} splits at no 256th from 1 to 255")
        return _cut(place, axis, _share(place, axis, k), token)
    breaks = next((part.breaks for part in link.parts if part.axis == axis), [])
    if k >= len(breaks):
        raise RejectedError(f"{token!r} names no breakpoint: there are {len(breaks)}")
    return _cut(place, axis, breaks[k], token)


def _share(place: Place, axis: int, k: int) -> float:
    """The place of a split, k 256ths of the side: computed in doubles, and so a double, which is the one that is
    meant."""
    low, high = place.box[axis]
    return low + (high - low) * (k / 256)


def _cut(place: Place, axis: int, middle: float, token: str) -> list[Place]:
    low, high = place.box[axis]
    if not low < middle < high:
        raise RejectedError(f"{token!r} splits at {middle!r}, which is not inside ({low!r}, {high!r})")
    return [
        Place(_with(place.box, axis, pair), _with(place.whole, axis, pair)) for pair in ((low, middle), (middle, high))
    ]


def _face(link: Link, token: str, place: Place) -> Place:
    match = _FACE.fullmatch(token)
    if match is None:
        raise RejectedError(f"{token[:40]!r} is no token")
    axis = _axis(link, match[2])
    check_monotone(link, place.box, axis, match[1] == "l")
    low, high = place.box[axis]
    end = low if match[1] == "l" else high
    return Place(_with(place.box, axis, (end, end)), place.whole)


def _axis(link: Link, text: str) -> int:
    axis = int(text)
    if axis >= len(link.variables):
        raise RejectedError(f"axis {axis} does not exist: there are {len(link.variables)}")
    return axis


def _with(box: Box, axis: int, pair: tuple[float, float]) -> Box:
    return (*box[:axis], pair, *box[axis + 1 :])


def _leaf(link: Link, token: str, box: Box, watch: Watch | None) -> End | None:
    """The bound that a leaf gives, at least the threshold; None if the sum is defined nowhere on the box."""
    rule = link.rules.get(token[:1])
    if rule is not None:
        rule.read(token, box)  # also where it is not needed
    multipliers = multipliers_of(token) if rule is None else None
    threshold = of_double(link.threshold)
    limit = None if watch is None else UP.rational(watch.limit)
    quick = _quick_bound(link, box, threshold, limit, rule is None and token != NATURAL)
    if quick is not None:
        return quick
    evaluated = link.natural(box)
    if evaluated is None:
        return None
    values, maybe = evaluated
    bound = link.natural_bound(values, box)
    if token != NATURAL and (not bound >= threshold or (limit is not None and not bound > limit)):
        goal = threshold if limit is None else max(threshold, limit)
        better = (
            mean_value_bound(link, box, values, maybe, multipliers, goal) if rule is None else rule.bound(token, box)
        )
        bound = max(bound, better)
    if not bound >= threshold:
        raise RejectedError(
            f"the bound of leaf {token[:40]!r} is {shown(bound)}, below the threshold {link.threshold!r}"
        )
    return bound


def _quick_bound(link: Link, box: Box, threshold: End, limit: End | None, slopes: bool) -> End | None:
    """A bound that is all that is asked for, if the quick rule has one."""
    if link.quick is None:
        return None
    found = link.quick.bound(box, threshold if limit is None else max(threshold, limit), slopes)
    if found is None or not found >= threshold or (limit is not None and not found > limit):
        return None
    link.quick.used = True
    return found


@lru_cache(maxsize=1 << 16)
def multipliers_of(token: str) -> list[Fraction] | None:
    """The multipliers of a leaf; None if it has none."""
    if token in (NATURAL, "m"):
        return None
    if not token.startswith("m:"):
        raise RejectedError(f"{token[:40]!r} is no token")
    found = []
    for text in token[2:].split(","):
        if not _NUMBER.fullmatch(text):
            raise RejectedError(f"{text[:40]!r} is no multiplier: a decimal number of at least 0")
        found.append(Fraction(text))
    return found


def followers(token: str) -> int:
    """How many parts follow a token, from its first letter."""
    return 2 if token[:1] in ("s", "t") else 1 if token[:1] in ("l", "h") else 0


def path_of(tokens: Sequence[str], position: int) -> str:
    """Where a token stands: L and U for the lower and upper part of each split on the way, F for a face."""
    path: list[str] = []
    for token in tokens[:position]:
        count = followers(token)
        if count:
            path.append("L" if count == 2 else "F")
            continue
        while path and path[-1] != "L":
            path.pop()
        if path:
            path[-1] = "U"
    way = "".join(path)
    way = way if len(way) <= 60 else f"{way[:28]}...{way[-28:]}"
    return f"token {position} (path {way or 'root'})"
