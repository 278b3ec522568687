"""The house stays in order: nothing imports what comes after it or in a circle, rooms stay small, imports light."""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import cpcbench

ROOT = Path(cpcbench.__file__).parent
LAYERS = [
    "errors", "files", "rules", "limits", "clock", "rng", "progress", "arb", "expr", "points", "readings", "intervals",
    "problems", "sampling", "entrance", "studies", "solvers", "certify", "experiment", "report", "cli",
]  # fmt: skip
"""In order: the command line may use everything, the expressions next to nothing."""


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in sorted(ROOT.rglob("*.py"))}


def layer(module: str) -> int:
    part = module.split(".")[1] if "." in module else ""
    return LAYERS.index(part) if part in LAYERS else len(LAYERS)


def imported(path: Path, *, typing: bool) -> set[str]:
    """The modules of cpcbench that a file imports, also inside functions; those for type checking only if asked for."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    left_out = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and (typing or id(node) not in left_out):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in MODULES else node.module for name in names}
        elif isinstance(node, ast.Import) and (typing or id(node) not in left_out):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name in MODULES}


@pytest.mark.parametrize("path", sorted(ROOT.glob("*/**/*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_nothing_imports_what_comes_after_it(path: Path) -> None:
    own = layer("cpcbench." + path.relative_to(ROOT).parts[0])
    for module in imported(path, typing=True) - {"cpcbench"}:
        assert layer(module) <= own, f"{path.relative_to(ROOT)} imports {module}"


def test_no_cycle_of_imports() -> None:
    """Imports inside functions count; imports for type checking do not, as they are never carried out."""
    graph = {name: imported(path, typing=False) - {name} for name, path in MODULES.items()}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


MOST_MODULES, MOST_LINES = 15, 350
TOP = Path(__file__).parents[2]
ROOMS = sorted({path.parent for top in ("src", "tests", "benchmarks") for path in (TOP / top).rglob("*.py")})


@pytest.mark.parametrize("room", ROOMS, ids=lambda p: str(p.relative_to(TOP)))
def test_rooms_hold_few_modules(room: Path) -> None:
    modules = [path.name for path in room.glob("*.py") if path.name != "__init__.py"]
    assert len(modules) <= MOST_MODULES, sorted(modules)


def test_rooms_hold_short_modules() -> None:
    sizes = {str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines()) for path in MODULES.values()}
    assert {name: lines for name, lines in sizes.items() if lines > MOST_LINES} == {}


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
