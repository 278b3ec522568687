"""`cpcbench agreement`: where compiled doubles and the verdict differ, counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import cpcbench as cpc
from cpcbench.cli.output import print_json, print_table
from cpcbench.cli.progress import ProgressLine
from cpcbench.cli.words import JsonOption, RuleOption, SeedOption

if TYPE_CHECKING:
    from cpcbench.studies.agreement import Agreement

COLUMNS = (
    ("problem", "left"),
    ("admissible", "right"),
    ("values differ", "right"),
    ("median ulps", "right"),
    ("largest ulps", "right"),
    ("largest relative", "right"),
    ("only fast", "right"),
    ("only reference", "right"),
)


def compare(
    problems: Annotated[list[str] | None, typer.Argument(metavar="PROBLEM...", help="Ids; all by default.")] = None,
    points: Annotated[
        int,
        typer.Option("--points", min=4, max=10_000_000, help="Points a problem, half of them at the domain's edge."),
    ] = 100_000,
    seed: SeedOption = 0,
    rule: RuleOption = "ieee",
    as_json: JsonOption = False,
) -> None:
    """Compare compiled doubles with correctly rounded ones.

    Half of the points lie within a few ulps of the edge of the domain, where the two are most
    likely to differ.

    Example: cpcbench agreement CPC-DF3 --points 10000
    """
    chosen = [cpc.problem(name, rule=rule) for name in problems] if problems else cpc.problems(rule=rule)
    rows = _compared(chosen, points, seed)
    if as_json:
        print_json(rows)
    else:
        _print(rows, points)


def _compared(problems: list[cpc.Problem], points: int, seed: int) -> list[Agreement]:
    from cpcbench.studies.agreement import agreement

    with ProgressLine() as line:
        return [agreement(p, points, seed) for p in line.over(problems, "comparing")]


def _print(rows: list[Agreement], points: int) -> None:
    title = f"fast against reference, {points:,} points a problem, half within 3 ulps of the edge"
    cells = (
        [
            row.problem, f"{row.admissible:,}", f"{row.different:,}", f"{row.median_ulps:g}", f"{row.largest_ulps:.3g}",
            f"{row.largest_relative:.2g}", f"{row.only_fast:,}", f"{row.only_reference:,}",
        ]
        for row in rows
    )  # fmt: skip
    print_table(title, COLUMNS, cells)
