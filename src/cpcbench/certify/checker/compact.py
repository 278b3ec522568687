"""Proof that an infimum is attained: the points with values up to U are compact, and the formula continuous on them.

Let x be a limit of points with values of at most U. If every operation is settled (see `guards`) along them, the
formula is defined at x, and its value there is the limit. So there is a least value. An operation is settled on
the whole box by its range, or else on each leaf of a tree of the lower bound that is not proven to be above U.
"""

from __future__ import annotations

import math
from fractions import Fraction

from cpcbench.certify.checker.guards import Guards, unsettled
from cpcbench.certify.checker.intervals import INFINITE, MINUS_INFINITE, Ball, Interval, between, exact
from cpcbench.certify.checker.narrowing import below, narrowed
from cpcbench.certify.checker.program import Program
from cpcbench.certify.checker.subject import Subject
from cpcbench.certify.checker.sums import Proven, Task
from cpcbench.certify.checker.verdict import RejectedError


def guards_of(subject: Subject, tasks: list[Task], proven: list[Proven], upper: float) -> list[Guards | None]:
    """For each task what its low leaves have to show, so that the infimum is attained once they do."""
    program = Program([subject.root], subject.numbers, ieee=subject.ieee, fill=False)
    box = {v: between(*pair) for v, pair in enumerate(subject.bounds)}
    slots = [program.slots.get(id(sum_.node)) for sum_ in proven]
    known: dict[int, Interval] = {
        slot: _range(sum_) for sum_, slot in zip(proven, slots, strict=True) if slot is not None
    }
    root = program.slots[id(subject.root)]
    known[root] = below(upper)
    loose = unsettled(program, box, known, frozenset().union(*(task.strict for task in tasks)))
    if not loose:
        return [None] * len(tasks)
    values = narrowed(program, box, known) or []
    caps = [math.inf if slot is None else _cap(sum_, values[slot]) for sum_, slot in zip(proven, slots, strict=True)]
    found: list[Guards | None] = []
    for place, task in enumerate(tasks):
        limit = upper if not proven else _limit(tasks, place, caps)
        found.append(_guards(task, limit, loose))
    missing = loose - {number for guards in found if guards is not None for number in guards.numbers}
    if missing:
        raise RejectedError(f"node {min(missing)} may leave its domain in a limit of points with values up to U")
    return found


def thin_guards_of(tasks: list[Task], upper: float) -> list[Guards | None]:
    """The same for thin sets, each with its own formula: the least value on each is attained, or is above U."""
    return [guards_of(task.subject, [task], [], upper)[0] for task in tasks]


def _range(sum_: Proven) -> Interval:
    return (exact(sum_.bound), INFINITE) if sum_.side == "min" else (MINUS_INFINITE, exact(sum_.bound))


def _cap(sum_: Proven, value: Interval | None) -> float:
    """What the sum, with its terms' signs turned for `max`, is at most where the formula is at most U."""
    if value is None:
        return math.inf
    return _above(value[1] if sum_.side == "min" else -value[0])


def _above(ball: Ball) -> float:
    """A double that is no lower."""
    return math.nextafter(float(ball.upper()), math.inf) if ball.is_finite() else math.inf


def _limit(tasks: list[Task], place: int, caps: list[float]) -> float:
    """What one link is at most: the cap of its sum less the thresholds of the other links."""
    sum_ = tasks[place].sum
    cap = caps[sum_]
    if not math.isfinite(cap):
        return math.inf
    others = [t.link.threshold for i, t in enumerate(tasks) if t.sum == sum_ and i != place]
    return math.nextafter(float(Fraction(cap) - sum(map(Fraction, others), Fraction(0))), math.inf)


def _guards(task: Task, limit: float, loose: set[int]) -> Guards | None:
    if not math.isfinite(limit):
        return None
    whole = Guards.of(task, limit, frozenset(loose))
    return Guards.of(task, limit, whole.present) if whole.present else None
