"""`cpcbench list` and `cpcbench show`: what there is, and one problem in full."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.table import Table

import cpcbench as cpc
from cpcbench.cli.words import (
    BoundsOption,
    JsonOption,
    ProblemWord,
    RuleOption,
    SizeOption,
    console,
    facts_table,
    number,
    read_problem,
    show_json,
)
from cpcbench.experiment.verification import Verdict, close, verify

PRINTED = 1e-7
"""A published value counts as met if re-evaluation agrees to this accuracy; what misses it is noted."""


def add_to(app: typer.Typer) -> None:
    app.command("list")(list_problems)
    app.command("show")(show)


def list_problems(
    rule: RuleOption = "ieee",
    check: Annotated[bool, typer.Option("--verify", help="Re-evaluate every published optimum.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List the problems; with --verify, check the published record.

    Example: cpcbench list --verify
    """
    rows = [_summary(p) for p in cpc.problems(rule=rule)]
    if check:
        for row, p in zip(rows, cpc.problems(rule=rule), strict=True):
            row.update(_check(p))
    if as_json:
        show_json(rows)
    elif check:
        _print_check(rows)
    else:
        _print_list(rows)
    if check and not all(row["met"] in (True, None) or row["explained"] for row in rows):
        raise typer.Exit(1)


def _summary(p: cpc.Problem) -> dict[str, Any]:
    known = p.published
    return {
        "id": p.id,
        "n": p.dim,
        "scalable": p.scalable,
        "lower": p.lower,
        "upper": p.upper,
        "rule": p.rule,
        "separable": p.separable,
        "category": p.category,
        "feasible_ratio_percent": known.feasible_ratio if known else None,
        "optima": known.optima if known else None,
        "published": known.value if known else None,
        "title": p.title,
    }


def _check(p: cpc.Problem) -> dict[str, Any]:
    known = p.published
    if known is None:
        return {
            "met": None,
            "explained": False,
            "reference": None,
            "kind": None,
            "domain": None,
            "real": None,
            "checked": 0,
        }
    verdicts: list[Verdict] = [verify(p, x, known.value) for x in known.points]
    first = verdicts[0]
    return {
        "met": all(close(v.reference, known.value, PRINTED) for v in verdicts),
        "explained": bool(known.notes),
        "reference": first.reference,
        "kind": first.kind,
        "domain": first.enclosure.domain,
        "real": first.enclosure.midpoint,
        "checked": len(verdicts),
        "notes": known.notes,
    }


def _print_list(rows: list[dict[str, Any]]) -> None:
    table = Table(title=f"{len(rows)} problems")
    for name in ("id", "n", "box", "separable", "feasible %", "optima", "published value", "title"):
        table.add_column(name, justify="right" if name in ("n", "feasible %", "published value") else "left")
    for row in rows:
        table.add_row(
            row["id"],
            f"{'n = ' if row['scalable'] else ''}{row['n']}",
            f"\\[{row['lower'][0]:g}, {row['upper'][0]:g}]",
            {True: "yes", False: "no", None: "-"}[row["separable"]],
            "-" if row["feasible_ratio_percent"] is None else f"{row['feasible_ratio_percent']:g}",
            row["optima"] or "-",
            number(row["published"]),
            row["title"],
        )
    console().print(table)


def _print_check(rows: list[dict[str, Any]]) -> None:
    out = console()
    table = Table(title="The published optima, evaluated again with every operation correctly rounded")
    for name in ("id", "n", "published", "here, in doubles", "here, the real value", "domain", "kind", "optima", "met"):
        table.add_column(name, justify="right" if name in ("n", "published", "optima") or "here" in name else "left")
    for row in rows:
        met = {True: "yes", False: "no", None: "-"}[row["met"]]
        real = "-" if row["real"] is None else number(row["real"])
        cells = [row["domain"] or "-", row["kind"] or "-", str(row["checked"]), met]
        table.add_row(row["id"], str(row["n"]), number(row["published"]), number(row["reference"]), real, *cells)
    out.print(table)
    confirmed = sum(row["met"] is True for row in rows)
    faithful = sum(row["kind"] == "faithful" for row in rows)
    out.print(
        f"{confirmed} of {len(rows)} published values are met in doubles; {faithful} of them are faithful to the reals."
    )
    for row in rows:
        for note in row.get("notes", ()):
            out.print(f"  {row['id']}: {note}", markup=False, highlight=False)


def show(
    problem: ProblemWord,
    n: SizeOption = None,
    rule: RuleOption = "ieee",
    bounds: BoundsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show one problem: formula, facts, hidden conditions, published optima.

    Example: cpcbench show CPC-DF3
    """
    p = read_problem(problem, n, rule, bounds)
    known = p.published
    if as_json:
        details = {"formula": p.formula, "latex": p.latex, "conditions": [_condition(c) for c in p.conditions]}
        show_json({**_summary(p), **details, "published_record": known})
        return
    out = console()
    rows = [
        ("id", p.id),
        ("title", p.title),
        ("variables", f"{p.dim}" + (f" (scalable, from {p.smallest_dim})" if p.scalable else "")),
        ("box", ", ".join(f"{name} in [{a:g}, {b:g}]" for name, (a, b) in zip(p.names[:6], p.bounds, strict=False))),
        ("rule", p.rule),
        ("category", p.category or "-"),
    ]
    if known is not None:
        bound = "at most " if known.feasible_ratio_is_bound else ""
        rows += [
            ("separable", "yes" if p.separable else "no"),
            ("feasible ratio", f"{bound}{known.feasible_ratio:g} % (published)"),
            ("optima", f"{known.optima} (published)"),
            ("best value", f"{known.value!r} (published, rule {known.rule})"),
        ]
        rows += [("at", " ".join(map(repr, x))) for x in known.points[:4].tolist()]
        if len(known.points) > 4:
            rows.append(("", f"... and {len(known.points) - 4} more by symmetry"))
        rows += [("note", note) for note in known.notes] + [("source", known.source)]
    out.print(facts_table(rows))
    out.print("\nformula", style="bold")
    out.print(p.formula, markup=False, highlight=False)
    out.print(f"\n{len(p.conditions)} hidden conditions, innermost first", style="bold")
    for i, c in enumerate(p.conditions, start=1):
        out.print(f"{i:3}. {c.kind:15} {c.text}", markup=False, highlight=False)
        for case in c.cases:
            out.print(f"{'':22}if {case.exponent}: {case.base}", markup=False, highlight=False)


def _condition(c: Any) -> dict[str, Any]:
    return {"kind": c.kind, "relation": c.relation, "text": c.text, "guarded": c.guarded, "cases": c.cases}
