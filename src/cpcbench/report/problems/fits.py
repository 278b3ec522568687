"""The table of curve fits: what the collection prints, what comes out at its parameters, and the lowest known here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from cpcbench.problems.collections.fits import CurveFit, curve_fits
from cpcbench.problems.problem import Problem
from cpcbench.problems.registry import problem
from cpcbench.report.table import Row, Table

PRINTED_DIGITS = 1e-12
"""A recomputed sum that agrees with a printed one to this relative accuracy is the same."""


def fits_table(chosen: Sequence[Problem]) -> Table:
    """One row a curve fit; sums of squares in correctly rounded doubles."""
    return Table(
        key="fits",
        title="Curve fits: sums of squared errors, printed and found",
        columns=("problem", "parameters", "observations", "printed", "at the printed parameters", "lowest known here",
                 "relative difference"),
        rows=(_row(p, curve_fits()[p.id]) for p in chosen),
        notes=("Relative difference: of the lowest value known here to the printed one; negative is lower. "
               "Several printed solutions: the first one.",),
    )  # fmt: skip


def _row(p: Problem, fit: CurveFit) -> Row:
    printed, record = fit.printed[0], p.records.faithful
    ours = None if record is None else record.value
    apart = None if ours is None else f"{ours / printed.value - 1.0:+.1e}"
    return p.id, fit.n, len(fit.x), printed.value, float(p.reference(printed.point)), ours, apart


def fit_errors(fits: Iterable[CurveFit]) -> Table:
    """Where the collection of curve fits disagrees with itself or with a recomputation."""
    return Table(
        key="fit-errors",
        title="Curve fits: known errors of the collection",
        columns=("where", "printed", "recomputed", "remark"),
        rows=(row for fit in fits for row in _errors(fit)),
    )


def _errors(fit: CurveFit) -> Iterator[Row]:
    """A solution whose value does not come out, or else what is known to be wrong without one."""
    p, remark = problem(fit.id), " ".join(fit.notes)
    found = [(i, s, float(p.reference(s.point))) for i, s in enumerate(fit.printed, start=1)]
    wrong = [(i, s, value) for i, s, value in found if not math.isclose(value, s.value, rel_tol=PRINTED_DIGITS)]
    for i, solution, value in wrong:
        yield f"{fit.id}, solution {i}", solution.value, value, remark
    if fit.notes and not wrong:
        yield fit.id, None, None, remark
