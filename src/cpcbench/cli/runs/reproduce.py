"""`cpcbench reproduce`: the paper's experiment, and its tables beside what comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cpcbench.cli.page import write_html
from cpcbench.cli.runs.study import (
    ClusterOption,
    SeedOption,
    WorkersOption,
    study,
    tell_failures,
    worker_count,
)
from cpcbench.cli.runs.tables import print_summary
from cpcbench.cli.words import TypesOption
from cpcbench.cli.writing import ForceOption, place, write
from cpcbench.errors import MissingExtraError


def reproduce(
    quick: Annotated[bool, typer.Option("--quick", help="A reduced version that takes a few minutes.")] = False,
    store: Annotated[
        Path | None, typer.Option("--store", help="The study's file; an existing one is continued.")
    ] = None,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    seed: SeedOption = 0,
    output: Annotated[Path, typer.Option("--output", help="The report to write, as Markdown.")] = Path(
        "reproduction.md"
    ),
    html: Annotated[
        Path, typer.Option("--html", help="The page to write, with the tables, landscapes and runs.")
    ] = Path("reproduction.html"),
    force: ForceOption = False,
    boxes: Annotated[
        str,
        typer.Option(
            "--boxes", help="The boxes that the paper prints, or those that its scripts search: paper, scripts."
        ),
    ] = "paper",
    figures: Annotated[
        bool, typer.Option("--figures", help="Draw the paper's figures instead of running its experiment.")
    ] = False,
    folder: Annotated[Path, typer.Option("--folder", help="Where the figures go.")] = Path("figures"),
    types: TypesOption = "paper",
) -> None:
    """Run the paper's experiment and compare its tables.

    Examples:

    cpcbench reproduce --quick

    cpcbench reproduce --quick --boxes scripts

    cpcbench reproduce --figures
    """
    if figures:
        _draw(folder)
        return
    from cpcbench.experiment.plan.reproduction import experiment
    from cpcbench.experiment.verify.types import type_rule

    chosen = type_rule(types)
    wanted = experiment(quick, boxes)
    kinds = ["quick"] * quick + ["scripts"] * (boxes == "scripts")
    path = store or Path("-".join(("reproduction", *kinds)) + ".db")
    target = place(output, "markdown", path, force=force)
    place(html, "html", path, output, force=force)
    typer.echo(f"the paper's experiment, {wanted.note}; study {path}", err=True)
    records = study(
        problems=wanted.problems, solvers=wanted.solvers, runs=wanted.runs, store=path,
        workers=worker_count(workers, cluster), cluster=cluster, seed=seed, rule=wanted.rule,
    )  # fmt: skip
    from cpcbench.report.paper.beside import paper_tables
    from cpcbench.report.paper.overviews import overview_tables
    from cpcbench.report.render import render
    from cpcbench.report.study.tables import study_tables

    tables = [*paper_tables(records, types), *overview_tables(records), *study_tables(records, types)]
    heading = f"# The paper's experiment, published beside measured\n\nMeasured with {wanted.note}, seed {seed}.\n\n"
    heading += f"{chosen.text}\n\n"
    write(heading + render(tables, "markdown"), target, quiet=True)
    print_summary(records, types)
    if target is not None:
        typer.echo(f"report with all tables: {target.resolve()}")
    try:
        write_html(html, path, force=force, types=types)
    except MissingExtraError as error:  # the tables are there already
        typer.echo(f"no page: {error}", err=True)
    tell_failures(records)


def _draw(folder: Path) -> None:
    from cpcbench.report.figures.paper import paper_figures

    made = paper_figures(folder, progress=lambda line: typer.echo(f"{line.done} of {line.total}: {line}", err=True))
    typer.echo(f"{len(made)} figures in {folder.resolve()}")
