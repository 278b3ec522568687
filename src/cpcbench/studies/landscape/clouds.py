"""The data of a figure of admissible points: where the domain is, in two or three variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cpcbench.errors import CpcbenchError
from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.rng import Rng, generator_of
from cpcbench.sampling.points import admissible_points, uniform_points
from cpcbench.studies.landscape.windows import checked_axes


@dataclass(frozen=True, eq=False)
class Cloud:
    """Admissible points (one a row, all coordinates) and their values; two or three `axes` are to be drawn.

    `share` is the part of `draws` even draws that was admissible. If `walked`, even draws found too few
    and the points come from random walks: they show where the domain is, not how dense it is.
    """

    problem: Problem
    axes: tuple[int, ...]
    points: Floats
    values: Floats
    draws: int
    share: float
    walked: bool


def cloud(
    problem: Problem, *, axes: Sequence[int] | None = None, draws: int = 200_000, most: int = 20_000, rng: Rng = 0
) -> Cloud:
    """The admissible ones of so many even draws from the box, at most `most` of them.

    If fewer than a hundred are admissible, points reached by random walks are taken instead.
    """
    chosen = tuple(range(min(problem.dim, 3))) if axes is None else tuple(axes)
    chosen = checked_axes(chosen, problem, 3 if len(chosen) == 3 else 2)
    if draws < 1 or most < 1:
        raise CpcbenchError(f"a cloud needs at least one draw and one point, not {draws} and {most}")
    rng = generator_of(rng)
    drawn = uniform_points(problem, draws, rng)
    points = drawn[problem.admissible(drawn)]
    share = len(points) / draws
    walked = len(points) < min(100, most)
    points = admissible_points(problem, most, rng) if walked else points[:most]
    return Cloud(problem, chosen, points, np.asarray(problem(points)), draws, share, walked)
