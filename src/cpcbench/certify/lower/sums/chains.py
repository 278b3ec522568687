"""What paths along a chain of links cost before and after each of its variables, by points: no proof, only a plan.

Both costs are kept at the nodes of a grid and run straight in between. A grid is refined until that is as
exact as it has to be for a proof: the less a path through a point costs beyond the best one, the more.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from cpcbench.certify.lower.sums.layers import Bools, Costs, Ints, Layer
from cpcbench.certify.lower.sums.link_costs import LinkCosts, first_nodes, least, link_costs
from cpcbench.clock import look_at_clock
from cpcbench.expr.nodes import Expr
from cpcbench.intervals.tables import Table
from cpcbench.points import Floats

MOST_NODES = 12_000
"""Of the grid of a variable, the end of refining."""
ROUNDS, NARROW = 60, 1e-13
"""How often a cell is halved at most, and the share of the range below which it is not."""
SHARE, LAST = 0.2, 0.05
"""Of what a link has to spare, and of what the whole may lose, the part that straight lines may take away."""
SWEEPS = 3
"""From one to the next, what the whole may lose becomes smaller, down to the tolerance."""
SNAPPED = 1e-7
"""Of the range, how near to an even node a value is put at it."""
LENIENT = 4.0
"""How much more they may lie below the truth than above it: a cost that is too low harms only the whole."""


class Chain:
    """Links g_1(x_1, x_2), g_2(x_2, x_3), ... given by signed terms, with the best cost known at one point."""

    def __init__(
        self,
        order: Sequence[int],
        links: Sequence[Sequence[tuple[int, Expr]]],
        bounds: Sequence[tuple[float, float]],
        point: Sequence[float],
        best: float,
        tolerance: float,
        workers: int = 1,
    ) -> None:
        self.workers, self.stage, self._took = workers, 0, 0.0
        self.best, self.tolerance = best, max(tolerance, 1e-12 * max(1.0, abs(best)))
        made: dict[object, LinkCosts] = {}
        self.links = [link_costs(terms, pair, bounds, made) for terms, pair in zip(links, pairwise(order), strict=True)]
        self.layers = [Layer(v, *bounds[v], float(point[v])) for v in order]

    @property
    def share(self) -> float:
        return 1.0 / len(self.links)

    def prepare(self, until: float, seen: Callable[[], None] = lambda: None) -> None:
        """Finds the costs, and refines the grids sweep by sweep: each knows what to spare where from the one before.

        `seen` is called after each sweep. What was found before is gone on from.
        """
        if self.stage == 0:
            self._both(until, math.inf)
            self.stage = 1
            seen()
        for sweep in range(self.stage, SWEEPS + 1):
            slack = self.spread * (self.tolerance / self.spread) ** (sweep / SWEEPS)
            if sweep == SWEEPS:  # what there was to spare was not known so well before
                self._doubt()
            if time.monotonic() + self._took > until:
                break
            self._both(until, slack)
            self.stage = sweep + 1
            seen()
        self._finish(until)

    def arrays(self) -> dict[str, Any]:
        """All that was found, to go on from later."""
        found: dict[str, Any] = {"stage": np.array([self.stage])}
        for k, layer in enumerate(self.layers):
            found[f"{k} nodes"] = layer.nodes
            for ahead, name in ((True, "before"), (False, "after")):
                side = layer.side(ahead)
                found |= {f"{k} {name} at": side.at, f"{k} {name} by": side.by, f"{k} {name} settled": side.settled}
        return found

    def restore(self, found: Mapping[str, Any]) -> None:
        """Goes on from what was found before, if that was on the same ranges of as many variables."""
        for k, layer in enumerate(self.layers):
            nodes = found.get(f"{k} nodes")
            if nodes is None or (nodes[0], nodes[-1]) != (layer.low, layer.high):
                return
        for k, layer in enumerate(self.layers):
            layer.nodes = found[f"{k} nodes"].copy()
            layer.before, layer.after = (
                Costs(*(found[f"{k} {name} {field}"].copy() for field in ("at", "by", "settled")))
                for name in ("before", "after")
            )
        self.stage = int(found["stage"][0])

    def _both(self, until: float, slack: float) -> None:
        started = time.monotonic()
        self._sweep(True, until, slack)
        self._sweep(False, until, slack)
        self._took = time.monotonic() - started

    def repair(self, pairs: Sequence[Floats], until: float) -> None:
        """Finds the costs again after it was shown, link by link, at which pairs of values they are not good enough."""
        for k, found in enumerate(pairs):
            self._show(k + 1, True, found[:, 1], found[:, 0])
            self._show(k, False, found[:, 0], found[:, 1])
        self._both(until, self.tolerance)
        self._see_best()

    def _doubt(self) -> None:
        for layer in self.layers:
            for costs in (layer.before, layer.after):
                costs.settled[:] = False

    def _show(self, k: int, ahead: bool, at: Floats, by: Floats) -> None:
        """Puts nodes at some values of a variable and says by which values of its neighbour a low cost is reached."""
        layer = self.layers[k]
        if not 0 < k < len(self.layers) - 1 or not len(at):
            return
        place = np.clip(np.searchsorted(layer.nodes, at), 1, len(layer.nodes) - 1)
        place, first = np.unique(place, return_index=True)  # the first of each cell
        at, by = at[first], by[first]
        near = np.where(at - layer.nodes[place - 1] < layer.nodes[place] - at, place - 1, place)
        known = np.abs(layer.nodes[near] - at) <= NARROW * (layer.high - layer.low)
        layer.side(ahead).by[near[known]] = by[known]
        for side in (layer.before, layer.after):
            costs = np.interp(at[~known], layer.nodes, side.at)
            side.put(place[~known], costs, by[~known] if side is layer.side(ahead) else np.full(len(costs), math.nan))
        layer.nodes = np.insert(layer.nodes, place[~known], at[~known])

    def _finish(self, until: float) -> None:
        if time.monotonic() + self._took < until:
            self._both(until, math.inf)  # so that all costs are again those by the grids as they are now
        self._see_best()

    def _see_best(self) -> None:
        found = float(self.layers[-1].before.at.min())
        if found < self.best - self.tolerance:  # the point known is not the best one: no bound above this one holds
            self.best = found

    def path(self) -> dict[int, float]:
        """A value for each variable along the best path that the first grids show; empty if there is none."""
        costs = [np.zeros(len(self.layers[0].nodes))]
        for k, (layer, link) in enumerate(zip(self.layers[1:], self.links, strict=True)):
            look_at_clock()
            nowhere = np.zeros((len(layer.nodes), 0))
            costs.append(
                least(link, True, self.layers[k].nodes, costs[-1], layer.nodes, nowhere, True, self.workers)[0]
            )
        return self._back(costs)

    def best_path(self) -> dict[int, float]:
        """The same by the costs found."""
        return self._back([layer.before.at for layer in self.layers])

    def snapped(self, path: Mapping[int, float]) -> dict[int, float]:
        """A path with values that are next to an even node at it: where a cost rises as a root of the distance, at 0
        say, a search comes close and the cost does not."""
        found = dict(path)
        for layer in self.layers:
            nodes, x = first_nodes(layer.low, layer.high), found.get(layer.variable, math.nan)
            nearest = float(nodes[np.argmin(np.abs(nodes - x))])
            if abs(nearest - x) <= SNAPPED * (layer.high - layer.low):
                found[layer.variable] = nearest
        return found

    def _back(self, costs: Sequence[Floats]) -> dict[int, float]:
        """The values of the cheapest path, from the last variable to the first."""
        last = self.layers[-1]
        x = float(last.nodes[np.argmin(costs[-1])])
        found = {last.variable: x}
        for k in range(len(self.links) - 1, -1, -1):
            source = self.layers[k]
            _, by = least(self.links[k], True, source.nodes, costs[k], np.array([x]), np.zeros((1, 0)), True)
            x = float(by[0])
            found[source.variable] = x
        return found if all(math.isfinite(x) for x in found.values()) else {}

    def potentials(self) -> list[Table]:
        """Functions of all variables but the first and the last that turn a bound of the chain into one per link.

        With V the cost before a variable, W the cost after it and L the best cost of all, s = V + W - L is 0 only on
        optimal paths. P = V - t s, where t grows evenly along the chain from 0 to 1, leaves each link
        g(x, y) + P(x) - P(y) an even share of what a path through (x, y) costs beyond L.
        """
        found = []
        for k, layer in enumerate(self.layers[1:-1], start=1):
            t = k * self.share
            values = (1.0 - t) * layer.before.at + t * (self.best - layer.after.at)
            found.append(Table(layer.variable, layer.nodes.tolist(), values.tolist()))
        return found

    @property
    def spread(self) -> float:
        """How far the best cost is from that of the cheapest links, wherever they are."""
        return max(self.best - sum(link.least for link in self.links), self.tolerance)

    def _sweep(self, ahead: bool, until: float, slack: float) -> None:
        """Finds the costs layer by layer, from one end of the chain to the other."""
        count = len(self.layers)
        for k in range(count) if ahead else range(count - 1, -1, -1):
            look_at_clock()
            layer = self.layers[k]
            costs = layer.side(ahead)
            near = np.pad(costs.by, 1, constant_values=math.nan)
            starts = np.stack([near[:-2], near[1:-1], near[2:]], axis=1)
            found, costs.by = self._least(k, ahead, layer.nodes, starts, True)
            costs.at = self._filled(layer, found, layer.side(not ahead).at)
            if slack < math.inf and 0 < k < count - 1:
                self._refine(k, ahead, until, slack)
            _level(layer, costs)

    def _least(self, k: int, ahead: bool, at: Floats, starts: Floats, fine: bool) -> tuple[Floats, Floats]:
        """The costs before (`ahead`) or after points of a variable, and the neighbour's values they come by."""
        if k == (0 if ahead else len(self.layers) - 1):
            return np.zeros(len(at)), np.zeros(len(at))
        source, link = self.layers[k - 1 if ahead else k + 1], self.links[k - 1 if ahead else k]
        return least(link, ahead, source.nodes, source.side(ahead).at, at, starts, fine, self.workers)

    def _filled(self, layer: Layer, found: Floats, beyond: Floats) -> Floats:
        """Where there is no path, a cost such that the whole is as much beyond the best one as next to it, or more.

        Any cost would do there, but one that goes on smoothly is easier to prove something with than a jump.
        """
        some = np.isfinite(found)
        if some.all() or not some.any():
            return np.where(some, found, 0.0)
        if np.isnan(beyond).any():
            return np.interp(layer.nodes, layer.nodes[some], found[some])
        spare = np.maximum(found[some] + beyond[some] - self.best, 0.0)
        known = layer.nodes[some]
        place = np.clip(np.searchsorted(known, layer.nodes), 1, len(known) - 1) if len(known) > 1 else 0
        away = np.minimum(np.abs(layer.nodes - known[place - 1]), np.abs(layer.nodes - known[place]))
        more = np.interp(layer.nodes, known, spare) + self.spread * away / (layer.high - layer.low)
        return np.where(some, found, self.best - beyond + more)

    def _inside(self, k: int, ahead: bool, cells: Ints, at: Floats) -> tuple[Floats, Floats]:
        """The costs inside some cells; where there is no path, the middle of those at their ends."""
        costs = self.layers[k].side(ahead)
        starts = np.stack([costs.by[cells], costs.by[cells + 1]], axis=1)
        fine = (k - 1 if ahead else k + 1) in (0, len(self.layers) - 1)  # the ends have even nodes only
        found, by = self._least(k, ahead, at, starts, fine)
        return np.where(np.isfinite(found), found, costs.middle(cells)), by

    def _refine(self, k: int, ahead: bool, until: float, slack: float) -> None:
        """Halves the cells of a grid where straight lines are not good enough."""
        layer = self.layers[k]
        costs, others = layer.side(ahead), layer.side(not ahead)
        todo = ~costs.settled
        for _ in range(ROUNDS):
            left, right = layer.nodes[:-1], layer.nodes[1:]
            cells = np.flatnonzero(todo & (right - left > NARROW * (layer.high - layer.low)))
            if not len(cells) or len(layer.nodes) > MOST_NODES or time.monotonic() > until:
                break
            at = 0.5 * (left[cells] + right[cells])
            found, by = self._inside(k, ahead, cells, at)
            poor = self._judged(costs, others, cells, (found, by), slack)
            cells, at, found, by = cells[poor], at[poor], found[poor], by[poor]
            other, other_by = self._inside(k, not ahead, cells, at)
            todo = np.zeros(len(todo), dtype=bool)
            todo[cells] = True
            todo = np.insert(todo, cells + 1, True)
            costs.add(cells, found, by)
            others.add(cells, other, other_by)
            layer.nodes = np.insert(layer.nodes, cells + 1, at)

    def _judged(self, costs: Costs, others: Costs, cells: Ints, found: tuple[Floats, Floats], slack: float) -> Bools:
        """Whether a cell's line misses the cost found in its middle by more than the proof can bear."""
        at, by = found
        spare = SHARE * np.maximum(at + others.middle(cells) - self.best, 0.0)
        excess = costs.middle(cells) - at
        paths = np.isnan(np.stack([costs.by[cells], costs.by[cells + 1], by])).sum(axis=0)
        ending = (paths > 0) & (paths < 3)
        fits = (-LENIENT * self.share * spare <= excess) & (excess <= self.share * spare)
        costs.settled[cells] = fits & ~ending & (spare > SHARE * slack)  # what there is to spare is known that well
        room = self.share * (spare + LAST * slack)
        poor: Bools = (excess > room) | (excess < -LENIENT * room) | ending
        return poor


def _level(layer: Layer, costs: Costs) -> None:
    """Where a jump was closed in on, both ends of the cell get the lower cost: it may be inside."""
    cells = np.flatnonzero(np.diff(layer.nodes) <= 2.0 * NARROW * (layer.high - layer.low))
    lower = np.minimum(costs.at[cells], costs.at[cells + 1])
    for ends in (cells, cells + 1):
        np.minimum.at(costs.at, ends, lower)
