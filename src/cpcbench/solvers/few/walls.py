"""Walls as planes: half-spaces in which nothing undefined is known, and the lowest step of a model within them.

A plane lies half way between an undefined point and the hull of the defined ones about a descent. A step to it halves
what is not known, whichever comes of it, and a step along it is one along the edge of the domain.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from cpcbench.points import Floats
from cpcbench.solvers.few.quadratic import Quadratic

SAME = 0.9
"""A point that is so deep behind a wall, beside the one that the wall is there for, needs no wall of its own."""
INSIDE = 1e-4
"""An undefined point is within the hull if it is nearer to it than this part of its way from the centre."""
SEPARATE = 1e-12
"""An undefined point so near to the centre, as a part of how far others are, cannot be told from it: the function fails
there now and then, and no plane is between."""
HEAVY = 1e3
"""How much it counts that the weights of a point of the hull are 1 in all."""
FLAT = 1e-3
"""The least curvature where a model is minimised, as a part of its slope over the radius."""


class Planes:
    """Ways from a centre with `normal @ way <= end` for each plane."""

    def __init__(self, normals: Floats, ends: Floats) -> None:
        self.normals, self.ends = normals, ends

    def hold(self, way: Floats) -> bool:
        return bool((self.normals @ way <= self.ends).all())


def planes(defined: Floats, undefined: Floats, share: float) -> Planes:
    """Planes between the defined and the undefined ways from a centre, which is defined itself; the nearest first."""
    normals, ends, deep = np.empty((0, defined.shape[1])), np.empty(0), np.empty(0)
    hull = np.vstack([np.zeros(defined.shape[1]), defined])
    reach = max(np.abs(defined).max(initial=0.0), np.abs(undefined).max(initial=0.0))
    for way in undefined[np.abs(undefined).max(axis=1, initial=0.0) > SEPARATE * reach]:
        if (normals @ way >= deep).any():  # as deep behind a wall as the point that tells of it
            continue
        normal, end = _between(hull, way, share)
        normals, ends = np.vstack([normals, normal]), np.append(ends, end)
        deep = np.append(deep, end + SAME * (normal @ way - end))
    return Planes(normals, ends)


def _between(hull: Floats, way: Floats, share: float) -> tuple[Floats, float]:
    size = float(np.sqrt(way @ way))
    try:
        sums = np.full(len(hull), HEAVY)
        weights = nnls(np.vstack([hull.T / size, sums]), np.append(way / size, HEAVY))[0]
        foot = weights @ hull / weights.sum()
    except RuntimeError:  # no end of its rounds
        foot = np.zeros_like(way)
    if (gap := float(np.sqrt((way - foot) @ (way - foot)))) <= INSIDE * size:
        foot, gap = np.zeros_like(way), size
    normal = (way - foot) / gap
    return normal, float(normal @ foot) + share * gap


def lowest_within(model: Quadratic, low: Floats, high: Floats, walls: Planes, radius: float) -> Floats | None:
    """The lowest way in a box and before the walls, of the model with its curvatures turned upward; None without."""
    n = len(low)
    slope = model.slope * radius
    size = float(np.sqrt(slope @ slope))
    if not (size > 0.0 and np.isfinite(size)):
        return None
    bent = model.curvature * (radius**2 / size)
    if not np.isfinite(bent).all():
        return None
    values, axes = np.linalg.eigh(bent)
    roots = axes / np.sqrt(np.maximum(abs(values), FLAT))
    free = roots.T @ (slope / size)  # the way of the model without any wall is -roots @ free
    sides = np.vstack([np.eye(n), -np.eye(n), walls.normals])
    ends = np.concatenate([high, -low, walls.ends]) / radius
    inward, least = -sides @ roots, -(ends + sides @ roots @ free)
    try:  # the least distance with these inequalities (Lawson and Hanson 1974, chapter 23)
        weights = nnls(np.vstack([inward.T, least]), np.append(np.zeros(n), 1.0))[0]
    except RuntimeError:  # no end of its rounds
        return None
    off = np.append(inward.T @ weights, least @ weights - 1.0)
    if not abs(off[-1]) > 1e-12:
        return None
    way = roots @ (-off[:-1] / off[-1] - free) * radius
    return np.asarray(np.clip(way, low, high))
