"""Bounds over boxes enclose the real values in them, and say rightly where a formula is defined."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.expr import Expr, num, sin, sqrt, var
from cpcbench.expr.functions import where
from cpcbench.intervals.boxes import Boxes, ManyBoxes
from cpcbench.readings.reals.enclosure import enclose
from tests.cases import one_in
from tests.intervals.expected import EVERYWHERE, INF, NOWHERE
from tests.material.expressions import wild_expressions
from tests.material.random_formulas import ELEMENTARY as ELEMENTARY_STEPS
from tests.material.random_formulas import RATIONAL, formula, point, seeded

X, Y = var(0), var(1)


# Soundness at points


def check_point(root: Expr, x: Sequence[float], rule: str, low: float, high: float, state: int) -> int:
    """1 if the point is defined in the reals, 0 if not or not known."""
    real = enclose(root, x, rule=rule, max_bits=256, accuracy=1e-17)
    if real.defined is None:
        return 0
    assert state != (NOWHERE if real.defined else EVERYWHERE), (root, x, rule)
    if not real.defined:
        return 0
    assert low <= real.upper, (root, x, rule, low, real)
    assert real.lower <= high, (root, x, rule, high, real)
    return 1


def random_boxes(r: Any, count: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    corners = np.sort(np.array([[point(r, n), point(r, n)] for _ in range(count)]), axis=1)
    low, high = corners[:, 0].copy(), corners[:, 1].copy()
    for i in range(count):
        kind = r.random()
        if kind < 0.5:  # a small box, or a point
            high[i] = low[i] + (high[i] - low[i]) * (0.0 if kind < 0.1 else 10.0 ** -r.randrange(1, 12))
    return low, np.maximum(low, high)


def points_in(r: Any, low: np.ndarray, high: np.ndarray, count: int) -> list[list[float]]:
    """Corners, points on faces and inside."""
    found = []
    for _ in range(count):
        t = np.array([r.choice([0.0, 1.0, 0.5, r.random()]) for _ in low])
        found.append(np.clip(low + t * (high - low), low, high).tolist())
    return found


def check_formulas(seeds: range, boxes: int, points: int) -> int:
    defined = 0
    for seed in seeds:
        r = seeded(seed)
        root = formula(r, r.randrange(2, 14), [*RATIONAL, *ELEMENTARY_STEPS])
        rule = r.choice(["ieee", "ieee", "strict"])
        low, high = random_boxes(r, boxes, 2)
        found = Boxes(root, rule)(low, high)
        for i in range(boxes):
            for x in points_in(r, low[i], high[i], points):
                defined += check_point(root, x, rule, *(float(f[i]) for f in found))  # type: ignore[arg-type]
    return defined


def test_random_formulas_are_enclosed() -> None:
    assert check_formulas(range(400), boxes=10, points=1) > 1500


@pytest.mark.slow
def test_many_random_formulas_are_enclosed() -> None:
    assert check_formulas(range(1000, 4000), boxes=10, points=2) > 20000


@pytest.mark.parametrize("problem", one_in(3, cpc.problems()), ids=lambda p: p.id)
def test_the_suite_is_enclosed(problem: cpc.Problem) -> None:
    """Boxes of all sizes around the best known points and elsewhere, checked at points in them."""
    r, rng = seeded(11), np.random.default_rng(12)
    centres = rng.uniform(problem.lower, problem.upper, (12, problem.dim))
    if problem.best_known is not None:
        known = np.repeat(np.atleast_2d(problem.best_known.points), 8, axis=0)
        centres = np.concatenate([known, centres])
    size = (problem.upper - problem.lower) * 10.0 ** rng.uniform(-14, -1, (len(centres), 1))
    shift = rng.uniform(0.0, 1.0, centres.shape)
    low = np.clip(centres - shift * size, problem.lower, problem.upper)
    high = np.clip(centres + (1.0 - shift) * size, low, problem.upper)
    for rule in ("ieee", "strict"):
        found = Boxes(problem.expression, rule)(low, high)
        for i in range(len(low)):
            for x in [*points_in(r, low[i], high[i], 1), np.clip(centres[i], low[i], high[i]).tolist()]:
                check_point(problem.expression, x, rule, *(float(f[i]) for f in found))  # type: ignore[arg-type]


# Shape, depth and input


@settings(derandomize=True, deadline=None, max_examples=150)
@given(wild_expressions(n_vars=2), st.integers(0, 10**6))
def test_never_nan_and_empty_means_nowhere(root: Expr, seed: int) -> None:
    rng = np.random.default_rng(seed)
    low = rng.choice([-INF, -1e300, -3.0, -0.5, 0.0, 0.25, 2.0], (30, 2))
    high = np.maximum(low, rng.choice([-2.0, 0.0, 0.5, 3.0, 1e300, INF], (30, 2)))
    found_low, found_high, state = Boxes(root)(low, high)
    assert not np.isnan(found_low).any()
    assert not np.isnan(found_high).any()
    assert ((found_low == INF) == (state == NOWHERE)).all()
    assert ((found_high == -INF) == (state == NOWHERE)).all()
    assert (found_low <= found_high)[state != NOWHERE].all()


def test_a_smaller_box_never_has_wider_bounds() -> None:
    problem = cpc.problem("DF3")
    boxes = Boxes(problem.expression)
    low, high = np.array([[6.0, 6.0]]), np.array([[6.4, 6.8]])
    outer = boxes(low, high)
    for a in np.linspace(6.0, 6.3, 20):
        inner = boxes([[a, 6.2]], [[a + 0.05, 6.5]])
        assert inner[0][0] >= outer[0][0]
        assert inner[1][0] <= outer[1][0]


def test_batches_and_single_boxes_agree() -> None:
    problem = cpc.problem("DF8")
    rng = np.random.default_rng(5)
    low = rng.uniform(0.0, 13.0, (9001, 2))
    many = Boxes(problem.expression)(low, low + 0.1)
    for i in (0, 4095, 4096, 9000):
        one = Boxes(problem.expression)(low[i : i + 1], low[i : i + 1] + 0.1)
        assert one[2][0] == many[2][i]
        if one[2][0]:
            assert one[0][0] == pytest.approx(many[0][i], rel=1e-12)


def test_several_formulas_at_once() -> None:
    first, second = ManyBoxes([X * Y, num(3)])([[1.0, 2.0]], [[2.0, 3.0]])
    assert (first[0][0], first[1][0]) == pytest.approx((2.0, 6.0))
    assert (second[0].tolist(), second[1].tolist(), second[2].tolist()) == ([3.0], [3.0], [EVERYWHERE])


def test_deep_formulas_do_not_exhaust_the_stack_or_the_memory() -> None:
    root = X
    for _ in range(30_000):
        root = root + Y
    low, high, state = Boxes(root)(np.zeros((50, 2)), np.ones((50, 2)))
    assert low[0] <= 0.0
    assert high[0] == pytest.approx(30_001.0)
    assert state[0] == EVERYWHERE


def test_no_boxes_no_answers() -> None:
    low, high, state = Boxes(sqrt(sin(X)) ** Y / where(X < 1, Y, 2))(np.empty((0, 2)), np.empty((0, 2)))
    assert low.shape == high.shape == state.shape == (0,)


@pytest.mark.parametrize(
    ("lower", "upper"),
    [([1.0, 2.0], [2.0, 3.0]), ([[1.0]], [[2.0]]), ([[1.0, 2.0]], [[2.0, 1.0]]), ([[1.0, math.nan]], [[2.0, 3.0]]),
     ([[1.0, 2.0]], [[2.0, 3.0, 4.0]])],
)  # fmt: skip
def test_bad_boxes_are_refused(lower: Any, upper: Any) -> None:
    with pytest.raises(CpcbenchError, match="box"):
        Boxes(X + Y)(lower, upper)


def test_a_comparison_alone_is_refused() -> None:
    with pytest.raises(CpcbenchError, match="comparison"):
        Boxes(X < Y)


def test_kept_code_is_loaded_without_what_the_compiler_needs() -> None:
    """A study asks for a box or two: to load all that Numba knows of arrays would take longer than the study."""
    program = (
        "import sys\nfrom cpcbench.expr.nodes import var\nfrom cpcbench.intervals.boxes import Boxes\n"
        "print(*(ends[0] for ends in Boxes(var(0) - var(1))([[0.0, 0.0]], [[1.0, 1.0]])))\n"
        "print(sorted({'numba.np.arraymath', 'numba.np.linalg', 'scipy.linalg'} & set(sys.modules)))"
    )
    for _ in range(2):  # the first may have to compile it
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [" ".join(str(ends[0]) for ends in Boxes(X - Y)([[0, 0]], [[1, 1]])), "[]"]
