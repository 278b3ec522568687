"""`cpcbench report`, `runs` and `merge`: what is in a study's file."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cpcbench.cli.page import write_html
from cpcbench.cli.words import TypesOption, read_numbers
from cpcbench.cli.writing import (
    STANDARD,
    ForceOption,
    FormatOption,
    OutputOption,
    check_format,
    place,
    write,
    write_tables,
)
from cpcbench.errors import CpcbenchError, shortened

if TYPE_CHECKING:
    from cpcbench.experiment.store.record import RunRecord
    from cpcbench.experiment.store.store import Store

MANY = 20_000
"""Runs from which on reading them takes a while."""


def report(
    store: Annotated[Path | None, typer.Argument(metavar="[STUDY]", help="A study's file.")] = None,
    paper: Annotated[bool, typer.Option("--paper", help="Add the paper's tables, published beside measured.")] = False,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Add success rates, running times, profiles, ranks and failures.")
    ] = False,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="With --statistics: add every test between two solvers.")
    ] = False,
    style: FormatOption = "terminal",
    output: OutputOption = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="A page to write instead; without a study, the suite alone.")
    ] = None,
    latex: Annotated[
        Path | None, typer.Option("--latex", help="A folder for tables in LaTeX, one file each, rounded for print.")
    ] = None,
    figures: Annotated[
        Path | None, typer.Option("--figures", help="A folder for figures, each as .pdf, .svg and .png.")
    ] = None,
    names: Annotated[
        str | None, typer.Option("--names", help="With --latex or --figures: only these, with commas between.")
    ] = None,
    force: ForceOption = False,
    types: TypesOption = "paper",
) -> None:
    """Print the tables of a study, or write its page.

    With `--latex` and `--figures` it writes what a paper needs. Every table names the rule that its solution types
    follow and what values are held against.

    Examples:

    cpcbench report study.db --format markdown --output study.md

    cpcbench report study.db --html study.html

    cpcbench report study.db --latex tables --names result,types,ecdf

    cpcbench report study.db --figures figures

    cpcbench report study.db --types strict
    """
    from cpcbench.experiment.store.store import Store
    from cpcbench.experiment.verify.types import type_rule
    from cpcbench.report.study.tables import study_tables

    type_rule(types)
    if latex is not None or figures is not None:
        if output is not None or html is not None or paper or pairs or style != "terminal":
            raise CpcbenchError("--latex and --figures write folders: leave the other options away")
        for_paper(store, latex, figures, names, types)
        return
    if names is not None:
        raise CpcbenchError("--names chooses what --latex or --figures write: give one of them")
    if html is not None:
        if output is not None or paper or statistics or pairs or style != "terminal":
            raise CpcbenchError("--html writes a page with all tables: leave the other options away")
        write_html(html, store, force=force, types=types)
        return
    check_format(style)
    if store is None:
        raise CpcbenchError("which study? Give its file, or --html for a page of the suite alone")
    if pairs and not statistics:
        raise CpcbenchError("--pairs belongs to --statistics: give both")
    target = place(output, style, store, force=force)
    with Store(store) as study:
        _announce(study)
        tables = study_tables(study.records(trajectories=False), types)
        if statistics:
            from cpcbench.report.study.statistics import statistics_tables

            tables += statistics_tables(study, pairs=pairs)
        if paper:
            from cpcbench.report.paper.beside import paper_tables

            tables += paper_tables(study.records(trajectories=False), types)
    write_tables(tables, style, target)


def for_paper(store: Path | None, latex: Path | None, figures: Path | None, names: str | None, types: str) -> None:
    """Writes the tables and the figures that were asked for, and says where they are."""
    from cpcbench.report.study.front import Study

    if store is None:
        raise CpcbenchError("which study? Give its file")
    study = Study(store, types=types)
    wanted = [] if names is None else [name.strip() for name in names.split(",") if name.strip()]
    tables = [name for name in wanted if latex is not None and study.named(name)]
    drawn = [name for name in wanted if figures is not None and name in study.figures]
    if unknown := [name for name in wanted if name not in (*tables, *drawn)]:
        there = [*(study.tables if latex is not None else ()), *(study.figures if figures is not None else ())]
        raise CpcbenchError(f"--names {unknown[0]} is not there: there are {', '.join(dict.fromkeys(there))}")
    if latex is not None:
        made = study.to_latex(latex, tables if wanted else None)
        typer.echo(f"{len(made) - 1} tables in {latex.resolve()}; {made[-1].name} shows them", err=True)
    if figures is not None:
        files = study.save_figures(figures, drawn if wanted else None)
        typer.echo(f"{len(files)} files of figures in {figures.resolve()}", err=True)


def claims(
    store: Annotated[
        Path | None, typer.Argument(metavar="[STUDY]", help="A study of the whole experiment; the kept one if none.")
    ] = None,
    types: TypesOption = "paper",
    style: FormatOption = "terminal",
    output: OutputOption = None,
    force: ForceOption = False,
) -> None:
    """Print the verdict on each of the paper's conclusions.

    Confirmed, refined or refuted, with the figures and the command that makes them; and the paper's
    remedies, measured.

    Examples:

    cpcbench claims --format markdown

    cpcbench claims reproduction.db
    """
    from cpcbench.experiment.store.store import Store
    from cpcbench.report.paper.cells import measured_cells
    from cpcbench.report.paper.claims import claims_table
    from cpcbench.report.paper.remedies import remedies_table

    check_format(style)
    target = place(output, style, store, force=force)
    if store is None:
        cells = measured_cells(types=types)
    else:
        with Store(store) as study:
            _announce(study)
            cells = measured_cells(study.records(trajectories=False), types)
    write_tables([claims_table(cells), remedies_table(cells)], style, target)


def peaks(
    store: Annotated[Path, typer.Argument(metavar="STUDY", help="A study's file.")],
    accuracies: Annotated[
        str, typer.Option("--accuracies", help="How far above the best value, with commas between; relative above 1.")
    ] = "1e-1,1e-2,1e-3,1e-4,1e-5",
    style: FormatOption = "terminal",
    output: OutputOption = None,
    force: ForceOption = False,
) -> None:
    """Count the distinct optima that solvers found.

    For functions with several global optima: those of all runs of a solver together, with the peak
    ratio, and those of a single run.

    Example: cpcbench peaks study.db --accuracies 1e-2,1e-4
    """
    from cpcbench.experiment.store.store import Store
    from cpcbench.report.study.peaks import peaks_tables

    check_format(style)
    wanted = read_numbers(accuracies.split(","), "--accuracies")
    if not wanted or not all(0.0 <= accuracy < math.inf for accuracy in wanted):
        raise CpcbenchError(f"--accuracies takes numbers from 0 on, not {shortened(accuracies)!r}")
    target = place(output, style, store, force=force)
    with Store(store) as study:
        _announce(study)
        tables = peaks_tables(study, wanted)
    if not tables:
        raise CpcbenchError(f"no function of {store} has several optima on record")
    write_tables(tables, style, target)


def runs(
    store: Annotated[Path, typer.Argument(metavar="STUDY", help="A study's file.")],
    to: Annotated[Path, typer.Option("--to", help="A .csv or .parquet file, a new folder for ioh; - prints.")],
    style: Annotated[
        str | None, typer.Option("--format", help="csv, parquet or ioh (IOHprofiler); by default by the file's ending.")
    ] = None,
    force: ForceOption = False,
) -> None:
    """Write every run of a study for other programs.

    Examples:

    cpcbench runs study.db --to runs.csv

    cpcbench runs study.db --to runs-ioh --format ioh
    """
    from cpcbench.experiment.formats.export import export_runs, format_of, packed_runs
    from cpcbench.experiment.store.store import Store

    chosen = "csv" if to == STANDARD and style is None else format_of(to, style)
    if to == STANDARD and chosen == "ioh":
        raise CpcbenchError("runs in IOHprofiler's format are a folder: give its name")
    if chosen != "ioh":
        place(to, chosen, store, force=force)
    with Store(store) as study:
        if to == STANDARD:
            made = packed_runs(study.records(), chosen)
            write(made.decode("utf-8") if chosen == "csv" else made, None)
            return
        count = export_runs(study.records(), to, chosen)
    typer.echo(f"wrote {count} runs to {to}", err=True)


def merge(
    into: Annotated[Path, typer.Argument(metavar="INTO", help="The study that takes the runs.")],
    sources: Annotated[list[Path], typer.Argument(metavar="FROM...", help="Studies to take runs from.")],
) -> None:
    """Merge studies; the same run with another outcome is refused.

    Example: cpcbench merge all.db monday.db tuesday.db
    """
    from cpcbench.experiment.store.store import Store

    with contextlib.ExitStack() as stack:
        others = [stack.enter_context(Store(path)) for path in sources]  # all can be read before any is merged
        study = stack.enter_context(Store(into, writing=True))
        for other in others:
            typer.echo(f"{study.merge(other)} new runs from {other.path}")


def _announce(study: Store) -> None:
    """What a reader waits for, where it takes more than a moment."""
    count = len(study)
    if not count:
        raise CpcbenchError(f"{study.path} holds no runs yet")
    if count >= MANY:
        typer.echo(f"reading {count} runs", err=True)


def print_summary(records: list[RunRecord], types: str) -> None:
    from cpcbench.report.study.tables import summary_tables

    write_tables(summary_tables(records, types), "terminal", None)
