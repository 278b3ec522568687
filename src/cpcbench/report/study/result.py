"""A study's result in one sentence and one table: who won, on what, by how much, with what budget."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cpcbench.experiment.comparison import Standing, reads_the_formula, standings
from cpcbench.experiment.statistics.comparisons import average_ranks
from cpcbench.experiment.statistics.runs import RunArrays
from cpcbench.experiment.statistics.targets import SOLVED
from cpcbench.report.study.circumstances import Circumstances
from cpcbench.report.study.statistics import label, power, rounded
from cpcbench.report.table import Table

FEW = 3
"""Problems that are named one by one."""


@dataclass(frozen=True)
class Result:
    """What came out under one rule: the winner if there is one, the sentence, what it rests on, and the table."""

    rule: str
    winner: str | None
    sentence: str
    ground: tuple[str, ...]
    table: Table


def result(runs: RunArrays, seen: Circumstances) -> Result:
    """By the share of runs that reach the best value, then by the average rank where that does not decide."""
    ranks = dict(zip(runs.solvers, average_ranks(runs).average.tolist(), strict=True))
    order = sorted(standings(runs), key=lambda one: (-_share(one), *_rank(ranks, one)))
    winner, sentence = _sentence(runs, order, ranks)
    ground = [*_readers(winner, order), *_chance(order), *_differ(runs), seen.line(runs.rule)]
    return Result(runs.rule, winner, sentence, tuple(ground), _table(runs, order, ranks))


def _sentence(runs: RunArrays, order: Sequence[Standing], ranks: dict[str, float]) -> tuple[str | None, str]:
    where, first = on_problems(runs), order[0]
    second = order[1] if len(order) > 1 else None
    goal = f"the {_goal(runs)} to {power(SOLVED)}"
    if not runs.with_targets.any():
        return None, f"Nobody won: no run returned a faithful value {where}."
    if second is None:
        return None, f"{first.solver} reaches {goal} in {_of_runs(first)} {where}."
    level = [one.solver for one in order if _share(one) == _share(first)]
    if len(level) == 1:
        behind = f"{second.solver} comes next with {_times(second)}"
        budget = _budget(runs)
        return first.solver, f"{first.solver} wins: it reaches {goal} in {_of_runs(first)} {where}{budget}; {behind}."
    tied = sorted(level, key=lambda name: ranks[name] if ranks[name] == ranks[name] else math.inf)
    start = (
        f"No run reaches {goal} {where}"
        if not first.reached
        else f"{_listed(level)} are level: each reaches {goal} in {_of_runs(first)} {where}"
    )
    if not ranks[tied[0]] < ranks[tied[1]]:
        return None, f"{start}."
    behind = f"{tied[1]} ({ranks[tied[1]]:.2f})"
    return tied[0], f"{start}; by average rank {tied[0]} comes first ({ranks[tied[0]]:.2f}), before {behind}."


def on_problems(runs: RunArrays) -> str:
    """The problems in words, as part of a sentence."""
    names = [label(p) for p in runs.problems]
    return f"on {_listed(names)}" if len(names) <= FEW else f"on {len(names)} problems"


def _budget(runs: RunArrays) -> str:
    """The budget, where it is everyone's."""
    given = np.unique(runs.budget)
    return f" with {given[0]:,.0f} evaluations a run" if len(given) == 1 and given[0] == given[0] else ""


def _goal(runs: RunArrays) -> str:
    """What is to be reached, in words that hold for every problem."""
    sources = {p.source for p in runs.problems} - {"none"}
    return "lowest value of the study" if sources == {"study"} else "best value on record"


def _of_runs(one: Standing) -> str:
    return f"{one.reached:,} of its {one.runs:,} runs ({100 * _share(one):.0f} %)"


def _times(one: Standing) -> str:
    return f"{one.reached:,} of {one.runs:,} ({100 * _share(one):.0f} %)"


def _listed(names: Sequence[str]) -> str:
    shown = list(names) if len(names) <= FEW else [*names[: FEW - 1], f"{len(names) - FEW + 1} others"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _share(one: Standing) -> float:
    return -1.0 if math.isnan(one.share) else one.share


def _rank(ranks: dict[str, float], one: Standing) -> tuple[float, int]:
    rank = ranks[one.solver]
    return (math.inf if math.isnan(rank) else rank), -one.solved


def _readers(winner: str | None, order: Sequence[Standing]) -> list[str]:
    """A solver that reads the formula is not comparable with those that see values."""
    if winner is None or not reads_the_formula(winner):
        return []
    others = [one for one in order if not reads_the_formula(one.solver)]
    rest = f"; of those that see values only, {others[0].solver} reaches it in {_of_runs(others[0])}" if others else ""
    return [f"{winner} reads the formula{rest}."]


def _chance(order: Sequence[Standing]) -> list[str]:
    """Whether the first two can be told apart by so many runs."""
    if len(order) < 2 or not order[0].reached or _share(order[0]) == _share(order[1]):
        return []
    first, second = order[0], order[1]
    if first.lower > second.upper:
        return []
    return [f"The 95 % intervals of {first.solver} and {second.solver} overlap: more runs may change their order."]


def _differ(runs: RunArrays) -> list[str]:
    left = len(runs.problems) - len(runs.common)
    return [f"Not every solver ran on every problem: {left} of {len(runs.problems)} differ."] if left else []


def _table(runs: RunArrays, order: Sequence[Standing], ranks: dict[str, float]) -> Table:
    rows = [
        (
            one.solver, None if math.isnan(one.share) else f"{100 * one.share:.0f} %", f"{one.reached} of {one.runs}",
            f"{100 * one.lower:.0f} to {100 * one.upper:.0f} %" if one.runs else None,
            f"{one.solved} of {one.problems}", rounded(ranks[one.solver], 2), one.nothing,
        )
        for one in order
    ]  # fmt: skip
    return Table(
        f"result-{runs.rule}", f"Runs that reach the {_goal(runs)} to {power(SOLVED)} (rule {runs.rule})",
        ("solver", "share", "runs", "95 % interval", "problems", "average rank", "nothing found"), rows,
        (
            f"Reached: the verified value is at most best + {power(SOLVED)} * max(1, |best|), whatever the kind of "
            "point. Interval: Wilson's. Problems: those that some run reaches.",
        ),
    )  # fmt: skip
