"""Infima that are not attained: a path along which the values tend to one, and a tree that shows all to be above."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from cpcbench.certify.certificate.certificate import middle_of
from cpcbench.certify.certificate.form import to_json, written
from cpcbench.certify.certificate.schema import ByApproach, BySums, ByTree, Statement
from cpcbench.certify.checker.checking import TREE_BITS
from cpcbench.certify.checker.core.link import Link
from cpcbench.certify.checker.core.numbers import precision
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.core.task import whole_formula
from cpcbench.certify.checker.core.trees import Place, Watch, follow, start_of
from cpcbench.certify.checker.extensions.attained.approached import NeverAt
from cpcbench.certify.checker.extensions.fillers.all import FILLERS
from cpcbench.certify.checker.extensions.paths.powers_of_pi import rational
from cpcbench.certify.checker.extensions.paths.tails import FINITE
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.certify.times import Deadline
from cpcbench.certify.unbounded.paths import tails_nearby

MOST_TOKENS = 20_000
SEARCH = 0.3
"""The share of the time to look for a path."""


def approached(said: Statement, seconds: float) -> Statement | None:
    """The certificate with a claim that its infimum is exactly a limit, which no point has as its value, if proven."""
    deadline = Deadline(seconds)
    subject = Subject.read(to_json(said))
    lower, upper, point = said.claim.lower, said.claim.upper, middle_of(said.upper)
    if any(node.op == "where" for node in subject.order) or not isinstance(said.lower, ByTree | BySums):
        return None
    if lower is None or upper is None or point is None:
        return None
    tried: set[Fraction] = set()
    for path, tail in tails_nearby(subject.root, subject.bounds, [np.array(point)], SEARCH * min(seconds, 10.0)):
        limit = None if tail.kind != FINITE or tail.value is None else rational(tail.value)
        if limit is None or not lower <= limit <= upper or limit in tried or Fraction(float(limit)) != limit:
            continue
        tried.add(limit)
        proof = _above(subject, said.lower, Fraction(lower), limit, deadline)
        if proof is not None:
            claim = replace(said.claim, lower=float(limit), attained=False)
            return replace(said, claim=claim, lower=proof, optima=None, attained=ByApproach(path))
    return None


def _above(
    subject: Subject, known: ByTree | BySums, lower: Fraction, limit: Fraction, deadline: Deadline
) -> ByTree | BySums | None:
    """A proof that no value is below the limit, and that none is at it."""
    precision(TREE_BITS)
    never = NeverAt.of(subject, limit)
    if isinstance(known, BySums) and lower == limit:
        try:
            never.check(tuple(subject.bounds))
        except RejectedError:
            pass
        else:
            return known
    link = whole_formula(subject, written(ByTree(float(limit), ".")), FILLERS).link
    text = _grown(link, Watch(limit, None, never), deadline)
    return None if text is None else ByTree(float(limit), text)


def _grown(link: Link, watch: Watch, deadline: Deadline) -> str | None:
    """A tree each of whose leaves holds for the checker: the first kind that does, or the widest side halved."""
    sizes = [high - low or 1.0 for low, high in link.box]
    tokens: list[str] = []
    waiting = [start_of(link)]
    while waiting:
        if len(tokens) + len(waiting) > MOST_TOKENS or deadline.is_over():
            return None
        place = waiting.pop()
        token = next((leaf for leaf in (".", "m") if _holds(link, leaf, place, watch)), None)
        if token is None:
            sides = [(high - low) / size for (low, high), size in zip(place.box, sizes, strict=True)]
            token = f"s{sides.index(max(sides))}:128"
            try:
                waiting += reversed(follow(link, token, place, watch))
            except RejectedError:
                return None  # too small to be split
        tokens.append(token)
    return " ".join(tokens)


def _holds(link: Link, token: str, place: Place, watch: Watch) -> bool:
    try:
        follow(link, token, place, watch)
    except RejectedError:
        return False
    return True
