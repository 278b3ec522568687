"""Tables of a modality study: the parts of the domain, the local minima, and the published claims beside them."""

from __future__ import annotations

from collections.abc import Sequence

from cpcbench.report.table import Row, Table
from cpcbench.studies.modality.local_minima import Minima
from cpcbench.studies.modality.parts import Components
from cpcbench.studies.modality.summary import Modality

SHOWN = 20
CLAIMED = "domain-induced"
"""The paper calls all functions of this category highly multimodal, with minima in several disconnected regions."""


def modality_tables(found: Modality, shown: int = SHOWN) -> list[Table]:
    """All tables of one problem, at most `shown` parts and minima."""
    return [summary_table(found), parts_table(found.components, shown), minima_table(found.minima, shown)]


def summary_table(found: Modality) -> Table:
    c, m = found.components, found.minima
    rows: list[Row] = [("parts found", c.found)]
    if c.method == "cells":
        rows += [
            ("parts proven apart, at least", c.at_least),
            ("parts that hold a cell proven admissible", c.solid),
            ("share of the box that is admissible (%)", 100.0 * c.share),
            ("share of the box left undecided (%)", 100.0 * c.open_share),
            ("smallest cells, share of a side", 2.0**-c.level),
        ]
    else:
        rows += [
            ("parts met by one point only", c.unseen.singletons),
            ("parts to be expected, seen or not", c.unseen.expected),
            ("points spread evenly over the domain", c.even),
            ("share of the box that is admissible, by even draws (%)", 100.0 * c.share),
        ]
    rows += [
        ("local minima found", len(m.minima)),
        ("of these the lowest (global)", len(m.global_minima)),
        ("minima to be expected, seen or not", m.unseen.expected),
        ("chance that the next search ends in a minimum already seen", m.unseen.coverage),
        ("local searches", m.searches),
        ("searches that stalled", m.stalled),
        ("searches started evenly over the domain", m.even),
    ]
    return Table(
        key=f"modality-{c.problem}",
        title=f"Parts of the domain and local minima of {c.problem} (rule {c.rule})",
        columns=("what", "found"),
        rows=rows,
        notes=(_doubt(c), MINIMA_NOTE),
    )


MINIMA_NOTE = (
    "Minima are those of the values in doubles with a prominence above the one asked for; estimates of what was not "
    "seen suppose that searches start evenly over the domain, and are lower estimates even then."
)


def _doubt(c: Components) -> str:
    if c.settled:
        return "Every part is proven apart from the others; parts and bridges below the size of a cell go unseen."
    if c.method == "cells":
        return (
            "Parts found are joined by nothing seen: bridges thinner than a cell would make them fewer, parts smaller "
            "than a cell more."
        )
    return (
        "From points joined by straight ways: bent ways that no points trace would make the parts fewer, parts that "
        "no point fell into more. Points that are not spread evenly come from walks, which start "
        "where points are known."
    )


def parts_table(found: Components, shown: int = SHOWN) -> Table:
    first = found.parts[:shown]
    return Table(
        key=f"parts-{found.problem}",
        title=f"The largest parts of the domain of {found.problem} ({len(first)} of {found.found})",
        columns=("no.", "share of the box (%)", "proven (%)", "points", "lowest value met", "at"),
        rows=(
            (i, 100.0 * p.share, 100.0 * p.certain_share, p.points, p.value, p.x) for i, p in enumerate(first, start=1)
        ),
    )


def minima_table(found: Minima, shown: int = SHOWN) -> Table:
    first = found.minima[:shown]
    return Table(
        key=f"minima-{found.problem}",
        title=f"The lowest local minima of {found.problem} ({len(first)} of {len(found.minima)})",
        columns=("no.", "value (fast)", "at", "searches", "admissible points tested around"),
        rows=((i, m.value, m.x, m.hits, m.tested) for i, m in enumerate(first, start=1)),
        notes=("No searches: reached from a best-known point only.",),
    )


def claims_table(found: Sequence[Modality]) -> Table:
    """What is published about each problem's parts and optima, and what was found."""
    return Table(
        key="modality-claims",
        title="Modality and parts of the domain, claimed and found",
        columns=(
            "problem", "modality claimed", "minima found", "expected", "found to be", "optima claimed", "optima found",
            "domain claimed", "parts found", "proven apart",
        ),
        rows=map(_claim, found),
        notes=(
            "Optima found are the minima as low as the lowest found; best-known points are among the starts.",
            "What is expected estimates the minima that the searches did not see, too.",
        ),
    )  # fmt: skip


def _claim(found: Modality) -> Row:
    problem, minima, parts = found.problem, found.minima, found.components
    claimed = problem.category == CLAIMED
    return (
        problem.id, "multimodal" if claimed else None, len(minima.minima), round(minima.unseen.expected, 1),
        None if not minima.minima else "unimodal" if len(minima.minima) == 1 else "multimodal",
        None if problem.published is None else problem.published.optima, len(minima.global_minima),
        "disconnected" if claimed else None, parts.found, parts.at_least if parts.method == "cells" else None,
    )  # fmt: skip
