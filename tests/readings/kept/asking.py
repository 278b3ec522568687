"""A process that evaluates a formula with a given folder of compiled code, and files as they are kept there."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from cpcbench.readings.doubles import cache
from tests.material import other_user

POSIX = pytest.mark.skipif(os.name != "posix", reason="rights are lists there")
TEXT = "ln(x1 - 0.25)"
ASK = f"import cpcbench as cpc; print(cpc.parse({TEXT!r}, (0, 2), id='cached')([1.25]))"
ANSWER = "0.0"


def ask(folder: Path, **variables: str) -> tuple[str, str]:
    done = other_user.python("-c", ASK, CPCBENCH_CACHE=str(folder), **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


def fill(folder: Path, count: int, size: int = 100) -> list[Path]:
    """Files as they are kept, each used a day before the next."""
    made = [folder / f"value-{i:040x}.code" for i in range(count)]
    for i, path in enumerate(made):
        path.write_bytes(bytes(size))
        used = time.time() - (count - i) * cache.DAY
        os.utime(path, (used, used))
    return made
