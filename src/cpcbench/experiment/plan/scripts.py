"""What the authors' public scripts set, which is not always what the paper prints: boxes, and settings of 1stOpt.

`scripts.csv` has one row for each of the six scripts of each function. A script that sets no box, as four of CPC-DF24
do, has none here.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np

from cpcbench.errors import CpcbenchError
from cpcbench.problems.checked import shown_box
from cpcbench.problems.facts import BestKnown, facts
from cpcbench.problems.problem import Problem
from cpcbench.problems.registry import SUITE, problem

SOURCE = "CPC-Opt/CPC-Benchmark, CPC_DF_Detail, commit 0ea9118 (CC BY 4.0)"
BOXES = ("paper", "scripts")


@dataclass(frozen=True)
class Script:
    """One script: the box it searches (None if it sets none) and what else it sets."""

    problem: str
    algorithm: str
    box: tuple[float, float] | None
    settings: dict[str, str]


@cache
def scripts() -> tuple[Script, ...]:
    """All scripts, in the order of the suite."""
    text = resources.files("cpcbench.experiment.plan").joinpath("scripts.csv").read_text(encoding="utf-8")
    return tuple(_script(row) for row in csv.DictReader(text.splitlines()))


def _script(row: dict[str, str]) -> Script:
    box = (float(row["lower"]), float(row["upper"])) if row["lower"] else None
    settings = dict(word.split("=", 1) for word in row["settings"].split())
    return Script(row["problem"], row["algorithm"], box, settings)


@cache
def other_boxes() -> dict[str, tuple[float, float]]:
    """The problems whose scripts search another box than the printed one, with that box."""
    found = {}
    for script in scripts():
        if script.box is not None and not np.allclose(script.box, facts(script.problem).box[0], rtol=1e-12):
            found[script.problem] = script.box
    return found


def checked_boxes(boxes: str) -> str:
    if boxes not in BOXES:
        raise CpcbenchError(f"unknown boxes {boxes!r}: they are {' or '.join(BOXES)}")
    return boxes


def on_boxes(ids: Iterable[str], rule: str, boxes: str) -> list[Problem]:
    """Problems of the suite on the boxes that the paper prints, or on those that its scripts search."""
    chosen = [problem(id_, rule=rule) for id_ in ids]
    return chosen if checked_boxes(boxes) == "paper" else [_on_script_box(p) for p in chosen]


def _on_script_box(p: Problem) -> Problem:
    """The problem on its scripts' box; best known is there what is best known and lies in it, else the published."""
    if p.id not in other_boxes():
        return p
    low, high = (np.full(p.dim, side) for side in other_boxes()[p.id])
    here = facts(p.id)
    known = next(filter(None, (_within(b, low, high) for b in (p.best_known, here.best_known(p.dim)))), None)
    return Problem(
        p.id, p.expression, low, high, rule=p.rule, names=p.names, facts=here, smallest_dim=p.smallest_dim,
        best_known=known,
    )  # fmt: skip


def _within(best: BestKnown | None, low: np.ndarray, high: np.ndarray) -> BestKnown | None:
    if best is None:
        return None
    inside = best.points[((low <= best.points) & (best.points <= high)).all(axis=1)]
    return BestKnown(best.value, inside, best.rule, best.source, best.kind) if len(inside) else None


def part_of_box(p: Problem) -> str | None:
    """The box in words where a problem of the suite is searched on a part of its own, else None."""
    if p.id not in SUITE:
        return None
    whole = problem(p.id, n=p.dim if p.scalable else None, rule=p.rule)
    same = p.expression is whole.expression and p.names == whole.names
    part = same and bool((whole.lower <= p.lower).all() and (p.upper <= whole.upper).all())
    return shown_box(p.lower, p.upper) if part and p != whole else None
