"""Which settings matter: `python -m benchmarks.disguise.settings sweep_share=0.1,0.3 niche=0.06,0.09 --seconds 900`.

Every run draws a problem, whether it is disguised, and a level of each setting named. A linear model, with a mean for
each problem as it is and in disguise, then says how many more runs are solved with a level than with the first one. So
each run tells of all settings, and a thousand runs as much of each as a thousand runs for that one alone would.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from random import Random

import numpy as np

import cpcbench as cpc
from benchmarks.disguise.__main__ import Job, enough, searched
from cpcbench.cli.progress import ProgressLine
from cpcbench.report.render import render
from cpcbench.report.table import Cell, Table
from cpcbench.solvers.search.engine import Search
from cpcbench.solvers.search.loop import batch_size
from cpcbench.solvers.search.tuning import Settings

DISGUISED = 2 / 3
"""The part of runs in disguise."""

Levels = dict[str, tuple[float, ...]]


@dataclass(frozen=True)
class Plan:
    ids: tuple[str, ...]
    budget: int
    levels: Levels


@dataclass(frozen=True)
class Trial:
    """A run with the levels that it drew."""

    job: Job
    settings: dict[str, float]
    solved: bool


def drawn(plan: Plan, seed: int) -> tuple[Job, dict[str, float]]:
    rng = Random(seed)  # noqa: S311 - no secret
    settings = {name: rng.choice(levels) for name, levels in plan.levels.items()}
    return Job(rng.choice(plan.ids), "cpc", plan.budget, seed, rng.random() < DISGUISED), settings


def trial(plan_and_seed: tuple[Plan, int]) -> Trial:
    job, settings = drawn(*plan_and_seed)
    return Trial(job, settings, solved(job, settings))


def solved(job: Job, settings: dict[str, float]) -> bool:
    """Whether a search with these settings comes as low as the published value; it ends as soon as it does."""
    p, least = searched(job), enough(cpc.problem(job.problem))
    search = Search(p.lower, p.upper, np.random.default_rng(job.seed), budget=job.budget, **settings)
    size, left = batch_size(None, job.budget, 1), job.budget
    while left > 0 and not search.best_value <= least:
        points = search.ask(min(size, left))
        search.tell(points, p(points))
        left -= len(points)
    return search.best_value <= least


def effects(trials: Sequence[Trial], levels: Levels) -> list[tuple[str, float, float, float]]:
    """Setting, level, and what it changes in the share of runs solved, with its standard error."""
    kinds = sorted({(t.job.problem, t.job.disguised) for t in trials})
    columns = [[(t.job.problem, t.job.disguised) == kind for t in trials] for kind in kinds]
    named = [(name, level) for name, given in levels.items() for level in given[1:]]
    columns += [[t.settings[name] == level for t in trials] for name, level in named]
    table, ends = np.array(columns, dtype=float).T, np.array([t.solved for t in trials], dtype=float)
    found, *_ = np.linalg.lstsq(table, ends, rcond=None)
    left = ends - table @ found
    variance = left @ left / max(1, len(ends) - table.shape[1])
    errors = np.sqrt(np.clip(np.diag(variance * np.linalg.pinv(table.T @ table)), 0, None))
    first = len(kinds)
    return [(*name, float(found[first + k]), float(errors[first + k])) for k, name in enumerate(named)]


def levels_in(words: Sequence[str]) -> Levels:
    """Of `name=a,b,c` each; the first level is what the others are compared with."""
    levels: Levels = {}
    for word in words:
        name, _, values = word.partition("=")
        if name not in Settings._fields:
            sys.exit(f"{name!r} is no setting: there are {', '.join(Settings._fields)}")
        try:
            levels[name] = tuple(float(value) for value in values.split(","))
        except ValueError:
            sys.exit(f"levels are numbers, as in {name}=0.1,0.2, not {values!r}")
    return levels


def main(arguments: Sequence[str] | None = None) -> None:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    words.add_argument("words", nargs="+", help="settings with their levels, and problems (all 25 if none are named)")
    words.add_argument("--budget", type=float, default=1e5)
    words.add_argument("--seconds", type=float, default=900)
    words.add_argument("--first-seed", type=int, default=7_000_000)
    words.add_argument("--jobs", type=int, default=2, help="processes")
    given = words.parse_args(arguments)
    levels = levels_in([word for word in given.words if "=" in word])
    if not levels:
        words.error("no setting is named, as in niche=0.06,0.09")
    ids = tuple(cpc.problem(word).id for word in given.words if "=" not in word)
    plan = Plan(ids or tuple(p.id for p in cpc.problems() if p.id.startswith("CPC-")), int(given.budget), levels)
    trials: list[Trial] = []
    end = time.monotonic() + given.seconds
    with multiprocessing.get_context("spawn").Pool(given.jobs) as pool, ProgressLine() as line:
        for made in pool.imap_unordered(trial, ((plan, seed) for seed in count(given.first_seed))):
            trials.append(made)
            line.say(f"{len(trials)} runs")
            if time.monotonic() > end:
                break
        pool.terminate()
    rows: list[tuple[Cell, ...]] = [
        (name, f"{levels[name][0]:g}", f"{level:g}", f"{100 * change:+.1f}", f"{100 * error:.1f}")
        for name, level, change, error in effects(trials, levels)
    ]
    share = sum(t.solved for t in trials) / len(trials)
    title = f"{len(trials)} runs with {given.budget:g} evaluations, {share:.1%} solved: points more with a level"
    heads = ("setting", "instead of", "level", "points", "error")
    print(render([Table("settings", title, heads, tuple(rows))], "markdown"))


if __name__ == "__main__":
    main()
