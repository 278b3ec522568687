"""The certificates that come with the package: the suite's own, each checked by a test."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from cpcbench.certify.certificate.certificate import Certificate
from cpcbench.certify.certificate.schema import About
from cpcbench.files import write_text
from cpcbench.problems.problem import Problem
from cpcbench.problems.proven import INDEX, Proven, certificates, proven_of, read_rows
from cpcbench.problems.records import SAME_PLACE

if TYPE_CHECKING:
    from cpcbench.certify.checker.ground.verdict import Verdict


def proven_for(problem: Problem, folder: Path | None = None) -> list[Proven]:
    """Those about exactly this formula on exactly this box, among the package's or in the index of a folder."""
    known = proven_of(problem.id, problem.dim) if folder is None else read_index(folder)
    named = [claim for claim in known if (claim.name, claim.n) == (problem.id, problem.dim)]
    if folder is None:
        return [claim for claim in named if _is_about(claim.file, problem)]
    there = [claim for claim in named if (folder / claim.file).is_file()]
    return [c for c in there if Certificate.load(folder / c.file).said.problem.meant == About.of(problem).meant]


def certificate(file: str) -> Certificate:
    """One of the package's certificates by its file name."""
    with resources.as_file(certificates() / file) as path:
        return Certificate.load(path)


def check(file: str, problem: Problem, arithmetic: str = "arb") -> Verdict:
    """What the checker says to one of the package's certificates as a proof about this problem."""
    from cpcbench.certify.checker import check as check_data

    return check_data(certificate(file).data, problem=About.of(problem).meant, arithmetic=arithmetic)


def row_of(made: Certificate, file: str, seconds: float, command: str) -> Proven:
    """What the index says of a certificate."""
    low, high = (made.lower, made.upper) if made.bounded else (None, None)
    n, x = len(made.said.problem.bounds), None if made.x is None else tuple(made.x)
    return Proven(
        made.name, n, file, made.part, low, high, seconds, made.steps, command, made.attained, x, _places(made)
    )


def _places(made: Certificate) -> int | None:
    """How many places the boxes that hold all optima are at."""
    if made.optima is None:
        return None
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    sides, box = np.array(made.optima), np.array(made.said.problem.sides)
    room = SAME_PLACE * (box[:, 1] - box[:, 0])
    apart = (sides[:, None, :, 0] > sides[None, :, :, 1] + room).any(axis=2)
    count: int = connected_components(csr_array(~(apart | apart.T)), directed=False, return_labels=False)
    return count


def write_index(folder: Path, claims: Iterable[Proven]) -> None:
    """Writes the index of a folder of certificates."""
    rows = [claim.__dict__ for claim in claims]
    write_text(folder / INDEX, json.dumps(rows, indent=1) + "\n")


def read_index(folder: Path) -> list[Proven]:
    """The index of a folder of certificates; empty if there is none."""
    place = folder / INDEX
    return read_rows(place.read_text(encoding="utf-8")) if place.exists() else []


@cache
def _is_about(file: str, problem: Problem) -> bool:
    return certificate(file).said.problem.meant == About.of(problem).meant
