"""`cpcbench verify`: claimed solutions, one on the command line or many in a CSV file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import cpcbench as cpc
from cpcbench.cli.guard import NOT_CONFIRMED
from cpcbench.cli.output import YES_NO, number, plain, print_facts, print_json, print_table
from cpcbench.cli.words import (
    BoundsOption,
    JsonOption,
    PointWords,
    RuleOption,
    SizeOption,
    SubjectOption,
    TypesOption,
    read_bounds,
    read_point,
    read_problem,
)
from cpcbench.errors import CpcbenchError

if TYPE_CHECKING:
    from cpcbench.cli.runs.claim_file import ClaimFile
    from cpcbench.experiment.verify.verification import Verdict
    from cpcbench.problems.kinds import Kind

MEANING: dict[Kind, str] = {
    "faithful": "the value in doubles is the real value at that point",
    "thin": "admissible only because an exponent is an exact whole number",
    "artefact": "an accident of rounding: the real value is another, or there is none",
    "inadmissible": "undefined in doubles",
    "re-evaluated": "the function's value, evaluated again; without a formula no more can be known",
}

DETAILS = (
    "problem", "rule", "x", "reported", "in_box", "fast", "reference", "enclosure", "enclosure_doubles", "error_bound",
    "consistent", "kind", "distance", "nearest", "gap", "constants_matter", "types", "held_against", "below",
    "evaluated_only", "confirmed", "objections",
)  # fmt: skip
"""What --json shows of a verdict, in this order."""

TYPE_MEANING = {
    "I": "as good as the solution on record",
    "II": "a local solution",
    "III": "nothing admissible",
    "IV": "not what was claimed",
}


def verify_claims(
    problem: Annotated[
        str | None,
        typer.Argument(metavar="PROBLEM", help="An id, or a formula in quotes or file.py:function with --bounds."),
    ] = None,
    x: PointWords = None,
    reported: Annotated[float | None, typer.Option("--reported", help="The value the solver reported.")] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--csv", help="A file of claims instead (- for standard input), with columns problem, x, reported."
        ),
    ] = None,
    tolerance: Annotated[
        float, typer.Option("--tolerance", help="Accepted difference from the value reported, relative above 1.")
    ] = 1e-6,
    n: SizeOption = None,
    rule: RuleOption = "ieee",
    bounds: BoundsOption = None,
    subject_to: SubjectOption = None,
    types: TypesOption = "paper",
    as_json: JsonOption = False,
) -> None:
    """Verify claimed solutions: what their values really are.

    Exits with 1 if a claim is not confirmed: outside the box, undefined, or not the value reported.

    Example: cpcbench verify CPC-DF10 -5 5 --reported 1.0274505

    In a CSV file, x holds the coordinates with blanks between them (the column may be called point,
    too), reported may be left out, and a column solver or algorithm is shown beside the problem. Rows
    without a point are skipped; a row that cannot be read is reported and the others are verified.

    Example: cpcbench verify --csv claims.csv
    """
    if file is not None:
        if problem is not None or reported is not None or n is not None or bounds is not None or subject_to:
            raise CpcbenchError("--csv takes all claims from the file: leave out PROBLEM and its options")
        _verify_file(file, rule, tolerance, types, as_json)
        return
    if problem is None:
        raise CpcbenchError("say what to verify: a problem and a point, or --csv FILE")
    p = _function(problem, bounds, rule) if ".py:" in problem else read_problem(problem, n, rule, bounds)
    p = p.subject_to(*subject_to) if subject_to else p
    verdict = cpc.verify(p, read_point(x, p), reported, tolerance=tolerance, types=types)
    if as_json:
        print_json(_details(verdict))
    else:
        _print_one(verdict)
    if not verdict.confirmed:
        raise typer.Exit(NOT_CONFIRMED)


def _function(place: str, bounds: str | None, rule: str) -> cpc.Problem:
    from cpcbench.experiment.plan.problems import study_problems

    (found,) = study_problems([place], rule, None if bounds is None else read_bounds(bounds))
    return found


def _verify_file(file: Path, rule: str, tolerance: float, types: str, as_json: bool) -> None:
    from cpcbench.cli.runs.claim_file import verify_file

    found = verify_file(file, rule, tolerance, types)
    if as_json:
        claims = [{"line": line, "solver": solver, **_details(v)} for line, solver, v in found.claims]
        counts = {"confirmed": found.confirmed, "skipped": found.skipped}
        print_json(
            {"file": str(file), "rule": rule, "types": types, **counts, "claims": claims, "errors": found.errors}
        )
    else:
        _print_many(found)
    if found.errors or found.confirmed < len(found.claims):
        raise typer.Exit(NOT_CONFIRMED)


def _details(v: Verdict) -> dict[str, Any]:
    return {
        **{name: plain(getattr(v, name)) for name in DETAILS},
        "confirmed": v.confirmed,
        "objections": list(v.objections),
    }


def _readings(v: Verdict) -> list[tuple[str, str]]:
    if v.evaluated_only:
        return [
            ("evaluated again", number(v.reference)),
            ("enclosure", "none: it is a function, and only a formula can be read over the reals"),
        ]
    rows = [
        ("fast", f"{number(v.fast)} (compiled doubles)"),
        ("reference", f"{number(v.reference)} (correctly rounded doubles)"),
        ("enclosure", str(v.enclosure)),
    ]
    if v.constants_matter:
        note = "constants such as 2/3 or 0.1 taken as the doubles they come to"
        rows.append(("with doubles", f"{v.enclosure_doubles}; {note}"))
    doubt = f"; rounding may decide {v.error_bound.decisive}" if v.error_bound.straddles else ""
    return [*rows, ("error bound", f"{v.error_bound.radius:.3g} (of the value in doubles, from rounding{doubt})")]


def _print_one(v: Verdict) -> None:
    rule = "" if v.evaluated_only else f" (rule {v.rule})"
    rows = [("problem", f"{v.problem}{rule}"), ("in the box", YES_NO[v.in_box]), *_readings(v)]
    if v.reported is not None:
        rows.append(("reported", f"{number(v.reported)} (consistent: {YES_NO[v.consistent]})"))
    rows.append(("kind", f"{v.kind} ({MEANING[v.kind]})"))
    if v.distance is not None:
        rows.append(("nearest optimum", f"{v.distance:.6g} away, at {' '.join(map(repr, v.nearest or ()))}"))
    rows += [(f"above {name}", text) for name, text in _above(v)]
    print_facts([*rows, ("solution type", _types(v)), ("confirmed", _confirmed(v))])


def _above(v: Verdict) -> list[tuple[str, str]]:
    """How far the verdict lies above what is published and what is best known."""
    from cpcbench.experiment.verify.types import held_against

    known = [best for best in (v.of.published, v.of.best_known) if best is not None and v.verified == v.verified]
    found = {held_against(best): f"{v.verified - best.value:.6g} (it is {best.value!r})" for best in known}
    return list(found.items())


def _confirmed(v: Verdict) -> str:
    return "yes" if v.confirmed else f"NO: {', '.join(v.objections)}"


def _types(v: Verdict) -> str:
    """The types in words, and what they rest on; a value below what it is held against is told apart."""
    words = ", ".join(f"{type_} ({TYPE_MEANING[type_]})" for type_ in v.types)
    record = f"; below that, a record of its kind ({v.below})" if v.below else ""
    standard = f"; rule {v.type_rule.name}, held against: {v.held_against}"
    return (words or "- (no best-known solution to compare with)") + standard + record


def _print_many(found: ClaimFile) -> None:
    columns = [
        ("line", "right"), ("problem", "left"), ("solver", "left"), ("reported", "right"), ("reference", "right"),
        ("the real value", "right"), ("domain", "left"), ("kind", "left"), ("distance", "right"), ("types", "left"),
        ("confirmed", "left"),
    ]  # fmt: skip
    rows = []
    for line, solver, v in found.claims:
        values = map(number, (v.reported, v.reference, v.enclosure.midpoint))
        distance = "-" if v.distance is None else f"{v.distance:.3g}"
        words = (v.enclosure.domain, v.kind, distance, ", ".join(v.types) or "-", _confirmed(v))
        rows.append([str(line), v.problem, solver or "-", *values, *words])
    print_table(f"{len(rows)} claims", columns, rows)
    for text in sorted({v.type_rule.text for _, _, v in found.claims}):
        typer.echo(text)
    kinds = Counter(v.kind for _, _, v in found.claims)
    counted = ", ".join(f"{kinds[kind]} {kind}" for kind in MEANING if kinds[kind])
    typer.echo(f"{found.confirmed} of {len(rows)} claims confirmed" + (f" ({counted})" if counted else ""))
    if found.skipped:
        typer.echo(f"{found.skipped} rows without a point skipped")
    for error in found.errors:
        typer.echo(f"error: line {error['line']}: {error['error']}")
    if found.errors:
        typer.echo(f"{len(found.errors)} rows could not be verified")
