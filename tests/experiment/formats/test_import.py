"""Results of other programs, imported as a study: strictly read, stored whole or not at all, typed as any run."""

from __future__ import annotations

import contextlib
import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError
from cpcbench.experiment.formats.results import import_results, read_results
from cpcbench.experiment.store.store import Store
from cpcbench.problems.published import published_results
from cpcbench.report.paper.printed import is_point, published_records
from cpcbench.report.study.solutions import solutions

HEAD = "solver,problem,point,reported,run\n"
ONE = "closed,CPC-DF10,-5 5,1.0274505,1\n"


def written(folder: Path, text: str, name: str = "results.csv") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def published_csv() -> str:
    """The paper's own results as a file that a user would write."""
    stream = io.StringIO()
    table = csv.writer(stream)
    table.writerow(("problem", "algorithm", "x", "value"))
    for row in filter(is_point, published_results()):
        point = " ".join(map(repr, row.point or ()))
        table.writerow((row.problem, row.algorithm, point, "" if row.reported is None else repr(row.reported)))
    return stream.getvalue()


def test_the_published_rows_get_the_types_that_they_have_as_published_records(tmp_path: Path) -> None:
    records = import_results(written(tmp_path, published_csv()), tmp_path / "s.db", rule="strict")
    assert len(records) == 162
    assert {r.status for r in records} == {"imported"}
    ours = {(s.record.problem, s.record.solver): s.assessment.types for s in solutions(records)}
    theirs = {(s.record.problem, s.record.solver): s.assessment.types for s in solutions(published_records())}
    assert ours == theirs
    assert sum("IV" in types for types in ours.values()) > 10
    assert ours["CPC-DF10", "B&B"] == ("II", "IV")  # reported 0.72, the point gives 9.91
    with Store(tmp_path / "s.db") as study:
        again = list(study.records())
    assert sorted(r.key for r in again) == sorted(r.key for r in records)
    assert all(r.solver_source["path"] == "results.csv" and len(r.solver_source["sha256"]) == 64 for r in again)


def test_an_imported_study_is_reported_beside_the_paper(tmp_path: Path) -> None:
    file, store = written(tmp_path, published_csv()), tmp_path / "s.db"
    done = CliRunner().invoke(app, ["import", str(file), "--store", str(store), "--rule", "strict"])
    assert done.exit_code == 0, done.output
    assert "162 results imported into" in done.stdout
    report = CliRunner().invoke(app, ["report", str(store), "--paper", "--format", "markdown"])
    assert report.exit_code == 0, report.output
    assert "results imported, not runs made here: B&amp;B, BFGS+MS, GA, GPSO, SA, UGO" in report.stdout
    assert "other settings" not in report.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no column solver, no column problem, no column point: the columns are solver, problem, point and"),
        ("solver,problem,point,colour\n", "an unknown column 'colour'"),
        ("solver,problem,point,x\n", "the column point twice"),
        (HEAD, "holds no results"),
        (HEAD + "closed,CPC-DF10,-5 5,1\n", "line 2 has 4 cells, the first 5"),
        (HEAD + "closed,CPC-DF99,-5 5,1,1\n", "line 2: unknown problem 'CPC-DF99'"),
        (HEAD + ONE + "closed,CPC-DF10,-5,1,2\n", "line 3: CPC-DF10 has 2 variables, the point has 1 coordinates"),
        (HEAD + "closed,CPC-DF10,-5 five,1,1\n", "line 2: point takes a finite number, not 'five'"),
        (HEAD + "closed,CPC-DF10,-5 inf,1,1\n", "line 2: point takes a finite number, not 'inf'"),
        (HEAD + "closed,CPC-DF10,-5 5,nan,1\n", "line 2: reported takes a finite number, not 'nan'"),
        (HEAD + "closed,CPC-DF10,-5 5,1,0\n", "line 2: run takes a whole number from 1 on, not '0'"),
        (HEAD + "closed,CPC-DF10,-5 5,1,1.5\n", "line 2: run takes a whole number from 1 on, not '1.5'"),
        (HEAD + ",CPC-DF10,-5 5,1,1\n", "line 2: a solver has a name of 1 to 100 characters, not ''"),
        (HEAD + ONE + ONE, "line 3: run 1 of closed is in line 2 already"),
        (HEAD + "closed,CPC-DF10,x y,1,1\n" * 7, "; and 2 more; nothing was imported"),
        (HEAD + 'closed,CPC-DF10,"-5 5,1,1\n', "is not a CSV file: line 2"),
    ],
)
def test_a_bad_file_is_refused_with_its_lines_and_nothing_is_stored(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(CpcbenchError) as refused:
        import_results(written(tmp_path, text), tmp_path / "s.db")
    assert message in str(refused.value)
    assert not (tmp_path / "s.db").exists()


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    for content in (b"\xff\xfes\0o\0", b"solver,problem,point\n\xe9,CPC-DF1,1 1\n"):
        (tmp_path / "r.csv").write_bytes(content)
        with pytest.raises(CpcbenchError, match="UTF-8"):
            import_results(tmp_path / "r.csv", tmp_path / "s.db")


@given(st.text(alphabet='abc,"\n\r 1-.;eCPDF', max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    with contextlib.suppress(CpcbenchError):  # and nothing else
        assert read_results(HEAD + text, "results.csv")


def test_rows_without_a_run_are_numbered_and_sizes_follow_the_point(tmp_path: Path) -> None:
    text = "solver,problem,point\nA,CPC-DF4,1 2 3\nA,CPC-DF4,\nA,CPC-DF4,4 5 6\nB,CPC-DF4,1 2 3\n"
    made = [(r.solver, r.n, r.run) for r in import_results(written(tmp_path, text), tmp_path / "s.db")]
    assert made == [("A", 3, 1), ("A", 5, 1), ("A", 3, 2), ("B", 3, 1)]


def test_what_is_there_is_never_lost_or_mixed(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    import_results(written(tmp_path, HEAD + ONE), store)
    more = written(tmp_path, HEAD + ONE.replace(",1\n", ",2\n") + ONE, "more.csv")
    with pytest.raises(
        CpcbenchError, match=r"line 3: .* holds run 1 of closed on CPC-DF10 already; nothing was imported"
    ):
        import_results(more, store)
    with Store(store) as study:
        assert len(study) == 1
    import_results(written(tmp_path, HEAD + ONE.replace(",1\n", ",2\n")), store)
    cpc.run(["CPC-DF10"], ["SA"], 1, store, budget=20)
    with pytest.raises(CpcbenchError, match="holds runs of SA that were made here"):
        import_results(written(tmp_path, HEAD + ONE.replace("closed", "SA")), store)
    other = tmp_path / "o.db"
    import_results(written(tmp_path, HEAD + ONE.replace("closed", "SA")), other)
    with pytest.raises(CpcbenchError, match="holds runs of SA with other settings"):
        cpc.run(["CPC-DF10"], ["SA"], 2, other, budget=20)
    with (
        Store(store, writing=True) as mine,
        Store(other) as theirs,
        pytest.raises(CpcbenchError, match="other settings"),
    ):
        mine.merge(theirs)
