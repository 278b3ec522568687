"""True certificates to be forged, each with what is known of its formula, and the judge of what is made of them."""

from __future__ import annotations

import copy
import gzip
import json
import math
import random
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from cpcbench.certify.checker.checking import TREE_BITS, tasks_of
from cpcbench.certify.checker.core.numbers import precision
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.errors import CpcbenchError
from cpcbench.expr.parser import parse_formula
from cpcbench.readings.reals.enclosure import enclose
from tests.material.checker_certificates import bounded, certificate, falling_logarithm, grown, point, thin_pole

Data = dict[str, Any]
LONGEST = 560
"""Packaged certificates of no more bytes than this are used."""


@dataclass(frozen=True)
class Case:
    """A true certificate. The infimum is from `least` (None: minus infinity) to `reached`; `points` are points with
    values of at most `reached`; `attained` says whether some point has the infimum as its value, None if unknown."""

    name: str
    data: Data = field(repr=False)
    least: float | None
    reached: float
    points: tuple[tuple[float, ...], ...] = ()
    attained: bool | None = None

    def is_false(self, data: Data, r: random.Random) -> bool:
        """Whether a certificate made from this one claims what is known to be false, whatever its proof."""
        try:
            if data["problem"] != self.data["problem"] or data["part"] != self.data["part"]:
                return is_refuted(data, r, self.points)
            return self._is_false(data)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            return False  # not even a claim; whether it is accepted is judged by itself

    def _is_false(self, data: Data) -> bool:
        claim = data["claim"]
        if claim["kind"] == "empty":
            return True
        if claim["kind"] == "unbounded":
            return self.least is not None
        if claim["lower"] > self.reached or (self.least is not None and claim["upper"] < self.least):
            return True
        said = claim.get("attained")
        if said is not None and self.attained is not None and said is not self.attained:
            return True
        boxes = data.get("optima")
        if boxes is None or claim["upper"] < self.reached:
            return False
        return any(not any(_holds(box, x) for box in boxes) for x in self.points)


def _holds(box: Any, x: tuple[float, ...]) -> bool:
    return all(low <= value <= high for value, (low, high) in zip(x, box, strict=True))


def is_refuted(data: Data, r: random.Random, points: tuple[tuple[float, ...], ...] = ()) -> bool:
    """Whether the real value of the formula at some point shows that the claim is false."""
    about, claim = data["problem"], data["claim"]
    if data["part"] not in ("regular", "all"):
        return False
    try:
        bounds = [(float(low), float(high)) for low, high in about["bounds"]]
        rule = "strict" if data["part"] == "regular" else "ieee"
        root = parse_formula(about["formula"], n=len(bounds))
        inside = [x for x in points if len(x) == len(bounds) and _holds(bounds, x)]
        for x in [*inside, *([_any(r, bounds) for _ in range(12)])]:
            found = enclose(root, list(x), rule=rule, max_bits=1024)
            if found.defined and (claim["kind"] == "empty" or found.upper < claim.get("lower", -math.inf)):
                return True
    except (CpcbenchError, TypeError, ValueError, OverflowError):
        return False
    return False


def _any(r: random.Random, bounds: list[tuple[float, float]]) -> tuple[float, ...]:
    return tuple(r.choice([low, high, r.uniform(low, high), r.uniform(low, high)]) for low, high in bounds)


def _around(infimum: float) -> tuple[float, float]:
    """Below and above a number known to the last digits of a double."""
    room = 1e-15 * max(1.0, abs(infimum))
    return infimum - room, infimum + room


def _known() -> list[Case]:
    found = []
    attained = {"quarter": True, "multiplied": True, "filled-hole": False, "root-and-edge": True, "largest-sum": True}
    for known in bounded():
        exact = known.infimum in (0.0, -0.25, -8.0, 1.0)
        least, reached = (known.infimum, known.infimum) if exact else _around(known.infimum)
        x = known.data["upper"].get("x")
        at = known.name not in ("filled-hole", "pinned-power") and x is not None
        data = {**known.data, "version": 2}
        found.append(Case(known.name, data, least, reached, (tuple(x),) if at else (), attained.get(known.name)))
    return found


NATURAL = {"by": "sums", "sums": []}


