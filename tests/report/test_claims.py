"""The verdicts on the paper's conclusions, and the kept cells that their figures rest on."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.cli.app import app
from cpcbench.experiment.plan.plan import Task
from cpcbench.experiment.plan.problems import CLASSICS, CPC
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.workers.execution import recorded
from cpcbench.report.paper.cells import SOLVERS, Cell, Cells, cells_of, kept_cells, measured_cells
from cpcbench.report.paper.claims import claims, claims_table
from cpcbench.report.paper.remedies import remedies_table
from cpcbench.solvers.registry import Solver
from cpcbench.solvers.run import Outcome

REMEDIED = tuple(f"{name}+{remedy}" for name in ("GA", "SA", "BFGS+MS", "GPSO") for remedy in ("start", "conditions"))
ALL = sorted(kept_cells())


def as_record(cell: Cell) -> RunRecord:
    """The best run of a cell, evaluated again as a run is."""
    p = cpc.problem(cell.problem, rule="strict")
    method = Solver(cell.solver, lambda *_: None)
    outcome = Outcome("finished", cell.x, cell.reported, 0, 0, 0.0, ())
    return recorded(Task(p, method, cell.solver, 1, 0), method, outcome)


def test_the_kept_cells_are_the_whole_experiment_and_the_remedies() -> None:
    assert set(ALL) == {
        *((id_, name) for id_ in (*CPC, *CLASSICS) for name in SOLVERS),
        *((id_, name) for id_ in CPC for name in REMEDIED),
    }
    for cell in kept_cells().values():
        assert 0 <= cell.type_i <= cell.admissible <= cell.runs
        assert ("III" in cell.types) == (cell.x is None)
        assert "I" not in cell.types or cell.type_i > 0


def check_again(keys: list[tuple[str, str]]) -> None:
    made = cells_of(as_record(kept_cells()[key]) for key in keys)
    for key in keys:
        assert made[key].types == kept_cells()[key].types, key


def test_kept_points_get_their_types_again() -> None:
    check_again(ALL[::12])


@pytest.mark.slow
def test_all_kept_points_get_their_types_again() -> None:
    check_again(ALL)


def test_every_claim_has_a_verdict_figures_and_a_command() -> None:
    found = claims(measured_cells())
    assert len({c.about for c in found}) == len(found) == 17
    for claim in found:
        assert claim.verdict in ("confirmed", "refined", "refuted")
        assert re.search(r"\d", claim.figures), claim
        assert claim.command.startswith(("cpcbench ", "docs/"))


def verdict(cells: Cells, about: str) -> str:
    return next(c.verdict for c in claims(cells) if c.about == about)


def changed(types: dict[tuple[str, str], str]) -> Cells:
    """The kept cells with other types for some: what a study with other results would give."""
    cells = {key: replace(c, types=(types[key],)) if key in types else c for key, c in kept_cells().items()}
    return Cells(cells, "made up")


def test_verdicts_follow_the_figures() -> None:
    papers = [name for name in SOLVERS if name != "cpc"]
    classics = {(id_, name): "I" for id_ in CLASSICS for name in papers}
    assert verdict(changed(classics), "known functions") == "confirmed"
    assert verdict(changed(dict.fromkeys(classics, "II")), "known functions") == "refuted"
    assert verdict(changed(classics), "discrimination") == "confirmed"
    assert verdict(changed({**classics, **{(i, n): "II" for i in CPC for n in papers}}), "difficulty") == "confirmed"
    assert verdict(changed({(id_, "BFGS+MS"): "II" for id_ in CPC}), "gradients") == "confirmed"
    assert verdict(changed({(id_, name): "II" for id_ in CPC for name in papers}), "scarcity") == "refuted"
    worse = {key: replace(c, admissible=0) if key[1] in REMEDIED else c for key, c in kept_cells().items()}
    assert verdict(Cells(worse, "made up"), "remedy +start") == "refuted"
    better = {key: replace(c, admissible=c.runs) if key[1] in REMEDIED else c for key, c in kept_cells().items()}
    assert verdict(Cells(better, "made up"), "remedy +start") == "confirmed"


def test_figures_are_those_of_the_study_if_it_has_the_whole_experiment() -> None:
    records = [
        as_record(c) for c in kept_cells().values() if c.solver in SOLVERS and c.problem in ("CPC-DF1", *CLASSICS)
    ]
    assert measured_cells(records).source.startswith("the study kept")
    nothing = replace(records[0], x=None, reference=math.nan)
    cells = [(id_, name) for id_ in (*CPC, *CLASSICS) for name in SOLVERS]
    whole = measured_cells(replace(nothing, problem=id_, n=cpc.problem(id_).dim, solver=name) for id_, name in cells)
    assert whole.source.startswith("this study")
    assert whole.share("GA", "III") == 100.0
    assert "0 of 12 such cells" in str(claims_table(whole).rows[0][3])


def test_remedies_have_their_rows() -> None:
    table = remedies_table(measured_cells())
    assert set(table.column("solver")) == {"GA", "SA", "BFGS+MS", "GPSO", *REMEDIED}
    assert set(table.column("functions")) == {"25 of 25"}
    for row in table.rows:
        assert sum(row[5:]) >= 25  # type: ignore[arg-type]


def test_the_command_prints_what_the_docs_show() -> None:
    done = CliRunner().invoke(app, ["claims", "--format", "markdown"])
    assert done.exit_code == 0, done.output
    page = (Path(__file__).parents[2] / "docs" / "claims.md").read_text(encoding="utf-8")
    for line in done.stdout.splitlines():
        if line.startswith("| ") and "---" not in line:
            assert line in page


def test_remedies_are_listed_among_the_solvers() -> None:
    listed = CliRunner().invoke(app, ["solvers"]).stdout
    for name in REMEDIED:
        assert name in listed
