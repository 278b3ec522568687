"""`cpcbench list` and `cpcbench show`: what there is, and one problem in full."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

import cpcbench as cpc
from cpcbench.cli.guard import NOT_CONFIRMED
from cpcbench.cli.output import YES_NO, number, print_facts, print_heading, print_json, print_table, width
from cpcbench.cli.reading import condition_details, conditions_of, print_conditions
from cpcbench.cli.words import (
    BoundsOption,
    JsonOption,
    ProblemWord,
    RuleOption,
    SizeOption,
    SubjectOption,
    SuiteOption,
    read_problem,
)

if TYPE_CHECKING:
    from cpcbench.problems.facts import Published

PRINTED = 1e-7
"""A published value counts as met if re-evaluation agrees to this accuracy; what misses it is noted."""

ROOM_FOR_TITLES = 120


def list_problems(
    suite: SuiteOption = "cpc",
    rule: RuleOption = "ieee",
    check: Annotated[bool, typer.Option("--verify", help="Re-evaluate every published optimum.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List the problems; with --verify, check the published record.

    With --verify it exits with 1 if a published value is not met and no note explains why.

    Example: cpcbench list --verify

    Example: cpcbench list --suite classics
    """
    rows = [summary(p) | (_checked(p) if check else {}) for p in cpc.problems(rule=rule, suite=suite)]
    if as_json:
        print_json(rows)
    elif check:
        _print_checked(rows)
    else:
        _print_list(rows)
    if check and any(row["met"] is False and not row["notes"] for row in rows):
        raise typer.Exit(NOT_CONFIRMED)


def summary(p: cpc.Problem) -> dict[str, Any]:
    """The facts about a problem, for tables and JSON."""
    known = p.published
    return {
        "id": p.id,
        "title": p.title,
        "n": p.dim,
        "scalable": p.scalable,
        "smallest_n": p.smallest_dim,
        "lower": p.lower.tolist(),
        "upper": p.upper.tolist(),
        "rule": p.rule,
        "separable": p.separable,
        "category": p.category,
        "feasible_ratio_percent": known.feasible_ratio if known else None,
        "feasible_ratio_is_bound": known.feasible_ratio_is_bound if known else None,
        "optima": known.optima if known else None,
        "published": known.value if known else None,
    }


def _checked(p: cpc.Problem) -> dict[str, Any]:
    """The first published optimum in all readings, and whether all of them meet the published value."""
    known = p.published
    if known is None:
        listed = p.facts.published if p.facts is not None and p.facts.published.listed else None
        met, notes = (None, ()) if listed is None else (_met(p, listed, []), listed.notes)
        return dict.fromkeys(("reference", "kind", "domain", "real")) | {"checked": 0, "notes": notes, "met": met}
    verdicts = [cpc.verify(p, x, known.value) for x in known.points]
    first = verdicts[0]
    return {
        "met": _met(p, known, [v.reference for v in verdicts]),
        "reference": first.reference,
        "kind": first.kind,
        "domain": first.enclosure.domain,
        "real": first.enclosure.midpoint,
        "checked": len(verdicts),
        "notes": known.notes,
    }


def _met(p: cpc.Problem, known: Published, values: list[float]) -> bool:
    """Whether the published points have the published value; of a classic every listing must, to the digits printed."""
    from cpcbench.problems.classics.meeting import meets
    from cpcbench.problems.kinds import close

    if known.listed:
        return all(meets(p, one) for one in known.listed)
    return all(close(value, known.value, PRINTED) for value in values)


def _print_list(rows: list[dict[str, Any]]) -> None:
    columns = [("id", "left"), ("n", "right"), ("box", "left"), ("feasible %", "right"), ("published value", "right")]
    titles = width() >= ROOM_FOR_TITLES
    cells = []
    for row in rows:
        size = f"n = {row['n']}" if row["scalable"] else str(row["n"])
        line = [row["id"], size, _box(row), _percent(row), number(row["published"])]
        cells.append([*line, row["title"]] if titles else line)
    print_table(f"{len(rows)} problems", [*columns, ("title", "left")] if titles else columns, cells)


def _box(row: dict[str, Any]) -> str:
    sides = {f"[{a:g}, {b:g}]" for a, b in zip(row["lower"], row["upper"], strict=True)}
    return sides.pop() if len(sides) == 1 else "several"


def _percent(row: dict[str, Any]) -> str:
    ratio = row["feasible_ratio_percent"]
    return "-" if ratio is None or math.isnan(ratio) else f"{'<= ' if row['feasible_ratio_is_bound'] else ''}{ratio:g}"


