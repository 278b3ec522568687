"""The black-box search on the 25 CPC problems: `python -m benchmarks.search --budget 1e5 --seeds 20 --first-seed 500`.

Solved means within 1e-4 max(1, |published|) of the published value, or below it. Only then a run's best point is
judged: a faithful one counts, and what is an accident of rounding or thin is told apart.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product

from scipy.optimize import OptimizeResult

import cpcbench as cpc
from cpcbench.cli.progress import ProgressLine
from cpcbench.report.render import render
from cpcbench.report.table import Cell, Table

CLOSE = 1e-4


@dataclass(frozen=True)
class Run:
    """One search: after how many evaluations it had its first value and its best one, how far it ended, the kind."""

    problem: str
    first: int | None
    best: int | None
    gap: float
    kind: str

    @property
    def solved(self) -> bool:
        return self.gap <= CLOSE  # NaN, where nothing was found, is not


def searched(job: tuple[str, int, int]) -> Run:
    name, budget, seed = job
    p = cpc.problem(name)
    assert p.published is not None  # noqa: S101 - each of the 25 has one
    published = p.published.value
    seen: list[int] = []
    found = cpc.minimize(p, budget=budget, seed=seed, method="black-box", callback=_notes(seen))
    gap = (found.fun - published) / max(1.0, abs(published))
    kind = str(cpc.verify(p, found.x, found.fun).kind) if gap <= CLOSE else "unsolved"
    return Run(name, seen[0] if seen else None, seen[-1] if seen else None, gap, kind)


def _notes(seen: list[int]) -> Callable[..., None]:
    def note(intermediate_result: OptimizeResult) -> None:
        seen.append(int(intermediate_result.nfev))

    return note


def row(name: str, runs: Sequence[Run]) -> tuple[Cell, ...]:
    kinds = Counter(run.kind for run in runs if run.solved)
    first = sorted(run.first for run in runs if run.first is not None)
    gaps = sorted(run.gap for run in runs if not run.solved and run.gap == run.gap)
    return (
        name,
        f"{sum(kinds.values())} of {len(runs)}",
        *(kinds[kind] for kind in ("faithful", "thin", "artefact")),
        len(first),
        first[len(first) // 2] if first else None,
        float(f"{gaps[len(gaps) // 2]:.2g}") if gaps else None,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    words.add_argument("ids", nargs="*", help="problems, all 25 if none are named")
    words.add_argument("--budget", type=float, default=1e5)
    words.add_argument("--seeds", type=int, default=20)
    words.add_argument("--first-seed", type=int, default=500)
    words.add_argument("--jobs", type=int, default=1, help="processes")
    given = words.parse_args(arguments)
    ids = given.ids or [p.id for p in cpc.problems() if p.id.startswith("CPC-")]
    jobs = [(name, int(given.budget), given.first_seed + k) for name, k in product(ids, range(given.seeds))]
    runs: list[Run] = []
    with ProcessPoolExecutor(given.jobs) as pool, ProgressLine() as line:
        for run in pool.map(searched, jobs):
            runs.append(run)
            line.say(f"{len(runs)} of {len(jobs)} runs")
    rows = [row(name, [run for run in runs if run.problem == name]) for name in ids]
    columns = ("problem", "solved", "faithful", "thin", "artefact", "entered", "first value at", "gap of the others")
    total = sum(run.solved for run in runs)
    faithful = sum(run.kind == "faithful" for run in runs)
    title = (
        f"{given.budget:g} evaluations: {total} of {len(runs)} runs solved ({total / len(runs):.1%}), "
        f"{faithful} of them faithful"
    )
    print(render([Table("search", title, columns, tuple(rows))], "markdown"))


if __name__ == "__main__":
    main()
