"""One row of a study: a run as it was made, what it returned, and what verification says of it."""

from __future__ import annotations

import math
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from cpcbench.errors import CpcbenchError
from cpcbench.problems.worth import Worth

RunKey = tuple[str, int, str, str, int]

KINDS = ("faithful", "thin", "artefact", "inadmissible", "none", "re-evaluated")
"""What a returned point is worth; `none` where nothing was returned. The others are verification's."""

REGULAR = ("faithful", "re-evaluated")
"""The kinds that count as solutions: the value is what it seems, as far as can be known."""

IMPORTED, PUBLISHED = "imported", "published"
ELSEWHERE = (IMPORTED, PUBLISHED)
"""The states of runs that were not made here: what they were made with is not known."""

PACKAGES = ("cpcbench", "numpy", "scipy", "numba", "gmpy2", "python-flint")


@dataclass(frozen=True)
class RunRecord:
    """One run, in plain types only.

    `reported` is the solver's own value (None if it stated none); `fast`, `reference` and
    `real_lower` to `real_upper` are the three readings of the point it returned, NaN where
    undefined. `domain` is the point's place over the reals (inside, edge, outside, undecided; none
    if there is no point), `kind` what the value in doubles is worth. The readings say nothing of the
    box, `in_box` does. `solver_source` is the file and its hash, or the package and its version, that the
    solver came from when the run was made; `problem_source` the same for a problem that is a function. `optima` are
    further points that the solver returned as optima, as they came.
    """

    problem: str
    n: int
    rule: str
    solver: str
    run: int
    seed: str
    parameters: dict[str, Any]
    budget: int | None
    seconds_limit: float | None
    status: str
    message: str
    x: tuple[float, ...] | None
    reported: float | None
    fast: float
    reference: float
    real_lower: float
    real_upper: float
    domain: str
    kind: str
    in_box: bool
    evaluations: int
    undefined: int
    seconds: float
    trajectory: tuple[tuple[int, float], ...] = field(default=(), repr=False)
    versions: dict[str, str] = field(default_factory=dict, repr=False)
    solver_source: dict[str, str] = field(default_factory=dict, repr=False)
    problem_source: dict[str, str] = field(default_factory=dict, repr=False)
    optima: tuple[tuple[float, ...], ...] = field(default=(), repr=False)

    @property
    def verified(self) -> float:
        """The value that counts: the reference reading, NaN if undefined or outside the box."""
        return self.reference if self.in_box else math.nan

    @property
    def key(self) -> RunKey:
        """What there is one record of in a study."""
        return self.problem, self.n, self.rule, self.solver, self.run

    @property
    def found(self) -> bool:
        """Whether an admissible point in the box was returned."""
        return not math.isnan(self.verified)


def best_run(records: Iterable[RunRecord]) -> RunRecord:
    """The best of several runs, by the verified value: what was reported has no say.

    An undefined value loses to every other. A thin point loses to every point of the regular domain:
    else a lucky whole exponent would hide the best regular run. If no run has a defined value, a run
    that returned a point goes before one that returned none. Ties go to the lowest run number.
    """
    rows = list(records)
    if not rows:
        raise CpcbenchError("the best of no runs was asked for: at least one is needed")
    return min(rows, key=_rank)


def _rank(record: RunRecord) -> tuple[int, float, int]:
    if not record.found:
        return (3 if record.x is None else 2), 0.0, record.run
    return int(record.kind == "thin"), record.verified, record.run


def readings(verdict: Worth | None, domain: str = "none", kind: str = "none") -> dict[str, Any]:
    """What a record keeps of the point that was returned; the words are for where there is no verdict on it."""
    if verdict is None:
        undefined = dict.fromkeys(("fast", "reference", "real_lower", "real_upper"), math.nan)
        return {**undefined, "domain": domain, "kind": kind, "in_box": False}
    real = verdict.enclosure
    return {
        "fast": verdict.fast, "reference": verdict.reference, "real_lower": real.lower, "real_upper": real.upper,
        "domain": real.domain, "kind": verdict.kind, "in_box": verdict.in_box,
    }  # fmt: skip


@cache
def installed_versions() -> Mapping[str, str]:
    """The versions of Python and of the packages that the numbers depend on."""
    return {"python": platform.python_version(), **{name: _version(name) for name in PACKAGES}}


def plain(value: Any) -> Any:
    """A parameter in JSON's own types; what has none of them is kept as its text."""
    if hasattr(value, "tolist"):  # NumPy's arrays and scalars
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
