"""Optuna's tree-structured Parzen estimator, asked for points and told values a batch at a time."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.solvers.adapters.common import Search, best_so_far, listed, outside, seed_from
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.paper.common import check_whole

BUDGET = 2_000
"""Its time grows with the square of the number of trials."""


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    trials: int = BUDGET,
    batch: int = 10,
    startup: int = 10,
) -> OptimizeResult:
    """Up to `trials` trials, `startup` of them drawn evenly from the box."""
    import optuna

    check_whole(trials=trials, batch=batch, startup=startup)
    search = Search(objective)
    sides = zip(search.lower.tolist(), search.upper.tolist(), strict=True)
    space = {f"x{i}": optuna.distributions.FloatDistribution(*side) for i, side in enumerate(sides, start=1)}
    done = 0
    with _quiet(optuna):
        sampler = optuna.samplers.TPESampler(n_startup_trials=startup, seed=seed_from(rng), multivariate=True)
        study = optuna.create_study(sampler=sampler)
        while done < trials:
            done += _batch(optuna, study, space, search, min(batch, trials - done))
    return best_so_far(objective, f"{done} trials")


def _batch(optuna: Any, study: Any, space: dict[str, Any], search: Search, count: int) -> int:
    """Asks for some points, evaluates them at once and tells the values; NaN is a failed trial."""
    asked = [study.ask(space) for _ in range(count)]
    points = np.array([[trial.params[name] for name in space] for trial in asked]).reshape(count, search.dim)
    for trial, value in zip(asked, np.asarray(search(points)).tolist(), strict=True):
        if math.isnan(value):
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
        else:
            study.tell(trial, value)
    return count


@contextmanager
def _quiet(optuna: Any) -> Iterator[None]:
    """Without the library's log and warnings; its level is put back."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        optuna.logging.set_verbosity(before)


SOLVERS = listed(outside("optuna-tpe", solve, "nan", "Tree-structured Parzen estimator of Optuna.", budget=BUDGET))
