"""The rigorous reading: its value contains the real one, and it knows where the domain ends."""

from __future__ import annotations

import math
import pickle
import threading
from collections.abc import Sequence
from fractions import Fraction

import flint
import gmpy2
import pytest

from cpcbench.errors import CpcbenchError, PointError, UnknownNameError
from cpcbench.expr import (
    Expr,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    cbrt,
    ceil,
    cos,
    cosh,
    erf,
    exp,
    expm1,
    floor,
    hypot,
    ln,
    log1p,
    log2,
    log10,
    maximum,
    minimum,
    mod,
    num,
    pi,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    variables,
    where,
)
from cpcbench.expr.nodes import node
from cpcbench.expr.walk import postorder
from cpcbench.readings.reals.enclosure import Enclosure, enclose
from tests.material.random_formulas import (
    ELEMENTARY,
    RATIONAL,
    UnclearError,
    formula,
    fraction_at,
    mpfr_at,
    point,
    seeded,
)

LARGEST = 1.7976931348623157e308
x1, x2 = variables(2)


def df3(two_thirds: Expr) -> Expr:
    wave = cos(-two_thirds * x1**3 - 8 * x1**2)
    return -ln(x1 - x2 * ln(wave)) - ln(33 * x1 - x1 * x2 + 5 - ((x1 - 4) ** 2 + (x2 - 5) ** 2 - 4) ** 2)


DF8 = (
    1
    - (sin(pi * (x1 - 2)) * sin(pi * (x2 - 2)) / (pi**2 * x1 * (x1 - 2) * (x2 - 2))) ** 1.03
    + (2 + (x1 - 7) ** 2 - 2 * (x2 - 7) ** 2) ** 0.65
)
DF10 = (x1**2 + x2**2 / x1 - 5) ** 0.01 + 25 * (sin(x1 + 1) ** 2 - sin(x2 - 1) ** 2) ** 0.25
DF14 = (1.5 - x1 + x1 * x2) ** 0.2 + (2.5 - x1 + x1 * x2**2) ** (x1 - 0.5) + (2.625 - x1 + x1 * x2**3) ** 0.2


def place(enclosure: Enclosure) -> tuple[str, bool | None, bool]:
    return enclosure.domain, enclosure.defined, enclosure.thin


INSIDE = ("inside", True, False)
EDGE = ("edge", True, False)
THIN = ("edge", True, True)
GAP = ("edge", False, False)
OUTSIDE = ("outside", False, False)


class TestTheSuite:
    PUBLISHED_DF3 = (6.1828121298816, 6.49031991565847)

    def test_df3_is_not_what_doubles_say(self) -> None:
        real = enclose(df3(num(2) / 3), self.PUBLISHED_DF3)
        assert place(real) == INSIDE
        assert real.contains(-10.401902609681896)
        assert real.upper - real.lower < 1e-14

    def test_df3_with_two_thirds_rounded_to_a_double_is_another_number(self) -> None:
        real = enclose(df3(num(2 / 3)), self.PUBLISHED_DF3, constants="double")
        assert real.contains(-10.408853066935205)

    @pytest.mark.parametrize("x", [(1.79128784747792, -1.79128784747792), (-2.79128784747792, 2.79128784747792)])
    def test_the_published_optimum_of_df10_is_outside(self, x: tuple[float, float]) -> None:
        real = enclose(DF10, x)
        assert place(real) == OUTSIDE
        assert math.isnan(real.lower)
        assert math.isnan(real.upper)
        assert math.isnan(real.midpoint)
        assert real.ball is None

    def test_df10_is_on_the_edge_where_the_sines_cancel(self) -> None:
        real = enclose(DF10, (-5, 5))
        assert place(real) == EDGE
        assert real.lower <= 1.027450511266727 <= real.upper
        assert real.bits == 64

    def test_df14_at_its_optimum_is_exact(self) -> None:
        real = enclose(DF14, (3.0, 0.5))
        assert place(real) == EDGE
        assert real.lower == real.upper == real.midpoint == 0.03125

    def test_df14_is_thin_where_its_exponent_is_minus_one(self) -> None:
        real = enclose(DF14, (-0.5, -3.0))
        assert place(real) == THIN
        assert real.contains(3.5**0.2 - 1 / 1.5 + 16.625**0.2)
        assert place(enclose(DF14, (-0.5, -3.0), rule="strict")) == OUTSIDE
        assert place(enclose(DF14, (math.nextafter(-0.5, 0), -3.0))) == OUTSIDE

    def test_df8_is_on_the_edge_where_a_sine_of_a_multiple_of_pi_vanishes(self) -> None:
        assert place(enclose(DF8, (3.0, 4.5))) == EDGE
        assert place(enclose(DF8, (3.0, 4.5), constants="double")) != EDGE

    def test_df18_an_exponent_of_decimal_constants_is_never_whole(self) -> None:
        power = (-x2) ** (10.3 - x1)
        whole = float(Fraction(10.3) - 1)
        assert Fraction(10.3) - Fraction(whole) == 1
        assert place(enclose(power, (whole, 2.0))) == OUTSIDE
        real = enclose(power, (whole, 2.0), constants="double")
        assert place(real) == THIN
        assert real.lower == real.upper == -2.0


