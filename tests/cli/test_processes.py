"""The command line as a process: its exit codes, its streams, and how it ends."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.cli.commands import process, run


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["verify", "--help"], ["show", "CPC-DF3"]])
def test_heavy_libraries_are_left_alone(words: list[str]) -> None:
    code = "import atexit, sys, cpcbench.cli as c; atexit.register(lambda: print(*sys.modules, file=sys.stderr))"
    code += "; c.main()"
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=60, check=True)
    heavy = {"numba", "flint", "scipy", "gmpy2", "rich.table", *([] if words[0] == "show" else ["numpy"])}
    assert heavy.isdisjoint(done.stderr.split())


def test_exit_codes_and_streams_of_real_processes() -> None:
    done = process("show", "DF99")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: unknown problem 'DF99'")
    done = process("verify", "CPC-DF14", "-0.5", "2.4")
    assert (done.returncode, done.stderr) == (1, "")
    assert process("verify", "CPC-DF14", "3", "0.5").returncode == 0


@pytest.mark.skipif(os.name != "posix", reason="pipes of a POSIX shell")
@pytest.mark.parametrize("words", ["show CPC-DF4 --n 2000", "--help"])
def test_a_closed_pipe_is_no_error(words: str) -> None:
    command = f"set -o pipefail; {sys.executable} -m cpcbench {words} | head -1; exit $?"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(("target", "code"), [(">/dev/full", 2), (">&-", 0)])
def test_a_full_disk_and_a_closed_output(target: str, code: int) -> None:
    command = f"{sys.executable} -m cpcbench list {target}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (code, "error: No space left on device\n" if code else "")


def test_an_interrupt_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cpcbench.studies.agreement.agreement", interrupted)
    result = run("agreement", "DF14")
    assert (result.exit_code, result.output) == (130, "")


def test_any_encoding_of_the_output_will_do() -> None:
    done = process("list", env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.returncode == 0
    assert "CPC-DF25" in done.stdout
    assert process("show", "DF99", env={**os.environ, "PYTHONIOENCODING": "ascii"}).returncode == 2
