"""Nothing is run that others could have put into the folder of compiled code."""

from __future__ import annotations

import hashlib
import importlib.util
import marshal
import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import cpcbench as cpc
from cpcbench.readings.doubles.fast import fingerprint
from tests.cases import one_in
from tests.material import other_user
from tests.readings.kept.asking import ANSWER, ASK, POSIX, TEXT, ask


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
@pytest.mark.parametrize("plant", one_in(3, [plant_code, plant_byte_code, plant_index]))
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
