"""The white box with whole variables: held at numbers, while the others go down."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cpcbench as cpc
from cpcbench.solvers.white_box.moves.lattice import Lattice
from cpcbench.solvers.white_box.solver import solve_expression
from cpcbench.solvers.white_box.tuning import ALL_NUMBERS
from cpcbench.solvers.whole import rounded, whole_variables

SIDES = st.lists(st.tuples(st.integers(-3, 2), st.integers(0, 4), st.booleans()), min_size=1, max_size=5)


@given(SIDES, st.integers(0, 2**32 - 1))
def test_choices_come_once_and_the_nearest_first(sides: list[tuple[int, int, bool]], seed: int) -> None:
    lower = np.array([low for low, _, _ in sides]) - 0.499
    upper = np.array([low + width for low, width, _ in sides]) + 0.499
    which = np.array([whole for _, _, whole in sides])
    x = np.random.default_rng(seed).uniform(lower, upper)
    lattice = Lattice(lower, upper, which)
    given = []
    while (numbers := lattice.next_to(x)) is not None:
        given.append(numbers)
    choices = int(np.prod([width + 1 for _, width, whole in sides if whole]))
    assert len({tuple(numbers) for numbers in given}) == len(given)
    assert len(given) == choices if choices <= ALL_NUMBERS else len(given) > which.sum()
    steps = [float(np.abs(numbers - np.rint(x[which])).sum()) for numbers in given]
    assert steps == sorted(steps)
    assert steps[0] == 0.0
    for numbers in given:
        point = lattice.held(x[None], numbers)[0]
        assert (point == np.rint(point))[which].all()
        assert (point == x)[~which].all()
        assert (point >= lower).all()
        assert (point <= upper).all()


def test_a_corner_of_constraints_is_found_beside_the_right_numbers() -> None:
    vessel = cpc.parse(
        "0.6224*0.0625*x1*x3*x4 + 1.7781*0.0625*x2*x3^2 + 3.1661*(0.0625*x1)^2*x4 + 19.84*(0.0625*x1)^2*x3",
        [(1, 99), (1, 99), (10, 200), (10, 200)],
        subject_to=["0.0193*x3 <= 0.0625*x1", "0.00954*x3 <= 0.0625*x2", "1296000 <= pi*x3^2*x4 + 4/3*pi*x3^3"],
        integrality=[1, 1, 0, 0],
    )
    which = whole_variables(vessel)
    near = rounded(vessel, which)
    start = np.array([[15.0, 8.0, 48.0, 115.0]])
    held = solve_expression(near, np.random.default_rng(1), budget=9000, starts=start, whole=which, all_optima=False)
    assert held.evaluations <= 9000
    assert held.x is not None
    assert np.rint(held.x[:2]).tolist() == [13.0, 7.0]
    assert held.value == pytest.approx(6059.714335, rel=1e-6)
    free = solve_expression(near, np.random.default_rng(1), budget=9000, starts=start, all_optima=False)
    assert free.value > held.value - 1e-6


def test_whole_variables_without_constraints_are_held_too() -> None:
    found = cpc.minimize(
        "100*(x2 - x1^2)^2 + (1 - x1)^2", [(-50, 50), (-50, 5000)], integrality=[1, 0], budget=4000, rng=1
    )
    assert found.x.tolist() == pytest.approx([1.0, 1.0])
    assert found.fun == pytest.approx(0.0, abs=1e-9)
