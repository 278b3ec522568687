"""Feasible ratios: the right points are counted, the intervals hold what they promise, a stop loses nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.report.problems.feasible import feasible_table
from cpcbench.studies.feasible.counting import counted, filtered_count
from cpcbench.studies.feasible.draws import drawn_points, state_of, stream
from cpcbench.studies.feasible.intervals import Interval, count_interval, mean_interval
from cpcbench.studies.feasible.ratio import Counted, Split, feasible_ratio
from cpcbench.studies.feasible.splitting import Effort
from tests.studies.known_ratios import CORNER, CORNER_RATIO, DISC, DISC_RATIO, RARE, RARE_RATIO

BRANCHES = cpc.parse("where(x1 < 0, ln(x1 + 0.25), 1 / x2)", bounds=(-1, 1), id="BRANCHES")
HUGE = cpc.parse("sqrt(x1) + x2", bounds=(-1.5e308, 1.5e308), id="HUGE")
SMALL = cpc.parse("ln(x1 - 3e-310)", bounds=(1e-310, 7e-310), id="SMALL")


def hits(p: cpc.Problem, seed: int, first: int, count: int) -> int:
    state, step = state_of(stream(p, seed, 0), first, p.dim)
    return counted(p)(state, step, count)


def check_the_count(p: cpc.Problem, count: int = 20_000) -> None:
    first = 10**12 + 7  # far along the stream
    points = drawn_points(p, 3, 0, first, count)
    assert p.in_box(points).all()
    expected = np.asarray(p.admissible(points))
    assert hits(p, 3, first, count) == expected.sum()
    some = slice(11, 200)
    assert hits(p, 3, first + 11, 189) == expected[some].sum()


@pytest.mark.parametrize("p", [DISC, CORNER, BRANCHES, HUGE, SMALL], ids=lambda p: p.id)
def test_the_compiled_count_is_that_of_the_points_drawn(p: cpc.Problem) -> None:
    check_the_count(p)


@pytest.mark.parametrize("rule", ["ieee", "strict"])
@pytest.mark.parametrize("id_", ["CPC-DF3", "CPC-DF9"])
def test_the_count_of_a_problem_of_the_suite(id_: str, rule: str) -> None:
    check_the_count(cpc.problem(id_, rule=rule))


def check_the_filter(p: cpc.Problem, count: int) -> None:
    """Counted in vectors or one by one, from any place and for any number."""
    kernel, filtered = counted(p), filtered_count(p)
    assert filtered is not None
    for first, points in ((0, count), (10**12 + 7, 1003), (3, 7), (5, 8)):
        place = state_of(stream(p, 1, 0), first, p.dim)
        assert filtered(*place, points) == kernel(*place, points)


@pytest.mark.parametrize("p", [CORNER, SMALL], ids=lambda p: p.id)
def test_a_filter_counts_the_same(p: cpc.Problem) -> None:
    check_the_filter(p, 20_000)


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["ieee", "strict"])
@pytest.mark.parametrize("id_", [p.id for p in cpc.problems() if p.category == "domain-induced"])
def test_the_count_of_every_problem(id_: str, rule: str) -> None:
    check_the_count(cpc.problem(id_, rule=rule), 200_000)
    check_the_filter(cpc.problem(id_, rule=rule), 1_000_000)


def test_points_are_even_and_independent() -> None:
    p = cpc.parse("x1 + x2 + x3", bounds=[(-3, 5), (0, 1), (2, 2.5)], id="EVEN")
    points = drawn_points(p, 0, 0, 0, 100_000)
    unit = (points - p.lower) / (p.upper - p.lower)
    for column in unit.T:
        assert stats.kstest(column, "uniform").pvalue > 1e-3
    pairs = [(unit[:, 0], unit[:, 1]), (unit[:, 1], unit[:, 2]), (unit[:-1, 2], unit[1:, 0])]
    assert all(abs(np.corrcoef(a, b)[0, 1]) < 4 / math.sqrt(len(a)) for a, b in pairs)
    others = [drawn_points(p, 0, 1, 0, 5), drawn_points(p, 1, 0, 0, 5), drawn_points(DISC, 0, 0, 0, 5)]
    assert all(not np.isin(other, points[:5]).any() for other in others)


def test_points_are_splitmix64_numbers() -> None:
    """The published test vector of the sequence from 1234567: its first five numbers."""
    p = cpc.parse("x1", bounds=(0, 1), id="ONE")
    known = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
    state, _ = state_of(1234567, 0, 1)
    assert state == 1234567
    shift = (1234567 - stream(p, 0, 0)) * pow(state_of(0, 1, 1)[0], -1, 2**64) % 2**64  # the place of that state
    points = drawn_points(p, 0, 0, shift, 5)[:, 0]
    assert points.tolist() == [(number >> 11) * 2.0**-53 for number in known]


def inside(p: cpc.Problem, truth: float, repetitions: int, **settings: object) -> int:
    """How many of so many intervals, from different seeds, hold the truth."""
    results = [feasible_ratio(p, seed=seed, workers=1, **settings) for seed in range(repetitions)]  # type: ignore[arg-type]
    return sum(truth in result.interval for result in results)


def least(repetitions: int, coverage: float = 0.95) -> int:
    """Fewer than this would happen once in ten thousand times to honest intervals."""
    return int(stats.binom.ppf(1e-4, repetitions, coverage))


@pytest.mark.parametrize(("p", "truth"), [(DISC, DISC_RATIO), (CORNER, CORNER_RATIO)], ids=["disc", "corner"])
def test_19_of_20_intervals_of_a_count_hold_the_truth(p: cpc.Problem, truth: float) -> None:
    held = inside(p, truth, 200, samples=1000, repeats=3, method="sample")
    assert least(200) <= held
    assert held < 200  # intervals that are never wrong are too long


@pytest.mark.slow
def test_19_of_20_intervals_of_splitting_hold_the_truth() -> None:
    settings = {"method": "splitting", "runs": 10, "effort": Effort(points=150, moves=12)}
    assert inside(RARE, RARE_RATIO, 40, **settings) >= least(40, 0.93)
    widths = [feasible_ratio(RARE, seed=s, workers=1, **settings).interval for s in range(3)]  # type: ignore[arg-type]
    assert all(width.high / width.low < 4 for width in widths)


VERY_RARE = [
    ("ln(0.01 - x1) * ln(0.01 - x2) * ln(0.01 - x3) * ln(0.01 - x4)", (0, 1), 4, 1e-8),
    ("*".join(f"ln(0.01 - x{i})" for i in range(1, 7)), (0, 1), 6, 1e-12),
    ("sqrt(1e-12 - x1^2 - x2^2)", (-1, 1), 2, math.pi * 1e-12 / 4),
    ("sqrt(0.03 - abs(x1 - 0.5)) * sqrt(0.0001 - abs(x2 - 0.1)) + ln(0.001 - abs(x3 - 0.7))", (0, 1), 3, 2.4e-8),
]


@pytest.mark.slow
@pytest.mark.parametrize(("formula", "bounds", "n", "truth"), VERY_RARE, ids=["1e-8", "1e-12", "disc", "slab"])
def test_splitting_down_to_one_in_a_million_million(
    formula: str, bounds: tuple[float, float], n: int, truth: float
) -> None:
    p = cpc.parse(formula, bounds=[bounds] * n, id="VERY-RARE")
    settings = {"method": "splitting", "runs": 10, "effort": Effort(points=500, moves=20)}
    assert inside(p, truth, 12, **settings) >= least(12, 0.93)


def test_nested_conditions_are_climbed_from_the_inside() -> None:
    """An outer condition that is undefined nearly everywhere still leads to the right ratio."""
    p = cpc.parse("ln(ln(1e-3 - x1) + 7) + sqrt(1e-4 - x2)", bounds=(0, 1), id="NESTED")
    truth = (1e-3 - math.exp(-7)) * 1e-4
    result = feasible_ratio(p, method="splitting", workers=1, runs=10, effort=Effort(points=400, moves=20))
    assert truth in result.interval
    assert result.interval.high / result.interval.low < 2.5


def test_auto_splits_only_where_draws_find_too_little() -> None:
    plenty = feasible_ratio(DISC, 20_000, 1)
    assert (plenty.method, plenty.split) == ("sample", None)
    result = feasible_ratio(RARE, 20_000, 2, effort=Effort(points=400, moves=10), runs=8)
    assert result.method == "splitting"
    assert result.counted == Counted(20_000, (0, 0))
    assert result.ratio == pytest.approx(RARE_RATIO, rel=0.4)
    assert feasible_ratio(RARE, 20_000, 2, method="sample").method == "sample"


def test_no_way_into_an_empty_domain() -> None:
    empty = cpc.parse("sqrt(-1 - x1^2)", bounds=(-1, 1), id="EMPTY")
    result = feasible_ratio(empty, 10_000, 1, effort=Effort(points=100, moves=2))
    assert result.method == "sample"
    assert result.split == Split(0, ())
    assert (result.ratio, result.interval.low) == (0.0, 0.0)
    assert "no way into the domain of EMPTY" in " ".join(feasible_table([result]).notes)


def test_a_problem_without_conditions_is_all_admissible() -> None:
    p = cpc.parse("x1^2", bounds=(-1, 1), id="ALL")
    assert feasible_ratio(p, 1000, 1).ratio == 1.0
    assert feasible_ratio(p, method="splitting", effort=Effort(points=100), runs=2).ratio == 1.0


def test_violations_say_how_far_each_condition_is_missed() -> None:
    p = cpc.problem("CPC-DF3")
    points = drawn_points(p, 0, 0, 0, 300)
    found = p.fast.violations(points)
    tests = p.fast.plan.tests
    assert found.shape == (300, len(tests))
    by_operand = {id(c.operand): c for c in p.conditions}
    for j, test in enumerate(tests):
        for point, amount in zip(points, found[:, j], strict=True):
            value = by_operand[id(test.operand)].value(point)
            if math.isnan(value):
                assert math.isnan(amount)
            else:
                assert amount == pytest.approx(max(0.0, -value), rel=1e-6, abs=1e-9)


def test_violations_are_all_0_exactly_at_admissible_points() -> None:
    for p in (DISC, CORNER, cpc.problem("CPC-DF9")):
        points = drawn_points(p, 1, 0, 0, 5000)
        assert ((p.fast.violations(points) == 0.0).all(axis=1) == p.admissible(points)).all()


@pytest.mark.parametrize(("seen", "samples"), [(0, 10), (3, 40), (40, 40), (7, 25_000_000), (24_999_990, 25_000_000)])
def test_intervals_of_counts_are_clopper_and_pearsons(seen: int, samples: int) -> None:
    known = stats.binomtest(seen, samples).proportion_ci(0.95, method="exact")
    found = count_interval(seen, samples)
    assert (found.low, found.high) == pytest.approx((known.low, known.high), rel=1e-9)


def test_intervals_of_estimates() -> None:
    values = [1.0e-9, 1.3e-9, 0.8e-9, 1.1e-9]
    found = mean_interval(values)
    mean, error = np.mean(values), stats.sem(values)
    half = stats.t.ppf(0.975, 3) * error / mean
    assert (found.low, found.high) == pytest.approx((mean * math.exp(-half), mean * math.exp(half)))
    assert mean_interval([0.0, 0.0]) == Interval(0.0, 1.0)
    with pytest.raises(CpcbenchError, match="two estimates"):
        mean_interval([0.5])


def test_runs_that_split_nothing_are_a_count() -> None:
    """All 40,000 points fall inside, yet a millionth of the box is undefined: [1, 1] would be wrong."""
    result = feasible_ratio(cpc.parse("ln(x1 - 0.000001)", bounds=(0, 1)), method="splitting", workers=1)
    assert result.ratio == 1.0
    assert 1.0 - 1e-6 in result.interval
