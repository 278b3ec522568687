"""One library that cannot be installed breaks neither set-up nor tests: it is named, and its tests are skipped."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.material.outside import libraries
from tests.material.outside.scripts import ROOT, script

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_extras_are_followed_to_their_libraries() -> None:
    project = {"name": "p", "optional-dependencies": {"a": ["p[b,c]", "one>=1"], "b": ["two"], "c": ["three", "four"]}}
    found = list(script("libraries").requirements(["a"], project))
    assert found == [("b", "two"), ("c", "three"), ("c", "four"), ("a", "one>=1")]


def test_what_cannot_be_installed_is_named_and_the_rest_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    tried: list[str] = []

    def install(requirement: str) -> bool:
        tried.append(requirement)
        return requirement != "broken>=2"

    wanted = [("x", "first"), ("y", "broken>=2"), ("z", "last")]
    assert script("libraries").install_all(wanted, install) == ["broken>=2"]
    assert tried == ["first", "broken>=2", "last"]
    assert "MISSING: broken>=2 (extra y)" in capsys.readouterr().out


def test_the_tools_and_the_run_need_no_library_of_a_solver() -> None:
    """What `make run` and `make lint` install must be there; all else may be missing."""
    outside = {name for _, name in script("libraries").requirements(["solvers"], PROJECT)}
    for extra in ("figures", "dev", "site"):
        needed = {name for _, name in script("libraries").requirements([extra], PROJECT)}
        assert needed
        assert not needed & outside
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.findall(r'--editable "\.\[(.*)\]"', makefile) == ["figures", "dev", "figures,site"]


def test_every_library_that_tests_may_miss_names_an_extra() -> None:
    for library in ("pyarrow", "distributed", "plotly", "pyscipopt", "sympy", "playwright", "pandas"):
        extra = re.search(r"\[(\w+)\]", libraries.why(library))
        assert extra is not None
        assert extra[1] in PROJECT["optional-dependencies"]


def test_no_test_imports_an_optional_library_before_it_knows_that_it_is_there() -> None:
    """Not at the head of a file: collecting the tests would fail where it is missing."""
    optional = {"casadi", "cma", "cmaes", "distributed", "iohinspector", "jax", "matplotlib", "pandas", "plotly",
                "playwright", "pyarrow", "pymoo", "sympy", "torch"}  # fmt: skip
    for path in Path(ROOT / "tests").rglob("*.py"):
        heads = re.findall(r"^(?:import|from) (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert not optional & set(heads), path.name


WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_what_the_workflows_run_is_there(path: Path) -> None:
    """They are not run here: what can be seen without running them is that what they name exists."""
    content = path.read_text(encoding="utf-8")
    assert content.startswith("# Not run where this repository is developed")
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"run: make (\w+)", content)) <= targets
    named = re.findall(r"\b(?:tests|src)/[\w/.*-]+", content)
    assert named
    assert all(list(ROOT.glob(name)) for name in named)
    extras = {extra for words in re.findall(r'"\.\[([\w,]+)\]"', content) for extra in words.split(",")}
    assert extras <= set(PROJECT["optional-dependencies"])


def test_the_workflows_cover_the_systems_and_versions_that_are_named() -> None:
    content = "".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    for word in ("ubuntu-latest", "macos-latest", "windows-latest", '"3.11"', '"3.12"', '"3.13"', '"3.14"', "cron"):
        assert word in content, word
