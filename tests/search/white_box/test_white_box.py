"""The white-box solver: its parts on small formulas, and whole searches on problems outside the suite."""

from __future__ import annotations

import math
from collections import deque

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import num, var
from cpcbench.problems.problem import Problem
from cpcbench.solvers.objective import Objective
from cpcbench.solvers.run import run_once
from cpcbench.solvers.white_box import solve_expression
from cpcbench.solvers.white_box.archive import Archive
from cpcbench.solvers.white_box.extended import looks_faithful
from cpcbench.solvers.white_box.front import SOLVER
from cpcbench.solvers.white_box.guard import Guard
from cpcbench.solvers.white_box.judge import Judge
from cpcbench.solvers.white_box.moves.climb import Climbers
from cpcbench.solvers.white_box.moves.edge_kernel import operands, residuals
from cpcbench.solvers.white_box.moves.edges import Edges, chosen_edges
from cpcbench.solvers.white_box.moves.herd import Herd
from cpcbench.solvers.white_box.settle import Settler
from cpcbench.solvers.white_box.thin import slices, solved
from tests.material.white_box_problems import Known, known_problems

KNOWN = {known.problem.id: known for known in known_problems()}
QUICK = ("corner", "thin")
LONG = 1e6
"""Seconds: the searches of these tests end by their number of evaluations."""
SOME, FEW = 400_000, 60_000


def quarter(rule: str = "ieee") -> Problem:
    """Defined where x2 <= x1^2 and x1 >= 0.25; its corner is (0.25, 0.0625)."""
    return cpc.parse("sqrt(x1 - 0.25) + ln(1 + sqrt(x1^2 - x2)) + 3", bounds=(-2, 2), rule=rule)


def test_edges_are_conditions_kinks_squares_and_sides() -> None:
    p = cpc.parse("sqrt(x1 - x2) + abs(x2) + arcsin(x1) + (x1*x2 - 1)^2", bounds=[(-3, 3), (-4, 5)])
    found = operands(p.expression, "ieee", tuple(p.lower), tuple(p.upper))
    x1, x2 = var(0), var(1)
    own = [x1 - x2, 1 - x1, 1 + x1, x2, x1 * x2 - 1]
    assert {id(e) for e in own} <= {id(e) for e in found}
    assert len(found) == len(own) + 4  # the sides of the box


def test_residuals_are_the_bases_of_a_sum_of_powers() -> None:
    p = cpc.parse("(x1 - 2)^2 + (x2 - x1)^2.5 + (x1 + 1)^2", bounds=(-3, 3))
    assert len(residuals(p.expression)) == 3
    assert residuals(cpc.parse("(x1 - 2)^2 - x2", bounds=(-3, 3)).expression) == []


def test_edges_are_read_like_the_formula_says() -> None:
    p = quarter()
    edges = Edges(p)
    x = np.array([[0.5, 0.125], [1.5, -1.0]])
    sizes = edges.at(x)
    assert sorted(sizes.value[0]) == [0.125, 0.25, 0.5, 1.5, 1.875, 2.125, 2.5]  # x1 is squared: an edge too
    place = int(np.argmin(np.abs(sizes.value[0] - 0.125)))
    assert sizes.slope[1, place] == pytest.approx([4 * 3.0, 4 * -1.0])  # in units of the box, 4 wide


def test_newton_finds_the_corner() -> None:
    p = quarter()
    edges = Edges(p)
    start = np.array([[0.4, 0.1]])
    chosen = chosen_edges(edges.at(start), 2)
    assert edges.onto(start, chosen, np.zeros((1, 2)))[0] == pytest.approx([0.25, 0.0625], abs=1e-14)


def test_newton_moves_only_what_is_free() -> None:
    p = quarter()
    edges = Edges(p)
    start = np.array([[0.75, 0.5]])
    near = chosen_edges(edges.at(start), 1)
    moved = edges.onto(start, near, np.zeros((1, 1)), free=np.array([[False, True]]))
    assert moved.tolist() == [[0.75, 0.5625]]


