"""Sums whose terms have few variables each: tables of the terms, and the lowest sum by dynamic programming.

Where every term knows some of the variables only, as in a chain f(x1, x2) + f(x2, x3) + ..., the lowest point of a
whole grid follows from tables of the terms: one variable after the other is left out, by its best choice for each
choice of its neighbours (nonserial dynamic programming). No value of the formula itself is needed for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cpcbench.expr.nodes import Expr
from cpcbench.expr.rewriting import terms, unlimited
from cpcbench.expr.walk import variables
from cpcbench.points import Floats, Places
from cpcbench.problems.problem import Problem
from cpcbench.readings.doubles.arrays import array_values
from cpcbench.solvers.white_box.tuning import WIDEST_BAG

INCREASING = frozenset({"exp", "sqrt", "ln", "arctan", "sinh", "tanh", "arcsinh"})
"""Around a sum they change nothing of where it is lowest."""


class Table(NamedTuple):
    """Numbers for every choice of grid values of some variables, an axis each, in ascending order."""

    places: tuple[int, ...]
    numbers: Any


class Parts:
    """The terms and constraints of a formula by their variables; `take` counts the points at which they are read."""

    def __init__(self, problem: Problem, take: Callable[[int], None]) -> None:
        root, conditions = unlimited(problem.expression)
        while root.op in INCREASING:
            root = root.args[0]
        self._take, self._n = take, problem.dim
        self._terms = [(sign, part, tuple(sorted(variables(part)))) for sign, part in terms(root)]
        self._conditions = [(part, tuple(sorted(variables(part)))) for part in conditions]
        groups = {places for _, _, places in self._terms} | {places for _, places in self._conditions}
        self.order, self.widest = _elimination(groups, self._n)

    @property
    def possible(self) -> bool:
        """Whether tables are smaller than the whole grid, and small enough."""
        return self.widest < self._n and self.widest <= WIDEST_BAG

    def low(self, grids: list[Floats], count: int) -> Floats:
        """Grid points with low sums, at most so many, the lowest first; none where no sum is defined."""
        tables = self._tables(grids)
        choices: list[tuple[int, tuple[int, ...], Places]] = []
        ends: list[tuple[int, Floats]] = []
        for place in self.order:
            mine = [table for table in tables if place in table.places]
            tables = [table for table in tables if place not in table.places]
            bag = tuple(sorted({place}.union(*(table.places for table in mine))))
            total = np.zeros([len(grids[i]) for i in bag])
            for table in mine:
                total = total + _spread(table, bag)
            axis = bag.index(place)
            rest = bag[:axis] + bag[axis + 1 :]
            if rest:
                choices.append((place, rest, np.argmin(total, axis=axis)))
                tables.append(Table(rest, np.min(total, axis=axis)))
            else:
                ends.append((place, total))
        return self._points(grids, choices, ends, count)

    def _tables(self, grids: list[Floats]) -> list[Table]:
        found: dict[tuple[int, ...], Any] = {}
        for sign, part, places in self._terms:
            found[places] = found.get(places, 0.0) + sign * self._read(part, places, grids)
        for part, places in self._conditions:
            found[places] = found.get(places, 0.0) + np.where(self._read(part, places, grids) >= 0.0, 0.0, np.inf)
        return [Table(places, np.where(np.isfinite(t), t, np.inf)) for places, t in found.items() if places]

    def _read(self, part: Expr, places: tuple[int, ...], grids: list[Floats]) -> Any:
        shape = tuple(len(grids[i]) for i in places)
        self._take(int(np.prod(shape)))
        columns: Any = dict(zip(places, np.ix_(*(grids[i] for i in places)), strict=True)) if places else {}
        return np.broadcast_to(array_values(part, columns)[id(part)], shape)

    def _points(
        self,
        grids: list[Floats],
        choices: list[tuple[int, tuple[int, ...], Places]],
        ends: list[tuple[int, Floats]],
        count: int,
    ) -> Floats:
        """Goes back through the choices, from the lowest places of the variables that were left out last."""
        ranked = [(place, _low_places(values, count)) for place, values in ends]
        if not all(len(low) for _, low in ranked):
            return np.empty((0, self._n))
        rows = np.empty((max(len(low) for _, low in ranked), self._n), dtype=np.int64)
        for place, low in ranked:
            rows[:, place] = low[np.minimum(np.arange(len(rows)), len(low) - 1)]
        for place, rest, best in reversed(choices):
            rows[:, place] = best[tuple(rows[:, i] for i in rest)]
        return np.column_stack([grids[i][rows[:, i]] for i in range(self._n)])


def _low_places(values: Floats, count: int) -> Places:
    """Where a row of numbers is lower than beside, the lowest first."""
    around = np.concatenate([[np.inf], values, [np.inf]])
    low = np.flatnonzero(np.isfinite(values) & (values <= around[:-2]) & (values <= around[2:]))
    return low[np.argsort(values[low], kind="stable")][:count]


def _spread(table: Table, bag: tuple[int, ...]) -> Any:
    """The table with an axis for every variable of the bag."""
    shape = iter(table.numbers.shape)
    return table.numbers.reshape([next(shape) if place in table.places else 1 for place in bag])


def _elimination(groups: set[tuple[int, ...]], n: int) -> tuple[list[int], int]:
    """An order in which variables are left out, always one with the fewest neighbours; and the largest table's axes."""
    beside = {i: {j for group in groups if i in group for j in group} - {i} for i in range(n)}
    order, widest = [], 1
    while beside:
        place = min(beside, key=lambda i: (len(beside[i]), i))
        neighbours = beside.pop(place)
        order.append(place)
        widest = max(widest, len(neighbours) + 1)
        for i in neighbours:
            beside[i] = (beside[i] | neighbours) - {i, place}
    return order, widest
