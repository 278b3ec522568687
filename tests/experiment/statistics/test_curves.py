"""Curves of studies: small cases worked out by hand, and what must hold of any study."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpcbench.experiment.statistics.curves import Curve, data_profile, ecdf, ecdf_areas, performance_profile
from cpcbench.experiment.statistics.success import running_times, success_rates
from cpcbench.experiment.statistics.targets import SOLVED
from cpcbench.experiment.store.record import KINDS, RunRecord
from cpcbench.report.study.statistics import statistics_tables
from tests.experiment.statistics.small_studies import THREE, made, only, tables


def test_the_ecdf_by_hand() -> None:
    (curve,) = ecdf(only(THREE, precisions=(1e-1, 1e-4)), grid=[1, 10, 30, 39, 40, 100])
    assert curve.y.tolist() == pytest.approx([0, 1 / 6, 2 / 6, 2 / 6, 3 / 6, 3 / 6])
    assert (curve.count, curve.limit) == (6, 0.5)
    assert curve.at([0.5, 35, 1e9]).tolist() == pytest.approx([0.0, 2 / 6, 0.5])


def test_the_grid_of_the_ecdf_has_every_power_of_ten() -> None:
    (curve,) = ecdf(only([made(((1000, 0.0),), evaluations=12345)]))
    assert {1.0, 10.0, 100.0, 1000.0, 10000.0, 12345.0} <= set(curve.x.tolist())
    assert (curve.x == np.floor(curve.x)).all()
    assert curve.y[curve.x == 1000.0].tolist() == [1.0]
    assert tables([made(((1000, 0.0),), evaluations=12345)])["ecdf-ieee"].rows[0][1:7] == (0.0, 0.0, 0.0, 1.0, 1.0, 1.0)


def test_the_area_by_hand() -> None:
    assert ecdf_areas(only([made(((1, 0.0),))]))[0] == 1.0
    half = only([made(((10, 0.0),)), made((), kind="none", run=2)])
    assert ecdf_areas(half)[0] == pytest.approx(0.25)  # half of the runs, half of the way from 1 to 100
    assert ecdf_areas(only([made(((1, 0.0),), evaluations=1)]))[0] == 1.0


def test_the_performance_profile_by_hand() -> None:
    runs = only(
        [made(((cost, 0.0),), solver=name, problem=id_, n=n)
         for name, row in {"GA": (10, 40, 7), "SA": (20, 40, 70)}.items()
         for (id_, n), cost in zip((("CPC-DF1", 2), ("F37", 4), ("F138", 5)), row, strict=True)]
        + [made((), kind="none", solver=name, problem="CPC-DF10") for name in ("GA", "SA")]
    )  # fmt: skip
    for cost in ("ert", "median"):
        ga, sa = performance_profile(runs, cost=cost)
        assert ga.x.tolist() == [1.0, 2.0, 10.0]
        assert ga.y.tolist() == [0.75, 0.75, 0.75]
        assert sa.y.tolist() == [0.25, 0.5, 0.75]  # a tie is won by both; what nobody solves counts against all
        assert (ga.limit, sa.limit, ga.count) == (0.75, 0.75, 4)


def test_the_data_profile_by_hand() -> None:
    first, second = made(((9, 0.0),), run=1), made(((30, 0.0),), run=2)
    (curve,) = data_profile(only([first, second, made((), kind="none", run=3)]))
    assert curve.x.tolist() == [0.0, 3.0, 10.0]
    assert curve.y.tolist() == pytest.approx([0.0, 1 / 3, 2 / 3])
    (none,) = data_profile(only([made((), kind="none")]))
    assert (none.at([1e9]).tolist(), none.limit) == ([0.0], 0.0)


def test_profiles_compare_only_where_every_solver_ran() -> None:
    runs = only([made(((9, 0.0),)), made(((9, 0.0),), solver="SA"), made(((9, 0.0),), problem="F37", n=4)])
    assert [curve.count for curve in performance_profile(runs)] == [1, 1]
    apart = only([made(((9, 0.0),)), made(((9, 0.0),), solver="SA", problem="F37", n=4)])
    for curves in (performance_profile(apart), data_profile(apart)):
        assert [(curve.count, len(curve.x)) for curve in curves] == [(0, 0), (0, 0)]
        assert math.isnan(curves[0].at([1.0])[0])
    assert statistics_tables([made(((9, 0.0),)), made(((9, 0.0),), solver="SA", problem="F37", n=4)])


trajectories = st.lists(
    st.tuples(st.integers(1, 1000), st.floats(-1.0, 10.0)), min_size=0, max_size=6, unique_by=lambda t: t[0]
).map(lambda rows: tuple(zip(sorted(e for e, _ in rows), sorted((v for _, v in rows), reverse=True), strict=True)))


@st.composite
def studies(draw: st.DrawFn) -> list[RunRecord]:
    """Two or three solvers on two problems, runs of every kind and ending."""
    records = []
    for name in ("GA", "SA", "other")[: draw(st.integers(2, 3))]:
        for id_, n in (("CPC-DF1", 2), ("mine", 3)):
            for run in range(draw(st.integers(1, 4))):
                trajectory = draw(trajectories)
                kind = draw(st.sampled_from(KINDS)) if trajectory else "none"
                records.append(made(trajectory, kind=kind, solver=name, problem=id_, n=n, run=run, evaluations=1000))
    return records


@given(studies())
def test_curves_rise_from_zero_to_the_share_of_successes(records: list[RunRecord]) -> None:
    runs = only(records)
    rates, k = success_rates(runs), runs.place(SOLVED)
    kinds: list[list[Curve]] = [ecdf(runs), performance_profile(runs), data_profile(runs)]
    for curves in kinds:
        for curve in curves:
            assert (np.diff(curve.y) >= 0).all()
            assert ((curve.y >= 0) & (curve.y <= 1)).all()
            if curve.count:
                assert curve.at([math.inf])[0] == pytest.approx(curve.limit)
                assert curve.at([1e-9])[0] == 0.0
    usable = runs.with_targets
    for s in range(len(runs.solvers)):
        solved = rates.solved[usable, s]
        total = rates.runs[usable, s]
        assert kinds[0][s].limit == pytest.approx(solved.sum() / total.sum())
        assert kinds[1][s].limit == pytest.approx((solved[:, k] > 0).mean())
        assert kinds[2][s].limit == pytest.approx(solved[:, k].sum() / total[:, k].sum())


@given(studies())
def test_success_falls_and_running_time_grows_with_the_precision(records: list[RunRecord]) -> None:
    runs = only(records)
    rates, times = success_rates(runs), running_times(runs, resamples=50)
    assert (np.diff(rates.solved, axis=2) <= 0).all()
    usable = times.value[runs.with_targets]
    grows = usable[:, :, 1:] >= usable[:, :, :-1] - 1e-9
    assert grows.all()
    assert (times.lower[runs.with_targets] <= times.upper[runs.with_targets]).all()
    areas = ecdf_areas(runs)
    assert ((areas >= 0) & (areas <= 1)).all()
