"""The rigorous reading: its value contains the real one, and it knows where the domain ends."""

from __future__ import annotations

import math
import pickle
import threading
from fractions import Fraction

import flint
import gmpy2
import pytest

from cpcbench.errors import CpcbenchError, PointError, UnknownNameError
from cpcbench.expr import (
    Expr,
    cos,
    exp,
    floor,
    ln,
    num,
    pi,
    sin,
    sqrt,
)
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
from tests.readings.places import EDGE, GAP, INSIDE, OUTSIDE, THIN, place, x1, x2

LARGEST = 1.7976931348623157e308


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
