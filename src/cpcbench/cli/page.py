"""Writing the HTML page, with progress, for the commands that end with one."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path

import typer

from cpcbench.cli.progress import ProgressLine
from cpcbench.cli.writing import STANDARD, place, write
from cpcbench.progress import Line

MOST = 4
"""Processes that make sheets: each has libraries to load first."""


def write_html(path: Path, store: Path | None = None, *, force: bool = False, types: str = "paper") -> None:
    """The page of the suite and, if there is one, of a study, its types by the rule named; says where it is."""
    from cpcbench.experiment.store.store import Store
    from cpcbench.report.page.build import page, write_page

    place(path, "html", store, force=force)
    with Store(store) if store is not None else nullcontext() as study, ProgressLine(every=10.0) as line:
        cores = min(MOST, os.cpu_count() or 1)
        typer.echo("writing the page", err=True)

        def show(part: Line) -> None:
            line.begin(f"the page: {part.done} of {part.total} parts {part}".rstrip())

        if path == STANDARD:
            write(page(study, progress=show, types=types, workers=cores), None)
            return
        made = write_page(path, study, progress=show, types=types, workers=cores)
    typer.echo(f"page to open in a browser: {made.resolve()}")
