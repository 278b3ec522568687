"""`cpcbench report`, `runs` and `merge`: what is in a study's file."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cpcbench.cli.guard import guarded
from cpcbench.cli.output import width
from cpcbench.errors import CpcbenchError

if TYPE_CHECKING:
    from cpcbench.experiment.record import RunRecord

FormatOption = Annotated[str, typer.Option("--format", help="terminal, markdown, latex, csv or json.")]
OutputOption = Annotated[Path | None, typer.Option("--output", help="A file to write instead of standard output.")]


def add_to(app: typer.Typer) -> None:
    app.command("report")(guarded(report))
    app.command("runs")(guarded(runs))
    app.command("merge")(guarded(merge))


def report(
    store: Annotated[Path, typer.Argument(metavar="STUDY", help="A study's file.")],
    paper: Annotated[bool, typer.Option("--paper", help="Add the paper's tables, published beside measured.")] = False,
    style: FormatOption = "terminal",
    output: OutputOption = None,
) -> None:
    """Print the tables of a study.

    Example: cpcbench report study.db --format markdown --output study.md
    """
    records = _records(store)
    from cpcbench.report.paper import paper_tables
    from cpcbench.report.tables import study_tables

    tables = study_tables(records)
    _write(tables + (paper_tables(records) if paper else []), style, output)


def runs(
    store: Annotated[Path, typer.Argument(metavar="STUDY", help="A study's file.")],
    to: Annotated[Path, typer.Option("--to", help="A file ending in .csv or .parquet.")],
) -> None:
    """Write every run of a study to a CSV or Parquet file.

    Example: cpcbench runs study.db --to runs.csv
    """
    from cpcbench.experiment.export import export_runs
    from cpcbench.experiment.store import Store

    with Store(store) as study:
        count = export_runs(study.records(), to)
    typer.echo(f"wrote {count} runs to {to}", err=True)


def merge(
    into: Annotated[Path, typer.Argument(metavar="INTO", help="The study that takes the runs.")],
    sources: Annotated[list[Path], typer.Argument(metavar="FROM...", help="Studies to take runs from.")],
) -> None:
    """Merge studies; the same run with another outcome is refused.

    Example: cpcbench merge all.db monday.db tuesday.db
    """
    from cpcbench.experiment.store import Store

    with contextlib.ExitStack() as stack:
        others = [stack.enter_context(Store(path)) for path in sources]  # all can be read before any is merged
        study = stack.enter_context(Store(into, writing=True))
        for other in others:
            typer.echo(f"{study.merge(other)} new runs from {other.path}")


def _records(store: Path) -> list[RunRecord]:
    from cpcbench.experiment.store import Store

    with Store(store) as study:
        records = list(study.records(trajectories=False))
    if not records:
        raise CpcbenchError(f"{store} holds no runs yet")
    return records


def print_summary(records: list[RunRecord]) -> None:
    from cpcbench.report.tables import summary_tables

    _write(summary_tables(records), "terminal", None)


def _write(tables: list[Any], style: str, output: Path | None) -> None:
    from cpcbench.report.render import render

    text = render(tables, style, width() if style == "terminal" and output is None else None)
    if output is None:
        typer.echo(text)
    else:
        output.write_text(text + "\n", encoding="utf-8")
        typer.echo(f"wrote {output}", err=True)