@pytest.mark.parametrize(
    ("root", "x", "expected", "value"),
    [
        (sqrt(x1), (0.0,), EDGE, 0.0),
        (sqrt(x1), (2.25,), INSIDE, 1.5),
        (sqrt(x1), (-5e-324,), OUTSIDE, None),
        (ln(x1), (0.0,), GAP, None),
        (ln(x1), (1.0,), INSIDE, 0.0),
        (ln(x1), (-1.0,), OUTSIDE, None),
        (1 / x1, (0.0,), GAP, None),
        (x1 / x1, (0.0,), GAP, None),
        (arcsin(x1), (0.0,), INSIDE, 0.0),
        (arcsin(x1 / 2), (2.0,), EDGE, None),
        (arcsin(-x1), (1.0,), EDGE, None),
        (arcsin(x1), (math.nextafter(1.0, 2.0),), OUTSIDE, None),
        (tan(pi * x1), (0.5,), GAP, None),
        (tan(pi * x1), (0.75,), INSIDE, -1.0),
        (sin(pi / 6 * x1), (-1.0,), INSIDE, -0.5),
        (cos(pi * x1), (3.0,), INSIDE, -1.0),
        (x1 ** (num(1) / 5), (0.0,), EDGE, 0.0),
        (x1 ** (num(1) / 5), (32.0,), INSIDE, 2.0),
        (x1 ** (num(1) / 5), (-32.0,), OUTSIDE, None),
        (x1**-0.5, (0.0,), GAP, None),
        (x1**0, (0.0,), INSIDE, 1.0),
        (x1**3, (-2.0,), INSIDE, -8.0),
        (x1**-3, (-2.0,), INSIDE, -0.125),
        (x1**-3, (0.0,), GAP, None),
        (x1**x2, (0.0, 0.0), EDGE, 1.0),
        (x1**x2, (0.0, 2.0), EDGE, 0.0),
        (x1**x2, (0.0, 2.5), EDGE, 0.0),
        (x1**x2, (0.0, -2.0), GAP, None),
        (x1**x2, (2.0, -2.0), INSIDE, 0.25),
        (x1**x2, (-2.0, -2.0), THIN, 0.25),
        (x1**x2, (-2.0, 2.5), OUTSIDE, None),
        (x1 ** floor(x2), (-2.0, 3.5), INSIDE, -8.0),
        (sqrt(x1) + ln(x2), (0.0, 0.0), GAP, None),
        (sqrt(x1) + ln(x2), (-1.0, 0.0), OUTSIDE, None),
        (sqrt(x1) + x2**x1, (2.0, -3.0), THIN, None),
        (sqrt(ln(x1)), (0.0,), GAP, None),
        (where(x1 < 0, ln(x1), x1), (0.0,), INSIDE, 0.0),
        (where(x1 <= 0, ln(x1), x1), (0.0,), GAP, None),
        (where(ln(x1) < 0, 1, 2), (-1.0,), OUTSIDE, None),
        (where(sqrt(x1) < 0, 1, 2), (0.0,), EDGE, 2.0),
        (floor(x1), (-0.5,), INSIDE, -1.0),
        (floor(x1), (3.0,), INSIDE, 3.0),
        (floor(x1 / 0.1), (Fraction(3, 10),), INSIDE, 3.0),
        (floor(sqrt(x1) * sqrt(x1 * x1)), (4.0,), INSIDE, 8.0),
        (floor(exp(x1)), (10.0,), INSIDE, 22026.0),
        (sign(x1), (-0.25,), INSIDE, -1.0),
        (exp(x1), (0.0,), INSIDE, 1.0),
    ],
)  # fmt: skip
def test_place_and_exact_value(
    root: Expr, x: Sequence[float | Fraction], expected: tuple[str, bool, bool], value: float | None
) -> None:
    real = enclose(root, x)
    assert place(real) == expected
    if value is not None:
        assert real.lower == real.upper == real.midpoint == value


