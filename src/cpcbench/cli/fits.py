"""`cpcbench fits`: the curve fits of the authors' collection, printed and found."""

from __future__ import annotations

from typing import Annotated

import typer

import cpcbench as cpc
from cpcbench.cli.writing import FormatOption, check_format, write_tables
from cpcbench.errors import UnknownNameError


def fits(
    problems: Annotated[
        list[str] | None, typer.Argument(metavar="PROBLEM...", help="Ids such as CPC-CF7; all 38 by default.")
    ] = None,
    style: FormatOption = "terminal",
) -> None:
    """Compare curve fits, as printed and as found here.

    Below the table are the known errors of the collection. `cpcbench plot CPC-CF7` draws data and fit.

    Example: cpcbench fits CPC-CF7 CPC-CF24
    """
    from cpcbench.problems.collections.fits import curve_fits
    from cpcbench.report.problems.fits import fit_errors, fits_table

    check_format(style)
    chosen = [cpc.problem(name) for name in problems] if problems else cpc.problems(suite="cf")
    for p in chosen:
        if p.id not in curve_fits():
            raise UnknownNameError(f"{p.id} is no curve fit: there are CPC-CF1 … CPC-CF38")
    errors = fit_errors([curve_fits()[p.id] for p in chosen])
    write_tables([fits_table(chosen), *([errors] if errors.rows else [])], style, None)
