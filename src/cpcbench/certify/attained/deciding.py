"""Whether some point has the infimum as its value: the proofs that may hold, the cheapest first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cpcbench.certify.lower.tree.grown import joined_boxes
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.walk import postorder

Proof = dict[str, Any]

MOST_SECONDS = 20.0
"""How long a path to an infimum that is not attained is looked for at most."""

ROOM = (1e2, 1.0, 1e4)
"""How far beyond the boxes of the optima, in their own widths, an edge is looked for."""


def attained_proofs(data: dict[str, Any]) -> Iterator[tuple[bool, Proof]]:
    """What may be said of the infimum of a certificate, and the proof to offer for it: the checker decides."""
    if data["claim"]["lower"] == data["claim"]["upper"]:
        yield True, {"by": "bounds"}
        return
    if data["part"] != "thin":
        yield True, {"by": "least"}
        yield from ((False, proof) for proof in _oscillations(data["problem"], data.get("optima")))
    yield True, {"by": "compact"}


def _oscillations(problem: dict[str, Any], optima: list[list[list[float]]] | None) -> Iterator[Proof]:
    """Waves of powers, and boxes around the optima that may reach over the edge where the power has no value."""
    bounds = [(float(low), float(high)) for low, high in problem["bounds"]]
    order = postorder(parse_formula(problem["formula"], n=len(bounds)))
    waves = [place for place, n in enumerate(order) if n.op in ("sin", "cos") and n.args[0].op == "pow"]
    if not waves:
        return
    whole = [[list(pair) for pair in bounds]]
    boxes = [_around(np.array(optima), bounds, room) for room in ROOM] if optima else [whole]
    for node in waves:
        for variable in range(len(bounds)):
            for around in boxes:
                yield {"by": "oscillation", "node": node, "variable": variable, "boxes": around}


def _around(optima: Any, bounds: list[tuple[float, float]], room: float) -> list[list[list[float]]]:
    """Boxes with room around those of the optima, joined where they touch."""
    low, high = optima[:, :, 0], optima[:, :, 1]
    width = room * np.maximum(high - low, np.spacing(np.abs(low)))
    sides = np.array(bounds)
    return joined_boxes(np.maximum(low - width, sides[:, 0]), np.minimum(high + width, sides[:, 1]))