@pytest.mark.parametrize(
    "vanishing",
    [
        sin(x1) + sin(-x1),
        sin(x1 - x2) + sin(x2 - x1),
        tan(x1 * x2) - tan(x2 * x1),
        arcsin(x1 / 8) + arcsin(-x1 / 8),
        cos(x1) - cos(-x1),
        cos(sin(x1)) - cos(sin(-x1)),
        abs(sin(x1)) - abs(sin(-x1)),
        sin(x1) ** 2 - sin(-x1) ** 2,
        sin(x1) ** 3 + sin(-x1) ** 3,
        sin(x1) * sin(x1) - sin(x1) ** 2,
        sin(x1) * cos(x2) + cos(x2) * sin(-x1),
        (sin(x1) - cos(x2)) + (cos(x2) - sin(x1)),
        exp(x1) / exp(x2 + x1 - x2) - 1,
        -exp(x1) / exp(x1) + 1,
        sqrt(abs(x1)) - abs(x1) ** 0.5,
        sin(x1) / 1 - sin(x1) * 1,
        0 * exp(x1),
        pi - arcsin(num(1)) * 2,
        pi + arctan(num(-1)) * 4,
        arccos(num(0)) * 2 - pi,
        arccos(num(-0.5)) * 3 - pi * 2,
        arccos(x1 / x1) * x2,
        arccosh(x1 / x1),
        arcsinh(x1) + arcsinh(-x1),
        arctanh(x1 / 100) + arctanh(-x1 / 100),
        log10(num(1000)) - 3,
        log10(num(0.01)) + 2,
        log2(num(1) / 8) + 3,
        log1p(x1 - x1) + expm1(x2 - x2),
        cbrt(num(-27)) + 3,
        cbrt(num(1) / 8) - num(0.5),
        cbrt(x1) + cbrt(-x1),
        erf(x1) + erf(-x1),
        ceil(num(2.5)) - 3,
        ceil(-pi) + 3,
        node("round", num(2.5)) - 2,
        node("round", num(3.5)) - 4,
        node("round", num(-0.5)) * x1,
        node("round", pi) - 3,
        minimum(x1, x2) - x2,
        maximum(sin(x1), x1) - x1,
        minimum(sin(x1), sin(x1 * 1)) - sin(x1),
        hypot(num(3), num(-4)) - 5,
        arctan2(num(0), num(-1)) - pi,
        arctan2(num(-1), num(-1)) + pi * 0.75,
        arctan2(x1 - x1, x2 - x2),
        arctan2(x1, x2 - x2) * 2 - pi,
        mod(num(-7), num(3)) - 2,
        mod(num(7.5), num(-2)) + num(0.5),
        mod(x1 * 3, x1),
        arctan(x1) + arctan(-x1),
        sinh(x1 - x2) + sinh(x2 - x1),
        tanh(x1) / tanh(-x1) + 1,
        cosh(x1) - cosh(-x1),
        cosh(x1 - x1) - 1,
        pi * x1 / pi - x1,
    ],
)
def test_equal_numbers_cancel_exactly(vanishing: Expr) -> None:
    real = enclose(sqrt(vanishing), (1.7, -0.3))
    assert place(real) == EDGE
    assert real.lower == real.upper == 0.0


@pytest.mark.parametrize(
    "positive",
    [
        (sin(x1) + cos(x2)) - (sin(x1) - cos(x2)),
        sin(x1) - sin(-x1),
        sin(x1) ** 3 - sin(-x1) ** 3,
        sin(x1) - sin(x1) ** 2,
        exp(x1) / cos(x2) - cos(x2) / exp(x1),
        sqrt(x1) - sqrt(-x2),
        exp(x1) - exp(-x1),
        exp(x1) ** x1 - exp(x1) ** -x1,
        ln(x1) - ln(1 / x1),
        exp(x1) - exp(x2),
        floor(exp(x1) * pi) - floor(exp(-x1) * pi),
    ],
)
def test_different_numbers_do_not_cancel(positive: Expr) -> None:
    real = enclose(sqrt(positive), (1.7, -0.3))
    assert place(real) == INSIDE
    assert real.lower > 0.0


