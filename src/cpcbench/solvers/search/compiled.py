"""What is called from Python and compiled: kept on disk as long as nothing that it is made of changes."""

from __future__ import annotations

from pathlib import Path

import cpcbench
from cpcbench.readings.doubles.compiling import kept

MADE_OF = ("sampling", "solvers/search", "solvers/white_box")


def _sources() -> list[Path]:
    root = Path(cpcbench.__file__).parent
    return [file for folder in MADE_OF for file in sorted((root / folder).rglob("*.py"))]


entry = kept(_sources)
