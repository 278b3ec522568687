"""The filter leaves out no point that the kernel has a value at, and finds none certain that it rejects."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cpcbench as cpc
from cpcbench.expr import Expr
from cpcbench.readings.doubles.fast import FastReading
from cpcbench.readings.doubles.lowering import Plan
from tests.material.expressions import expressions
from tests.material.random_formulas import ELEMENTARY, RATIONAL, formula, seeded
from tests.readings.filter.compiled import Seen, both

Floats = npt.NDArray[np.float64]
RULES = ("ieee", "strict")
N = 2
BOXES = [
    (-10.0, 10.0), (0.0, 1.0), (-100.0, 100.0), (-1e-3, 2e-3), (1e15, 1e15 + 64), (-1e8, 1e9), (0.0, 1e-300),
    (-5e-324, 3e-308), (-1e300, 1e300), (-1.7e308, 1.7e308), (1.0, 1.0), (0.3, 0.3000000001), (-math.inf, 3.0),
]  # fmt: skip
ODD = (
    math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, -5e-324, 2.0**-1022, 1e-300, 1e-160, 1e160, -1e300, 1.7e308,
    1.0, -1.0, 2.0, -2.0, 3.0, 0.5, 709.8, -745.2, 2.0**52, 1e16, math.pi, math.pi / 2, -math.pi,
)  # fmt: skip


def plan_of(root: Expr, low: float, high: float, rule: str) -> Plan:
    return FastReading(root, np.full(N, low), np.full(N, high), rule).plan


def hostile(low: float, high: float, rng: np.random.Generator, count: int = 400) -> Floats:
    """Points of the box, of every size, whole ones, at its ends and beyond them, odd ones, and mixtures."""
    left, right = max(low, -1e300), min(high, 1e300)
    even = left / 2 + (right / 2 - left / 2) * rng.random((count, N)) * 2 + left / 2
    size = np.sign(rng.normal(size=(count, N))) * 10.0 ** rng.uniform(-320, 308, (count, N))
    middling = np.sign(rng.normal(size=(count, N))) * 10.0 ** rng.uniform(-9, 3, (count, N))
    ends = rng.choice(
        [low, high, *np.nextafter([low, high], -math.inf), *np.nextafter([low, high], math.inf)], (count, N)
    )
    parts = np.stack([even, even, size, middling, np.rint(even), ends, rng.choice(ODD, (count, N))])
    mixed = np.take_along_axis(parts, rng.integers(len(parts), size=(1, count, N)), axis=0)[0]
    return np.concatenate([even, size, middling, ends, mixed])


def edges(seen: Callable[[Floats], Seen], points: Floats) -> Floats:
    """Neighbouring doubles on both sides of where the kernel's answer changes, on lines between the points."""
    value = seen(points).value
    fine = np.isfinite(points).all(axis=1)
    inside, outside = points[~np.isnan(value) & fine], points[np.isnan(value) & fine]
    count = min(len(inside), len(outside), 32)
    if not count:
        return points[:0]
    inside, outside = inside[-count:].copy(), outside[-count:].copy()
    for _ in range(1100):  # from the largest numbers down to the smallest
        middle = inside / 2 + outside / 2
        good = ~np.isnan(seen(middle).value)
        moved = np.where(good[:, None], middle != inside, middle != outside).any()
        inside[good], outside[~good] = middle[good], middle[~good]
        if not moved:
            break
    return np.concatenate([inside, outside, np.nextafter(inside, outside), np.nextafter(outside, inside)])


def wrong(seen: Seen) -> str:
    """What the filter said against the kernel; nothing if all is well."""
    defined = ~np.isnan(seen.value)
    lost, false = defined & ~seen.may, seen.certain & ~defined
    return f"{lost.sum()} lost, {false.sum()} taken for certain" if lost.any() or false.any() else ""


def check(root: Expr, low: float, high: float, rule: str, seed: int) -> tuple[int, int]:
    """How many points were left out or certain, of all; fails on any that should not be."""
    with np.errstate(all="ignore"):
        seen = both(plan_of(root, low, high, rule))
        points = hostile(low, high, np.random.default_rng(seed))
        points = np.concatenate([points, edges(seen, points)])
    found = seen(points)
    assert not wrong(found), (wrong(found), root, low, high, rule)
    assert not (found.certain & ~found.may).any()
    return int((~found.may | found.certain).sum()), len(points)


@settings(max_examples=18)
@given(expressions(N), st.sampled_from(BOXES), st.sampled_from(RULES), st.integers(0, 2**32))
def test_random_formulas_on_hostile_points(root: Expr, box: tuple[float, float], rule: str, seed: int) -> None:
    check(root, *box, rule, seed)


def many(seeds: range, size: int) -> float:
    """Formulas by chance, half of them below a function with a domain; the share of points that were decided."""
    decided = total = 0
    for seed in seeds:
        r = seeded(seed)
        root = formula(r, size, [*RATIONAL, *ELEMENTARY, *ELEMENTARY], N)
        box = r.choice(BOXES)
        found, points = check(root, *box, r.choice(RULES), seed)
        decided, total = decided + found, total + points
    return decided / total


def test_many_formulas_by_chance() -> None:
    assert many(range(15), 12) > 0.2, "a filter that decides nothing is right, and of no use"


@pytest.mark.slow
def test_very_many_formulas_by_chance() -> None:
    assert many(range(1000, 2500), 25) > 0.2


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("id_", ["CPC-DF9", "CPC-DF14", "CPC-DF15", "CPC-DF22"])
def test_thin_sets_are_kept(id_: str, rule: str) -> None:
    """Whole exponents of negative bases: neighbours of the sets, and points on them."""
    p, rng = cpc.problem(id_, rule=rule), np.random.default_rng(4)
    seen = both(p.fast.plan)
    points = np.rint(rng.uniform(p.lower, p.upper, (4000, 2)) * 2) / 2
    moved = np.nextafter(points, rng.choice([-math.inf, math.inf], points.shape))
    found = seen(np.concatenate([points, moved]))
    assert not wrong(found)
    if rule == "ieee" and id_ in ("CPC-DF14", "CPC-DF22"):
        assert (~np.isnan(found.value[: len(points)])).sum() > (~np.isnan(found.value[len(points) :])).sum()
