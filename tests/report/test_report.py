"""Tables and renderers: the published record comes out as it went in, and no name breaks a format."""

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
from cpcbench.experiment.plan.problems import CPC
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.verify.types import TYPES
from cpcbench.problems.published import published_results
from cpcbench.problems.registry import SUITE, problem
from cpcbench.report.paper.beside import collection_distribution, differences, measured, paper_tables, side_by_side
from cpcbench.report.paper.calibration import INCONSISTENT, MISFITS, calibration_table
from cpcbench.report.paper.known_errors import known_errors
from cpcbench.report.paper.printed import printed_figure, printed_names, printed_table, published_records
from cpcbench.report.problems.close_ups import df3_conditions, df3_neighbours, df15_sensitivity
from cpcbench.report.render import FORMATS, one_line, plain_text, render
from cpcbench.report.study.solutions import ALGORITHMS, at_published_size, solutions, solver_names
from cpcbench.report.study.tables import (
    comparison,
    feasible_ratio_groups,
    function_tables,
    reevaluation,
    study_tables,
    success_counts,
    summary_tables,
    type_distribution,
    types_found,
)
from cpcbench.report.table import Cell, Table
from tests.experiment.test_types import DF3_BEST, DF14_THIN, record

PUBLISHED = list(published_records())
FOUND = solutions(PUBLISHED)
MARKED = (
    '<script>alert(1)</script> | a & b_c $d$ #e %f ~g^h {i} [bold]j[/bold] \\k *l* `m`\nn\r\x1b[31mo http://p "q", r'
)


def by_key(table: Table) -> dict[Cell, tuple[Cell, ...]]:
    return {row[0]: row[1:] for row in table.rows}


# From records to solutions


def test_the_best_run_of_each_solver_is_shown_whatever_it_reported() -> None:
    lie = record("CPC-DF3", (6.0, 6.0), -99.0, run=0)
    best = record("CPC-DF3", DF3_BEST, run=1)
    (found,) = solutions([lie, best])
    assert found.record is best
    assert (found.assessment.types, found.runs, found.solved, found.success) == (("I",), 2, 1, "1/2")


def test_solvers_sizes_and_rules_are_kept_apart() -> None:
    first = record("CPC-DF3", DF3_BEST)
    others = [replace(first, solver="SA"), record("CPC-DF3", DF3_BEST, rule="ieee")]
    assert len(solutions([first, *others])) == 3
    with pytest.raises(CpcbenchError, match="the rule paper or strict"):
        solutions([first], "luck")


def test_a_thin_run_is_neither_taken_as_the_best_nor_lost() -> None:
    thin = record("CPC-DF14", DF14_THIN, rule="ieee", run=0)
    regular = record("CPC-DF14", (3.0, 0.5), rule="ieee", run=1)
    (found,) = solutions([thin, regular])
    assert found.record is regular
    assert found.assessment.types == ("I",)
    assert found.below == (("thin", thin.verified),)
    assert found.flag == f"thin value below published: {thin.verified!r}"
    table = types_found([found])
    assert table.rows == (("CPC-DF14", "I *"),)
    assert table.notes == (f"* CPC-DF14, GA: {found.flag}.",)


def test_a_better_solution_is_marked() -> None:
    better = replace(record("CPC-DF9", (5.0, 5.0)), reference=0.01, reported=0.01, kind="faithful")
    (found,) = solutions([better])
    assert (found.assessment.types, found.assessment.better) == (("I",), True)
    assert found.flag == "better than published: 0.01"
    assert found.flag in str(type_distribution([found]).notes)
    remark = {row[:2]: row[5] for row in side_by_side(*measured([better])).rows}
    assert remark["CPC-DF9", "GA"] == "measured: better than published: 0.01"


def test_all_tables_of_a_report_follow_one_rule() -> None:
    """The published point of CPC-DF9 is not optimal: Type I in the paper, local beside the proven infimum."""
    p = problem("CPC-DF9", rule="strict")
    assert p.published is not None
    made = record("CPC-DF9", tuple(p.published.points[0].tolist()))
    for name, type_ in (("paper", "I"), ("strict", "II")):
        assert solutions([made], name)[0].assessment.types == (type_,)
        beside = side_by_side(*measured([made], name))
        assert {row[:2]: row[3] for row in beside.rows}["CPC-DF9", "GA"] == type_


def test_a_problem_that_is_not_known_here_can_be_reported() -> None:
    own = replace(record("CPC-DF3", DF3_BEST), problem="somebody's", rule="ieee")
    (found,) = solutions([own])
    assert (found.assessment.text, found.success) == ("admissible", None)
    (table,) = function_tables([found])
    assert [row[0] for row in table.rows] == ["GA"]
    assert success_counts([found]).rows == (("somebody's (n = 2)", None),)


