"""The connected parts of an admissible set as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cpcbench.points import Floats, Places
from cpcbench.problems.problem import Problem
from cpcbench.studies.modality.unseen import Unseen

Progress = Callable[[str], None]


def silent(_text: str) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True)
class Part:
    """One connected part, as far as is seen.

    `share` is the part's share of the box (an estimate), `certain_share` what of it is proven; `points`
    are the sampled ones in it, `value` and `x` the lowest of them.
    """

    share: float
    certain_share: float
    points: int
    value: float
    x: tuple[float, ...]


@dataclass(frozen=True)
class Components:
    """The parts of an admissible set, the largest first.

    `found` parts are not joined by anything seen, so thin bridges make it too large and unseen parts too
    small; at least `at_least` are proven to be there, apart from each other, over the reals (with more
    than two variables nothing is proven, and it is 1). `solid` parts
    hold a cell proven admissible, and `solid_groups` is how many there are if only such cells join them: ways
    through undecided cells are probed at a few points, and may cross a gap that is thinner. `open_share` is
    the share of the box that stayed undecided.
    """

    problem: str
    rule: str
    method: str
    found: int
    at_least: int
    solid: int
    solid_groups: int
    parts: tuple[Part, ...]
    share: float
    open_share: float
    level: int
    evaluations: int
    even: bool
    """Whether the points were spread evenly; if not, `unseen` is a rough guide only."""
    unseen: Unseen

    @property
    def settled(self) -> bool:
        """Whether what is proven apart and what is proven joined agree, and nothing else is seen."""
        return self.method == "cells" and self.found == self.at_least == self.solid == self.solid_groups


def parts_of(problem: Problem, points: Floats, member: Places, share: Floats, proven: Floats) -> tuple[Part, ...]:
    """The groups as parts, the largest first."""
    if len(points) == 0:
        return ()
    names, index, sizes = np.unique(member, return_inverse=True, return_counts=True)
    shares = np.bincount(index, weights=share, minlength=len(names))
    certain = np.bincount(index, weights=proven, minlength=len(names))
    values = np.asarray(problem(points))
    ranked = np.lexsort((np.where(np.isnan(values), np.inf, values), index))  # undefined ones last
    first = ranked[np.searchsorted(index[ranked], np.arange(len(names)))]
    order = np.lexsort((-sizes, -shares))
    return tuple(
        Part(
            float(shares[k]),
            float(certain[k]),
            int(sizes[k]),
            float(values[first[k]]),
            tuple(points[first[k]].tolist()),
        )
        for k in order
    )
