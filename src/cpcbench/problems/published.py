"""The published solutions of the six algorithms, with what a recomputation in doubles gives."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib import resources


@dataclass(frozen=True)
class PublishedResult:
    """One published solution; what was not published is None, a value that is undefined is NaN.

    `reported` is the algorithm's own value, `verified` the authors' re-evaluation, `recomputed`
    ours; `matches` says whether the last two agree. `point` is None where nothing was found.
    """

    problem: str
    algorithm: str
    point: tuple[float, ...] | None
    reported: float | None
    verified: float | None
    types: tuple[str, ...]
    recomputed: float | None
    matches: bool | None


def published_results() -> list[PublishedResult]:
    """All published solutions, in the order of the suite."""
    text = resources.files("cpcbench.problems").joinpath("published.csv").read_text(encoding="utf-8")
    return [_result(row) for row in csv.DictReader(text.splitlines())]


def _result(row: dict[str, str]) -> PublishedResult:
    return PublishedResult(
        problem=row["problem"],
        algorithm=row["algorithm"],
        point=tuple(float(c) for c in row["point"].split()) or None,
        reported=_number(row["reported"]),
        verified=_number(row["verified"]),
        types=tuple(row["types"].split(";")),
        recomputed=_number(row["recomputed"]),
        matches={"yes": True, "no": False, "": None}[row["matches"]],
    )


def _number(text: str) -> float | None:
    return float(text) if text else None
