"""How a landscape is broken up: the connected parts of its domain and its local minima, in one study.

With one or two variables the box is cut into cells; interval arithmetic proves some of them
admissible throughout and most of the rest undefined, and points are drawn in those left open. With
more variables points are drawn and joined by straight ways. Neither can exclude parts that are
smaller than its resolution, or bridges thinner than it.
"""

from __future__ import annotations

from dataclasses import dataclass

from cpcbench.limits import checked_whole
from cpcbench.problems.problem import Problem
from cpcbench.rng import Rng, generator_of
from cpcbench.studies.modality.cell_parts import by_cells
from cpcbench.studies.modality.local_minima import PROMINENCE, STARTS, Minima, local_minima
from cpcbench.studies.modality.parts import Components, Progress, silent
from cpcbench.studies.modality.sample_parts import by_samples

CELLS = 60_000
POINTS = 3000


@dataclass(frozen=True)
class Modality:
    """The parts of a problem's domain and its local minima."""

    problem: Problem
    components: Components
    minima: Minima


def modality(
    problem: Problem,
    *,
    cells: int = CELLS,
    points: int = POINTS,
    starts: int = STARTS,
    prominence: float = PROMINENCE,
    rng: Rng = 0,
    progress: Progress = silent,
) -> Modality:
    """Both studies with one `rng`; see `components` and `local_minima`."""
    parts = components(problem, cells=cells, points=points, rng=rng, progress=progress)
    minima = local_minima(problem, starts=starts, prominence=prominence, rng=rng, progress=progress)
    return Modality(problem, parts, minima)


def components(
    problem: Problem,
    *,
    cells: int = CELLS,
    points: int = POINTS,
    rng: Rng = 0,
    progress: Progress = silent,
) -> Components:
    """The connected parts, by `cells` undecided cells (n <= 2) or by `points` admissible points (n > 2)."""
    problem.needs_box("its modality")
    for name, number in (("cells", cells), ("points", points)):
        checked_whole(number, name, 10)
    rng = generator_of(rng)
    if problem.dim <= 2:
        return by_cells(problem, cells, rng, progress)
    return by_samples(problem, points, rng, progress)