def _natural(name: str, text: str, bounds: list[list[float]], x: list[float], attained: bool, upper: float) -> Case:
    """A formula whose natural range has the infimum 0, or -1 for a wave, as its lower end."""
    lower = -1.0 if "sin" in text else 0.0
    data = {**certificate(text, bounds, lower, upper, NATURAL, point(*x), "regular"), "version": 2}
    return Case(name, data, lower, lower, (), attained)


def _attaining() -> list[Case]:
    """Infima that are not attained, or are, by mathematics."""
    return [
        _natural("open-end", "exp(ln(x1))", [[0.0, 1.0]], [0.25], False, 0.26),
        _natural("open-quotient", "1/(1 + 1/x1)", [[0.0, 1.0]], [1.0], False, 0.5),
        _natural("open-power", "x1^x2", [[0.0, 1.0], [0.5, 1.0]], [0.01, 0.5], True, 0.11),
        _natural("wave", "x1 + sin(x1^(-0.5))", [[0.0, 1.0]], [0.0450316371], False, -0.9),
        _natural("step", "where(x1 <= 0, 1, x1)", [[0.0, 1.0]], [0.25], False, 0.26),
    ]


def _optima() -> Case:
    low = {"by": "tree", "threshold": 0.0, "tree": "s0:64 . s0:64 . ."}
    data = certificate("(x1 - 1)^2", [[-3.0, 5.0]], 0.0, 0.5, low, point(1.0), "regular")
    return Case("optima", {**data, "version": 2, "optima": [[[-1.0, 5.0]]]}, 0.0, 0.0, ((1.0,),), True)


def _convex() -> Case:
    """Least at a corner, 5 + e: one leaf, on which the formula is convex."""
    low = {"by": "tree", "threshold": 7.7182818, "tree": f"c:0,{1 << 48}"}
    text, bounds = "x1^2 + exp(x1) + (x2 - 3)^2 - x1*x2/4 + 1/4", [[1.0, 2.0], [0.5, 1.0]]
    data = certificate(text, bounds, 7.7182818, 7.72, low, point(1.0, 1.0), "all")
    return Case("convex", {**data, "version": 2}, *_around(5.0 + math.e))


def _thin() -> Case:
    """(-2)^3 + sqrt(2.4) at the corner with the largest odd exponent."""
    text, bounds = "x1^x2 + sqrt(x2 - 0.6)", [[-2.0, 1.0], [0.5, 3.5]]
    lower = -6.5
    sets = [{"exponents": [n], "lower": {"by": "tree", "threshold": lower, "tree": "."}} for n in (1, 2, 3)]
    up = {"by": "thin", "exponents": [3], "witness": point(-2.0, 3.0)}
    data = {
        **certificate(text, bounds, lower, -6.45, {"by": "thin", "sets": sets}, up, "thin"),
        "version": 2,
    }
    precision(TREE_BITS)
    tasks, _ = tasks_of(Subject.read(data), data)
    for part, task in zip(sets, tasks, strict=True):
        part["lower"]["tree"] = grown(task.link)  # type: ignore[index]
    return Case("thin", data, *_around(-8.0 + math.sqrt(2.4)), attained=True)


def _packaged() -> list[Case]:
    found = []
    for place in sorted(resources.files("cpcbench.certify.certificate.data").iterdir(), key=lambda p: p.name):
        if not place.name.endswith(".json.gz") or len(place.read_bytes()) > LONGEST:
            continue
        data = json.loads(gzip.decompress(place.read_bytes()))
        claim = data["claim"]
        x = data["upper"].get("x") if claim["kind"] == "infimum" and data["part"] != "thin" else None
        found.append(
            Case(
                place.name.removesuffix(".json.gz"),
                data,
                claim.get("lower"),
                claim.get("upper", -math.inf),
                () if x is None else (tuple(x),),
                claim.get("attained"),
            )
        )
    return found


@cache
def cases() -> list[Case]:
    """All of them; they are copied before anything is changed."""
    falling = [Case("family", {**data, "version": 2}, None, -math.inf) for data in (falling_logarithm(), thin_pole())]
    return [*_known(), *_attaining(), _optima(), _convex(), _thin(), *falling, *_packaged()]


def copied(case: Case) -> Data:
    return copy.deepcopy(case.data)