def test_a_users_problem_is_not_taken_for_one_of_the_suite_by_a_short_name() -> None:
    (found,) = solutions([replace(record("CPC-DF3", DF3_BEST), problem="DF3")])
    assert (found.assessment.text, found.success) == ("admissible", None)


def test_other_sizes_do_not_count_for_the_papers_tables() -> None:
    small = replace(record("CPC-DF4", None), n=3)
    found = solutions([small])
    assert at_published_size(found, CPC) == []
    assert [t.key for t in summary_tables([small])] == ["types-strict", "success-strict"]
    assert types_found(found).rows == (("CPC-DF4 (n = 3)", "III"),)


# Tables of a study


def test_the_function_table_shows_what_is_on_record_first() -> None:
    table = function_tables(FOUND)[2]
    assert table.title == "Best solutions on CPC-DF3, n = 2 (rule strict)"
    assert table.rows[0][:4] == ("published", DF3_BEST, None, -10.503674524476093)
    rows = by_key(table)
    assert list(rows) == ["published", *ALGORITHMS]
    assert [row[0] for row in function_tables(FOUND)[8].rows[:2]] == ["published", "proven infimum"]
    assert rows["UGO"][:5] == (DF3_BEST, -10.5036630152501, -10.503674524476093, "artefact", "I, IV")
    assert rows["BFGS+MS"] == (None, None, None, "none", "III", None, "0/1")


def test_the_distribution_is_in_percent_of_the_functions() -> None:
    rows = by_key(type_distribution(FOUND))
    assert type_distribution(FOUND).columns == ("", *ALGORITHMS)
    counts = {
        t: tuple(
            4.0 * sum(t in s.assessment.types for s in FOUND if s.record.solver == a and s.record.problem in CPC)
            for a in ALGORITHMS
        )
        for t in TYPES
    }
    assert rows == {f"Type {t} (%)": counts[t] for t in TYPES}
    assert rows["Type III (%)"] == (16.0, 0.0, 12.0, 28.0, 72.0, 28.0)


def test_a_distribution_over_fewer_functions_says_so() -> None:
    some = solutions([r for r in PUBLISHED if r.problem in ("CPC-DF1", "CPC-DF3") and r.solver == "GA"])
    table = type_distribution(some)
    assert by_key(table)["Type I (%)"] == (50.0,)
    assert "GA: 2 of 25 functions." in table.notes


def test_the_groups_by_feasible_ratio() -> None:
    rows = by_key(feasible_ratio_groups(FOUND))
    assert rows["FR > 1 %"][-1] == 42
    assert rows["FR < 1 %"][-1] == 108
    assert rows["FR > 1 %"][2] == 4.8
    assert rows["FR < 1 %"][2] == 34.3
    empty = by_key(feasible_ratio_groups(solutions([record("CPC-DF3", DF3_BEST)])))
    assert empty["FR > 1 %"] == (None, None, None, None, 0)


def test_the_comparison_with_functions_from_elsewhere() -> None:
    rows = by_key(comparison(FOUND))
    assert rows["CPC-DF16"] == ("II", "I", "III", "III", "III", "III")
    assert rows["F138"] == ("I", "II, IV", "I", "I", "II", "I")
    assert "CPC-DF1" not in rows


def test_reevaluation_shows_type_four_only() -> None:
    table = reevaluation(FOUND, "CPC-DF3")
    assert [row[0] for row in table.rows[:2]] == ["UGO (reported)", "UGO (re-evaluated)"]
    assert [row[2] for row in table.rows[:2]] == [-10.5036630152501, -10.503674524476093]
    assert {str(row[0]).split()[0] for row in table.rows} == {"UGO", "B&B", "SA"}
    assert reevaluation(FOUND, "CPC-DF13").notes == ("No solver's best solution is of Type IV.",)


def test_all_tables_of_a_study() -> None:
    both = [record("CPC-DF3", DF3_BEST), record("CPC-DF3", DF3_BEST, rule="ieee")]
    keys = [t.key for t in study_tables(both)]
    assert len(set(keys)) == len(keys)
    assert {"types-ieee", "types-strict", "solutions-CPC-DF3-n2-ieee", "df3-neighbours"} <= set(keys)
    for empty in (study_tables, summary_tables):
        with pytest.raises(CpcbenchError, match="no runs to report"):
            empty([])