def _print_checked(rows: list[dict[str, Any]]) -> None:
    names = ("id", "n", "published", "here, in doubles", "here, the real value", "domain", "kind", "optima", "met")
    left = {"id", "domain", "kind", "met"}
    cells = []
    for row in rows:
        values = [number(row["published"]), number(row["reference"]), number(row["real"])]
        found = [row["domain"] or "-", row["kind"] or "-", str(row["checked"]), YES_NO[row["met"]]]
        cells.append([row["id"], str(row["n"]), *values, *found])
    title = "The published optima, evaluated again with every operation correctly rounded"
    print_table(title, [(name, "left" if name in left else "right") for name in names], cells)
    published = [row for row in rows if row["met"] is not None]
    typer.echo(f"{sum(row['met'] for row in published)} of {len(published)} published values are met in doubles.")
    faithful = sum(row["kind"] == "faithful" for row in published)
    typer.echo(f"At {faithful} of these points the value in doubles is faithful to the reals.\n")
    notes = [(row["id"], note) for row in rows for note in row["notes"]]
    if notes:
        print_facts(notes)


def show(
    problem: ProblemWord,
    n: SizeOption = None,
    rule: RuleOption = "ieee",
    bounds: BoundsOption = None,
    subject_to: SubjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show one problem: formula, facts, hidden conditions.

    Example: cpcbench show CPC-DF3

    Example: cpcbench show Rosenbrock --n 5

    Example: cpcbench show "ln(x1 - x2^2)" --bounds 0:1
    """
    p = read_problem(problem, n, rule, bounds, subject_to)
    known = p.published
    if as_json:
        from cpcbench.certify.certificate.library import proven_for

        conditions = [condition_details(c, None) for c in p.conditions]
        known_here = {"best_known": p.best_known, "records": p.records, "proven": proven_for(p)}
        details = {"variables": p.names, "formula": p.formula, "latex": p.latex, "conditions": conditions}
        print_json({**summary(p), **details, "published_record": known, **known_here})
        return
    rows = [
        ("id", p.id),
        ("title", p.title),
        ("variables", f"{p.dim}" + (f" (scalable, from {p.smallest_dim})" if p.scalable else "")),
        ("box", _sides(p)),
        ("rule", p.rule),
        ("category", p.category or "-"),
        ("separable", YES_NO[p.separable]),
    ]
    print_facts(rows + (_classic(p) or (_published(known) if known else [])) + _records(p) + _proven(p))
    print_heading("formula")
    typer.echo(p.formula)
    print_heading(conditions_of(p))
    print_conditions(p.conditions, [None] * len(p.conditions))


def _sides(p: cpc.Problem) -> str:
    sides = [f"{name} in [{a:g}, {b:g}]" for name, (a, b) in zip(p.names, p.bounds, strict=True)]
    if len(sides) > 1 and len(set(p.bounds)) == 1:
        return f"{p.names[0]} ... {p.names[-1]} in [{p.lower[0]:g}, {p.upper[0]:g}]"
    return ", ".join(sides[:6]) + (", ..." if len(sides) > 6 else "")


def _proven(p: cpc.Problem) -> list[tuple[str, str]]:
    """What certificates of the package say of exactly this formula and box."""
    from cpcbench.certify.certificate.library import proven_for

    return [("proven", f"{claim} (gap {claim.gap:.1e}, {claim.file})") for claim in proven_for(p)]


def _records(p: cpc.Problem) -> list[tuple[str, str]]:
    """The records that are lower than what is published, each kind apart."""
    published = p.published.value if p.published else math.inf
    held = [r for r in (p.records.faithful, p.records.thin, p.records.artefact) if r and r.value < published]
    rows = []
    for r in held:
        rows.append((f"{r.kind} record", f"{r.value!r} (found by {r.command}, {r.date})"))
        rows.append(("at", " ".join(map(repr, r.x))))
    return rows


def _classic(p: cpc.Problem) -> list[tuple[str, str]]:
    """Where a classic comes from, what else it is called, and the minima that collections list, as they print them."""
    if p.facts is None or p.facts.proposed is None:
        return []
    rows = [("proposed by", p.facts.proposed), *([("also", ", ".join(p.facts.also))] if p.facts.also else [])]
    known = p.facts.published
    for one in known.listed if p.dim == p.facts.n else ():
        at = " or ".join(" ".join(map(repr, x)) for x in one.at[:4])
        odd = "" if one.met else "; the formula has another value there"
        rows.append(("listed", f"{one.printed} by {one.whom}" + (f" at {at}{odd}" if at else "")))
    return [*rows, *(("note", note) for note in known.notes)]


def _published(known: Published) -> list[tuple[str, str]]:
    bound = "at most " if known.feasible_ratio_is_bound else ""
    rows = [] if math.isnan(known.feasible_ratio) else [
        ("feasible ratio", f"{bound}{known.feasible_ratio:g} % (published)"),
        ("optima", f"{known.optima} (published)"),
    ]  # fmt: skip
    rows += [
        ("best value", f"{known.value!r} (published, rule {known.rule})"),
    ]
    rows += [("at", " ".join(map(repr, x))) for x in known.points[:4].tolist()]
    if len(known.points) > 4:
        rows.append(("", f"... and {len(known.points) - 4} more by symmetry"))
    return [*rows, *(("note", note) for note in known.notes), ("source", known.source)]
