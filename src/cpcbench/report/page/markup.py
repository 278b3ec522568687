"""HTML from data: every text that comes from a file or a user is escaped here, and only here."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.report.cells import NOTHING, UNDEFINED, is_numeric, one_line, plain_text
from cpcbench.report.table import Cell, Table

DIGITS = 10
"""Significant digits of a number on the page, unless more tell it from others; the exact one is in its tooltip."""

MOST_DIGITS = 17
SHORT = 220
"""Letters of notes that are shown at once."""

HINT = '<p class="hint">There is more to the side: scroll.</p>'

LONG, LONGER = 44, 140
"""Letters from which on a text in a cell is broken into lines, and into long ones."""

COORDINATES = 6
"""Of a point in a table at most; all of them are in its tooltip."""


def text(value: object) -> str:
    """Any text, as text."""
    return escape(one_line(str(value)))


def anchor(*words: object) -> str:
    """A place on the page by its words; letters and digits stay, the rest is spelt as numbers."""
    return "-".join("".join(c if c.isascii() and c.isalnum() else f"_{ord(c):x}" for c in str(w)) for w in words)


def number(value: float, digits: int = DIGITS) -> str:
    """A double, short; NaN is said in words."""
    if math.isnan(value):
        return f'<span class="undefined">{UNDEFINED}</span>'
    short = f"{value:.{digits}g}"
    exact = repr(float(value))
    return short if float(short) == value else f'<span title="{exact}">{short}</span>'


def digits_apart(column: Sequence[Cell]) -> int:
    """As many digits as tell the column's numbers apart: neighbours of an optimum differ in the fifteenth."""
    values = {v for c in column for v in (c if isinstance(c, tuple) else (c,)) if isinstance(v, float) and v == v}
    for digits in range(DIGITS, MOST_DIGITS):
        if len({f"{value:.{digits}g}" for value in values}) == len(values):
            return digits
    return MOST_DIGITS


def cell(value: Cell, digits: int = DIGITS) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, float):
        return number(value, digits)
    if isinstance(value, tuple):
        inner = ", ".join(number(float(v), digits) for v in value[:COORDINATES])
        if len(value) <= COORDINATES:
            return f'<span class="point">({inner})</span>'
        return f'<span class="point" title="{text(plain_text(value))}">({inner}, ...)</span>'
    return text(plain_text(value))


def key(value: Cell) -> str:
    """What a column is sorted by: numbers as numbers; empty for what is undefined or missing, which comes last."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(int(value))
    return repr(value) if isinstance(value, (int, float)) else text(plain_text(value))


Custom = Callable[[int, int, Cell], str | None]


def table(data: Table, *, custom: Custom | None = None, heading: int = 3) -> str:
    """A table whose columns sort at a click or with the keyboard; `custom` (row, column, cell) may draw a cell.

    One with whole sentences in it is set row below row where the screen is narrow.
    """
    numeric = [is_numeric(data, i) for i in range(len(data.columns))]
    head = "".join(
        f'<th scope="col"{_side(right)} aria-sort="none">{_sorter(name)}</th>'
        for name, right in zip(data.columns, numeric, strict=True)
    )
    digits = [_digits(data, i) for i in range(len(data.columns))]
    words = any(isinstance(value, str) and len(value) > LONGER for row in data.rows for value in row)
    labels = [f' data-label="{text(name)}"' if words else "" for name in data.columns]
    rows = "".join(
        "<tr>"
        + "".join(_cell(r, c, value, numeric[c], digits[c], custom, labels[c]) for c, value in enumerate(row))
        + "</tr>"
        for r, row in enumerate(data.rows)
    )
    return (
        f'<section class="table" id="{anchor("table", data.key)}"><h{heading}>{text(data.title)}</h{heading}>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{text(data.title)}">'
        f'<table class="sortable{" words" if words else ""}">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{HINT}{_notes(data.notes)}</section>"
    )


def _notes(notes: Sequence[str]) -> str:
    """A short note at once, longer ones folded."""
    if not notes:
        return ""
    listed = "".join(f"<li>{text(note)}</li>" for note in notes)
    if sum(map(len, notes)) <= SHORT:
        return f'<ul class="notes">{listed}</ul>'
    return f'<details class="notes"><summary>How to read it</summary><ul>{listed}</ul></details>'


def tables(data: Iterable[Table], shown: tuple[str, ...]) -> str:
    """Tables; those whose key does not begin with one of the words are folded away under their titles."""
    return "".join(
        table(t)
        if t.key.startswith(shown)
        else f'<details class="more"><summary>{text(t.title)}</summary>{table(t)}</details>'
        for t in data
    )


def _sorter(name: str) -> str:
    """The button that sorts a column; one without a name is still named to those who hear the page."""
    return (
        f'<button type="button">{text(name)}</button>'
        if name
        else ('<button type="button" aria-label="sort by this column">&#160;</button>')
    )


def _digits(data: Table, column: int) -> int:
    """Of a column that says where: points, and coordinates of them. Values stay short."""
    name = data.columns[column]
    where = name == "x" or (name.startswith("x") and name[1:].isdigit())
    return digits_apart([row[column] for row in data.rows]) if where else DIGITS


def _cell(r: int, c: int, value: Cell, right: bool, digits: int, custom: Custom | None, label: str) -> str:
    drawn = custom(r, c, value) if custom else None
    shown = cell(value, digits) if drawn is None else drawn
    name = "td" if c else 'th scope="row"'
    side = _side(right)
    if isinstance(value, str) and len(value) > LONG and drawn is None:
        side = ' class="long"' if len(value) <= LONGER else ' class="longer"'
    return f'<{name}{side}{label} data-key="{key(value)}">{shown}</{name.split(maxsplit=1)[0]}>'


def _side(right: bool) -> str:
    return ' class="number"' if right else ""


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Names and values; the values are HTML already."""
    return "<dl>" + "".join(f"<div><dt>{text(name)}</dt><dd>{value}</dd></div>" for name, value in rows) + "</dl>"


def listing(items: Sequence[str]) -> str:
    """Items that are HTML already."""
    return "<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>" if items else ""


def as_json(data: Any) -> str:
    return json.dumps(data, allow_nan=False, separators=(",", ":"))


def packed(values: ArrayLike) -> dict[str, str]:
    """An array as Plotly reads it from text: single precision is enough to look at; NaN stays NaN."""
    array = np.asarray(values)
    with np.errstate(over="ignore"):
        small = np.ascontiguousarray(array, dtype="<f4")
    found = {"dtype": "f4", "bdata": base64.b64encode(small.tobytes()).decode("ascii")}
    return found if array.ndim == 1 else {**found, "shape": ",".join(map(str, array.shape))}
