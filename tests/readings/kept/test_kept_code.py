"""Code that several processes have compiled and kept, loaded by one: each function is the one that was meant."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

STEPS = "".join(
    f"        x = x / 2 + function({k} * x + math.sin({k + 1} * x)) / (1 + math.cos(x) ** 2)\n" for k in range(1, 30)
)
"""So many that the compiler does not put them where they are asked for."""

TWINS = f"""
import math, os, sys
from pathlib import Path
from cpcbench.readings.doubles.compiling import compiled, kept

entry = kept(lambda: [Path(__file__)])

def made(function):
    def steps(x):
{STEPS}        return x
    return compiled(steps)

first, second = made(math.atan), made(math.asinh)

@entry
def one(x):
    return first(x) + first(x + 1.0)

@entry
def two(x):
    return second(x) + second(x + 1.0)

if "changed" in sys.argv:
    with open(__file__, "a") as stream:
        stream.write("# another source")
print(*(globals()[name](0.5) for name in sys.argv[1:] if name in ("one", "two")))
"""
"""Two functions that differ by nothing but what is inside them, as the ranges of arctan and arcsinh do."""


@pytest.fixture
def twins(tmp_path: Path) -> Path:
    (tmp_path / "kept").mkdir(mode=0o700)
    file = tmp_path / "twins.py"
    file.write_text(TWINS)
    return file


def asked(twins: Path, *words: str, **variables: str) -> list[str]:
    environment = {**os.environ, "CPCBENCH_CACHE": str(twins.parent / "kept"), **variables}
    done = subprocess.run(
        [sys.executable, str(twins), *words], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def kept(twins: Path) -> int:
    return len(list((twins.parent / "kept").glob("*.code")))


def test_functions_compiled_by_two_processes_are_not_taken_for_each_other(twins: Path) -> None:
    one, two = asked(twins, "one"), asked(twins, "two")
    assert kept(twins) == 2
    assert one != two
    assert asked(twins, "one", "two") == one + two
    assert asked(twins, "two", "one") == two + one


def test_code_of_a_source_that_was_changed_meanwhile_is_not_kept(twins: Path) -> None:
    asked(twins, "changed", "one")
    assert kept(twins) == 0
    asked(twins, "one")
    assert kept(twins) == 1


def test_code_with_checks_of_indices_is_kept_beside_the_one_without(twins: Path) -> None:
    asked(twins, "one")
    asked(twins, "one", NUMBA_BOUNDSCHECK="1")
    assert kept(twins) == 2
