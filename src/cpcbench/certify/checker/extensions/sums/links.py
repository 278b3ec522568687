"""Sums proven link by link: each link bounds some of the terms, and tables that cancel shift weight between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from cpcbench.certify.checker.core.intervals import NOWHERE, Interval, meet, whole_line
from cpcbench.certify.checker.core.link import Link
from cpcbench.certify.checker.core.numbers import End, infinite, of_double
from cpcbench.certify.checker.core.program import Filler, Program
from cpcbench.certify.checker.core.steps import Step, Values, Where
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.core.task import Task
from cpcbench.certify.checker.core.trees import tokens_of
from cpcbench.certify.checker.extensions.sums import periods, straight_conditions, tables
from cpcbench.certify.checker.extensions.sums.tables import Shift, Table, read_table
from cpcbench.certify.checker.ground.fields import field, listed, only, read_double, text, whole, wholes
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import variables

NAME = "sums"
MOST_TERMS = 100_000

Ranges = list[tuple[float, float]]


@dataclass(frozen=True)
class Proven:
    """What a sum is proven to be once its trees hold: at least `bound` ("min") or at most ("max")."""

    node: Expr
    side: str
    bound: float

    @property
    def range(self) -> Interval:
        bound = of_double(self.bound)
        return (bound, infinite(1)) if self.side == "min" else (infinite(-1), bound)


def lower_end(subject: Subject, proven: Sequence[Proven], fillers: Sequence[Filler]) -> End | None:
    """The lower end of the formula over its box, from what is proven of its sums; None if it is defined nowhere."""
    program = Program([subject.root], subject.numbers, ieee=subject.ieee, fillers=fillers)
    subject.rests_on.update(program.rests_on)
    for sum_ in proven:
        if id(sum_.node) in program.slots:
            _restrict(program, program.slots[id(sum_.node)], sum_.range)
    evaluated = program.ranges(subject.box)
    return None if evaluated is None else evaluated[0][program.slots[id(subject.root)]][0]


def _restrict(program: Program, slot: int, known: Interval) -> None:
    """Lets what is known of a slot count from now on; constants, variables and branches stay as they are."""
    for place, made in enumerate(program.steps):
        if made.slot == slot and not isinstance(made, Where):
            program.steps[place] = _Restricted(made, known)


class _Restricted(Step):
    """A step whose value is known to lie in an interval besides."""

    def __init__(self, inner: Step, known: Interval) -> None:
        super().__init__(inner.op, inner.slot, inner.args, inner.number)
        self.inner, self.known = inner, known

    def run(self, values: Values) -> int:
        state = self.inner.run(values)
        shared = meet(values[self.slot], self.known)
        values[self.slot] = shared or whole_line()
        return NOWHERE if shared is None else state


def terms_of(node: Expr) -> list[tuple[int, Expr]]:
    """The terms of a sum with their signs, from left to right; add, sub and neg are taken apart."""
    found: list[tuple[int, Expr]] = []
    waiting = [(1, node)]
    while waiting:
        sign, part = waiting.pop()
        if part.op in ("add", "sub"):
            waiting += [(-sign if part.op == "sub" else sign, part.args[1]), (sign, part.args[0])]
        elif part.op == "neg":
            waiting.append((-sign, part.args[0]))
        else:
            found.append((sign, part))
            if len(found) > MOST_TERMS:
                raise RejectedError(f"a sum of more than {MOST_TERMS:,} terms")
    return found


def read_sum(subject: Subject, data: object, which: int, fillers: Sequence[Filler]) -> tuple[Proven, list[Task]]:
    """What a sum claims, and the trees it rests on; all but the trees is checked here."""
    only(data, {"node", "side", "bound", "links", "tables", "periods", "ranges"})
    subject.rests_on.add(NAME)
    name = f"sum {which}"
    node, side, bound = subject.node(field(data, "node")), field(data, "side"), read_double(field(data, "bound"))
    if side not in ("min", "max"):
        raise RejectedError(f"{name}: the side is neither 'min' nor 'max'")
    terms = [(sign if side == "min" else -sign, term) for sign, term in terms_of(node)]
    try:
        ranges = _ranges(subject, [term for _, term in terms], data)
    except RejectedError as trouble:
        raise RejectedError(f"{name}: {trouble}") from None
    shifts = _tables(subject, ranges, field(data, "tables"), name)
    links = listed(field(data, "links"))
    tasks = [
        replace(_task(subject, ranges, terms, shifts, link, f"{name}, link {place}", fillers), sum=which)
        for place, link in enumerate(links)
    ]
    _check_whole(links, len(terms), shifts, name)
    total = sum((Fraction(task.link.threshold) for task in tasks), Fraction(0))
    if total < Fraction(bound if side == "min" else -bound):
        raise RejectedError(f"{name}: the thresholds do not add up to its bound {bound!r}")
    return Proven(node, side, bound), tasks


def _ranges(subject: Subject, terms: list[Expr], data: Any) -> Ranges:
    """The ranges of the variables in a sum: their bounds, one period, or what straight conditions leave."""
    turns, stated = data.get("periods", {}), data.get("ranges", [])
    if turns and stated:
        raise RejectedError("it has periods and ranges, of which one excludes the other")
    if turns:
        subject.rests_on.add(periods.NAME)
    if stated:
        subject.rests_on.add(straight_conditions.NAME)
    return straight_conditions.narrowed(subject, periods.ranges_of(subject, terms, turns), stated)


def _tables(subject: Subject, ranges: Ranges, data: object, name: str) -> dict[int, Table]:
    if not isinstance(data, dict):
        raise RejectedError(f"{name}: its tables should be an object")
    found: dict[int, Table] = {}
    for key, value in data.items():
        if not isinstance(key, str) or not key.isascii() or not key.isdigit() or len(key) > 9 or str(int(key)) != key:
            raise RejectedError(f"{name}: {str(key)[:40]!r} is no variable")
        variable = whole(int(key), len(ranges))
        try:
            only(value, {"breaks", "values"})
            found[variable] = read_table(value, *ranges[variable])
        except RejectedError as trouble:
            raise RejectedError(f"{name}, table on variable {variable}: {trouble}") from None
    if found:
        subject.rests_on.add(tables.NAME)
    return found


def _task(
    subject: Subject,
    ranges: Ranges,
    terms: list[tuple[int, Expr]],
    shifts: dict[int, Table],
    data: Any,
    name: str,
    fillers: Sequence[Filler],
) -> Task:
    try:
        only(data, {"terms", "variables", "threshold", "plus", "minus", "tree"})
        chosen = [terms[t] for t in wholes(field(data, "terms"), len(terms))]
        signs = [(v, s) for key, s in (("plus", 1), ("minus", -1)) for v in _listed_tables(data, key, shifts)]
        used = sorted({*variables(*(term for _, term in chosen)), *(v for v, _ in signs)})
        if wholes(field(data, "variables"), len(subject.bounds)) != used:
            raise RejectedError(f"its variables should be {used}"[:200])
        program = Program([term for _, term in chosen], subject.numbers, ieee=subject.ieee, fillers=fillers)
        subject.rests_on.update(program.rests_on)
        link = Link(
            name,
            program,
            used,
            [(program.slots[id(term)], sign) for sign, term in chosen],
            read_double(field(data, "threshold")),
            tuple(ranges[v] for v in used),
            [Shift(used.index(v), sign, shifts[v]) for v, sign in signs],
        )
        return Task(link, tokens_of(text(field(data, "tree"))), subject)
    except RejectedError as trouble:
        raise RejectedError(f"{name}: {trouble}") from None


def _listed_tables(data: Any, key: str, shifts: dict[int, Table]) -> list[int]:
    found = wholes(field(data, key), 1 << 30)
    for variable in found:
        if variable not in shifts:
            raise RejectedError(f"there is no table on variable {variable}")
    return found


def _check_whole(links: list[Any], terms: int, shifts: dict[int, Table], name: str) -> None:
    """Every term is in one link, and every table is added in one link and taken off in another."""
    counted = Counter(t for link in links for t in link["terms"])
    wrong = [t for t in range(terms) if counted[t] != 1]
    if wrong:
        raise RejectedError(f"{name}: term {wrong[0]} is in {counted[wrong[0]]} links, not in one")
    for variable in shifts:
        added = [place for place, link in enumerate(links) if variable in link["plus"]]
        taken = [place for place, link in enumerate(links) if variable in link["minus"]]
        if len(added) != 1 or len(taken) != 1 or added == taken:
            raise RejectedError(
                f"{name}: the table on variable {variable} is added in links {added} and taken off in {taken}, "
                "so it does not cancel"
            )
