"""Many local searches side by side, in compiled steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from cpcbench.solvers.white_box.moves.climb_steps import TARGET, learn_steps, propose_steps
from cpcbench.solvers.white_box.start import STEPS

Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint64]


class Climbers:
    """Local searches from given points; `run` takes so many steps with each."""

    def __init__(self, points: Floats, values: Floats, box: Floats, seed: Words, sigma: float) -> None:
        count, n = points.shape
        self.x, self.value, self.box, self.seed = points.copy(), values.copy(), box, seed
        self.sigma, self.success = np.full(count, sigma), np.full(count, TARGET)
        self.shape = np.tile(np.eye(n), (count, 1, 1))
        self.inverse = self.shape.copy()
        self.path, self.fade = np.zeros((count, n)), np.zeros((count, n))
        self._z, self._steps, self._out = np.empty((count, n)), np.empty((count, n)), np.empty((count, n))
        self._kinds, self._found = np.empty(count, dtype=np.int64), np.empty(count)

    def run(self, kernel: Callable[[Floats, Floats], float], rounds: int) -> None:
        """So many steps with each climber."""
        flat = self._out.reshape(-1)
        for _ in range(rounds):
            STEPS.run(
                propose_steps,
                self.x, self.sigma, self.shape, self.box, self.seed, self._z, self._steps, self._kinds, self._out
            )  # fmt: skip
            kernel(flat, self._found)
            STEPS.run(
                learn_steps,
                self.x, self.value, self.sigma, self.success, self.shape, self.inverse, self.path, self.fade,
                self._steps, self._kinds, self._out, self._found,
            )  # fmt: skip

    def keep(self, rows: npt.NDArray[np.int64]) -> None:
        """Goes on with these only."""
        for name in ("x", "value", "sigma", "success", "shape", "inverse", "path", "fade"):
            setattr(self, name, getattr(self, name)[rows])
        self._z, self._steps, self._out = self._z[rows], self._steps[rows], self._out[rows]
        self._kinds, self._found = self._kinds[rows], self._found[rows]
