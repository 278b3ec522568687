"""Starts for a pinned formula whose rest repeats itself: of all copies of its optimum those nearest to the pins.

Where the pinned parts are held, the rest of the formula may be periodic in its variables and have its
optimum again and again; the copy on which the pins nearly hold already is found by looking, not by descent.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.optimize import minimize

from cpcbench.certify.upper.krawczyk import Box
from cpcbench.certify.upper.pinned import Pinned
from cpcbench.errors import CpcbenchError
from cpcbench.points import Floats, Points
from cpcbench.problems.problem import Problem
from cpcbench.readings.doubles.arrays import evaluate
from cpcbench.studies.symmetry.motions import Motion, rounded
from cpcbench.studies.symmetry.symmetries import symmetries

SAMPLES, IMPROVED, KEPT, ROUNDS = 200_000, 12, 12, 2
MOST_COPIES, MOST_PAIRS = 400, 40_000


def shifted_starts(pinned: Pinned, box: Box, rule: str, seed: int = 0) -> list[Points]:
    """Copies of the lowest point of what the pins leave, the nearest to the pins first; none if nothing repeats."""
    low, high = (np.array(side) for side in zip(*box, strict=True))
    rest = Problem("rest", pinned.rest, low, high, rule=rule)
    try:
        motions = [m for m in symmetries(rest).motions if len(m.moved) == 1]
    except CpcbenchError:
        return []
    if len({m.moved[0] for m in motions if m.kind == "shift"}) < 2:
        return []
    rng = np.random.default_rng(seed)
    best = _lowest(rest, rng)
    if best is None:
        return []
    copies = [_copies(float(x), i, motions, box[i]) for i, x in enumerate(best)]
    rows = np.column_stack([rng.choice(c, SAMPLES) for c in copies])
    rows = _nearest(pinned, rows)
    for _ in range(ROUNDS):
        rows = _nearest(pinned, np.vstack([rows, *_exchanged(pinned, rows, copies)]))
    return list(rows)


def _lowest(rest: Problem, rng: np.random.Generator) -> Points | None:
    """The lowest point of what the pins leave, roughly: the best of a sample, each improved by the simplex method."""

    def value(x: Points) -> float:
        inside = bool((x >= rest.lower).all() and (x <= rest.upper).all())
        found = float(evaluate(rest.expression, x[None, :])[0]) if inside else np.inf
        return found if np.isfinite(found) else np.inf

    rows = rng.uniform(rest.lower, rest.upper, (SAMPLES, rest.dim))
    values = evaluate(rest.expression, rows)
    order = np.argsort(np.where(np.isfinite(values), values, np.inf), kind="stable")[:IMPROVED]
    order = order[np.isfinite(values[order])]
    if not len(order):
        return None
    options = {"xatol": 1e-9, "fatol": 1e-15, "maxfev": 1500}
    found = [minimize(value, rows[i], method="Nelder-Mead", options=options) for i in order]
    best: Points = min(found, key=lambda result: float(result.fun)).x
    return best


def _copies(x: float, i: int, motions: list[Motion], side: tuple[float, float]) -> Floats:
    """All images of one coordinate inside the box, by mirrors and then periods."""
    own = [m for m in motions if m.moved == (i,)]
    mirrored = [x, *(rounded(m.shifts[i]) - x for m in own if m.signs[i] < 0)]
    found = set(mirrored)
    for motion in own:
        period = abs(rounded(motion.shifts[i]))
        if motion.signs[i] > 0 and period * MOST_COPIES > side[1] - side[0]:
            for start in mirrored:
                first = start - period * np.floor((start - side[0]) / period)
                found.update(np.arange(first, side[1], period).tolist())
    return np.array([c for c in sorted(found) if side[0] <= c <= side[1]] or [x])


def _exchanged(pinned: Pinned, rows: Floats, copies: list[Floats]) -> list[Floats]:
    """The rows with two coordinates at a time replaced by all their copies; of each lot the nearest."""
    made = []
    for i, j in combinations(range(rows.shape[1]), 2):
        a, b = (c.ravel() for c in np.meshgrid(copies[i], copies[j]))
        if len(a) > MOST_PAIRS:
            continue
        for row in rows:
            fresh = np.tile(row, (len(a), 1))
            fresh[:, i], fresh[:, j] = a, b
            made.append(_nearest(pinned, fresh))
    return made


def _nearest(pinned: Pinned, rows: Floats) -> Floats:
    """The rows from which the way to the pins is shortest, to first order."""
    total = np.zeros(len(rows))
    with np.errstate(all="ignore"):
        for equation, slopes in zip(pinned.equations, pinned.slopes, strict=True):
            size = sum((np.square(evaluate(slope, rows)) for slope in slopes), np.zeros(len(rows)))
            total = total + np.square(evaluate(equation, rows)) / size
    order = np.argsort(np.where(np.isfinite(total), total, np.inf), kind="stable")
    return rows[order[:KEPT]]
