"""Whether some point has the infimum as its value: the proofs that may hold, the cheapest first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cpcbench.certify.certificate.schema import (
    AttainedProof,
    Box,
    ByBounds,
    ByCompactness,
    ByLeast,
    ByOscillation,
    Statement,
)
from cpcbench.certify.lower.tree.grown import joined_boxes
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.walk import postorder

ROOM = (1e2, 1.0, 1e4)
"""How far beyond the boxes of the optima, in their own widths, an edge is looked for."""


def attained_proofs(said: Statement) -> Iterator[tuple[bool, AttainedProof]]:
    """What may be said of the infimum of a certificate, and the proof to offer for it: the checker decides."""
    if said.claim.lower == said.claim.upper:
        yield True, ByBounds()
        return
    if said.part != "thin":
        yield True, ByLeast()
        yield from ((False, proof) for proof in _oscillations(said))
    yield True, ByCompactness()


def _oscillations(said: Statement) -> Iterator[ByOscillation]:
    """Waves of powers, and boxes around the optima that may reach over the edge where the power has no value."""
    bounds = said.problem.sides
    order = postorder(parse_formula(said.problem.formula, n=len(bounds)))
    waves = [place for place, n in enumerate(order) if n.op in ("sin", "cos") and n.args[0].op == "pow"]
    if not waves:
        return
    boxes = [_around(np.array(said.optima), bounds, room) for room in ROOM] if said.optima else [[bounds]]
    for node in waves:
        for variable in range(len(bounds)):
            for around in boxes:
                yield ByOscillation(node, variable, around)


def _around(optima: Any, bounds: Box, room: float) -> list[Box]:
    """Boxes with room around those of the optima, joined where they touch."""
    low, high = optima[:, :, 0], optima[:, :, 1]
    width = room * np.maximum(high - low, np.spacing(np.abs(low)))
    sides = np.array(bounds)
    return joined_boxes(np.maximum(low - width, sides[:, 0]), np.minimum(high + width, sides[:, 1]))