def test_numbers_that_only_balls_can_compare_stay_undecided() -> None:
    nothing = sin(x1) ** 2 + cos(x1) ** 2 - 1
    root = enclose(sqrt(nothing), (1.0,))
    assert place(root) == ("undecided", None, False)
    assert root.bits == 16384
    assert 0.0 <= root.lower <= root.upper < 1e-300
    assert place(enclose(ln(nothing), (1.0,), max_bits=256)) == ("undecided", None, False)
    assert enclose(ln(nothing), (1.0,), max_bits=256).width == math.inf
    # A square is never negative: defined, though on the edge or inside.
    assert place(enclose(sqrt(nothing**2), (1.0,), max_bits=256)) == ("undecided", True, False)
    # Whichever branch it is, it is defined; or neither is.
    either = enclose(where(nothing < 0, x1, 5), (1.0,), max_bits=256)
    assert place(either) == INSIDE
    assert either.lower <= 1.0 < 5.0 <= either.upper
    assert place(enclose(where(nothing < 0, ln(-x1), sqrt(-x1)), (1.0,), max_bits=256)) == OUTSIDE
    # An exponent that may or may not be whole matters only under a negative base.
    assert place(enclose(x1 ** (2 + nothing), (3.0,), max_bits=256)) == INSIDE
    negative = enclose((-x1) ** (2 + nothing), (1.0,), max_bits=256)
    assert place(negative) == ("undecided", None, False)
    assert negative.contains(1.0)


def test_constants_are_decimals_or_doubles() -> None:
    tenth = num(0.1) + x1
    decimal, double = enclose(tenth, (0.0,)), enclose(tenth, (0.0,), constants="double")
    assert (decimal.lower, decimal.upper) == (math.nextafter(0.1, 0), 0.1)
    assert double.lower == double.upper == 0.1
    circle = enclose(pi * x1, (1.0,))
    assert (circle.lower, circle.upper) == (math.pi, math.nextafter(math.pi, 4))
    assert enclose(pi * x1, (1.0,), constants="double").upper == math.pi


@pytest.mark.parametrize(
    ("root", "x", "lower", "upper"),
    [
        (exp(exp(x1)), (1e6,), LARGEST, math.inf),
        (-exp(exp(x1)), (1e6,), -math.inf, -LARGEST),
        (exp(-exp(x1)), (1e6,), 0.0, 5e-324),
        (exp(exp(exp(exp(x1)))), (1e300,), LARGEST, math.inf),
        (x1**x2, (1e308, 1e308), LARGEST, math.inf),
        (x1**x2, (1e308, -1e308), 0.0, 5e-324),
        (x1**x2, (-1e308, 1e308), LARGEST, math.inf),
        ((x1**x2) ** x2, (1e308, 1e308), LARGEST, math.inf),
        (((x1**2) ** 60) ** 1000, (1e308,), LARGEST, math.inf),
        (sin(x1), (1e308,), 0.4533964905016491, 0.45339649050164915),
        (sin(exp(x1)), (1e308,), -1.0, 1.0),
        (floor(exp(exp(x1))), (1e6,), LARGEST, math.inf),
        (floor(exp(x1)), (1e5,), LARGEST, math.inf),
        (x1 * x1 / x1, (1e308,), 1e308, 1e308),
        (sqrt(x1 * x1 + x2 * x2), (3e300, 4e300), 5e300, math.nextafter(5e300, math.inf)),
    ],
)
def test_sizes_beyond_doubles(root: Expr, x: tuple[float, ...], lower: float, upper: float) -> None:
    real = enclose(root, x)
    assert real.defined is True
    assert lower <= real.lower <= real.upper <= upper


@pytest.mark.parametrize("seed", range(400))
def test_rational_formulas_are_exact(seed: int) -> None:
    r = seeded(seed)
    root, x = formula(r, 12, RATIONAL), point(r)
    value, real = fraction_at(root, x), enclose(root, x)
    if value is None:  # only a constraint can be missed by more than nothing
        assert place(real) == GAP or (place(real) == OUTSIDE and any(n.op == "given" for n in postorder(root)))
        return
    assert real.defined is True
    assert real.bits == 64
    if abs(value) < LARGEST and value.denominator.bit_length() < 1000:
        nearest = value.numerator / value.denominator
        assert real.midpoint == nearest
        assert Fraction(real.lower) <= value <= Fraction(real.upper)
        assert Fraction(nearest) == value or math.nextafter(real.lower, math.inf) == real.upper


