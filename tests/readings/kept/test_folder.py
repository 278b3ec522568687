"""The folder of compiled code is the user's alone, and everything works without it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from cpcbench.readings.doubles import cache
from cpcbench.readings.doubles.private import make_private, objection
from tests.cases import one_in
from tests.material import other_user
from tests.readings.kept.asking import ANSWER, ASK, POSIX, ask

# Which folder is private


@POSIX
def test_every_folder_above_counts(tmp_path: Path) -> None:
    open_to_all, inner = tmp_path / "open", tmp_path / "open" / "mine"
    inner.mkdir(parents=True, mode=0o700)
    assert objection(inner) is None
    open_to_all.chmod(0o777)
    assert objection(inner) == f"others can write to {open_to_all}"
    open_to_all.chmod(0o1777)
    assert objection(inner) is None
    assert objection(open_to_all) == f"others can write to {open_to_all}"


@POSIX
def test_a_folder_that_is_made_is_for_the_user_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        assert make_private(tmp_path / "a" / "b") is None
    finally:
        os.umask(before)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "a", tmp_path / "a" / "b")] == [0o700, 0o700]


@POSIX
def test_nothing_is_made_where_others_can_write(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    assert make_private(tmp_path / "new") == f"others can write to {tmp_path}"
    assert list(tmp_path.iterdir()) == []


@POSIX
def test_kept_files_are_for_the_user_alone(folder: Path) -> None:
    assert ask(folder) == (ANSWER, "")
    kept = list(folder.glob("*.code"))
    assert kept
    assert {stat.S_IMODE(file.stat().st_mode) for file in kept} == {0o600}
    assert not [*folder.glob("*.py"), *folder.glob("__pycache__")]


# Without a folder


NOWHERE = {"HOME": "/nonexistent", "XDG_CACHE_HOME": "", "TMPDIR": ""}


def left_in_shared_folder() -> set[str]:
    return {name for name in os.listdir("/tmp") if name.startswith("cpcbench-")}  # noqa: S108


COMMANDS = {
    "evaluate": ["-c", ASK],
    "minimize": ["-m", "cpcbench", "minimize", "CPC-DF1", "--budget", "300", "--method", "black-box"],
    "minimize a function": [
        "-c",
        "import cpcbench as cpc; print(cpc.minimize(lambda x: x[0] ** 2, [(-1, 1)], budget=200, seed=1).fun)",
    ],
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("chosen", one_in(2, ["", "/nonexistent/kernels"]), ids=["default", "variable"])
def test_another_user_without_a_home(name: str, chosen: str) -> None:
    """Nothing can be written but temporary files: neither a home, nor the package, nor the folder that was named."""
    before = left_in_shared_folder()
    done = other_user.python(*COMMANDS[name], before=other_user.words(), CPCBENCH_CACHE=chosen, **NOWHERE)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert left_in_shared_folder() <= before


@pytest.mark.slow
@pytest.mark.parametrize("chosen", ["", "/nonexistent/kernels"], ids=["default", "variable"])
def test_studies_and_proofs_of_another_user_without_a_home(tmp_path: Path, chosen: str) -> None:
    words, before = other_user.words(), left_in_shared_folder()
    tmp_path.chmod(0o755)
    room = tmp_path / "room"
    room.mkdir()
    os.chown(room, other_user.NOBODY, other_user.NOBODY)
    for words_given in (
        ["certify", "x1^2 - sqrt(x1 - 0.1)", "--bounds", "0:1", "--seconds", "20"],
        ["run", "--problems", "CPC-DF1", "--solvers", "cpc", "--budget", "300", "--runs", "2", "--store", "s.db"],
    ):
        done = other_user.python(
            "-m", "cpcbench", *words_given, before=words, folder=room, CPCBENCH_CACHE=chosen, **NOWHERE
        )
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
    assert left_in_shared_folder() <= before


def test_no_folder_at_all(tmp_path: Path) -> None:
    """Not even a temporary one: everything is compiled, and nothing kept."""
    program = f"import tempfile; tempfile.mkdtemp = lambda **_: (_ for _ in ()).throw(OSError('no room'))\n{ASK}"
    done = other_user.python("-c", program, CPCBENCH_CACHE="/dev/null/kernels")
    assert (done.stdout.strip(), done.stderr) == (ANSWER, "")


def test_worker_processes_share_the_temporary_folder() -> None:
    program = (
        "import os, subprocess, sys\n"
        "from cpcbench.readings.doubles import cache\n"
        "folder = cache.place().folder\n"
        "command = [sys.executable, '-c', 'from cpcbench.readings.doubles import cache; print(cache.place().folder)']\n"
        "print(folder); print(subprocess.run(command, capture_output=True, text=True).stdout.strip())\n"
        "print(folder.is_dir(), oct(folder.stat().st_mode)[-3:])"
    )
    done = other_user.python("-c", program, CPCBENCH_CACHE="/dev/null/kernels")
    mine, theirs, there = done.stdout.splitlines()
    assert (mine, there) == (theirs, "True 700" if os.name == "posix" else there), done.stderr
    assert not Path(mine).exists()


def test_a_temporary_folder_is_not_made_again_by_those_who_outlive_it() -> None:
    gone = Path(tempfile.gettempdir(), f"cpcbench-{os.getpid()}")
    done = other_user.python("-c", ASK, CPCBENCH_CACHE=str(gone))
    assert (done.stdout.strip(), done.stderr) == (ANSWER, "")
    assert not gone.exists()


def test_a_home_that_is_not_known_is_no_folder_of_that_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(cache.VARIABLE, "~/.cache/cpcbench")
    found = cache.place()
    assert found.trouble is not None
    assert "no home" in found.trouble
    assert list(tmp_path.iterdir()) == []


MAKES = """
import sys, time
from pathlib import Path
from numba import njit
from cpcbench.readings.doubles import compiling, numba_private

def slow(x):
    return x + 1.0

made = njit(slow)
numba_private.set_cache(made, compiling.KeptCode(slow, "mark"))
write = numba_private.packed

def packed(result):  # the code is there some time after it was claimed
    Path(sys.argv[1]).touch()
    time.sleep(1.0)
    return write(result)

if len(sys.argv) > 2:
    numba_private.packed = packed
assert made(1.0) == 2.0
print("loaded" if made.stats.cache_hits else "compiled")
"""


@POSIX
@pytest.mark.parametrize("killed", [False, True], ids=["finished", "killed"])
def test_what_another_process_compiles_is_waited_for(folder: Path, tmp_path: Path, killed: bool) -> None:
    script, begun = tmp_path / "makes.py", tmp_path / "begun"
    script.write_text(MAKES)
    command, variables = [sys.executable, str(script), str(begun)], {**os.environ, "CPCBENCH_CACHE": str(folder)}
    with subprocess.Popen([*command, "slowly"], stdout=subprocess.PIPE, text=True, env=variables) as first:
        until = time.monotonic() + 60.0
        while not begun.exists() and time.monotonic() < until:
            time.sleep(0.05)
        assert list(folder.glob(".*.claim"))
        if killed:
            first.kill()
        second = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env=variables)
        assert second.stdout == ("compiled\n" if killed else "loaded\n")
        assert first.stdout is not None
        assert first.stdout.read() == ("" if killed else "compiled\n")
    assert not list(folder.glob(".*.claim"))