def test_close_ups_give_the_values_in_doubles() -> None:
    values = df3_neighbours().column("value in doubles")
    assert math.isnan(values[0])  # type: ignore[arg-type]
    assert values[1:] == [-10.503674524476093, -10.192474818519308]
    assert df3_conditions().column("holds")[:3] == ["no", "cannot be computed", "yes"]
    assert df3_conditions().column("holds")[3:] == ["yes"] * 6
    printed = [row[1] for row in printed_table("df15_sensitivity").rows]
    for value, said in zip(df15_sensitivity().column("value in doubles"), printed, strict=True):
        assert isinstance(value, float)
        assert isinstance(said, float)
        assert math.isnan(value) if math.isnan(said) else value == pytest.approx(said, rel=1e-14)


def test_tables_check_their_shape() -> None:
    with pytest.raises(CpcbenchError, match="2 columns, a row of 1"):
        Table("k", "t", ("a", "b"), ((1,),))
    with pytest.raises(CpcbenchError, match="no column 'c': it has a, b"):
        Table("k", "t", ("a", "b"), ()).column("c")


# The published record


def test_the_printed_tables_are_all_there() -> None:
    assert len(printed_names()) == 10  # and the overview of the functions, whose cells are in facts.toml
    assert [len(printed_table(name).rows) for name in printed_names()] == [4, 6, 5, 7, 4, 4, 6, 2, 3, 6]
    assert printed_table("type_distribution").column("UGO") == [84, 16, 0, 12]
    assert printed_table("df3_solutions").rows[5][:2] == ("BFGS+MS", None)
    assert printed_table("comparison").rows[2][1] == "II, IV"
    assert printed_figure("gpso_type_ii_or_iii") == 88.0
    with pytest.raises(CpcbenchError, match="no printed table 'text'"):
        printed_table("text")


def test_published_records_are_the_collections_rows_verified_again() -> None:
    assert len(PUBLISHED) == 168 - 6  # Corana's points have five coordinates
    rows = {(r.problem, r.algorithm): r for r in published_results()}
    for made in PUBLISHED:
        row = rows[made.problem, made.solver]
        assert (made.x, made.reported) == (row.point, row.reported)
        if row.matches and row.recomputed is not None and not math.isnan(row.recomputed):
            assert made.verified == pytest.approx(row.recomputed, rel=1e-15)


def test_the_collections_own_distribution() -> None:
    rows = by_key(collection_distribution())
    assert rows["Type I (%)"] == (8.0, 100.0, 40.0, 0.0, 0.0, 4.0)
    assert rows["Type IV (%)"] == (32.0, 0.0, 0.0, 16.0, 0.0, 4.0)


def test_the_calibration_table_explains_every_row() -> None:
    table = calibration_table()
    assert "not explained" not in table.column("reason")
    assert {(row[0], row[1]) for row in table.rows} == {*MISFITS, *INCONSISTENT}
    assert table.notes[0] == "133 of 138 consistent rows get the published types (96.4%)."


def test_our_answer_to_a_closed_program_has_its_column() -> None:
    made = [replace(record("CPC-DF3", DF3_BEST), solver=name) for name in ("mine", "cpc", "SA", "GA", "B&B")]
    assert solver_names(solutions(made)) == ("B&B", "cpc", "GA", "SA", "mine")


def test_side_by_side_has_every_cell() -> None:
    table = side_by_side(*measured(PUBLISHED))
    assert len(table.rows) == len(SUITE) * len(ALGORITHMS) == 168
    assert table.column("verdict").count("not run") == 6
    different = {(row[0], row[1]) for row in table.rows if row[4] == "different"}
    corana = {("F37", a) for a in ALGORITHMS}
    assert different == {*MISFITS, *INCONSISTENT} - corana
    same = 168 - 6 - len(different)
    assert table.notes[0] == f"168 cells: {len(different)} different, 6 not run, {same} same."


def test_ugo_is_answered_by_our_solver_which_is_called_what_it_is() -> None:
    ours = replace(record("CPC-DF3", DF3_BEST), solver="cpc")
    table = side_by_side(*measured([ours]))
    cells = {(row[0], row[1]): (*row[3:5], row[6]) for row in table.rows}
    assert cells["CPC-DF3", "UGO"] == ("I", "answered by cpc, same", "cpc")
    assert cells["CPC-DF4", "UGO"] == (None, "not run", None)
    assert "UGO is closed: cpc is our open answer to a closed program, not that program." in table.notes
    rows = {row[0]: row for row in differences(*measured([ours])).rows}
    assert rows["UGO"][1:5] == (84, 100.0, 100.0, 0.0)
    assert rows["UGO"][-1] == "cpc"
    theirs = [r for r in PUBLISHED if r.solver == "UGO"]  # its own runs, imported, go first
    own = {(row[0], row[1]): row[6] for row in side_by_side(*measured([ours, *theirs])).rows}
    assert own["CPC-DF3", "UGO"] == "UGO"


