"""What is called from Python and compiled: kept on disk as long as nothing that it is made of changes."""

from __future__ import annotations

from pathlib import Path

import cpcbench
from cpcbench.readings.doubles.compiling import kept

MADE_OF = (
    "readings/doubles/splitmix.py",
    "readings/doubles/walk.py",
    "sampling",
    "solvers/search",
    "solvers/white_box",
)


def _sources() -> list[Path]:
    places = [Path(cpcbench.__file__).parent / place for place in MADE_OF]
    return [file for place in places for file in ([place] if place.is_file() else sorted(place.rglob("*.py")))]


entry = kept(_sources)
