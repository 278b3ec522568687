"""A disk that is full, a folder that is read-only: a clear error, and nothing that was written is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.store import Store
from tests.test_store import RECORD

STUDY = ["run", "--problems", "CPC-DF1,CPC-DF9", "--solvers", "tests/tiny_solvers.py:spender", "--jobs", "1"]
ROOT = Path(__file__).parent.parent


def cpcbench(*words: str, blocks: int | None = None) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own; `blocks` is the largest file it may write, in kB: to it, a full disk."""
    program = ["from cpcbench.cli import main", "main()"]
    if blocks:
        program.insert(0, f"resource.setrlimit(resource.RLIMIT_FSIZE, ({blocks} * 1024,) * 2)")
        program.insert(0, "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)")
    call = [sys.executable, "-c", "\n".join(program), *words]
    return subprocess.run(call, capture_output=True, text=True, cwd=ROOT, check=False)


def kept(path: Path) -> int:
    with Store(path) as study:
        return len(study)


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on the size of files")
def test_a_full_disk_stops_the_study_and_loses_nothing(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    done = cpcbench(*STUDY, "--runs", "12", "--store", str(store), blocks=80)
    assert done.returncode == 2
    assert "disk" in done.stderr
    assert "Traceback" not in done.stderr
    before = kept(store)
    assert 0 < before < 24
    again = cpcbench(*STUDY, "--runs", "12", "--store", str(store))
    assert again.returncode == 0
    assert kept(store) == 24


def test_a_full_database_keeps_what_was_written(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db", writing=True) as study:
        study.add([RECORD])
        (pages,) = study._db.execute("PRAGMA page_count").fetchone()
        study._db.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(CpcbenchError, match="the disk is full; what was written before is kept"):
            study.add([replace(RECORD, run=i, message="long " * 1000) for i in range(2, 40)])
        assert len(study) == 1
    assert kept(tmp_path / "s.db") == 1


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    with Store(store, writing=True) as study:
        study.add([RECORD])
    tmp_path.chmod(0o555)
    try:
        done = cpcbench(*STUDY, "--runs", "1", "--store", str(store))
        assert (done.returncode, "Traceback" in done.stderr) == (2, False)
        assert "cannot write a study" in done.stderr
        assert kept(store) == 1
    finally:
        tmp_path.chmod(0o755)


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
