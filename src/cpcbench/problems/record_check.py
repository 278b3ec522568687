"""Points as records: what all three readings say of them, and whether a record is still what it says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.problems.kinds import FAITHFUL, close
from cpcbench.problems.problem import Problem
from cpcbench.problems.records import KINDS, SAME_PLACE, Point, Record
from cpcbench.problems.worth import Worth

MOST_PLACES = 32
"""Of a whole curve of lowest points, no more places than this are kept."""


def read(problem: Problem, x: ArrayLike) -> Worth:
    """The point under the rule ieee: records of both rules are kept together."""
    return Worth.at(problem.with_rule("ieee"), x)


def record_of(problem: Problem, points: Sequence[ArrayLike], *, command: str, version: str, date: str) -> Record | None:
    """A record of the first point, with those of the others that are of its kind and value; None if it is none.

    Values are the same if they agree to the accuracy of a faithful one.
    No record is made of a point that compiled doubles contradict, nor of bounds that are not finite.
    """
    first = read(problem, points[0])
    finite = first.real is None or all(map(math.isfinite, first.real))
    if first.kind_in_box not in KINDS or not first.agrees or not finite:
        return None
    flip = _free_signs(problem, first)
    where: list[Point] = []
    for x in points:
        other = read(problem, x)
        elsewhere = not any(_same_place(problem, other.x, seen, flip) for seen in where)
        if _belongs(other, first) and elsewhere and len(where) < MOST_PLACES:
            where.append(other.x)
    return Record(
        problem=problem.id,
        kind=first.kind,
        rule=first.narrowest_rule,
        value=first.reference,
        real=first.real,
        where=tuple(where),
        flip=flip,
        command=command,
        version=version,
        date=date,
    )


def successor(problem: Problem, new: Record, old: Record | None) -> Record:
    """The new record with the points of the one it beats, as far as they have its value; any other as it is."""
    if old is None or not new.beats(old):
        return new
    points = [*new.points, *old.points]
    joined = record_of(problem, points, command=new.command, version=new.version, date=new.date)
    return new if joined is None else replace(new, where=joined.where)


def objections(problem: Problem, record: Record) -> list[str]:
    """What speaks against a record, in words; none if it holds.

    Compiled doubles are the platform's, so they are not held against a record: see `remarks`.
    """
    if record.problem != problem.id or len(record.x) != problem.dim:
        return [f"a record of {record.problem} with {len(record.x)} variables, not of {problem}"]
    first = read(problem, record.x)
    found = []
    if first.reference != record.value:
        found.append(f"the value is {first.reference!r}, not {record.value!r}")
    kind, rule = first.kind_in_box, first.narrowest_rule
    if (kind, rule) != (record.kind, record.rule):
        found.append(f"it is {kind} under {rule}, not {record.kind} under {record.rule}")
    if not _meet(first.real, record.real):
        found.append(f"the real value lies in {first.real}, not in {record.real}")
    others = record.points[1:]
    off = [x for x in others if not _belongs(read(problem, x), first)]
    if off:
        found.append(
            f"{len(off)} of {len(others)} other points are of another kind or value, such as {off[0].tolist()}"
        )
    return found


def remarks(problem: Problem, record: Record) -> list[str]:
    """What is worth knowing of a record that holds: what compiled doubles make of it on this machine."""
    first = read(problem, record.x)
    return [] if first.agrees else [f"compiled doubles give {first.fast!r} on this machine"]


def _belongs(other: Worth, first: Worth) -> bool:
    return other.kind_in_box == first.kind_in_box and close(other.reference, first.reference, FAITHFUL)


def _free_signs(problem: Problem, first: Worth) -> tuple[int, ...]:
    """The coordinates whose sign changes nothing, one at a time; the product is tried when it is checked."""
    free = []
    for i, value in enumerate(first.x):
        flipped = (*first.x[:i], -value, *first.x[i + 1 :])
        if problem.in_box(flipped) and not _same_place(problem, flipped, first.x, ()):
            other = read(problem, flipped)
            if (other.kind_in_box, other.reference) == (first.kind_in_box, first.reference):
                free.append(i + 1)
    return tuple(free)


def _same_place(problem: Problem, x: Point, seen: Point, flip: tuple[int, ...]) -> bool:
    """Whether two points are at one place, up to free signs."""
    a, b = np.array(x), np.array(seen)
    signs = np.array(flip, dtype=int) - 1
    a[signs], b[signs] = np.abs(a[signs]), np.abs(b[signs])
    return bool((np.abs(a - b) <= SAME_PLACE * (problem.upper - problem.lower)).all())


def _meet(a: tuple[float, float] | None, b: tuple[float, float] | None) -> bool:
    """Whether two enclosures can be of the same number; no value is like no value only."""
    if a is None or b is None:
        return a is b
    return a[0] <= b[1] and b[0] <= a[1]
