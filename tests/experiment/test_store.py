"""The store: bits kept, nothing twice, nothing lost, and clear words about files that are not studies."""

from __future__ import annotations

import contextlib
import math
import os
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import VERSION, Store, same_run

RECORD = RunRecord(
    problem="CPC-DF3", n=2, rule="ieee", solver="tiny", run=1, seed="0:1,2,3", parameters={"a": 1, "b": [0.1, None]},
    budget=1000, seconds_limit=None, status="finished", message="with 'quotes'; and \n lines", x=(0.1, -1e-300),
    reported=math.nan, fast=0.1 + 0.2, reference=math.nan, real_lower=-math.inf, real_upper=5e-324, domain="inside",
    kind="faithful", in_box=True, evaluations=10**12, undefined=3, seconds=1.5,
    trajectory=((1, 0.30000000000000004), (7, -math.inf)), versions={"numpy": "2"},
)  # fmt: skip
NOTHING = replace(RECORD, run=2, x=None, reported=None, in_box=False, trajectory=())


def test_records_come_back_bit_for_bit(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db", writing=True) as store:
        assert store.add([RECORD, NOTHING]) == 2
    with Store(tmp_path / "s.db") as store:
        first, second = store.records()
        assert repr(first) == repr(RECORD)
        assert first.trajectory == RECORD.trajectory
        assert first.versions == RECORD.versions
        assert repr(second) == repr(NOTHING)
        assert len(store) == 2
        assert [r.trajectory for r in store.records(trajectories=False)] == [(), ()]


def test_a_run_is_written_once(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db", writing=True) as store:
        assert store.add([RECORD]) == 1
        assert store.add([replace(RECORD, seconds=9.0, reported=1.0), NOTHING]) == 1
        assert [math.isnan(r.reported or 0.0) for r in store.records()] == [True, False]


def test_one_writer_many_readers(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with Store(path, writing=True) as store:
        store.add([RECORD])
        with pytest.raises(CpcbenchError, match="another process is writing"):
            Store(path, writing=True)
        with Store(path) as reader:
            assert len(reader) == 1
    with Store(path, writing=True) as again:
        assert len(again) == 1


def beside(path: Path) -> list[str]:
    """The files of a study, its lock aside."""
    return sorted(file.name for file in path.parent.iterdir() if file.suffix != ".lock")


def test_a_closed_study_is_one_plain_file(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with Store(path, writing=True) as store:
        store.add([RECORD])
        assert beside(path) == ["s.db", "s.db-shm", "s.db-wal"], "written through a log"
    assert beside(path) == ["s.db"]
    with Store(path) as reader, Store(path) as another:
        assert len(reader) == len(another) == 1
        assert beside(path) == ["s.db"]
    assert beside(path) == ["s.db"]


def test_readers_leave_nothing_beside_a_study_in_wal_mode(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with Store(path, writing=True) as store:
        store.add([RECORD])
    with contextlib.closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)
    with Store(path) as reader:
        assert len(reader) == 1
    assert beside(path) == ["s.db"]


def test_a_reader_who_stays_longer_than_the_writer(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = Store(path, writing=True)
    store.add([RECORD])
    with Store(path) as reader:
        assert len(reader) == 1
        store.add([NOTHING])
        store.close()
        assert len(reader) == 2
    assert beside(path) == ["s.db"]
    with Store(path) as reader:
        assert len(reader) == 2


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    Store(path, writing=True).close()
    with Store(path) as reader, pytest.raises(CpcbenchError, match="readonly"):
        reader.add([RECORD])
    assert beside(path) == ["s.db"]


def test_what_was_committed_before_a_kill_is_read_and_gone_on_from(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys\n"
        "from cpcbench.experiment.store.store import Store\n"
        "from tests.experiment.test_store import RECORD\n"
        "store = Store(sys.argv[1], writing=True)\n"
        "store.add([RECORD])\n"
        "store._db.execute('BEGIN IMMEDIATE')\n"
        "store._db.execute('DELETE FROM runs')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    path = tmp_path / "s.db"
    subprocess.run([sys.executable, "-c", program, str(path)], cwd=Path(__file__).parents[2], check=False)
    assert "s.db-wal" in beside(path)
    with Store(path) as reader:
        assert [r.run for r in reader.records()] == [RECORD.run]
    with Store(path, writing=True) as store:
        assert store.add([RECORD, NOTHING]) == 1
    assert beside(path) == ["s.db"]


def failing(path: Path, records: list[RunRecord]) -> None:
    """A study that ends with an error after these runs."""
    with Store(path, writing=True) as store:
        store.note(seed=1)
        store.add(records)
        raise RuntimeError


def test_a_study_that_fails_before_its_first_run_leaves_no_file(tmp_path: Path) -> None:
    for records, left in (([], False), ([RECORD], True), ([], True)):
        with pytest.raises(RuntimeError):
            failing(tmp_path / "s.db", records)
        assert any(tmp_path.iterdir()) == left
    with Store(tmp_path / "s.db") as store:
        assert len(store) == 1


def test_merge(tmp_path: Path) -> None:
    with Store(tmp_path / "a.db", writing=True) as a, Store(tmp_path / "b.db", writing=True) as b:
        a.add([RECORD])
        b.add([replace(RECORD, seconds=99.0), NOTHING])
        assert a.merge(b) == 1
        assert len(a) == 2
        assert a.merge(b) == 0
        b.add([replace(RECORD, run=3)])
        a.add([replace(RECORD, run=3, reported=5.0), replace(RECORD, run=4)])
        with pytest.raises(CpcbenchError, match=r"1 runs are in both .* with different outcomes"):
            b.merge(a)
        assert len(b) == 3, "nothing of a refused merge is written"


def test_same_run_ignores_times_and_versions_only() -> None:
    assert same_run(RECORD, replace(RECORD, seconds=0.0, versions={}))
    assert not same_run(RECORD, replace(RECORD, fast=0.3))
    assert not same_run(RECORD, replace(RECORD, trajectory=()))


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "is empty"), (b"this is no database at all, but a text" * 40, "not a readable study")],
)
def test_files_that_are_no_studies(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "s.db"
    path.write_bytes(content)
    with pytest.raises(CpcbenchError, match=message):
        Store(path)
    assert path.read_bytes() == content


def test_other_databases_newer_stores_and_missing_files(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE mine (a)")
    db.close()
    for writing in (False, True):
        with pytest.raises(CpcbenchError, match="not a study of cpcbench"):
            Store(other, writing=writing)
    newer = tmp_path / "newer.db"
    Store(newer, writing=True).close()
    with sqlite3.connect(newer) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    db.close()
    with pytest.raises(CpcbenchError, match="newer cpcbench"):
        Store(newer, writing=True)
    with pytest.raises(CpcbenchError, match="there is no study"):
        Store(tmp_path / "missing.db")
    with pytest.raises(CpcbenchError, match="cannot write a study"):
        Store(tmp_path / "no folder" / "s.db", writing=True)


def test_a_truncated_store_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with Store(path, writing=True) as store:
        store.add([replace(RECORD, run=i) for i in range(200)])
    whole = path.read_bytes()
    os.truncate(path, len(whole) // 2)
    cut = path.read_bytes()
    with pytest.raises(CpcbenchError), Store(path, writing=True) as store:
        list(store.records())
    assert path.read_bytes()[:1000] == cut[:1000]


def test_a_study_of_the_first_version_is_still_read() -> None:
    """A file written by version 1 of the store, kept for ever."""
    with Store(Path(__file__).parents[1] / "material" / "data" / "study-v1.db") as store:
        records = list(store.records())
    assert [(r.problem, r.solver, r.run) for r in records] == [
        ("CPC-DF14", "random_search", 1),
        ("CPC-DF3", "random_search", 1),
    ]
    for record in records:
        if record.x is not None:
            assert cpc.problem(record.problem).reference(record.x) == record.reference


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("ALTER TABLE runs RENAME TO old; CREATE VIEW runs AS SELECT * FROM old", "views, triggers or virtual tables"),
        ("CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END", "views, triggers or virtual tables"),
        ("UPDATE runs SET evaluations = 'many'", "evaluations is 'many', and no whole number"),
        ("UPDATE runs SET n = 2.5", "n is '2.5', and no whole number"),
    ],
)
def test_a_study_holds_only_what_was_written(tmp_path: Path, script: str, said: str) -> None:
    with Store(tmp_path / "s.db", writing=True) as store:
        store.add([RECORD])
    with contextlib.closing(sqlite3.connect(tmp_path / "s.db")) as db:
        db.executescript(script)

    def read(all_at_once: bool) -> None:
        with Store(tmp_path / "s.db") as store:
            list(store.records() if all_at_once else store.records(trajectories=False))

    for all_at_once in (True, False):
        with pytest.raises(CpcbenchError, match=said):
            read(all_at_once)
