"""One white box for every effort: a larger budget goes on where a smaller one ended, on however many processes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import OptimizeResult

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.problems.problem import Problem
from cpcbench.solvers.white_box import solve_expression
from cpcbench.solvers.white_box.moves.parts import Parts
from tests.cases import one_in

ROOTS = "(x1 - 0.3)^0.1 + (x2 - x1)^0.1 + (0.9 - x2)^2"
CHAIN = "sqrt(x1 - 0.25) + (x2 - x1^2)^0.5 + sqrt(x3 - x2) + (x3 - 0.1)^2"


def problem(text: str, n: int) -> Problem:
    return cpc.parse(text, [(-1.0, 1.0)] * n)


@pytest.mark.parametrize(("text", "n"), one_in(2, [(ROOTS, 2), (CHAIN, 3)]))
def test_a_run_is_the_beginning_of_a_longer_one(text: str, n: int) -> None:
    """What the longer one tells of up to so many evaluations is all that the shorter one tells of."""

    def told(budget: int) -> list[tuple[int, float, list[float]]]:
        seen: list[tuple[int, float, list[float]]] = []

        def watch(x: np.ndarray, value: float, evaluations: int) -> bool:
            seen.append((evaluations, value, x.tolist()))
            return False

        solve_expression(
            problem(text, n), np.random.default_rng(5), seconds=1e6, budget=budget, watch=watch, all_optima=False
        )
        return seen

    longest = told(3000)
    for budget in (40, 333, 1000):
        short = told(budget)
        assert short == longest[: len(short)]
        assert all(evaluations > budget for evaluations, *_ in longest[len(short) :])


def test_the_number_of_processes_changes_nothing() -> None:
    found = [
        cpc.minimize(problem(CHAIN, 3), budget=50_000, rng=2, workers=workers, all_optima=True) for workers in (1, 2, 3)
    ]
    assert len({(r.fun, tuple(r.x), r.nfev, r.nread, r.nit) for r in found}) == 1


@pytest.mark.parametrize("budget", [1000, 5000])
def test_few_evaluations_are_enough_for_a_corner_and_for_a_chain(budget: int) -> None:
    corner = cpc.minimize(ROOTS, [(-1, 1)] * 2, budget=budget, rng=1)
    assert corner.fun == pytest.approx(0.36, abs=1e-4)
    assert (corner.nfev, corner.constants) == (budget, "double")  # 0.3 is a little less than 0.3
    chain = cpc.minimize(cpc.problem("CPC-DF4"), budget=budget, rng=1)
    assert chain.fun == pytest.approx(-1035.99247951216, rel=1e-4)
    assert chain.constants == "decimal"


def test_workers_of_a_formula_are_a_number() -> None:
    with pytest.raises(CpcbenchError, match="number of workers"):
        cpc.minimize("x1^2", [(-1, 1)], budget=10, workers=map)
    with pytest.raises(CpcbenchError, match="workers"):
        solve_expression(problem(ROOTS, 2), np.random.default_rng(1), workers=0)


def lowest(found: OptimizeResult) -> float:
    return math.inf if math.isnan(found.fun) else float(found.fun)


@pytest.mark.parametrize("bounds", one_in(2, [[(-math.inf, math.inf), (0.0, math.inf)], [(-3.0, 3.0), (0.0, 50.0)]]))
@pytest.mark.parametrize("integrality", [None, [1, 0]])
def test_more_is_never_worse_without_bounds_and_with_whole_numbers(
    bounds: list[tuple[float, float]], integrality: list[int] | None
) -> None:
    values = [
        lowest(cpc.minimize("(x1 - 2)^2 + sqrt(x2 - 1.5) + x1*0", bounds, integrality=integrality, budget=b, rng=3))
        for b in (10, 100, 1000, 4000)
    ]
    assert values == sorted(values, reverse=True)
    assert values[-1] == pytest.approx(0.0, abs=1e-4)


def test_tables_find_the_lowest_point_of_the_whole_grid() -> None:
    p = cpc.parse("sqrt(x1 - x2) + (x2 - x3)^2 - x3*x4 + sin(3*x4) + ln(x2 + 1.2)", [(-1.0, 1.0)] * 4)
    reads: list[int] = []
    parts = Parts(p, reads.append)
    assert parts.possible
    grids = [np.sort(np.random.default_rng(i).uniform(-1, 1, 9)) for i in range(4)]
    whole = np.array(np.meshgrid(*grids, indexing="ij")).reshape(4, -1).T
    assert p(parts.low(grids, 3))[0] == pytest.approx(np.nanmin(p(whole)), rel=1e-12)
    assert sum(reads) < len(whole)
    assert not Parts(cpc.parse("exp(x1*x2) + x1", [(-1.0, 1.0)] * 2), reads.append).possible
