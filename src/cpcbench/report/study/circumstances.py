"""Under which circumstances runs were made: how many, with what budget and time, from which seed, under which rule.

A table of results says nothing without them, so every table of a study states them in one line.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from cpcbench.experiment.store.record import IMPORTED, RunRecord
from cpcbench.experiment.store.store import Store
from cpcbench.report.table import Table

COLUMNS = ("rule", "problem", "n", "solver", "budget", "seconds_limit", "seed", "problem_source", "status")

FEW = 4
"""Solvers whose limits are named one by one; beyond, those that differ most often are counted."""

NONE = "no limit"


class Circumstances:
    """What is common to the runs it has seen, rule by rule."""

    def __init__(self, source: Store | Iterable[RunRecord] = ()) -> None:
        self._seen: Counter[tuple[Any, ...]] = Counter()
        self._parts: dict[str, str] = {}
        self._imported: dict[str, None] = {}
        for _ in self.watching(source.records(only=COLUMNS) if isinstance(source, Store) else source):
            pass

    def watching(self, records: Iterable[RunRecord]) -> Iterator[RunRecord]:
        """The records, seen as they pass."""
        for r in records:
            if r.status == IMPORTED:
                self._imported[r.solver] = None
            if "box" in r.problem_source:
                self._parts[r.problem] = r.problem_source["box"]
            seed = r.seed.partition(":")[0] or "not stated"
            self._seen[r.rule, r.problem, r.n, r.solver, r.budget, r.seconds_limit, seed] += 1
            yield r

    def line(self, rule: str) -> str:
        """The circumstances of the runs under a rule, in one sentence."""
        runs: Counter[tuple[Any, ...]] = Counter()
        budgets, limits, seeds = defaultdict(set), defaultdict(set), set()
        for (its_rule, *cell, budget, limit, seed), count in self._seen.items():
            if its_rule == rule:
                runs[tuple(cell)] += count
                budgets[cell[-1]].add(budget)
                limits[cell[-1]].add(limit)
                seeds.add(seed)
        low, high = (min(runs.values()), max(runs.values())) if runs else (0, 0)
        parts = ", ".join(f"{name} {box}" for name, box in self._parts.items())
        words = (
            f"Runs of a solver on a problem: {low:,}" + ("" if low == high else f" to {high:,}"),
            _limits("evaluations a run", budgets, ","),
            _limits("seconds a run", limits, "g"),
            f"seed {', '.join(sorted(seeds)) or 'none'}",
            *([f"results imported, not runs made here: {', '.join(self._imported)}"] if self._imported else []),
            *([f"only a part of the box searched: {parts}"] if parts else []),
            f"rule {rule}.",
        )
        return "; ".join(words)

    def stated(self, tables: Iterable[Table], rule: str, *more: str) -> list[Table]:
        """The tables, each with the circumstances, and what more holds for all of them, as its first notes."""
        line = self.line(rule)
        return [replace(table, notes=(line, *more, *table.notes)) for table in tables]


def _limits(name: str, limits: dict[str, set[float | None]], style: str) -> str:
    """`evaluations a run 10,000` if that is everyone's, else whose it is."""
    each = {
        solver: "/".join(
            [f"{v:{style}}" for v in sorted(v for v in values if v is not None)] + [NONE] * (None in values)
        )
        for solver, values in limits.items()
    }
    different = Counter(each.values())
    if len(different) <= 1:
        return f"{name} {next(iter(different), NONE)}"
    if len(each) > FEW:
        usual, _ = different.most_common(1)[0]
        others = [f"{solver} {words}" for solver, words in each.items() if words != usual]
        return f"{name} {usual}, but {', '.join(others)}"
    return f"{name} {', '.join(f'{solver} {words}' for solver, words in each.items())}"
