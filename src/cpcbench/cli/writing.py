"""Where the commands write: into files that may be replaced, or to standard output; said before the work."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cpcbench.cli.output import width
from cpcbench.errors import CpcbenchError
from cpcbench.files import beginning, destination, refuse_study, write_bytes

if TYPE_CHECKING:
    from cpcbench.report.table import Table

STANDARD = Path("-")

FormatOption = Annotated[str, typer.Option("--format", help="terminal, markdown, latex, csv or json.")]
OutputOption = Annotated[Path | None, typer.Option("--output", help="A file to write; - is standard output.")]
ForceOption = Annotated[
    bool,
    typer.Option("--force", help="Replace an existing file of another kind, too; a study or an input never."),
]

SIGNS = {
    "png": (b"\x89PNG",), "pdf": (b"%PDF",), "parquet": (b"PAR1",), "certificate": (b"\x1f\x8b",),
    "html": (b"<!doctype html", b"<html"), "svg": (b"<?xml", b"<svg"),
}  # fmt: skip
"""How a file of each kind begins, in small letters where it is text."""

ENDINGS = {
    "terminal": ("", ".txt", ".md"), "markdown": (".md", ".markdown", ".txt"), "latex": (".tex",), "csv": (".csv",),
    "json": (".json",), "text": ("", ".txt"), "mathml": (".mml", ".xml", ".html"), "python": (".py",),
    "c": (".c", ".h"), "matlab": (".m",), "lingo": (".lng", ".lg4"), "ampl": (".mod",), "gams": (".gms",),
    "coq": (".v",),
}  # fmt: skip
"""How the names of files with text of each kind end; the text itself does not tell."""


def place(output: Path | None, kind: str, *inputs: Path | None, force: bool = False) -> Path | None:
    """The file to write, or None for standard output (`-`); an error if something would be lost by it.

    A study and what the command reads are never replaced, and a file of another kind only by force.
    """
    if output is None or output == STANDARD:
        return None
    for other in inputs:
        if other is not None and _same(output, other):
            raise CpcbenchError(f"{output} is what is read here, and is kept: give another name")
    target = destination(output)
    if target is None:
        return output
    refuse_study(target)
    folder = target.absolute().parent
    if not folder.is_dir():
        raise CpcbenchError(f"{output} cannot be written: there is no folder {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise CpcbenchError(f"{output} cannot be written: {folder} is not open for writing")
    if not force and not _is_of_kind(target, kind):
        raise CpcbenchError(f"{output} is there already and looks like no {kind} file: --force replaces it")
    return output


def write(content: str | bytes, target: Path | None, *, quiet: bool = False) -> None:
    """Writes it to the file, or to standard output if there is none; says so."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    if target is not None:
        write_bytes(target, data)
        if not quiet:
            typer.echo(f"wrote {target}", err=True)
    elif isinstance(content, str):
        typer.echo(content.removesuffix("\n"))
    else:
        if sys.stdout.isatty():
            raise CpcbenchError("this is no text for a terminal: send it on, or give --output a file")
        stream = typer.get_binary_stream("stdout")
        stream.write(data)
        stream.flush()


def check_format(style: str) -> None:
    """Fails before the work, not after it."""
    from cpcbench.report.render import render

    render([], style)


def write_tables(tables: Sequence[Table], style: str, target: Path | None) -> None:
    """Writes tables to the file, or prints them."""
    from cpcbench.report.render import render

    text = render(tables, style, width() if style == "terminal" and target is None else None)
    write(text.rstrip("\n") + "\n", target)


def _is_of_kind(path: Path, kind: str) -> bool:
    """Whether the file there may be an older one of this kind; an empty or a missing one is of any."""
    begins = beginning(path)
    if not begins:
        return not path.exists() or path.stat().st_size == 0
    signs = {name: found for name, found in SIGNS.items() if begins.lstrip().lower().startswith(_small(found))}
    if kind in SIGNS or signs:
        return kind in signs or (kind == "mathml" and "svg" in signs)
    try:
        begins.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(begins) - 4:  # and not a character cut off at the end
            return False
    return b"\0" not in begins and path.suffix.lower() in ENDINGS.get(kind, ("", ".txt"))


def _small(signs: tuple[bytes, ...]) -> tuple[bytes, ...]:
    return tuple(sign.lower() for sign in signs)


def _same(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:  # one of them is not there yet: as names
        return os.path.realpath(one) == os.path.realpath(other)
