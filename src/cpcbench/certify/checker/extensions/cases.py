"""Formulas with where(), case by case: in each a test holds or fails, and the branch taken stands alone.

The case also gets the condition that its test holds, as 0*sqrt(b - a) for a < b or a <= b, so that its domain has
every point of the formula's own at which the test comes out so, and the same values there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from cpcbench.certify.checker.core.program import Filler
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.core.task import Task, nothing_at_all, whole_formula
from cpcbench.certify.checker.ground.fields import field, listed, only
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.nodes import Expr, node
from cpcbench.expr.walk import postorder

NAME = "cases"
MOST_CASES = 64

Outcomes = tuple[bool, ...]


@dataclass(frozen=True)
class Case:
    """`outcomes` are those of the tests in the order in which they are met; `subject` is about the formula of the case.

    `strict` has the numbers of the roots whose operands are not 0 in the case itself.
    """

    outcomes: Outcomes
    subject: Subject
    strict: frozenset[int]


@dataclass(frozen=True)
class _Open:
    """A formula in which some tests are decided, and the conditions that they are so."""

    root: Expr
    outcomes: Outcomes = ()
    roots: tuple[tuple[Expr, bool], ...] = ()

    def decided(self, test: Expr, holds: bool) -> _Open:
        a, b = test.args
        root = node("sqrt", b - a if holds else a - b)
        strict = (test.op == "lt") == holds
        return _Open(_taken(self.root, test, holds), (*self.outcomes, holds), (*self.roots, (root, strict)))


def cases_of(subject: Subject) -> list[Case]:
    """All cases of a formula, those in which the first test holds first."""
    subject.rests_on.add(NAME)
    found: list[Case] = []
    waiting = [_Open(subject.root)]
    while waiting:
        now = waiting.pop()
        test = next_test(now.root)
        if test is None:
            found.append(_case(subject, now))
        else:
            waiting += [now.decided(test, False), now.decided(test, True)]
        if len(found) + len(waiting) > MOST_CASES:
            raise RejectedError(f"there are more than {MOST_CASES} cases")
    return found


def next_test(root: Expr) -> Expr | None:
    """The test of the first where(), in the order of the numbers, that is in no branch of another; None without.

    No where() is in its operands: that one would come before.
    """
    live, waiting = {id(root)}, [root]
    while waiting:
        part = waiting.pop()
        for arg in part.args[:1] if part.op == "where" else part.args:
            if id(arg) not in live:
                live.add(id(arg))
                waiting.append(arg)
    return next((part.args[0] for part in postorder(root) if part.op == "where" and id(part) in live), None)


def _taken(root: Expr, test: Expr, holds: bool) -> Expr:
    """The formula in which every where() with this test is the branch that it takes."""
    made: dict[int, Expr] = {}
    for part in postorder(root):
        args = [made[id(a)] for a in part.args]
        if part.op == "where" and part.args[0] is test:
            made[id(part)] = args[1 if holds else 2]
        else:
            same = all(new is old for new, old in zip(args, part.args, strict=True))
            made[id(part)] = part if same else node(part.op, *args)
    return made[id(root)]


def _case(subject: Subject, now: _Open) -> Case:
    root = now.root
    for condition, _ in now.roots:
        root = root + 0 * condition
    about = Subject(subject.name, root, subject.bounds, subject.part, subject.rests_on)
    return Case(now.outcomes, about, frozenset(about.numbers[id(part)] for part, strict in now.roots if strict))


def case_tasks(subject: Subject, data: object, fillers: Sequence[Filler], empty: bool) -> list[Task]:
    """A tree for each case, in their order."""
    expected = cases_of(subject)
    tasks = []
    for case, part in zip(expected, listed(data, len(expected)), strict=True):
        only(part, {"holds", "lower"})
        if not _says(field(part, "holds"), case.outcomes):
            raise RejectedError(f"its cases are not those of the formula: {list(case.outcomes)} should come here")
        lower = field(part, "lower")
        if field(lower, "by") != "tree":
            raise RejectedError("the lower bound in a case is by a tree")
        made = nothing_at_all if empty else whole_formula
        task = replace(made(case.subject, lower, fillers), strict=case.strict)
        task.link.name = f"the tree of the case {list(case.outcomes)}"
        tasks.append(task)
    return tasks


def _says(data: Any, outcomes: Outcomes) -> bool:
    said = listed(data)
    return len(said) == len(outcomes) and all(a is b for a, b in zip(said, outcomes, strict=True))


def check_exponents(subject: Subject) -> None:
    """Rejects where a case may have more points than the formula: an exponent that varies becomes a number in it."""
    for power in subject.order:
        if power.op == "pow" and any(part.op == "where" for part in postorder(power.args[1])):
            raise RejectedError("whether the infimum is attained is not decided with where() in an exponent")
