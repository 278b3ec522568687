"""The page on the checker: every extension is in its table, with as many lines of code as it has."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from cpcbench.certify import checker

HOME = Path(checker.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "checker.md"
NOT_THEOREMS = {"fillers/all.py"}


def lines_of_code(path: Path) -> int:
    """Lines that are neither blank, comment, docstring nor import."""
    source = path.read_text(encoding="utf-8")
    left_out: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, (ast.Import, ast.ImportFrom, ast.Expr)):
            continue
        value = node.value if isinstance(node, ast.Expr) else None
        if value is None or (isinstance(value, ast.Constant) and isinstance(value.value, str)):
            left_out.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = enumerate(source.splitlines(), start=1)
    return sum(bool(line.strip()) and not line.strip().startswith("#") and k not in left_out for k, line in lines)


def rows() -> dict[str, int]:
    """The files named in the table, and the lines it gives them."""
    found = re.findall(r"^\| [^|]+ \| (`[^|]+`) \| +([0-9,]+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {files: int(count.replace(",", "")) for files, count in found}


def test_the_table_counts_the_lines_of_every_extension() -> None:
    said = rows()
    counted = {}
    for files in said:
        names = re.findall(r"`([^`]+)`", files)
        paths = [p for name in names for p in (HOME.glob(name) if "*" in name else [HOME / "extensions" / name])]
        counted[files] = sum(map(lines_of_code, paths))
    assert said == counted


def test_every_extension_is_in_the_table() -> None:
    named = {name for files in rows() for name in re.findall(r"`([^`*]+)`", files)}
    home = HOME / "extensions"
    there = {path.relative_to(home).as_posix() for path in home.rglob("*.py") if path.name != "__init__.py"}
    assert named == there - NOT_THEOREMS
