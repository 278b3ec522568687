"""`cpcbench import`: results of other programs as a study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cpcbench.cli.runs.tables import print_summary
from cpcbench.cli.words import RuleOption, TypesOption


def import_file(
    file: Annotated[
        Path, typer.Argument(metavar="RESULTS.csv", help="Columns solver, problem, point, and reported, run, rule.")
    ],
    store: Annotated[
        Path, typer.Option("--store", help="The study's file; results are added to an existing one.")
    ] = Path("imported.db"),
    rule: RuleOption = "ieee",
    types: TypesOption = "paper",
) -> None:
    """Import results of other programs as a study.

    Every point is read again by all three readings, typed and reported as any run; a reported value that
    is not the value at the point makes Type IV. The point has blanks between its coordinates and is empty
    where nothing was found; reported and run may be left out. A row that cannot be read is named by its
    line, and nothing is stored.

    Example: cpcbench import results.csv --store closed.db

    Then: cpcbench report closed.db --paper
    """
    from cpcbench.experiment.formats.results import import_results
    from cpcbench.experiment.verify.types import type_rule

    type_rule(types)  # before anything is stored
    records = import_results(file, store, rule=rule)
    print_summary(records, types)
    typer.echo(f"\n{len(records):,} results imported into {store}; see all tables with: cpcbench report {store}")
