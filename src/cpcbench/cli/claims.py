"""`cpcbench verify`: claimed solutions, one on the command line or many in a CSV file."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

import cpcbench as cpc
from cpcbench.cli.words import (
    NUMBERS_MAY_BE_NEGATIVE,
    BoundsOption,
    JsonOption,
    PointWords,
    RuleOption,
    SizeOption,
    console,
    facts_table,
    number,
    read_number,
    read_point,
    read_problem,
    show_json,
)
from cpcbench.errors import CpcbenchError
from cpcbench.experiment.verification import CONSISTENT, Verdict, verify

FOUND = {True: "yes", False: "NO", None: "-"}


def add_to(app: typer.Typer) -> None:
    app.command("verify", context_settings=NUMBERS_MAY_BE_NEGATIVE)(verify_claims)


def verify_claims(
    problem: Annotated[
        str | None, typer.Argument(metavar="[PROBLEM]", help="An id, or a formula with --bounds.")
    ] = None,
    x: PointWords = None,
    reported: Annotated[float | None, typer.Option("--reported", help="The value the solver reported.")] = None,
    file: Annotated[
        Path | None,
        typer.Option("--csv", help="A file with columns problem, x (coordinates with blanks between), reported."),
    ] = None,
    tolerance: Annotated[
        float, typer.Option("--tolerance", help="Accepted difference, relative above 1.")
    ] = CONSISTENT,
    n: SizeOption = None,
    rule: RuleOption = "ieee",
    bounds: BoundsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Verify a claimed solution: three readings of its value, and what it is worth.

    Exits with 1 if a claim is not confirmed (outside the box, inadmissible, or not the value reported).

    Example: cpcbench verify CPC-DF3 6.1828121298816 6.49031991565847 --reported -10.5036630152501
    """
    if file is not None:
        if problem is not None:
            raise CpcbenchError("give a claim on the command line or a file with --csv, not both")
        verdicts = [verify(p, point, value, tolerance=tolerance) for p, point, value in _read_claims(file, rule)]
        show_json([_details(v) for v in verdicts]) if as_json else _print_many(verdicts)
    elif problem is None:
        raise CpcbenchError("say what to verify: a problem and a point, or --csv FILE")
    else:
        p = read_problem(problem, n, rule, bounds)
        verdicts = [verify(p, read_point(x), reported, tolerance=tolerance)]
        show_json(_details(verdicts[0])) if as_json else _print_one(verdicts[0])
    if not all(v.confirmed for v in verdicts):
        raise typer.Exit(1)


def _read_claims(file: Path, rule: str) -> list[tuple[cpc.Problem, list[float], float | None]]:
    try:
        with file.open(newline="", encoding="utf-8") as stream:
            reader = csv.DictReader(stream)
            missing = {"problem", "x"} - set(reader.fieldnames or ())
            if missing:
                raise CpcbenchError(
                    f"{file} has no column {' or '.join(sorted(missing))}: the columns are problem, x, reported"
                )
            return [
                _claim(file, line, row, rule) for line, row in enumerate(reader, start=2) if (row["x"] or "").strip()
            ]
    except (UnicodeDecodeError, csv.Error) as error:
        raise CpcbenchError(f"{file} is not a CSV file: {error}") from None


def _claim(file: Path, line: int, row: dict[str, str], rule: str) -> tuple[cpc.Problem, list[float], float | None]:
    try:
        point = read_point([row["x"]])
        named = cpc.problem(row["problem"] or "", rule=rule)
        p = cpc.problem(named.id, n=len(point), rule=rule) if named.scalable else named
        reported = (row.get("reported") or "").strip()
        return p, point, read_number(reported) if reported else None
    except CpcbenchError as error:
        raise CpcbenchError(f"{file}, line {line}: {error}") from None


def _details(v: Verdict) -> dict[str, object]:
    from cpcbench.cli.words import plain

    return {**plain(v), "confirmed": v.confirmed}


def _print_one(v: Verdict) -> None:
    rows = [
        ("problem", f"{v.problem} (rule {v.rule})"),
        ("in the box", FOUND[v.in_box]),
        ("fast", f"{number(v.fast)}   compiled doubles"),
        ("reference", f"{number(v.reference)}   correctly rounded doubles"),
        ("enclosure", str(v.enclosure)),
        ("error bound", f"{v.error_bound.radius:.3g}   of the value in doubles, from rounding"),
    ]
    if v.reported is not None:
        rows.append(("reported", f"{number(v.reported)}   consistent: {FOUND[v.consistent]}"))
    rows.append(("kind", f"{v.kind}   {MEANING[v.kind]}"))
    if v.constants_matter:
        rows.append(("constants", "the verdict on the reals changes if 0.1 in the formula means the double near it"))
    if v.distance is not None:
        rows.append(("nearest optimum", f"{v.distance:.6g} away, at {' '.join(map(repr, v.nearest or ()))}"))
    if v.gap is not None:
        rows.append(("above best known", f"{v.gap:.6g}"))
    rows.append(("confirmed", FOUND[v.confirmed]))
    console().print(facts_table(rows))


MEANING = {
    "faithful": "the value in doubles is the real value at that point",
    "thin": "admissible only because an exponent is an exact whole number",
    "artefact": "an accident of rounding: the real value is another, or there is none",
    "inadmissible": "undefined in doubles",
}


def _print_many(verdicts: list[Verdict]) -> None:
    table = Table(title=f"{len(verdicts)} claims")
    for name in (
        "problem",
        "in box",
        "reported",
        "reference",
        "the real value",
        "domain",
        "kind",
        "distance",
        "confirmed",
    ):
        table.add_column(
            name, justify="right" if name in ("reported", "reference", "the real value", "distance") else "left"
        )
    for v in verdicts:
        table.add_row(
            v.problem, FOUND[v.in_box], number(v.reported), number(v.reference), number(v.enclosure.midpoint),
            v.enclosure.domain, v.kind, "-" if v.distance is None else f"{v.distance:.3g}", FOUND[v.confirmed],
        )  # fmt: skip
    out = console()
    out.print(table)
    out.print(f"{sum(v.confirmed for v in verdicts)} of {len(verdicts)} claims confirmed")
