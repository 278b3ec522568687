"""`cpc.minimize` of formulas: a budget is kept to the evaluation, what was reached is returned, more is never worse."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import OptimizeResult

import cpcbench as cpc
from cpcbench.problems.problem import Problem
from cpcbench.solvers.ending import INTERRUPTED
from cpcbench.solvers.white_box import evaluations
from cpcbench.solvers.white_box.evaluations import Counted, regular_part
from cpcbench.solvers.white_box.tuning import FIRST
from tests.cases import one_in
from tests.cli.test_study_cli import cpcbench

FORMULAS = {
    "bowl": ("x1^2 + x2", [(-1.0, 1.0)] * 2),
    "corner": ("sqrt(x1 - 0.25) + ln(1 + sqrt(x1^2 - x2)) + 3", [(-2.0, 2.0)] * 2),
    "artefact": ("ln(1 + x1 - 1) + x2^2", [(-1.0, 1.0)] * 2),
    "thin": ("x1^x2 + x2^2", [(-3.0, 3.0)] * 2),
    "only thin": ("x1^x2", [(-3.0, -1.0), (1.0, 3.0)]),
    "line": ("sqrt(x1) + 1/x1", [(-4.0, 1.0)]),
    "nowhere": ("sqrt(-1 - x1^2)", [(-1.0, 1.0)]),
}
BUDGETS = [1, 2, 7, 100, 999, FIRST, FIRST + 1, 30_000]
LARGE = 70_000


def each(cases: Sequence[Any], slow: Sequence[Any]) -> list[Any]:
    """Cases of a test, and such as take long."""
    several = [case if isinstance(case, tuple) else (case,) for case in slow]
    return [*cases, *(pytest.param(*case, marks=pytest.mark.slow) for case in several)]


class Seen:
    """Every point that the formula was evaluated at, as the search has it done."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lowest, self.count = math.inf, 0
        inner = Counted.__call__

        def call(counted: Counted, flat: Any, out: Any) -> float:
            out[:] = np.nan
            before = counted._limits.evaluations
            try:
                return inner(counted, flat, out)
            finally:
                self.count += counted._limits.evaluations - before
                self.lowest = min([self.lowest, *out[np.isfinite(out)].tolist()])

        monkeypatch.setattr(evaluations.Counted, "__call__", call)


def lowest_of(found: OptimizeResult) -> float:
    kinds = [found.fun, *(other.value for other in (found.thin, found.artefact) if other is not None)]
    return min((value for value in kinds if not math.isnan(value)), default=math.inf)


