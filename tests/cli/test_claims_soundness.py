"""Random formulas: cases hold every point, tails hold near the start of a path, ends never reached are not."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from cpcbench.certify.checker.core.intervals import between
from cpcbench.certify.checker.core.numbers import arithmetic, exact, of_double, precision
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.extensions.attained.approached import NeverAt
from cpcbench.certify.checker.extensions.cases import cases_of
from cpcbench.certify.checker.extensions.paths.paths import BITS, tail_along
from cpcbench.certify.checker.extensions.paths.tails import FINITE, INFINITE
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.nodes import Expr, index
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.rewriting import replaced
from cpcbench.expr.walk import postorder
from cpcbench.readings.reals.enclosure import enclose
from tests.material.random_formulas import ELEMENTARY, RATIONAL, formula, seeded


def test_every_point_is_in_a_case() -> None:
    """Random formulas with where(): at each point some case has the formula's value, and none is defined wrongly."""
    seen = 0
    for seed in range(600):
        r = seeded(51_000 + seed)
        root = formula(r, r.randrange(3, 9), RATIONAL)
        if all(part.op != "where" for part in Subject("", root, [], "regular").order):
            continue
        subject = Subject("", root, [(-2.0, 2.0), (-2.0, 2.0)], "regular")
        try:
            cases = cases_of(subject)
        except RejectedError:
            continue  # too many
        for _ in range(4):
            x = [r.choice([-1.0, 0.0, 0.5, 1.0, r.uniform(-2, 2)]) for _ in range(2)]
            value = enclose(root, x, rule="strict")
            if value.defined is not True:
                continue
            parts = [enclose(case.subject.root, x, rule="strict") for case in cases]
            assert any(p.defined and p.lower <= value.upper and value.lower <= p.upper for p in parts), (seed, x)
            seen += 1
    assert seen > 100


def test_tails_agree_with_values_near_the_start() -> None:
    """Random formulas along random paths: what is said of small t holds at t = 2^-200."""
    seen = {FINITE: 0, INFINITE: 0}
    for seed in range(1000):
        r = seeded(91_000 + seed)
        root = formula(r, r.randrange(1, 7), [*RATIONAL, *ELEMENTARY])
        subject = Subject("", root, [(-2.0, 2.0), (-2.0, 2.0)], "regular")
        x = [[r.choice(["-1", "0", "1/2", "1"]), r.choice(["-1", "0", "1"])] for _ in range(2)]
        with arithmetic("arb", BITS):
            try:
                tail = tail_along(subject, {"by": "path", "x": x})
            except RejectedError:
                continue
            low, high = exact(tail.range[0]), exact(tail.range[1])
        point = {f"x{i + 1}": f"({start} + {way}*2^(-200))" for i, (start, way) in enumerate(x)}
        value = enclose(_at(root, point), (), rule="strict", max_bits=4096)
        assert value.defined is not False, (seed, root, x)
        if value.defined is None or not math.isfinite(value.lower) or tail.kind not in seen:
            continue
        seen[tail.kind] += 1
        if tail.kind == INFINITE:
            assert value.lower * (tail.side or 0) > 1.0, (seed, root, x)
        elif low is not None and high is not None:
            room = (1 + abs(low)) / 10**9 + Fraction(2, 100)  # 1/ln(t) is slow
            assert low - room <= value.upper, (seed, root, x)
            assert value.lower <= high + room, (seed, root, x)
            _check_side(root, point, tail, (seed, root, x))
    assert seen[FINITE] > 75
    assert seen[INFINITE] > 7


def _at(root: Expr, point: dict[str, str]) -> Expr:
    """The formula with numbers, written as formulas, for its variables."""
    places = [parse_formula(text, n=1) for text in point.values()]
    held = {id(part): places[index(part)] for part in postorder(root) if part.op == "var"}
    return replaced(root, held)


def _check_side(root: Expr, point: dict[str, str], tail: Any, where: object) -> None:
    """On which side of a rational limit the value is."""
    known = None if tail.value is None or tail.side is None else tail.value
    if known is None or set(known) - {(0, 0)}:
        return
    limit = known.get((0, 0), Fraction(0))
    apart = _at(root, point) - parse_formula(f"({limit.numerator}/{limit.denominator})", n=1)
    found = enclose(apart, (), rule="strict", max_bits=4096)
    if found.lower <= 0.0 <= found.upper:
        return  # 0, or too near to it to be told
    assert found.lower * tail.side > 0.0, where


def test_ends_that_are_never_reached_are_not() -> None:
    """Random formulas at corners of boxes: where the lower end is said to be no value, no value is there."""
    seen = at_end = 0
    for seed in range(12_000):
        r = seeded(23_000 + seed)
        root = formula(r, r.randrange(1, 6), ELEMENTARY if seed % 2 else [*RATIONAL[:5], *ELEMENTARY])
        box = [(low, low + 1.0) for low in (r.choice([-1.0, 0.0, 0.0, 1.0]) for _ in range(2))]
        subject = Subject("", root, box, "regular")
        precision(64)
        try:
            program = Program([root], subject.numbers)
        except RejectedError:
            continue
        evaluated = program.ranges({v: between(*pair) for v, pair in enumerate(box)})
        slot = program.slots[id(root)]
        if evaluated is None or not program.variables:
            continue
        low = exact(evaluated[0][slot][0])
        if low is None or abs(low) > 1e6:
            continue
        try:
            NeverAt.of(subject, low).check(tuple(box))
        except RejectedError:
            continue
        seen += 1
        for x in ([a, b] for a in box[0] for b in box[1]):
            value = enclose(root, x, rule="strict", max_bits=256)
            if value.defined:
                at_end += not of_double(max(value.upper, -1e300)) > evaluated[0][slot][0]
    assert seen > 40
    assert at_end == 0
