"""Counts of optima across jumps, kinks, poles and edges: the true number lies within what is claimed."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.expr.functions import FUNCTIONS, JUMPS, KINKS
from cpcbench.studies.symmetry.breaks import BROKEN, KINKED
from cpcbench.studies.symmetry.multiplicity import multiplicity
from cpcbench.studies.symmetry.one_variable import Places
from cpcbench.studies.symmetry.optima_count import OptimaCount, optima, separable_optima


def within(found: OptimaCount | None, truth: float) -> bool:
    return found is None or found.at_least <= truth <= (math.inf if found.at_most is None else found.at_most)


HARD = [
    ("where(x1 < 0, (x1 + 0.01)^2, (x1 - 0.02)^2)", -100, 90, 2),
    ("sign(x1) + x1^2", -1, 1, 0),  # the infimum is approached from the left only
    ("floor(x1) + x1^2", -1.5, 1.7, 0),
    ("x1 - floor(x1)", 0.5, 3.5, 3),
    ("where(x1 <= 0.3, x1^2 + 2, x1^2)", -1, 1, 0),
    ("x1^2 - 0.1*abs(x1)", -100, 90, 2),
    ("(x1 - 0.3)^2 - 0.01*abs(x1 - 0.3)", -100, 90, 2),
    ("cosh(x1) - 0.01*abs(sin(x1))", -30, 29, 2),
    ("tan(x1)", 0, 3, 0),
    ("tan(x1)^2 + x1", 1, 2, 1),
    ("-1/(x1 - 0.3)", -1, 1, 0),
    ("sqrt(sqrt(1 - (x1 - 0.5)^2) - 1)", -2, 3, 1),
    ("sqrt(-1 - x1^2)", -1, 1, 0),
    ("x1^2 + sqrt(-1)", -1, 1, 0),
    ("x1^2 + 1/(1 - 1)", -1, 1, 0),
    ("x1^((0.1 + 0.2)*10)", -2, 1, 1),  # in doubles no whole exponent
    ("(0.1 + 0.2 - 0.3)*sqrt(x1^2 - 0.25)", -1, 1, math.inf),  # in doubles no 0
    ("abs(x1)*abs(x1 - 1)", -3, 3.5, 2),
    ("abs(abs(x1) - 1)", -2, 3, 2),
    ("sqrt(x1)", 0, 1, 1),
    ("exp(sqrt(x1^2 - 0.25) - 3)", -1, 1, 2),
    ("arcsin(x1 - 1)", -1, 3, 1),
]


@pytest.mark.parametrize(("text", "low", "high", "truth"), HARD)
def test_the_true_number_lies_within_what_is_claimed(text: str, low: float, high: float, truth: float) -> None:
    assert within(separable_optima(cpc.parse(text, bounds=[(low, high)])), truth)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("abs(x1 - 0.3)", "1"),
        ("x1^2 + abs(0.3 - x1)", "1"),
        ("x1^2 - 0.1*abs(x1)", "1 to 2^1 = 2"),
        ("where(x1 < 0, (x1 + 0.01)^2, (x1 - 0.02)^2)", "1 to 2^1 = 2"),  # the jump is above both
        ("x1^2 + 9*sign(x1)^2", "unknown"),  # lowest at the jump
        ("floor(x1)", "unknown"),
        ("sqrt(x1^4)", "at least 1"),  # continuous, so that it is lowest somewhere
        ("sqrt(-1 - x1^2)", "none"),
    ],
)
def test_what_is_still_proven_through_kinks_and_past_jumps(text: str, count: str) -> None:
    found = separable_optima(cpc.parse(text, bounds=[(-5.0, 6.0)]))
    assert found is not None
    assert found.text == count


def test_every_operation_that_may_break_is_watched() -> None:
    assert set(BROKEN) == JUMPS | {"tan"}
    assert set(BROKEN) | set(KINKED) == KINKS | {"tan"}
    assert set(FUNCTIONS) - set(BROKEN) - set(KINKED) == {
        "sqrt", "ln", "exp", "sin", "cos", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh",
        "arcsinh", "arccosh", "arctanh", "log10", "log2", "log1p", "expm1", "erf",
    }  # fmt: skip


def test_outer_functions_are_defined_wherever_a_term_may_be_least() -> None:
    """Of the two bottoms in x1 the right one is lower, and the logarithm is not defined there."""
    text = "ln(x1^2 - 0.1*abs(x1) - 0.001*x1 + 0.0025 + x2^2)"
    assert separable_optima(cpc.parse(text, bounds=[(-3.0, 3.0)] * 2)) is None


def test_images_of_a_point_that_is_no_optimum_do_not_outnumber_the_proof() -> None:
    p = cpc.parse("x1^2 + x2^2", bounds=[(-3, 3)] * 2)
    assert optima(p, multiplicity(p, [1.0, 0.5])).text == "1"


def test_a_lower_bound_above_the_upper_one_cannot_be_made() -> None:
    with pytest.raises(CpcbenchError, match="cannot be"):
        OptimaCount(2, 1, "by mistake")
    with pytest.raises(CpcbenchError, match="nowhere"):
        Places((), exists=True)


# Sums whose minimisers are known without rounding

eighths = st.integers(-20, 20).map(lambda k: Fraction(k, 8))
weights = st.integers(-6, 6).filter(bool).map(lambda k: Fraction(k, 4))
pieces = st.tuples(st.sampled_from(["abs", "sign", "less", "at most"]), weights, eighths)
LOW, HIGH = Fraction(-3), Fraction(13, 4)

Piece = tuple[str, Fraction, Fraction]


def written(square: int, parts: list[Piece]) -> str:
    words = {
        "abs": "abs(x1 - ({0}))", "sign": "sign(x1 - ({0}))",
        "less": "where(x1 < {0}, 1, 0)", "at most": "where(x1 <= {0}, 1, 0)",
    }  # fmt: skip
    return f"({square})*x1^2" + "".join(f" + ({float(c)!r})*" + words[kind].format(float(a)) for kind, c, a in parts)


def exactly(square: int, parts: list[Piece], x: Fraction) -> Fraction:
    ways: dict[str, Callable[[Fraction], Fraction | int]] = {
        "abs": lambda a: abs(x - a), "sign": lambda a: (x > a) - (x < a),
        "less": lambda a: int(x < a), "at most": lambda a: int(x <= a),
    }  # fmt: skip
    return square * x * x + sum((c * ways[kind](a) for kind, c, a in parts), Fraction(0))


def truth(square: int, parts: list[Piece]) -> tuple[Fraction, int]:
    """The infimum and how often it is attained: a parabola between two breaks is lowest at its vertex or an end."""
    ends = sorted({LOW, HIGH, *(a for _, _, a in parts)})
    attained = {x: exactly(square, parts, x) for x in ends}
    limits = []
    for a, b in pairwise(ends):
        first, last = (exactly(square, parts, a + (b - a) * Fraction(k, 3)) for k in (1, 2))
        slope = (last - first) / ((b - a) / 3) - square * (a + b)  # square x^2 + slope x + constant
        constant = first - square * ((2 * a + b) / 3) ** 2 - slope * (2 * a + b) / 3
        limits += [square * x * x + slope * x + constant for x in (a, b)]
        vertex = -slope / (2 * square)
        if a < vertex < b:
            attained[vertex] = exactly(square, parts, vertex)
    lowest = min([*limits, *attained.values()])
    return lowest, sum(value == lowest for value in attained.values())


@settings(deadline=None, max_examples=20)
@given(st.sampled_from([-1, 1, 2, 5]), st.lists(pieces, max_size=4))
def test_the_minimisers_of_broken_parabolas_are_within_the_count(square: int, parts: list[Piece]) -> None:
    p = cpc.parse(written(square, parts), bounds=[(float(LOW), float(HIGH))])
    found = separable_optima(p)
    lowest, number = truth(square, parts)
    assert found is not None
    assert within(found, number)
    grid = np.arange(-3 * 64, 13 * 16 + 1) / 64.0  # its values have no rounding
    assert found.at_most is None or np.sum(p(grid[:, None]) == float(lowest)) <= found.at_most


@settings(deadline=None, max_examples=15)
@given(
    st.lists(st.integers(-28, 28).map(lambda k: k / 10.0), min_size=1, max_size=3, unique=True),
    st.lists(st.integers(-28, 28).map(lambda k: k / 10.0), min_size=1, max_size=3, unique=True),
    st.sampled_from(["({})^2", "abs({})", "sqrt({})"]),
    st.sampled_from([0.25, 1.0, 300.0]),
)
def test_products_vanish_as_often_as_the_count_allows(
    first: list[float], second: list[float], shape: str, scale: float
) -> None:
    """A root of a product is least at its zeros as well, a square and an absolute value at no other points."""

    def product(name: str, zeros: list[float]) -> str:
        return "*".join(f"({name} - ({a!r}))" for a in zeros)

    text = f"{scale!r}*{shape.format(product('x1', first))} + abs({product('x2', second)})"
    p = cpc.parse(text, bounds=[(-3.0, 3.1)] * 2)
    found = separable_optima(p)
    assert found is not None
    assert within(found, len(first) * len(second))
    assert found.at_least >= 1 or found.at_most is None
    grid = np.round(np.linspace(-3.0, 3.1, 62), 1)
    values = p(np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2))
    assert np.sum(values == np.nanmin(values)) <= (math.inf if found.at_most is None else found.at_most)
