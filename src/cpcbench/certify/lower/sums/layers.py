"""The variables of a chain: a grid for each, and the costs of the best paths before and after its nodes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cpcbench.certify.lower.sums.link_costs import first_nodes
from cpcbench.points import Floats

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass
class Costs:
    """The costs of the best paths on one side of the nodes, the neighbours' values they come by (NaN: there is no
    path, and the cost is only a filling), and for each cell whether its straight line is known to be good enough."""

    at: Floats
    by: Floats
    settled: Bools

    @classmethod
    def unknown(cls, count: int) -> Costs:
        return cls(np.full(count, math.nan), np.full(count, math.nan), np.zeros(max(count - 1, 0), dtype=bool))

    def middle(self, cells: Ints) -> Floats:
        """What the straight lines say in the middle of cells."""
        return 0.5 * (self.at[cells] + self.at[cells + 1])

    def add(self, cells: Ints, at: Floats, by: Floats) -> None:
        """Puts a node into each of some cells."""
        self.at, self.by = np.insert(self.at, cells + 1, at), np.insert(self.by, cells + 1, by)
        self.settled[cells] = False
        self.settled = np.insert(self.settled, cells + 1, False)

    def put(self, places: Ints, at: Floats, by: Floats) -> None:
        """Puts a node before each of those at some places; the cells around it count as unsettled."""
        for cells in (places - 2, places - 1, places):
            self.settled[np.clip(cells, 0, len(self.settled) - 1)] = False
        self.settled = np.insert(self.settled, places, False)
        self.at, self.by = np.insert(self.at, places, at), np.insert(self.by, places, by)


class Layer:
    """One variable of the chain: the nodes, and the costs before and after them."""

    def __init__(self, variable: int, low: float, high: float, also: float) -> None:
        self.variable, self.low, self.high = variable, low, high
        self.nodes: Floats = np.unique(np.append(first_nodes(low, high), min(max(also, low), high)))
        self.before, self.after = (Costs.unknown(len(self.nodes)) for _ in range(2))

    def side(self, ahead: bool) -> Costs:
        return self.before if ahead else self.after
