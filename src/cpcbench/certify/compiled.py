"""The prover's compiled parts, made once for all formulas, since they interpret a tape."""

from __future__ import annotations

import re
from pathlib import Path

from cpcbench.readings.compiling import compiled, kept

__all__ = ["compiled", "entry"]


def _sources() -> list[Path]:
    """The files with compiled functions, and the numbers of the operations."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return [file for file in files if file.name == "ops.py" or re.search("^@(compiled|entry)$", file.read_text(), re.M)]


entry = kept(_sources)