@pytest.mark.parametrize("budget", each(BUDGETS, [LARGE]))
@pytest.mark.parametrize("name", one_in(6, FORMULAS))
def test_a_budget_is_kept_and_its_lowest_point_is_told(name: str, budget: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text, bounds = FORMULAS[name]
    seen = Seen(monkeypatch)
    found = cpc.minimize(text, bounds, budget=budget, seed=0)
    assert seen.count <= found.nfev <= budget
    assert found.nfev == budget or budget > FIRST
    if math.isinf(seen.lowest):
        assert name in ("thin", "only thin", "nowhere") or budget < 100
        assert found.kind in (None, "thin")
    else:
        assert found.success
        assert lowest_of(found) <= seen.lowest + 1e-12 * max(1.0, abs(seen.lowest))
        p = cpc.parse(text, bounds)
        assert found.fun in (p.reference(found.x), p(found.x))
    assert (found.x is None) == math.isnan(found.fun) == (not found.success)


@pytest.mark.parametrize("name", one_in(4, FORMULAS))
@pytest.mark.parametrize(("seed", "larger"), each([(1, [])], [(1, [LARGE, 100_000, 200_000]), (2, [LARGE, 200_000])]))
def test_a_larger_budget_never_gives_a_worse_answer(name: str, seed: int, larger: list[int]) -> None:
    text, bounds = FORMULAS[name]
    found = [cpc.minimize(text, bounds, budget=budget, seed=seed) for budget in [*BUDGETS, *larger]]
    values = [math.inf if math.isnan(one.fun) else one.fun for one in found if one.kind != "thin"]
    assert values == sorted(values, reverse=True)


TERMS = st.sampled_from(
    [
        "x1",
        "x2",
        "x1^2",
        "sqrt(x1)",
        "ln(x2 + 1)",
        "1/x1",
        "exp(x2)",
        "arcsin(2*x1)",
        "sqrt(x1 - x2)",
        "x1^0.3",
        "abs(x2)",
    ]
)


def any_formula_any_budget(terms: list[str], budget: int, seed: int) -> None:
    text = " + ".join([*terms, "0*x1", "0*x2"])
    with pytest.MonkeyPatch.context() as monkeypatch:
        seen = Seen(monkeypatch)
        found = cpc.minimize(text, [(-1.0, 2.0), (-3.0, 1.0)], budget=budget, seed=seed)
    assert seen.count == found.nfev == budget
    assert math.isfinite(found.fun) == math.isfinite(seen.lowest)
    if found.success:
        assert lowest_of(found) == pytest.approx(seen.lowest, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize(("examples", "most"), each([(3, 1500)], [(6, 1500), (20, 4000)]))
def test_any_formula_any_budget(examples: int, most: int) -> None:
    drawn = given(terms=st.lists(TERMS, min_size=1, max_size=3), budget=st.integers(1, most), seed=st.integers(0, 99))
    settings(max_examples=examples, deadline=None, derandomize=True)(drawn(any_formula_any_budget))()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["CPC-DF1", "CPC-DF13"])
def test_suite_problems_at_moderate_budgets(name: str) -> None:
    for budget in (5000, 20_000, 30_000):
        found = cpc.minimize(cpc.problem(name), budget=budget, seed=0)
        assert found.nfev <= budget
        assert found.kind == "faithful"


def test_the_same_seed_gives_the_same_answer() -> None:
    text, bounds = FORMULAS["corner"]
    one, two = (cpc.minimize(text, bounds, budget=60_000, seed=3, all_optima=True) for _ in range(2))
    assert (one.fun, one.x.tolist(), one.nfev) == (two.fun, two.x.tolist(), two.nfev)
    assert [o.x.tolist() for o in one.optima] == [o.x.tolist() for o in two.optima]


def test_only_formulas_with_thin_sets_have_a_part_without() -> None:
    parts = {name: regular_part(cpc.parse(*FORMULAS[name])) for name in FORMULAS}
    assert {name for name, part in parts.items() if part.rule == "strict"} == {"thin", "only thin"}
    strict = cpc.parse(*FORMULAS["thin"], rule="strict")
    assert regular_part(strict) is strict


@pytest.mark.parametrize("after", [1, 2])
def test_ctrl_c_returns_the_best_so_far(after: int) -> None:
    seen: list[float] = []

    def interrupt(intermediate_result: OptimizeResult) -> None:
        seen.append(intermediate_result.fun)
        if len(seen) == after:
            # a native library of another test may have set a handler of its own
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.raise_signal(signal.SIGINT)

    found = cpc.minimize(*FORMULAS["corner"], budget=10**7, seed=1, callback=interrupt)
    assert (found.status, found.success) == (INTERRUPTED, False)
    assert "interrupted" in found.message
    assert found.fun <= seen[-1]


def test_ctrl_c_before_the_first_evaluation_is_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> float:
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluations.Counted, "__call__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cpc.minimize(*FORMULAS["corner"], budget=1000, seed=1)


def test_an_error_of_the_callback_keeps_what_was_found() -> None:
    def fails(_: Any) -> None:
        raise LookupError("a mistake in the callback")

    with pytest.raises(LookupError, match="a mistake in the callback") as caught:
        cpc.minimize(*FORMULAS["corner"], budget=10**7, seed=1, callback=fails)
    kept = caught.value.result  # type: ignore[attr-defined]
    assert math.isfinite(kept.fun)
    assert not kept.success


def test_a_callback_stops_the_search() -> None:
    def stop(_: Any) -> None:
        raise StopIteration

    found = cpc.minimize(*FORMULAS["corner"], budget=10**7, seed=1, callback=stop)
    assert found.success
    assert "stopped by the callback" in found.message
    assert found.nfev < FIRST


@pytest.mark.parametrize("name", one_in(3, FORMULAS))
def test_where_numpy_raises(name: str) -> None:
    with np.errstate(all="raise"):
        found = cpc.minimize(*FORMULAS[name], budget=20_000, seed=1)
    assert found.success == (name != "nowhere")


def test_what_is_waited_for_is_told() -> None:
    told: list[str] = []
    cpc.minimize("x1^2", [(-1.0, 1.0)], budget=10, seed=0, progress=told.append)
    assert told[0] == "compiling the formula"
    assert told[1].startswith("searching")


def test_on_the_command_line(tmp_path: Path) -> None:
    found = cpcbench(tmp_path, "minimize", "x1^2", "--bounds=-1:1", "--budget", "100")
    assert "100" in found.stdout


NEW = """
import time
import cpcbench as cpc

told = []
found = cpc.minimize(cpc.problem("DF13"), seconds=3, progress=told.append)
assert "compiled" in told[1], told
print(found.fun, found.seconds)
"""


def test_a_new_installation_has_an_answer_within_its_time(tmp_path: Path) -> None:
    """Nothing is compiled: the search runs as plain Python until it is."""
    kept = {"CPCBENCH_CACHE": str(tmp_path / "kernels"), "NUMBA_CACHE_DIR": str(tmp_path / "numba")}
    done = subprocess.run(
        [sys.executable, "-c", NEW],
        env={**os.environ, **kept},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    value, seconds = map(float, done.stdout.split())
    assert value < 1.0
    assert seconds < 30.0


def test_problems_are_never_known_by_name() -> None:
    """The same formula under another id gives the same answer."""
    p = cpc.problem("CPC-DF1")
    other = Problem("another", p.expression, p.lower, p.upper)
    one, two = (cpc.minimize(each, budget=3000, seed=1) for each in (p, other))
    assert one.x.tolist() == two.x.tolist()
