"""One sheet a problem: a card with its picture that opens to formula, facts, runs, conditions, landscape and optima."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from cpcbench.certify.certificate.library import proven_for
from cpcbench.experiment.verify.verification import verify
from cpcbench.problems.collections.fits import curve_fits
from cpcbench.problems.problem import Problem
from cpcbench.problems.registry import definitions, original
from cpcbench.report.page import markup
from cpcbench.report.page.fits import fit_sheet
from cpcbench.report.page.pictures import shown, thumbnail, view_data
from cpcbench.report.study.solutions import label_of
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

DRAWS = 2_000_000
"""For the admissible share of the box; `cpcbench feasible` measures it more closely."""

GRIDS = 8
"""For the digits that a point needs; `cpcbench sensitivity` places more of them."""

CONDITIONS = 40
"""Conditions on a sheet at most; a problem of a thousand variables has thousands."""


EFFORT = 0.1
"""Of the search for what is thinner than a cell: on the two functions that were compared about this much found what the
whole one does, but for a cell."""


@dataclass(frozen=True)
class Sheet:
    """A problem's part of the page: its HTML, and the data its landscape is drawn from."""

    problem: Problem | None
    html: str
    place: str
    landscapes: list[dict[str, Any]]
    ratio: FeasibleRatio | None


@dataclass(frozen=True)
class OfStudy:
    """What a study adds to the sheet of a problem: a line for its card, and its charts."""

    line: str = ""
    charts: str = ""


def sheet(p: Problem, resolution: int, study: OfStudy | None = None) -> Sheet:
    """The sheet of a problem of any kind."""
    at, study = place(p), study or OfStudy()
    if p.id in curve_fits():
        return Sheet(p, _framed(p.id, p.title, at, "", study, fit_sheet(p) + study.charts + _optima(p)), at, [], None)
    ratio = feasible_ratio(p, DRAWS, 1, method="sample")
    views = zoom(p, levels=VIEWS, resolution=resolution, effort=EFFORT) if p.dim >= 2 else ()
    landscapes = [view_data(view, title) for view, title in zip(views, TITLES, strict=False)]
    share = f"{100 * ratio.ratio:.3g}" if ratio.ratio else f"below {100 * ratio.interval.high:.2g}"
    picture, says = "", f"{share} % admissible"
    if views:
        first = shown(views)
        picture = thumbnail(views[first], f"{p.id}, {TITLES[first]}")
        says += "" if first == 0 else f"; seen {TITLES[first]}"
    html = (
        f'<div class="formula" tabindex="0">{p.mathml}</div>{markup.HINT}'
        f'<div class="columns"><div>{_facts(p, ratio)}</div><div>{_landscape(p, views, at, picture)}</div></div>'
        f"{study.charts}{_optima(p)}{_conditions(p)}"
        f'<details class="more"><summary>The formula as text</summary><p class="code">{markup.text(p.formula)}</p>'
        "</details>"
    )
    return Sheet(p, _framed(named(p), p.title, at, picture, study, html, says), at, landscapes, ratio)


def bare_sheet(id_: str, n: int, study: OfStudy) -> Sheet:
    """Of a problem that is not known here, such as another user's function: what the study says of it."""
    at = markup.anchor("problem", id_, n)
    return Sheet(
        None, _framed(f"{id_} (n = {n})", "not known here by its formula", at, "", study, study.charts), at, [], None
    )


def named(p: Problem) -> str:
    """The problem's name, with its size where that is not the usual one."""
    return p.id if p.id not in definitions() and original(p.id) not in definitions() else label_of(p.id, p.dim)


def _framed(name: str, title: str, at: str, picture: str, study: OfStudy, html: str, says: str = "") -> str:
    """The card, which is what opens the sheet."""
    lines = f'<span class="title">{markup.text(title)}</span>' if title else ""
    lines += "".join(f"<span>{markup.text(line)}</span>" for line in (says, study.line) if line)
    image = picture or '<span class="picture none" aria-hidden="true"></span>'
    return (
        f'<details class="sheet" id="{at}"><summary>{image}<b>{markup.text(name)}</b>{lines}</summary>'
        f"<div>{html}</div></details>"
    )


def place(p: Problem) -> str:
    """Where on the page a problem's sheet is; apart from the page's own places, whatever the problem's id."""
    usual = original(p.id) in definitions() and named(p) == p.id
    return markup.anchor("problem", p.id) if usual else markup.anchor("problem", p.id, p.dim)


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
    found = frailty(p, grids=GRIDS)
    digits = "more than doubles have" if math.isinf(found.digits_needed) else f"{found.digits_needed:g}"
    edge = (
        "the box's own sides" if math.isinf(found.nearest_edge) else f"{found.nearest_edge:.3g} of the box's width away"
    )
    rows = [("digits needed", f"{digits}, to be within 1e-4 of the value"), ("nearest edge", edge)]
    return rows + [("fails there", f"<code>{markup.text(c)}</code>") for c in found.failing[:1]]


def _landscape(p: Problem, views: tuple[Landscape, ...], at: str, picture: str) -> str:
    """The picture, in whose place the script puts one to turn and zoom."""
    if not views:
        return ""
    fixed = "" if p.dim == 2 else "; the other variables are those of the best-known point"
    names = [markup.text(p.names[i]) for i in views[0].axes]
    star = " A star marks the best-known point." if p.best_known is not None else ""
    return (
        '<div class="choices" role="group" aria-label="What the landscape shows"></div>'
        f'<div class="landscape" data-problem="{at}" role="img" '
        f'aria-label="The values over {names[0]} and {names[1]}">{picture}</div>'
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
