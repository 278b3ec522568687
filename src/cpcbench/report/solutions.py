"""From the runs of a study to one solution for each problem and solver: the best run and its types."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.record import RunRecord
from cpcbench.experiment.types import DEFAULT, Assessment, Best, Tolerances, assess_record, best_run
from cpcbench.problems.facts import facts
from cpcbench.problems.problem import Problem
from cpcbench.problems.registry import SUITE, problem

ALGORITHMS = ("B&B", "UGO", "GA", "SA", "BFGS+MS", "GPSO")
"""The published six, in the order of the published tables."""

FAILED = ("failed", "crashed")
"""How a run ended that says more of the solver's code than of the method."""

CPC = tuple(id_ for id_ in SUITE if id_.startswith("CPC-"))
CLASSICS = tuple(id_ for id_ in SUITE if id_ not in CPC)


@dataclass(frozen=True)
class Solution:
    """The best run of a solver on a problem, what it is, and how many of all the runs were of Type I.

    `solved` is None where no best-known solution is on record that a run could have found. `below` has
    the lowest value below the best-known one for each kind of point, of all the runs: a thin point or an
    artefact may be lower than the best run, which it must not replace, and is not to be lost either.
    `failed` are the runs in which the solver raised, returned garbage or died with its process.
    """

    record: RunRecord
    assessment: Assessment
    runs: int
    solved: int | None
    below: tuple[tuple[str, float], ...] = ()
    failed: tuple[RunRecord, ...] = ()

    @property
    def success(self) -> str | None:
        """The share of runs of Type I, as "7/20"."""
        return None if self.solved is None else f"{self.solved}/{self.runs}"

    @property
    def flag(self) -> str:
        """What must not go unnoticed: values below the best-known one, and of what kind."""
        return "; ".join(
            f"{'better than' if kind == 'faithful' else f'{kind} value below'} best-known: {value!r}"
            for kind, value in self.below
        )


def solutions(
    records: Iterable[RunRecord], *, tolerances: Tolerances = DEFAULT, against: str = "best-known"
) -> list[Solution]:
    """One solution for each problem, size, rule and solver; problems in the suite's order.

    Types are taken against the best-known solution, or against the `published` one.
    """
    if against not in ("best-known", "published"):
        raise CpcbenchError(f"solutions are held against 'best-known' or 'published', not {against!r}")
    groups: dict[tuple[str, int, str, str], list[RunRecord]] = defaultdict(list)
    for record in records:
        groups[record.problem, record.n, record.rule, record.solver].append(record)
    found = [_solution(rows, tolerances, against) for rows in groups.values()]
    return sorted(found, key=lambda s: (_order(s.record.problem), s.record.n, s.record.rule))


def at_published_size(found: Iterable[Solution], ids: Sequence[str]) -> list[Solution]:
    """Those on the named problems of the suite, at the size the published record is about."""
    return [s for s in found if s.record.problem in ids and s.record.n == facts(s.record.problem).n]


def solver_names(found: Iterable[Solution]) -> tuple[str, ...]:
    """The solvers in the order of the published tables, then the others as they come."""
    names = dict.fromkeys(s.record.solver for s in found)
    return (*(a for a in ALGORITHMS if a in names), *(name for name in names if name not in ALGORITHMS))


def problem_of(record: RunRecord) -> Problem | None:
    """The problem of a row; None if it is not known here, such as one of another user's own."""
    try:
        return problem(record.problem, n=record.n, rule=record.rule)
    except CpcbenchError:
        return None


def _solution(rows: list[RunRecord], tolerances: Tolerances, against: str) -> Solution:
    known = problem_of(rows[0])
    best: Best | None = known.best_known if known is not None else None
    if known is not None and against == "published":
        best = known.published or best
    of_each = {id(r): assess_record(r, known, tolerances=tolerances, best=best) for r in rows}
    chosen = best_run(_regular(rows, of_each) or rows)
    solved = None if best is None else sum(a.solved for a in of_each.values())
    below: dict[str, float] = {}
    for r in rows:
        kind = of_each[id(r)].below
        if kind is not None:
            below[kind] = min(r.verified, below.get(kind, math.inf))
    failed = tuple(r for r in rows if r.status in FAILED)
    return Solution(chosen, of_each[id(chosen)], len(rows), solved, tuple(sorted(below.items())), failed)


def _regular(rows: list[RunRecord], of_each: dict[int, Assessment]) -> list[RunRecord]:
    """The runs with a value that is no mere record of its kind: no accident far below the best-known value."""
    return [r for r in rows if r.found and (of_each[id(r)].solved or of_each[id(r)].below in (None, "faithful"))]


def _order(id_: str) -> tuple[int, str]:
    ids = list(SUITE)
    return (ids.index(id_), "") if id_ in SUITE else (len(ids), id_)
