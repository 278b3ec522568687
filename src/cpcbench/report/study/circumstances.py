"""Under which circumstances runs were made: how many, with what budget and time, from which seed, under which rule.

A table of results says nothing without them, so every table of a study states them in one line.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import Store
from cpcbench.report.table import Table

COLUMNS = ("rule", "problem", "n", "solver", "budget", "seconds_limit", "seed")

FEW = 4
"""Solvers whose limits are named one by one; beyond, those that differ most often are counted."""

Limit = TypeVar("Limit", int, float)


class Circumstances:
    """What is common to the runs it has seen, rule by rule."""

    def __init__(self, source: Store | Iterable[RunRecord] = ()) -> None:
        self._runs: dict[str, Counter[tuple[str, int, str]]] = defaultdict(Counter)
        self._budgets: dict[str, dict[str, set[int | None]]] = defaultdict(lambda: defaultdict(set))
        self._seconds: dict[str, dict[str, set[float | None]]] = defaultdict(lambda: defaultdict(set))
        self._seeds: dict[str, set[str]] = defaultdict(set)
        if isinstance(source, Store):
            for row in source.columns(*COLUMNS):
                self._add(*row)
        else:
            for _ in self.watching(source):
                pass

    def watching(self, records: Iterable[RunRecord]) -> Iterator[RunRecord]:
        """The records, seen as they pass."""
        for record in records:
            self._add(*(getattr(record, name) for name in COLUMNS))
            yield record

    def _add(self, rule: str, problem: str, n: int, solver: str, budget: Any, seconds: Any, seed: str) -> None:
        self._runs[rule][problem, n, solver] += 1
        self._budgets[rule][solver].add(budget)
        self._seconds[rule][solver].add(seconds)
        self._seeds[rule].add(str(seed).partition(":")[0] or "not stated")

    def line(self, rule: str) -> str:
        """The circumstances of the runs under a rule, in one sentence."""
        counts = self._runs[rule].values()
        low, high = (min(counts), max(counts)) if counts else (0, 0)
        runs = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        budget = _limits("evaluations a run", self._budgets[rule], lambda value: f"{value:,}", "no limit")
        seconds = _limits("seconds a run", self._seconds[rule], lambda value: f"{value:g}", "no limit")
        seeds = ", ".join(sorted(self._seeds[rule])) or "none"
        return f"Runs of a solver on a problem: {runs}; {budget}; {seconds}; seed {seeds}; rule {rule}."

    def stated(self, tables: Iterable[Table], rule: str) -> list[Table]:
        """The tables, each with the circumstances as its first note."""
        line = self.line(rule)
        return [replace(table, notes=(line, *table.notes)) for table in tables]


def _limits(name: str, limits: dict[str, set[Limit | None]], shown: Any, none: str) -> str:
    """`evaluations a run 10,000` if that is everyone's, else whose it is."""
    each = {solver: "/".join(_words(values, shown, none)) for solver, values in limits.items()}
    different = Counter(each.values())
    if len(different) <= 1:
        return f"{name} {next(iter(different), none)}"
    if len(each) > FEW:
        usual, _ = different.most_common(1)[0]
        others = [f"{solver} {words}" for solver, words in each.items() if words != usual]
        return f"{name} {usual}, but {', '.join(others)}"
    return f"{name} {', '.join(f'{solver} {words}' for solver, words in each.items())}"


def _words(values: set[Limit | None], shown: Any, none: str) -> list[str]:
    return [shown(value) for value in sorted(v for v in values if v is not None)] + [none] * (None in values)
