"""BFGS from many starts, as MATLAB's `fminunc` (quasi-newton, forward differences) under `MultiStart`.

All starts advance together: one batch of evaluations for every difference and every trial step of
those still running. Equations are those of Nocedal and Wright, Numerical Optimization (2nd ed.),
option names those of fminunc's documentation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import OptimizeResult

from cpcbench.errors import CpcbenchError
from cpcbench.points import Points
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.paper.common import UNDEFINED, best_of, check_whole, first_points
from cpcbench.solvers.paper.line_search import ROOT_EPS, BoxedObjective, line_search
from cpcbench.solvers.registry import Solver

OBJECTIVE_LIMIT = -1e20
"""ObjectiveLimit: below this the function counts as unbounded."""


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    starts: int = 2000,
    iterations: int = 2000,
    tolerance: float = 1e-6,
    step_tolerance: float = 1e-6,
    evaluations: int | None = None,
    artificial_bound: float | None = None,
    start: ArrayLike | None = None,
) -> OptimizeResult:
    """The best admissible end point of `starts` descents; rows of `start` are among their beginnings.

    `evaluations` of one descent are at most 100 times the number of variables unless given, which
    is fminunc's default (MaxFunctionEvaluations) and, unlike the iterations, was left as it is.

    Starts are uniform in the box. An `artificial_bound` b draws them from [-b, b] instead, whatever
    the box: so does MultiStart by itself (ArtificialBound 1000) when the box is known to the penalty
    only. A descent from outside comes back to the nearest face, at best to half a difference inside
    it, where the penalty's differences balance; its gradient is then small beside the first one,
    and it ends there without having seen much of the function.
    """
    check_whole(starts=starts, iterations=iterations, evaluations=1 if evaluations is None else evaluations)
    if artificial_bound is not None and not 0.0 < artificial_bound < math.inf:
        raise CpcbenchError(f"the artificial bound is a positive number or None, not {artificial_bound!r}")
    before = objective.evaluations
    limit = 100 * objective.dim if evaluations is None else evaluations
    boxed = BoxedObjective(objective)
    bound = None if artificial_bound is None else np.full(objective.dim, artificial_bound)
    beginnings = first_points(objective, rng, starts, start, None if bound is None else (-bound, bound))
    ends = _descend(boxed, beginnings, iterations, limit, tolerance, step_tolerance)
    inside = ((objective.lower <= ends.x) & (ends.x <= objective.upper)).all(axis=1)
    ranked = np.where(inside & (ends.value < UNDEFINED), ends.value, np.inf)
    admissible = int(np.count_nonzero(ranked < np.inf))
    message = f"{admissible} of {len(ends.x)} descents ended at an admissible point"
    return best_of(ends.x, ranked, objective.evaluations - before, ends.rounds, message)


@dataclass
class _Ends:
    """Where each descent ended, and how many rounds the longest took."""

    x: Points
    value: Points
    rounds: int = 0


@dataclass
class _Running:
    """The descents still running, one row each; `row` is its place among all."""

    row: np.ndarray
    x: Points
    value: Points
    gradient: Points
    inverse: Points  # H, the inverse Hessian
    spent: np.ndarray  # evaluations
    enough: Points  # the size of the gradient at which to stop

    def kept(self, keep: np.ndarray) -> _Running:
        return _Running(**{name: array[keep] for name, array in self.__dict__.items()})


def _descend(
    fun: BoxedObjective, starts: Points, iterations: int, limit: int, tolerance: float, step_tolerance: float
) -> _Ends:
    """N&W algorithm 6.1 on all starts at once."""
    run = _begun(fun, starts, tolerance)
    ends = _Ends(run.x.copy(), run.value.copy())
    run = run.kept(_size(run.gradient) > run.enough)  # on the penalty plateau the slope is zero: done at once
    for k in range(iterations):
        if not len(run.row):
            break
        ends.rounds = k + 1
        size = _size(run.gradient)
        direction, length = _directions(run), np.ones(len(run.row))
        if k == 0:
            length = np.minimum(1.0, 1.0 / size)
        found = line_search(fun, run.x, run.value, run.gradient, direction, length, limit - run.spent)
        step = found.length[:, None] * direction
        change = found.gradient - run.gradient
        moved = found.length > 0.0
        small = (np.abs(step) / (1.0 + np.abs(run.x))).max(axis=1) < step_tolerance
        run.inverse = _updated(run.inverse, step, change, first=k == 0)
        run.x, run.value, run.gradient = found.x, found.value, found.gradient
        run.spent = run.spent + found.spent
        ends.x[run.row], ends.value[run.row] = run.x, run.value
        converged = small | ~(_size(run.gradient) > run.enough) | (run.value <= OBJECTIVE_LIMIT)
        run = run.kept(moved & ~converged & (run.spent < limit))
    return ends


def _begun(fun: BoxedObjective, starts: Points, tolerance: float) -> _Running:
    value = fun(starts)
    gradient = fun.gradients(starts, value)
    m, n = starts.shape
    return _Running(
        row=np.arange(m),
        x=starts,
        value=value,
        gradient=gradient,
        inverse=np.broadcast_to(np.eye(n), (m, n, n)).copy(),
        spent=np.full(m, n + 1),
        enough=tolerance * (1.0 + _size(gradient)),  # OptimalityTolerance is relative to the first gradient
    )


def _size(vectors: Points) -> Points:
    """The largest component of each row."""
    largest: Points = np.abs(vectors).max(axis=1)
    return largest


def _directions(run: _Running) -> Points:
    """-H g (6.18), or -g where rounding left that no direction of descent."""
    with np.errstate(all="ignore"):
        direction: Points = -np.einsum("mij,mj->mi", run.inverse, run.gradient)
        slope = (direction * run.gradient).sum(axis=1)
    lost = ~((slope < 0.0) & np.isfinite(slope))
    direction[lost] = -run.gradient[lost]
    run.inverse[lost] = np.eye(direction.shape[1])
    return direction


def _updated(inverse: Points, s: Points, y: Points, *, first: bool) -> Points:
    """The BFGS update (6.17), left out where the curvature s.y is not clearly positive."""
    with np.errstate(all="ignore"):
        curvature = (s * y).sum(axis=1)
        lengths = np.sqrt((s * s).sum(axis=1) * (y * y).sum(axis=1))
        usable = (curvature > ROOT_EPS * lengths) & np.isfinite(lengths)
        if first:  # the first inverse Hessian gets the scale of the function (6.20)
            scale = np.where(usable, curvature / (y * y).sum(axis=1), 1.0)
            inverse = inverse * scale[:, None, None]
        rho = 1.0 / curvature
        left = np.eye(s.shape[1]) - rho[:, None, None] * s[:, :, None] * y[:, None, :]
        new: Points = left @ inverse @ left.transpose(0, 2, 1) + rho[:, None, None] * s[:, :, None] * s[:, None, :]
    usable &= np.isfinite(new).all(axis=(1, 2))
    return np.where(usable[:, None, None], new, inverse)


SOLVER = Solver(
    name="BFGS+MS",
    solve=solve,
    undefined="penalty",
    summary="BFGS with forward differences from 2000 uniform starts, as MATLAB's fminunc under MultiStart.",
)
