"""How sensitive a problem is at a point: its neighbours, the edges around it, the digits it needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from cpcbench.errors import PointError
from cpcbench.problems.problem import Problem
from cpcbench.rng import Rng
from cpcbench.sampling.points import point_or_best
from cpcbench.studies.sensitivity.digits import Precision, digits_needed, precision_profile
from cpcbench.studies.sensitivity.edges import Edge, edges
from cpcbench.studies.sensitivity.neighbours import Neighbour, decimal_neighbours, ulp_neighbours

TOLERANCE = 1e-4


@dataclass(frozen=True)
class Frailty:
    """The few numbers that problems are ranked by."""

    problem: str
    rule: str
    x: tuple[float, ...]
    value: float
    digits_needed: float
    decimals_needed: float
    """The decimals that go with them, of the coordinate with the smallest box; inf as `digits_needed`."""
    good_share: float
    """Of points drawn within a unit of the last digit needed (NaN if no number of digits is enough)."""
    nearest_edge: float
    """The least distance to an edge along a coordinate, as a share of the box's width."""
    nearest_edge_ulps: float
    failing: tuple[str, ...]
    """The conditions that fail beyond that edge."""
    profile: tuple[Precision, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True)
class Sensitivity:
    """Everything about one point; `together` are the neighbours with all coordinates moved by one ulp."""

    point: str
    """Which point it is: published, best known, or given."""
    frailty: Frailty
    decimal: tuple[Neighbour, ...]
    ulps: tuple[Neighbour, ...]
    together: tuple[Neighbour, ...]


def sensitivity(
    problem: Problem,
    x: ArrayLike | None = None,
    *,
    decimals: int | None = None,
    rounding: str = "nearest",
    ulps: Sequence[int] = (1, 2, 4),
    tolerance: float = TOLERANCE,
    grids: int = 24,
    rng: Rng = 0,
) -> Sensitivity:
    """The sensitivity at a point, by default the first published one, or best-known one if none is published."""
    which, point = "given" if x is not None else "best known", x
    if x is None and problem.published is not None:
        which, point = "published", problem.published.points[0]
    point = point_or_best(problem, point)
    return Sensitivity(
        point=which,
        frailty=frailty(problem, point, tolerance=tolerance, grids=grids, rng=rng),
        decimal=decimal_neighbours(problem, point, decimals=decimals, rounding=rounding),
        ulps=ulp_neighbours(problem, point, ulps=ulps),
        together=ulp_neighbours(problem, point, ulps=(1,), together=True, rng=rng),
    )


def frailty(
    problem: Problem, x: ArrayLike | None = None, *, tolerance: float = TOLERANCE, grids: int = 24, rng: Rng = 0
) -> Frailty:
    """Digits needed and the nearest edge, without the neighbours."""
    problem.needs_box("its sensitivity")
    point = point_or_best(problem, x)
    if not problem.in_box(point):
        raise PointError(f"the point is outside the box of {problem.id}")
    profile = precision_profile(problem, point, tolerance=tolerance, grids=grids, rng=rng)
    needed = digits_needed(profile)
    row = next((p for p in profile if p.digits == needed), None)
    around = edges(problem, point)
    nearest = min(around, key=lambda edge: edge.share)
    return Frailty(
        problem=problem.id,
        rule=problem.rule,
        x=tuple(point.tolist()),
        value=float(problem.reference(point)),
        digits_needed=needed,
        decimals_needed=math.inf if row is None else float(max(row.decimals)),
        good_share=math.nan if row is None else row.good,
        nearest_edge=nearest.share,
        nearest_edge_ulps=min(edge.ulps for edge in around),
        failing=nearest.failing,
        profile=profile,
        edges=around,
    )


def ranking(
    problems: Iterable[Problem],
    *,
    tolerance: float = TOLERANCE,
    grids: int = 24,
    rng: Rng = 0,
    progress: Callable[[str], None] | None = None,
) -> list[Frailty]:
    """The problems at their best-known points, the most sensitive first.

    In the order of the digits needed; where they are equal the fewer good points around come first.
    """
    found = []
    for problem in problems:
        if progress is not None:
            progress(problem.id)
        found.append(frailty(problem, tolerance=tolerance, grids=grids, rng=rng))
    return sorted(found, key=lambda f: (-f.digits_needed, _share(f), f.nearest_edge))


def _share(found: Frailty) -> float:
    return -1.0 if math.isnan(found.good_share) else found.good_share
