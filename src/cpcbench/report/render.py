"""Tables as text: for the terminal, Markdown, LaTeX, CSV and JSON.

Names come from users and files, so every renderer escapes what its format would read as its own.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from cpcbench.errors import CpcbenchError
from cpcbench.report.cells import is_numeric, one_line, plain_text
from cpcbench.report.latex import latex_table
from cpcbench.report.table import Cell, Table

AS_WIDE_AS_NEEDED = 10_000


def render(tables: Iterable[Table], format: str = "terminal", width: int | None = None) -> str:  # noqa: A002
    """The tables in one of `FORMATS`; `width` (terminal only) is in columns, as needed if not given."""
    if format not in FORMATS:
        raise CpcbenchError(f"unknown format {format!r} for tables: there are {', '.join(FORMATS)}")
    shown = list(tables)
    if format == "terminal":
        return terminal(shown, width or AS_WIDE_AS_NEEDED)
    return FORMATS[format](shown)


def terminal(tables: Sequence[Table], width: int = AS_WIDE_AS_NEEDED) -> str:
    """Drawn by rich, without colours; brackets are text here, never markup."""
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None, legacy_windows=False)
    for table in tables:
        console.print(Text(one_line(table.title)))
        drawn = RichTable()
        for index, name in enumerate(table.columns):
            side = "right" if is_numeric(table, index) else "left"
            drawn.add_column(Text(one_line(name)), justify=side, overflow="fold")  # type: ignore[arg-type]
        for row in table.rows:
            drawn.add_row(*(Text(plain_text(cell)) for cell in row))
        console.print(drawn)
        for note in table.notes:
            console.print(Text(one_line(note)))
        console.print()
    return out.getvalue()


def _markdown(table: Table) -> str:
    sides = ["---:" if is_numeric(table, i) else "---" for i in range(len(table.columns))]
    lines = [[_md(one_line(name)) for name in table.columns], sides]
    lines += [[_md(plain_text(cell)) for cell in row] for row in table.rows]
    grid = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    notes = "".join(f"\n{_md_paragraph(one_line(note))}\n" for note in table.notes)
    return f"### {_md(one_line(table.title))}\n\n{grid}\n{notes}"


def comma_separated(tables: Sequence[Table]) -> str:
    """Each table after a line `# title`, with its notes as such lines below and a blank one after."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for table in tables:
        out.write(f"# {one_line(table.title)}\n")
        writer.writerow([_csv(name) for name in table.columns])
        writer.writerows([_csv(cell) for cell in row] for row in table.rows)
        out.writelines(f"# {one_line(note)}\n" for note in table.notes)
        out.write("\n")
    return out.getvalue()


def as_json(tables: Sequence[Table]) -> str:
    """Values as they are; null for what is undefined or not there, infinities as text."""
    data = [
        {
            "key": table.key,
            "title": table.title,
            "columns": list(table.columns),
            "rows": [[_json(cell) for cell in row] for row in table.rows],
            "notes": list(table.notes),
        }
        for table in tables
    ]
    return json.dumps({"tables": data}, indent=2, allow_nan=False)


FORMATS: dict[str, Callable[[Sequence[Table]], str]] = {
    "terminal": terminal,
    "markdown": lambda tables: "\n".join(map(_markdown, tables)),
    "latex": lambda tables: "\n".join(map(latex_table, tables)),
    "csv": comma_separated,
    "json": as_json,
}


_MARKDOWN = str.maketrans({**{c: f"\\{c}" for c in "\\`*_{}[]#~|!$@"}, "<": "&lt;", ">": "&gt;", "&": "&amp;"})

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def _md(text: str) -> str:
    return text.translate(_MARKDOWN).replace("://", "\\://")  # no links out of names


def _md_paragraph(text: str) -> str:
    """What would start a list or underline a heading does not at the start of a paragraph."""
    return re.sub(r"^(\s*\d*)([-+=.)])", r"\1\\\2", _md(text))


def _csv(cell: Cell) -> str:
    """Text that a spreadsheet would take for a formula gets an apostrophe in front."""
    if cell is None:
        return ""
    text = plain_text(cell)
    return f"'{text}" if isinstance(cell, str) and text.startswith(_FORMULA_STARTS) else text


def _json(cell: Cell) -> Any:
    if isinstance(cell, tuple):
        return [_json(c) for c in cell]
    if isinstance(cell, float) and not math.isfinite(cell):
        return None if math.isnan(cell) else str(cell)
    return cell
