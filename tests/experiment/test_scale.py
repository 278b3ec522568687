"""A study of 100,000 runs is reported within bounded memory, and a small one of the same make says the same."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from benchmarks.speed.report_scale import RUNS, build, measured

from cpcbench.experiment.store.store import Store
from cpcbench.report.render import render
from cpcbench.report.study.statistics import statistics_tables
from cpcbench.report.study.tables import study_tables

MEGABYTES = 450
"""Of which about 200 are the interpreter with its libraries and compiled kernels."""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scale") / "small.db"
    assert build(path, runs=3, solvers=4) == 28 * 4 * 3
    return path


@pytest.mark.slow
def test_streaming_changes_no_table(small: Path) -> None:
    with Store(small) as store:
        records = list(store.records())
        backwards = records[::-1]
        assert render(statistics_tables(store), "json") == render(statistics_tables(records), "json")
    forwards = {table.key: table.rows for table in study_tables(records)}
    mixed = {table.key: {row[0]: row[1:] for row in table.rows} for table in study_tables(backwards)}
    assert {key: {row[0]: row[1:] for row in rows} for key, rows in forwards.items() if key.startswith("sol")} == {
        key: rows for key, rows in mixed.items() if key.startswith("sol")
    }


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="peak memory is asked of POSIX")
def test_a_large_study_is_reported_in_bounded_memory(tmp_path: Path) -> None:
    store = tmp_path / "large.db"
    assert build(store, RUNS) > 100_000
    for options in ((), ("--statistics",)):
        used = measured("report", str(store), *options, "--output", str(tmp_path / "report.txt"))
        assert used.code == 0, used.errors
        assert used.megabytes < MEGABYTES
    assert "How the runs ended" in (tmp_path / "report.txt").read_text(encoding="utf-8")
