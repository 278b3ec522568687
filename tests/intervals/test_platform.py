"""What is assumed of the platform's functions, as compiled code calls them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import gmpy2
import numba
import numpy as np
import pytest

from cpcbench.intervals.arithmetic import ELEMENTARY, TINIEST, down, up
from cpcbench.intervals.functions.inverses import cube_root
from tests.cases import one_in
from tests.intervals.expected import INF


def each(function: Any, count: int = 1) -> Callable[..., Any]:
    """A function of numbers, compiled, for arrays."""

    @numba.njit(error_model="numpy")
    def one(x: Any) -> Any:
        return np.array([function(a) for a in x])

    @numba.njit(error_model="numpy")
    def two(x: Any, y: Any) -> Any:
        return np.array([function(x[i], y[i]) for i in range(len(x))])

    return one if count == 1 else two  # type: ignore[no-any-return]


def arguments(seed: int) -> np.ndarray:
    """Doubles of every size, and those next to the multiples of pi/2, where a sine loses its digits."""
    rng = np.random.default_rng(seed)
    near = np.arange(1, 3000) * (math.pi / 2)
    wide = rng.uniform(-1.0, 1.0, 4001) * 10.0 ** rng.integers(-20, 22, 4001)
    return np.concatenate([near, np.nextafter(near, 0.0), wide, rng.uniform(-30.0, 30.0, 4001), -near])


FUNCTIONS: dict[str, tuple[Callable[..., Any], str, Callable[[np.ndarray], np.ndarray]]] = {
    "sin": (math.sin, "sin", lambda x: x),
    "cos": (math.cos, "cos", lambda x: x),
    "tan": (math.tan, "tan", lambda x: x),
    "exp": (math.exp, "exp", lambda x: x[np.abs(x) < 709.0]),
    "ln": (math.log, "log", lambda x: np.concatenate([np.abs(x), 1.0 + x * 1e-9])[: len(x) + 3000]),
    "arctan": (math.atan, "atan", lambda x: x),
    "sinh": (math.sinh, "sinh", lambda x: x[np.abs(x) < 709.0]),
    "cosh": (math.cosh, "cosh", lambda x: x[np.abs(x) < 709.0]),
    "tanh": (math.tanh, "tanh", lambda x: x),
    "arcsinh": (math.asinh, "asinh", lambda x: x),
    "arccosh": (math.acosh, "acosh", lambda x: 1.0 + np.abs(x)),
    "arctanh": (math.atanh, "atanh", lambda x: np.sin(x)[np.abs(np.sin(x)) < 1.0]),
    "arccos": (math.acos, "acos", lambda x: np.concatenate([np.sin(x), 1.0 - np.abs(x[np.abs(x) < 0.01])])),
    "log10": (math.log10, "log10", lambda x: np.concatenate([np.abs(x), 1.0 + x * 1e-9])[: len(x) + 3000]),
    "log2": (math.log2, "log2", lambda x: np.concatenate([np.abs(x), 1.0 + x * 1e-9])[: len(x) + 3000]),
    "log1p": (math.log1p, "log1p", lambda x: x[x > -1.0]),
    "expm1": (math.expm1, "expm1", lambda x: x[np.abs(x) < 709.0]),
    "cbrt": (cube_root, "cbrt", lambda x: np.concatenate([x, x * 1e-300, x * 1e280])),
    "erf": (math.erf, "erf", lambda x: x),
    "arcsin": (math.asin, "asin", lambda x: np.concatenate([np.sin(x), 1.0 - np.abs(x[np.abs(x) < 0.01])])),
}


@pytest.mark.parametrize("name", one_in(4, FUNCTIONS))
def test_elementary_functions_are_within_the_error_assumed(name: str) -> None:
    function, exact, domain = FUNCTIONS[name]
    x = domain(arguments(1))
    x = x[x > 0.0] if name in ("ln", "log10", "log2") else x
    with gmpy2.context(precision=200):
        for a, y in zip(x.tolist(), each(function)(x).tolist(), strict=True):
            error = abs(getattr(gmpy2, exact)(gmpy2.mpfr(a)) - y)
            assert error <= abs(gmpy2.mpfr(y)) * ELEMENTARY + TINIEST, (name, a)


def test_powers_are_within_the_error_assumed() -> None:
    rng = np.random.default_rng(2)
    a, p = 10.0 ** rng.uniform(-50, 50, 9001), rng.uniform(-6.0, 6.0, 9001)
    with gmpy2.context(precision=200):
        for base, exponent, y in zip(a.tolist(), p.tolist(), each(math.pow, 2)(a, p).tolist(), strict=True):
            error = abs(gmpy2.mpfr(base) ** gmpy2.mpfr(exponent) - y)
            assert error <= abs(gmpy2.mpfr(y)) * ELEMENTARY + TINIEST, (base, exponent)


def test_rounding_goes_outward_by_at_least_one_double() -> None:
    rng = np.random.default_rng(3)
    x = np.concatenate(
        [rng.standard_normal(5000) * 10.0 ** rng.integers(-323, 308, 5000), [0.0, 1.0, -1.0, 2.0**-1022]]
    )
    below, above = each(down), each(up)
    with np.errstate(all="ignore"):
        assert (below(x) <= np.nextafter(x, -INF)).all()
        assert (above(x) >= np.nextafter(x, INF)).all()
        usual = np.abs(x) > 1e-300
        assert (below(x)[usual] >= x[usual] - 2.0 * np.spacing(np.abs(x[usual]))).all()
        assert below(np.array([INF, -INF])).tolist() == [1.7976931348623157e308, -INF]
        assert above(np.array([INF, -INF])).tolist() == [INF, -1.7976931348623157e308]
