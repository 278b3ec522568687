"""The folder of compiled code: nothing is run that others could have put there, and everything works without it."""

from __future__ import annotations

import hashlib
import importlib.util
import marshal
import os
import pickle
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.cli.app import app
from cpcbench.readings.doubles import cache
from cpcbench.readings.doubles.fast import fingerprint
from cpcbench.readings.doubles.private import make_private, objection
from tests.cases import one_in
from tests.material import other_user

POSIX = pytest.mark.skipif(os.name != "posix", reason="rights are lists there")
TEXT = "ln(x1 - 0.25)"
ASK = f"import cpcbench as cpc; print(cpc.parse({TEXT!r}, (0, 2), id='cached')([1.25]))"
ANSWER = "0.0"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "kept"
    made.mkdir(mode=0o700)
    return made


def ask(folder: Path, **variables: str) -> tuple[str, str]:
    done = other_user.python("-c", ASK, CPCBENCH_CACHE=str(folder), **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


# What someone else has put there


class Planted:
    """Unpickled, it leaves a mark."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return exec, (f"open({str(self.mark)!r}, 'w').close()",)


def plant_byte_code(folder: Path, mark: Path) -> None:
    """Byte code that is not compared with its source, for the module that a kernel would be read from."""
    name = f"value_{fingerprint(cpc.parse(TEXT, (0, 2)).fast.plan)}"
    text = f"open({str(mark)!r}, 'w').close()\ndef kernel(x, out):\n    return 1e9\n"
    head = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)
    (folder / "__pycache__").mkdir(exist_ok=True)
    file = folder / "__pycache__" / f"{name}.{sys.implementation.cache_tag}.pyc"
    file.write_bytes(head + marshal.dumps(compile(text, name, "exec")))


def plant_index(folder: Path, mark: Path) -> None:
    """An index of Numba's, for the function that a kernel would be read from."""
    name = f"value_{fingerprint(cpc.parse(TEXT, (0, 2)).fast.plan)}"
    version = f"py{sys.version_info[0]}{sys.version_info[1]}"
    (folder / "__pycache__").mkdir(exist_ok=True)
    for line in range(1, 30):
        (folder / "__pycache__" / f"{name}.kernel-{line}.{version}.nbi").write_bytes(pickle.dumps(Planted(mark)))


def plant_code(folder: Path, mark: Path) -> None:
    """Files as this program keeps them, under the names it asks for, with a checksum that is right."""
    data = pickle.dumps(Planted(mark))
    for name in names_asked_for():
        (folder / name).write_bytes(hashlib.sha256(data).digest() + data)
        (folder / name).chmod(0o644)


def names_asked_for() -> list[str]:
    program = f"from cpcbench.readings.doubles import compiling; compiling.read = lambda name: print(name)\n{ASK}"
    found = other_user.python("-c", program, CPCBENCH_CACHE="/dev/null").stdout.split()
    assert any(name.startswith("value-") for name in found)
    return [name for name in found if name.endswith(".code")]


@POSIX
@pytest.mark.parametrize("plant", [plant_byte_code, plant_index, plant_code])
@pytest.mark.parametrize(
    "mode", [0o777, *(pytest.param(mode, marks=pytest.mark.slow) for mode in (0o770, 0o1777))], ids=oct
)
def test_nothing_is_run_from_a_folder_that_others_can_write_to(
    folder: Path, tmp_path: Path, plant: Callable[[Path, Path], None], mode: int
) -> None:
    mark = tmp_path / "it ran"
    plant(folder, mark)
    os.chown(folder, -1, 65534 if os.geteuid() == 0 else -1)
    folder.chmod(mode)
    answer, said = ask(folder)
    assert (answer, mark.exists()) == (ANSWER, False)
    if mode != 0o770 or os.geteuid() == 0:
        assert "others can write to" in said
        assert said.count("compiled code is not kept in") == 1


@POSIX
@pytest.mark.parametrize("plant", [plant_byte_code, plant_index, plant_code])
def test_nothing_is_run_that_another_user_planted(
    tmp_path: Path, plant: Callable[[Path, Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another user's folder in a shared one, as /tmp is, ready before the victim comes."""
    other_user.words()
    shared, mark = tmp_path / "shared", tmp_path / "it ran"
    shared.mkdir()
    shared.chmod(0o1777)
    folder = shared / "cpcbench"
    folder.mkdir(mode=0o755)
    plant(folder, mark)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, other_user.NOBODY, other_user.NOBODY)
    answer, said = ask(folder)
    assert (answer, mark.exists()) == (ANSWER, False)
    assert "belongs to another user" in said


@pytest.mark.slow
def test_the_planted_code_would_run_in_a_private_folder(folder: Path, tmp_path: Path) -> None:
    """The attack is one: only who owns the folder, and who can write to it, keeps it out."""
    mark = tmp_path / "it ran"
    plant_code(folder, mark)
    assert ask(folder)[0] == ANSWER
    assert mark.exists()


def test_byte_code_in_a_private_folder_is_not_even_looked_at(folder: Path, tmp_path: Path) -> None:
    mark = tmp_path / "it ran"
    plant_byte_code(folder, mark)
    plant_index(folder, mark)
    assert ask(folder) == (ANSWER, "")
    assert not mark.exists()


@POSIX
@pytest.mark.parametrize(
    "how", ["of another user", *(pytest.param(how, marks=pytest.mark.slow) for how in ("writable by others", "a link"))]
)
def test_a_file_that_is_not_the_users_own_is_not_read(folder: Path, tmp_path: Path, how: str) -> None:
    mark, elsewhere = tmp_path / "it ran", tmp_path / "elsewhere"
    plant_code(folder, mark)
    elsewhere.mkdir()
    for file in folder.glob("*.code"):
        if how == "of another user":
            other_user.words()
            os.chown(file, other_user.NOBODY, -1)
        elif how == "writable by others":
            file.chmod(0o666)
        else:
            file.rename(elsewhere / file.name)
            file.symlink_to(elsewhere / file.name)
    assert ask(folder) == (ANSWER, "")
    assert not mark.exists()


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


# How it stays small


def fill(folder: Path, count: int, size: int = 100) -> list[Path]:
    """Files as they are kept, each used a day before the next."""
    made = [folder / f"value-{i:040x}.code" for i in range(count)]
    for i, path in enumerate(made):
        path.write_bytes(bytes(size))
        used = time.time() - (count - i) * cache.DAY
        os.utime(path, (used, used))
    return made


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

def packed(result):  # the code is there some seconds after it was claimed
    Path(sys.argv[1]).touch()
    time.sleep(3.0)
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
