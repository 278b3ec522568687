"""The prover never says more than is true: its ranges, states, slopes and cuts against values at points."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.certify.lower.tree.proving import prove
from cpcbench.errors import CpcbenchError
from cpcbench.expr import Expr
from cpcbench.intervals.boxes import cut_boxes, lower_bounds, natural_ranges
from cpcbench.intervals.functions.table import SINC
from cpcbench.intervals.operations import FILLED
from cpcbench.intervals.tape import Tape
from cpcbench.readings.doubles.arrays import evaluate
from cpcbench.readings.reals.enclosure import enclose
from tests.material.random_formulas import ELEMENTARY, RATIONAL, formula, seeded

NOWHERE, EVERYWHERE = 0, 2
SMOOTH = [b for i, b in enumerate(RATIONAL) if i not in (6, 7, 9, 10)] + ELEMENTARY
"""Without floor, sign and where: formulas with slopes."""


class Sample(NamedTuple):
    """Boxes with points in them: the values in doubles are a hint, what is in doubt is decided with balls."""

    root: Expr
    tape: Tape
    lower: np.ndarray
    upper: np.ndarray
    points: np.ndarray
    values: np.ndarray


def sample(root: Expr, seed: int, boxes: int) -> Sample | None:
    try:
        tape = Tape.of_formula(root, 2)
    except CpcbenchError:
        return None  # a constant that is not real
    rng = np.random.default_rng(seed)
    centre = np.where(
        rng.random((boxes, 2)) < 0.4, rng.integers(-12, 13, (boxes, 2)) / 4, rng.uniform(-4, 4, (boxes, 2))
    )
    width = 10.0 ** rng.uniform(-6.0, 0.5, (boxes, 1)) * rng.uniform(0.0, 1.0, (boxes, 2))
    below = rng.choice([0.0, 0.5, 1.0], (boxes, 2))
    lower, upper = centre - width * below, centre + width * (1.0 - below)
    share = rng.choice([0.0, 1.0, 0.5], (boxes, 2)) if seed % 3 == 0 else rng.random((boxes, 2))
    points = np.clip(lower + (upper - lower) * share, lower, upper)
    return Sample(root, tape, lower, upper, points, evaluate(root, points))


def value_at(root: Expr, x: np.ndarray) -> tuple[float, float] | None:
    """Bounds of the real value at a point; None if it is undefined there, or that is not settled."""
    found = enclose(root, [float(c) for c in x], rule="strict", max_bits=1024)
    return (found.lower, found.upper) if found.defined else None


def check_ranges(s: Sample) -> int:
    """Counts the points that were decided."""
    low, high, state = natural_ranges(s.tape, s.lower, s.upper)
    finite = np.isfinite(s.values)
    doubt = finite & ((state == NOWHERE) | (s.values <= low) | (s.values >= high))
    for m in np.flatnonzero(doubt):
        true = value_at(s.root, s.points[m])
        if true is not None:
            assert state[m] != NOWHERE, (s.root, s.points[m])
            assert low[m] <= true[1], (s.root, s.lower[m], s.upper[m], s.points[m])
            assert true[0] <= high[m], (s.root, s.lower[m], s.upper[m], s.points[m])
    for m in np.flatnonzero(~finite & (state == EVERYWHERE)):
        found = enclose(s.root, s.points[m].tolist(), rule="strict", max_bits=1024)
        if found.defined is False:
            assert is_removable(s), (s.root, s.lower[m], s.upper[m], s.points[m])
    return int(finite.sum())


def is_removable(s: Sample) -> bool:
    """Whether holes were filled on purpose."""
    return bool(np.isin(s.tape.code.op, (SINC, FILLED)).any())


def check_bounds(s: Sample) -> int:
    """A bound by slopes is below every value; counts those that are better than the natural one."""
    bound, _ = lower_bounds(s.tape, s.lower, s.upper)
    natural, _ = lower_bounds(s.tape, s.lower, s.upper, slopes=False)
    assert (bound >= natural).all()
    for m in np.flatnonzero(np.isfinite(s.values) & (s.values <= bound)):
        true = value_at(s.root, s.points[m])
        assert true is None or bound[m] <= true[1], (s.root, s.lower[m], s.upper[m], s.points[m])
    return int((bound > natural).sum())


def check_cuts(s: Sample) -> int:
    """No admissible point at or below the limit is cut away; counts the boxes that were made smaller."""
    count = 0
    for limit in (math.inf, 0.5):
        low, high, alive = cut_boxes(s.tape, s.lower, s.upper, limit)
        lost = ~alive | (s.points < low).any(axis=1) | (s.points > high).any(axis=1)
        count += int(lost.sum())
        for m in np.flatnonzero(lost & (s.values <= limit) & np.isfinite(s.values)):
            true = value_at(s.root, s.points[m])
            # a value above the limit by less than a double can tell may be lost
            assert true is None or true[1] > limit, (s.root, s.lower[m], s.upper[m], s.points[m], limit)
    return count


def run(seeds: range, boxes: int) -> tuple[int, int, int]:
    decided = better = cut = 0
    for seed in seeds:
        r = seeded(seed)
        builders = SMOOTH if seed % 2 else [*RATIONAL, *ELEMENTARY]
        s = sample(formula(r, r.randrange(1, 9), builders), seed, boxes)
        if s is not None:
            decided += check_ranges(s)
            better += check_bounds(s)
            cut += check_cuts(s)
    return decided, better, cut


def test_random_formulas_over_random_boxes() -> None:
    decided, better, cut = run(range(220), 40)
    assert decided > 2000
    assert better > 100
    assert cut > 300


@pytest.mark.slow
def test_a_million_random_boxes() -> None:
    decided, better, cut = run(range(1000, 3000), 500)
    assert decided > 400_000
    assert better > 20_000
    assert cut > 50_000


@pytest.mark.parametrize(
    "name", ["DF2", "DF8", "DF9", "DF11", "DF13", "DF17", "DF24", pytest.param("F37", marks=pytest.mark.slow)]
)
def test_the_suite_over_boxes_around_admissible_points(name: str) -> None:
    """Points from boxes that shrink towards the lowest admissible ones, where conditions are nearly tight."""
    p = cpc.problem(name)
    assert p.best_known is not None
    best = np.asarray(p.best_known.points)[0]
    rng = np.random.default_rng(4)
    width = 10.0 ** rng.uniform(-9.0, 0.0, (300, 1)) * (p.upper - p.lower)
    lower = np.maximum(best - width * rng.random((300, p.dim)), p.lower)
    upper = np.maximum(np.minimum(best + width * rng.random((300, p.dim)), p.upper), lower)
    tape = Tape.of_formula(p.expression, p.dim)
    for point in (np.broadcast_to(np.clip(best, lower, upper), lower.shape), rng.uniform(lower, upper)):
        s = Sample(p.expression, tape, lower, upper, point, evaluate(p.expression, point))
        check_ranges(s)
        check_bounds(s)
        check_cuts(s)


@pytest.mark.parametrize("seed", range(8))
def test_a_value_that_is_attained_is_never_ruled_out(seed: int) -> None:
    """With a target just above the value at some admissible point no tree is complete."""
    r = seeded(500 + seed)
    rng = np.random.default_rng(seed)
    tried = 0
    while tried < 3:
        root = formula(r, r.randrange(2, 8), SMOOTH)
        points = rng.uniform(-2.0, 2.0, (200, 2))
        values = evaluate(root, points)
        values = np.where(np.isfinite(values), values, math.inf)
        m = int(values.argmin())
        true = value_at(root, points[m]) if math.isfinite(values[m]) else None
        if true is None or abs(true[1]) > 1e6:
            continue
        tried += 1
        target = true[1] + 1e-6 * (1.0 + abs(true[1]))
        tree = prove(Tape.of_formula(root, 2), [-2.0, -2.0], [2.0, 2.0], target, max_nodes=2_000, seconds=1.0)
        assert not tree.complete, (root, points[m])
        assert tree.bound <= true[1]
