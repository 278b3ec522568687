"""Cells of tables in words, the same in every format."""

from __future__ import annotations

import math

from cpcbench.report.table import Cell, Table

UNDEFINED = "undefined"
NOTHING = "-"


def plain_text(cell: Cell) -> str:
    """A cell in words; doubles so that reading them back gives the same bits."""
    if cell is None:
        return NOTHING
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return UNDEFINED if math.isnan(cell) else repr(float(cell))
    if isinstance(cell, tuple):
        return f"({', '.join(plain_text(float(c)) for c in cell)})"
    return one_line(str(cell))


def one_line(text: str) -> str:
    """The text on one line; characters that would move the cursor or worse are spelt out."""
    return "".join(
        c if c.isprintable() else " " if c.isspace() else c.encode("unicode_escape").decode("ascii") for c in text
    )


def is_numeric(table: Table, index: int) -> bool:
    """Whether a column holds numbers, so that it is set flush right."""
    cells = [row[index] for row in table.rows if row[index] is not None]
    return bool(cells) and all(isinstance(c, (int, float)) and not isinstance(c, bool) for c in cells)
