"""Sums proven link by link, with tables that the links lend each other, as terms of Coq."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from cpcbench.certify.certificate.schema import ProvenSum, ProvenTable
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.extensions.fillers.all import FILLERS
from cpcbench.certify.checker.extensions.sums.links import read_sum, terms_of
from cpcbench.certify.coq.language import Formula, rational
from cpcbench.certify.coq.trees import tree
from cpcbench.errors import CpcbenchError

MANY = "(Long.PtoP 200)"
"""Bits that tell a range from 2 pi, which it may be longer than by the last bit of a double."""

Sides = Sequence[tuple[Fraction, Fraction]]


@dataclass(frozen=True)
class Sum:
    """What Coq reads, the proof that it gives for a point, and the sides in which the point has to be.

    Those of the variables in `narrowed` are less than the bounds: straight conditions leave no more.
    """

    lines: str
    proof: str
    sides: Sides
    narrowed: frozenset[int] = frozenset()


def by_sum(subject: Subject, formula: Formula, sum_: ProvenSum, data: Any, bound: float, checked: str) -> Sum:
    """The sum of a certificate, whose entry there is `data`; the whole formula's if that is the sum, else a part's."""
    node = subject.node(sum_.node)
    _, tasks = read_sum(subject, data, 0, FILLERS)
    terms = terms_of(node)
    bounds = [(Fraction(low), Fraction(high)) for low, high in subject.bounds]
    sides = list(bounds)
    for task in tasks:
        for variable, (low, high) in zip(task.link.variables, task.link.box, strict=True):
            sides[variable] = Fraction(low), Fraction(high)
    links, of = [], {}
    for place, (task, link) in enumerate(zip(tasks, sum_.links, strict=True)):
        of.update(dict.fromkeys(link.terms, place))
        conditions = [c for k in sorted(link.terms, reverse=True) for c in formula.of(terms[k][1]).conditions]
        links.append(f"({rational(Fraction(link.threshold))}, {tree(task, conditions)})")
    least = "true" if sum_.side == "min" else "false"
    reached = Fraction(bound) * (1 if sum_.side == "min" else -1)
    tables = [_exchange(sum_, int(variable), table) for variable, table in sum_.tables.items()]
    lines = (
        f"Definition part : expr := {formula.of(node).term}.\n"
        f"Definition part_bound : rational := {rational(reached)}.\n"
        f"Definition part_box : list side := {box(sides)}.\n"
        f"Definition tables : list exchange := [{'; '.join(tables)}].\n"
        f"Definition links : list link := [{'; '.join(links)}].\n"
        f"Definition linked : list nat := [{'; '.join(str(of[k]) for k in range(len(terms)))}]%nat.\n"
        f"Definition summed : expr := sum_part {least} part.\n"
        "Lemma part_checked : check_sum digits depth summed part_bound linked tables links part_box = true.\n"
        f"{checked}"
    )
    proof = "(by_links digits depth summed part_bound linked tables links part_box part_checked)"
    if sum_.periods:
        lines += f"Lemma turned : ByLong.turned_sides {MANY} summed 0 box part_box = true.\n{checked}"
        proof = f"(ByLong.by_turns {MANY} summed part_bound box part_box turned {proof})"
        return Sum(lines, proof, bounds)
    return Sum(lines, proof, sides, frozenset(k for k, side in enumerate(bounds) if side != sides[k]))


def box(sides: Sides) -> str:
    return f"[{'; '.join(f'({rational(low)}, {rational(high)})' for low, high in sides)}]"


def _exchange(sum_: ProvenSum, variable: int, table: ProvenTable) -> str:
    """A table on a variable, with the link that has it added and the one that has it taken off."""
    values = [value for value in table.values if isinstance(value, float | int)]
    if len(values) != len(table.breaks):
        raise CpcbenchError("tables with jumps have no theorem yet")
    marks = "; ".join(
        f"({rational(Fraction(place))}, {rational(Fraction(value))})"
        for place, value in zip(table.breaks, values, strict=True)
    )
    plus = next(k for k, link in enumerate(sum_.links) if variable in link.plus)
    minus = next(k for k, link in enumerate(sum_.links) if variable in link.minus)
    return f"(({variable}%nat, of_marks [{marks}]), ({plus}%nat, {minus}%nat))"
