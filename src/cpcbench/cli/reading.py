"""`cpcbench eval`, `conditions` and `export`: the readings of a problem."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cpcbench.cli.output import YES_NO, number, print_facts, print_heading, print_json
from cpcbench.cli.output import as_json as to_json
from cpcbench.cli.words import (
    BoundsOption,
    JsonOption,
    PointWords,
    ProblemWord,
    RuleOption,
    SizeOption,
    SubjectOption,
    read_point,
    read_problem,
)
from cpcbench.cli.writing import ForceOption, place, write

if TYPE_CHECKING:
    from cpcbench.problems.problem import Problem
    from cpcbench.readings.domain.conditions import Condition, ConditionAt


def evaluate(
    problem: ProblemWord, x: PointWords = None, n: SizeOption = None, rule: RuleOption = "ieee",
    bounds: BoundsOption = None, subject_to: SubjectOption = None, as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Evaluate a problem at a point, in all three readings.

    Example: cpcbench eval CPC-DF3 6.1828121298816 6.49031991565847

    Example: cpcbench eval "ln(x1 - x2^2)" 0.5 -0.25 --bounds 0:1,-1:1
    """
    p = read_problem(problem, n, rule, bounds, subject_to)
    point = read_point(x, p)
    found = {
        "problem": p.id, "rule": p.rule, "x": point, "in_box": p.in_box(point), "fast": p(point),
        "reference": p.reference(point), "enclosure": p.enclosure(point), "gradient": p.gradient(point).tolist(),
    }  # fmt: skip
    if as_json:
        print_json(found)
        return
    print_facts(
        [
            ("problem", f"{p.id} (rule {p.rule})"),
            ("in the box", YES_NO[found["in_box"]]),
            ("fast", f"{number(found['fast'])} (compiled doubles)"),
            ("reference", f"{number(found['reference'])} (correctly rounded doubles)"),
            ("enclosure", f"{found['enclosure']}"),
            ("gradient", " ".join(map(number, found["gradient"]))),
        ]
    )


def conditions(
    problem: ProblemWord, x: PointWords = None, n: SizeOption = None, rule: RuleOption = "ieee",
    bounds: BoundsOption = None, subject_to: SubjectOption = None, as_json: JsonOption = False,
) -> None:  # fmt: skip
    """List a problem's conditions, and which hold at a point.

    Example: cpcbench conditions CPC-DF14 -0.5 2.4
    """
    p = read_problem(problem, n, rule, bounds, subject_to)
    point = read_point(x, p) if x else None
    members = p.conditions
    found: list[ConditionAt | None] = [None] * len(members) if point is None else [c.at(point) for c in members]
    admissible = None if point is None else all(at is not None and at.satisfied for at in found)
    if as_json:
        details = [condition_details(c, at) for c, at in zip(members, found, strict=True)]
        print_json({"problem": p.id, "rule": p.rule, "x": point, "admissible": admissible, "conditions": details})
        return
    place = "" if point is None else f" at {' '.join(map(repr, point))}"
    typer.secho(f"{conditions_of(p)}{place} (rule {p.rule})", bold=True)
    print_conditions(members, found)
    if admissible is not None:
        print_heading("admissible" if admissible else "not admissible")


def conditions_of(p: Problem) -> str:
    count, stated = len(p.conditions), sum(c.kind == "constraint" for c in p.conditions)
    if count == 0:
        return f"{p.id} has no hidden conditions"
    if stated:
        return f"{count} condition{'' if count == 1 else 's'} of {p.id}, {stated} of them stated, innermost first"
    return f"{count} hidden condition{'' if count == 1 else 's'} of {p.id}, innermost first"


def print_conditions(members: list[Condition], found: list[ConditionAt | None]) -> None:
    """One condition after the other, with its cases, and its value where a point was given."""
    for i, (c, at) in enumerate(zip(members, found, strict=True), start=1):
        typer.echo(f"{i:3}. {c.kind:15} {c.text}")
        for case in c.cases:
            typer.echo(f"{'':22}if {case.exponent}: {case.base}")
        if at is not None:
            typer.echo(f"{'':22}{_outcome(at)}")


def _outcome(at: ConditionAt) -> str:
    verdict = {True: "holds", False: "FAILS", None: "open, as an inner condition fails"}[at.satisfied]
    value = "" if math.isnan(at.value) else f"{number(at.value)}: "
    if at.exponent is not None and not math.isnan(at.exponent):
        value = f"base {number(at.value)}, exponent {number(at.exponent)}: "
    return f"{value}{verdict}"


def condition_details(c: Condition, at: ConditionAt | None) -> dict[str, Any]:
    """A condition for JSON; with its value where a point was given."""
    details = {"kind": c.kind, "relation": c.relation, "text": c.text, "guarded": c.guarded, "cases": c.cases}
    if at is None:
        return details
    return {**details, "value": at.value, "exponent": at.exponent, "case": at.case, "satisfied": at.satisfied}


def export(
    problem: ProblemWord,
    to: Annotated[str, typer.Option("--to", help="text, latex, mathml, python, c, matlab, lingo, ampl or gams.")],
    output: Annotated[Path | None, typer.Option("--output", help="A file to write; - is standard output.")] = None,
    force: ForceOption = False,
    undefined: Annotated[
        float | None,
        typer.Option("--undefined", help="What a program returns where the formula is undefined, such as 1e100."),
    ] = None,
    n: SizeOption = None,
    rule: RuleOption = "ieee",
    bounds: BoundsOption = None,
    subject_to: SubjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a problem in another language.

    Warnings, on standard error, say where that language changes the domain.

    Example: cpcbench export CPC-DF14 --to gams --output df14.gms

    Example: cpcbench export CPC-DF13 --to matlab --undefined 1e100
    """
    p = read_problem(problem, n, rule, bounds, subject_to)
    target = place(output, "json" if as_json else to.lower(), force=force)
    exported = p.export(to, undefined)
    text = exported.text
    if as_json:
        text = to_json({"problem": p.id, "language": to.lower(), "text": text, "warnings": exported.warnings})
    for warning in exported.warnings:
        typer.echo(f"warning: {warning}", err=True)
    write(text + "\n", target)
