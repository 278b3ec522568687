"""No rule of the checker is wrong at low precision, no forgery is accepted, and a wrong rule would be noticed."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from benchmarks.forgeries import main, tried

from cpcbench.certify.checker import check
from cpcbench.certify.checker.core import intervals, mean_value, numbers, powers, steps, trees
from cpcbench.certify.checker.core.functions import table, waves
from cpcbench.certify.checker.core.intervals import Interval
from cpcbench.certify.checker.core.numbers import DOWN, UP
from cpcbench.certify.checker.extensions import balls, convex, gradients, narrowing, settled, thin
from cpcbench.certify.checker.extensions.fillers import logarithm_powers, quotients, removable
from cpcbench.certify.checker.extensions.paths import families, tails
from cpcbench.certify.checker.extensions.sums import periods, tables
from tests.material.forgeries import along_paths, claims, difference_quotients, formulas, limits, operations, rules
from tests.material.forgeries.cases import cases
from tests.material.forgeries.tally import Tally
from tests.material.forgeries.truth import ARITHMETICS, PRECISIONS, setting
from tests.material.forgeries.trying import checks, forgeries

Patch = pytest.MonkeyPatch


def test_no_rule_is_wrong_at_low_precision() -> None:
    assert checks(1, 3000).violations == []


def test_no_forged_certificate_is_accepted() -> None:
    found = forgeries(1, 1000)
    assert found.violations == []
    assert found.total([claims.FALSE_REJECTED]) > 600
    assert found.total([claims.TRUE_ACCEPTED]) > 20


@pytest.mark.slow
def test_no_rule_is_wrong_at_length() -> None:
    assert tried(checks, 100_000, 2, 2).violations == []


@pytest.mark.slow
def test_no_forged_certificate_is_accepted_at_length() -> None:
    assert tried(forgeries, 20_000, 2, 2).violations == []


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_what_is_forged_is_true_before(arithmetic: str) -> None:
    for case in cases():
        verdict = check(case.data, arithmetic=arithmetic)
        assert verdict.accepted, (case.name, verdict.reason)
        assert not case.is_false(case.data, random.Random(1)), case.name  # noqa: S311


def test_the_command_fails_on_a_violation(monkeypatch: Patch, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--checks", "60", "--forgeries", "20"]) == 0
    monkeypatch.setattr(trees, "_leaf", lambda link, token, box, watch: numbers.of_double(1e308))
    assert main(["--checks", "0", "--forgeries", "200"]) == 1
    assert "VIOLATION" in capsys.readouterr().out


def nearest(a: Interval, b: Interval) -> Interval:
    """Ends rounded inwards."""
    return UP.add(a[0], b[0]), DOWN.add(a[1], b[1])


def wrong_quotient(a: Interval, b: Interval) -> Interval:
    return intervals.made(DOWN.div(a[0], b[1]), UP.div(a[1], b[0]))


def wrong_turns(turns: Interval, shift: Fraction) -> bool:
    """Whole numbers looked for between rounded ones."""
    low, high = (float(str(end)[:20].strip("[").split(" ")[0] or 0) for end in turns)
    return math.floor(high - float(shift)) > math.floor(low - float(shift))


def wrong_power_slope(a: Interval, p: Interval, _less: Interval) -> Interval:
    return intervals.mul(p, powers.positive_power(intervals.not_negative(a), p))


def no_margin(link: Any, box: Any, values: Any, maybe: Any, _multipliers: Any, _goal: Any) -> Any:
    return values[link.terms[0][0]][1]


def rounded_up(name: str, a: Any) -> Any:
    return UP.of(name, a)


def wrong_corner(base: Any, exponent: Any, power: Any) -> Any:
    return numbers.of_double(0) if base == 0 else power(base, exponent)


def wrong_floor(end: Any) -> int:
    return math.floor(float(str(end).strip("[]").split(" ", maxsplit=1)[0]))


def without_end(*_: Any) -> Any:
    return numbers.infinite(1), numbers.infinite(1)


def flat(half: Any, _t: Any, _last: Any) -> Any:
    return half.first[0], intervals.single(0)


def granted(made: Any, values: Any) -> int:
    values[made.slot] = values[made.args[1]]
    return intervals.EVERYWHERE


def held_still(_made: Any, _values: Any, _weight: Interval) -> tuple[Interval, Interval]:
    return intervals.single(0), intervals.single(0)


def slopes_of_the_condition(_made: Any, _values: Any, weight: Interval) -> tuple[Interval, Interval]:
    return weight, intervals.single(0)


def by_ends(exponent: int) -> Any:
    """An even power without the 0 between."""
    return lambda a, _: (numbers.ends_of(a)[0] ** exponent).union(numbers.ends_of(a)[1] ** exponent)


def by_an_end(a: Any, b: Any) -> Any:
    return a / numbers.ends_of(b)[1]


def level(sum_: Any, _values: Any) -> Any:
    return [numbers.of_double(0) for _ in sum_.partials]


def monotone(*_: Any) -> None:
    return None


def unchanged(_part: Any, _varies: bool) -> Any:
    return [lambda outer: outer] * 2


def _limited(made: Any, _program: Any, _values: Any, known: Any) -> Any:
    return tails.infinite(-1) if any(a in known for a in made.args) else None


WRONG: list[tuple[str, Any, str, Any, list[Callable[[random.Random, Tally], Any]]]] = [
    ("sums rounded inwards", operations, "BINARY", {"add": nearest}, operations.CHECKS),
    ("the divisor's wrong end", intervals, "_div_positive", wrong_quotient, operations.CHECKS),
    ("functions rounded up", DOWN, "of", rounded_up, operations.CHECKS),
    ("rounded turns", waves, "holds_whole", wrong_turns, [operations.unary] * 12),
    ("a wave without its top", waves, "holds_whole", lambda turns, shift: False, operations.CHECKS),
    ("0^0 is 0", powers, "_corner", wrong_corner, operations.CHECKS),
    ("slopes of powers", powers, "fixed_power_slope", wrong_power_slope, difference_quotients.CHECKS),
    ("slopes of roots", table, "reciprocal", lambda a: intervals.single(1), difference_quotients.CHECKS),
    ("sinc bends too late", removable, "BENDS_AT", 4, difference_quotients.CHECKS),
    ("sinc too shallow", removable, "DEEPEST", Fraction(-2, 10), operations.CHECKS),
    ("mean values above", formulas, "mean_value_bound", no_margin, formulas.CHECKS),
    ("the other end of balls", balls, "_lower", lambda value: numbers.ends_of(value)[1], [formulas.balls]),
    ("balls divided by an end", balls, "PLAIN", {**balls.PLAIN, "div": by_an_end}, [formulas.balls] * 4),
    ("powers of balls by their ends", balls, "_whole_power", by_ends, [formulas.balls] * 4),
    ("balls without slopes", balls._Sum, "slopes", level, [formulas.balls] * 4),
    ("halves the other way", balls.Half, "__neg__", lambda half: half, [formulas.balls] * 4),
    ("everything is convex", convex, "check_monotone_gradient", monotone, [formulas.convex]),
    ("what is uncertain is left out", convex, "_check_positive", monotone, [formulas.convex]),
    ("slopes of powers left out", gradients, "_power", unchanged, [formulas.convex]),
    ("every face is allowed", formulas, "check_monotone", monotone, formulas.CHECKS),
    ("narrowed too far", narrowing, "_quotient", lambda a, b: intervals.single(1), formulas.CHECKS),
    ("constraints taken for granted", steps.Given, "run", granted, formulas.CHECKS),
    ("what is constrained held still", steps.Given, "shares", held_still, formulas.CHECKS),
    ("the constraint's slopes", steps.Given, "shares", slopes_of_the_condition, formulas.CHECKS),
    ("a table's last cell left out", tables, "_cells", lambda b, low, high: range(1), rules.CHECKS),
    ("a short period", periods, "TURN", Fraction("6.28"), rules.CHECKS),
    ("whole numbers as doubles", thin, "floor", wrong_floor, rules.CHECKS),
    ("everything settled", limits, "is_settled", lambda made, values: True, limits.CHECKS),
    ("everything tends away", families, "tail_of", _limited, limits.CHECKS),
    ("the turn of u^p ln(u) left out", logarithm_powers, "exp", lambda a: intervals.single(0), along_paths.CHECKS),
    ("sides taken for granted", tails, "joint", lambda a, b: 1, along_paths.CHECKS),
    ("every wave at its top", waves, "_quarters", lambda a: 1, along_paths.CHECKS),
    ("a hole is flat", quotients._Half, "at", flat, [formulas.mean_value]),
    ("any box has a solution", limits, "_is_accepted", lambda subject, system: True, limits.CHECKS),
]  # fmt: skip


@pytest.mark.parametrize(("name", "where", "what", "instead", "rounds"), WRONG, ids=[entry[0] for entry in WRONG])
def test_a_wrong_rule_is_noticed(
    name: str, where: Any, what: str, instead: Any, rounds: Any, monkeypatch: Patch
) -> None:
    r, tally = random.Random(name), Tally()  # noqa: S311
    for turn in range(600):
        with setting(ARITHMETICS[turn % 2], PRECISIONS[turn % 4]):
            monkeypatch.setattr(where, what, instead)
            for each in rounds:
                each(r, tally)
            monkeypatch.undo()
        if tally.violations:
            return
    pytest.fail("not noticed")


FORGED: list[tuple[str, Any, str, Any, Callable[[random.Random, Tally], Any]]] = [
    ("every leaf holds", trees, "_leaf", lambda link, token, box, watch: numbers.of_double(1e308), claims.only_raised),
    ("every face holds", trees, "check_monotone", monotone, claims.random_formula),
    ("mean values above", trees, "mean_value_bound", no_margin, claims.around),
    ("frozen operations taken as defined", mean_value, "_at", without_end, claims.random_formula),
    ("everything settled", settled, "is_settled", lambda made, values: True, claims.changed),
    ("everything tends away", families, "tail_of", _limited, claims.family),
    ("optima anywhere", trees.Watch, "check", lambda self, bound, whole: None, claims.changed),
]  # fmt: skip


@pytest.mark.parametrize(("name", "where", "what", "instead", "forge"), FORGED, ids=[entry[0] for entry in FORGED])
def test_a_forgery_that_a_wrong_rule_accepts_is_noticed(
    name: str, where: Any, what: str, instead: Any, forge: Callable[[random.Random, Tally], Any], monkeypatch: Patch
) -> None:
    cases()  # made with the right rules
    monkeypatch.setattr(where, what, instead)
    r, tally = random.Random(name), Tally()  # noqa: S311
    for _ in range(5000):
        forge(r, tally)
        if tally.violations:
            return
    pytest.fail("not noticed")
