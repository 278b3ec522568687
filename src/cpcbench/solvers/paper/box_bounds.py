"""Lower bounds of a formula over boxes: its natural range, sharpened by its slopes where they exist."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cpcbench.errors import CpcbenchError
from cpcbench.expr.functions import JUMPS
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import constants, postorder
from cpcbench.intervals.boxes import Boxes, ManyBoxes
from cpcbench.intervals.operations import EVERYWHERE, NOWHERE
from cpcbench.points import Points
from cpcbench.readings.gradient import derivatives

MOST_NODES = 5000
"""Slopes of a longer formula cost more than they bring."""


class Bounded(NamedTuple):
    """What is left of the boxes asked about: `row` says of which one; the corners, perhaps closer
    together, of a box that still holds its lowest value, if that is not above the limit; the bound,
    and how much each coordinate contributes to the range."""

    row: npt.NDArray[np.intp]
    lower: Points
    upper: Points
    bound: Points
    share: Points


class BoxBounds:
    """Bounds of one formula over the boxes inside a root box."""

    def __init__(self, root: Expr, rule: str, widths: Points) -> None:
        self._boxes = Boxes(root, rule)
        self._slopes = _slopes(root, len(widths), rule)
        self._scale = np.where(widths > 0.0, widths, 1.0)

    def __call__(self, lower: Points, upper: Points, limit: float) -> Bounded:
        """Bounds of the values up to the limit; boxes without such a value, or any, are left out."""
        lower, upper, alive = self._boxes.cut(lower, upper, limit)
        row, lower, upper = np.flatnonzero(alive), lower[alive], upper[alive]
        bound, _, state = self._boxes(lower, upper)
        alive = (state > NOWHERE) & (bound <= limit)
        lower, upper = lower[alive], upper[alive]
        found = Bounded(row[alive], lower, upper, bound[alive], (upper - lower) / self._scale)
        smooth = np.flatnonzero(state[alive] == EVERYWHERE)
        if self._slopes is not None and len(smooth):
            with np.errstate(all="ignore"):
                self._sharpen(found, smooth, self._slopes)
        return found

    def _sharpen(self, found: Bounded, places: npt.NDArray[np.intp], partial: ManyBoxes) -> None:
        """Uses the slopes on the boxes at these places, where the formula is defined everywhere."""
        lower, upper = found.lower[places], found.upper[places]
        slopes = partial(lower, upper)
        known = np.logical_and.reduce([state == EVERYWHERE for _, _, state in slopes])
        if not known.any():
            return
        places, lower, upper = places[known], lower[known], upper[known]
        least = np.stack([low[known] for low, _, _ in slopes], axis=1)
        most = np.stack([high[known] for _, high, _ in slopes], axis=1)
        found.share[places] = np.nan_to_num(np.maximum(np.abs(least), np.abs(most)) * (upper - lower), nan=0.0)
        rising, falling = least >= 0.0, most <= 0.0
        upper, lower = np.where(rising, lower, upper), np.where(falling & ~rising, upper, lower)
        found.lower[places], found.upper[places] = lower, upper
        on_face, _, _ = self._boxes(lower, upper)
        by_slopes = self._mean_value(lower, upper, least, most)
        found.bound[places] = np.fmax(found.bound[places], np.fmax(on_face, by_slopes))

    def _mean_value(self, lower: Points, upper: Points, least: Points, most: Points) -> Points:
        """f(c) + slope (x - c) for any x and any slope between the bounds, rounded down."""
        centre = np.clip(0.5 * lower + 0.5 * upper, lower, upper)
        bound, _, _ = self._boxes(centre, centre)
        for i in range(lower.shape[1]):
            ahead, behind = _up(upper[:, i] - centre[:, i]), _down(lower[:, i] - centre[:, i])
            fall = np.minimum(np.minimum(least[:, i] * ahead, most[:, i] * behind), 0.0)
            bound = np.where(lower[:, i] == upper[:, i], bound, _down(bound + _down(fall)))
        return bound


def _down(x: Points) -> Points:
    return np.nextafter(x, -np.inf)


def _up(x: Points) -> Points:
    return np.nextafter(x, np.inf)


def _slopes(root: Expr, dim: int, rule: str) -> ManyBoxes | None:
    """The partial derivatives over boxes; None if they do not tell how far the values can be apart."""
    free = constants(root)
    nodes = postorder(root)
    if len(nodes) > MOST_NODES or any(n.op in JUMPS and id(n) not in free for n in nodes):
        return None
    try:
        partial = derivatives(root, dim)
    except CpcbenchError:
        return None
    return ManyBoxes(partial, rule) if len(postorder(*partial)) <= 10 * MOST_NODES else None
