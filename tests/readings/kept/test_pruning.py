"""The folder of compiled code stays small, nothing damaged in it is used, and a command tells of it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cpcbench.cli.app import app
from cpcbench.readings.doubles import cache
from tests.material import other_user
from tests.readings.kept.asking import POSIX, fill


def test_the_oldest_go_first(folder: Path) -> None:
    made = fill(folder, 10)
    assert cache.prune(folder, most=350).functions == 7
    assert sorted(folder.iterdir()) == made[-3:]


def test_what_was_not_used_for_days_goes(folder: Path) -> None:
    made = fill(folder, 10)
    assert cache.prune(folder, days=4.5).functions == 6
    assert sorted(folder.iterdir()) == made[-4:]
    assert cache.contents(folder).functions == 4


def test_other_files_are_never_removed(folder: Path) -> None:
    fill(folder, 3)
    others = ["thesis.tex", "notes.code", "value-12.code", "kernel.py"]
    for name in others:
        (folder / name).write_text("mine")
    (folder / "link").symlink_to(folder / "thesis.tex")
    cache.prune(folder, days=0.0)
    assert sorted(path.name for path in folder.iterdir()) == sorted([*others, "link"])


def test_a_write_prunes_once_a_day(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.VARIABLE, str(folder))
    monkeypatch.setattr(cache, "MOST", 250)
    fill(folder, 10)
    cache.write(f"value-{99:040x}.code", b"new")
    assert cache.contents(folder).functions == 3
    fill(folder, 10)
    cache.write(f"value-{98:040x}.code", b"new")
    assert cache.contents(folder).functions == 12
    long_ago = time.time() - 2 * cache.DAY
    os.utime(folder / cache.MARK, (long_ago, long_ago))
    cache.write(f"value-{97:040x}.code", b"new")
    assert cache.contents(folder).functions == 4


def test_what_is_used_is_not_the_oldest(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.VARIABLE, str(folder))
    name = f"value-{0:040x}.code"
    cache.write(name, b"used")
    long_ago = time.time() - 9 * cache.DAY
    os.utime(folder / name, (long_ago, long_ago))
    assert cache.read(name) == b"used"
    assert cache.contents(folder).days < 1


def test_a_damaged_file_is_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.VARIABLE, str(folder))
    name = f"value-{0:040x}.code"
    cache.write(name, b"0123456789")
    whole = (folder / name).read_bytes()
    for damaged in (whole[:-1], whole[:10], b"", whole[:-1] + b"8", b"\0" + whole[1:]):
        (folder / name).write_bytes(damaged)
        assert cache.read(name) is None
    (folder / name).write_bytes(whole)
    assert cache.read(name) == b"0123456789"


# The command


def command(*words: str) -> str:
    done = CliRunner().invoke(app, ["cache", *words])
    assert done.exit_code == 0, done.output
    return done.output


def test_the_command_tells_prunes_and_clears(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.VARIABLE, str(folder))
    fill(folder, 10, 2**20)
    said = command()
    assert str(folder) in said
    assert "10 compiled functions, 10.0 MB" in said
    assert "removed 6" in command("--prune", "4.5")
    assert cache.contents(folder).functions == 4
    assert "removed 4" in command("--clear")
    assert cache.contents(folder).functions == 0


@POSIX
def test_the_command_says_why_a_folder_is_not_used(folder: Path) -> None:
    fill(folder, 2)
    folder.chmod(0o777)
    done = other_user.python("-m", "cpcbench", "cache", CPCBENCH_CACHE=str(folder))
    assert done.returncode == 0
    assert "not used" in done.stdout
    assert f"others can write to {folder}" in done.stdout
    refused = other_user.python("-m", "cpcbench", "cache", "--clear", CPCBENCH_CACHE=str(folder))
    assert len(list(folder.glob("*.code"))) == 2
    assert "Traceback" not in refused.stderr


@pytest.mark.parametrize("words", [["--prune", "-1"], ["--prune", "nan"], ["--prune", "1", "--clear"]])
def test_the_command_refuses(words: list[str]) -> None:
    assert CliRunner().invoke(app, ["cache", *words]).exit_code == 2
