"""What came out of the paper's experiment here, cell by cell: of a study, or of the one that is kept with the package.

The kept one is `measured_cells.csv`, written by `python -m benchmarks.measured_cells STUDY...` from studies made by
`cpcbench reproduce` and, for the remedies, `cpcbench run`. Its types are those of the rule `paper`.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from cpcbench.experiment.plan.problems import CLASSICS, CPC
from cpcbench.experiment.plan.reproduction import ANSWERS
from cpcbench.experiment.store.record import RunRecord
from cpcbench.report.paper.printed import RULE
from cpcbench.report.study.solutions import at_published_size, solutions
from cpcbench.solvers.registry import PAPERS

SOLVERS = (*PAPERS, *ANSWERS.values())
"""Those that the reproduction runs."""


@dataclass(frozen=True)
class Cell:
    """A solver on a function: its best run, the types of that, and of how many runs it is the best."""

    problem: str
    solver: str
    x: tuple[float, ...] | None
    reported: float | None
    types: tuple[str, ...]
    runs: int
    type_i: int
    """Runs of Type I."""
    admissible: int
    """Runs that returned an admissible point."""


@dataclass(frozen=True)
class Cells:
    """All cells, and where they are from."""

    cells: dict[tuple[str, str], Cell]
    source: str

    def of(self, solver: str, ids: Sequence[str] = CPC) -> list[Cell]:
        """The cells of a solver on some functions, as far as it was run there."""
        return [self.cells[id_, solver] for id_ in ids if (id_, solver) in self.cells]

    def share(self, solver: str, type_: str, ids: Sequence[str] = CPC) -> float:
        """Percent of the functions on which a solver's best solution is of a type."""
        mine = self.of(solver, ids)
        return 100.0 * sum(type_ in cell.types for cell in mine) / len(mine)

    def found(self, solver: str) -> float:
        """Percent of a solver's runs on the 25 functions that returned an admissible point, each function alike."""
        mine = self.of(solver)
        return 100.0 * sum(cell.admissible / cell.runs for cell in mine) / len(mine)


def measured_cells(records: Iterable[RunRecord] = (), types: str = "paper") -> Cells:
    """The cells of a study that has the whole experiment, of the kept one otherwise."""
    rows = [r for r in records if r.rule == RULE]
    made = cells_of(rows, types) if rows else {}
    whole = all((id_, name) in made for id_ in (*CPC, *CLASSICS) for name in SOLVERS)
    kept = "the study kept with the package (types by the rule paper)"
    if not whole:
        return Cells(kept_cells(), kept)
    remedies = {key: cell for key, cell in kept_cells().items() if key[1] not in SOLVERS}
    told = f"this study (types by the rule {types}); remedies it has no runs of, from {kept}"
    return Cells({**remedies, **made}, told)


def cells_of(records: Iterable[RunRecord], types: str = "paper") -> dict[tuple[str, str], Cell]:
    """The cells of a study's runs at the published sizes."""
    rows = list(records)
    found = Counter((r.problem, r.solver, r.n) for r in rows if r.found)
    made = {}
    for s in at_published_size(solutions(rows, types), (*CPC, *CLASSICS)):
        r = s.record
        made[r.problem, r.solver] = Cell(
            r.problem, r.solver, r.x, r.reported, s.assessment.types, s.runs, s.solved or 0,
            found[r.problem, r.solver, r.n],
        )  # fmt: skip
    return made


@cache
def kept_cells() -> dict[tuple[str, str], Cell]:
    """The cells kept with the package."""
    text = resources.files("cpcbench.report.paper").joinpath("measured_cells.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    return {(row["problem"], row["solver"]): _cell(row) for row in rows}


def _cell(row: dict[str, str]) -> Cell:
    return Cell(
        row["problem"], row["solver"], tuple(map(float, row["point"].split())) or None,
        float(row["reported"]) if row["reported"] else None, tuple(row["types"].split(";")), int(row["runs"]),
        int(row["type_i"]), int(row["admissible"]),
    )  # fmt: skip
