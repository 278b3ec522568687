"""`cpcbench classics`: the minima that collections list, held against what is proven."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import cpcbench as cpc
from cpcbench.cli.writing import FormatOption, check_format, write_tables
from cpcbench.errors import CpcbenchError, UnknownNameError


def classics(
    problems: Annotated[
        list[str] | None, typer.Argument(metavar="PROBLEM...", help="Names such as Ackley1; all classics by default.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--certificates", help="A folder made by certify --suite, instead of the package's own."),
    ] = None,
    wrong: Annotated[bool, typer.Option("--wrong", help="Only what is wrong.")] = False,
    style: FormatOption = "terminal",
) -> None:
    """Hold listed minima of the classics against proofs.

    Each number that SciPy, opfunu, smoof or the survey lists stands, is rounded, is wrong, or is still open.

    Example: cpcbench classics Ackley1 Beale

    Example: cpcbench classics --wrong --certificates classics
    """
    from dataclasses import replace

    from cpcbench.problems.classics.all import formulas
    from cpcbench.report.problems.listed import counts_table, listed_table

    check_format(style)
    if folder is not None and not folder.is_dir():
        raise CpcbenchError(f"{folder} is no folder of certificates: make one by cpcbench certify --suite classics")
    chosen = [cpc.problem(name) for name in problems] if problems else cpc.problems(suite="classics")
    for p in chosen:
        if p.id not in formulas():
            raise UnknownNameError(f"{p.id} is no classic: cpcbench list --suite classics names them")
    table = listed_table(chosen, folder)
    counts = counts_table(table)
    if wrong:
        table = replace(table, rows=tuple(row for row in table.rows if str(row[7]).startswith("wrong")))
    write_tables([table, counts], style, None)