def test_random_formulas_contain_the_value_of_long_mpfr_numbers() -> None:
    checked = undefined = 0
    for seed in range(1500):
        r = seeded(seed)
        root, x = formula(r, 14, RATIONAL + ELEMENTARY), point(r)
        try:
            value, rough = mpfr_at(root, x, 800), mpfr_at(root, x, 600)
        except UnclearError:
            continue
        real = enclose(root, x, max_bits=2048)
        if value is None:
            assert real.defined is not True, seed
            undefined += real.defined is False
            continue
        assert real.defined is not False, seed
        with gmpy2.context(gmpy2.get_context(), precision=1000):
            slack = abs(value) * gmpy2.mpfr(2) ** -300
            if abs(value - rough) <= slack:  # else the formula is too badly conditioned to judge by digits
                assert real.lower - slack <= value <= real.upper + slack, seed
                checked += real.defined is True and (real.lower == real.upper or real.accurate_to(2.0**-59))
    assert checked > 400
    assert undefined > 200


def test_the_working_precision_is_left_as_it_was() -> None:
    before = flint.ctx.prec
    enclose(sqrt(x1), (2.0,), accuracy=2.0**-400)
    with pytest.raises(PointError):
        enclose(x1, (math.nan,))
    assert flint.ctx.prec == before


def test_threads_do_not_disturb_each_other() -> None:
    problem, x = df3(num(2) / 3), (6.1828121298816, 6.49031991565847)
    expected = [enclose(problem, x, accuracy=2.0**-k) for k in (60, 900)]
    found: list[Enclosure] = []

    def work(k: int) -> None:
        found.extend(enclose(problem, x, accuracy=2.0**-k) for _ in range(20))

    threads = [threading.Thread(target=work, args=(k,)) for k in (60, 900)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 40
    assert {e.bits for e in found} == {e.bits for e in expected}
    assert all(e in expected for e in found)


def test_accuracy_is_what_was_asked_for() -> None:
    fine = enclose(sqrt(x1), (2.0,), accuracy=2.0**-500)
    assert fine.accurate_to(2.0**-500)
    assert not fine.accurate_to(2.0**-1000)
    assert not enclose(ln(x1), (0.0,)).accurate_to(0.5)
    assert (fine.lower, fine.upper) == (1.414213562373095, 1.4142135623730951)
    assert fine.contains(1.4142135623730951)
    assert not fine.contains(1.4142135623730954)
    assert not enclose(ln(x1), (0.0,)).contains(math.nan)


def test_a_very_deep_formula_is_read() -> None:
    root = x1
    for _ in range(10_000):
        root = sin(root) + x1
    assert enclose(root, (0.75,)).contains(_fixed_point())


def _fixed_point() -> float:
    value = 0.75
    for _ in range(200):
        value = math.sin(value) + 0.75
    return value


def test_an_enclosure_is_a_value() -> None:
    real = enclose(DF10, (-5, 5))
    back = pickle.loads(pickle.dumps(real))  # noqa: S301
    assert back == real
    assert back.ball.contains(real.ball)
    assert "1.027450511266727" in str(real)
    assert "edge" in str(real)
    assert "undefined" in str(enclose(ln(x1), (-1.0,)))
    assert "if it is defined" in str(enclose(sqrt(sin(x1) ** 2 + cos(x1) ** 2 - 1), (1.0,), max_bits=64))
    gone = pickle.loads(pickle.dumps(enclose(ln(x1), (-1.0,))))  # noqa: S301
    assert gone.ball is None
    assert math.isnan(gone.lower)


def test_bad_input_is_named() -> None:
    with pytest.raises(PointError, match="1 coordinates, and the formula uses x1 to x2"):
        enclose(x1 + x2, (1.0,))
    with pytest.raises(PointError, match="coordinate 2 is inf"):
        enclose(x1 + x2, (1.0, math.inf))
    with pytest.raises(PointError, match="coordinate 1 is '1'"):
        enclose(x1, "1")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="unknown admissibility rule 'lax'"):
        enclose(x1, (1.0,), rule="lax")
    with pytest.raises(UnknownNameError, match="unknown reading of constants 'binary'"):
        enclose(x1, (1.0,), constants="binary")
    with pytest.raises(CpcbenchError, match="max_bits is 10"):
        enclose(x1, (1.0,), max_bits=10)
    with pytest.raises(CpcbenchError, match="accuracy is 0"):
        enclose(x1, (1.0,), accuracy=0.0)
