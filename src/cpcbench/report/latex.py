"""Tables for papers: LaTeX with booktabs, a label and a caption, numbers rounded if wanted, long tables over pages."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from cpcbench.errors import CpcbenchError
from cpcbench.files import write_text
from cpcbench.report.cells import is_numeric, one_line, plain_text
from cpcbench.report.table import Cell, Table

PACKAGES = ("booktabs", "longtable", "array", "graphicx")
DIGITS = 5
"""Significant digits in print."""

LONG = 40
"""Rows from which on a table runs over pages."""

WIDE = 9
"""Columns from which on a long table, which cannot be made to fit the line, is set in smaller letters."""

WORDS = 38
"""Letters from which on the cells of a column are set as paragraphs."""

COORDINATES = 4
"""Of a point in print, at most."""

BESIDE = "all.tex"


def latex_table(table: Table, *, digits: int | None = None, label: str | None = None) -> str:
    """The table as a float, or as a longtable if it is long; `digits` rounds its numbers, which are exact otherwise."""
    name = label_of(table) if label is None else label
    if not re.fullmatch(r"[A-Za-z0-9:._-]+", name):
        raise CpcbenchError(f"a label has letters, digits and :._- only, not {label!r}")
    return (_long if len(table.rows) > LONG else _float)(table, digits, name)


def label_of(table: Table) -> str:
    return f"tab:{file_name(table.key)}"


def file_name(key: str) -> str:
    """A key as a name that files and labels can have."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", key).strip("-.") or "table"


def write_tables(tables: Sequence[Table], folder: Path, *, digits: int | None = DIGITS) -> list[Path]:
    """One file a table, and one beside them that shows all of them; returns where they are."""
    names: list[str] = []
    for table in tables:
        name = file_name(table.key)
        names.append(name if name not in names else f"{name}-{len(names)}")
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for name, table in zip(names, tables, strict=True):
        made.append(folder / f"{name}.tex")
        write_text(made[-1], f"{HEAD}{latex_table(table, digits=digits, label=f'tab:{name}')}")
    write_text(folder / BESIDE, document(names))
    return [*made, folder / BESIDE]


def document(names: Iterable[str]) -> str:
    """A document that shows the tables, to look at them or to copy its head."""
    used = "".join(f"\\usepackage{{{package}}}\n" for package in PACKAGES)
    body = "".join(f"\\input{{{name}}}\n\\clearpage\n" for name in names)
    return (
        "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}\n"
        "\\usepackage[margin=2.2cm]{geometry}\n"
        f"{used}\\begin{{document}}\n{body}\\end{{document}}\n"
    )


HEAD = f"% packages: {', '.join(PACKAGES)}; [T1]{{fontenc}}\n"


FITTED = "  \\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n"
"""As wide as it is, or as the line is, if that is less."""


def _float(table: Table, digits: int | None, name: str) -> str:
    rows = "".join(f"    {line} \\\\\n" for line in _rows(table, digits))
    return (
        f"\\begin{{table}}\n  \\centering\n  \\caption{{{tex(one_line(table.title))}}}\n  \\label{{{name}}}\n{FITTED}"
        f"  \\begin{{tabular}}{{{_sides(table)}}}\n    \\toprule\n    {_head(table)} \\\\\n    \\midrule\n{rows}"
        f"    \\bottomrule\n  \\end{{tabular}}}}\n{_notes(table)}\\end{{table}}\n"
    )


def _long(table: Table, digits: int | None, name: str) -> str:
    """Smaller where it is wide: a longtable cannot be scaled."""
    rows = "".join(f"  {line} \\\\\n" for line in _rows(table, digits))
    size = "scriptsize" if len(table.columns) >= WIDE else "footnotesize"
    caption, head = tex(one_line(table.title)), _head(table)
    return (
        f"\\begingroup\\{size}\\setlength{{\\tabcolsep}}{{3pt}}\n\\begin{{longtable}}{{{_sides(table)}}}\n"
        f"  \\caption{{{caption}}}\\label{{{name}}}\\\\\n  \\toprule\n  {head} \\\\\n  \\midrule\n  \\endfirsthead\n"
        f"  \\toprule\n  {head} \\\\\n  \\midrule\n  \\endhead\n  \\bottomrule\n  \\endfoot\n"
        f"{rows}\\end{{longtable}}\n{_notes(table)}\\endgroup\n"
    )


def _head(table: Table) -> str:
    return " & ".join(tex(one_line(column)) for column in table.columns)


def _rows(table: Table, digits: int | None) -> list[str]:
    return [" & ".join(tex_cell(cell, digits) for cell in row) for row in table.rows]


def _notes(table: Table) -> str:
    if not table.notes:
        return ""
    lines = "".join(f"  \\par {tex(one_line(note))}\n" for note in table.notes)
    return f"  \\par\\smallskip\\raggedright\\footnotesize\n{lines}"


def _sides(table: Table) -> str:
    """Numbers flush right, words left, and sentences as paragraphs that share the line."""
    long = [
        any(isinstance(row[i], str) and len(str(row[i])) > WORDS for row in table.rows)
        for i in range(len(table.columns))
    ]
    share = 0.7 / max(1, sum(long)) if len(table.columns) < WIDE else 0.3
    paragraph = f">{{\\raggedright\\arraybackslash}}p{{{share:.2f}\\linewidth}}"
    return "".join(paragraph if long[i] else "r" if is_numeric(table, i) else "l" for i in range(len(table.columns)))


_SPECIAL = str.maketrans(
    {
        **{c: f"\\{c}" for c in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "`": r"\textasciigrave{}",
        '"': r"\textquotedbl{}",
        "[": "{[}",  # a bracket after \\ would be its argument
        "]": "{]}",
        "*": "{*}",
    }
)

LATIN = 0x180
"""Letters below this are set as they are; others by their number, which every font has."""


def tex(text: str) -> str:
    """Any text, as text: nothing in it is a command, and no two hyphens become a dash."""
    return "".join(_letter(c) for c in text.translate(_SPECIAL)).replace("--", "-{}-")


def _letter(c: str) -> str:
    return c if ord(c) < LATIN and c != "\xad" else f"U+{ord(c):04X}"


def tex_cell(cell: Cell, digits: int | None = None) -> str:
    """A cell; numbers rounded to so many digits, or exact."""
    if isinstance(cell, (int, float)) and not isinstance(cell, bool) and math.isfinite(cell):
        return _number(cell, digits)
    if isinstance(cell, tuple) and all(map(math.isfinite, cell)):
        shown = cell if digits is None or len(cell) <= COORDINATES else cell[: COORDINATES - 1]
        inner = ", ".join(_number(float(c), digits) for c in shown)
        return f"({inner})" if len(shown) == len(cell) else f"({inner}, \\dots)"
    return "--" if cell is None else tex(plain_text(cell))


def _number(value: float, digits: int | None) -> str:
    text = repr(value) if digits is None or isinstance(value, int) else f"{value:.{digits}g}"
    mantissa, _, exponent = text.partition("e")
    return f"${mantissa} \\times 10^{{{int(exponent)}}}$" if exponent else f"${mantissa}$"
