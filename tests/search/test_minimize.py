"""`cpc.minimize`: SciPy's conventions, functions that misbehave, and the same answer from the same seed."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds, OptimizeResult

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.solvers.functions.user_function import UserFunction, answer
from tests.cases import one_in
from tests.cli.test_study_cli import cpcbench
from tests.material import user_functions

BOX = [(-1.0, 1.0), (-1.0, 1.0)]


def black_box(fun: Any, bounds: Any = BOX, **settings: Any) -> OptimizeResult:
    return cpc.minimize(fun, bounds, **{"budget": 1000, "seed": 1, **settings})


def test_an_optimum_on_the_edge_of_the_domain() -> None:
    found = black_box(user_functions.disc, budget=3000)
    assert found.success
    assert found.fun == user_functions.disc(found.x)
    assert -0.5 <= found.fun < -0.4999
    assert found.nfev == 3000
    assert 0 < found.nundefined < 3000
    assert found.nfailed > 0  # sqrt of a negative number raises


@pytest.mark.parametrize(
    "settings", one_in(2, [{"workers": 2}, {"workers": map}, {"batch": 3}, {"rng": 1, "seed": None}]), ids=str
)
def test_the_same_seed_gives_the_same_answer(settings: dict[str, Any]) -> None:
    batch = settings.get("batch", 2 if settings.get("workers") == 2 else None)  # no smaller than there are workers
    one = black_box(user_functions.raises_outside, budget=600, batch=batch)
    other = black_box(user_functions.raises_outside, budget=600, **settings)
    assert one.x.tolist() == other.x.tolist()
    assert (one.fun, one.nfev, one.nundefined) == (other.fun, other.nfev, other.nundefined)
    different = black_box(user_functions.raises_outside, budget=600, seed=2, batch=batch)
    assert (different.x.tolist(), different.nundefined) != (one.x.tolist(), one.nundefined)  # both may find the corner


def test_workers_like_map() -> None:
    with ThreadPoolExecutor(2) as pool:
        found = black_box(user_functions.disc, budget=500, workers=pool.map)
    assert found.x.tolist() == black_box(user_functions.disc, budget=500).x.tolist()


def test_arrays_of_points() -> None:
    found = black_box(user_functions.many, vectorized=True)
    assert found.fun < -0.4999
    assert found.nfailed == 0


def test_a_simulation_that_blows_up() -> None:
    found = black_box(user_functions.grows, [(-50.0, 50.0), (-50.0, 50.0)])
    assert found.fun < 1e-3
    assert found.nfailed == found.nundefined > 0


def test_odd_values() -> None:
    found = black_box(user_functions.odd, [(-1.0, 1.0)], budget=500)
    assert found.success
    assert found.nfailed == 0
    assert found.nundefined > 100


WORTH = {
    "None": (None, math.nan), "inf": (math.inf, math.nan), "imaginary": (1j, math.nan), "complex": (2 + 0j, 2.0),
    "list": ([3.0], 3.0), "float32": (np.float32(0.5), 0.5), "bool": (True, 1.0),
}  # fmt: skip


@pytest.mark.parametrize(("returned", "value"), WORTH.values(), ids=WORTH)
def test_what_a_returned_object_is_worth(returned: Any, value: float) -> None:
    np.testing.assert_equal(answer(returned).value, value)
    assert not answer(returned).trouble


@pytest.mark.parametrize(
    "returned",
    ["text", [1.0, 2.0], object, {}, np.datetime64("2020-01-01")],
    ids=["text", "list", "type", "dict", "date"],
)
def test_what_is_no_number_is_said(returned: Any) -> None:
    found = answer(returned)
    assert math.isnan(found.value)
    assert "a number is expected" in found.trouble


def test_a_function_that_fails_everywhere_is_reported_early() -> None:
    with pytest.raises(CpcbenchError, match="fails at every point: AttributeError"):
        black_box(user_functions.broken)


def test_nothing_admissible() -> None:
    found = black_box(lambda x: math.nan, budget=200)
    assert (found.success, found.x, found.nfev, found.nundefined) == (False, None, 200, 200)
    assert math.isnan(found.fun)
    failing = black_box(lambda x: 1 / 0, budget=200)
    assert "ZeroDivisionError" in failing.message


def test_the_callback_sees_improvements_and_may_stop() -> None:
    seen: list[float] = []

    def stop(intermediate_result: OptimizeResult) -> None:
        seen.append(intermediate_result.fun)
        if len(seen) == 3:
            raise StopIteration

    found = black_box(user_functions.raises_outside, callback=stop)
    assert seen == sorted(seen, reverse=True)
    assert (len(seen), found.message, found.fun) == (3, "stopped by the callback", seen[-1])
    points: list[Any] = []
    black_box(user_functions.raises_outside, budget=300, callback=points.append)
    assert points[0].shape == (2,)


def test_time_is_a_limit() -> None:
    found = black_box(user_functions.disc, budget=10**9, seconds=0.2)
    assert found.message == "the time is spent"
    assert found.nfev < 10**9


def test_scipys_bounds() -> None:
    found = black_box(user_functions.disc, Bounds([-1, -1], [1, 1]))
    assert found.x.tolist() == black_box(user_functions.disc).x.tolist()


def test_a_problem_as_a_black_box() -> None:
    p = cpc.problem("CPC-DF9")
    found = cpc.minimize(p, budget=20_000, seed=3, method="black-box")
    assert found.fun == p(found.x)
    assert found.method == "black-box"


@pytest.mark.parametrize(
    ("fun", "settings", "message"),
    [
        (3, {}, "a function, a problem or a formula"),
        (user_functions.disc, {"bounds": None}, "needs its box"),
        (user_functions.disc, {"bounds": [1, 2]}, "a function needs one for each variable"),
        (user_functions.disc, {"bounds": [(1, 0)]}, "lower <= upper"),
        (user_functions.disc, {"bounds": [(math.inf, math.inf)]}, "lower <= upper"),
        (user_functions.disc, {"budget": 0}, "a budget"),
        (user_functions.disc, {"seconds": -1}, "a time limit"),
        (user_functions.disc, {"seed": "a"}, "a seed"),
        (user_functions.disc, {"seed": 1, "rng": 1}, "two names"),
        (user_functions.disc, {"workers": 0}, "workers"),
        (user_functions.disc, {"batch": 0}, "a batch"),
        (user_functions.disc, {"method": "magic"}, "unknown method"),
        (user_functions.disc, {"method": "white-box"}, "formula is not known"),
        (user_functions.disc, {"callback": 3}, "callback"),
        ("ln(x1)", {"bounds": None}, "a formula needs its box"),
        (cpc.problem("DF1"), {}, "box of its own"),
        (cpc.black_box(user_functions.disc, BOX), {}, "box of its own"),
        (user_functions.disc, {"rule": "loose"}, "rule"),
        *[("ln(x1)", {"bounds": [(0, 1)], **setting}, f"{name}=.* belongs to a function")
          for setting in ({"args": (1,)}, {"batch": 5}, {"vectorized": True})
          for name in setting],
        ("ln(x1)", {"bounds": [(0, 1)], "workers": map}, "a number of workers"),
        ("ln(x1)", {"bounds": [(0, 1)], "workers": 0}, "workers"),
        *[("ln(x1)", {"bounds": [(0, 1)], "method": "black-box", **setting}, f"{name}=.* belongs to a function")
          for setting in ({"args": (1,)}, {"workers": -1}, {"vectorized": True})
          for name in setting],
    ],
    ids=range(26),
)  # fmt: skip
def test_bad_input(fun: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(CpcbenchError, match=message):
        black_box(fun, **settings)


def test_points_are_copies() -> None:
    def spoils(x: Any) -> float:
        value = float(np.sum(x**2))
        x[:] = 1e9
        return value

    assert black_box(spoils, budget=500).x.tolist() == black_box(lambda x: float(np.sum(x**2)), budget=500).x.tolist()


def test_workers_that_cannot_get_the_function() -> None:
    class Stubborn:
        def __call__(self, x: Any) -> float:
            return 0.0

        def __reduce__(self) -> Any:
            raise RuntimeError("not today")

    with pytest.raises(CpcbenchError, match="cannot be sent"):
        UserFunction(Stubborn(), workers=2)


def test_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("import math\n\ndef cost(x):\n    return x[0] + 0 * math.sqrt(0.25 - x[0]**2)\n")
    found = cpcbench(tmp_path, "minimize", "model.py:cost", "--bounds", "-1:1", "--budget", "2000")
    assert "-0.4999" in found.stdout or "-0.5" in found.stdout
    assert "evaluations" in found.stdout
    cpcbench(tmp_path, "minimize", "model.py:gone", "--bounds", "-1:1", code=2)
    cpcbench(tmp_path, "minimize", "model.py:cost", code=2)
    cpcbench(
        tmp_path, "minimize", "sqrt(-1 - x1^2)", "--bounds", "-1:1", "--method", "black-box", "--budget", "100", code=1
    )


def test_a_problem_is_read_under_the_rule_that_is_asked_for() -> None:
    """(x1 - 1)^x2 is lowest at a negative base and a whole exponent, which only one of the rules admits."""
    p = cpc.parse("(x1 - 1)^x2 + x1/10", bounds=[(-2.0, 3.0), (3.0, 3.0)])
    settings: dict[str, Any] = {"method": "black-box", "budget": 500, "rng": 1}
    own, strict = cpc.minimize(p, **settings), cpc.minimize(p, rule="strict", **settings)
    assert own.fun < -20.0
    assert strict.fun > 0.0
    assert cpc.minimize(p.with_rule("strict"), **settings).fun == strict.fun
    assert cpc.minimize(p.with_rule("strict"), rule="ieee", **settings).fun == own.fun
    settings["method"] = "white-box"
    assert cpc.minimize(p, **settings).thin.value < -20.0
    assert cpc.minimize(p, rule="strict", **settings).thin is None


def test_a_black_box_is_minimised_as_its_function_is() -> None:
    found = cpc.minimize(cpc.black_box(user_functions.disc, BOX), budget=500, rng=1)
    assert found.x.tolist() == black_box(user_functions.disc, budget=500).x.tolist()


def test_seed_and_rng_are_the_same() -> None:
    answers = [
        black_box(user_functions.disc, budget=300, **{"seed": None, **setting}).x.tolist()
        for setting in ({"seed": 7}, {"rng": 7}, {"rng": np.random.default_rng(7)}, {"rng": np.int64(7)})
    ]
    assert answers == answers[:1] * 4
