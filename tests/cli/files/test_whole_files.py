"""A file is written over by a whole new one or not at all, and through no link that somebody planted."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.formats.export import export_runs
from cpcbench.experiment.store.store import Store
from cpcbench.files import replacing, write_text
from tests.cases import one_in
from tests.cli.files.written import PICTURE, POSIX
from tests.cli.test_bad_disk import cpcbench
from tests.experiment.test_store import RECORD
from tests.material import other_user

# Whole or not at all


@POSIX
@pytest.mark.parametrize(
    "words",
    one_in(
        2,
        [
            ["report", "STUDY", "--output", "OLD"],
            ["export", "CPC-DF1", "--to", "c", "--json", "--output", "OLD"],
            ["plot", "CPC-DF1", "--resolution", "60", "--output", "OLD"],
            ["runs", "STUDY", "--to", "OLD", "--format", "csv"],
        ],
    ),
    ids=" ".join,
)
def test_a_full_disk_leaves_the_old_file(store: Path, tmp_path: Path, words: list[str]) -> None:
    old = tmp_path / ("old.png" if words[0] == "plot" else "old.txt")
    old.write_bytes(PICTURE if words[0] == "plot" else b"old\n")
    before = old.read_bytes()
    for run in range(2, 40):
        with Store(store, writing=True) as study:
            study.add([type(RECORD)(**{**RECORD.__dict__, "run": run})])
    names = {"STUDY": str(store), "OLD": str(old)}
    done = cpcbench(*(names.get(word, word) for word in words), "--force", blocks=1)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert f"{old}: File too large" in done.stderr
    assert old.read_bytes() == before
    assert not [path for path in tmp_path.iterdir() if path.suffix == ".part"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")

    def fail(error: type[BaseException]) -> None:
        with replacing(file) as stream:
            stream.write(b"new")
            raise error

    for error in (ValueError, KeyboardInterrupt):
        with pytest.raises(error):
            fail(error)
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_readers_see_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    file, seen, done = tmp_path / "file", set[bytes](), threading.Event()
    file.write_bytes(b"0" * 100_000)

    def look() -> None:
        while not done.is_set():
            seen.add(file.read_bytes())

    reader = threading.Thread(target=look)
    reader.start()
    for digit in "123456789":
        write_text(file, digit * 100_000)
    done.set()
    reader.join()
    assert seen
    assert {len(content) for content in seen} == {100_000}
    assert all(len(set(content)) == 1 for content in seen)


# Links and rights


@POSIX
@pytest.mark.parametrize("name", ["runs.csv.part", ".runs.csv.part", "runs.csv.tmp"])
def test_a_planted_link_is_not_followed(store: Path, tmp_path: Path, name: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / name).symlink_to(victim)
    assert export_runs([RECORD], tmp_path / "runs.csv") == 1
    assert victim.read_text() == "mine"
    assert (tmp_path / name).is_symlink()


@POSIX
def test_the_page_follows_no_planted_link(store: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "page.html.part").symlink_to(victim)
    from cpcbench.problems.registry import problem
    from cpcbench.report.page.build import write_page

    write_page(tmp_path / "page.html", problems=[problem("CPC-DF1")], resolution=8)
    assert victim.read_text() == "mine"


@POSIX
def test_the_names_of_unfinished_files_cannot_be_guessed(tmp_path: Path) -> None:
    names = set()
    for _ in range(20):
        with replacing(tmp_path / "file"):
            (unfinished,) = tmp_path.glob(".file.*.part")
            names.add(unfinished.name)
    assert len(names) == 20
    assert min(map(len, names)) > len(".file..part") + 15


@POSIX
def test_a_link_is_kept_and_what_it_points_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link, target = tmp_path / "link", tmp_path / "elsewhere" / "file"
    link.symlink_to(Path("elsewhere") / "file")
    for text in ("first", "second"):  # the first time there is nothing yet
        write_text(link, text)
        assert link.is_symlink()
        assert target.read_text() == text
        assert [path.name for path in target.parent.iterdir()] == ["file"]


@POSIX
def test_a_link_of_another_user_is_refused(tmp_path: Path) -> None:
    other_user.words()
    victim, link = tmp_path / "victim", tmp_path / "report.txt"
    victim.write_text("mine")
    link.symlink_to(victim)
    os.lchown(link, other_user.NOBODY, other_user.NOBODY)
    with pytest.raises(CpcbenchError, match="a link that another user made"):
        write_text(link, "text")
    assert victim.read_text() == "mine"


@POSIX
def test_the_lock_of_a_study_is_not_taken_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "s.db.lock").symlink_to(tmp_path / "victim")
    with pytest.raises(CpcbenchError, match="cannot write a study"):
        Store(tmp_path / "s.db", writing=True)
    assert not (tmp_path / "victim").exists()


@POSIX
def test_rights_are_those_of_the_old_file_or_of_a_new_one(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "new", "text")
        write_text(tmp_path / "old", "text")
        (tmp_path / "old").chmod(0o604)
        write_text(tmp_path / "old", "again")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o604
