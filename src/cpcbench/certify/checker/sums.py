"""Sums proven link by link: each link bounds some of the terms, and tables that cancel shift weight between them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from cpcbench.certify.checker.affine import narrowed
from cpcbench.certify.checker.link import Link
from cpcbench.certify.checker.periods import ranges_of
from cpcbench.certify.checker.program import Program
from cpcbench.certify.checker.reading import double, field, listed, only, text, whole, wholes
from cpcbench.certify.checker.subject import Subject, terms_of
from cpcbench.certify.checker.tables import Joined, Table
from cpcbench.certify.checker.trees import tokens_of
from cpcbench.certify.checker.verdict import RejectedError
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import variables

Ranges = list[tuple[float, float]]


@dataclass(frozen=True)
class Task:
    """A tree to be checked; `subject` is what it is about, `sum` the place of the sum that its link is of.

    Where the roots in `strict`, by their numbers, are 0 the claim is not about.
    """

    link: Link
    tokens: list[str]
    subject: Subject
    sum: int = 0
    strict: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Proven:
    """What a sum is proven to be once its trees hold: at least `bound` ("min") or at most ("max")."""

    node: Expr
    side: str
    bound: float


def whole_formula(subject: Subject, proof: object) -> Task:
    """The task of a proof by one tree on the formula itself."""
    only(proof, {"by", "threshold", "tree"})
    program = Program([subject.root], subject.numbers, ieee=subject.ieee)
    link = Link(
        "the tree",
        program,
        list(range(len(subject.bounds))),
        [(program.slots[id(subject.root)], 1)],
        double(field(proof, "threshold")),
        tuple(subject.bounds),
    )
    return Task(link, tokens_of(text(field(proof, "tree"))), subject)


def read_sum(subject: Subject, data: object, which: int) -> tuple[Proven, list[Task]]:
    """What a sum claims, and the trees it rests on; all but the trees is checked here."""
    only(data, {"node", "side", "bound", "links", "tables", "periods", "ranges"})
    name = f"sum {which}"
    node, side, bound = subject.node(field(data, "node")), field(data, "side"), double(field(data, "bound"))
    if side not in ("min", "max"):
        raise RejectedError(f"{name}: the side is neither 'min' nor 'max'")
    terms = [(sign if side == "min" else -sign, term) for sign, term in terms_of(node)]
    try:
        periods = data.get("periods", {}) if isinstance(data, dict) else {}
        ranges = ranges_of(subject, [term for _, term in terms], periods)
        stated = data.get("ranges", []) if isinstance(data, dict) else []
        if periods and stated:
            raise RejectedError("it has periods and ranges, of which one excludes the other")
        ranges = narrowed(subject, ranges, stated)
    except RejectedError as trouble:
        raise RejectedError(f"{name}: {trouble}") from None
    tables = _tables(ranges, field(data, "tables"), name)
    links = listed(field(data, "links"))
    tasks = [
        replace(_task(subject, ranges, terms, tables, link, f"{name}, link {place}"), sum=which)
        for place, link in enumerate(links)
    ]
    _check_whole(links, len(terms), tables, name)
    total = sum((Fraction(task.link.threshold) for task in tasks), Fraction(0))
    if total < Fraction(bound if side == "min" else -bound):
        raise RejectedError(
            f"{name}: the thresholds add up to {float(total)!r}, which does not reach its bound {bound!r}"
        )
    return Proven(node, side, bound), tasks


def _tables(ranges: Ranges, data: object, name: str) -> dict[int, Table | Joined]:
    if not isinstance(data, dict):
        raise RejectedError(f"{name}: its tables should be an object")
    found: dict[int, Table | Joined] = {}
    for key, value in data.items():
        if not isinstance(key, str) or not key.isascii() or not key.isdigit() or str(int(key)) != key:
            raise RejectedError(f"{name}: {str(key)[:40]!r} is no variable")
        variable = whole(int(key), len(ranges))
        try:
            only(value, {"breaks", "values"})
            found[variable] = Table.read(value, *ranges[variable])
        except RejectedError as trouble:
            raise RejectedError(f"{name}, table on variable {variable}: {trouble}") from None
    return found


def _task(
    subject: Subject,
    ranges: Ranges,
    terms: list[tuple[int, Expr]],
    tables: dict[int, Table | Joined],
    data: Any,
    name: str,
) -> Task:
    try:
        only(data, {"terms", "variables", "threshold", "plus", "minus", "tree"})
        chosen = [terms[t] for t in wholes(field(data, "terms"), len(terms))]
        signs = [(v, s) for key, s in (("plus", 1), ("minus", -1)) for v in _listed_tables(data, key, tables)]
        used = sorted({*variables(*(term for _, term in chosen)), *(v for v, _ in signs)})
        if wholes(field(data, "variables"), len(subject.bounds)) != used:
            raise RejectedError(f"its variables should be {used}")
        program = Program([term for _, term in chosen], subject.numbers, ieee=subject.ieee)
        link = Link(
            name,
            program,
            used,
            [(program.slots[id(term)], sign) for sign, term in chosen],
            double(field(data, "threshold")),
            tuple(ranges[v] for v in used),
            [(used.index(v), sign, tables[v]) for v, sign in signs],
        )
        return Task(link, tokens_of(text(field(data, "tree"))), subject)
    except RejectedError as trouble:
        raise RejectedError(f"{name}: {trouble}") from None


def _listed_tables(data: Any, key: str, tables: dict[int, Table | Joined]) -> list[int]:
    found = wholes(field(data, key), 1 << 30)
    for variable in found:
        if variable not in tables:
            raise RejectedError(f"there is no table on variable {variable}")
    return found


def _check_whole(links: list[Any], terms: int, tables: dict[int, Table | Joined], name: str) -> None:
    """Every term is in one link, and every table is added in one link and taken off in another."""
    counted = Counter(t for link in links for t in link["terms"])
    wrong = [t for t in range(terms) if counted[t] != 1]
    if wrong:
        raise RejectedError(f"{name}: term {wrong[0]} is in {counted[wrong[0]]} links, not in one")
    for variable in tables:
        added = [place for place, link in enumerate(links) if variable in link["plus"]]
        taken = [place for place, link in enumerate(links) if variable in link["minus"]]
        if len(added) != 1 or len(taken) != 1 or added == taken:
            raise RejectedError(
                f"{name}: the table on variable {variable} is added in links {added} and taken off in {taken}, "
                "so it does not cancel"
            )
