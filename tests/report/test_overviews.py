"""The paper's overviews beside what is found, and the data they rest on."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.experiment.plan.problems import CPC
from cpcbench.problems.facts import facts
from cpcbench.report.paper.overviews import (
    algorithm_table,
    feasible_ratios,
    function_table,
    taxonomy_table,
    ugo_settings,
)
from cpcbench.report.study.solutions import ALGORITHMS
from cpcbench.solvers.registry import solver
from cpcbench.studies.feasible.ratio import feasible_ratio


def test_the_examples_of_the_taxonomy_are_of_their_kind() -> None:
    table = taxonomy_table()
    assert table.column("kind found") == table.column("kind")
    assert table.column("example") == ["F170", "F37", "F138", "CPC-DF8", "CPC-DF12"]
    assert table.column("undefined somewhere in the box") == [
        word == "yes" for word in table.column("restricts feasibility, printed")
    ]
    assert table.column("no jump found where it is defined") == [
        word == "yes" for word in table.column("continuous, printed")
    ]


def test_every_algorithm_has_a_solver_here() -> None:
    table = algorithm_table()
    assert tuple(table.column("algorithm")) == ALGORITHMS
    here = dict(zip(ALGORITHMS, table.column("here"), strict=True))
    assert {name: mine for name, mine in here.items() if name != mine} == {"UGO": "cpc"}
    for mine, budget in zip(here.values(), table.column("evaluations a run at most"), strict=True):
        assert solver(str(mine)).budget == budget
    assert ugo_settings() in table.notes
    assert "SM2 (16), DE1 (6), not set (2), RGO1 (1) of 25 scripts, MultiRun 10 (22), not set (3)" in ugo_settings()


def test_the_functions_are_printed_and_found() -> None:
    table = function_table([cpc.problem(id_, rule="strict") for id_ in ("CPC-DF5", "CPC-DF10")])
    five, ten = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    assert (five["separable, printed"], five["separable"]) == (True, False)
    assert (five["optima, printed"], five["box of the published runs"]) == ("2^5", None)
    assert (ten["box, printed"], ten["box of the published runs"]) == ("[-10, 10]^2", "[-5, 5]^2")
    assert (ten["confirmed"], ten["feasible ratio, printed (%)"]) == ("no", "35.671264")


def test_the_measured_ratios_are_of_all_functions_and_beside_the_published_figures() -> None:
    found = feasible_ratios()
    assert tuple(found) == CPC
    for id_, row in found.items():
        published = row["published (%)"]
        assert math.isclose(float(published.removeprefix("<= ")), facts(id_).published.feasible_ratio)
        assert published.startswith("<=") == facts(id_).published.feasible_ratio_is_bound
        assert float(row["95 % from (%)"]) <= float(row["ratio (%)"]) <= float(row["95 % to (%)"])


@pytest.mark.parametrize("id_", CPC)
def test_the_measured_ratios_come_out_again(id_: str) -> None:
    """Other draws give as many admissible points as the interval says, within five standard errors."""
    p, draws = cpc.problem(id_, rule="strict"), 100_000
    row = feasible_ratios()[id_]
    seen = int(p.admissible(np.random.default_rng(7).uniform(p.lower, p.upper, (draws, p.dim))).sum())
    low, high = (draws * float(row[name]) / 100.0 for name in ("95 % from (%)", "95 % to (%)"))
    assert low - 5.0 * math.sqrt(low + 1.0) <= seen <= high + 5.0 * math.sqrt(high + 1.0)


@pytest.mark.slow
def test_the_file_of_ratios_is_what_the_command_writes() -> None:
    p = cpc.problem("CPC-DF21", rule="strict")
    found = feasible_ratio(p, 5_000_000, 5)
    row = feasible_ratios()[p.id]
    assert found.counted is not None
    assert (int(row["admissible"]), int(row["draws"])) == (sum(found.counted.hits), found.counted.total)
