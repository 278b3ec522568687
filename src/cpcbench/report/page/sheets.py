"""One sheet a problem: its formula, facts, hidden conditions, landscape, and its optima in all readings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from cpcbench.certify.certificate.library import proven_for
from cpcbench.experiment.verify.verification import verify
from cpcbench.problems.collections.fits import curve_fits
from cpcbench.problems.problem import Problem
from cpcbench.report.figures.scales import scale_of
from cpcbench.report.page import markup
from cpcbench.report.page.fits import fit_sheet
from cpcbench.report.table import Table
from cpcbench.studies.feasible.ratio import FeasibleRatio, feasible_ratio
from cpcbench.studies.landscape.grids import Landscape, zoom
from cpcbench.studies.sensitivity.point import frailty
from cpcbench.studies.structure.interplay import structure
from cpcbench.studies.symmetry.optima_count import optima
from cpcbench.studies.symmetry.symmetries import symmetries

VIEWS = 3
"""The whole box and two windows around the best-known point, each a tenth of the one before."""

TITLES = ("whole box", *(f"{10**level} times closer" for level in range(1, VIEWS)))

SHOWN = 4
"""Published optima on a sheet; the others are the same up to symmetry."""

DRAWS = 5_000_000
"""For the admissible share of the box; `cpcbench feasible` measures it more closely."""

CONDITIONS = 40
"""Conditions on a sheet at most; a problem of a thousand variables has thousands."""


@dataclass(frozen=True)
class Sheet:
    """A problem's part of the page: its HTML, and the data its landscape is drawn from."""

    problem: Problem
    html: str
    landscapes: list[dict[str, Any]]
    ratio: FeasibleRatio | None


def sheet(p: Problem, resolution: int) -> Sheet:
    """The sheet of a problem of any kind."""
    if p.id in curve_fits():
        return Sheet(p, _framed(p, fit_sheet(p) + _optima(p)), [], None)
    ratio = feasible_ratio(p, DRAWS, 1, method="sample")
    views = zoom(p, levels=VIEWS, resolution=resolution) if p.dim >= 2 else ()
    landscapes = [view_data(view, title) for view, title in zip(views, TITLES, strict=False)]
    html = (
        f'<div class="formula">{p.mathml}</div>'
        f'<div class="columns"><div>{_facts(p, ratio)}</div><div>{_landscape(p, views)}</div></div>'
        f"{_optima(p)}{_conditions(p)}"
        f'<details class="more"><summary>The formula as text</summary><p class="code">{markup.text(p.formula)}</p>'
        "</details>"
    )
    return Sheet(p, _framed(p, html), landscapes, ratio)


def _framed(p: Problem, html: str) -> str:
    title = f"<b>{markup.text(p.id)}</b><span>{markup.text(p.title)}</span>"
    return f'<details class="sheet" id="{place(p.id)}"><summary>{title}</summary><div>{html}</div></details>'


def place(id_: str) -> str:
    """Where on the page a problem's sheet is; apart from the page's own places, whatever the problem's id."""
    return markup.anchor("problem", id_)


def view_data(view: Landscape, title: str) -> dict[str, Any]:
    """A landscape as the page's script draws it: heights on a scale that tells the values apart, and the scale."""
    scale = scale_of(view.filled)
    first, second = view.axes
    low, high = scale([scale.low, scale.high]).tolist()
    return {
        "title": title,
        "names": [view.problem.names[first], view.problem.names[second]],
        "window": [list(side) for side in view.window],
        "x": markup.packed(view.x),
        "y": markup.packed(view.y),
        "z": markup.packed(scale.forward(view.filled)),
        "share": float(np.mean(~np.isnan(view.z))),
        "scale": {"kind": scale.kind, "unit": scale.unit, "note": scale.note},
        "ticks": list(scale.marks),
        "low": low,
        "high": high,
        "marks": view.optima[:, [first, second]].tolist() if len(view.optima) else [],
    }


