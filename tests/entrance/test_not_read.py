"""Python functions that cannot be read are refused with their line, and what is lost or wrong is told."""

from __future__ import annotations

import inspect
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.entrance.comparing import TraceWarning
from cpcbench.entrance.refusal import TraceError


def until_small(x: Any) -> Any:
    v = x[0]
    while abs(v) > 1e-3:
        v = v / 2
    return v


def reads_a_file(x: Any) -> Any:
    return x[0] + len(open(__file__).read())


def draws(x: Any) -> Any:
    return x[0] * random.random()  # noqa: S311


def draws_in_numpy(x: Any) -> Any:
    return x[0] * np.random.default_rng(1).normal()


def solves(x: Any) -> Any:
    from scipy.optimize import brentq

    return brentq(lambda t: t - 0.5, 0, x[0])


def _swallows(x: Any) -> Any:
    try:
        return int(x[0])
    except Exception:
        return 0.0


def hides_a_refusal(x: Any) -> Any:
    try:
        return int(x[0])
    except:  # noqa: E722
        return 1.0


def hides_an_error(x: Any) -> Any:
    try:
        return np.linalg.det(np.array([[x[0], 1.0], [1.0, x[1]]]))
    except Exception:
        return 1e10


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "int": (lambda x: int(x[0]), "whole number"),
    "index": (lambda x: [1, 2][x[0]], "indexes"),
    "range": (lambda x: sum(range(x[0])), "indexes"),
    "random": (draws, "random"),
    "numpy random": (draws_in_numpy, "random"),
    "file": (reads_a_file, "file"),
    "solver": (solves, "RuntimeError"),
    "loop": (until_small, "loop"),
    "complex": (lambda x: (x[0] + 1j) ** 2, "complex"),
    "text": (lambda x: f"{x[0]:.3f}", "str"),
    "mask": (lambda x: x[x > 0.5].sum(), "IndexError"),
    "nothing": (lambda x: None, "returns nothing"),
    "several": (lambda x: x * 2, "2 values"),
    "special": (lambda x: np.sinc(x[0] - 1j), "complex"),
    "swallowed": (_swallows, "whole number"),
    "hidden refusal": (hides_a_refusal, "whole number"),
    "hidden error": (hides_an_error, "det|object"),
    "looked up": (lambda x: {0: 5.0}.get(round(x[0]), 1.0), "looks something up"),
    "member": (lambda x: 1.0 if round(x[0]) in {1, 2} else 2.0, "looks something up"),
    "added tests": (lambda x: (x[0] > 0) + (x[1] > 0), "adds two comparisons"),
    "float32": (lambda x: np.sum(x.astype(np.float32)), "float32"),
    "infinite": (lambda x: np.inf * x[0], "inf"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_with_its_line(name: str) -> None:
    function, reason = REFUSED[name]
    with pytest.raises(TraceError, match=reason) as caught:
        cpc.trace(function, [(0, 1)] * 2)
    if name in ("nothing", "several", "text"):  # what was returned, no line of it
        return
    source, first = inspect.getsourcelines(function)
    assert caught.value.line is not None
    assert first <= caught.value.line < first + len(source)
    assert __file__.rpartition("/")[2] in str(caught.value)


def test_too_many_ways_are_refused() -> None:
    def many(x: Any) -> Any:
        return sum(1.0 if v < 0.5 else v for v in x)

    assert cpc.trace(many, [(0, 1)] * 4).dim == 4
    with pytest.raises(TraceError, match="more than 15 ways"):
        cpc.trace(many, [(0, 1)] * 4, paths=15)


def test_a_function_that_is_something_else_than_its_formula_is_found_out() -> None:
    state = {"calls": 0.0}

    def counts(x: Any) -> Any:
        state["calls"] += 1
        return x[0] + state["calls"]

    with pytest.raises(TraceError, match="differ at"):
        cpc.trace(counts, [(0, 1)])
    with pytest.warns(TraceWarning, match="x1 - 0.5 > 0"):  # a penalty where the formula is undefined
        cpc.trace(lambda x: 1e10 if np.isnan(np.log(x[0] - 0.5)) else np.log(x[0] - 0.5), [(0, 1)])
    with pytest.warns(TraceWarning, match="x1 != 0"):  # exp(-inf) = 0 does not show that it was divided by 0
        cpc.trace(lambda x: np.exp(-np.divide(1, x[0])), [(0, 1)])
    with pytest.raises(TraceError, match="differ at"):  # an edge inside a thin branch
        cpc.trace(_differs_in_a_thin_branch, [(0, 1)])


def _differs_in_a_thin_branch(x: Any) -> Any:
    if x[0] < 1e-4:
        return x[0] if hasattr(x[0], "is_integer") else 2 * x[0] + 1
    return x[0]


def test_a_small_domain_is_found_or_a_warning_says_so() -> None:
    def small(x: Any) -> Any:
        return math.sqrt(1e-2 - (x[0] - 1.9) ** 2 - (x[1] - 1.9) ** 2) + state["offset"]

    state = {"offset": 1.0}
    problem = cpc.trace(small, [(-100, 100)] * 2)
    assert problem([1.9, 1.9]) == small([1.9, 1.9])
    with pytest.warns(TraceWarning, match="no point was found"):
        cpc.trace(lambda x: math.sqrt(-1 - x[0] ** 2), [(-1, 1)])


def test_lost_digits_are_told() -> None:
    def exact_on_numbers(x: Any) -> Any:
        return x[0] if type(x[0]) is np.float64 else ((1 + 1e-17 * x[0]) - 1) * 1e17

    with pytest.warns(TraceWarning, match="rounding errors"):
        cpc.trace(exact_on_numbers, [(1, 2)])


def test_bad_input_is_refused() -> None:
    with pytest.raises(cpc.CpcbenchError, match="parse"):
        cpc.trace("x1 + 1", [(0, 1)])  # type: ignore[arg-type]
    with pytest.raises(cpc.CpcbenchError, match="one for each"):
        cpc.trace(lambda x: x[0], (0, 1))
    with pytest.raises(TraceError, match="IndexError"):
        cpc.trace(lambda x: x[5], [(0, 1)])
