"""A tree of boxes grown on a card, level by level: what is open is halved, all boxes of a level at once.

Only arrays are needed here. What comes back says where boxes were halved and which were left; nobody need trust it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cpcbench.readings.gpu.draws import Module, threads_of

CLOSED, LEFT = -1, -2
"""Of a box: its bound reaches the target, or nothing more was done with it."""
FEW = 4096
"""So few open boxes, after levels with many more, are left to better bounds once they become more again."""


@dataclass(frozen=True)
class Levels:
    """For each level, and each box of it in order: the axis along which it was halved, CLOSED or LEFT."""

    axes: list[npt.NDArray[np.int8]]
    boxes: int
    """How many boxes were bounded."""

    @property
    def nodes(self) -> int:
        return sum(len(level) for level in self.axes)

    @property
    def left(self) -> int:
        return sum(int((level == LEFT).sum()) for level in self.axes)


def grow(module: Module, lower: Any, upper: Any, close: float, *, most: int = 2_000_000, deepest: int = 64) -> Levels:
    """Halves boxes until all bounds reach `close`, the tree has `most` nodes, or the few that are open crowd."""
    work = _Growing(module, close)
    low, high = (module.xp.asarray(np.atleast_2d(np.asarray(side, dtype=np.float64))) for side in (lower, upper))
    bound = work.look(low, high)
    axes: list[npt.NDArray[np.int8]] = []
    nodes, before, peak = 1, 1, 1
    while True:
        open_ = ~(bound >= close)  # also where it is no number
        count = int(open_.sum())
        peak = max(peak, count)
        crowds = before < count <= FEW and 8 * count < peak
        over = crowds or len(axes) >= deepest or nodes + 2 * count > most
        if over or not count:
            axes.append(work.on_host(module.xp.where(open_, np.int8(LEFT), np.int8(CLOSED)).astype(np.int8)))
            return Levels(axes, work.boxes)
        low, high, bound, chosen = work.halved(low[open_], high[open_])
        level = module.xp.full(len(open_), CLOSED, dtype=np.int8)
        level[open_] = chosen
        axes.append(work.on_host(level))
        nodes, before = nodes + 2 * count, count


class _Growing:
    """The kernels on arrays of boxes."""

    def __init__(self, module: Module, close: float) -> None:
        self._module, self._close = module, close
        self.boxes = 0

    def on_host(self, array: Any) -> npt.NDArray[np.int8]:
        return array if self._module.xp is np else array.get()  # type: ignore[no-any-return]

    def look(self, low: Any, high: Any) -> Any:
        xp = self._module.xp
        bound = xp.empty(len(low))
        self._launch("cpc_look", len(low), low, high, np.int64(len(low)), bound)
        self.boxes += len(low)
        return bound

    def halved(self, low: Any, high: Any) -> tuple[Any, Any, Any, Any]:
        """The halves of all boxes, each pair side by side: corners and bounds; and along which axes."""
        xp, (count, dim) = self._module.xp, low.shape
        axis, first, second = xp.zeros(count, dtype=np.int8), xp.empty(count), xp.empty(count)
        if dim > 1:
            corners = low, high, np.int64(count), np.float64(self._close)
            self._launch("cpc_branch", count, *corners, axis, first, second)
            self.boxes += 2 * dim * count
        rows, chosen = xp.arange(count), axis.astype(np.int64)
        a, b = low[rows, chosen], high[rows, chosen]
        middle = a + (b - a) * 0.5
        lows, highs = xp.repeat(low, 2, axis=0), xp.repeat(high, 2, axis=0)
        highs[2 * rows, chosen] = middle
        lows[2 * rows + 1, chosen] = middle
        if dim == 1:
            return lows, highs, self.look(lows, highs), axis
        bound = xp.empty(2 * count)
        bound[0::2], bound[1::2] = first, second
        return lows, highs, bound, axis

    def _launch(self, name: str, count: int, *args: Any) -> None:
        self._module.launch(name, min(count, threads_of(self._module.xp)), *args)
