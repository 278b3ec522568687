"""IOHprofiler's format: ioh's own layout, read back by iohinspector with the numbers of the records."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError
from cpcbench.experiment.formats.export import export_runs
from cpcbench.experiment.formats.ioh import LARGEST, UNDEFINED, rows_of
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import Store
from tests.experiment.statistics.small_studies import made
from tests.material.outside.libraries import library


def study() -> list[RunRecord]:
    """Runs as studies have them: found at once, found late, never found, crashed; two solvers, rules and sizes."""
    records = [
        made(solver="B&B", run=1, trajectory=((1, 5.0), (7, 0.25), (90, 1.5e-7)), evaluations=100),
        made(solver="B&B", run=2, trajectory=((3, 2.0), (100, -1e-300)), evaluations=100),
        made(solver="B&B", run=3, trajectory=(), kind="none", evaluations=100),
        made(solver="B&B", run=4, trajectory=(), kind="none", evaluations=100),
        made(solver="B&B", run=5, trajectory=(), kind="none", evaluations=0, status="crashed"),
        made(solver="SA", run=1, trajectory=((1, 5.0), (2, 4.0)), evaluations=50),
        made(problem="somebody's own", solver="SA", run=1, trajectory=((2, 8.0),), evaluations=9),
        made(problem="CPC-DF4", n=3, solver="SA", run=1, trajectory=((4, -8.0),), evaluations=9),
        made(problem="CPC-DF4", n=8, solver="SA", run=1, trajectory=((5, -9.0),), evaluations=9),
    ]
    return [*records, replace(records[0], rule="strict")]


def read(folder: Path, monotonic: bool) -> Any:
    DataManager = library("iohinspector").DataManager

    manager = DataManager()
    manager.add_folder(str(folder))
    return manager.load(monotonic=monotonic, include_meta_data=True).sort("evaluations").to_dicts()


def test_iohinspector_reads_the_numbers_of_the_records(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    assert export_runs(study(), folder, "ioh") == 10
    rows = read(folder, monotonic=False)
    for record in study():
        mine = [
            row
            for row in rows
            if (row["algorithm_name"], row["function_name"], row["dimension"], row["suite"], row["run_id"])
            == (record.solver, record.problem, record.n, f"cpcbench-{record.rule}", record.run)
        ]
        found = [(row["evaluations"], row["raw_y"]) for row in mine]
        assert found == list(rows_of(record, UNDEFINED[(record.run - 1) % 2]))
        assert {row["evals"] for row in mine} == {max(1, record.evaluations)}
        best = record.trajectory[-1][1] if record.trajectory else UNDEFINED[(record.run - 1) % 2]
        assert {row["best_y"] for row in mine} == {best}


def test_runs_that_found_nothing_survive_the_monotone_reading(tmp_path: Path) -> None:
    export_runs(study(), tmp_path / "runs", "ioh")
    rows = read(tmp_path / "runs", monotonic=True)
    nothing = {row["run_id"] for row in rows if row["algorithm_name"] == "B&B" and row["best_y"] >= 1e100}
    assert nothing == {3, 4, 5}


def test_functions_under_different_rules_and_of_users_have_ids_of_their_own(tmp_path: Path) -> None:
    export_runs(study(), tmp_path / "runs", "ioh")
    ids = {(row["suite"], row["function_name"], row["function_id"]) for row in read(tmp_path / "runs", False)}
    assert ids == {
        ("cpcbench-ieee", "CPC-DF1", 1),
        ("cpcbench-strict", "CPC-DF1", 101),
        ("cpcbench-ieee", "CPC-DF4", 4),
        ("cpcbench-ieee", "somebody's own", 1001),
    }
    (both,) = (tmp_path / "runs").glob("ieee/SA/IOHprofiler_f4_CPC-DF4.json")
    assert [s["dimension"] for s in json.loads(both.read_text())["scenarios"]] == [3, 8]


def test_lines_of_a_run() -> None:
    late = made(trajectory=((3, 2.0), (9, 1.0)), evaluations=20)
    assert list(rows_of(late)) == [(1, 1e100), (3, 2.0), (9, 1.0), (20, 1.0)]
    at_once = made(trajectory=((1, 2.0), (20, 1.0)), evaluations=20)
    assert list(rows_of(at_once)) == [(1, 2.0), (20, 1.0)]
    endless = made(trajectory=((2, math.inf), (3, 1e200), (4, -math.inf)), evaluations=4)
    assert list(rows_of(endless)) == [(1, LARGEST), (2, LARGEST), (3, 1e200), (4, -LARGEST)]


def test_the_point_is_given_only_if_it_has_the_best_value(tmp_path: Path) -> None:
    own = made(run=1, trajectory=((1, 2.0),), x=(0.5, 1.0), fast=2.0)
    other = made(run=2, trajectory=((1, 2.0),), x=(0.5, 1.0), fast=3.0)
    broken = made(run=3, trajectory=((1, 2.0),), x=(0.5, math.nan), fast=2.0)
    export_runs([own, other, broken], tmp_path / "runs", "ioh")
    (file,) = (tmp_path / "runs").glob("**/*.json")
    runs = json.loads(file.read_text())["scenarios"][0]["runs"]
    assert [run["best"]["x"] for run in runs] == [[0.5, 1.0], [], []]


def test_the_layout_is_that_of_iohs_own_logger(tmp_path: Path) -> None:
    ioh = library("ioh")
    problem = ioh.get_problem(1, 1, 2)
    logger = ioh.logger.Analyzer(root=str(tmp_path), folder_name="theirs", algorithm_name="SA")
    problem.attach_logger(logger)
    for _ in range(2):
        for x in ([1.0, 2.0], [0.5, 1.0], [3.0, 3.0]):
            problem(x)
        problem.reset()
    problem.detach_logger()
    logger.close()
    twice = [made(run=run, trajectory=((1, 5.0), (2, 4.0)), evaluations=3) for run in (1, 2)]
    export_runs(twice, tmp_path / "ours", "ioh")
    (theirs,) = (tmp_path / "theirs").glob("*.json")
    (ours,) = (tmp_path / "ours").glob("ieee/GA/*.json")
    a, b = json.loads(theirs.read_text()), json.loads(ours.read_text())
    assert shape(a) == shape(b)
    assert tuple(map(int, b["version"].split("."))) >= (0, 3, 3)
    assert [line[:6] for line in theirs.read_text().splitlines()] == [
        line[:6] for line in ours.read_text().splitlines()
    ]
    data = [(file.parent / found["scenarios"][0]["path"]).read_text() for file, found in ((theirs, a), (ours, b))]
    kinds = [[line.split()[0] for line in text.splitlines()] for text in data]
    assert kinds == [["evaluations", "1", "2", "3"] * 2] * 2
    assert theirs.name.startswith("IOHprofiler_f1_")
    assert ours.name == "IOHprofiler_f1_CPC-DF1.json"


def shape(value: Any) -> Any:
    """The keys, in order, and the types of the values."""
    if isinstance(value, dict):
        return [(key, shape(item)) for key, item in value.items()]
    if isinstance(value, list):
        return [shape(item) for item in value]
    return float if type(value) is int else type(value)  # ioh writes 1.0 as 1


def test_names_that_look_alike_in_a_path_keep_their_folders(tmp_path: Path) -> None:
    names = ("a&b", "a|b", "A_b", "..", "")
    export_runs([made(solver=name) for name in names], tmp_path / "runs", "ioh")
    files = list((tmp_path / "runs" / "ieee").glob("*/*.json"))
    assert {json.loads(file.read_text())["algorithm"]["name"] for file in files} == set(names)
    assert len(files) == len(names)


def test_nothing_is_overwritten_or_left_half_done(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    with pytest.raises(CpcbenchError, match=r"runs is there already: .* a new folder"):
        export_runs(study(), tmp_path / "runs", "ioh")

    def interrupted() -> Any:
        yield from study()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export_runs(interrupted(), tmp_path / "other", "ioh")
    with pytest.raises(CpcbenchError, match="no runs to write"):
        export_runs([], tmp_path / "other", "ioh")
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]
    with pytest.raises(CpcbenchError, match="cannot write a folder"):
        export_runs(study(), tmp_path / "no" / "such" / "place", "ioh")
    with pytest.raises(CpcbenchError, match="unknown format 'coco' for runs: there are csv, parquet, ioh"):
        export_runs(study(), tmp_path / "other", "coco")
    with pytest.raises(CpcbenchError, match=r"ending in \.csv or \.parquet, or to a folder with the format ioh"):
        export_runs(study(), tmp_path / "other")


def test_parquet_is_written_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = library("pyarrow.parquet")
    monkeypatch.setattr("cpcbench.experiment.formats.export.AT_ONCE", 3)
    assert export_runs(iter(study()), tmp_path / "runs.parquet") == 10
    assert parquet.read_table(tmp_path / "runs.parquet").column("solver").to_pylist() == [r.solver for r in study()]
    assert parquet.ParquetFile(tmp_path / "runs.parquet").num_row_groups == 4


def test_the_command_writes_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store(tmp_path / "study.db", writing=True) as store:
        store.add(study())
    with pytest.raises(SystemExit) as stop:
        app(["runs", str(tmp_path / "study.db"), "--to", str(tmp_path / "out"), "--format", "ioh"])
    assert not stop.value.code
    assert "wrote 10 runs" in capsys.readouterr().err
    assert len(list((tmp_path / "out").glob("**/*.dat"))) == 6
