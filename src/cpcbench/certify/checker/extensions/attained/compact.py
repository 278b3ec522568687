"""Proof that an infimum is attained: the points with values up to U are compact, and the formula continuous on them.

Let x be a limit of points with values of at most U. If every operation is settled (see `settled`) along them, the
formula is defined at x, and its value there is the limit. So there is a least value. An operation is settled on
the whole box by its range, or else on each leaf of a tree of the lower bound that is not proven to be above U.
"""

from __future__ import annotations

from fractions import Fraction

from cpcbench.certify.checker.core.intervals import Interval
from cpcbench.certify.checker.core.numbers import exact
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.core.task import Task
from cpcbench.certify.checker.extensions import narrowing
from cpcbench.certify.checker.extensions.narrowing import below, narrowed
from cpcbench.certify.checker.extensions.settled import Guards, unsettled
from cpcbench.certify.checker.extensions.sums.links import Proven
from cpcbench.certify.checker.ground.verdict import RejectedError

NAME = "attained: compact"


def guards_of(subject: Subject, tasks: list[Task], proven: list[Proven], upper: Fraction) -> list[Guards | None]:
    """For each task what its low leaves have to show, so that the infimum is attained once they do."""
    subject.rests_on.update((NAME, narrowing.NAME))
    program = Program([subject.root], subject.numbers, ieee=subject.ieee)
    slots = [program.slots.get(id(sum_.node)) for sum_ in proven]
    known: dict[int, Interval] = {
        slot: sum_.range for sum_, slot in zip(proven, slots, strict=True) if slot is not None
    }
    known[program.slots[id(subject.root)]] = below(upper)
    loose = unsettled(program, subject.box, known, frozenset().union(*(task.strict for task in tasks)))
    if not loose:
        return [None] * len(tasks)
    values = narrowed(program, subject.box, known) or []
    caps = [None if slot is None else _cap(sum_, values[slot]) for sum_, slot in zip(proven, slots, strict=True)]
    found: list[Guards | None] = []
    for place, task in enumerate(tasks):
        limit = upper if not proven else _limit(tasks, place, caps)
        found.append(_guards(task, limit, loose))
    missing = loose - {number for guards in found if guards is not None for number in guards.numbers}
    if missing:
        raise RejectedError(f"node {min(missing)} may leave its domain in a limit of points with values up to U")
    return found


def guards_of_each(tasks: list[Task], upper: Fraction) -> list[Guards | None]:
    """The same for thin sets or cases, each with its own formula: the least value of each is attained, or above U."""
    return [guards_of(task.subject, [task], [], upper)[0] for task in tasks]


def _cap(sum_: Proven, value: Interval) -> Fraction | None:
    """What the sum, with its terms' signs turned for `max`, is at most where the formula is at most U."""
    end = exact(value[1] if sum_.side == "min" else value[0])
    return None if end is None else end if sum_.side == "min" else -end


def _limit(tasks: list[Task], place: int, caps: list[Fraction | None]) -> Fraction | None:
    """What one link is at most: the cap of its sum less the thresholds of the other links."""
    cap = caps[tasks[place].sum]
    if cap is None:
        return None
    others = [t.link.threshold for i, t in enumerate(tasks) if t.sum == tasks[place].sum and i != place]
    return cap - sum(map(Fraction, others), Fraction(0))


def _guards(task: Task, limit: Fraction | None, loose: set[int]) -> Guards | None:
    if limit is None:
        return None
    whole = Guards.of(task, limit, frozenset(loose))
    return Guards.of(task, limit, whole.present) if whole.present else None
