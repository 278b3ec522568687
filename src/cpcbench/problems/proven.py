"""What is proven of the problems: the index of the package's certificates, as data."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from cpcbench.errors import CpcbenchError
from cpcbench.problems.kinds import FAITHFUL

INDEX = "index.json"
CLASSICS = "classics"
"""The folder of the certificates of the classics, among those of the package."""


@dataclass(frozen=True)
class Proven:
    """What a certificate of the package claims; `lower` and `upper` are None where it is unbounded below.

    `n` is the size; `x` a point, rounded to doubles, near which a value of at most `upper` is taken. All optima lie
    at so many `places`, a thousandth of the box apart; None if that is not known.
    """

    name: str
    n: int
    file: str
    part: str
    lower: float | None
    upper: float | None
    seconds: float
    steps: int
    command: str
    attained: bool | None = None
    x: tuple[float, ...] | None = None
    places: int | None = None

    @property
    def gap(self) -> float:
        """What is left open between the bounds; 0 where there are none."""
        return 0.0 if self.lower is None or self.upper is None else self.upper - self.lower

    @property
    def thin(self) -> bool:
        """Whether it is about thin sets: a claim that there is no lower bound is then about all points."""
        return self.part == "thin" or self.file.endswith("-thin.json.gz")

    @property
    def settles(self) -> bool:
        """Whether it encloses the infimum of the regular part as closely as a faithful value is known."""
        if self.thin or self.upper is None or self.x is None:
            return False
        return self.gap <= FAITHFUL * max(1.0, abs(self.upper))

    def __str__(self) -> str:
        where = {"all": "", "thin": " (thin sets)"}.get(self.part, " (regular part)")
        if self.lower is None or self.upper is None:
            return f"unbounded below{where}"
        return f"the infimum lies in [{self.lower!r}, {self.upper!r}]{said_of(self.attained)}{where}"


def said_of(attained: bool | None) -> str:
    """What is known of whether an infimum is attained, to be said after its bounds."""
    return "" if attained is None else " and is attained" if attained else " and is not attained"


def proven(folder: str = "") -> list[Proven]:
    """All certificates of the package about the CPC suite, in its order; those about the classics are in a folder."""
    return list(_index(folder))


def proven_of(problem: str, n: int) -> tuple[Proven, ...]:
    """All that is proven of a problem of the suite on its own box."""
    return tuple(
        claim for folder in ("", CLASSICS) for claim in _index(folder) if (claim.name, claim.n) == (problem, n)
    )


def infimum_of(problem: str, n: int) -> Proven | None:
    """The proof that encloses the infimum of a problem of the suite on its own box; None if there is none."""
    return next((claim for claim in proven_of(problem, n) if claim.settles), None)


def certificates() -> Traversable:
    """The folder of the package's certificates."""
    return resources.files("cpcbench") / "certify" / "certificate" / "data"


def read_rows(text: str) -> list[Proven]:
    """The rows of an index."""
    try:
        return [Proven(**{**row, "x": None if row["x"] is None else tuple(row["x"])}) for row in json.loads(text)]
    except (TypeError, KeyError, ValueError) as error:
        raise CpcbenchError(f"this is no index of certificates as this version writes it: {error}") from None


@cache
def _index(folder: str) -> tuple[Proven, ...]:
    place = certificates() / folder / INDEX
    if not place.is_file():
        return ()
    return tuple(
        replace(row, file=f"{folder}/{row.file}" if folder else row.file)
        for row in read_rows(place.read_text(encoding="utf-8"))
    )
