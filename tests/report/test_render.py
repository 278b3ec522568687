"""Tables in every format: what is written can be read back, and no name breaks a format."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.store.record import RunRecord
from cpcbench.report.cells import one_line, plain_text
from cpcbench.report.paper.beside import paper_tables
from cpcbench.report.render import FORMATS, render
from cpcbench.report.study.tables import study_tables
from cpcbench.report.table import Table
from tests.report.test_paper_tables import PUBLISHED

MARKED = (
    '<script>alert(1)</script> | a & b_c $d$ #e %f ~g^h {i} [bold]j[/bold] \\k *l* `m`\nn\r\x1b[31mo http://p "q", r'
)


def test_tables_check_their_shape() -> None:
    with pytest.raises(CpcbenchError, match="2 columns, a row of 1"):
        Table("k", "t", ("a", "b"), ((1,),))
    with pytest.raises(CpcbenchError, match="no column 'c': it has a, b"):
        Table("k", "t", ("a", "b"), ()).column("c")


def sample(text: str) -> Table:
    return Table(
        key="k",
        title=f"title {text}",
        columns=("name", f"column {text}", "x", "value"),
        rows=((text, "-", (1.5, math.nan), math.nan), ("plain", None, None, -1e-300), ("=1+1", True, (), math.inf)),
        notes=(f"note {text}", "- item", "1. item"),
    )


def columns_of(line: str) -> list[str]:
    return re.split(r"(?<!\\)\|", line)[1:-1]


def test_markdown_keeps_its_columns_and_lets_no_markup_through() -> None:
    text = render([sample(MARKED)], "markdown")
    lines = text.splitlines()
    grid = [line for line in lines if line.startswith("|")]
    assert len(grid) == 5
    assert all(len(columns_of(line)) == 4 for line in grid)
    assert "<" not in text
    assert "&lt;script&gt;" in text
    assert "a &amp; b\\_c \\$d\\$ \\#e" in text
    assert "\\[bold\\]j" in text
    assert "\\*l\\* \\`m\\`" in text
    assert "http://" not in text
    assert "\x1b" not in text
    assert "\\- item" in lines
    assert "1\\. item" in lines
    assert columns_of(grid[2])[2:] == [" (1.5, undefined) ", " undefined "]


def test_latex_escapes_everything_special() -> None:
    text = render([sample(MARKED)], "latex")
    assert r"\textless{}script\textgreater{}" in text
    assert r"a \& b\_c \$d\$ \#e \%f \textasciitilde{}g\textasciicircum{}h \{i\} {[}bold{]}j" in text
    assert r"\textbackslash{}k {*}l{*}" in text
    assert r"\textbar{}" in text
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 4
    assert all(len(re.findall(r"(?<!\\)&", row)) == 3 for row in rows)
    assert r"$-1 \times 10^{-300}$" in text
    assert r"(1.5, undefined) & undefined" in text
    for word in ("\\toprule", "\\midrule", "\\bottomrule"):
        assert text.count(word) == 1


def test_csv_can_be_read_back_and_starts_no_formula() -> None:
    text = render([sample(MARKED)], "csv")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    rows = list(csv.reader(lines))
    assert [len(row) for row in rows] == [4, 4, 4, 4]
    assert rows[1][0] == one_line(MARKED)
    assert rows[1][1:] == ["'-", "(1.5, undefined)", "undefined"]
    assert rows[2] == ["plain", "", "", "-1e-300"]
    assert rows[3] == ["'=1+1", "yes", "()", "inf"]
    assert text.splitlines()[0] == f"# title {one_line(MARKED)}"


def test_json_can_be_read_back() -> None:
    (table,) = json.loads(render([sample(MARKED)], "json"))["tables"]
    assert table["title"] == f"title {MARKED}"
    assert table["rows"][0] == [MARKED, "-", [1.5, None], None]
    assert table["rows"][1] == ["plain", None, None, -1e-300]
    assert table["rows"][2] == ["=1+1", True, [], "inf"]
    assert (table["key"], table["columns"][0], len(table["notes"])) == ("k", "name", 3)


def test_the_terminal_shows_brackets_and_no_control_characters() -> None:
    text = render([sample(MARKED)], "terminal")
    assert "[bold]j[/bold]" in text
    assert "\x1b" not in text
    assert "\\x1b[31mo" in text
    assert "undefined" in text
    assert len([line for line in text.splitlines() if line.startswith("│")]) == 3
    narrow = render([sample("word " * 20)], "terminal", width=60)
    assert max(map(len, narrow.splitlines())) <= 60


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(CpcbenchError, match="unknown format 'pdf' for tables: there are terminal, markdown"):
        render([], "pdf")


@pytest.mark.parametrize("format_", FORMATS)
def test_no_tables_and_empty_tables(format_: str) -> None:
    assert isinstance(render([], format_), str)
    assert "lonely" in render([Table("k", "t", ("lonely",), ())], format_)


@pytest.mark.parametrize("format_", FORMATS)
def test_every_real_table_can_be_rendered(format_: str) -> None:
    records: list[RunRecord] = [replace(r, solver=MARKED) if r.solver == "GA" else r for r in PUBLISHED]
    tables = [*study_tables(records), *paper_tables(records)]
    text = render(tables, format_)
    assert not re.search(r"\bnan\b|\bNaN\b", text)
    assert ("<script>" in text) is (format_ in ("terminal", "csv", "json"))
    assert text.count("alert(1)") >= 25  # once a function at least


def test_numbers_are_shown_so_that_they_can_be_read_back() -> None:
    assert plain_text(0.1 + 0.2) == "0.30000000000000004"
    assert [plain_text(cell) for cell in (3, True, None, math.nan, -math.inf)] == ["3", "yes", "-", "undefined", "-inf"]


@given(st.text(max_size=30))
def test_any_name_is_safe_in_any_format(name: str) -> None:
    table = Table("k", name, ("a", name), ((name, 1.0), ("b", name)), (name,))
    shown = {format_: render([table], format_) for format_ in FORMATS}
    assert json.loads(shown["json"])["tables"][0]["rows"][0][0] == name
    grid = [line for line in shown["markdown"].splitlines() if line.startswith("|")]
    assert len(grid) >= 4
    assert all(len(columns_of(line)) == 2 for line in grid[:4])
    assert "<" not in shown["markdown"]
    rows: Any = list(csv.reader(io.StringIO(shown["csv"].split("\n", 1)[1])))
    assert rows[1] == [plain_csv(name), "1.0"]
    for text in shown.values():
        assert all(c.isprintable() or c == "\n" for c in text)


def plain_csv(name: str) -> str:
    shown = one_line(name)
    return f"'{shown}" if shown.startswith(("=", "+", "-", "@")) else shown