def _facts(p: Problem, ratio: FeasibleRatio) -> str:
    known = p.published
    sides = {f"[{a:g}, {b:g}]" for a, b in p.bounds}
    share = f"{100 * ratio.ratio:.4g} % of the box"
    rows = [
        ("variables", f"{p.dim}" + (f" (any number from {p.smallest_dim})" if p.scalable else "")),
        ("box", markup.text(sides.pop() if len(sides) == 1 else ", ".join(f"[{a:g}, {b:g}]" for a, b in p.bounds[:6]))),
        ("rule", markup.text(p.rule)),
        ("admissible", f"{share} (95 %: {100 * ratio.interval.low:.4g} to {100 * ratio.interval.high:.4g} %)"),
    ]
    if p.category:
        rows.append(("category", markup.text(p.category)))
    if known is not None:
        bound = "at most " if known.feasible_ratio_is_bound else ""
        rows += [
            ("published ratio", f"{bound}{known.feasible_ratio:g} % of the box is admissible"),
            ("published optima", markup.text(known.optima)),
            ("published value", markup.number(known.value)),
        ]
    rows += [("proven", markup.text(str(claim))) for claim in proven_for(p)]
    rows += _structure(p) + (_sensitivity(p) if p.best_known is not None else [])
    return markup.facts(rows) + markup.listing([markup.text(note) for note in (known.notes if known else ())])


def _structure(p: Problem) -> list[tuple[str, str]]:
    """What the formula says of itself: which variables act together, and what moves nothing."""
    motions = [markup.text(s.text) for s in symmetries(p).found[:4]]
    rows = [("structure", markup.text(structure(p).kind))]
    if motions:
        rows.append(("symmetries", ", ".join(motions)))
    if p.best_known is not None:
        found = optima(p)
        rows.append(("optima", markup.text(f"{found.text} ({found.how})")))
    return rows


def _sensitivity(p: Problem) -> list[tuple[str, str]]:
    """How many digits the best-known point hangs on, and how far the edge of the domain is."""
    found = frailty(p)
    digits = "more than doubles have" if math.isinf(found.digits_needed) else f"{found.digits_needed:g}"
    edge = (
        "the box's own sides" if math.isinf(found.nearest_edge) else f"{found.nearest_edge:.3g} of the box's width away"
    )
    rows = [("digits needed", f"{digits}, to be within 1e-4 of the value"), ("nearest edge", edge)]
    return rows + [("fails there", f"<code>{markup.text(c)}</code>") for c in found.failing[:1]]


def _landscape(p: Problem, views: tuple[Landscape, ...]) -> str:
    if not views:
        return ""
    fixed = "" if p.dim == 2 else "; the other variables are those of the best-known point"
    names = [markup.text(p.names[i]) for i in views[0].axes]
    star = " A star marks the best-known point." if p.best_known is not None else ""
    return (
        '<div class="choices" role="group" aria-label="What the landscape shows"></div>'
        f'<div class="landscape" data-problem="{markup.text(p.id)}" role="img" '
        f'aria-label="The values over {names[0]} and {names[1]}"></div>'
        f'<p class="notes">Blank where the function is undefined{fixed}.{star}</p>'
    )


def _optima(p: Problem) -> str:
    known = p.best_known
    if known is None:
        return ""
    rows = []
    for x in known.points[:SHOWN]:
        verdict = verify(p, x, known.value)
        real = verdict.enclosure
        rows.append((tuple(x.tolist()), known.value, verdict.fast, verdict.reference, real.lower, real.upper,
                     real.domain, verdict.kind))  # fmt: skip
    more = len(known.points) - SHOWN
    symmetric = (f"{more} more by symmetry.",) if more > 0 else ()
    return markup.table(
        Table(
            key=f"optima-{p.id}",
            title="Best-known points, in all three readings",
            columns=("x", "stated", "fast", "reference", "real, from", "to", "domain", "kind"),
            rows=rows,
            notes=(f"Source: {known.source}, rule {known.rule}.", *symmetric),
        )
    )


def _conditions(p: Problem) -> str:
    found = p.conditions
    rows = [f"<code>{markup.text(c.text)}</code>" for c in found[:CONDITIONS]]
    more = f"<p>... and {len(found) - CONDITIONS} more.</p>" if len(found) > CONDITIONS else ""
    count = f"{len(found)} hidden condition{'' if len(found) == 1 else 's'}"
    return f'<details class="more"><summary>{count}</summary>{markup.listing(rows)}{more}</details>'
