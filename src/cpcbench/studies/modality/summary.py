"""How a landscape is broken up: the parts of its domain and its local minima, in one study."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cpcbench.problems.problem import Problem
from cpcbench.studies.modality.components import CELLS, POINTS, components
from cpcbench.studies.modality.local_minima import PROMINENCE, STARTS, Minima, local_minima
from cpcbench.studies.modality.parts import Components


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
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Modality:
    """Both studies with one seed; see `components` and `local_minima`."""
    parts = components(problem, cells=cells, points=points, seed=seed, progress=progress)
    minima = local_minima(problem, starts=starts, prominence=prominence, seed=seed, progress=progress)
    return Modality(problem, parts, minima)
