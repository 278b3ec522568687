"""Statistics of studies: small cases worked out by hand, and what must hold of any study."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError
from cpcbench.experiment.statistics.comparisons import average_ranks, holm, rank_sum_tests, rank_sums, standings, wins
from cpcbench.experiment.statistics.curves import Curve, data_profile, ecdf, ecdf_areas, performance_profile
from cpcbench.experiment.statistics.runs import RunArrays, gather
from cpcbench.experiment.statistics.success import running_times, success_rates, wilson
from cpcbench.experiment.statistics.targets import PRECISIONS, SOLVED, first_hits
from cpcbench.experiment.store.record import KINDS, RunRecord
from cpcbench.experiment.store.store import Store
from cpcbench.report.render import FORMATS, render
from cpcbench.report.study.statistics import statistics_tables
from cpcbench.report.table import Table


def made(
    trajectory: tuple[tuple[int, float], ...] = ((1, 1.0),), *, kind: str = "faithful", **changes: Any
) -> RunRecord:
    """A run on CPC-DF1, whose best-known value is 0; its verified value is the last one it saw."""
    value = trajectory[-1][1] if trajectory and kind != "none" else math.nan
    found = not math.isnan(value)
    record = RunRecord(
        problem="CPC-DF1", n=2, rule="ieee", solver="GA", run=1, seed="0", parameters={}, budget=100,
        seconds_limit=None, status="finished", message="", x=(1.0, 1.0) if found else None,
        reported=value if found else None, fast=value, reference=value, real_lower=value, real_upper=value,
        domain="inside" if found else "none", kind=kind, in_box=found, evaluations=100, undefined=0, seconds=0.5,
        trajectory=trajectory, versions={},
    )  # fmt: skip
    return replace(record, **changes)


def only(records: list[RunRecord], **settings: Any) -> RunArrays:
    (runs,) = gather(records, **settings)
    return runs


THREE = [
    made(((1, 5.0), (10, 0.1), (40, 1e-9)), run=1),
    made(((30, 0.05), (50, 0.04)), run=2),
    made((), kind="none", run=3, status="budget"),
]
"""Reach 1e-1 at 10 and at 30, and 1e-8 at 40; the third nothing."""


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


# Curves


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


# Comparisons


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]).tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]).tolist() == []


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20))
def test_holm_keeps_the_order_and_never_helps(p: list[float]) -> None:
    adjusted = holm(p)
    assert (adjusted >= p).all()
    assert (adjusted <= 1.0).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()
    assert adjusted.min() == pytest.approx(min(1.0, len(p) * min(p)))


def test_the_order_of_runs() -> None:
    records = [
        made(((1, 2.0),), run=0),
        made(((1, -5.0),), run=1, kind="thin"),
        made((), run=2, kind="none"),
        made(((1, 2.0),), run=3, kind="artefact"),
        made((), run=4, kind="none", status="crashed"),
        made(((1, -math.inf),), run=5),
        made(((1, 1e300),), run=6),
    ]
    assert standings(only(records), 0)[0].tolist() == [2, 4, 6, 5, 6, 1, 3]


samples = st.lists(st.integers(0, 5), min_size=1, max_size=12)


@given(samples, samples)
def test_the_rank_sum_test_is_symmetric_and_scipys(a: list[int], b: list[int]) -> None:
    from scipy.stats import mannwhitneyu

    (effect, back), (p, p_back) = rank_sums([(a, b), (b, a)])
    assert effect == pytest.approx(1.0 - back)
    assert p == pytest.approx(p_back)
    share = np.mean([(x < y) + 0.5 * (x == y) for x in a for y in b])
    assert effect == pytest.approx(share)
    assert p == (1.0 if len({*a, *b}) == 1 else pytest.approx(mannwhitneyu(a, b).pvalue))


def test_many_tests_at_once_are_each_scipys_own() -> None:
    from scipy.stats import mannwhitneyu

    rng = np.random.default_rng(3)
    pairs = [(rng.normal(size=n), rng.normal(1, size=m)) for n, m in ((5, 5), (5, 5), (20, 20), (9, 3), (20, 20))]
    _, p = rank_sums(pairs)
    assert p.tolist() == pytest.approx([mannwhitneyu(a, b, method="auto").pvalue for a, b in pairs])


def ten(solver: str, value: float, problem: str = "CPC-DF1", n: int = 2) -> list[RunRecord]:
    kind = "none" if math.isnan(value) else "faithful"
    return [made(((1, value + i / 100),), solver=solver, problem=problem, n=n, run=i, kind=kind) for i in range(10)]


@pytest.mark.parametrize("kind", ["thin", "artefact"])
def test_records_of_their_kind_win_no_test(kind: str) -> None:
    lucky = [made(((1, -1e9),), solver="SA", kind=kind, run=i) for i in range(9)]
    honest = [made(((1, float(i)),), solver="GA", run=i) for i in range(9)]
    (test,) = rank_sum_tests(only([*lucky, *honest]))
    assert test.winner() == "GA"


def test_runs_that_found_nothing_lose_and_are_counted() -> None:
    runs = only([*ten("GA", 50.0), *ten("SA", math.nan), *ten("other", math.nan)])
    first, second, third = rank_sum_tests(runs)
    assert (first.first, first.second, first.nothing, first.effect, first.winner()) == ("GA", "SA", (0, 10), 1.0, "GA")
    assert second.winner() == "GA"
    assert (third.nothing, third.effect, third.p, third.winner()) == ((10, 10), 0.5, 1.0, None)
    assert wins(runs, [first, second, third]).tolist() == [
        [[0, 0, 0], [1, 0, 0], [1, 0, 0]],
        [[0, 0, 1], [0, 0, 0], [0, 1, 0]],
        [[0, 0, 1], [0, 1, 0], [0, 0, 0]],
    ]


def test_average_ranks_by_hand() -> None:
    records = [r for problem, n, row in (("CPC-DF1", 2, (1, 2, 3)), ("F37", 4, (1, 3, 2)), ("F138", 5, (1, 2, 2)))
               for name, value in zip(("GA", "SA", "other"), row, strict=True)
               for r in ten(name, float(value), problem, n)]  # fmt: skip
    found = average_ranks(only(records))
    assert found.ranks.tolist() == [[1, 2, 3], [1, 3, 2], [1, 2.5, 2.5]]
    assert found.average.tolist() == pytest.approx([1.0, 2.5, 2.5])
    assert found.statistic == pytest.approx(4.5 / (1 - 1 / 12))  # rank sums 3, 7.5, 7.5; a twelfth less for the tie
    assert found.p == pytest.approx(math.exp(-found.statistic / 2))  # two degrees of freedom
    alike = average_ranks(only([*ten("GA", 1.0), *ten("SA", 1.0)]))
    assert alike.ranks.tolist() == [[1.5, 1.5]]
    assert math.isnan(alike.p)


# Tables


def study() -> list[RunRecord]:
    failed = [made((), kind="none", solver="other", run=i, status="failed", message="ValueError: no") for i in (1, 2)]
    crash = made((), kind="none", solver="other", run=3, status="crashed", message="x" * 500)
    return [*THREE, *(replace(r, solver="SA") for r in THREE), *failed, crash, made(problem="mine", solver="SA")]


def tables(records: list[RunRecord], **options: bool) -> dict[str, Table]:
    return {table.key: table for table in statistics_tables(records, **options)}


def test_every_table_is_there_in_every_format() -> None:
    found = tables(study(), pairs=True)
    assert list(found) == [
        f"{key}-ieee"
        for key in ("reached", "solved", "running-times", "ecdf", "performance-profile", "data-profile", "ranks",
                    "wins", "endings", "pairs", "failures")
    ]  # fmt: skip
    for style in FORMATS:
        text = render(found.values(), style)
        assert all(table.title.split()[0] in text for table in found.values())


def test_the_tables_say_what_was_computed() -> None:
    found = tables(study())
    ga = found["solved-ieee"].rows[0]
    assert ga[:4] == ("CPC-DF1", "GA", 3, 1)
    assert ga[9] == 240.0
    assert found["running-times-ieee"].rows[0][2] == 70.0
    assert found["running-times-ieee"].rows[2][:3] == ("CPC-DF1", "other", math.inf)
    assert dict(zip(found["reached-ieee"].columns, found["reached-ieee"].rows[0], strict=True))["1e-1"] == 0.667
    assert any("lowest faithful one of this study: mine (n = 2)" in note for note in found["reached-ieee"].notes)
    assert found["wins-ieee"].rows[0] == ("GA", None, "0/1/0", "0/1/0")
    assert "failures-ieee" not in tables(THREE)


def test_the_report_names_the_failures() -> None:
    found = tables(study())
    table = found["failures-ieee"]
    assert table.rows[1] == ("other", "CPC-DF1", "failed", 2, "ValueError: no")
    assert table.rows[0][:4] == ("other", "CPC-DF1", "crashed", 1)
    assert len(str(table.rows[0][4])) == 200
    endings = found["endings-ieee"]
    assert endings.columns == ("solver", "finished", "budget", "failed", "crashed", "nothing found")
    assert endings.rows == (("GA", 2, 1, 0, 0, 1), ("SA", 3, 1, 0, 0, 1), ("other", 0, 0, 2, 1, 3))


def test_targets_that_only_odd_points_reach_are_named() -> None:
    notes = tables([made(((5, 0.0),), kind="artefact"), made(((5, 1.0),), run=2)])["reached-ieee"].notes
    assert "Reached by thin points or artefacts only: CPC-DF1." in notes


def test_a_store_gives_the_statistics_of_its_records(tmp_path: Path) -> None:
    both = [*study(), replace(THREE[0], rule="strict")]
    with Store(tmp_path / "study.db", writing=True) as store:
        store.add(both)
    with Store(tmp_path / "study.db") as store:
        assert render(statistics_tables(store), "json") == render(statistics_tables(both), "json")
        assert list(store.columns("solver", "in_box")) == [(r.solver, r.in_box) for r in store.records()]
        with pytest.raises(CpcbenchError, match=r"a run has the columns problem, n, .*, not luck"):
            list(store.columns("solver", "luck"))


def test_the_command_adds_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store(tmp_path / "study.db", writing=True) as store:
        store.add(study())
    with pytest.raises(SystemExit) as stop:
        app(["report", str(tmp_path / "study.db"), "--statistics", "--pairs", "--format", "markdown"])
    assert not stop.value.code
    shown = capsys.readouterr().out
    assert "### Runs that failed (rule ieee)" in shown
    assert "### Rank-sum tests" in shown
    with pytest.raises(SystemExit) as stop:
        app(["report", str(tmp_path / "study.db"), "--pairs"])
    assert stop.value.code
    assert "--pairs belongs to --statistics" in capsys.readouterr().err
