"""Structure, discontinuities and multiplicity as tables: the published word beside what was found."""

from __future__ import annotations

from collections.abc import Sequence

from cpcbench.problems.problem import Problem
from cpcbench.report.table import Row, Table
from cpcbench.studies.structure.discontinuity import CATEGORIES, Discontinuities
from cpcbench.studies.structure.interactions import Interactions
from cpcbench.studies.structure.interplay import Graph, Structure, Term
from cpcbench.studies.symmetry.multiplicity import Multiplicity, power_of_two
from cpcbench.studies.symmetry.optima_count import OptimaCount
from cpcbench.studies.symmetry.optima_search import Found
from cpcbench.studies.symmetry.symmetries import Symmetries

SAME = 2e-6
"""Part of half a side within which a published point is one of the images."""


def structure_table(rows: Sequence[tuple[Problem, Structure, Interactions | None]]) -> Table:
    """One line a problem: separable or not, published and found, and how."""
    return Table(
        key="structure",
        title="Structure, read off the formulas",
        columns=(
            "problem", "n", "published separable", "separable", "structure", "terms", "conditions", "bandwidth",
            "pairs checked in values",
        ),
        rows=(_structure_row(*row) for row in rows),
        notes=(
            "Separable: a sum of functions of one variable each. Bandwidth: how far apart two variables that act "
            "together are, at most, in value or domain.",
            "Pairs checked: agree / disagree / undecided, in value and domain together.",
        ),
    )  # fmt: skip


def _structure_row(problem: Problem, s: Structure, check: Interactions | None) -> Row:
    counts = None if check is None else " / ".join(str(check.count(v)) for v in ("agree", "disagree", "undecided"))
    return (
        problem.id, s.n, problem.separable, s.separable, s.kind, len(s.terms), len(s.conditions), s.together.bandwidth,
        counts,
    )  # fmt: skip


def discontinuity_table(rows: Sequence[tuple[Problem, Discontinuities]]) -> Table:
    """One line a problem: its category, published and found."""
    return Table(
        key="discontinuities",
        title="Where discontinuities come from",
        columns=("problem", "published", "found", "reached", "excluded", "undecided", "why"),
        rows=(_discontinuity_row(*row) for row in rows),
        notes=(
            *(f"{word}: {name} (the paper's example: {example})." for word, (name, example) in CATEGORIES.items()),
            "Reached, excluded, undecided: operations that can interrupt the formula in the box, kinks left out.",
        ),
    )


def _discontinuity_row(problem: Problem, d: Discontinuities) -> Row:
    serious = [f for f in d.findings if f.kind != "kink"]
    counts = [sum(f.reached == reach for f in serious) for reach in ("yes", "no", "undecided")]
    return (problem.id, problem.category, d.category, *counts, d.why)


def structure_tables(
    problem: Problem, s: Structure, d: Discontinuities, known: Symmetries, check: Interactions | None = None
) -> list[Table]:
    """Everything about one problem."""
    tables = [
        _summary(problem, s, d, known),
        _terms("terms", "Terms of the value", s.terms, problem),
        _terms("conditions", "Conditions that can fail in the box", s.conditions, problem),
        _findings(problem, d),
    ]
    return tables if check is None else [*tables, interaction_table(problem, check)]


def _summary(problem: Problem, s: Structure, d: Discontinuities, known: Symmetries) -> Table:
    rows: list[Row] = [
        ("separable", s.separable),
        ("published as separable", problem.separable),
        ("structure", s.kind),
        ("outer functions", "(".join(s.outer) or None),
        ("value joins", _joined(s.value, problem)),
        ("domain joins", _joined(s.domain, problem)),
        ("conditions that always hold", "; ".join(s.idle) or None),
        ("symmetries", "; ".join(symmetry.text for symmetry in known.found) or None),
        ("constant along", "; ".join(known.directions) or None),
        ("discontinuity", d.category),
        ("published category", problem.category),
        ("because", d.why),
    ]
    return Table(f"structure-{problem.id}", f"Structure of {problem}", ("what", "found"), rows)


def _joined(graph: Graph, problem: Problem) -> str | None:
    groups = [group for group in graph.groups if len(group) > 1]
    shown = "; ".join(_names(group, problem) for group in groups[:12])
    return (shown + ("; ..." if len(groups) > 12 else "")) or None


def _names(group: Sequence[int], problem: Problem) -> str:
    if len(group) > 8 and group[-1] - group[0] + 1 == len(group):
        return f"{problem.names[group[0]]} .. {problem.names[group[-1]]}"
    return " ".join(problem.names[i] for i in group)


def _terms(key: str, title: str, terms: Sequence[Term], problem: Problem) -> Table:
    rows = ((_names(term.variables, problem), term.text) for term in terms)
    return Table(f"{key}-{problem.id}", title, ("variables", "term"), rows)


