"""The connected parts of the admissible set: how many there are, and how large.

With one or two variables the box is cut into cells; interval arithmetic proves some of them
admissible throughout and most of the rest undefined, and points are drawn in those left open. With
more variables points are drawn and joined by straight ways. Neither can exclude parts that are
smaller than its resolution, or bridges thinner than it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cpcbench.limits import checked_whole
from cpcbench.problems.problem import Problem
from cpcbench.studies.modality.cell_parts import by_cells
from cpcbench.studies.modality.parts import Components
from cpcbench.studies.modality.sample_parts import by_samples

CELLS = 60_000
POINTS = 3000


def components(
    problem: Problem,
    *,
    cells: int = CELLS,
    points: int = POINTS,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Components:
    """The connected parts, by `cells` undecided cells (n <= 2) or by `points` admissible points (n > 2)."""
    for name, number in (("cells", cells), ("points", points)):
        checked_whole(number, name, 10)
    rng = np.random.default_rng(seed)
    if problem.dim <= 2:
        return by_cells(problem, cells, rng, progress)
    return by_samples(problem, points, rng, progress)
