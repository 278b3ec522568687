"""Quadratic models: fitted to points about a centre with the least change of curvature, and minimised in a box."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cpcbench.points import Floats

STARTS, SWEEPS = 6, 12
"""Points from which a model is minimised, and rounds over all coordinates."""
FREE = 100.0
"""So much cheaper is a slope than a change of curvature."""


class Quadratic(NamedTuple):
    """g s + s H s / 2, where s is the way from the centre."""

    slope: Floats
    curvature: Floats

    def at(self, ways: Floats) -> Floats:
        return np.asarray(ways @ self.slope + 0.5 * ((ways @ self.curvature) * ways).sum(axis=-1))


def fitted(ways: Floats, rises: Floats, scale: float, before: Floats) -> Quadratic:
    """The model through these rises above the centre that changes the curvature least, by squares where it cannot."""
    n = ways.shape[1]
    up = np.triu_indices(n)
    s = ways / scale
    left = rises - 0.5 * ((ways @ before) * ways).sum(axis=1)
    both = s[:, up[0]] * s[:, up[1]] * np.where(up[0] == up[1], 0.5, np.sqrt(0.5))
    found = np.linalg.lstsq(np.hstack([FREE * s, both]), left, rcond=1e-10)[0]
    change = np.zeros((n, n))
    change[up] = found[n:] * np.where(up[0] == up[1], 1.0, np.sqrt(0.5))
    change = change + np.triu(change, 1).T
    return Quadratic(FREE * found[:n] / scale, before + change / scale**2)


def lowest(model: Quadratic, low: Floats, high: Floats, rng: np.random.Generator) -> Floats:
    """Where the model is low in a box about the centre, by rounds of exact steps along coordinates; the best first."""
    slope, curvature = model
    n = len(slope)
    newton, convex = _newton(model)
    if convex and ((low <= newton) & (newton <= high)).all():
        return newton[None]
    newton = np.clip(newton, low, high)
    ways = rng.uniform(low, high, (STARTS, n))
    ways[0] = 0.0
    ways[1] = newton
    for _ in range(SWEEPS):
        for i in range(n):
            bend = curvature[i, i]
            pull = slope[i] + ways @ curvature[i] - bend * ways[:, i]
            if bend > 0.0:
                ways[:, i] = np.clip(-pull / bend, low[i], high[i])
            else:
                at_low, at_high = low[i] * (pull + 0.5 * bend * low[i]), high[i] * (pull + 0.5 * bend * high[i])
                ways[:, i] = np.where(at_low < at_high, low[i], high[i])
    ways = np.vstack([ways, newton])
    return np.asarray(ways[np.argsort(model.at(ways), kind="stable")])


def _newton(model: Quadratic) -> tuple[Floats, bool]:
    """Where the model would be flat if all its curvatures were upward, and whether they are."""
    values, axes = np.linalg.eigh(model.curvature)
    floor = 1e-8 * max(abs(values).max(), 1e-300)
    return -axes @ ((axes.T @ model.slope) / np.maximum(abs(values), floor)), bool(values[0] > floor)
