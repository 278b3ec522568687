"""Many local searches side by side, in compiled steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from cpcbench.points import Floats
from cpcbench.solvers.white_box.moves.climb_steps import Climb, learn_steps, new_climb, propose_steps
from cpcbench.solvers.white_box.start import STEPS

Words = npt.NDArray[np.uint64]


class Climbers:
    """Local searches from given points, with steps of the given size; `run` takes so many steps with each."""

    def __init__(self, points: Floats, values: Floats, box: Floats, seed: Words, sigma: float | Floats) -> None:
        self._box, self._seed = box, seed
        self._climb = new_climb(points, values, np.full(len(points), sigma))

    @property
    def x(self) -> Floats:
        return np.asarray(self._climb.x)

    @property
    def value(self) -> Floats:
        return np.asarray(self._climb.value)

    def run(self, kernel: Callable[[Floats, Floats], float], rounds: int) -> None:
        """So many steps with each climber."""
        flat = self._climb.tried.reshape(-1)
        for _ in range(rounds):
            STEPS.run(propose_steps, self._climb, self._box, self._seed)
            kernel(flat, self._climb.found)
            STEPS.run(learn_steps, self._climb)

    def keep(self, rows: npt.NDArray[np.int64]) -> None:
        """Goes on with these only."""
        self._climb = Climb(*(table[rows] for table in self._climb))
