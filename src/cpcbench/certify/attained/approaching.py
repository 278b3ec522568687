"""Infima that are not attained: a path along which the values tend to one, and a tree that shows all to be above."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

import numpy as np

from cpcbench.certify.checker.checking import TREE_BITS
from cpcbench.certify.checker.core.link import Link
from cpcbench.certify.checker.core.numbers import precision
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.core.task import whole_formula
from cpcbench.certify.checker.core.trees import Place, Watch, follow, start_of
from cpcbench.certify.checker.core.verdict import RejectedError
from cpcbench.certify.checker.extensions.attained.approached import NeverAt
from cpcbench.certify.checker.extensions.fillers.all import FILLERS
from cpcbench.certify.checker.extensions.paths.powers_of_pi import rational
from cpcbench.certify.checker.extensions.paths.tails import FINITE
from cpcbench.certify.unbounded.paths import tails_nearby

MOST_TOKENS = 20_000
SEARCH = 0.3
"""The share of the time to look for a path."""


def approached(data: dict[str, Any], seconds: float) -> dict[str, Any] | None:
    """The certificate with a claim that its infimum is exactly a limit, which no point has as its value, if proven."""
    deadline = time.monotonic() + seconds
    subject = Subject.read(data)
    if any(node.op == "where" for node in subject.order) or data["lower"]["by"] not in ("tree", "sums"):
        return None
    lower, upper = Fraction(data["claim"]["lower"]), Fraction(data["claim"]["upper"])
    tried: set[Fraction] = set()
    for path, tail in tails_nearby(subject.root, subject.bounds, _points(data), SEARCH * min(seconds, 10.0)):
        limit = None if tail.kind != FINITE or tail.value is None else rational(tail.value)
        if limit is None or not lower <= limit <= upper or limit in tried or Fraction(float(limit)) != limit:
            continue
        tried.add(limit)
        proof = _above(subject, data, limit, deadline)
        if proof is not None:
            claim = {**data["claim"], "lower": float(limit), "attained": False}
            found = {**data, "claim": claim, "lower": proof, "attained": {"by": "approached", "path": path}}
            found.pop("optima", None)
            return found
    return None


def _points(data: dict[str, Any]) -> list[Any]:
    upper = data["upper"]
    place = upper["x"] if upper["by"] == "point" else [0.5 * (low + high) for low, high in upper["box"]]
    return [np.array(place, dtype=np.float64)]


def _above(subject: Subject, data: dict[str, Any], limit: Fraction, deadline: float) -> dict[str, Any] | None:
    """A proof that no value is below the limit, and that none is at it."""
    precision(TREE_BITS)
    never = NeverAt.of(subject, limit)
    if data["lower"]["by"] == "sums" and Fraction(data["claim"]["lower"]) == limit:
        try:
            never.check(tuple(subject.bounds))
        except RejectedError:
            pass
        else:
            return dict(data["lower"])
    proof = {"by": "tree", "threshold": float(limit), "tree": "."}
    text = _grown(whole_formula(subject, proof, FILLERS).link, Watch(limit, None, never), deadline)
    return None if text is None else {**proof, "tree": text}


def _grown(link: Link, watch: Watch, deadline: float) -> str | None:
    """A tree each of whose leaves holds for the checker: the first kind that does, or the widest side halved."""
    sizes = [high - low or 1.0 for low, high in link.box]
    tokens: list[str] = []
    waiting = [start_of(link)]
    while waiting:
        if len(tokens) + len(waiting) > MOST_TOKENS or time.monotonic() > deadline:
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
