"""CPC-CF, the authors' 38 curve fits: models over data, from `fits.toml`; a sum of squares is the problem of each."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from cpcbench.expr import Expr, num, total, var
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.rewriting import replaced

SOURCE = "CPC-Opt/CPC-Benchmark, Nonlinear Curve Fitting (Cheng and Yamashita)"


@dataclass(frozen=True)
class Printed:
    """A solution of the collection: the sum of squared errors it states, and the parameters."""

    value: float
    point: tuple[float, ...]


@dataclass(frozen=True)
class CurveFit:
    """A model with parameters b1, b2, ..., and the observations it is fitted to.

    `met` says whether the first printed solution has the value that is printed with it.
    """

    id: str
    formula: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    printed: tuple[Printed, ...]
    notes: tuple[str, ...]
    met: bool = True

    @property
    def n(self) -> int:
        """The number of parameters."""
        return len(self.printed[0].point)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(f"b{i}" for i in range(1, self.n + 1))

    def model(self, b: list[Expr], x: Expr) -> Expr:
        """What the model says y is at x."""
        written = parse_formula(self.formula, names=("x", *self.names))
        variables = [var(i) for i in range(self.n + 1)]
        return replaced(written, {id(old): new for old, new in zip(variables, (x, *b), strict=True)})

    def squares(self, b: list[Expr]) -> Expr:
        """The sum of the squared errors, in the order of the observations."""
        return total((num(y) - self.model(b, num(x))) ** 2 for x, y in zip(self.x, self.y, strict=True))


@cache
def curve_fits() -> dict[str, CurveFit]:
    """All of them by id, in the order of the collection."""
    text = resources.files("cpcbench.problems.collections").joinpath("fits.toml").read_text(encoding="utf-8")
    return {id_: _fit(id_, entry) for id_, entry in tomllib.loads(text).items()}


def _fit(id_: str, entry: dict[str, Any]) -> CurveFit:
    printed = tuple(Printed(value, tuple(point)) for value, point in entry["printed"])
    notes, met = tuple(entry.get("notes", ())), entry.get("met", True)
    return CurveFit(id_, entry["formula"], tuple(entry["x"]), tuple(entry["y"]), printed, notes, met)
