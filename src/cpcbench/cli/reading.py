"""`cpcbench eval`, `conditions` and `export`: the readings of a problem."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from cpcbench.cli.words import (
    NUMBERS_MAY_BE_NEGATIVE,
    BoundsOption,
    JsonOption,
    PointWords,
    ProblemWord,
    RuleOption,
    SizeOption,
    console,
    facts_table,
    number,
    read_point,
    read_problem,
    show_json,
)


def add_to(app: typer.Typer) -> None:
    app.command("eval", context_settings=NUMBERS_MAY_BE_NEGATIVE)(evaluate)
    app.command("conditions", context_settings=NUMBERS_MAY_BE_NEGATIVE)(conditions)
    app.command("export")(export)


def evaluate(
    problem: ProblemWord, x: PointWords = None, n: SizeOption = None, rule: RuleOption = "ieee",
    bounds: BoundsOption = None, as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Evaluate a problem at a point, in all three readings.

    Example: cpcbench eval CPC-DF3 6.1828121298816 6.49031991565847
    """
    p = read_problem(problem, n, rule, bounds)
    point = read_point(x)
    fast, reference, enclosure = p(point), p.reference(point), p.enclosure(point)
    gradient = p.gradient(point)
    if as_json:
        show_json(
            {"problem": p.id, "rule": p.rule, "x": point, "fast": fast, "reference": reference,
             "enclosure": enclosure, "gradient": gradient}
        )  # fmt: skip
        return
    rows = [
        ("fast", f"{number(fast)}   compiled doubles"),
        ("reference", f"{number(reference)}   correctly rounded doubles"),
        ("enclosure", f"{enclosure}"),
        ("gradient", " ".join(number(g) for g in gradient.tolist())),
        ("rule", p.rule),
    ]
    console().print(facts_table(rows))


def conditions(
    problem: ProblemWord, x: PointWords = None, n: SizeOption = None, rule: RuleOption = "ieee",
    bounds: BoundsOption = None, as_json: JsonOption = False,
) -> None:  # fmt: skip
    """List the hidden conditions of a problem; with a point, say which hold there.

    Example: cpcbench conditions CPC-DF14 -- -0.5 2.4
    """
    p = read_problem(problem, n, rule, bounds)
    point = read_point(x)
    found = [c.at(point) for c in p.conditions] if point else None
    if as_json:
        show_json(
            {
                "problem": p.id,
                "rule": p.rule,
                "x": point or None,
                "conditions": [
                    {"kind": c.kind, "text": c.text, "cases": c.cases, "guarded": c.guarded}
                    | (
                        {}
                        if found is None
                        else {"value": found[i].value, "satisfied": found[i].satisfied, "case": found[i].case}
                    )
                    for i, c in enumerate(p.conditions)
                ],
            }
        )
        return
    out = console()
    table = Table(title=f"hidden conditions of {p.id}, innermost first (rule {p.rule})")
    for name in ("", "kind", "condition", *(("value", "holds") if found else ())):
        table.add_column(name, overflow="fold")
    for i, c in enumerate(p.conditions):
        text = "\n".join([c.text, *(f"  if {case.exponent}: {case.base}" for case in c.cases)]).replace("[", r"\[")
        cells = [str(i + 1), c.kind, text]
        if found:
            at = found[i]
            value = "cannot compute" if math.isnan(at.value) else repr(at.value)
            exponent = "" if at.exponent is None else f"\nexponent {number(at.exponent)}"
            cells += [value + exponent, {True: "yes", False: "NO", None: "-"}[at.satisfied]]
        table.add_row(*cells)
    out.print(table)
    if found:
        out.print("admissible" if all(at.satisfied for at in found) else "not admissible")


def export(
    problem: ProblemWord,
    to: Annotated[str, typer.Option("--to", help="text, latex, python, c, matlab, lingo, ampl or gams.")],
    output: Annotated[Path | None, typer.Option("--output", help="A file to write instead of standard output.")] = None,
    n: SizeOption = None,
    rule: RuleOption = "ieee",
    bounds: BoundsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a problem in another language; warnings say where that language changes the domain.

    Example: cpcbench export CPC-DF14 --to gams --output df14.gms
    """
    exported = read_problem(problem, n, rule, bounds).export(to)
    for warning in exported.warnings:
        typer.echo(f"warning: {warning}", err=True)
    if as_json:
        show_json({"language": to, "text": exported.text, "warnings": exported.warnings})
    elif output is None:
        typer.echo(exported.text)
    else:
        output.write_text(exported.text + "\n", encoding="utf-8")
        typer.echo(f"wrote {output}", err=True)
