"""What the checker's extensions for holes say of ranges and slopes, against values at points, at few bits."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import pytest

from cpcbench.certify.checker import check
from cpcbench.certify.checker.core.intervals import EVERYWHERE, Interval, between, single
from cpcbench.certify.checker.core.link import Link
from cpcbench.certify.checker.core.mean_value import mean_value_bound
from cpcbench.certify.checker.core.numbers import ARITHMETICS, End, arithmetic, exact, infinite
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.extensions.fillers.all import FILLERS
from cpcbench.certify.checker.extensions.fillers.logarithm_powers import logarithm_power, logarithm_power_slope
from cpcbench.certify.checker.extensions.fillers.taylor import series
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.nodes import Expr, var
from cpcbench.expr.parser import parse_formula
from cpcbench.readings.reals.enclosure import enclose
from tests.cases import one_in
from tests.material.checker_certificates import certificate, number, point
from tests.material.random_formulas import seeded

HOLED = (
    "x1*ln(x1)", "x1^2*ln(x1)", "sqrt(x1)*ln(x1)", "-3*x1^1.5*ln(x1)/2", "x1*ln(x1)^2", "ln(x1)*x1*x1", "x1^x1",
    "x1^(-2*x1)", "x1^(sqrt(x1)/2)", "(x1 + 1)*ln(x1 + 1)*x1", "(1 - cos(x1))/x1^2", "(exp(x1) - 1)/x1",
    "ln(1 + x1)/x1", "x1/x1", "tan(x1)/x1", "arcsin(x1)/x1", "(sqrt(x1) - 2)/(x1 - 4)", "(sqrt(1 + x1) - 1)/x1",
    "x1^3/(exp(x1) - 1 - x1)", "(x1^2 - 1)/(x1 - 1)", "ln(x1)/(x1 - 1)", "(x1^1.5 - 1)/(x1 - 1)*x1",
    "sin(x1)^2/(1 - cos(x1))", "(exp(x1) - 1)/(x1*(x1 - 0.5))", "(x1^2 - x1)/(x1*(x1 - 1))", "(2^x1 - 1)/x1",
    "(1/(1 + x1) - 1)/x1", "((1 + x1)^(-2) - 1)/(3*x1)", "(x1 - 0.3)/(10*x1 - 3)", "(exp(sqrt(x1)) - 1)/sqrt(x1)",
    "arctan(x1)/x1", "(cosh(x1) - 1)/x1^2", "sinh(x1)/tanh(2*x1)",
    "expm1(x1)/x1", "log1p(x1^2)/x1", "erf(x1)/arcsinh(x1)", "arctanh(x1/9)/x1",
    "tan(2*x1)/tan(2*x1)", "(1 - cos(ln(x1)))/ln(x1)", "(exp(1/x1) - 1)*x1/(1/x1)",
)  # fmt: skip


def root_of(formula: str) -> Expr:
    return parse_formula(formula, n=1)


def boxes(rng: random.Random, count: int) -> Iterator[tuple[float, float]]:
    """Wide and narrow, many with a hole inside or at an end."""
    for _ in range(count):
        place = rng.choice([0.0, 0.0, 0.0, 1.0, 4.0, 0.5, rng.uniform(-1.0, 3.0)])
        width = 2.0 ** rng.randint(-12, 1) * rng.random()
        start = place - width * rng.choice([0.0, 0.5, 1.0, -1.0, rng.random()])
        yield start, start + width


def value_at(root: Expr, x: float) -> tuple[Fraction, Fraction] | None:
    found = enclose(root, [x], rule="strict", max_bits=2048)
    return (Fraction(found.lower), Fraction(found.upper)) if found.defined and found.upper < 1e300 else None


def some_points(rng: random.Random, low: float, high: float) -> list[float]:
    return [low, high, *(min(low + (high - low) * rng.random(), high) for _ in range(3))]


def at_most(end: End, value: Fraction) -> bool:
    found = exact(end)
    return end < 0 if found is None else found <= value


def at_least(end: End, value: Fraction) -> bool:
    found = exact(end)
    return end > 0 if found is None else found >= value


def holds(range_: Interval, low: Fraction, high: Fraction) -> bool:
    """Whether a number between the two may be in the range."""
    return at_most(range_[0], high) and at_least(range_[1], low)


@pytest.mark.parametrize("formula", one_in(2, HOLED))
def test_ranges_slopes_and_bounds_hold(formula: str) -> None:
    for name, bits in (("arb", 6), ("mpfr", 6), ("arb", 64)):
        check_ranges(formula, name, bits, 6)


@pytest.mark.slow
@pytest.mark.parametrize("bits", [6, 10, 16, 64])
@pytest.mark.parametrize("name", ARITHMETICS)
@pytest.mark.parametrize("formula", HOLED)
def test_more_ranges_slopes_and_bounds_hold(formula: str, name: str, bits: int) -> None:
    check_ranges(formula, name, bits, 40)


def check_ranges(formula: str, name: str, bits: int, count: int) -> None:
    root, rng = root_of(formula), seeded(HOLED.index(formula) + 100 * bits)
    with arithmetic(name, bits):
        program = Program([root], {}, fillers=FILLERS)
        assert program.rests_on
        slot = program.slots[id(root)]
        for box in boxes(rng, count):
            evaluated = program.ranges({0: between(*box)})
            values = [(x, value) for x in some_points(rng, *box) if (value := value_at(root, x)) is not None]
            if evaluated is None:
                assert not values, (box, values)
                continue
            for x, value in values:
                assert holds(evaluated[0][slot], *value), (box, x)
            check_slopes(program, evaluated[0], evaluated[1], slot, values)
            check_mean_value(Link("test", program, [0], [(slot, 1)], 0.0, (box,)), values)


def check_slopes(
    program: Program, ranges: list[Interval], maybe: set[int], slot: int,
    values: list[tuple[float, tuple[Fraction, Fraction]]],
) -> None:  # fmt: skip
    if maybe:
        return
    slope = program.slopes(ranges, {slot: single(1)}, {})[program.variables[0]] or single(0)
    for x, (low, high) in values:
        for y, (other_low, other_high) in values:
            if x < y:
                run = Fraction(y) - Fraction(x)
                assert holds(slope, (other_low - high) / run, (other_high - low) / run), (x, y)


def check_mean_value(link: Link, values: list[tuple[float, tuple[Fraction, Fraction]]]) -> None:
    """As it is, and with conditions frozen that need not be."""
    evaluated = link.natural(link.box)
    assert evaluated is not None
    for count in (None, *range(len(link.program.domains) + 1)):
        multipliers = None if count is None else [Fraction(0)] * count
        try:
            bound = mean_value_bound(link, link.box, *evaluated, multipliers, infinite(1))
        except RejectedError:
            continue
        for x, (_, high) in values:
            assert at_most(bound, high), (link.box, x, count)


@pytest.mark.parametrize(
    "formula",
    [
        "(exp(x1) - 1.000000000000000000000000000001)/x1",
        "ln(1.000000000000000000000000000001 + x1)/x1",
        "(1 - cos(x1 + 1e-30))/x1^2",
        "(exp(x1) - 1)/(x1 - 1e-30)",
        "sin(x1)/x1^2",
        "(1 - cos(x1))/x1^3",
        "(ln(x1) - ln(x1))/x1",
        "(abs(x1) + x1)/x1",
        "(sqrt(x1 - 1) - sqrt(x1 - 1))/x1",
        "sqrt(x1)/x1",
        "x1^0.5/x1",
        "(pi - pi + x1*pi)/(pi*x1 - 3.14159265358979323846264338327950288)",
        "x1^(-1)*ln(x1)",
        "x1^0*ln(x1)",
        "x1^2*x1^(-2)*ln(x1)",
        "x1*ln(x1 + 1e-30)",
        "ln(x1)",
        "x1^(x1 + 1e-30)",
        "x1^(1/x1)",
        "x1^(x1^(-0.5))",
    ],
)
def test_no_hole_is_filled_that_is_none(formula: str) -> None:
    for name in ARITHMETICS:
        with arithmetic(name, 64):
            program = Program([root_of(formula)], {}, fillers=FILLERS)
            assert "quotients" not in program.rests_on
            assert "logarithm powers" not in program.rests_on


def test_two_variables_that_are_not_one_function() -> None:
    for formula in ("x1*ln(x2)", "(exp(x1) - 1)/x2", "x1^x2", "x2^(x1*x1)", "(x1*x2)*ln(x1)*x2^(-1)*0"):
        root = parse_formula(formula, n=2)
        program = Program([root], {}, fillers=FILLERS)
        filled = "logarithm powers" in program.rests_on or "quotients" in program.rests_on
        assert filled == formula.startswith("(x1*x2)"), formula


@pytest.mark.parametrize(
    "formula",
    [
        "-x1*x2*ln(x1*x2)", "ln(x1*x2)*x2*3*x1*x2", "x1*ln(x1*x2)^5*x2", "x1*ln(x1*x2)*ln(x1)*x1",
        "x2*ln(x1)*x1*ln(x2)",
        "(x1*x2)^2*ln(x1*x2)/x1", "x1*x2*x2*ln(x2)*ln(x1)^2/7", "(x2 + 1)*(exp(x1*x2) - 1)*x2/(x1*x2*(x1 + 2))",
        "x2*(x1 - sin(x1))*x1/(x1^2*x1*(x2 + 1))", "x1^(x2*x1/3)*x2", "(x1*x2)^(x1*x2)", "x1^(x1*x2*x1*ln(x1 + 2))",
    ],
)  # fmt: skip
def test_no_factor_is_lost(formula: str) -> None:
    """At points the filled formula has the value of the formula."""
    root, rng = parse_formula(formula, n=2), seeded(5)
    with arithmetic("mpfr", 100):
        program = Program([root], {}, fillers=FILLERS)
        for _ in range(20):
            x = [rng.randint(1, 63) / 64 for _ in range(2)]
            evaluated, found = program.ranges({i: between(v, v) for i, v in enumerate(x)}), enclose(root, x)
            assert evaluated is not None
            low, high = (exact(end) for end in evaluated[0][program.slots[id(root)]])
            assert low is not None
            assert high is not None
            assert high - low < 1e-20
            assert low <= Fraction(found.upper)
            assert high >= Fraction(found.lower)


def test_a_negative_base_keeps_its_power() -> None:
    """Under the rule `ieee` (-2)^(-2) counts, and exp(u ln(u)) says nothing of it."""
    root = root_of("x1^x1")
    program = Program([root], {}, ieee=True, fillers=FILLERS)
    assert not program.rests_on


@pytest.mark.parametrize(
    "formula", ["(exp(x1) - 1)/(x1*(x1 - 0.5))", "(exp(x1) - 1)/(x1^2 - x1/2)", "sin(x1)/tan(2*x1)"]
)
def test_a_pole_beside_a_hole_stays_a_pole(formula: str) -> None:
    program = Program([root_of(formula)], {}, fillers=FILLERS)
    assert program.rests_on == {"quotients"}
    evaluated = program.ranges({0: between(-0.25, 0.875)})
    assert evaluated is not None
    low, high = evaluated[0][program.slots[id(program.roots[0])]]
    assert evaluated[1]
    assert low < -(10**9)
    assert high > 10**9


TOO_HIGH = [
    ("(exp(x1) - 1)/x1", [[0.0, 1.0]], 1.0),
    ("-(exp(x1) - 1)/x1", [[-1.0, 0.0]], -1.0),
    ("-(1 - cos(x1))/x1^2", [[-0.5, 0.25]], -0.5),
    ("tan(x1)/x1", [[0.0, 0.25]], 1.0),
    ("x1*ln(x1)", [[0.0, 1.0]], -0.36787944117144233),
    ("x1*ln(x1)", [[-1.0, 0.25]], -0.34657359027997264),
    ("x1^x1", [[0.0, 1.0]], 0.6922006275553464),
    ("(sqrt(x1) - 2)/(x1 - 4)", [[-0.5, 1.0]], 1.0 / 3.0),
]


@pytest.mark.parametrize(
    "tree", [".", "m", "m:0", "m:0,0", "l0 .", "h0 .", "l0 m", "h0 m", "s0:128 . .", "s0:128 l0 . h0 ."]
)
@pytest.mark.parametrize(("formula", "bounds", "infimum"), TOO_HIGH)
def test_no_bound_above_the_infimum(formula: str, bounds: list[list[float]], infimum: float, tree: str) -> None:
    """The face at a hole is not empty: the values beside it come near to the limit there."""
    for arithmetic_ in ARITHMETICS:
        low = {"by": "tree", "threshold": infimum + 1e-6, "tree": tree}
        up = point(0.5 * (bounds[0][0] + bounds[0][1]) + 0.0625)
        data = certificate(formula, bounds, infimum + 1e-6, 1e3, low, up, "regular")
        assert not check(data, arithmetic=arithmetic_).accepted


def test_the_face_at_a_hole_is_a_proof_of_what_is_true() -> None:
    for formula, threshold in (("(exp(x1) - 1)/x1", 1.0 - 1e-15), ("x1/(exp(x1) - 1) + 2*x1", 1.0 - 1e-15)):
        low = {"by": "tree", "threshold": threshold, "tree": "l0 ."}
        data = certificate(formula, [[0.0, 1.0]], threshold, 3.0, low, point(0.5), "regular")
        for name in ARITHMETICS:
            verdict = check(data, arithmetic=name)
            assert verdict.accepted, verdict.reason
            assert verdict.rests_on == ("quotients",)


@pytest.mark.parametrize("bits", [6, 16, 64])
@pytest.mark.parametrize("name", ARITHMETICS)
def test_the_function_itself(name: str, bits: int) -> None:
    """u^p ln(u) and its slope over intervals of all sizes, for exponents around 1."""
    rng = seeded(bits)
    with arithmetic(name, bits):
        for p in ("1/7", "1/2", "1", "1.0625", "3", "40"):
            root = root_of(f"x1^({p})*ln(x1)")
            exponent = single(Fraction(p))
            for box in boxes(rng, 10):
                if box[1] <= 0.0:
                    assert logarithm_power(between(*box), exponent) == single(0)
                    continue
                range_, slope = (f(between(*box), exponent) for f in (logarithm_power, logarithm_power_slope))
                values = [(x, value_at(root, x)) for x in some_points(rng, *box) if x > 0.0]
                for x, value in values:
                    assert value is not None
                    assert holds(range_, *value)
                    if box[0] <= 0.0:  # it is 0 there
                        assert holds(slope, *(v / Fraction(x - box[0]) for v in value))
                assert range_[1] >= 0 or box[0] > 0.0


def test_taylor_coefficients_are_derivatives() -> None:
    """Against difference quotients of the coefficient before, at 300 bits."""
    x, step = Fraction(3, 8), Fraction(1, 1 << 60)
    for formula in (
        "x1^3 - 2*x1", "1/(1 + x1)", "sqrt(1 + x1)", "exp(-x1^2)", "ln(2 + x1)", "sin(2*x1)", "cos(x1)^2", "tan(x1)",
        "arccos(x1)", "arcsinh(x1)", "arccosh(2 + x1)", "arctanh(x1)", "log10(2 + x1)", "log2(x1)", "log1p(x1)",
        "expm1(x1)", "cbrt(x1)", "erf(x1)", "arcsin(x1/2)", "arctan(2*x1)", "sinh(x1^2)", "cosh(x1)", "tanh(x1)*x1",
        "x1^1.5", "x1^pi", "x1^(-3)", "x1^x1", "2^x1", "x1^(4/2)",
    ):  # fmt: skip
        found = series(root_of(formula), var(0), 5)
        assert found is not None
        for k, (low, high) in enumerate(pairwise(found)):
            if low is None or high is None:
                assert high is None
                continue
            with arithmetic("arb", 300):
                here, there = (exact_value(low, x + shift) for shift in (-step, step))
                slope = exact_value(high, x) * (k + 1)
            assert abs((there - here) / (2 * step) - slope) < Fraction(1, 10**25)


def exact_value(root: Expr, x: Fraction) -> Fraction:
    evaluated = Program([root], {}, inputs={id(var(0)): 0}).ranges({0: single(x)})
    assert evaluated is not None
    program = Program([root], {}, pins={id(var(0)): x})
    value = exact(program.start[program.slots[id(root)]][0])
    assert value is not None
    return value


def test_a_function_with_a_corner_has_no_coefficients() -> None:
    for formula in ("abs(x1)", "floor(x1) + 1", "sign(x1)*x1", "where(x1 < 0, x1, 2*x1)"):
        assert series(root_of(formula), var(0), 3) is None


def test_a_quotient_is_open_where_a_part_of_it_is() -> None:
    program = Program([root_of("(sqrt(1 + x1) - 1)/x1")], {}, fillers=FILLERS)
    for box, count in (((-3.0, 1.0), 2), ((-0.5, 1.0), 0), ((-3.0, -0.5), 2)):
        evaluated = program.ranges({0: between(*box)})
        assert evaluated is not None
        assert len(evaluated[1]) == count, box


def test_the_conditions_of_what_is_replaced_stay() -> None:
    for formula, count in (("x1^x1", 1), ("sqrt(x1)*ln(x1)", 2), ("x1*ln(x1)", 1)):
        program = Program([root_of(formula)], {}, fillers=FILLERS)
        assert len(program.domains) == count
        assert program.ranges({0: between(-2.0, -1.0)}) is None


def test_a_filled_step_counts_as_defined() -> None:
    formula = "(exp(x1) - 1)/x1"
    program = Program([root_of(formula)], {}, fillers=FILLERS)
    for box in ((-1.0, 1.0), (0.0, 0.0), (0.25, 0.5)):
        values = list(program.start)
        values[program.variables[0]] = between(*box)
        assert [made.run(values) for made in program.steps][-1] == EVERYWHERE
    assert number(formula, 1, "div") == len(program.steps) + 1
