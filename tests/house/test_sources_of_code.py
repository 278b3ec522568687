"""Compiled code is kept under the text of its sources: none takes anything from a file that is not among them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import cpcbench
from cpcbench.intervals.compiled import _sources as of_intervals
from cpcbench.solvers.search.compiled import _sources as of_search

ROOT = Path(cpcbench.__file__).parent
MARKS = {"compiled", "entry"}


def file_of(module: str, name: str) -> Path:
    """The file that a name is imported from: that of the module of this name, if it is one."""
    for path in (f"{module}.{name}", module):
        place = ROOT.parent / path.replace(".", "/")
        if place.with_suffix(".py").exists():
            return place.with_suffix(".py")
    return ROOT.parent / module.replace(".", "/") / "__init__.py"


def imported(tree: ast.Module) -> dict[str, Path]:
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {
        alias.asname or alias.name: file_of(node.module, alias.name)
        for node in found
        for alias in node.names
        if node.module is not None and node.module.startswith("cpcbench")
    }


def taken(file: Path) -> Iterator[tuple[str, Path]]:
    """What the compiled functions of a file use of other files, by name."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    names = imported(tree)
    for node in ast.walk(tree):
        marks = {mark.id for mark in getattr(node, "decorator_list", []) if isinstance(mark, ast.Name)}
        if isinstance(node, ast.FunctionDef) and marks & MARKS:
            used = {part.id for line in node.body for part in ast.walk(line) if isinstance(part, ast.Name)}
            yield from ((name, names[name]) for name in sorted(used & names.keys()))


@pytest.mark.parametrize("sources", [of_intervals, of_search], ids=["intervals", "search"])
def test_what_compiled_code_uses_is_in_its_sources(sources: object) -> None:
    files = {file.resolve() for file in sources()}  # type: ignore[operator]
    used = {(file.name, name, path.resolve()) for file in files for name, path in taken(file)}
    assert len(used) > 50
    assert not {(file, name, path.name) for file, name, path in used if path not in files}


def test_compiled_functions_are_in_the_sources() -> None:
    files = {file.resolve() for file in (*of_intervals(), *of_search())}
    marked = {file for file in ROOT.rglob("*.py") if any(f"\n@{mark}\n" in file.read_text() for mark in MARKS)}
    assert len(marked) > 20
    assert not {file.name for file in marked if file.resolve() not in files}
