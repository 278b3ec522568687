"""The running error bound: the real value lies within the radius, and doubtful conditions are named."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cpcbench.errors import PointError, UnknownNameError
from cpcbench.expr import Expr, arccosh, arcsin, cos, exp, floor, ln, num, sin, sqrt, variables, where
from cpcbench.expr.walk import postorder
from cpcbench.readings.reals.enclosure import Enclosure, enclose
from cpcbench.readings.reals.error_bound import Bound, error_bound
from cpcbench.readings.reals.reference import Reference
from tests.material.expressions import expressions, points, wild_expressions
from tests.material.random_formulas import ELEMENTARY, RATIONAL, Builder, formula, point, seeded

LARGEST = 1.7976931348623157e308
x1, x2 = variables(2)
nothing = (x1 + 0.1) - x1 - 0.1
"""0 in the reals, a few 1e-17 in doubles."""


def reaches(bound: Bound, real: Enclosure) -> bool:
    """Whether the real value can lie within the radius."""
    if bound.radius == math.inf:
        return True
    value, radius = Fraction(bound.value), Fraction(bound.radius)
    low = -math.inf if math.isinf(real.lower) else Fraction(real.lower)
    high = math.inf if math.isinf(real.upper) else Fraction(real.upper)
    return value - radius <= high and low <= value + radius


def same_double(a: float, b: float) -> bool:
    return math.isnan(b) if math.isnan(a) else (a == b and math.copysign(1, a) == math.copysign(1, b))


def check(root: Expr, x: list[float], rule: str, constants: str) -> tuple[Bound, Enclosure]:
    """Everything the bound promises at one point."""
    bound = error_bound(root, x, rule=rule, constants=constants)
    real = enclose(root, x, rule=rule, constants=constants, max_bits=1024)
    assert same_double(bound.value, Reference(root, rule)(x))
    assert (bound.decisive is not None) == bound.straddles
    if math.isnan(bound.value):
        assert bound.radius == math.inf
    else:
        assert real.defined is not False or bound.straddles
        assert real.defined is not True or reaches(bound, real)
    return bound, real


NEARLY: list[Builder] = [
    lambda r, e: (x1 + 0.1) - x1 - 0.1,
    lambda r, e: sqrt((x1 + 0.1) - x1 - 0.1),
    lambda r, e: arccosh(1 + ((x2 + 0.1) - x2 - 0.1)),
    lambda r, e: 1 - sqrt(sin(x1) ** 2 + cos(x1) ** 2),
    lambda r, e: e() * ((x2 / 3 + x2 / 3) + x2 / 3 - x2),
]
"""Zero in the reals, and nearly so in doubles: where rounding decides."""


@pytest.mark.parametrize(("rule", "constants"), [("ieee", "decimal"), ("strict", "double")])
def test_seeded_formulas(rule: str, constants: str) -> None:
    tight = doubtful = disagree = 0
    for seed in range(600):
        r = seeded(seed)
        root, x = formula(r, 12, RATIONAL + ELEMENTARY + NEARLY), point(r)
        bound, real = check(root, x, rule, constants)
        tight += real.defined is True and 0.0 < bound.radius < 1e-12 * abs(bound.value)
        doubtful += bound.straddles
        disagree += real.defined is not None and real.defined == math.isnan(bound.value)
    assert tight > 40
    assert doubtful > 8
    assert disagree > 2


@settings(derandomize=True, deadline=None, max_examples=150)
@given(expressions(), points(), st.sampled_from(("ieee", "strict")), st.sampled_from(("decimal", "double")))
def test_formulas_with_shared_parts(root: Expr, x: list[float], rule: str, constants: str) -> None:
    check(root, x, rule, constants)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(wild_expressions(), points(), st.sampled_from(("ieee", "strict")), st.sampled_from(("decimal", "double")))
def test_formulas_of_every_size(root: Expr, x: list[float], rule: str, constants: str) -> None:
    check(root, x, rule, constants)


def test_without_doubt_doubles_and_reals_agree_on_what_is_defined_except_for_overflow() -> None:
    seen = 0
    for seed in range(700):
        r = seeded(seed)
        root, x = formula(r, 10, RATIONAL[:-2] + ELEMENTARY), point(r)
        if not math.isnan(error_bound(root, x).value):
            continue
        values = Reference(root).values(x)
        first = next(node for node in postorder(root) if math.isnan(values[id(node)]))
        real = enclose(first, x)
        seen += real.defined is False
        assert real.defined is not True or error_bound(first, x).straddles or abs(real.midpoint) > LARGEST, seed
    assert seen > 100


def test_a_negative_zero_stays_one() -> None:
    assert math.copysign(1, error_bound(sqrt(x1), (-0.0,)).value) == -1


def test_exact_arithmetic_has_no_error() -> None:
    bound = error_bound((x1 + x2) * x1 - sqrt(x2) / 4, (3.0, 0.25))
    assert bound == Bound(9.625, 0.0, False)
    assert math.copysign(1, bound.radius) == 1


def test_the_radius_is_the_rounding_error_and_not_much_more() -> None:
    tenth = error_bound(num(0.1) + 0 * x1, (1.0,))
    assert Fraction(tenth.radius) >= abs(Fraction(0.1) - Fraction(1, 10)) > Fraction(tenth.radius) * 99 / 100
    assert error_bound(num(0.1) + 0 * x1, (1.0,), constants="double").radius == 0.0
    third = error_bound(x1 / 3, (1.0,))
    assert 0.0 < third.radius <= math.ulp(1 / 3) / 2 * 1.001
    sine = error_bound(sin(x1), (1e22,))
    assert 0.0 < sine.radius <= math.ulp(sine.value) / 2 * 1.001


def test_cancellation_blows_the_radius_up() -> None:
    bound = error_bound(1 / ((x1 + 1e-15) - x1), (1.0,))
    assert not bound.straddles
    assert bound.radius > 0.05 * abs(bound.value)
    assert bound.contains(1e15)
    assert not bound.contains(2e15)


@pytest.mark.parametrize(
    ("root", "decisive", "finite"),
    [
        (sqrt(abs(nothing) + nothing), "sqrt", True),
        (sqrt(1 - sqrt(sin(x1) ** 2 + cos(x1) ** 2)), "sqrt", True),
        ((1 - sqrt(sin(x1) ** 2 + cos(x1) ** 2)) ** 0.3, "pow", True),
        (arcsin(sqrt(sin(x1) ** 2 + cos(x1) ** 2)), "arcsin", True),
        (ln(1 - sin(x1) ** 2 - cos(x1) ** 2 + 1e-20), "ln", False),
        (1 / nothing, "div", False),
        ((1 + nothing) ** x1 / nothing, "div", False),
        ((0.0 * x1 - 2) ** (2 + nothing * 1e-3), "pow", True),
        (sqrt(nothing**2 - 1e-300) + ln(nothing), "sqrt", False),
    ],
)
def test_conditions_that_rounding_may_decide(root: Expr, decisive: str, finite: bool) -> None:
    bound = error_bound(root, (1.0,))
    assert bound.straddles
    assert bound.decisive == decisive
    assert decisive in str(bound)
    if not math.isnan(bound.value):
        assert math.isfinite(bound.radius) == finite


def test_an_edge_that_is_hit_exactly_is_no_doubt() -> None:
    assert error_bound(sqrt(x1 - 1), (1.0,)) == Bound(0.0, 0.0, False)
    assert error_bound((x1 - 3) ** x2, (1.0, -2.0)) == Bound(0.25, 0.0, False)
    gone = error_bound(ln(x1 - 1), (1.0,))
    assert math.isnan(gone.value)
    assert gone.radius == math.inf
    assert not gone.straddles


def test_what_only_rounds_to_zero_is_a_doubt() -> None:
    bound = error_bound(ln(exp(x1)), (-1000.0,))
    assert math.isnan(bound.value)
    assert bound.decisive == "ln"
    assert enclose(ln(exp(x1)), (-1000.0,)).defined is True


def test_overflow_is_undefined_without_doubt() -> None:
    bound = error_bound(sqrt(exp(x1)), (1000.0,))
    assert math.isnan(bound.value)
    assert not bound.straddles


def test_only_the_branch_that_may_be_taken_counts() -> None:
    doubtful = ln(nothing)
    assert not error_bound(where(x1 < 0, doubtful, x1), (1.0,)).straddles
    assert error_bound(where(x1 < 2, doubtful, x1), (1.0,)).decisive == "ln"
    either = error_bound(where(nothing <= 0, x1, x1 + 100), (1.0,))
    assert not either.straddles
    assert either.contains(1.0)
    assert either.contains(101.0)
    assert error_bound(where(nothing <= 0, x1, ln(-x1)), (1.0,)).decisive == "where"


def test_a_jump_is_in_the_radius() -> None:
    bound = error_bound(floor(1 + nothing), (1.0,))
    assert not bound.straddles
    assert bound.contains(1.0)


@pytest.mark.parametrize("x", [(6.1828121298816, 6.49031991565847)])
def test_the_published_optimum_of_df3_is_a_rounding_accident(x: tuple[float, float]) -> None:
    wave = cos(-(num(2) / 3) * x1**3 - 8 * x1**2)
    root = -ln(x1 - x2 * ln(wave)) - ln(33 * x1 - x1 * x2 + 5 - ((x1 - 4) ** 2 + (x2 - 5) ** 2 - 4) ** 2)
    bound = error_bound(root, x)
    assert bound.value == -10.503674524476093
    assert bound.straddles
    assert bound.decisive == "ln"
    assert bound.radius == math.inf


def test_a_very_deep_formula_is_read() -> None:
    root = x1
    for _ in range(3_000):
        root = sin(root) + x1
    bound = error_bound(root, (0.75,))
    assert reaches(bound, enclose(root, (0.75,)))
    assert bound.radius < 1e-15


def test_bad_input_is_named() -> None:
    with pytest.raises(PointError, match="takes IEEE doubles"):
        error_bound(x1, (Fraction(1, 3),))  # type: ignore[arg-type]
    with pytest.raises(PointError, match="takes IEEE doubles"):
        error_bound(x1, (10**30 + 1,))
    with pytest.raises(PointError, match="the formula uses x1 to x2"):
        error_bound(x2, (1.0,))
    with pytest.raises(UnknownNameError, match="unknown admissibility rule 'lax'"):
        error_bound(x1, (1.0,), rule="lax")