def test_side_by_side_takes_the_published_rule_if_there_are_runs_under_it() -> None:
    strict, ieee = record("CPC-DF3", None), record("CPC-DF3", DF3_BEST, rule="ieee")
    types = {(row[0], row[1]): row[3] for row in side_by_side(*measured([ieee, strict])).rows}
    assert types["CPC-DF3", "GA"] == "III"
    only = side_by_side(*measured([ieee]))
    assert {(row[0], row[1]): row[3] for row in only.rows}["CPC-DF3", "GA"] == "I"
    assert "measured under the rule ieee" in only.title


def test_differences_are_counted_in_points_of_the_functions_run() -> None:
    rows = by_key(differences(*measured(PUBLISHED)))
    assert rows["GA"] == (44, 40.0, 28.0, -12.0, 12, 12.0, 12.0, 0.0, 27, 22, 5, "GA")
    assert rows["UGO"][:2] == (84, 100.0)
    two = [record("CPC-DF3", DF3_BEST), record("CPC-DF5", None)]
    assert by_key(differences(*measured(two)))["GA"] == (44, 0.0, 50.0, 50.0, 12, 50.0, 50.0, 0.0, 2, 1, 1, "GA")
    assert by_key(differences(*measured(two)))["UGO"] == (84, None, None, None, 0, None, None, None, 0, 0, 0, None)


def test_the_known_errors_are_recomputed() -> None:
    rows = {str(row[0]): row[1:] for row in known_errors().rows}
    assert rows["text: Type III below FR 1 %, percent"][:2] == (31.5, 34.3)
    assert rows["text: GPSO of Type II or III, percent"][:2] == (88.0, 96.0)
    assert rows["types of B&B: I, II, III, IV, percent"][:2] == ("12, 64, 16, 20", "8, 56, 16, 32")
    assert sum(where.startswith("types of ") for where in rows) == 6
    assert rows["types, FR > 1 %"][:2] == (9.6, 9.5)
    assert rows["cells of Type I of 150, from the two printed tables"][:2] == (36, 40)
    assert rows["CPC-DF3 neighbours: B (best-known)"][:2] == (-10.192474818519308, -10.503674524476093)
    assert [where for where in rows if where.startswith("CPC-DF3 conditions")] == [
        f"CPC-DF3 conditions: C, no. {number}" for number in (1, 2, 3)
    ]
    assert rows["CPC-DF5: best-known value"][1] == -1.7917592879437108
    assert math.isnan(rows["CPC-DF10: best-known value"][1])  # type: ignore[arg-type]
    assert rows["F138, UGO: value"][:2] == (0.0, 2.0)
    assert sum(where.startswith("F170") for where in rows) == 4
    assert rows["CPC-DF8: feasible ratio, percent"][:2] == (15.886572, 19.7024)
    assert sum("feasible ratio, percent" in where for where in rows) == 12
    assert {where.partition(":")[0]: row[1] for where, row in rows.items() if "number of optima" in where} == {
        "CPC-DF3": "none", "CPC-DF5": "286,720", "CPC-DF23": "at least 2^1 = 2", "CPC-DF24": "none",
        "CPC-DF25": "at least 2^2 = 4",
    }  # fmt: skip
    assert rows["CPC-DF5: separability"][:2] == ("separable", "not separable")
    assert rows["CPC-DF12: its optima, in the text"][:2] == ("asymmetric", "symmetric")
    assert rows["BFGS+MS: starts a run"][:2] == (2000, 20)
    assert {
        w.split(":")[0] for w, row in rows.items() if row[2] == "re-evaluated by the authors, yet not called Type IV"
    } == {
        "CPC-DF1, B&B",
        "CPC-DF3, UGO",
        "CPC-DF20, B&B",
    }
    assert sum(row[2] == "belongs to an older definition of the function" for row in rows.values()) == 12


def test_what_is_said_of_df3s_conditions_holds() -> None:
    """The values printed for point C are those at point A."""
    conditions = problem("CPC-DF3").conditions
    below = (6.1828121298815, DF3_BEST[1])
    printed = [row[2] for row in printed_table("df3_conditions").rows[3:]]
    assert [printed[0], printed[2]] == [conditions[0].value(below), conditions[2].value(below)]


def test_the_papers_tables_need_no_study() -> None:
    keys = [t.key for t in paper_tables()]
    assert len(keys) == 15
    assert keys[0] == "claims"
    assert "side-by-side" not in keys
    assert [t.key for t in paper_tables([record("CPC-DF3", DF3_BEST)])][-2:] == ["side-by-side", "differences"]


# Renderers


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
