"""Targets: how close to the best value counts as reached, and from which evaluation on a run had reached it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.plan.problems import known_problem
from cpcbench.experiment.verify.types import held_against

PRECISIONS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
"""The targets by default, from the easiest to the hardest."""

SOLVED = 1e-4
"""The precision from which on a problem is called solved."""


def reference_of(id_: str, n: int, rule: str, best_in_study: float | None) -> tuple[float, str]:
    """The value that a problem's targets are held against, and what it is (NaN: "none").

    That is the proven infimum, the best-known value, or the published one where no lower is known.

    A problem without a best-known value (another user's own, or a size nobody has solved) is held against
    the lowest verified and faithful value in the study itself.
    """
    known = known_problem(id_, n, rule)
    if known is not None and known.best_known is not None:
        return float(known.best_known.value), held_against(known.best_known)
    if best_in_study is not None and math.isfinite(best_in_study):
        return best_in_study, "study"
    return math.nan, "none"


def thresholds(best: float, precisions: Sequence[float]) -> tuple[float, ...]:
    """The values to get down to: best + precision * max(1, |best|); NaN, which nothing reaches, without a best."""
    return tuple(best + precision * max(1.0, abs(best)) for precision in precisions)


def first_hits(
    trajectory: Iterable[tuple[int, float]], levels: Sequence[float], verified: float, evaluations: int
) -> list[float]:
    """For each level (falling) the evaluation at which a run reached it, infinity where it did not.

    The trajectory holds what the solver saw; the verified value of the point it returned decides. A level
    below that value is not reached, whatever the solver saw. A level that only the verified value reaches
    is reached at the end of the run.
    """
    hits = [math.inf] * len(levels)
    reached = 0
    for level in levels:
        if not verified <= level:  # NaN reaches nothing
            break
        reached += 1
    k = 0
    for evaluation, value in trajectory:
        while k < reached and value <= levels[k]:
            hits[k] = float(evaluation)
            k += 1
        if k == reached:
            break
    for rest in range(k, reached):
        hits[rest] = float(max(1, evaluations))
    return hits


def checked_precisions(precisions: Sequence[float]) -> tuple[float, ...]:
    """The precisions, falling and each once."""
    given = [float(p) for p in precisions]
    if not given or not all(math.isfinite(p) and p >= 0.0 for p in given):
        raise CpcbenchError(f"precisions are finite numbers from 0 on, at least one, not {precisions!r}")
    return tuple(sorted(set(given), reverse=True))
