"""The checker never bounds a value away: ranges, slopes and tables against values at points."""

from __future__ import annotations

import contextlib
import math
from fractions import Fraction

import flint
import pytest

from cpcbench.certify.checker.checking import TREE_BITS
from cpcbench.certify.checker.core.link import Link
from cpcbench.certify.checker.core.mean_value import mean_value_bound
from cpcbench.certify.checker.core.numbers import arithmetic, is_finite, of_double, precision
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.extensions.fillers import removable
from cpcbench.certify.checker.extensions.fillers.all import FILLERS
from cpcbench.certify.checker.extensions.sums.tables import read_table
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.nodes import Expr
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.walk import postorder
from cpcbench.readings.reals.enclosure import enclose
from tests.material.random_formulas import ELEMENTARY, RATIONAL, formula, seeded


def test_a_table_counts_both_sides_of_a_jump() -> None:
    table = read_table({"breaks": [0.0, 1.0, 2.0], "values": [[5.0, 1.0], [-3.0, 2.0]]}, 0.0, 2.0)
    for (low, high), (least, most) in {
        (0.0, 0.5): (5.0, 5.5),
        (0.5, 1.0): (5.5, 6.0),
        (1.0, 1.5): (-3.0, -2.0),
        (1.0, 1.0): (-3.0, 6.0),
        (0.5, 1.5): (-3.0, 6.0),
        (2.0, 2.0): (-1.0, -1.0),
        (0.0, 0.0): (5.0, 5.0),
    }.items():
        found = table.range(low, high)
        assert (float(found[0]), float(found[1])) == (least, most)


def test_a_centre_that_rounds_to_an_end_still_counts_the_slopes() -> None:
    low, high = 1.0, math.nextafter(1.0, 2.0)
    link = _link(parse_formula("(x1 - 1)^2 - (x1 - 1)*3 + (x1 - 1)*x1*2", n=1), [(low, high)])
    values, maybe = link.natural(((low, high),)) or (None, set())
    assert values is not None
    bound = mean_value_bound(link, ((low, high),), values, maybe, None, of_double(1e9))
    assert float(bound) < 0.0  # the least value is about -2.2e-16, at the upper end


def _link(root: Expr, box: list[tuple[float, float]], ieee: bool = False) -> Link:
    precision(TREE_BITS)
    numbers = {id(node): place for place, node in enumerate(postorder(root))}
    program = Program([root], numbers, ieee=ieee, fillers=FILLERS)
    return Link("a formula", program, list(range(len(box))), [(program.slots[id(root)], 1)], 0.0, tuple(box))


def _random_link(seed: int, rule: str) -> tuple[Link, Expr, list[list[float]]] | None:
    """A random formula over a random box, and points of the box."""
    r = seeded(seed)
    root = formula(r, r.randrange(1, 8), ELEMENTARY if seed % 3 else [*RATIONAL, *ELEMENTARY])
    width = r.choice([0.0, 1e-6, 0.01, 0.3, 2.0])
    lows = [r.choice([-2.0, -1.0, 0.0, 0.5, 1.0, r.uniform(-3.0, 3.0)]) for _ in range(2)]
    box = [(low, low + width) for low in lows]
    points = [[r.choice([low, high, r.uniform(low, high), 0.5 * (low + high)]) for low, high in box] for _ in range(4)]
    try:
        return _link(root, box, rule == "ieee"), root, points
    except RejectedError:
        return None  # an exponent such as arcsin(0.5)*0 whose being whole is not decided


@pytest.mark.parametrize("rule", ["strict", "ieee"])
def test_no_value_is_bounded_away(rule: str) -> None:
    seen = [0, 0]
    for seed in range(300):
        made = _random_link(seed, rule)
        if made is None:
            continue
        link, root, points = made
        precision(TREE_BITS)
        evaluated = link.natural(link.box)
        bound = None
        if evaluated is not None and not link.program.has_where:
            r = seeded(seed)
            held = [step for step in link.program.domains if step.slot in evaluated[1]]
            weights = [Fraction(r.choice([0.0, 0.3, 2.0]) * step.has_sign) for step in held]
            bound = mean_value_bound(link, link.box, *evaluated, weights or None, of_double(1e300))
        for x in points:
            found = enclose(root, x, rule=rule, max_bits=256)
            if found.defined is False:
                assert evaluated is None or evaluated[1], (seed, x)
            if found.defined is not True or math.isnan(found.upper):
                continue
            assert evaluated is not None, (seed, x)
            low, high = evaluated[0][link.program.slots[id(root)]]
            assert not low > of_double(min(found.upper, 1e308)), (seed, x)
            assert not high < of_double(max(found.lower, -1e308)), (seed, x)
            seen[0] += 1
            if bound is not None and is_finite(bound):
                assert not bound > of_double(min(found.upper, 1e308)), (seed, x)
                seen[1] += 1
    assert seen[0] > 200
    assert seen[1] > 80


def test_slopes_hold_the_steepness_between_points() -> None:
    seen = 0
    for seed in range(500):
        made = _random_link(seed, "strict")
        if made is None or made[0].program.has_where:
            continue
        link, root, points = made
        precision(TREE_BITS)
        evaluated = link.natural(link.box)
        if evaluated is None or evaluated[1]:
            continue
        slopes = link.slopes(evaluated[0], link.box, {}, {})
        for axis in range(2):
            first, second = points[0], [points[1][i] if i == axis else v for i, v in enumerate(points[0])]
            step = of_double(second[axis]) - of_double(first[axis])
            ends = [enclose(root, x, max_bits=256) for x in (first, second)]
            if step.is_zero() or any(not e.defined or not math.isfinite(e.upper - e.lower) for e in ends):
                continue
            low, high = slopes[axis]
            steep = sorted(
                [(of_double(ends[1].lower) - ends[0].upper) / step, (of_double(ends[1].upper) - ends[0].lower) / step],
                key=float,
            )
            assert not low > steep[1], (seed, axis)
            assert not high < steep[0], (seed, axis)
            seen += 1
    assert seen > 100


@pytest.mark.parametrize("name", ["arb", "mpfr"])
def test_the_least_cardinal_sine(name: str) -> None:
    """It is cos(t) where tan(t) = t: between these two places t - tan(t) changes its sign."""
    with flint.ctx.workprec(200) if hasattr(flint.ctx, "workprec") else contextlib.nullcontext():
        low, high = flint.arb("4.4934094579090641753078"), flint.arb("4.4934094579090641753079")
        assert low - low.tan() > 0
        assert high - high.tan() < 0
        least = low.cos().union(high.cos())
        assert least > flint.arb(flint.fmpq(removable.DEEPEST.numerator, removable.DEEPEST.denominator))
    with arithmetic(name, 64):
        found = removable.sinc((of_double(4.0), of_double(5.0)))
        assert found[0] < of_double(-0.21723362821122164)
        assert found[0] > of_double(-0.21723362821122172)
