"""The house stays in order: nothing imports what comes after it, and imports stay light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import cpcbench

ROOT = Path(cpcbench.__file__).parent
LAYERS = [
    "errors", "files", "rules", "limits", "clock", "rng", "expr", "points", "readings", "intervals", "problems", "sampling",
    "studies", "solvers", "certify", "experiment", "report", "cli",
]  # fmt: skip
"""In order: the command line may use everything, the expressions next to nothing."""


def layer(module: str) -> int:
    part = module.split(".")[1] if "." in module else ""
    return LAYERS.index(part) if part in LAYERS else len(LAYERS)


def imported(path: Path) -> list[tuple[str, bool]]:
    """The cpcbench modules a file names, and whether only for type checking."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    return [
        (node.module, id(node) in typing_only)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("cpcbench.")
    ]


@pytest.mark.parametrize("path", sorted(ROOT.glob("*/**/*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_nothing_imports_what_comes_after_it(path: Path) -> None:
    if path.name == "nodes.py" and path.parent.name == "expr":
        return  # its repr shows the formula, read when asked for
    own = layer("cpcbench." + path.relative_to(ROOT).parts[0])
    for module, _ in imported(path):
        assert layer(module) <= own, f"{path.relative_to(ROOT)} imports {module}"


HEAVY = ["numba", "llvmlite", "gmpy2", "flint", "typer", "rich", "scipy", "matplotlib", "plotly", "dask", "distributed"]


def loaded(code: str) -> set[str]:
    program = f"{code}\nimport sys; print(' '.join(m for m in {HEAVY!r} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_is_light() -> None:
    assert loaded("import cpcbench") == set()
    assert loaded("import cpcbench; cpcbench.problems(); cpcbench.problem('DF3').formula") == set()


def test_only_the_reading_that_is_used_is_loaded() -> None:
    assert loaded("import cpcbench; cpcbench.problem('DF3').reference([6.0, 6.0])") == {"gmpy2"}
    assert "numba" not in loaded("import cpcbench; cpcbench.problem('DF3').enclosure([6.0, 6.0])")
    assert "flint" not in loaded("import cpcbench; cpcbench.problem('DF3')([6.0, 6.0])")
