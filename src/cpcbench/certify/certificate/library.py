"""The certificates that come with the package: the suite's own, each checked by a test."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from cpcbench.certify.certificate.certificate import Certificate, said_of
from cpcbench.certify.certificate.schema import About
from cpcbench.files import write_text
from cpcbench.problems.problem import Problem

if TYPE_CHECKING:
    from cpcbench.certify.checker.ground.verdict import Verdict

INDEX = "index.json"


@dataclass(frozen=True)
class Proven:
    """What a certificate of the package claims; `lower` and `upper` are None where it is unbounded below."""

    name: str
    file: str
    part: str
    lower: float | None
    upper: float | None
    seconds: float
    steps: int
    command: str
    attained: bool | None = None

    @property
    def gap(self) -> float:
        """What is left open between the bounds; 0 where there are none."""
        return 0.0 if self.lower is None or self.upper is None else self.upper - self.lower

    def __str__(self) -> str:
        where = {"all": "", "thin": " (thin sets)"}.get(self.part, " (regular part)")
        if self.lower is None or self.upper is None:
            return f"unbounded below{where}"
        return f"the infimum lies in [{self.lower!r}, {self.upper!r}]{said_of(self.attained)}{where}"


def proven() -> list[Proven]:
    """All certificates of the package, in the order of the suite."""
    return list(_index())


def proven_for(problem: Problem) -> list[Proven]:
    """Those about exactly this formula on exactly this box."""
    found = [claim for claim in _index() if claim.name == problem.id]
    return [claim for claim in found if _is_about(claim.file, problem)]


def certificate(file: str) -> Certificate:
    """One of the package's certificates by its file name."""
    with resources.as_file(_folder() / file) as path:
        return Certificate.load(path)


def check(file: str, problem: Problem, arithmetic: str = "arb") -> Verdict:
    """What the checker says to one of the package's certificates as a proof about this problem."""
    from cpcbench.certify.checker import check as check_data

    return check_data(certificate(file).data, problem=About.of(problem).meant, arithmetic=arithmetic)


def row_of(made: Certificate, file: str, seconds: float, command: str) -> Proven:
    """What the index says of a certificate."""
    low, high = (made.lower, made.upper) if made.bounded else (None, None)
    return Proven(made.name, file, made.part, low, high, seconds, made.steps, command, made.attained)


def write_index(folder: Path, claims: Iterable[Proven]) -> None:
    """Writes the index of a folder of certificates."""
    rows = [claim.__dict__ for claim in claims]
    write_text(folder / INDEX, json.dumps(rows, indent=1) + "\n")


def read_index(folder: Path) -> list[Proven]:
    """The index of a folder of certificates; empty if there is none."""
    place = folder / INDEX
    return [Proven(**row) for row in json.loads(place.read_text(encoding="utf-8"))] if place.exists() else []


@cache
def _index() -> tuple[Proven, ...]:
    place = _folder() / INDEX
    if not place.is_file():
        return ()
    return tuple(Proven(**row) for row in json.loads(place.read_text(encoding="utf-8")))


@cache
def _is_about(file: str, problem: Problem) -> bool:
    return certificate(file).said.problem.meant == About.of(problem).meant


def _folder() -> resources.abc.Traversable:
    return resources.files("cpcbench.certify.certificate") / "data"
