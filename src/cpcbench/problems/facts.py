"""The published facts of each problem, read from `facts.toml` and the collections when first asked for."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cpcbench.problems.classics.entry import Classic, Listed
from cpcbench.problems.collections.fits import SOURCE, CurveFit, curve_fits


def frozen(values: ArrayLike) -> NDArray[np.float64]:
    """A private float64 copy that cannot be written to."""
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array


class _Record:
    """Pickles through the constructor, so that arrays come back read-only."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", frozen(getattr(self, "points")))  # noqa: B009

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class BestKnown(_Record):
    """The best-known value, the points that give it (one a row) and the rule they are admissible under.

    `kind` is `proven` for the infimum that a certificate encloses (the upper bound), `faithful` for a record of ours,
    `published` for a value taken as it is printed. The points are those of the record and the published ones that have
    this value, as far as faithful values tell.
    """

    value: float
    points: NDArray[np.float64]
    rule: str
    source: str
    kind: str = "published"


@dataclass(frozen=True, eq=False)
class Published(_Record):
    """What the literature states about a problem at its published size.

    `feasible_ratio` is in percent, an upper bound if `feasible_ratio_is_bound`, NaN where none is stated; `optima`
    is their number as printed, and `points` holds all of them, one a row, where they are countable. `listed` are the
    minima that collections list for a classic; value and points are those of the first that is met.
    """

    value: float
    points: NDArray[np.float64]
    rule: str
    source: str
    feasible_ratio: float
    feasible_ratio_is_bound: bool
    optima: str
    notes: tuple[str, ...]
    listed: tuple[Listed, ...] = ()


@dataclass(frozen=True)
class Facts:
    """One entry of `facts.toml`, a curve fit or a classic; what is not published is None.

    `box` has one pair of bounds for all variables, or one for each. Unless it is `met`, the published value is not that
    of the published points.
    """

    id: str
    title: str
    n: int
    box: tuple[tuple[float, float], ...]
    separable: bool | None
    category: str | None
    any_n: bool
    published: Published
    met: bool = True
    proposed: str | None = None
    also: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return facts, (self.id,)

    def on_box(self, lower: ArrayLike, upper: ArrayLike) -> bool:
        """Whether these are the bounds of the published box."""
        if len(self.box) not in (1, np.size(lower)):
            return False
        low, high = self.sides(np.size(lower))
        return bool(np.all(np.asarray(lower) == low) and np.all(np.asarray(upper) == high))

    def sides(self, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The lower and the upper bounds at size n."""
        low, high = np.array(self.box * n if len(self.box) == 1 else self.box).T
        return low, high

    def published_at(self, n: int) -> Published | None:
        """The published record, if this is the published size and there is one."""
        return self.published if n == self.n and len(self.published.points) else None

    def best_known(self, n: int) -> BestKnown | None:
        """The published solution at size n, None where there is none."""
        record = self.published
        if not self.met:
            return None
        if n == self.n:
            return BestKnown(record.value, record.points, record.rule, record.source)
        if self.any_n:
            return BestKnown(record.value, np.zeros((1, n)), record.rule, record.source)
        return None


def facts(id: str) -> Facts:  # noqa: A002
    """The facts about one problem of a suite, by its full id."""
    from cpcbench.problems.classics.all import classics

    return _all()[id] if id in _all() else _of_classic(classics()[id])


@cache
def _all() -> dict[str, Facts]:
    text = resources.files("cpcbench.problems").joinpath("facts.toml").read_text(encoding="utf-8")
    suite = {id_: _facts(id_, entry) for id_, entry in tomllib.loads(text).items()}
    return {**suite, **{id_: _of_fit(fit) for id_, fit in curve_fits().items()}}


def _facts(id_: str, entry: dict[str, Any]) -> Facts:
    published = Published(
        value=entry["value"],
        points=with_signs(entry["points"], entry.get("flip", [])),
        rule=entry["rule"],
        source=entry["source"],
        feasible_ratio=entry["feasible_ratio"],
        feasible_ratio_is_bound=entry.get("feasible_ratio_is_bound", False),
        optima=entry["optima"],
        notes=tuple(entry.get("notes", ())),
    )
    return Facts(
        id=id_,
        title=entry["title"],
        n=entry["n"],
        box=(tuple(entry["box"]),),
        separable=entry["separable"],
        category=entry["category"],
        any_n=entry.get("any_n", False),
        published=published,
    )


def _of_fit(fit: CurveFit) -> Facts:
    """What is published about a sum of squares, with the first printed solution as its optimum."""
    first = fit.printed[0]
    published = Published(first.value, frozen([first.point]), "ieee", SOURCE, math.nan, False, "not stated", fit.notes)
    return Facts(fit.id, f"y = {fit.formula}", fit.n, ((-math.inf, math.inf),), None, None, False, published, fit.met)


@cache
def _of_classic(entry: Classic) -> Facts:
    """What is published about a classic: the first of the listed minima whose points have the value; else no points."""
    first = next((one for one in entry.listed if one.at and one.met), Listed("survey", "nan", (), met=False))
    points = frozen(first.at).reshape(-1, entry.n)
    published = Published(
        first.value, points, "ieee", first.whom, math.nan, False, "not stated", entry.notes, entry.listed
    )
    known = (entry.id, entry.title, entry.n, entry.box)
    return Facts(*known, None, None, False, published, first.met, entry.source, entry.also)


def with_signs(points: list[list[float]], flip: list[int]) -> NDArray[np.float64]:
    """Every point with every choice of sign of the coordinates in `flip` (numbered from 1)."""
    rows = []
    for point in points:
        for signs in product((1.0, -1.0), repeat=len(flip)):
            row = np.array(point)
            row[np.array(flip, dtype=int) - 1] *= signs
            rows.append(row)
    return np.array(rows)
