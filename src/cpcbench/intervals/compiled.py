"""The prover's compiled parts, made once for all formulas, since they interpret a tape."""

from __future__ import annotations

import re
from pathlib import Path

from cpcbench.readings.doubles.compiling import compiled, kept

__all__ = ["compiled", "entry"]


def _sources() -> list[Path]:
    """The files with compiled functions, and the numbers of the operations."""
    package = Path(__file__).parent.parent
    files = [file for room in ("intervals", "certify/lower") for file in sorted((package / room).rglob("*.py"))]
    return [f for f in files if f.match("operations.py") or f.match("functions/*") or _is_marked(f.read_text())]


def _is_marked(text: str) -> bool:
    return re.search("^@(compiled|entry)$", text, re.M) is not None


entry = kept(_sources)
