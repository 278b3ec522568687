"""Solvers compared by tests of ranks: by hand, and as SciPy does it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpcbench.experiment.statistics.comparisons import average_ranks, holm, rank_sum_tests, rank_sums, standings, wins
from cpcbench.experiment.store.record import RunRecord
from tests.experiment.statistics.small_studies import made, only


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
