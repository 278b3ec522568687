"""Tables of a sensitivity study: neighbours, edges, digits, and the ranking of problems."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cpcbench.problems.problem import Problem
from cpcbench.report.table import Row, Table
from cpcbench.studies.sensitivity.neighbours import Neighbour
from cpcbench.studies.sensitivity.point import Frailty, Sensitivity


def sensitivity_tables(problem: Problem, found: Sensitivity) -> list[Table]:
    """Everything about one point of a problem."""
    return [
        summary_table(found),
        neighbours_table(problem, found.decimal, "digits", "with the last digit of one coordinate moved"),
        neighbours_table(problem, found.ulps, "ulps", "so many ulps up or down in one coordinate"),
        edges_table(problem, found.frailty),
        digits_table(found.frailty),
    ]


def summary_table(found: Sensitivity) -> Table:
    f = found.frailty
    beside = [n for n in found.together if any(n.steps)]
    defined = [n.reference for n in beside if not math.isnan(n.reference)]
    change = max((abs(v - f.value) for v in defined), default=math.nan)
    rows: tuple[Row, ...] = (
        (f"point ({found.point})", f.x),
        ("value (reference)", f.value),
        ("digits needed", _count(f.digits_needed)),
        ("that is, decimals", _count(f.decimals_needed)),
        ("nearest edge along a coordinate, share of the box", f.nearest_edge),
        ("in ulps", _count(f.nearest_edge_ulps)),
        ("fails beyond it", _listed(f.failing)),
        ("neighbours with coordinates moved by one ulp or not at all", len(beside)),
        ("of these admissible", len(defined)),
        ("largest change of value among them", None if math.isnan(change) else change),
    )
    return Table(
        key=f"sensitivity-{f.problem}",
        title=f"Sensitivity of {f.problem} at one point (rule {f.rule})",
        columns=("what", "found"),
        rows=rows,
        notes=(DIGITS_NOTE,),
    )


DIGITS_NOTE = (
    "Digits needed: the fewest, counted from the size of the box, with which the point's neighbours on a grid placed "
    "at random include an admissible one of nearly the same value in at least half of the placements."
)


def neighbours_table(problem: Problem, rows: Sequence[Neighbour], unit: str, how: str) -> Table:
    """All readings at each neighbour; `kind` is what verification makes of it."""
    return Table(
        key=f"neighbours-{unit}-{problem.id}",
        title=f"{problem.id} at the point and beside it, {how}",
        columns=(
            f"moved ({unit})", *problem.names, "in the box", "fast", "reference", "real value, at least",
            "real value, at most", "domain", "kind", "fails",
        ),
        rows=map(_neighbour, rows),
        notes=_unmoved(rows),
    )  # fmt: skip


def _unmoved(rows: Sequence[Neighbour]) -> tuple[str, ...]:
    """How many digits could not be moved at all."""
    same, moved = sum(n.same_double for n in rows), sum(any(n.steps) for n in rows)
    if not same:
        return ()
    return (
        f"{same} of {moved} moves change nothing: the last digit is finer than the doubles there, so that the row is "
        "the point itself. --digits 14 rounds first, --ulps moves by doubles.",
    )


def _neighbour(n: Neighbour) -> Row:
    real = n.enclosure
    domain = "thin" if real.thin else real.domain
    moved = " ".join(f"{k:+d}" if k else "0" for k in n.steps) + (", the same double" if n.same_double else "")
    values = (n.fast, n.reference, real.lower, real.upper)
    return moved, *n.x, n.in_box, *values, domain, n.kind, _listed(n.failing)


def edges_table(problem: Problem, found: Frailty) -> Table:
    change = "undefined" if not found.edges or found.edges[0].admissible else "admissible"
    return Table(
        key=f"edges-{found.problem}",
        title=f"From the point to the edge of the domain of {found.problem}, along each coordinate",
        columns=(
            "coordinate", "direction", "unchanged up to", f"first {change}", "distance", "share of the box", "ulps",
            "fails there",
        ),
        rows=(
            (
                problem.names[e.coordinate], e.direction,
                *(None if math.isinf(e.distance) else x for x in (e.last, e.first)),
                e.distance, e.share, _count(e.ulps), _listed(e.failing),
            )
            for e in found.edges
        ),
        notes=(
            "The first change found along the ray in the reference reading; a gap narrower than the spacing of the "
            "probes goes unseen. inf: no change up to the end of the box.",
        ),
    )  # fmt: skip


def digits_table(found: Frailty) -> Table:
    return Table(
        key=f"digits-{found.problem}",
        title=f"What is left of the point of {found.problem} when it is known to fewer digits",
        columns=(
            "digits", "decimals", "value rounded", "value cut off", "grids with a good corner (%)",
            "corners admissible (%)", "corners good (%)",
        ),
        rows=(
            (
                p.digits, p.decimals[0] if len(set(p.decimals)) == 1 else " ".join(map(str, p.decimals)),
                p.nearest, p.truncated, 100.0 * p.grids, 100.0 * p.admissible, 100.0 * p.good,
            )
            for p in found.profile
        ),
        notes=("Good: admissible, with a value within the tolerance of that at the point.",),
    )  # fmt: skip


def ranking_table(found: Sequence[Frailty], tolerance: float) -> Table:
    """One line a problem, in the order given."""
    return Table(
        key="sensitivity-ranking",
        title=f"Digits of the best-known point needed for its value to within {tolerance:g}, the most sensitive first",
        columns=(
            "problem", "digits needed", "decimals", "good points around (%)", "nearest edge, share of the box",
            "in ulps", "value", "fails beyond it",
        ),
        rows=(
            (
                f.problem, _count(f.digits_needed), _count(f.decimals_needed),
                None if math.isnan(f.good_share) else round(100.0 * f.good_share, 2),
                f.nearest_edge, _count(f.nearest_edge_ulps), f.value, _listed(f.failing),
            )
            for f in found
        ),
        notes=(DIGITS_NOTE,),
    )  # fmt: skip


def _count(number: float) -> int | float:
    return number if math.isinf(number) else int(number)


def _listed(texts: tuple[str, ...]) -> str | None:
    return "; ".join(texts) or None
