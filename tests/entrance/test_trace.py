"""Python functions read: the formula is what the function computes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from math import log, sin
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cpcbench as cpc
from cpcbench.entrance.comparing import alike, compare, value_of
from cpcbench.entrance.trace import formula_of
from cpcbench.expr.nodes import var
from cpcbench.expr.parser import parse_formula
from tests.cases import one_in

WEIGHTS = np.array([[1.0, 2.0, 0.5], [0.25, -1.0, 3.0]])
SCALE = 3.0
calls = 0


def helper(v: Any) -> Any:
    return math.sqrt(v) + SCALE


def with_math(x: Any) -> Any:
    return helper(x[0]) * log(x[1]) + sin(x[2])


def with_loop(x: Any) -> Any:
    total = 0.0
    for i, v in enumerate(x, start=1):
        total += i * v**2
    return total


def with_branch(x: Any) -> Any:
    if x[0] < 0.3 and not x[1] > 0.7:
        return x[0] - x[2]
    if x[0] == x[1]:
        return 7.0
    return np.log(x[1]) if x[2] >= 0.5 else -x[2]


def with_raise(x: Any) -> Any:
    if x[0] + x[1] > 1.2:
        raise ValueError("outside")
    return x[0] * x[1]


def with_guard(x: Any) -> Any:
    value = np.sqrt(x[0] - x[1])
    return np.inf if np.isnan(value) else value + x[2]


def with_import(x: Any) -> Any:
    import math as m
    from math import exp as e

    return m.cos(x[0]) + e(x[1])


def with_global(x: Any) -> Any:
    global calls  # noqa: PLW0603
    calls += 1
    return x[0] + calls * 0


def with_room(x: Any) -> Any:
    y = np.zeros(3)
    y[1:] = x[:2] ** 2
    y[0] = x[2]
    y[y > 0.5] = 0.5
    return y.sum()


class Model:
    """A function with state, as simulations have it."""

    def __init__(self, factor: float) -> None:
        self.factor, self.calls = factor, 0

    def inner(self, v: Any) -> Any:
        return math.exp(-v) * self.factor

    def __call__(self, x: Any) -> Any:
        self.calls += 1
        return self.inner(x[0]) + float(x[1])

    def cost(self, x: Any, power: float) -> Any:
        return self.inner(x[0]) ** power


def shifted(x: Any, by: float) -> Any:
    return np.sum((np.asarray(x, dtype=float) - by) ** 2)


def _quiet(x: Any) -> Any:
    with np.errstate(all="ignore"):
        return np.divide(1.0, x[0] - x[1])


def _aliased(x: Any) -> Any:
    y = np.asarray(x)
    y[0] = 3.0
    return x[0] + x[1]


def _complement(x: Any) -> Any:
    if x[0] < 0.5:
        y = x[1]
    if x[0] >= 0.5:
        y = x[2]
    return y


@functools.lru_cache
def _cached() -> float:
    return 2.0


def _defaults(x: Any, root: Any = math.sqrt, scale: Any = (2.0,)) -> Any:
    return root(x[1]) * scale[0]


def _matrix() -> Any:
    a = np.zeros((2, 2))
    a[0, 0] = a[1, 1] = 2.0
    return a


def _counts_itself(x: Any) -> Any:
    _counts_itself.calls += 1  # type: ignore[attr-defined]
    return x[0] + x[1]


_counts_itself.calls = 0  # type: ignore[attr-defined]
WORDS: list[Callable[[Any], Any]] = [math.sin, np.cos, lambda v: v**2]


@dataclass(frozen=True)
class Frozen:
    factor: float = 2.0

    def inner(self, v: Any) -> Any:
        return math.sqrt(v) * self.factor

    @staticmethod
    def fixed(v: Any) -> Any:
        return math.exp(v)


FROZEN = Frozen()
READ: dict[str, Callable[[Any], Any]] = {
    "formula": lambda x: np.log(x[0] - x[1] ** 2) + np.sqrt(x[2]),
    "math": with_math,
    "loop": with_loop,
    "branch": with_branch,
    "raise": with_raise,
    "guard": with_guard,
    "import": with_import,
    "global": with_global,
    "room": with_room,
    "object": Model(2.5),
    "partial": functools.partial(shifted, by=0.25),
    "sum": lambda x: np.sum(x**2) + x.sum() + sum(x) + math.fsum(x),
    "prod": lambda x: np.prod(np.cos(x)) + x.prod(),
    "dot": lambda x: np.dot(x, x) + x @ WEIGHTS.T @ np.array([1, 2]) + (WEIGHTS @ x)[1],
    "slices": lambda x: np.sum((x[1:] - x[:-1]) ** 2) + np.diff(x).sum() + x[::-1][0],
    "broadcast": lambda x: np.sum(np.exp(-((x - WEIGHTS) ** 2)), axis=1).max(),
    "where": lambda x: np.where(x > 0.5, x, -x).sum() + np.sum(x * (x < 0.25)),
    "extremes": lambda x: np.maximum(x[0], x[1]) - np.min(x) + max(x[0], 0.5) - min(x),
    "clip": lambda x: np.clip(x, 0.2, 0.7).sum() + x.clip(0.1, None).prod(),
    "mean": lambda x: np.mean(x) + np.linalg.norm(x) + np.linalg.norm(x, np.inf) + np.linalg.norm(x, 1),
    "var": lambda x: np.var(x) + np.std(x - 3),
    "cumsum": lambda x: np.cumsum(x)[-1] * np.cumprod(x)[1],
    "roll": lambda x: np.sum(np.roll(x, 1) * x) + np.concatenate([x, [1.0]])[3],
    "stack": lambda x: np.vstack([x, x**2]).sum(axis=0) @ np.ones(3),
    "outer": lambda x: np.outer(x, x).trace() + np.multiply.outer(x, x)[0, 1] + np.einsum("i,i", x, x),
    "comprehension": lambda x: sum([v * i for i, v in enumerate(x)]) + np.array([v**2 for v in x]).max(),
    "joined": lambda x: 1.0 if (x[0] > 0.5) & (x[1] > 0.5) | ~(x[2] < 0.9) else x[0],
    "select": lambda x: np.select([x[0] < 0.2, x[0] < 0.6], [x[1], x[2]], 5.0),
    "any": lambda x: 1.0 if np.any(x > 0.8) else float(np.all(x < 0.5)) + x[0],
    "rounded": lambda x: np.floor(3 * x[0]) + np.ceil(5 * x[1]) + np.rint(8 * x[2]) + round(4 * x[0]) + x[1] % 0.3,
    "whole": lambda x: 7 * x[0] // 2 + math.floor(3 * x[1]) + math.ceil(x[2]) + np.trunc(-5 * x[0]),
    "powers": lambda x: x[0] ** 2 + 2 ** x[1] + x[2] ** -1 + np.power(x[0], 0.5) + pow(x[1], 3) + np.square(x[2]),
    "logs": lambda x: np.log10(x[0]) + np.log2(x[1]) + np.log1p(x[2]) + np.expm1(x[0]) + math.log(x[1], 3),
    "angles": lambda x: np.arccos(x[0]) + np.arcsin(x[1]) + np.hypot(x[0], x[1]) + np.cbrt(x[2] - 0.5),
    "math's names": lambda x: math.acos(x[1]) + math.asin(x[2]) + math.atan(x[0]) + math.atan2(x[1] + 1, x[0]),
    "math's hyperbolic": lambda x: math.asinh(x[1]) + math.acosh(1 + x[1]) + math.atanh(x[2]) + math.tanh(x[0]),
    "hyperbolic": lambda x: np.sinh(x[0]) + np.cosh(x[1]) + np.arcsinh(x[2]) + np.arctanh(x[0]) + np.arccosh(1 + x[1]),
    "list": lambda x: [x[0] * x[1]],
    "constant": lambda x: 3.0 + 0 * x[0],
    "tolist": lambda x: math.prod(x.tolist()) + len(x) * x.shape[0] + x.copy().item(0),
    "clipped": lambda x: np.sum(np.clip(x, a_min=0, a_max=0.5)) + np.clip(x[0], min=0.3, max=None),
    "cut": lambda x: np.sum((3 * x).astype(int)) + np.asarray(x * 5, dtype=int)[0],
    "aliased": _aliased,
    "tuples": lambda x: max((v, -i) for i, v in enumerate(x))[1] + x[0],
    "least": lambda x: min(np.inf, x[0]) + max(-np.inf, *x),
    "complement": _complement,
    "defaults": _defaults,
    "functions in a list": lambda x: sum(f(x[1]) for f in WORDS),
    "cached": lambda x: _cached() * x[0],
    "types of numbers": lambda x: np.sum(np.sqrt(np.array([1, 2], dtype=float))) * x[0] + np.finfo(float).eps,
    "room for numbers": lambda x: np.linalg.inv(_matrix())[0, 0] * x[0],
    "close": lambda x: 1.0 if np.isclose(x[0], 0.5, atol=0.1) else x[0],
    "rounded to digits": lambda x: np.sum(np.round(x, decimals=1)),
    "divided": lambda x: sum(divmod(x[0], 0.3)),
    "attribute": _counts_itself,
    "frozen": lambda x: FROZEN.inner(x[1]) + FROZEN.fixed(x[2]),
    "kind": lambda x: x[0] ** 2 if isinstance(x[0], float) else x[0],
    "errstate": _quiet,
}


@pytest.mark.parametrize("name", one_in(6, READ))
def test_the_formula_is_what_the_function_computes(name: str) -> None:
    function = READ[name]
    problem = cpc.trace(function, [(-1, 2), (0, 1), (0, 1)], check=False)
    points = np.random.default_rng(7).uniform(problem.lower, problem.upper, (500, 3))
    points[:50] = np.round(points[:50] * 4) / 4
    ours, theirs = problem(points), np.array([value_of(function, x) for x in points])
    wrong = [x for x, a, b in zip(points, ours, theirs, strict=True) if not alike(problem, x, a, b)]
    assert not wrong, (problem.formula, wrong[0], problem(wrong[0]), value_of(function, wrong[0]))
    assert np.isfinite(ours).any()
    compare(problem, function)


def test_functions_of_the_language_are_read_as_themselves() -> None:
    def fun(x: Any) -> Any:
        return np.log1p(x[0]) + math.hypot(x[0], x[1]) + np.maximum(x[1], 0.5) - min(x[0], x[1]) + np.arctan2(x[0], 2)

    text = "log1p(x1) + hypot(x1, x2) + max(x2, 0.5) - min(x1, x2) + arctan2(x1, 2)"
    assert cpc.trace(fun, [(0, 1), (0, 1)]).formula == text
    assert cpc.trace(lambda x: math.cbrt(x[0]) + x[0] % 3 + np.round(x[0]), [(-5, 5)]).formula == (
        "cbrt(x1) + mod(x1, 3) + round(x1)"
    )


def test_nothing_is_reordered() -> None:
    assert formula_of(lambda x: 1 + x[0] - (x[1] + 2) * 3, 2) is parse_formula("1 + x1 - (x2 + 2)*3")
    assert formula_of(lambda x: np.sum(x) * 1, 3) is parse_formula("(x1 + x2 + x3)*1")
    assert formula_of(lambda x: np.pi * x[0] - 0.1, 1) is parse_formula("pi*x1 - 0.1")
    assert formula_of(lambda x: x[0] if x[0] < 1 else 2, 1) is parse_formula("where(x1 < 1, x1, 2)")
    assert formula_of(lambda x: x[0] if x[0] < 1 else +x[0], 1) is var(0)


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=40))
@settings(max_examples=50, deadline=None)
def test_rounding_is_numpys(numbers: list[float]) -> None:
    problem = cpc.trace(lambda x: np.rint(x[0]), [(-50, 50)], check=False)
    points = np.array([*numbers, -1.5, -0.5, 0.5, 1.5, 2.5, 0.49999999999999994])[:, None]
    assert np.array_equal(problem(points), np.rint(points[:, 0]))


def test_nothing_of_the_users_is_changed() -> None:
    before, model = calls, Model(2.0)
    cpc.trace(with_global, [(0, 1)], check=False)
    cpc.trace(model, [(0, 1)] * 2, check=False)
    assert calls == before
    assert model.calls == 0
    assert type(model) is Model
    assert with_math.__globals__["log"] is math.log
    cpc.trace(remembers, [(0, 1)] * 2, args=([],), check=False)
    assert (BEST, HISTORY, MEMORY.seen) == ({"f": 1e300}, [], [])
    assert remembers.__defaults__ == ([],)
    assert remembers(np.array([1.0, 2.0]), []) == 3.0


BEST, HISTORY = {"f": 1e300}, []  # type: ignore[var-annotated]


class Memory:
    def __init__(self) -> None:
        self.seen: list[Any] = []

    def see(self, v: Any) -> Any:
        self.seen.append(v)
        return v


MEMORY = Memory()


def remembers(x: Any, given: list[Any], seen: list[Any] = []) -> Any:  # noqa: B006
    v = x[0] + MEMORY.see(x[1])
    for each in (given, seen, HISTORY):
        each.append(v)
    if v < BEST["f"]:
        BEST["f"] = v
    return v


def test_methods_and_arguments() -> None:
    problem = cpc.trace(Model(2.0).cost, [(0, 1)], args=(3.0,), id="cost", names=["load"])
    assert (problem.id, problem.names) == ("cost", ("load",))
    assert problem.formula == "(exp(-load)*2)^3"


def test_it_can_be_searched_and_proven() -> None:
    problem = cpc.trace(lambda x: np.log(x[0]) ** 2 + np.sqrt(x[1] - 0.25), [(-1, 3), (0, 1)])
    assert cpc.minimize(problem, seconds=1).fun == pytest.approx(0, abs=1e-6)
    assert [c.text for c in problem.conditions]
    certificate = cpc.certify(problem, seconds=20)
    assert abs(certificate.upper) < 1e-6
