"""One problem as another: affine forms in place of its variables, and the box of the new ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.expr.nodes import Expr, double, num, var
from cpcbench.expr.plain import formula
from cpcbench.expr.rewriting import replaced
from cpcbench.expr.walk import walk
from cpcbench.points import Points
from cpcbench.problems.problem import Problem
from cpcbench.readings.domain.constraints import Constraint


@dataclass(frozen=True)
class Move:
    """What x1, x2, ... of a problem become, as forms of the new variables, which lie between `lower` and `upper`."""

    forms: tuple[Expr, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]

    def of(self, problem: Problem, name: str) -> Problem:
        """The problem so changed, with its best-known points as far as they are in the new box."""
        root, known = self.put_into(problem.expression), problem.best_known
        if known is not None:
            points = self.back(known.points)
            inside = ((points >= self.lower) & (points <= self.upper)).all(axis=1)
            known = replace(known, points=points[inside], source=f"{known.source}; {name} of {problem.id}")
        return Problem(
            name, root, self.lower, self.upper, rule=problem.rule, names=problem.names, best_known=known,
            constraints=[self._constraint(stated, problem) for stated in problem.constraints],
        )  # fmt: skip

    def _constraint(self, stated: Constraint, problem: Problem) -> Constraint:
        """A constraint in the new variables, and in words about those."""
        parts = [self.put_into(part) for part, _ in stated.parts]
        words = [f"{formula(part, problem.names)} >= 0" for part in parts]
        text = " and ".join(words) if words else f"{stated.text}, in the variables of {problem.id}"
        return Constraint(text, tuple(zip(parts, words, strict=True)))

    def put_into(self, root: Expr) -> Expr:
        """A formula with the forms in place of its variables."""
        old = [var(i) for i in range(len(self.forms))]
        return replaced(root, {id(x): form for x, form in zip(old, self.forms, strict=True)})

    def there(self, y: ArrayLike) -> Points:
        """The old variables at points of the new ones, the last axis being the point."""
        matrix, offset = self._numbers
        return np.asarray(y, dtype=np.float64) @ matrix.T + offset

    def back(self, x: ArrayLike) -> Points:
        """The new variables at points of the old ones, to rounding; ends that rounding leaves behind are the ends."""
        matrix, offset = self._numbers
        found = np.linalg.solve(matrix, (np.asarray(x, dtype=np.float64) - offset).T).T
        near = 1e-13 * np.maximum(np.abs(self.lower), np.abs(self.upper))
        for end in (np.array(self.lower), np.array(self.upper)):
            found = np.where(np.abs(found - end) <= near, end, found)
        return np.asarray(found, dtype=np.float64)

    @property
    def _numbers(self) -> tuple[Points, Points]:
        """The forms as a matrix and what is added to it, in doubles."""
        n = len(self.forms)
        rows = np.array([walk(form, _table(n)) for form in self.forms])
        return rows[:, :n], rows[:, n]


def form(factors: dict[int, float], alone: float) -> Expr:
    """The sum of factors times variables and a number, the numbers being the decimals that they print as."""
    (first, slope), *others = [(factor, _times(abs(factor), var(place))) for place, factor in factors.items()]
    total = -slope if first < 0.0 else slope
    for factor, term in others:
        total = total - term if factor < 0.0 else total + term
    return total if alone == 0.0 else total - num(-alone) if alone < 0.0 else total + num(alone)


def _times(factor: float, x: Expr) -> Expr:
    return x if factor == 1.0 else num(factor) * x


def _table(n: int) -> dict[str, Callable[..., Points]]:
    """How a form is read as its factors and, last, the number that is added."""
    unit = np.eye(n + 1)

    def product(_: Expr, a: Points, b: Points) -> Points:
        number, other = (a, b) if not a[:n].any() else (b, a)
        return np.asarray(number[n] * other)

    return {
        "var": lambda part: unit[part.payload],
        "const": lambda part: double(part) * unit[n],
        "neg": lambda _, a: -a,
        "add": lambda _, a, b: a + b,
        "sub": lambda _, a, b: a - b,
        "mul": product,
    }
