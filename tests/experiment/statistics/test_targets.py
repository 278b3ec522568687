"""Targets, success and running time of studies: small cases worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.statistics.curves import ecdf, ecdf_areas, performance_profile
from cpcbench.experiment.statistics.runs import gather
from cpcbench.experiment.statistics.success import running_times, success_rates, wilson
from cpcbench.experiment.statistics.targets import PRECISIONS, SOLVED, first_hits
from tests.experiment.statistics.small_studies import THREE, made, only

# Targets


def test_the_first_evaluation_at_each_level() -> None:
    trajectory = ((1, 5.0), (10, 0.1), (40, 1e-9))
    assert first_hits(trajectory, (1.0, 0.1, 1e-4, 0.0), 1e-9, 100) == [10.0, 10.0, 40.0, math.inf]


def test_the_verified_value_decides_what_was_reached() -> None:
    claimed = ((1, 5.0), (10, 0.0))
    assert first_hits(claimed, (1.0, 0.1), 0.5, 100) == [10.0, math.inf]
    assert first_hits(claimed, (1.0, 0.1), math.nan, 100) == [math.inf, math.inf]
    assert first_hits(((1, 5.0),), (1.0, 0.1), 0.5, 100) == [100.0, math.inf]
    assert first_hits((), (1.0,), 0.5, 0) == [1.0]


def test_thin_points_and_artefacts_are_counted_apart() -> None:
    odd = [made(((5, -1.0),), kind=kind, run=i) for i, kind in enumerate(("thin", "artefact", "artefact"))]
    outside = made(((5, 0.0),), run=9, in_box=False)
    runs = only([*odd, outside, made(((5, 0.0),), run=10)])
    rates = success_rates(runs)
    assert not np.isfinite(runs.hits[:4]).any()
    at = 0, 0, runs.place(SOLVED)
    assert (rates.runs[0, 0, 0], rates.solved[at], rates.thin[at], rates.artefact[at]) == (5, 1, 1, 2)


def test_targets_are_relative_above_one() -> None:
    runs = only([made(((7, -1035.9),), problem="CPC-DF4", n=5)])
    assert runs.problems[0].best < -1000
    assert np.isfinite(runs.hits[0]).sum() == 4  # 0.0925 above, of 1035.99: 8.9e-5


def test_a_problem_without_a_best_value_is_held_against_the_study() -> None:
    own = [made(((3, 7.0),), problem="mine", run=1), made(((8, 6.0),), problem="mine", run=2)]
    lower = made(((8, -9.0),), problem="mine", run=3, kind="artefact")
    runs = only([*own, lower])
    assert (runs.problems[0].best, runs.problems[0].source) == (6.0, "study")
    assert runs.hits[:, -1].tolist() == [math.inf, 8.0, math.inf]
    nothing = only([made((), problem="mine", kind="none")])
    assert nothing.problems[0].source == "none"
    assert math.isnan(success_rates(nothing).share[0, 0, 0])
    assert math.isnan(running_times(nothing).value[0, 0, 0])
    assert ecdf(nothing)[0].count == 0
    assert math.isnan(ecdf_areas(nothing)[0])


def test_a_users_problem_is_not_taken_for_one_of_the_suite() -> None:
    runs = only([made(((3, 7.0),), problem="DF1")])
    assert runs.problems[0].source == "study"


def test_rules_are_never_mixed() -> None:
    both = gather([*THREE, replace(THREE[0], rule="strict")])
    assert [(runs.rule, len(runs)) for runs in both] == [("ieee", 3), ("strict", 1)]


def test_what_cannot_be_gathered_is_refused() -> None:
    with pytest.raises(CpcbenchError, match="no runs to make statistics of"):
        gather([])
    for bad in ([], [-1.0], [math.nan], [math.inf]):
        with pytest.raises(CpcbenchError, match="precisions are finite numbers"):
            gather(THREE, bad)
    with pytest.raises(CpcbenchError, match=r"precisions 0.5, 0.25, not 0.1"):
        only(THREE, precisions=(0.25, 0.5)).place(0.1)
    with pytest.raises(CpcbenchError, match="one of ert, median, not 'mean'"):
        performance_profile(only(THREE), cost="mean")
    with pytest.raises(CpcbenchError, match="between 0 and 1"):
        wilson(1, 2, 95)


# Success and running time


def test_success_and_running_time_by_hand() -> None:
    runs = only(THREE, precisions=(1e-1, 1e-4))
    rates, times = success_rates(runs), running_times(runs)
    assert rates.solved[0, 0].tolist() == [2, 1]
    assert rates.share[0, 0] == pytest.approx([2 / 3, 1 / 3])
    assert times.value[0, 0].tolist() == [(10 + 30 + 100) / 2, (40 + 100 + 100) / 1]
    assert times.par2[0, 0].tolist() == pytest.approx([(10 + 30 + 200) / 3, (40 + 200 + 200) / 3])


def test_running_time_without_success_is_infinite() -> None:
    times = running_times(only([THREE[2]]))
    assert times.value[0, 0].tolist() == [math.inf] * len(PRECISIONS)
    assert times.lower[0, 0, 0] == times.upper[0, 0, 0] == math.inf


def test_par2_is_unknown_where_a_failed_run_had_no_budget() -> None:
    times = running_times(only([replace(r, budget=None) for r in THREE], precisions=(0.1,)))
    assert math.isnan(times.par2[0, 0, 0])
    assert times.value[0, 0, 0] == 70.0


def test_the_bootstrap_contains_the_estimate_and_repeats_itself() -> None:
    runs = only([made(((10 * i, 0.0),), run=i) for i in range(1, 10)] + [made((), kind="none", run=99)])
    times, again = running_times(runs), running_times(runs)
    at = 0, 0, 0
    assert times.lower[at] < times.value[at] < times.upper[at]
    assert (times.lower[at], times.upper[at]) == (again.lower[at], again.upper[at])
    one = running_times(only([made(((7, 0.0),))]))
    assert one.lower[at] == one.value[at] == one.upper[at] == 7.0


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.5, 0.95]))
def test_wilson_is_scipys(counts: tuple[int, int], confidence: float) -> None:
    from scipy.stats import binomtest

    solved, total = counts
    lower, upper = wilson(solved, total, confidence)
    expected = binomtest(solved, total).proportion_ci(confidence, "wilson")
    assert (float(lower), float(upper)) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert 0.0 <= lower <= solved / total <= upper <= 1.0


def test_no_runs_have_no_interval() -> None:
    assert all(math.isnan(float(bound)) for bound in wilson(0, 0))
