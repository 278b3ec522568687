"""One row of a study: a run as it was made, what it returned, and what verification says of it."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from cpcbench.experiment.verify.verification import verify
from cpcbench.solvers.functions.black_box import BlackBox
from cpcbench.solvers.sources import as_it_is_now

if TYPE_CHECKING:
    from cpcbench.problems.problem import Problem
    from cpcbench.solvers.registry import Solver
    from cpcbench.solvers.run import Outcome

KINDS = ("faithful", "thin", "artefact", "inadmissible", "none", "re-evaluated")
"""What a returned point is worth; `none` where nothing was returned. The others are verification's."""

REGULAR = ("faithful", "re-evaluated")
"""The kinds that count as solutions: the value is what it seems, as far as can be known."""

PACKAGES = ("cpcbench", "numpy", "scipy", "numba", "gmpy2", "python-flint")


@dataclass(frozen=True)
class RunRecord:
    """One run, in plain types only.

    `reported` is the solver's own value (None if it stated none); `fast`, `reference` and
    `real_lower` to `real_upper` are the three readings of the point it returned, NaN where
    undefined. `domain` is the point's place over the reals (inside, edge, outside, undecided; none
    if there is no point), `kind` what the value in doubles is worth. The readings say nothing of the
    box, `in_box` does. `solver_source` is the file and its hash, or the package and its version, that the
    solver came from when the run was made; `problem_source` the same for a problem that is a function.
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

    @property
    def verified(self) -> float:
        """The value that counts: the reference reading, NaN if undefined or outside the box."""
        return self.reference if self.in_box else math.nan

    @property
    def found(self) -> bool:
        """Whether an admissible point in the box was returned."""
        return not math.isnan(self.verified)


def from_outcome(
    problem: Problem,
    solver: Solver,
    run: int,
    seed: object,
    outcome: Outcome,
    *,
    budget: int | None = None,
    seconds: float | None = None,
    versions: Mapping[str, str] | None = None,
    source: Mapping[str, str] | None = None,
    again: bool = True,
) -> RunRecord:
    """The row of a run; the returned point is read again by all three readings, whatever was reported.

    `budget` and `seconds` are the study's limits where it set them; else the solver's own hold. `again` is False
    where reading the point again ends the process: nothing is then known of it.
    """
    return RunRecord(
        problem=problem.id,
        n=problem.dim,
        rule=problem.rule,
        solver=solver.name,
        run=run,
        seed=str(seed),
        parameters={str(name): plain(value) for name, value in solver.parameters.items()},
        budget=budget if budget is not None else solver.budget,
        seconds_limit=seconds if seconds is not None else solver.seconds,
        status=outcome.status,
        message=outcome.message if again else f"{outcome.message}; could not be evaluated again",
        x=outcome.x,
        reported=outcome.value,
        **(_readings(problem, outcome.x, outcome.value) if again else _nothing("undecided", "inadmissible")),
        evaluations=outcome.evaluations,
        undefined=outcome.undefined,
        seconds=outcome.seconds,
        trajectory=outcome.trajectory,
        versions=dict(installed_versions() if versions is None else versions),
        solver_source=dict(source or {}),
        problem_source=as_it_is_now(problem.source) if isinstance(problem, BlackBox) else {},
    )


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


def _readings(problem: Problem, x: tuple[float, ...] | None, reported: float | None) -> dict[str, Any]:
    if x is None:
        return _nothing("none", "none")
    if not all(map(math.isfinite, x)):
        return _nothing("outside", "inadmissible")  # not a point of the reals, so in no domain
    verdict = verify(problem, x, reported)
    return {
        "fast": verdict.fast,
        "reference": verdict.reference,
        "real_lower": verdict.enclosure.lower,
        "real_upper": verdict.enclosure.upper,
        "domain": verdict.enclosure.domain,
        "kind": verdict.kind,
        "in_box": verdict.in_box,
    }


def _nothing(domain: str, kind: str) -> dict[str, Any]:
    undefined = dict.fromkeys(("fast", "reference", "real_lower", "real_upper"), math.nan)
    return {**undefined, "domain": domain, "kind": kind, "in_box": False}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
