"""A study of a Python function of one's own: solvers side by side, each answer evaluated again.

    python examples/study_of_your_function.py

The same from the command line, with the file and the function's name as the problem:

    cpcbench run examples/study_of_your_function.py:pressure --bounds 0.1:2,0.1:2 --solvers cpc,SA --budget 500
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import cpcbench as cpc


def pressure(x: list[float]) -> float:
    """A small simulation that breaks down on a part of its box: there it raises, and has no value."""
    height, width = x
    level = 1.0
    for _ in range(50):
        level += 0.02 * (math.log(height * width - 0.2 * level) - level * width)
    return level + math.sqrt(height) - width


def main() -> None:
    problem = cpc.black_box(pressure, bounds=[(0.1, 2), (0.1, 2)])
    with tempfile.TemporaryDirectory() as folder:
        for r in cpc.run([problem], ["cpc", "SA"], runs=3, store=Path(folder) / "study.db", budget=500):
            print(f"{r.solver:4} run {r.run}: {r.reference:.4f}, {r.kind}, {r.undefined} of {r.evaluations} undefined")


if __name__ == "__main__":
    main()
