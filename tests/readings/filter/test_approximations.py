"""The functions of the filter stay within the errors they state: proven for the polynomials, seen for the code."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from flint import arb, arb_series, ctx

from cpcbench.arb import precision_lock
from cpcbench.readings.doubles.filter import vectors
from cpcbench.readings.doubles.filter.vectors import ARCSIN, COS, EXP, LN, SIN
from tests.readings.filter.compiled import function

Floats = npt.NDArray[np.float64]

PARTS = 512
ORDER = 8
QUARTER = math.pi / 2 + 1e-6
HALF = math.log(2.0) / 2 + 1e-6


def horner(coefficients: Sequence[float], x: Any) -> Any:
    total = 0 * x
    for c in reversed(coefficients):
        total = total * x + c
    return total


CASES = [
    ("sin", -QUARTER, QUARTER, lambda x: x * horner(SIN, x * x) - x.sin(), vectors.TURN_ERROR),
    ("cos", -QUARTER, QUARTER, lambda x: horner(COS, x * x) - x.cos(), vectors.TURN_ERROR),
    ("exp", -HALF, HALF, lambda x: horner(EXP, x) * (-x).exp() - 1, vectors.EXP_ERROR),
    ("ln", 0.5**0.5 - 1 - 1e-6, 2**0.5 - 1 + 1e-6, lambda x: x * horner(LN, x) - (1 + x).log(), vectors.LN_ERROR),
    ("arcsin", -0.01, 0.5001, lambda x: 2 * (x * horner(ARCSIN, x * x) - x.asin()), vectors.ARCSIN_ERROR),
]
"""The error of each polynomial on the interval that operands are reduced to; of twice an angle for arcsin."""


@pytest.mark.parametrize(("name", "low", "high", "off", "stated"), CASES, ids=[c[0] for c in CASES])
def test_the_polynomial_is_within_its_error(
    name: str, low: float, high: float, off: Callable[[Any], Any], stated: float
) -> None:
    """By Taylor's theorem on small parts, with balls: half of what is stated, the rest is for rounding."""
    half = (high - low) / PARTS / 2 * (1 + 1e-9)
    with precision_lock:
        old = ctx.prec, ctx.cap
        ctx.prec, ctx.cap = 128, ORDER + 1
        try:
            for i in range(PARTS):
                middle = low + (2 * i + 1) * half
                near, whole = off(arb_series([arb(middle), 1])), off(arb_series([arb(middle, half), 1]))
                terms = [abs(near[k]) * arb(half) ** k for k in range(ORDER)] + [abs(whole[ORDER]) * arb(half) ** ORDER]
                assert sum(terms, arb(0)) < stated / 2, (name, middle)
        finally:
            ctx.prec, ctx.cap = old


def sizes(low: float, high: float, count: int = 20_000) -> Floats:
    """Numbers of every size between two, and both ends."""
    rng = np.random.default_rng(0)
    return np.concatenate([[low, high], np.exp(rng.uniform(math.log(low), math.log(high), count))])


def off(name: str, x: Floats, exact: Callable[[Floats], Any], relative: bool = False) -> Floats:
    """How far the code is from long doubles, whose own error is far below."""
    true = exact(x.astype(np.longdouble))
    away = np.abs(function(name)(x) - true)
    return np.asarray(away / np.abs(true) if relative else away, dtype=np.float64)


def test_the_code_is_within_the_errors() -> None:
    turns = sizes(1e-300, vectors.MOST_TURN)
    near = np.outer(np.arange(1, 3000), [np.pi / 2]).reshape(-1)  # where the reduction changes its mind
    for x in (turns, -turns, near, np.nextafter(near, 0), -np.nextafter(near, np.inf)):
        stated = vectors.TURN_ERROR + 2.0**-53 * np.abs(x)
        assert (off("sin", x, np.sin) <= stated).all()
        assert (off("cos", x, np.cos) <= stated).all()
    exponents = sizes(1e-300, vectors.MOST_EXPONENT)
    halves = (np.arange(-2000, 2000) + 0.5) * math.log(2.0) / 2
    for x in (exponents, -exponents, halves, np.nextafter(halves, 0)):
        assert off("exp", x, np.exp, relative=True).max() <= vectors.EXP_ERROR
    places: Floats = np.exp2(np.arange(-990, 1023) + 0.5)
    for x in (sizes(vectors.LEAST_LN, 1.7e308), places, np.nextafter(places, 0), 1 + sizes(2**-52, 0.5)):
        assert off("ln", x, np.log).max() <= vectors.LN_ERROR
    parts = np.concatenate([sizes(1e-300, 1.0), 1 - sizes(1e-16, 1.0), 0.5 + np.linspace(-1e-9, 1e-9, 100)])
    for x in (parts, -parts):
        assert off("arcsin", x, np.arcsin).max() <= vectors.ARCSIN_ERROR


@pytest.mark.parametrize("name", ["sin", "cos", "exp", "arcsin"])
def test_nan_stays_nan(name: str) -> None:
    assert np.isnan(function(name)(np.array([math.nan, -math.nan]))).all()
