"""Whether some point has the infimum as its value: looks for a proof that the checker takes, the cheapest first."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from cpcbench.certify.approaching import approached
from cpcbench.certify.certificate import VERSION, Certificate
from cpcbench.certify.checker.checking import TREE_BITS, tasks_of, watch_of
from cpcbench.certify.checker.core.numbers import arithmetic, precision
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.core.verdict import RejectedError
from cpcbench.certify.checker.extensions.attained import KINDS, Bounds
from cpcbench.certify.checker.extensions.attained_compact import guards_of, guards_of_each
from cpcbench.certify.checker.extensions.attained_least import check_least
from cpcbench.certify.checker.extensions.attained_oscillation import check_oscillation
from cpcbench.certify.checker.extensions.cases import check_exponents
from cpcbench.certify.checker.files.workers import check_tasks
from cpcbench.certify.grown_tree import joined_boxes

Proof = dict[str, Any]

MOST_SECONDS = 20.0
"""How long a path to an infimum that is not attained is looked for at most."""

ROOM = (1e2, 1.0, 1e4)
"""How far beyond the boxes of the optima, in their own widths, an edge is looked for."""


def with_attained(certificate: Certificate, jobs: int = 1, seconds: float = math.inf) -> Certificate:
    """The certificate with a claim of whether its infimum is attained, if that can be proven in the time.

    What comes back has the newest version.
    """
    data = {**certificate.data, "version": VERSION}
    if not certificate.bounded:
        return Certificate(data)
    claim = {name: data["claim"][name] for name in ("kind", "lower", "upper")}
    data.pop("attained", None)
    with arithmetic("arb", TREE_BITS):
        deadline = time.monotonic() + seconds
        found = _found(data, jobs, deadline)
        if found is None:
            open_ = {**data, "claim": claim}
            limit = (
                None if data["part"] == "thin" else approached(open_, min(deadline - time.monotonic(), MOST_SECONDS))
            )
            return Certificate(open_ if limit is None else limit)
    return Certificate({**data, "claim": {**claim, "attained": KINDS[found["by"]]}, "attained": found})


def _found(data: dict[str, Any], jobs: int, deadline: float) -> Proof | None:
    subject = Subject.read(data)
    bounds = Bounds(data["claim"]["lower"], data["claim"]["upper"])
    if bounds.lower == bounds.upper:
        return {"by": "bounds"}
    if subject.part != "thin" and _holds(lambda: check_least(subject, data["upper"])):
        return {"by": "least"}
    for proof in () if subject.part == "thin" else _oscillations(subject, data.get("optima")):
        if _holds(lambda proof=proof: check_oscillation(subject, proof, data.get("optima"), Fraction(bounds.upper))):  # type: ignore[misc]
            return proof
    holds = _holds(lambda: _check_compact(subject, data, bounds.upper, jobs, deadline))
    return {"by": "compact"} if holds else None


def _holds(check: Callable[[], object]) -> bool:
    try:
        precision(TREE_BITS)
        check()
    except RejectedError:
        return False
    return True


def _check_compact(subject: Subject, data: dict[str, Any], upper: float, jobs: int, deadline: float) -> None:
    """Goes through the trees as the checker does, and gives up when the time is over."""

    def see(_done: int, _total: int) -> None:
        if time.monotonic() > deadline:
            raise RejectedError("the time is over")

    most = Fraction(upper)
    tasks, proven = tasks_of(subject, data)
    if data["lower"]["by"] == "cases":
        check_exponents(subject)
    apart = data["lower"]["by"] in ("thin", "cases")
    guards = guards_of_each(tasks, most) if apart else guards_of(subject, tasks, proven, most)
    if any(guard is not None for guard in guards):
        check_tasks(tasks, data, [watch_of(guard, None, most) for guard in guards], jobs, see)


def _oscillations(subject: Subject, optima: list[list[list[float]]] | None) -> Iterator[Proof]:
    """Waves of powers, and boxes around the optima that may reach over the edge where the power has no value."""
    waves = [n for n in subject.order if n.op in ("sin", "cos") and n.args[0].op == "pow"]
    if not waves:
        return
    whole = [[list(pair) for pair in subject.bounds]]
    boxes = [_around(np.array(optima), subject.bounds, room) for room in ROOM] if optima else [whole]
    for wave in waves:
        for variable in range(len(subject.bounds)):
            for around in boxes:
                node = subject.numbers[id(wave)]
                yield {"by": "oscillation", "node": node, "variable": variable, "boxes": around}


def _around(optima: Any, bounds: list[tuple[float, float]], room: float) -> list[list[list[float]]]:
    """Boxes with room around those of the optima, joined where they touch."""
    low, high = optima[:, :, 0], optima[:, :, 1]
    width = room * np.maximum(high - low, np.spacing(np.abs(low)))
    sides = np.array(bounds)
    return joined_boxes(np.maximum(low - width, sides[:, 0]), np.minimum(high + width, sides[:, 1]))