def test_the_archive_keeps_one_point_a_neighbourhood_and_no_nan() -> None:
    archive = Archive(np.array([[0.0, 0.0], [10.0, 10.0]]), keep=3)
    points = np.array([[1.0, 1.0], [1.0 + 1e-5, 1.0], [5.0, 5.0], [7.0, 2.0], [8.0, 8.0], [3.0, 3.0]])
    archive.add(points, np.array([2.0, 1.0, 4.0, math.nan, 3.0, 5.0]))
    assert archive.values.tolist() == [1.0, 3.0, 4.0]
    assert archive.points[0].tolist() == [1.0 + 1e-5, 1.0]


def entered(herd: Herd, moves: int) -> bool:
    work = herd.enter(0.5, moves)
    while True:
        try:
            next(work)
        except StopIteration as end:
            return bool(end.value)


def test_a_herd_enters_a_rare_domain_and_descends() -> None:
    p = KNOWN["needle"].problem
    herd = Herd(p, np.random.default_rng(1), 300)
    assert not p.admissible(herd.points).any()
    assert entered(herd, 20)
    assert p.admissible(herd.points).all()
    first = float(np.median(herd.keys))
    for _ in range(20):
        deque(herd.descend(0.5, 20), maxlen=0)
    assert np.array_equal(herd.keys, p(herd.points))
    assert herd.keys.max() < first


def test_climbers_go_down_an_ill_scaled_valley() -> None:
    p = cpc.parse("(x1 - 1)^2 + 1000000*(x2 - x1^2)^2 + 0*ln(x1 + x2)", bounds=(-3, 3))
    box = np.array([p.lower, p.upper])
    start = np.array([[2.0, 1.0], [0.5, 2.0]])
    climbers = Climbers(start, p(start), box, np.array([7], dtype=np.uint64), 0.01)
    climbers.run(p.fast.boxed, 20000)
    assert climbers.value.max() < 1e-10
    assert np.array_equal(climbers.value, p(climbers.x))


@pytest.mark.parametrize(
    ("point", "kind"),
    [((1.0, -2.0), "thin"), ((1.0, 3.5), "faithful"), ((1.5, -2.0), "inadmissible"), ((9.0, 3.5), "inadmissible")],
)
def test_the_judge_tells_kinds_apart(point: tuple[float, float], kind: str) -> None:
    assert Judge(KNOWN["thin"].problem)(np.array(point)).kind == kind


def test_an_artefact_is_settled_at_a_faithful_point() -> None:
    p = cpc.parse("ln(cos(x1))", bounds=[(1, 2)])
    x = np.array([math.pi / 2])  # in doubles cos is 6e-17 there, and so it is in the reals; the next doubles are off
    judge = Judge(p)
    wrong = cpc.parse("ln(1 + x1 - 1)", bounds=[(-1, 1)])
    artefact = Judge(wrong)(np.array([3e-16]))
    assert judge(x).kind == "faithful"
    assert artefact.kind == "artefact"
    settler = Settler(Judge(wrong), wrong.fast.boxed, Edges(wrong), np.random.default_rng(2))
    settled = [candidate for candidate in settler(artefact.x) if candidate is not None]
    assert {candidate.kind for candidate in settled} == {"faithful"}
    assert settled[-1].value == min(candidate.value for candidate in settled) < -12.0


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="long doubles are doubles here")
def test_extended_precision_recognises_accidents_of_rounding() -> None:
    p = cpc.parse("ln(1 + x1 - 1)", bounds=[(-1, 1)])
    points = np.array([[3e-16], [0.5], [-0.5]])
    values = p(points)
    assert looks_faithful(p.expression, points, values).tolist() == [False, True, False]
    guard, out = Guard(p), np.empty(3)
    guard(points.reshape(-1), out)
    assert guard.best == out[1] == values[1]
    assert np.isnan(out[[0, 2]]).all()


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="long doubles are doubles here")
def test_a_constant_is_taken_as_the_decimal_written() -> None:
    p = cpc.parse("1000000000000*(0.1*x1 - 0.3)", bounds=[(0, 5)])  # in doubles 0.1*3 - 0.3 is not 0
    x = np.array([[3.0]])
    assert p(x)[0] != 0.0
    assert not looks_faithful(p.expression, x, p(x))[0]