def _findings(problem: Problem, d: Discontinuities) -> Table:
    rows = ((f.category, f.kind, f.reached, f.text, f.why, f.where) for f in d.findings)
    columns = ("category", "kind", "reached", "operation", "why", "where")
    return Table(f"findings-{problem.id}", "What can interrupt the formula", columns, rows)


def interaction_table(problem: Problem, check: Interactions) -> Table:
    """Each pair of variables: what the formula allows, what values showed."""
    return Table(
        key=f"interactions-{problem.id}",
        title="Interactions looked for in values",
        columns=("pair", "in", "allowed by the formula", "seen", "rectangles", "verdict"),
        rows=(
            (f"{problem.names[p.i]} {problem.names[p.j]}", p.of, p.expected, p.seen, p.rectangles, p.verdict)
            for p in check.pairs
        ),
        notes=("An interaction of the value counts only beyond the error bounds of its four corners.",),
    )


Counted = tuple[Problem, Multiplicity, OptimaCount, Found | None]
"""A problem, the images of one of its optima, how many there are, and what a search found."""


def multiplicity_table(rows: Sequence[Counted]) -> Table:
    """One line a problem: the published number of optima, how many there are, and what one of them leads to."""
    return Table(
        key="multiplicity",
        title="Global optima, and those that follow from one by symmetry",
        columns=(
            "problem", "n", "published", "optima", "because", "by symmetry", "symmetries", "same in doubles",
            "published points met", "orbits found by search", "lower points met",
        ),
        rows=(_multiplicity_row(*row) for row in rows),
        notes=(
            "Optima: of the real function on the regular part of its domain. A sum of functions of one variable each "
            "has the product of their numbers of minimisers, counted with interval arithmetic; elsewhere symmetry "
            "gives at least so many, if the point is optimal.",
            "By symmetry: the images in the box of the best-known point (of the record, not the published one) or of "
            "--at, proven over the reals. Same in doubles: images whose value agrees within the error bounds (or the "
            "rounding of the image).",
        ),
    )  # fmt: skip


def _multiplicity_row(problem: Problem, m: Multiplicity, count: OptimaCount, found: Found | None) -> Row:
    known = m.symmetries
    texts = [s.text for s in known.found]
    shown = "; ".join(texts[:6]) + (f"; {len(texts) - 6} more" if len(texts) > 6 else "")
    good = sum(m.verdicts.get(word, 0) for word in ("same", "rounded"))
    return (
        problem.id, m.symmetries.n, None if problem.published is None else _published(problem.published.optima),
        count.text, count.how, m.text, shown or None, f"{good} of {m.count}", _met(problem, m),
        None if found is None else len(found.points), None if found is None else len(found.lower),
    )  # fmt: skip


def _published(text: str) -> str:
    base, caret, power = text.partition("^")
    return power_of_two(int(base) ** int(power)) if caret else text


def _met(problem: Problem, m: Multiplicity) -> str | None:
    if problem.published is None:
        return None
    room = SAME * (problem.upper / 2 - problem.lower / 2)
    points = problem.published.points
    met = sum(any((abs(point - image.point) <= room).all() for image in m.images) for point in points)
    return f"{met} of {len(points)}"


def multiplicity_tables(
    problem: Problem, m: Multiplicity, count: OptimaCount, found: Found | None, most: int = 64
) -> list[Table]:
    """The optima of one problem, point by point."""
    images = [(i.point, i.value, i.exact, i.verdict) for i in m.images[:most]]
    left = m.count - len(images)
    notes = [f"Number of optima: {count.text} ({count.how})."]
    notes += [f"{left} more images are not shown."] if left else []
    notes.append("Exact: the image of the point is a row of doubles; otherwise the nearest ones are shown.")
    tables = [
        multiplicity_table([(problem, m, count, found)]),
        Table(
            f"images-{problem.id}", f"Images of {problem.id}'s optimum", ("x", "value", "exact", "verdict"), images,
            notes,
        ),
        *_factors(problem, count),
    ]  # fmt: skip
    if found is not None:
        rows = [("as good", p, v) for p, v in zip(found.points, found.values, strict=True)]
        rows += [("lower", p, float(problem(p))) for p in found.lower[:most]]
        note = f"{found.evaluations:,} evaluations; as good: within {found.tolerance:.2g} of {found.value!r}."
        title = "One point of each orbit found by search"
        tables.append(Table(f"search-{problem.id}", title, ("what", "x", "value"), rows, (note,)))
    return tables


def _factors(problem: Problem, count: OptimaCount) -> list[Table]:
    """Where the term of each variable is least."""
    rows = []
    for name, places in zip(problem.names, count.places, strict=False):
        sides = [*places.single, *places.loose]
        most = "unknown" if places.at_most is None else str(places.at_most)
        at = tuple((low + high) / 2 for low, high in sides)
        rows.append((name, places.at_least, most, at, len(places.open)))
    title = f"Where the terms of {problem.id} are least, variable by variable"
    columns = ("variable", "minimisers at least", "at most", "at", "places not settled")
    return [Table(f"minimisers-{problem.id}", title, columns, rows)] if rows else []
