"""Writing the HTML page, with progress, for the commands that end with one."""

from __future__ import annotations

import sys
import time
from contextlib import nullcontext
from pathlib import Path

import typer

EVERY = 10.0
"""Seconds between two lines of progress where they cannot replace each other."""


def write_html(path: Path, store: Path | None = None) -> None:
    """The page of the suite and, if there is one, of a study; says where it is."""
    from cpcbench.experiment.store import Store
    from cpcbench.report.page.build import write_page

    live = sys.stderr.isatty()
    said = time.monotonic()

    def show(done: int, total: int, name: str) -> None:
        nonlocal said
        now = time.monotonic()
        text = f"the page: {done} of {total} parts {name}".rstrip()
        if live:
            typer.echo(f"\r\033[K{text}", err=True, nl=done == total)
        elif now - said >= EVERY:
            said = now
            typer.echo(text, err=True)

    typer.echo("writing the page, which takes a minute or two", err=True)
    with Store(store) if store is not None else nullcontext() as study:
        made = write_page(path, study, progress=show)
    typer.echo(f"page to open in a browser: {made.resolve()}")
