"""`minimize(constraints=)`: SciPy's constraints and statements, for functions, formulas and problems."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, NonlinearConstraint

import cpcbench as cpc
from cpcbench.entrance.refusal import TraceError
from cpcbench.errors import CpcbenchError
from cpcbench.solvers.functions.constraints import Limits
from tests.cases import one_in

BOX = [(-2.0, 2.0), (-2.0, 2.0)]
LEAST = -math.sqrt(2.0)


def added(x: Any) -> Any:
    return x[0] + x[1]


def squares(x: Any) -> Any:
    return x[0] ** 2 + x[1] ** 2


def opaque(x: Any) -> float:
    """It cannot be read: the numbers become text on the way."""
    return float(str(x[0] ** 2 + x[1] ** 2))


DISC = {
    "statement": "x1^2 + x2^2 <= 1",
    "statements": ["x1^2 <= 1 - x2^2", "x1 <= 2"],
    "nonlinear": NonlinearConstraint(squares, -np.inf, 1.0),
    "vector": NonlinearConstraint(lambda x: np.array([x[0] ** 2 + x[1] ** 2, x[0]]), -np.inf, [1.0, 2.0]),
    "dictionary": {"type": "ineq", "fun": lambda x, r: r * r - squares(x), "args": (1.0,)},
    "opaque": (NonlinearConstraint(opaque, -np.inf, 1.0), LinearConstraint([[1.0, 0.0]], -np.inf, 2.0)),
}


@pytest.mark.parametrize("kind", one_in(3, DISC))
def test_a_function_is_minimised_where_they_hold(kind: str) -> None:
    found = cpc.minimize(added, BOX, constraints=DISC[kind], budget=400, rng=1)
    assert squares(found.x) <= 1.0
    assert LEAST <= found.fun < LEAST + 1e-6
    assert (found.nfev, found.method) == (400, "black-box")
    assert found.nwatched == 0
    assert [squares(x) <= 1.0 for x in found.entries] == [True] * 3


@pytest.mark.parametrize("kind", one_in(2, [kind for kind in DISC if kind != "opaque"]))
def test_a_formula_gets_them_as_conditions(kind: str) -> None:
    found = cpc.minimize("x1 + x2", BOX, constraints=DISC[kind], budget=30_000, rng=1)
    assert found.fun == pytest.approx(LEAST, abs=1e-5)
    assert found.method == "white-box"


def test_the_black_box_sees_the_same_of_a_formula_and_of_a_function() -> None:
    settings: dict[str, Any] = {"budget": 400, "rng": 3, "method": "black-box"}
    formula = cpc.minimize("x1 + x2", BOX, constraints=DISC["nonlinear"], **settings)
    function = cpc.minimize(added, BOX, constraints=DISC["nonlinear"], **settings)
    stated = cpc.minimize(cpc.parse("x1 + x2", BOX, subject_to=["x1^2 + x2^2 <= 1"]), **settings)
    assert formula.x.tolist() == function.x.tolist() == stated.x.tolist()
    assert formula.nconstraint == function.nconstraint == stated.nconstraint
    assert function.fun == pytest.approx(LEAST, abs=1e-6)


def test_what_cannot_be_read_is_called_by_the_black_box_and_refused_by_the_white() -> None:
    with pytest.raises(TraceError, match="method='black-box' has to call it"):
        cpc.minimize("x1 + x2", BOX, constraints=DISC["opaque"])
    found = cpc.minimize("x1 + x2", BOX, constraints=DISC["opaque"], method="black-box", budget=300, rng=1)
    assert squares(found.x) <= 1.0


def test_a_function_is_not_called_where_they_are_missed() -> None:
    def careful(x: Any) -> float:
        assert squares(x) <= 1.0
        return float(added(x))

    found = cpc.minimize(careful, BOX, constraints=DISC["statement"], budget=300, rng=1)
    assert found.nfailed == 0
    assert found.success


@pytest.mark.slow
def test_a_thin_set_is_entered_by_how_much_it_is_missed() -> None:
    """The part of the box where both hold is about 1e-13 of it."""
    narrow = [{"type": "eq", "fun": lambda x: x[0] * x[1] - 0.5}, "x1 == 2*x2"]
    found = cpc.minimize(added, BOX, constraints=narrow, budget=1000, rng=1)
    assert abs(found.x[0] * found.x[1] - 0.5) <= 1e-6
    assert abs(found.x[0] - 2 * found.x[1]) <= 1e-6
    assert found.fun == pytest.approx(-1.5, abs=1e-5)


BANDS = cpc.parse(
    "exp(x1*x2*x3*x4*x5)",
    bounds=[(-2.3, 2.3)] * 2 + [(-3.2, 3.2)] * 3,
    subject_to=["x1^2 + x2^2 + x3^2 + x4^2 + x5^2 == 10", "x2*x3 == 5*x4*x5", "x1^3 + x2^3 == -1"],
)
"""Three equations in five variables: about 1e-20 of the box, and several local minima."""


def test_the_white_box_descends_onto_equations_by_their_slopes() -> None:
    found = cpc.minimize(BANDS, budget=30_000, rng=2)
    assert found.kind == "faithful"
    assert found.fun == pytest.approx(0.0539498, abs=1e-6)


@pytest.mark.slow
def test_the_black_box_follows_bands_of_equations() -> None:
    """Points that miss them are moved onto them: without that it ended at 0.3 and higher with 100,000 evaluations."""
    values = [cpc.minimize(BANDS, budget=1000, rng=seed, method="black-box").fun for seed in (1, 2)]
    assert min(values) == pytest.approx(0.0539498, abs=1e-4)


def test_where_points_cannot_be_moved_the_measure_leads_in() -> None:
    """The distance from a square is flat but for steps: there are no slopes to follow."""
    steps = NonlinearConstraint(lambda x: np.floor(np.max(np.abs(x - 1.0)) * 100), -np.inf, 0.0)
    found = cpc.minimize(added, BOX, constraints=steps, budget=1000, rng=1)
    assert found.nwatched > 0
    assert found.fun == pytest.approx(1.98, abs=1e-3)


def test_computations_of_the_constraints_alone_are_counted() -> None:
    calls = [0]

    def counted(x: Any) -> Any:
        calls[0] += 1
        return squares(x)

    found = cpc.minimize(added, BOX, constraints=NonlinearConstraint(counted, -np.inf, 1.0), budget=200, rng=1)
    assert found.nfev == 200
    assert calls[0] == found.nconstraint + found.nfev
    assert "nconstraint" not in cpc.minimize(added, BOX, budget=20, rng=1)


def test_sides_that_are_no_limits_are_left_out() -> None:
    def pair(x: Any) -> Any:
        return np.array([x[0], x[1]])

    points = np.array([[3.0, 5.0]])
    both = NonlinearConstraint(pair, [-np.inf, 1.0], [4.0, np.inf])
    assert Limits(both, 2).rooms(points).tolist() == [[4.0, 1.0]]
    assert Limits(NonlinearConstraint(pair, 1.0, np.inf), 2).rooms(points).tolist() == [[2.0, 4.0]]
    assert Limits(NonlinearConstraint(pair, -np.inf, np.inf), 2).rooms(points).tolist() == [[math.inf, math.inf]]
    assert Limits(NonlinearConstraint(pair, 1.0, 1.0), 2, tolerance=0.5).rooms(points).tolist() == [
        [2.5, 4.5, -1.5, -3.5]
    ]
    fails = NonlinearConstraint(lambda x: math.sqrt(-x[0]), -np.inf, 1.0)
    assert np.isnan(Limits(fails, 2).rooms(points)).all()


def test_under_constraints_too_a_larger_budget_is_no_worse() -> None:
    values = [cpc.minimize(BANDS, budget=budget, rng=2).fun for budget in (1000, 4000, 8000, 30_000)]
    known = [value for value in values if not math.isnan(value)]
    assert known
    assert known == sorted(known, reverse=True)
    assert cpc.minimize(BANDS, budget=8000, rng=2).fun == values[2]


def test_the_grey_box_enters_both_domains() -> None:
    found = cpc.minimize(
        lambda x: math.log(x[0] - x[1] ** 2 - 1.9),
        BOX,
        constraints="x1 + x2 <= 1.95",
        budget=1500,
        rng=1,
        method="grey-box",
    )
    assert found.success
    assert added(found.x) <= 1.95
    assert found.method == "grey-box"


def test_equations_between_limits() -> None:
    same = NonlinearConstraint(squares, 1.0, 1.0)
    assert Limits(same, 2)(np.array([1.0, 0.0])) == 0.0
    assert Limits(same, 2)(np.array([1.0, 1e-4])) == 0.0
    assert Limits(same, 2, tolerance=0.0)(np.array([1.0, 1e-4])) > 0.0
    assert Limits(same, 2).amounts(np.array([2.0, 0.0])).tolist() == [3.0 - 1e-6]
    assert math.isnan(Limits({"type": "ineq", "fun": lambda x: math.sqrt(x[0])}, 1)(np.array([-1.0])))


def test_a_search_under_constraints_goes_on_from_its_state(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"constraints": "x1^2 + x2^2 <= 1", "budget": 400, "rng": 5}
    whole = cpc.minimize(added, BOX, **settings)
    for _ in range(2):
        again = cpc.minimize(added, BOX, **settings, state=tmp_path / "search.state")
        assert again.x.tolist() == whole.x.tolist()
    with pytest.raises(CpcbenchError, match="constraints differ"):
        cpc.minimize(added, BOX, **{**settings, "constraints": "x1 <= 1"}, state=tmp_path / "search.state")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (3, "constraints are statements"),
        ([{"type": "less", "fun": squares}], "constraints are statements"),
        ([{"type": "eq"}], "constraints are statements"),
        ("x1 + x2", "a comparison is needed"),
        (NonlinearConstraint(squares, math.nan, 1.0), "numbers or infinite"),
    ],
)
def test_trouble_is_named(given: Any, words: str) -> None:
    with pytest.raises(CpcbenchError, match=words):
        cpc.minimize(added, BOX, constraints=given, budget=10)


def test_a_function_of_arrays_sees_the_points_at_which_the_constraints_hold() -> None:
    seen: list[Any] = []

    def rows(points: Any) -> Any:
        seen.append(points)
        return points[:, 0] + points[:, 1]

    settings: dict[str, Any] = {"constraints": "x1^2 + x2^2 <= 1", "budget": 600, "rng": 2, "batch": 20}
    found = cpc.minimize(rows, BOX, vectorized=True, **settings)
    assert (np.square(np.concatenate(seen)).sum(axis=1) <= 1.0).all()
    assert max(map(len, seen)) > 1
    single = cpc.minimize(added, BOX, **settings)
    assert found.x.tolist() == single.x.tolist()
    assert [(f.kind, f.count) for f in found.failures] == [(f.kind, f.count) for f in single.failures]
    with pytest.raises(CpcbenchError, match="values are expected for as many points"):
        cpc.minimize(lambda points: points, BOX, vectorized=True, **settings)


def unreadable(x: Any) -> float:
    return float(int(4.0 * x[0])) / 4.0 + float(x[1])


def test_a_formula_called_for_a_constraint_that_cannot_be_read_says_what_is_whole() -> None:
    limit = NonlinearConstraint(unreadable, -math.inf, 1.0)
    found = cpc.minimize(
        "(whole(x1) - 1.6)^2 + (x2 + 0.5)^2", [(-9, 9)] * 2, constraints=limit, method="black-box", budget=500, rng=1
    )
    assert found.x is not None
    assert found.x[0] == 1.0
    assert found.fun == pytest.approx(0.36, abs=0.02)