def test_exponents_are_solved_for_whole_numbers() -> None:
    x1, x2 = var(0), var(1)
    assert solved(x1 - 0.5, 0, num(2)) is num(2) + 0.5
    assert solved(3 / (x2 - x1), 1, num(2)) is num(3) / num(2) + x1
    assert solved(x1 * x1, 0, num(4)) is None
    places = {part.place for part in slices(KNOWN["thin"].problem.expression)}
    assert places == {0}
    assert slices(quarter().expression) == []


@pytest.mark.parametrize("name", QUICK)
def test_it_finds_known_optima(name: str) -> None:
    _solves(KNOWN[name], 1_000_000 if name == "thin" else SOME)  # the thin lane has a tenth of the work


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in KNOWN if name not in QUICK])
def test_it_finds_the_other_known_optima(name: str) -> None:
    _solves(KNOWN[name], 5_000_000, 1e-5 if name == "chain" else 1e-6)  # 1.6e-6 above, at edges in all ten variables


def _solves(known: Known, budget: int, close: float = 1e-6) -> None:
    found = solve_expression(known.problem, np.random.default_rng(3), seconds=LONG, budget=budget)
    assert found.x is not None
    assert found.value == known.problem.reference(found.x)
    assert abs(found.value - known.value) <= close * max(1.0, abs(known.value))
    if known.thin is None:
        assert found.thin is None or found.thin.value > found.value
    else:
        assert found.thin is not None
        assert found.thin.value == pytest.approx(known.thin)


def test_symmetric_copies_are_listed() -> None:
    p = cpc.parse("sqrt(x1^2 + x2^2 - 2) + (x1^2 - x2^2)^2 + 1", bounds=(-3, 3))
    found = solve_expression(p, np.random.default_rng(4), seconds=LONG, budget=SOME)
    assert {tuple(np.sign(o.x)) for o in found.optima} == {(a, b) for a in (-1.0, 1.0) for b in (-1.0, 1.0)}


def test_the_same_seed_gives_the_same_result() -> None:
    p = quarter()
    one, two = (solve_expression(p, np.random.default_rng(5), seconds=LONG, budget=FEW) for _ in range(2))
    assert one.x is not None
    assert two.x is not None
    assert one.x.tolist() == two.x.tolist()
    assert (one.value, one.evaluations) == (two.value, two.evaluations)


def test_a_formula_that_is_defined_nowhere_has_no_answer() -> None:
    p = cpc.parse("sqrt(-1 - x1^2)", bounds=(-3, 3))
    found = solve_expression(p, np.random.default_rng(6), seconds=LONG, epochs=1)
    assert found.x is None
    assert math.isnan(found.value)
    assert "no faithful point" in found.message


def test_as_a_solver_it_reports_what_the_objective_confirms() -> None:
    p = quarter()
    objective = Objective(p)
    found = SOLVER.solve(objective, np.random.default_rng(7), seconds=LONG, budget=SOME)
    assert found.success
    assert objective.best_value == p(found.x) == pytest.approx(3.0, abs=1e-7)


@pytest.mark.parametrize("settings", [{"seconds": 0.0}, {"seconds": math.nan}, {"epochs": 0}, {"budget": 0}])
def test_bad_settings_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(CpcbenchError, match="epochs is 1 or more and so is budget"):
        solve_expression(quarter(), np.random.default_rng(8), **settings)  # type: ignore[arg-type]


def test_only_problems_are_solved() -> None:
    with pytest.raises(CpcbenchError, match="takes a problem"):
        solve_expression(abs, np.random.default_rng(9))  # type: ignore[arg-type]


def test_a_study_records_the_evaluations_that_were_made() -> None:
    """All of them, not the one of the answer; improvements stand in the trajectory where they were made."""
    done = run_once(quarter(), SOLVER, 7, budget=3000, seconds=60.0)
    assert done.evaluations == 3000
    assert 0 < done.undefined < 3000
    assert len(done.trajectory) > 1
    numbers = [number for number, _ in done.trajectory]
    assert numbers == sorted(numbers)
    assert 1 < numbers[-1] <= 3000
    assert done.value == pytest.approx(min(value for _, value in done.trajectory), abs=1e-12)
