"""NOMAD (mesh adaptive direct search), begun at admissible points; an undefined value is infinite to it."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.points import Points
from cpcbench.solvers.adapters.common import Guarded, Search, best_so_far, listed, outside, seed_from, until_spent
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.paper.common import UNDEFINED

BUDGET = 10_000
"""It takes about a millisecond of its own for each evaluation, and twenty with models."""


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    models: bool = False,
    vns: bool = True,
    restarts: bool = True,
) -> OptimizeResult:
    """Runs from an admissible point, drawn evenly, to NOMAD's smallest mesh; again while there is a budget left.

    `models`: with its quadratic models and n + 1 directions; `vns`: with its variable neighbourhood
    search, which is to leave local minima.
    """
    search = Search(objective)
    if not search.dim:
        search(search.lower)
        return best_so_far(objective, "no variable is free")
    settings = [*_SETTINGS, *([] if models else _WITHOUT_MODELS), f"VNS_MADS_SEARCH {str(vns).lower()}"]
    return until_spent(objective, partial(_once, search, rng, settings), restarts)


_SETTINGS = ["BB_OUTPUT_TYPE OBJ", "DISPLAY_DEGREE 0", "DISPLAY_ALL_EVAL false", "NB_THREADS_PARALLEL_EVAL 1"]
_WITHOUT_MODELS = ["QUAD_MODEL_SEARCH false", "EVAL_QUEUE_SORT DIR_LAST_SUCCESS", "DIRECTION_TYPE ORTHO 2N"]

SEED_BITS = 16
"""NOMAD draws as many numbers as its seed says before it begins."""

DRAWS = 10_000
"""For a first admissible point, without which NOMAD ends at once."""


def _once(search: Search, rng: np.random.Generator, settings: list[str]) -> None:
    import PyNomad

    first = _admissible_point(search, rng)
    if first is None:
        return
    left = search.objective.remaining
    seed = seed_from(rng, SEED_BITS)
    given = [*settings, f"SEED {seed}"]
    _forget(seed)
    if math.isfinite(left):
        given.append(f"MAX_BB_EVAL {int(left) + 1}")  # the objective says stop at the last one
    guarded = Guarded(search)  # NOMAD prints an exception and goes on
    lower, upper = search.lower.tolist(), search.upper.tolist()
    PyNomad.optimize(partial(_black_box, guarded), first.tolist(), lower, upper, given)
    guarded.raise_kept()


def _forget(seed: int) -> None:
    """A seed equal to the last one does not start NOMAD's generator anew; another in between does."""
    import PyNomad

    other = f"SEED {(seed + 1) % 2**SEED_BITS}"
    PyNomad.optimize(_nothing, [0.0], [-1.0], [1.0], [*_SETTINGS, "MAX_BB_EVAL 1", other])


def _nothing(point: Any) -> int:
    point.setBBO(b"0")
    return 1


def _admissible_point(search: Search, rng: np.random.Generator) -> Points | None:
    for _ in range(DRAWS):
        x = search.random_point(rng)
        if search(x) < UNDEFINED:
            return x
    return None


def _black_box(guarded: Guarded, point: Any) -> int:
    """NOMAD's call-back: 1 with a value, 0 for a failed evaluation, which NaN is."""
    value = guarded(np.array([point.get_coord(i) for i in range(point.size())]))
    if math.isnan(value) or guarded.kept is not None:
        return 0
    point.setBBO(repr(value).encode())
    return 1


SOLVERS = listed(
    outside("nomad", solve, "inf", "Mesh adaptive direct search of NOMAD, restarted at random points.", budget=BUDGET)
)
