"""Sums studies up for the claims page: `python -m benchmarks.measured_cells STUDY... > FILE`.

The rows are those of `report/paper/measured_cells.csv`: every solver on every function, its best run and its types.
"""

from __future__ import annotations

import csv
import sys

from cpcbench.experiment.plan.problems import suite_place
from cpcbench.experiment.store.store import Store
from cpcbench.report.paper.cells import Cell, cells_of
from cpcbench.report.paper.printed import RULE

COMMENT = """\
# Made by cpcbench reproduce (cpc, GA, SA, BFGS+MS, GPSO, B&B) and cpcbench run --rule strict (remedies), seed 0, and
# summed up by python -m benchmarks.measured_cells: the best run of a solver on a function, its types by the rule paper.
"""


def main(paths: list[str]) -> None:
    cells: dict[tuple[str, str], Cell] = {}
    for path in paths:
        with Store(path) as study:
            cells |= cells_of(r for r in study.records(trajectories=False) if r.rule == RULE)
    sys.stdout.write(COMMENT)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(("problem", "solver", "point", "reported", "types", "runs", "type_i", "admissible"))
    for cell in sorted(cells.values(), key=lambda c: (suite_place(c.problem), c.solver)):
        point = " ".join(map(repr, cell.x or ()))
        reported = "" if cell.reported is None else repr(cell.reported)
        types = ";".join(cell.types)
        out.writerow((cell.problem, cell.solver, point, reported, types, cell.runs, cell.type_i, cell.admissible))


if __name__ == "__main__":
    main(sys.argv[1:])
