"""Installs the optional libraries of pyproject.toml one by one: what cannot be installed is named, and stops nothing.

`python .ci/libraries.py EXTRA ...` takes wheels. Where there is none and a C compiler is, it tries the source, for some
minutes at most. Packages that the numbers depend on stay as they are. Tests of what is missing are skipped by name.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
HELD = ("cloudpickle", "gmpy2", "llvmlite", "numba", "numpy", "python-flint", "scipy")
"""Not moved to another version by a library of an outside solver."""

LONGEST = 300
"""Seconds for one library."""

Install = Callable[[str], bool]


def requirements(extras: Iterable[str], project: dict[str, object]) -> Iterator[tuple[str, str]]:
    """Each requirement of the extras with the extra that asks for it; extras that name others are followed."""
    optional = project["optional-dependencies"]
    assert isinstance(optional, dict)  # noqa: S101 - our own file
    for extra in extras:
        for requirement in optional[extra]:
            inner = re.fullmatch(rf"{project['name']}\[([\w,-]+)\]", requirement)
            if inner:
                yield from requirements(inner[1].split(","), project)
            else:
                yield extra, requirement


def install_all(wanted: list[tuple[str, str]], install: Install) -> list[str]:
    """Tries every requirement, says which one is being installed, and returns those that could not be."""
    missing = []
    for i, (extra, requirement) in enumerate(wanted, start=1):
        print(f"  {i} of {len(wanted)}: {requirement}", flush=True)
        if not install(requirement):
            missing.append(requirement)
            print(f"  MISSING: {requirement} (extra {extra}) could not be installed: its tests are skipped", flush=True)
    return missing


def with_pip(requirement: str, held: Path) -> bool:
    if _pip(requirement, held, "--only-binary", ":all:"):
        return True
    if shutil.which("cc") is None:
        return False
    print(f"    no wheel of {requirement} for this machine: trying its source", flush=True)
    return _pip(requirement, held, "--prefer-binary")


def _pip(requirement: str, held: Path, *more: str) -> bool:
    options = ["--quiet", "--disable-pip-version-check", "--no-compile", "--constraint", str(held), *more]
    command = [sys.executable, "-m", "pip", "install", *options, requirement]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=LONGEST)  # noqa: S603
    except subprocess.TimeoutExpired:
        print(f"    not ready in {LONGEST} seconds", flush=True)
        return False
    if done.returncode:
        print("\n".join(f"    {line}" for line in done.stderr.splitlines() if line.startswith("ERROR")), flush=True)
    return done.returncode == 0


def held_versions() -> Iterator[str]:
    for name in HELD:
        try:
            yield f"{name}=={version(name)}\n"
        except PackageNotFoundError:
            continue


def main(extras: list[str]) -> None:
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    wanted = list(dict.fromkeys(requirements(extras, project)))
    with tempfile.TemporaryDirectory() as folder:
        held = Path(folder) / "held.txt"
        held.write_text("".join(held_versions()), encoding="utf-8")
        missing = install_all(wanted, lambda requirement: with_pip(requirement, held))
    print(f"{len(wanted) - len(missing)} of {len(wanted)} optional libraries are installed", flush=True)
    if missing:
        print(f"missing: {', '.join(missing)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
