"""How many global optima there are: from the terms of a separable sum, from proofs, or at least so many by symmetry."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from functools import cache

import numpy as np

from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import COMPARISONS, Expr, var
from cpcbench.expr.rewriting import replaced, terms
from cpcbench.expr.walk import constants, postorder, variables
from cpcbench.intervals.boxes import Boxes
from cpcbench.intervals.operations import EVERYWHERE, NOWHERE
from cpcbench.problems.problem import Problem
from cpcbench.readings.reals.reference import constant_values
from cpcbench.studies.structure.interplay import one_further_in, peeled
from cpcbench.studies.symmetry.multiplicity import Multiplicity, multiplicity, power_of_two
from cpcbench.studies.symmetry.one_variable import Places, minimisers, zeros

KEEP_ZERO = ("", "sqrt", "exp")
"""What may stand around a root: it is defined, and least, where the root is 0."""
LARGE, SMALL = sys.float_info.max, sys.float_info.min
"""How far below 0 a root is proven to be undefined."""


@dataclass(frozen=True)
class OptimaCount:
    """The number of optima: exact where both bounds agree, `at_most` is None where no bound is known.

    `how` says what it rests on. `places` are, of a separable sum, those of each variable at which its term is least:
    every choice of one for each variable is an optimum.
    """

    at_least: float
    at_most: float | None
    how: str
    places: tuple[Places, ...] = ()

    def __post_init__(self) -> None:
        if self.at_most is not None and self.at_most < self.at_least:
            raise CpcbenchError(f"at least {self.at_least} optima and at most {self.at_most} cannot be: {self.how}")

    @property
    def exact(self) -> bool:
        return self.at_least == self.at_most

    @property
    def point(self) -> list[float] | None:
        """One of the optima, to the accuracy of its place; None if the terms do not tell."""
        sides = [(*places.single, *places.loose, *places.open)[:1] for places in self.places]
        return [sum(side[0]) / 2 for side in sides] if sides and all(sides) else None

    @property
    def text(self) -> str:
        if self.exact:
            return _number(self.at_least)
        if self.at_most is not None:
            return f"{_number(self.at_least)} to {_number(self.at_most)}"
        return f"at least {_number(self.at_least)}" if self.at_least else "unknown"


def _places(count: int) -> str:
    return "one place" if count == 1 else f"{count} places"


def _number(count: float) -> str:
    if math.isinf(count):
        return "infinitely many"
    text = power_of_two(int(count))
    return text if "^" in text else f"{int(count):,}" if count else "none"


@cache
def optima(problem: Problem, images: Multiplicity | None = None) -> OptimaCount:
    """The number of global optima of a problem; `images` are those of one of them, the best-known one if not given.

    Symmetry gives the images of that point only, and says nothing of others.
    """
    claims = [claim for claim in problem.proven if not claim.thin]
    if any(claim.upper is None for claim in claims):
        return OptimaCount(0, 0, "proven to have no lower bound")
    if any(claim.attained is False for claim in claims):
        return OptimaCount(0, 0, "the infimum is proven not to be attained")
    apart = separable_optima(problem)
    if apart is not None and apart.exact:
        return apart
    images = images or multiplicity(problem)
    if images.flat is not None:
        return OptimaCount(math.inf, math.inf, images.flat)
    held = [claim.places for claim in claims if claim.places is not None]
    where = f"; proven to be all at {_places(min(held))}" if held else ""
    by_symmetry = f"{images.text} by symmetry{where}"
    if apart is None:
        return OptimaCount(images.count, None, by_symmetry)
    beyond = apart.at_most is not None and images.count > apart.at_most  # then the point is no optimum
    if apart.at_least >= images.count or beyond:
        return apart
    return OptimaCount(images.count, apart.at_most, f"{by_symmetry}; {apart.how}", apart.places)


@cache
def separable_optima(problem: Problem) -> OptimaCount | None:
    """The product over the terms of a separable sum of their numbers of minimisers; None if it is no such sum.

    Increasing functions may stand around the sum, as long as they are proven to be defined where it is least.
    """
    parts = _by_variable(problem) if _is_plain(problem.expression) else None
    if parts is None or not np.isfinite(problem.bounds).all():
        return None
    order = sorted(parts)
    found = [_least(parts[i], *problem.bounds[i], problem.rule) for i in order]
    if not _defined_there(problem, [parts[i] for i in order], found):
        return None
    counts = [places.at_least for places in found]
    at_least = math.prod(counts)
    bounds = [places.at_most for places in found]
    at_most = None if None in bounds else math.prod(b for b in bounds if b is not None)
    product = " * ".join(map(str, counts))
    how = f"the product over the terms, {product}, each counted with proof"
    return OptimaCount(at_least, at_most, how if at_least == at_most else f"{how} as far as it closes", tuple(found))


def _is_plain(root: Expr) -> bool:
    """Whether all constants are defined, and those that multiply, divide or are exponents as in doubles: the sign is
    theirs, and whole numbers are whole."""
    free, values = constants(root), constant_values(root)
    alone = [node for node in postorder(root) if id(node) in free and node.op not in COMPARISONS]
    outer = [node for node in postorder(root) if node.op in ("mul", "div", "pow") and id(node) not in free]
    acting = {id(argument) for node in outer for argument in node.args}
    for node, span in zip(alone, _constants(alone), strict=True):
        near = sorted([*span, values[id(node)]])
        if not np.isfinite(near).all():
            return False
        if id(node) in acting and near[0] != near[-1] and math.ceil(near[0]) <= math.floor(near[-1]):
            return False
    return True


def _constants(nodes: list[Expr]) -> list[tuple[float, float]]:
    """Between which numbers constants are proven to lie; from inf to -inf where one may be undefined."""
    point = np.zeros((1, 1))
    spans = [Boxes(node)(point, point) for node in nodes]
    return [(float(a[0]), float(b[0])) if c[0] == EVERYWHERE else (math.inf, -math.inf) for a, b, c in spans]


def _by_variable(problem: Problem) -> dict[int, list[tuple[int, Expr]]] | None:
    """The terms of each variable, as functions of x1 with the signs under which they are to be small."""
    _, increasing, inner = peeled(problem.expression)
    free, found = constants(inner), dict[int, list[tuple[int, Expr]]]()
    for sign, part in terms(inner):
        if id(part) in free:
            continue
        own = variables(part)
        if len(own) != 1:
            return None
        alone = {id(node): var(0) for node in postorder(part) if node.op == "var"}
        found.setdefault(own[0], []).append((sign if increasing else -sign, replaced(part, alone)))
    return found if len(found) == problem.dim else None


def _least(signed: list[tuple[int, Expr]], low: float, high: float, rule: str) -> Places:
    """Where the sum of some terms of one variable is least."""
    if len(signed) == 1 and signed[0][0] > 0:
        for root in _roots(signed[0][1], rule):
            places = zeros(root, low, high, rule)
            if places.single:
                return places
    return minimisers(_sum(signed), low, high, rule)


def _roots(part: Expr, rule: str) -> list[Expr]:
    """What stands below roots and fractional powers that the term is least with: it is defined where they are 0, and
    nowhere where they are negative."""
    free, values = constants(part), constant_values(part)
    found: list[Expr] = []
    node = part
    while True:
        loose = [(sign, term) for sign, term in terms(node) if id(term) not in free]
        if len(loose) != 1 or loose[0][0] < 0:
            return found
        inside = one_further_in(loose[0][1], free, values)
        if inside is None or not inside[1]:
            return found
        name, _, node = inside
        if name == "sqrt" or name.startswith("power"):
            _, _, states = Boxes(replaced(part, {id(node): var(0)}), rule)([[0.0], [-LARGE]], [[0.0], [-SMALL]])
            if states.tolist() == [EVERYWHERE, NOWHERE]:
                found.append(node)
        elif name not in KEEP_ZERO:
            return found


def _defined_there(problem: Problem, parts: list[list[tuple[int, Expr]]], found: list[Places]) -> bool:
    """Whether the functions around the sum are defined wherever all its terms can be least."""
    outer, increasing, inner = peeled(problem.expression)
    if not outer:
        return True
    low, high = np.empty((1, len(found))), np.empty((1, len(found)))
    for i, (signed, places) in enumerate(zip(parts, found, strict=True)):
        sides = np.array([*places.single, *places.loose])
        if len(sides) == 0 or places.open:
            return False
        least, most, _ = Boxes(_sum(signed), problem.rule)(sides[:, :1], sides[:, 1:])
        low[0, i], high[0, i] = least.min(), most.max()
    free = constants(inner)
    fixed = [(sign, part) for sign, part in terms(inner) if id(part) in free]
    least_sum = _sum([(1 if increasing else -1, var(i)) for i in range(len(found))] + fixed)
    around = replaced(problem.expression, {id(inner): least_sum})
    state = Boxes(around, problem.rule)(low, high)[2]
    return bool(np.all(state == EVERYWHERE))


def _sum(signed: list[tuple[int, Expr]]) -> Expr:
    first, *others = (part if sign > 0 else -part for sign, part in signed)
    return sum(others, start=first)
