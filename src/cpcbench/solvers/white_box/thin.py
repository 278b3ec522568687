"""Thin sets: where an exponent is exactly a whole number, so that its base may be negative.

For each power with a variable exponent and each small whole number the equation exponent = number is
solved for one variable, where plain arithmetic can do it. A herd then lives on that slice of the
box, and only points that the rule strict forbids count.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass

import numpy as np

from cpcbench.expr.nodes import Expr, num, var
from cpcbench.expr.walk import constants, postorder, variables
from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.readings.doubles.arrays import evaluate
from cpcbench.solvers.search.engine import Search
from cpcbench.solvers.white_box.archive import Archive
from cpcbench.solvers.white_box.evaluations import ThinPart
from cpcbench.solvers.white_box.moves.climb import Climbers
from cpcbench.solvers.white_box.moves.herd import Herd
from cpcbench.solvers.white_box.tuning import FEW_THIN, THIN_HERD, THIN_LEVELS, WHOLE

Kernel = Callable[[Floats, Floats], float]


@dataclass(frozen=True)
class Slice:
    """The points where variable `place` has the value that makes an exponent the whole number."""

    place: int
    solution: Expr

    def bring(self, points: Floats) -> Floats:
        """The points moved onto the slice; where that is impossible they stay."""
        moved = points.copy()
        with np.errstate(all="ignore"):
            value = evaluate(self.solution, points)
        moved[:, self.place] = np.where(np.isfinite(value), value, points[:, self.place])
        return moved


def slices(root: Expr) -> list[Slice]:
    """One for each variable exponent, each of its variables that can be solved for, and each whole number."""
    free = constants(root)
    exponents = dict.fromkeys(
        part.args[1] for part in postorder(root) if part.op == "pow" and id(part.args[1]) not in free
    )
    found = [
        Slice(place, solution)
        for whole in WHOLE
        for exponent in exponents
        for place in variables(exponent)
        if (solution := solved(exponent, place, num(whole) if whole >= 0 else -num(-whole))) is not None
    ]
    return list(dict.fromkeys(found))


def solved(node: Expr, place: int, value: Expr) -> Expr | None:
    """What variable `place` must be for `node` to have this value; None if plain arithmetic cannot tell."""
    while node.op != "var":
        parts = [place in variables(part) for part in node.args]
        if sum(parts) != 1 or node.op not in _INVERSES:
            return None
        side = parts.index(True)
        other = node.args[1 - side] if len(node.args) == 2 else value
        node, value = node.args[side], _INVERSES[node.op](value, other, side)
    return value if node is var(place) else None


_INVERSES: dict[str, Callable[[Expr, Expr, int], Expr]] = {
    "add": lambda value, other, side: value - other,
    "sub": lambda value, other, side: value + other if side == 0 else other - value,
    "mul": lambda value, other, side: value / other,
    "div": lambda value, other, side: value * other if side == 0 else other / value,
    "neg": lambda value, other, side: -value,
}


def few_points(
    problem: Problem, rng: np.random.Generator, part: Slice, values: Callable[[Floats], Floats]
) -> Iterator[None]:
    """A short black-box search of a slice: its points are brought there before they are evaluated."""
    search = Search(problem.lower, problem.upper, rng, budget=FEW_THIN)
    for _ in range(FEW_THIN):
        points = search.ask(1)
        search.tell(points, values(np.ascontiguousarray(part.bring(points))))
        yield


class ThinHerd(Herd):
    """A herd for which only points count that the rule strict forbids."""

    def __init__(
        self,
        problem: Problem,
        rng: np.random.Generator,
        bring: Callable[[Floats], Floats],
        kernel: Kernel,
        thin: ThinPart,
        take: Callable[[int], None],
    ) -> None:
        self._thin = thin
        super().__init__(problem, rng, THIN_HERD, bring, kernel, take)

    def values(self, points: Floats) -> Floats:
        return self._thin(points, super().values(points))

    def kernel_of_thin_points(self, flat: Floats, out: Floats) -> float:
        out[:] = self.values(flat.reshape(len(out), -1))
        return 0.0


def thin_points(herd: ThinHerd, part: Slice) -> Generator[None, None, Archive]:
    """The lowest thin points of a slice in doubles; none if the herd does not get there."""
    n = herd.points.shape[1]
    if not (yield from herd.enter(0.5, 4 * n)):
        return Archive(herd.box)
    for _ in range(THIN_LEVELS):
        line = yield from herd.descend(0.5, 3 * n)
        if not line > herd.keys.min():
            break
    return _climbed(herd, part)


def _climbed(herd: ThinHerd, part: Slice) -> Archive:
    """The lowest of the herd after climbs within the slice."""

    def kernel(flat: Floats, out: Floats) -> float:
        points = np.ascontiguousarray(part.bring(flat.reshape(len(out), -1)))
        out[:] = herd.values(points)
        return 0.0

    rows = np.argsort(herd.keys)[:12]
    climbers = Climbers(herd.points[rows], herd.keys[rows], herd.box, herd.seed, 1e-3)
    climbers.run(kernel, 400)
    archive = Archive(herd.box, keep=8)
    archive.add(np.ascontiguousarray(part.bring(climbers.x)), climbers.value)
    return archive
