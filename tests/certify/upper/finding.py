"""How upper bounds and families without end are asked for."""

from __future__ import annotations

from collections.abc import Sequence

from cpcbench.certify.certificate.schema import ByFamily
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.unbounded.families import families
from cpcbench.expr.nodes import Expr

Bounds = list[tuple[float, float]]


def find_family(root: Expr, bounds: Bounds, rule: str, points: Sequence[Sequence[float]]) -> ByFamily | None:
    return next(families(root, bounds, rule, points), None)


def subject(text: str, bounds: Bounds, part: str = "regular") -> Subject:
    pairs = [list(pair) for pair in bounds]
    return Subject.read({"problem": {"name": "own", "formula": text, "bounds": pairs}, "part": part})
