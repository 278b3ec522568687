"""Commands as another user would give them, who may read everything and write next to nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import cpcbench

NOBODY = 65534
SOURCES = str(Path(cpcbench.__file__).parent.parent)


def words() -> list[str]:
    """What is put before a command; skips the test where nothing can be."""
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root on Linux, with setpriv, can become another user")
    reading = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]  # wherever Python is installed
    found = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *reading]
    if subprocess.run([*found, "true"], capture_output=True, check=False).returncode:
        pytest.skip("setpriv may not change the user here")
    return found


def python(
    *arguments: str, before: Sequence[str] = (), folder: Path | str = "/", **variables: str
) -> subprocess.CompletedProcess[str]:
    """Python with these arguments and variables, in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": SOURCES, "PYTHONDONTWRITEBYTECODE": "1", **variables}
    return subprocess.run(
        [*before, sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=300,
        env={name: value for name, value in environment.items() if value}, cwd=folder,
    )  # fmt: skip
