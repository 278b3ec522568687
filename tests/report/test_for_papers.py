"""What a paper takes of a study: tables in LaTeX, figures, and the same from Python."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError, UnknownNameError
from cpcbench.experiment.runner import run
from cpcbench.report.latex import LONG, latex_table, write_tables
from cpcbench.report.study.front import Study
from cpcbench.report.table import Table
from tests.material import tiny_solvers
from tests.material.outside.libraries import library, needs

NASTY = 'a & b_c 100% $x$ #1 {x} ~ ^ \\end{table} \\input{/etc/passwd} -- `q\' "r" ü 中'


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    path = tmp_path_factory.mktemp("study") / "s.db"
    run(["CPC-DF1", "CPC-DF9"], [tiny_solvers.random_search, tiny_solvers.liar], 4, path)
    return cpc.study(path)


def test_a_table_has_caption_label_and_rounded_numbers() -> None:
    table = Table(
        "types-ieee", "Types & more", ("x", "value", "n"), [((0.123456789, 1e-20), -1.23456789e-12, 7)], ("note",)
    )
    text = latex_table(table, digits=4)
    assert r"\caption{Types \& more}" in text
    assert r"\label{tab:types-ieee}" in text
    assert r"($0.1235$, $1 \times 10^{-20}$) & $-1.235 \times 10^{-12}$ & $7$ \\" in text
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 1
    assert "-1.23456789" in latex_table(table), "exact unless digits are asked for"


def test_points_of_many_coordinates_are_cut_in_print_only() -> None:
    table = Table("k", "t", ("x",), [(tuple(map(float, range(9))),)])
    assert r"($0$, $1$, $2$, \dots)" in latex_table(table, digits=3)
    assert r"\dots" not in latex_table(table)


def test_long_tables_run_over_pages() -> None:
    rows = [(f"row {i}", float(i)) for i in range(LONG + 1)]
    text = latex_table(Table("long", "Long", ("a", "b"), rows))
    assert text.count(r"\begin{longtable}") == text.count(r"\end{longtable}") == 1
    assert r"\endhead" in text
    assert r"\begin{table}" not in text
    assert r"\begin{longtable}" not in latex_table(Table("short", "Short", ("a", "b"), rows[:LONG]))


def test_names_stay_text_in_latex(tmp_path: Path) -> None:
    text = latex_table(Table("k", NASTY, (NASTY, "b"), [(NASTY, 1.0)], (NASTY,)))
    assert "\\end{table} \\input" not in text
    assert r"\textbackslash{}input\{/etc/passwd\}" in text
    assert "U+4E2D" in text
    with pytest.raises(CpcbenchError, match="letters, digits"):
        latex_table(Table("k", "t", ("a",), []), label="}\\input{x}")
    made = write_tables(
        [Table("../../etc/x", "t", ("a",), [("1",)]), Table("etc x", "t", ("a",), [("2",)])], tmp_path / "t"
    )
    assert [path.name for path in made] == ["etc-x.tex", "etc-x-1.tex", "all.tex"]


def test_tables_by_name(study: Study) -> None:
    types = study.table("types")
    assert types.key == "types-ieee" == study.table("types", rule="ieee").key
    assert types.to_latex().startswith("\\begin{table}")
    assert study.table("result").column("solver") == list(dict.fromkeys(study.table("result").column("solver")))
    assert {"result-ieee", "types-ieee", "ecdf-ieee", "ranks-ieee", "pairs-ieee"} <= set(study.tables)
    with pytest.raises(UnknownNameError, match="no table 'tipes': it has result-ieee"):
        study.table("tipes")
    assert "<table" in types._repr_html_()
    assert len(study) == 16
    assert study.results[0].sentence in repr(study)
    assert study.results[0].sentence.partition("'")[0] in study._repr_html_()


def test_as_pandas(study: Study) -> None:
    pandas = library("pandas")
    frame = study.table("types").to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == list(study.table("types").columns)
    assert frame.attrs["title"] == study.table("types").title
    runs = study.to_pandas()
    assert len(runs) == 16
    records = study.records()
    np.testing.assert_array_equal(runs["verified"].to_numpy(dtype=float), [r.verified for r in records])


@needs("matplotlib")
def test_figures_by_name(study: Study, tmp_path: Path) -> None:
    figure = study.figure("convergence")
    assert len(figure.axes) == 2
    drawn = study.charts("convergence")[0]
    lines = {tuple(line.get_xdata()) for line in figure.axes[0].lines}
    assert lines == {tuple(series.x) for series in drawn.series}  # type: ignore[union-attr]
    assert len(study.figure("final", problem="CPC-DF9").axes) == 1
    with pytest.raises(UnknownNameError, match="no figure 'ecfd'"):
        study.figure("ecfd")
    with pytest.raises(UnknownNameError, match="CPC-DF1, CPC-DF9"):
        study.figure("final", problem="CPC-DF2")
    with pytest.raises(UnknownNameError, match="there are ieee"):
        study.figure("ecdf", rule="strict")
    made = study.save_figures(tmp_path / "figures", ["final"])
    assert [path.name for path in made] == ["final.pdf", "final.svg", "final.png"]
    assert made[0].read_bytes().startswith(b"%PDF")


def test_the_command_writes_what_is_named(study: Study, tmp_path: Path) -> None:
    words = ["report", str(study.path), "--latex", str(tmp_path / "t"), "--names", "types,result"]
    made = CliRunner().invoke(app, words)
    assert made.exit_code == 0, made.output
    assert sorted(path.name for path in (tmp_path / "t").iterdir()) == ["all.tex", "result-ieee.tex", "types-ieee.tex"]
    for more, said in (
        (["--names", "tipes"], "--names tipes is not there: there are result-ieee"),
        (["--html", "x.html"], "leave the other options away"),
    ):
        refused = CliRunner().invoke(app, [*words[:4], *more])
        assert refused.exit_code == 2
        assert said in refused.output
    assert "--latex or --figures" in CliRunner().invoke(app, ["report", str(study.path), "--names", "types"]).output


def test_what_is_no_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CpcbenchError, match="there is no study"):
        cpc.study(tmp_path / "none.db")
    with pytest.raises(CpcbenchError, match="types are given by the rule"):
        cpc.study(tmp_path / "none.db", types="x")


@pytest.mark.slow
def test_a_tex_sets_every_table(study: Study, tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("no pdflatex: install texlive-latex-recommended of Debian")
    tables = [study.table(name) for name in study.tables]
    rows = [(f"{NASTY} {i}", float(i) / 3, NASTY * 2) for i in range(LONG + 30)]
    write_tables([*tables, Table("long", NASTY, ("a", "b", NASTY), rows, (NASTY,))], tmp_path)
    for _ in range(2):  # references are known in the second
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "all.tex"],
            check=False, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-2000:]
    assert "multiply defined" not in done.stdout
    pages = re.search(r"\((\d+) pages", done.stdout)
    assert pages is not None
    assert int(pages[1]) > len(tables)
    too_wide = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", done.stdout)]
    assert max(too_wide, default=0.0) < 60.0  # a longtable of words without a blank may stick out a little
