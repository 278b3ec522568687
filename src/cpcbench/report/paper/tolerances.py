"""Why no fixed tolerances give every published row its types: the rows near the limits of Type I."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import cast

from cpcbench.experiment.verify.types import RULES
from cpcbench.experiment.verify.verification import Verdict, verify
from cpcbench.problems.published import published_results
from cpcbench.problems.registry import problem
from cpcbench.report.paper.calibration import is_consistent
from cpcbench.report.paper.printed import RULE, is_point, printed_table
from cpcbench.report.table import Row, Table

NEAR = 0.1
"""Rows up to so far above the published value, relative above 1, and up to so much of the box away are shown."""


@dataclass(frozen=True)
class Typed:
    """A published solution with its published types, by both rules; `above` and `off` are relative above 1."""

    source: str
    function: str
    algorithm: str
    types: tuple[str, ...]
    above: float
    place: float
    off: float
    paper: Verdict
    strict: Verdict

    @property
    def name(self) -> str:
        return f"{self.algorithm} on {self.function}" + (" in print" if self.source == "printed" else "")


@cache
def tolerances_table() -> Table:
    """The rows near the limits of Type I, in the order of their values, and which of them no two numbers can fit."""
    shown = [r for r in typed_rows() if max(r.above, r.place) > 1e-9 and r.above <= NEAR and r.place <= NEAR]
    return Table(
        key="tolerances",
        title="Published rows near the limits of Type I: no fixed tolerances fit them all",
        columns=(
            "rows of", "function", "algorithm", "published types", "value above", "place away", "kind", "rule paper",
            "rule strict",
        ),
        rows=sorted((_row(r) for r in shown), key=lambda row: cast(float, row[4])),
        notes=(
            "Held against: published (value above, place away, rule paper); the best-known value, which is the proven "
            "infimum where there is a proof (rule strict).",
            *contradictions(),
            f"Types as published: rule paper {_fit('paper')}, rule strict {_fit('strict')} of {len(typed_rows())} "
            "admissible points that are consistent with the definitions.",
        ),
    )  # fmt: skip


def contradictions() -> list[str]:
    """Pairs of tolerances that the rows of Type I need, and the refused rows that they would accept; so for reports."""
    rows = typed_rows()
    solved, local = [r for r in rows if "I" in r.types], [r for r in rows if "II" in r.types]
    found = []
    for place in sorted({r.place for r in solved}, reverse=True):
        inside = [r for r in solved if r.place <= place]
        value = max(r.above for r in inside)
        wrong = [r for r in local if r.above <= value and r.place <= place]
        if wrong:
            high, far = max(inside, key=lambda r: r.above), max(inside, key=lambda r: r.place)
            found.append(
                f"Type I was given {high.above:.3g} above ({high.name}) and {far.place:.3g} away ({far.name}); "
                f"tolerances that allow both accept {', '.join(r.name for r in wrong)}, called Type II."
            )
    wrong_reports = [r for r in rows if "IV" in r.types]
    least = min(wrong_reports, key=lambda r: r.off)
    kept = [f"{r.name} ({r.off:.2g} off)" for r in rows if "IV" not in r.types and r.off > least.off]
    found.append(f"Type IV was given for a report {least.off:.2g} off ({least.name}), and not to {', '.join(kept)}.")
    return found


@cache
def typed_rows() -> tuple[Typed, ...]:
    """The admissible points of the collection that are consistent with the definitions, then those of the paper."""
    rows = [
        _typed("collection", r.problem, r.algorithm, r.types, r.point, r.reported)
        for r in published_results()
        if r.point is not None and is_point(r) and is_consistent(r)
    ]
    for name, x, value, types in printed_table("df3_solutions").rows[1:]:
        if x is not None:
            words = tuple(str(types).split(", "))
            point = cast("tuple[float, ...]", x)
            rows.append(_typed("printed", "CPC-DF3", str(name), words, point, cast(float, value)))
    return tuple(r for r in rows if r is not None)


def _typed(
    source: str, id_: str, algorithm: str, types: tuple[str, ...], x: tuple[float, ...], reported: float | None
) -> Typed | None:
    p = problem(id_, rule=RULE)
    paper, strict = (verify(p, x, reported, types=name) for name in RULES)
    found, best = paper.assessment, p.published
    if found.gap is None or found.place is None or best is None:
        return None
    off = 0.0 if reported is None else abs(reported - paper.verified) / max(1.0, abs(paper.verified))
    above = found.gap / max(1.0, abs(best.value))
    return Typed(source, id_, algorithm, types, above, found.place, off, paper, strict)


def _row(r: Typed) -> Row:
    words = [", ".join(v.types) for v in (r.paper, r.strict)]
    away = float(f"{r.place:.3g}")
    return r.source, r.function, r.algorithm, ", ".join(r.types), float(f"{r.above:.3g}"), away, r.paper.kind, *words


def _fit(name: str) -> int:
    return sum(r.types == getattr(r, name).types for r in typed_rows())
