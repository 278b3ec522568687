"""Writing the HTML page, with progress, for the commands that end with one."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path

import typer


def write_html(path: Path, store: Path | None = None) -> None:
    """The page of the suite and, if there is one, of a study; says where it is."""
    from cpcbench.experiment.store import Store
    from cpcbench.report.page.build import write_page

    live = sys.stderr.isatty()

    def show(done: int, total: int, name: str) -> None:
        if live:
            typer.echo(f"\r\033[Kthe page: {done} of {total} parts {name}", err=True, nl=done == total)

    typer.echo("writing the page", err=True)
    with Store(store) if store is not None else nullcontext() as study:
        made = write_page(path, study, progress=show)
    typer.echo(f"page to open in a browser: {made.resolve()}")
