"""`make bench`: prints every measurement; name parts to run only those."""

import sys

from rich.console import Console

from benchmarks import proofs
from benchmarks.speed import (
    boxes,
    evaluation,
    feasible,
    generation,
    objective,
    parallel,
    report_scale,
    same_bits,
    solver_cost,
    startup,
)

PARTS = {
    "startup": startup,
    "evaluation": evaluation,
    "same_bits": same_bits,
    "objective": objective,
    "solver_cost": solver_cost,
    "generation": generation,
    "parallel": parallel,
    "report_scale": report_scale,
    "feasible": feasible,
    "boxes": boxes,
    "proofs": proofs,
}

if __name__ == "__main__":
    console = Console(width=120)
    for name in sys.argv[1:] or PARTS:
        PARTS[name].run(console)
