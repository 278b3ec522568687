"""Tables and charts say how their runs were made, and charts and numbers show what there is to see."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import Store
from cpcbench.report.page import markup
from cpcbench.report.page.study import StudyParts
from cpcbench.report.paper.beside import measured, paper_tables, side_by_side
from cpcbench.report.problems.close_ups import df15_sensitivity
from cpcbench.report.study.charts import Chart
from cpcbench.report.study.circumstances import Circumstances
from cpcbench.report.study.statistics import statistics_tables
from cpcbench.report.study.tables import study_tables, summary_tables
from cpcbench.report.table import Cell
from tests.experiment.test_run_records import DF3_BEST, record

BEST = replace(
    record("CPC-DF3", DF3_BEST, run=1), kind="faithful", solver="GA", budget=10_000, evaluations=500, seed="7:1,2",
    trajectory=((500, -20.0),),
)  # fmt: skip


def study(path: Path, records: list[RunRecord]) -> Path:
    with Store(path, writing=True) as store:
        store.add(records)
    return path


def test_the_line_says_all_of_it() -> None:
    same = [BEST, replace(BEST, run=2), replace(BEST, solver="SA")]
    assert Circumstances(same).line("strict") == (
        "Runs of a solver on a problem: 1 to 2; evaluations a run 10,000; seconds a run no limit; seed 7; rule strict."
    )
    other = replace(BEST, solver="SA", budget=None, seconds_limit=2.5)
    line = Circumstances([BEST, other]).line("strict")
    assert "evaluations a run GA 10,000, SA no limit; seconds a run GA no limit, SA 2.5;" in line
    many = [replace(BEST, solver=f"s{i}") for i in range(6)] + [other]
    assert "evaluations a run 10,000, but SA no limit;" in Circumstances(many).line("strict")


def test_every_table_of_a_study_states_its_circumstances(tmp_path: Path) -> None:
    records = [BEST, replace(BEST, run=2, solver="SA")]
    line = Circumstances(records).line("strict")
    with Store(study(tmp_path / "s.db", records)) as store:
        assert Circumstances(store).line("strict") == line
        tables = [
            *study_tables(store.records(trajectories=False))[:-3],
            *statistics_tables(store),
            *summary_tables(records),
        ]
        parts = StudyParts(store)
        html, runs = parts.result() + parts.solvers() + parts.matrices(), parts.runs()
    assert len(tables) > 12
    assert {table.notes[0] for table in tables} == {line}
    assert html.count(line) >= 6
    assert all("evaluations a run 10,000" in cell["note"] for cell in runs.values())
    beside = [t for t in paper_tables(records) if t.key in ("side-by-side", "differences")]
    assert [t.notes[0] for t in beside] == [line, line]


def test_a_small_budget_is_not_held_against_the_papers() -> None:
    table = side_by_side(*measured([replace(BEST, solver="GA")]))
    (row,) = [row for row in table.rows if row[:2] == ("CPC-DF3", "GA")]
    assert str(row[4]).endswith(", other settings")
    assert any("Not the published settings" in note and "GA (budget 10,000 instead of none)" in note
               for note in table.notes)  # fmt: skip
    assert any("best of 20 runs, these of 1." in note for note in table.notes)
    as_published = side_by_side(*measured([replace(BEST, solver="GA", budget=None)]))
    (row,) = [row for row in as_published.rows if row[:2] == ("CPC-DF3", "GA")]
    assert not str(row[4]).endswith("other settings")


def charts(path: Path, records: list[RunRecord]) -> tuple[str, dict[str, Chart]]:
    with Store(study(path, records)) as store:
        parts = StudyParts(store)
        return parts.result() + parts.solvers(), parts.charts[0]


def test_a_profile_of_one_step_is_a_line(tmp_path: Path) -> None:
    """One solver is as fast as the fastest: its profile is a single step at 1."""
    solved = replace(BEST, reference=-10.6, fast=-10.6, in_box=True)
    html, drawn = charts(tmp_path / "s.db", [solved, replace(solved, solver="SA", reference=5.0, reported=5.0)])
    assert html.count('class="chart"') == 3
    profile = drawn["performance"]
    assert profile.window == ((1.0, 3.0), (0.0, 1.0))
    assert {s.name: (s.x.tolist(), s.y.tolist()) for s in profile.series} == {
        "GA": ([1.0, 3.0], [1.0, 1.0]),
        "SA": ([1.0, 3.0], [0.0, 0.0]),
    }
    assert all(value > 0 for series in drawn["data"].series for value in series.x), "on a logarithmic axis"


def test_a_chart_of_nothing_says_so(tmp_path: Path) -> None:
    html, drawn = charts(tmp_path / "s.db", [replace(BEST, reference=5.0, reported=5.0)])
    assert drawn == {}
    assert html.count("there is nothing to draw") == 1


def test_neighbours_on_the_page_are_told_apart() -> None:
    table = df15_sensitivity()
    html = markup.table(table)
    for column in ("x1", "x2"):
        for value in table.column(column):
            assert f">{value!r}<" in html
    pairs: list[tuple[Cell, ...]] = [((float(str(row[0])), float(str(row[1]))),) for row in table.rows]
    points = replace(table, columns=("x",), rows=tuple(pairs), notes=())
    assert len(set(markup.table(points).split("<tr>")[2:])) == len(table.rows)
