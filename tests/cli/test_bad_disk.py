"""A disk that is full, a folder that is read-only: a clear error, and nothing that was written is lost."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.store.store import Store
from tests.experiment.test_store import RECORD

STUDY = [
    "run",
    "--problems",
    "CPC-DF1,CPC-DF9",
    "--solvers",
    "tests/material/tiny_solvers.py:spender",
    "--workers",
    "1",
]
ROOT = Path(__file__).parents[2]


def cpcbench(*words: str, blocks: int | None = None, before: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own; `blocks` is the largest file it may write, in kB: to it, a full disk.

    `before` are words put in front of the whole command.
    """
    program = ["from cpcbench.cli import main", "main()"]
    if blocks:
        program.insert(0, f"resource.setrlimit(resource.RLIMIT_FSIZE, ({blocks} * 1024,) * 2)")
        program.insert(0, "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)")
    call = [*before, sys.executable, "-c", "\n".join(program), *words]
    return subprocess.run(call, capture_output=True, text=True, cwd=ROOT, check=False)


def kept(path: Path) -> int:
    with Store(path) as study:
        return len(study)


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on the size of files")
def test_a_full_disk_stops_the_study_and_loses_nothing(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    done = cpcbench(*STUDY, "--runs", "6", "--store", str(store), blocks=56)
    assert done.returncode == 2
    assert "disk" in done.stderr
    assert "Traceback" not in done.stderr
    before = kept(store)
    assert 0 < before < 12
    again = cpcbench(*STUDY, "--runs", "6", "--store", str(store))
    assert again.returncode == 0
    assert kept(store) == 12


def test_a_full_database_keeps_what_was_written(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db", writing=True) as study:
        study.add([RECORD])
        (pages,) = study._db.execute("PRAGMA page_count").fetchone()
        study._db.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(CpcbenchError, match="the disk is full; what was written before is kept"):
            study.add([replace(RECORD, run=i, message="long " * 1000) for i in range(2, 40)])
        assert len(study) == 1
    assert kept(tmp_path / "s.db") == 1


def as_refused_by(folder: Path) -> list[str]:
    """The words before a command that make a read-only folder refuse it: root gives up the right to write anyway."""
    words = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"] if os.geteuid() == 0 else []
    if words and shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere, and there is no setpriv to change that")
    if subprocess.run([*words, "touch", str(folder / "probe")], capture_output=True, check=False).returncode == 0:
        pytest.skip("a read-only folder refuses nobody here")
    return words


@pytest.mark.skipif(sys.platform == "win32", reason="folders refuse nobody there")
@pytest.mark.parametrize("log", [False, True], ids=["plain", "wal"])
def test_a_read_only_folder(tmp_path: Path, log: bool) -> None:
    """A plain study is read as it is; so is one left in WAL mode, which wants files beside it."""
    store = tmp_path / "s.db"
    with Store(store, writing=True) as study:
        study.add([RECORD])
    if log:
        with contextlib.closing(sqlite3.connect(store)) as db:
            assert db.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)
    store.with_name("s.db.lock").unlink()
    tmp_path.chmod(0o555)
    try:
        words = as_refused_by(tmp_path)
        done = cpcbench(*STUDY, "--runs", "1", "--store", str(store), before=words)
        read = cpcbench("report", str(store), "--format", "markdown", before=words)
    finally:
        tmp_path.chmod(0o755)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "cannot write a study" in done.stderr
    assert (read.returncode, RECORD.problem in read.stdout) == (0, True), read.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["s.db"]


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    done = cpcbench(*STUDY, "--runs", "1", "--store", str(tmp_path / "file" / "s.db"))
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "cannot write a study" in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_report_to_a_full_disk(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db", writing=True) as study:
        study.add([RECORD])
    done = cpcbench("report", str(tmp_path / "s.db"), "--output", "/dev/full")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "No space left" in done.stderr
