"""From the runs of a study to one solution for each problem and solver: the best run and its types."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from cpcbench.experiment.plan.problems import known_problem, suite_place
from cpcbench.experiment.plan.reproduction import ANSWERS
from cpcbench.experiment.store.record import RunRecord, best_run
from cpcbench.experiment.verify.types import Assessment, Best, TypeRule, assess, held_against, type_rule
from cpcbench.problems.facts import facts
from cpcbench.problems.registry import definitions
from cpcbench.solvers.run import FAILED

ALGORITHMS = ("B&B", "UGO", "GA", "SA", "BFGS+MS", "GPSO")
"""The published six, in the order of the published tables."""


@dataclass(frozen=True)
class Solution:
    """The best run of a solver on a problem, what it is, and how many of all the runs were of Type I.

    `solved` is None where no solution is on record that a run could have found; `held` says what it is held against.
    `below` has the lowest value below that for each kind of point, of all the runs: a thin point or an artefact may
    be lower than the best run, which it must not replace, and is not to be lost either.
    `failed` counts the runs in which the solver raised, returned garbage or died with its process.
    """

    record: RunRecord
    assessment: Assessment
    runs: int
    solved: int | None
    held: str
    below: tuple[tuple[str, float], ...] = ()
    failed: int = 0
    first_failed: RunRecord | None = None

    @property
    def label(self) -> str:
        return label_of(self.record.problem, self.record.n)

    @property
    def success(self) -> str | None:
        """The share of runs of Type I, as "7/20"."""
        return None if self.solved is None else f"{self.solved}/{self.runs}"

    @property
    def flag(self) -> str:
        """What must not go unnoticed: values below the one it is held against, and of what kind."""
        return "; ".join(
            f"{'better than' if kind == 'faithful' else f'{kind} value below'} {self.held}: {value!r}"
            for kind, value in self.below
        )


def solutions(records: Iterable[RunRecord], types: str = "paper") -> list[Solution]:
    """One solution for each problem, size, rule and solver; problems in the suite's order; types by the rule named."""
    chosen = type_rule(types)
    groups: dict[tuple[str, int, str, str], _Group] = {}
    for record in records:
        key = record.key[:4]
        if key not in groups:
            groups[key] = _Group(record, chosen)
        groups[key].add(record)
    found = [group.solution() for group in groups.values()]
    return sorted(found, key=lambda s: (suite_place(s.record.problem), s.record.n, s.record.rule))


def held_line(held: Mapping[str, str]) -> str:
    """What the values of each function are held against, in a sentence; of the largest group only the number."""
    groups: dict[str, list[str]] = {}
    for label, what in held.items():
        groups.setdefault(what, []).append(label)
    first, *others = sorted(groups, key=lambda what: -len(groups[what])) or ["nothing on record"]
    words = [f"{first} ({len(groups.get(first, ()))} of {len(held)} functions)"]
    words += [f"{what}: {', '.join(groups[what])}" for what in others]
    return f"Held against: {'; '.join(words)}."


def at_published_size(found: Iterable[Solution], ids: Sequence[str]) -> list[Solution]:
    """Those on the named problems of the suite, at the size the published record is about."""
    return [s for s in found if s.record.problem in ids and s.record.n == facts(s.record.problem).n]


def share(types: Collection[tuple[str, ...]], type_: str) -> float | None:
    """Percent of solutions that are of a type, to one decimal; None if there are none."""
    return round(100.0 * sum(type_ in each for each in types) / len(types), 1) if types else None


def label_of(id_: str, n: int) -> str:
    """The problem's id, with its size where that is not the published one."""
    return id_ if id_ in definitions() and facts(id_).n == n else f"{id_} (n = {n})"


def shortened(message: str, longest: int = 200) -> str:
    return message if len(message) <= longest else f"{message[: longest - 3]}..."


def solver_names(found: Iterable[Solution]) -> tuple[str, ...]:
    """The solvers in the order of the published tables, our answer to a closed program beside it or in its place, then
    the others as they come."""
    names = dict.fromkeys(s.record.solver for s in found)
    first = [name for a in ALGORITHMS for name in (a, ANSWERS.get(a)) if name in names]
    return (*dict.fromkeys((*first, *names)),)


class _Group:
    """The runs of one solver on one problem, taken one by one: only the best of them is kept."""

    def __init__(self, first: RunRecord, rule: TypeRule) -> None:
        self._problem, self._rule = known_problem(*first.key[:3]), rule
        self._best: Best | None = None if self._problem is None else rule.best(self._problem)
        self._runs = self._solved = self._failed = 0
        self._below: dict[str, float] = {}
        self._first_failed: RunRecord | None = None
        self._chosen = first
        self._regular: RunRecord | None = None

    def add(self, record: RunRecord) -> None:
        """A value that is no mere record of its kind (no accident far below the best-known one) is regular."""
        self._runs += 1
        if record.status in FAILED:
            self._failed += 1
            self._first_failed = self._first_failed or record
        self._chosen = best_run((self._chosen, record))
        solved, below = False, None
        if not self._far_above(record):
            found = self._assessment(record)
            solved, below = found.solved, found.below
        self._solved += solved
        if below is not None:
            self._below[below] = min(record.verified, self._below.get(below, math.inf))
        if record.found and (solved or below in (None, "faithful")):
            self._regular = record if self._regular is None else best_run((self._regular, record))

    def solution(self) -> Solution:
        chosen = self._regular or self._chosen
        solved = None if self._best is None else self._solved
        below = tuple(sorted(self._below.items()))
        found, held = self._assessment(chosen), held_against(self._best)
        return Solution(chosen, found, self._runs, solved, held, below, self._failed, self._first_failed)

    def _assessment(self, record: RunRecord) -> Assessment:
        return assess(self._problem, record, rule=self._rule, best=self._best)

    def _far_above(self, record: RunRecord) -> bool:
        """Whether the value alone says that a run is neither of Type I nor below the best-known value: then its
        place, which takes longer, need not be looked at. So for a run without a value."""
        if self._best is None:
            return True
        value, allowed = self._best.value, self._rule.tolerances
        limit = max(allowed.value * max(1.0, abs(value)), allowed.equal * abs(value))
        return not record.verified - value <= limit
