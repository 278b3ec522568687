"""`cpcbench import` and `archive`: results of other programs as a study, and studies to be kept and taken back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cpcbench.cli.runs.tables import print_summary
from cpcbench.cli.words import RuleOption, TypesOption

MOST_SHOWN = 5
"""Runs with other values that are named; the others are counted."""


def import_file(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="RESULTS", help="A CSV file of solver, problem, point, and reported, run, rule; or an archive."
        ),
    ],
    store: Annotated[
        Path, typer.Option("--store", help="The study's file; results are added to an existing one.")
    ] = Path("imported.db"),
    rule: RuleOption = "ieee",
    types: TypesOption = "paper",
) -> None:
    """Import results of other programs, or an archive, as a study.

    An archive is a folder that `cpcbench archive` wrote: its checksums are checked, its runs are added as they are, and
    each point is evaluated again.

    Of a CSV file every point is read again by all three readings, typed and reported as any run; a reported value that
    is not the value at the point makes Type IV. The point has blanks between its coordinates and is empty
    where nothing was found; reported and run may be left out. A row that cannot be read is named by its
    line, and nothing is stored.

    Examples:

    cpcbench import results.csv --store closed.db

    cpcbench import comparison --store mine.db

    Then: cpcbench report closed.db --paper
    """
    from cpcbench.experiment.formats.results import import_results
    from cpcbench.experiment.verify.types import type_rule

    type_rule(types)  # before anything is stored
    if file.is_dir():
        _import_archive(file, store, types)
        return
    records = import_results(file, store, rule=rule)
    print_summary(records, types)
    typer.echo(f"\n{len(records):,} results imported into {store}; see all tables with: cpcbench report {store}")


def _import_archive(folder: Path, store: Path, types: str) -> None:
    from cpcbench.experiment.formats.unpacking import import_archive, other_values
    from cpcbench.experiment.store.store import Store

    count, new = import_archive(folder, store)
    with Store(store) as study:
        print_summary(list(study.records()), types)
        others = list(other_values(study))
    for line in others[:MOST_SHOWN]:
        typer.echo(f"another value: {line}", err=True)
    said = f"{len(others):,} points have other values here" if others else "every point has its value here too"
    typer.echo(f"\n{count:,} runs in {folder}, {new:,} of them new in {store}; {said}")
    if others:
        raise typer.Exit(1)


def archive(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A study's file.")],
    folder: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="A new folder; by default named after the study.")
    ] = None,
    style: Annotated[
        str | None, typer.Option("--format", help="parquet or csv; by default Parquet where pyarrow is installed.")
    ] = None,
) -> None:
    """Write a study as a folder that can be deposited.

    It holds the runs as Parquet or CSV, what each column is, the study's settings, versions, machine, the command,
    and checksums. `cpcbench import FOLDER` makes the study of it again, to the last bit.

    Example: cpcbench archive study.db study-archive
    """
    from cpcbench.experiment.formats.archive import write_archive

    target = folder or study.with_suffix("")
    count = write_archive(study, target, form=style, command=["cpcbench", *sys.argv[1:]])
    typer.echo(f"wrote {count:,} runs of {study} to the folder {target}", err=True)
