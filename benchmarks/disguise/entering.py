"""How often each sampler enters a domain in disguise: `python -m benchmarks.disguise.entering CPC-DF4 outpost`.

Hits in a million draws before anything is known. Nothing can be learnt before the first hit, so that the best of them
is what a black-box search can hope for, and even draws are what is left where orders and signs are unknown.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit
from tests.material.own_problems import own_problems

import cpcbench as cpc
from benchmarks.disguise.__main__ import disguise
from cpcbench.report.render import render
from cpcbench.report.table import Cell, Table
from cpcbench.solvers.search.moves.samplers import WITHOUT_HITS, inside, sample
from cpcbench.solvers.search.state import State, new_state
from cpcbench.solvers.search.tuning import Settings

NAMES = ("even", "window", "shrunk", "sorted", "ratios", "magnitudes", "equal", "sparse", "rounded")
HARD = (*(f"CPC-DF{i}" for i in (2, 4, 5, 11, 15, 16, 18, 23)), "outpost", "keyhole")


def _draw(s: State, kind: int, out: Any) -> None:
    for i in range(out.shape[0]):
        sample(s, kind, out[i])
        inside(s, out[i])


draw: Any = njit(error_model="numpy")(_draw)


def hits(problem: cpc.Problem, draws: int, seed: int) -> list[int]:
    """Of so many draws of each sampler in one disguise those that are admissible."""
    hidden = disguise(problem, seed).of(problem, "hidden")
    state, out = new_state(hidden.lower, hidden.upper, seed, Settings()), np.empty((draws, problem.dim))
    found = []
    for kind in range(WITHOUT_HITS):
        draw(state, kind, out)
        found.append(int(np.isfinite(hidden(out)).sum()))
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    words.add_argument("ids", nargs="*", default=HARD, help="problems of the suite, and our own by their names")
    words.add_argument("--draws", type=float, default=2e5, help="of each sampler in each disguise")
    words.add_argument("--seeds", type=int, default=10, help="disguises")
    words.add_argument("--first-seed", type=int, default=9000)
    given = words.parse_args(arguments)
    ours = {own.name: own.problem for own in own_problems()}
    seeds = range(given.first_seed, given.first_seed + given.seeds)
    rows: list[tuple[Cell, ...]] = []
    for name in given.ids:
        problem = ours[name] if name in ours else cpc.problem(name)
        total = np.sum([hits(problem, int(given.draws), seed) for seed in seeds], axis=0)
        rows.append((name, *(float(f"{count / (given.draws * given.seeds) * 1e6:.3g}") for count in total)))
    title = f"Hits in a million draws, {given.seeds} disguises from {given.first_seed} on"
    print(render([Table("entering", title, ("problem", *NAMES), tuple(rows))], "markdown"))


if __name__ == "__main__":
    main()
