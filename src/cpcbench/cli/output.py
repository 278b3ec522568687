"""How the commands print: facts, tables and JSON, the same to a terminal and into a pipe."""

from __future__ import annotations

import dataclasses
import json
import math
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import typer

YES_NO = {True: "yes", False: "no", None: "-"}
PIPED = 10_000
"""Into a pipe a table is as wide as its contents: nothing is wrapped or cut."""


def width() -> int:
    """Columns to print in."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else PIPED


def print_facts(rows: Iterable[tuple[str, str]]) -> None:
    """Two columns, what and its value; wrapped on a terminal, one line each in a pipe."""
    facts = list(rows)
    left = max(len(name) for name, _ in facts) + 2
    for name, text in facts:
        lines = textwrap.wrap(
            text, max(width() - left, 30), break_long_words=False, break_on_hyphens=False, drop_whitespace=True
        )
        start = typer.style(name.ljust(left), bold=True)
        typer.echo((start + f"\n{' ' * left}".join(lines)).rstrip())


def print_heading(text: str) -> None:
    typer.secho(f"\n{text}", bold=True)


def print_table(title: str, columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]]) -> None:
    """A table; each column is its name and `left` or `right`."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title, style="bold"))
    for name, side in columns:
        table.add_column(Text(name), justify="right" if side == "right" else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))  # Text: brackets are mathematics here, not markup
    Console(width=width(), file=sys.stdout).print(table)


def print_json(value: object) -> None:
    typer.echo(as_json(value))


def as_json(value: object) -> str:
    """JSON that every reader accepts, in any encoding; NaN becomes null, infinities become text."""
    return json.dumps(plain(value), indent=2, allow_nan=False)


def plain(value: Any) -> Any:
    """The value in JSON's own types."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value) if f.repr}
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if hasattr(value, "tolist"):  # NumPy's arrays and scalars
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def number(value: float | None) -> str:
    """A double so that reading it back gives the same bits; `undefined` for NaN."""
    if value is None:
        return "-"
    return "undefined" if math.isnan(value) else repr(float(value))
