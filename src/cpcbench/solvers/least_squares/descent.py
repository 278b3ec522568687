"""Levenberg and Marquardt's method from many points at once, in the parameters and in their logarithms by turns."""

from __future__ import annotations

import numpy as np

from cpcbench.solvers.least_squares.model import Model, State

DAMPING, LESS, MORE = 1e-2, 0.2, 5.0
"""How much a step is damped at first, and what a step that was taken or refused makes of it."""
LARGEST = 1.5
"""A step changes the logarithm of a parameter by no more."""


def descend(model: Model, at: State, steps: int) -> State:
    """The points after so many steps; each goes only where its sum of squares is lower.

    A factor of an exponential may have to change by powers of ten where the exponent changes a little: then steps in
    its logarithm go along the valley in which steps in the factor itself are short.
    """
    if not len(model.free):
        return at
    points, errors, sums, span = at.points.copy(), at.errors.copy(), at.sums.copy(), at.span.copy()
    damping = np.full((2, len(points)), DAMPING)
    with np.errstate(all="ignore"):
        for step in range(steps):
            by_logarithm = step % 2
            slope = model.jacobian(State(points, errors, sums, span))
            here = points[:, model.free]
            if by_logarithm:
                slope = slope * here[:, None, :]
            size = np.sqrt(np.einsum("mop,mop->mp", slope, slope))
            size[~(size > 0.0) | ~np.isfinite(size)] = 1.0
            left, values, right = np.linalg.svd(np.nan_to_num(slope / size[:, None, :]), full_matrices=False)
            along = np.einsum("mop,mo->mp", left, errors)
            move = -np.einsum("mkp,mk->mp", right, values / (values**2 + damping[by_logarithm, :, None]) * along) / size
            tried = points.copy()
            tried[:, model.free] = here * np.exp(np.clip(move, -LARGEST, LARGEST)) if by_logarithm else here + move
            found = model.state(tried)
            better = found.sums < sums
            points[better], errors[better] = found.points[better], found.errors[better]
            sums[better], span[better] = found.sums[better], found.span[better]
            damping[by_logarithm] = np.clip(damping[by_logarithm] * np.where(better, LESS, MORE), 1e-18, 1e18)
    return State(points, errors, sums, span)
