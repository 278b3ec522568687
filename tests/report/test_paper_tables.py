"""The paper's tables: the published record comes out as it went in, with its known errors, beside what was measured."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from cpcbench.errors import CpcbenchError
from cpcbench.problems.published import published_results
from cpcbench.problems.registry import SUITE, problem
from cpcbench.report.paper.beside import collection_distribution, differences, measured, paper_tables, side_by_side
from cpcbench.report.paper.calibration import INCONSISTENT, MISFITS, calibration_table
from cpcbench.report.paper.known_errors import known_errors
from cpcbench.report.paper.printed import printed_figure, printed_names, printed_table, published_records
from cpcbench.report.study.solutions import ALGORITHMS, solutions, solver_names
from cpcbench.report.table import Cell, Table
from tests.experiment.test_run_records import DF3_BEST, record

PUBLISHED = list(published_records())


def by_key(table: Table) -> dict[Cell, tuple[Cell, ...]]:
    return {row[0]: row[1:] for row in table.rows}


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
