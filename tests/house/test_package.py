"""The package as others get it: it builds, its description is sound, and it works in an empty environment."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.material.outside.libraries import library
from tests.material.outside.scripts import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MINUTES = 600


def done(*command: str, cwd: Path, code: int = 0) -> str:
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    ended = subprocess.run(command, cwd=cwd, env=clean, capture_output=True, text=True, check=False, timeout=MINUTES)
    assert ended.returncode == code, f"{command}\n{ended.stdout}\n{ended.stderr}"
    return ended.stdout + ended.stderr


def test_the_description_is_whole() -> None:
    assert {"description", "readme", "license", "classifiers", "keywords", "urls"} <= set(PROJECT)
    assert all(url.startswith("https://") for url in PROJECT["urls"].values())
    for name in ("CODE_OF_CONDUCT.md", "SECURITY.md", "SUPPORT.md", "CONTRIBUTING.md", "CHANGELOG.md", "CITATION.cff"):
        assert (ROOT / name).stat().st_size > 400, name


def test_the_version_is_the_same_everywhere() -> None:
    cited = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    newest = re.search(r"^## (\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert cited is not None
    assert newest is not None
    assert cited[1] == newest[1] == PROJECT["version"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library("build")
    folder = tmp_path_factory.mktemp("dist")
    done(sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT), cwd=ROOT)
    return folder


@pytest.mark.slow
def test_it_builds_and_its_description_can_be_shown(built: Path) -> None:
    library("twine")
    files = sorted(map(str, built.iterdir()))
    assert len(files) == 2
    said = done(sys.executable, "-m", "twine", "check", "--strict", *files, cwd=built)
    assert said.count("PASSED") == 2
    (wheel,) = built.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert all(name.startswith(("cpcbench/", "cpcbench-")) for name in names)
    shipped = [path for path in (ROOT / "src/cpcbench").rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert {str(path.relative_to(ROOT / "src")) for path in shipped} <= set(names)
    (source,) = built.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "LICENSE", "pyproject.toml", "docs/index.md", "tests/conftest.py"} <= inside


@pytest.fixture(scope="module")
def empty(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that holds the wheel and what it asks for, and nothing else."""
    folder = tmp_path_factory.mktemp("empty")
    done(sys.executable, "-m", "venv", str(folder / "env"), cwd=folder)
    place = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
    (wheel,) = built.glob("*.whl")
    done(str(place / "python"), "-m", "pip", "install", "--quiet", "--no-compile", str(wheel), cwd=folder)
    return place


WORK = """
import math, sys
import cpcbench as cpc
assert "site-packages" in cpc.__file__, cpc.__file__
p = cpc.problem("CPC-DF3")
assert math.isnan(p([0, 0])) and p.reference([5, 7]) == p([5, 7])
found = cpc.minimize(lambda x: x[0] + math.sqrt(0.25 - x[0] ** 2), [(-3, 3)], budget=300, rng=1)
assert found.fun < -0.4
q = cpc.parse("x1 + sqrt(1 - x1^2)", bounds=[(-1, 1)])
assert cpc.minimize(q, seconds=2).fun < -0.99
proof = cpc.certify(q, seconds=30)
assert proof.gap < 1e-8 and proof.check().accepted
records = cpc.run(["F138"], ["SA", "cpc"], 2, "study.db", budget=200)
assert len(records) == 4
print("all is well")
"""

COMMANDS = [
    ("eval CPC-DF3 5 7", "enclosure"),
    ("minimize CPC-DF1 --seconds 3", "faithful"),
    ("certify x1^2-x1 --bounds 0:1 --output mine.json.gz", "accepted"),
    ("certify --check mine.json.gz", "accepted"),
    ("run F138 --solvers GA --runs 2 --budget 500 --store study.db", "GA"),
    ("report study.db", "GA"),
    ("report study.db --statistics", "GA"),
    ("runs study.db --to runs.csv", "runs.csv"),
    ("list --verify", "CPC-DF25"),
]

MISSING = [
    ("report study.db --html page.html", "figures"),
    ("plot CPC-DF1 --output a.png", "figures"),
    ("runs study.db --to runs.parquet", "parquet"),
    ("run F138 --solvers nlopt-crs2 --store other.db", "nlopt"),
    ("run F138 --solvers pygmo-sade --store other.db", "pygmo"),
    ("run F138 --solvers SA --store other.db --cluster local", "cluster"),
]

ASKING = """
import cpcbench as cpc
p = cpc.problem("CPC-DF1")
calls = {
    "pymoo": p.as_pymoo, "pygmo": p.as_pygmo, "nevergrad": p.as_nevergrad, "optuna": p.as_optuna, "ioh": p.as_ioh,
    "jax": p.as_jax, "sympy": p.to_sympy, "pyomo": lambda: cpc.from_pyomo(None),
    "casadi": lambda: cpc.from_casadi(None, [], []), "scip": lambda: cpc.solver("scip"),
}
for extra, call in calls.items():
    try:
        call()
    except cpc.CpcbenchError as error:
        assert f'pip install "cpcbench[{extra}]"' in str(error), error
    else:
        raise AssertionError(extra)
print("all is said")
"""


@pytest.mark.slow
def test_it_works_in_an_empty_environment(empty: Path, tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text(WORK)
    assert "all is well" in done(str(empty / "python"), "-W", "error", "work.py", cwd=tmp_path)
    (tmp_path / "study.db").unlink()
    for words, expected in COMMANDS:
        assert expected in done(str(empty / "cpcbench"), *words.split(), cwd=tmp_path), words


@pytest.mark.slow
def test_what_is_missing_says_what_to_install(empty: Path, tmp_path: Path) -> None:
    done(str(empty / "cpcbench"), "run", "F138", "--solvers", "SA", "--runs", "1", "--store", "study.db", cwd=tmp_path)
    (tmp_path / "asking.py").write_text(ASKING)
    assert "all is said" in done(str(empty / "python"), "asking.py", cwd=tmp_path)
    for words, extra in MISSING:
        said = done(str(empty / "cpcbench"), *words.split(), cwd=tmp_path, code=2)
        assert f'pip install "cpcbench[{extra}]"' in " ".join(said.split()), words
