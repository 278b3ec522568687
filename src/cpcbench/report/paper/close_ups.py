"""The tables of neighbours that the paper prints, beside what comes out at the same points."""

from __future__ import annotations

import math
from typing import cast

from cpcbench.problems.problem import Problem
from cpcbench.problems.worth import Worth
from cpcbench.report.paper.printed import printed_table
from cpcbench.report.table import Table

PRINTED = {"CPC-DF3": "df3_neighbours", "CPC-DF15": "df15_sensitivity"}
DIGITS = 1e-14
"""Two values that agree to this relative accuracy are printed alike."""


def printed_neighbours(p: Problem) -> list[Table]:
    """The printed table of a problem's neighbours beside our values; empty where none is printed."""
    if p.id not in PRINTED:
        return []
    printed = printed_table(PRINTED[p.id])
    rows = []
    for cells in printed.rows:
        point, said = cast("tuple[float, ...]", cells[-2]), cast(float, cells[-1])
        found = Worth.at(p, point)
        here = found.reference
        same = math.isnan(here) if math.isnan(said) else math.isclose(said, here, rel_tol=DIGITS)
        rows.append((*point, said, here, found.enclosure.lower, found.enclosure.upper, found.kind, same))
    return [
        Table(
            key=f"printed-neighbours-{p.id}",
            title=f"{printed.title}, and what comes out there (rule {p.rule})",
            columns=(
                *p.names, "printed", "reference", "real value, at least", "real value, at most", "kind", "as printed",
            ),
            rows=rows,
            notes=printed.notes,
        )
    ]  # fmt: skip
