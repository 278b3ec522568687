"""`cpcbench agreement`: where compiled doubles and the verdict differ, counted."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.progress import track
from rich.table import Table

import cpcbench as cpc
from cpcbench.cli.words import JsonOption, RuleOption, console, show_json
from cpcbench.errors import CpcbenchError
from cpcbench.studies.agreement import Agreement, agreement


def add_to(app: typer.Typer) -> None:
    app.command("agreement")(compare)


def compare(
    problems: Annotated[list[str] | None, typer.Argument(metavar="[PROBLEM]...", help="Ids; all by default.")] = None,
    points: Annotated[
        int, typer.Option("--points", help="Points a problem, half of them at the edge of its domain.")
    ] = 100_000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the points.")] = 0,
    rule: RuleOption = "ieee",
    as_json: JsonOption = False,
) -> None:
    """Compare the fast reading with the reference: ulps of the value, and admissibility.

    Example: cpcbench agreement CPC-DF3 --points 10000
    """
    if not 4 <= points <= 100_000_000:
        raise CpcbenchError(f"--points is from 4 to 100,000,000, not {points}")
    chosen = [cpc.problem(name, rule=rule) for name in problems] if problems else cpc.problems(rule=rule)
    quiet = as_json or not sys.stderr.isatty()
    rows = [agreement(p, points, seed) for p in track(chosen, "comparing", disable=quiet, transient=True)]
    if as_json:
        show_json(rows)
    else:
        _print(rows, points)


def _print(rows: list[Agreement], points: int) -> None:
    table = Table(title=f"fast against reference, {points:,} points a problem, half within 3 ulps of the edge")
    columns = (
        "problem",
        "admissible",
        "values differ",
        "median ulps",
        "largest ulps",
        "largest relative",
        "only fast",
        "only reference",
    )
    for name in columns:
        table.add_column(name, justify="left" if name == "problem" else "right")
    for row in rows:
        table.add_row(
            row.problem, f"{row.admissible:,}", f"{row.different:,}", f"{row.median_ulps:g}", f"{row.largest_ulps:.3g}",
            f"{row.largest_relative:.2g}", f"{row.only_fast:,}", f"{row.only_reference:,}",
        )  # fmt: skip
    console().print(table)
