"""`certify` neither crashes nor overruns, and hands out nothing that the checker rejects."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.certify import confirming, work
from cpcbench.certify.certificate.certificate import Certificate
from cpcbench.certify.certificate.schema import ByTree
from cpcbench.certify.checker import Verdict, check
from cpcbench.certify.confirming import confirmed, verdict_on
from cpcbench.certify.lower.bounds import natural_bound
from cpcbench.certify.lower.tree.proving import SLICE, next_slice, prove
from cpcbench.certify.making import certify
from cpcbench.certify.threads import in_threads
from cpcbench.certify.upper.vanishing import small_values
from cpcbench.cli.app import app
from cpcbench.clock import OutOfTimeError, look_at_clock, time_limit, time_limit_lifted
from cpcbench.errors import CpcbenchError
from cpcbench.expr.walk import constants
from cpcbench.intervals.fillings.removable import removable
from cpcbench.intervals.tape import Tape
from cpcbench.solvers.white_box.solver import solve_expression
from tests.cases import one_in
from tests.material.random_proofs import longest

Bounds = list[tuple[float, float]]

PATIENT = 20.0
"""Seconds that a busy machine may add."""


def made(text: str, bounds: Bounds, seconds: float = 2.0, **settings: Any) -> Certificate:
    found = certify(cpc.parse(text, bounds=bounds), seconds=seconds, **settings)
    assert found.checked is not None
    assert found.checked.accepted
    assert found.check().accepted
    return found


# What the checker sees differently


@pytest.mark.parametrize(
    ("text", "bounds", "infimum"),
    [
        ("sin(2*x2^(-1.5))/x2^(-1.5)", [(1.6, 1.7), (-1.0, 1.0)], 2 * -0.21723362821122166),
        ("sin(x1)", [(1e15, 1e15 + 1)], math.sin(1e15 + 1)),
    ],
    ids=["cardinal sine", "far sine"],
)
def test_what_comes_back_is_accepted(text: str, bounds: Bounds, infimum: float) -> None:
    found = made(text, bounds)
    assert found.lower <= infimum + 1e-12
    assert found.upper >= infimum - 1e-12


def rejecting(monkeypatch: pytest.MonkeyPatch, allowed: Callable[[dict[str, Any]], bool]) -> None:
    """Lets the checker reject also what is not allowed."""

    def stricter(data: dict[str, Any], **settings: Any) -> Verdict:
        right = data["claim"]["kind"] == "empty" or allowed(data)
        return check(data, **settings) if right else Verdict(False, "as the test wants it")

    monkeypatch.setattr(confirming, "check", stricter)


SPHERE = "(x1 - 0.5)^2 - 1/(2 - x1)"
SIDE: Bounds = [(0.0, 1.0)]


@pytest.fixture(scope="module")
def plain() -> Certificate:
    return certify(cpc.parse(SPHERE, bounds=SIDE), seconds=3.0)


def test_without_a_proof_of_being_attained_the_bounds_stay(plain: Certificate, monkeypatch: pytest.MonkeyPatch) -> None:
    assert plain.attained is True
    rejecting(monkeypatch, lambda data: "attained" not in data["claim"])
    again = certify(cpc.parse(SPHERE, bounds=SIDE), seconds=3.0)
    assert (again.attained, again.lower, again.upper) == (None, plain.lower, plain.upper)


def test_a_looser_bound_takes_the_place_of_one_that_is_rejected(
    plain: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    rejecting(monkeypatch, lambda data: data["claim"]["lower"] < plain.lower - 1e-8 and data["lower"]["by"] == "tree")
    loose = certify(cpc.parse(SPHERE, bounds=SIDE), seconds=3.0)
    assert plain.lower - 1e-6 < loose.lower < plain.lower - 1e-8
    monkeypatch.undo()
    assert loose.check().accepted


def test_without_anything_that_is_accepted_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    rejecting(monkeypatch, lambda data: False)
    with pytest.raises(CpcbenchError, match="that the checker takes: as the test wants it"):
        certify(cpc.parse(SPHERE, bounds=SIDE), seconds=2.0)


def test_another_witness_takes_the_place_of_one_that_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    text, bounds = "x1 + x2 + sqrt(1 - x1^2 - x2^2)", [(-1.0, 1.0), (-1.0, 1.0)]
    assert certify(cpc.parse(text, bounds=bounds), seconds=10.0).data["upper"]["by"] == "pinned"
    rejecting(monkeypatch, lambda data: data["upper"]["by"] == "point")
    other = certify(cpc.parse(text, bounds=bounds), seconds=10.0)
    assert other.data["upper"]["by"] == "point"
    monkeypatch.undo()
    assert other.check().accepted


def test_a_proof_that_there_is_no_lower_bound_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    p = cpc.parse("ln(x1 - x2)", bounds=[(0, 1), (0, 1)])
    found = certify(p, seconds=3.0)
    assert found.unbounded
    assert found.checked is not None
    rejecting(monkeypatch, lambda data: False)
    with pytest.raises(CpcbenchError, match="no lower bound"):
        certify(p, seconds=1.0)


def long_proof() -> Certificate:
    p = cpc.parse("x1*x2*(1 - x1*x2) + sqrt(2 - x1*x2)", bounds=[(0, 3), (0, 3)])
    tree = prove(Tape.of_formula(p.expression, 2), p.lower, p.upper, -2.0 - 1e-5, seconds=20.0)
    found = certify(p, seconds=1.0)
    lower = ByTree(tree.target, tree.text(tree.target))
    claim = replace(found.said.claim, lower=tree.target, attained=None)
    return Certificate(replace(found.said, lower=lower, claim=claim, attained=None, optima=None))


def test_a_check_ends_with_its_time() -> None:
    proof = long_proof()
    assert proof.steps > 2048
    assert verdict_on(proof.said, 0.0) is None
    unchecked = confirmed(proof.said, 0.0, 0.0)
    assert unchecked.checked is None
    assert confirmed(proof.said, math.inf, 0.0).checked == proof.check() or proof.check().accepted


def test_the_command_says_whether_it_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["certify", "x1^2 + x2", "--bounds", "0:1,0:1", "--seconds", "1"]
    said = CliRunner().invoke(app, command)
    assert "accepted" in said.output
    assert json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)["checked"] is True
    monkeypatch.setattr(work, "confirmed", lambda said, *_: Certificate(said))
    assert "not checked: the time for checking ran out" in CliRunner().invoke(app, command).output
    assert json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)["checked"] is False


def test_the_natural_bound_is_lowered_until_it_is_seen() -> None:
    found = natural_bound(0.5, 2.0, ["all"], lambda bound, _part: bound <= -0.25)
    assert found is not None
    assert -0.25 - 1e-9 <= found[0] <= -0.25
    assert natural_bound(0.5, 2.0, ["all", "regular"], lambda bound, part: part == "regular") == (0.5, "regular")
    assert natural_bound(0.5, 2.0, ["all"], lambda bound, part: False) is None


def test_points_at_a_side_of_the_box_only() -> None:
    """0 is the only base that is not negative."""
    found = made("x1^(-x2*pi)", [(-0.5, 0.0), (-4.0, -2.5)])
    assert (found.lower, found.upper) == (0.0, 0.0)


def test_a_witness_that_the_checker_cannot_follow_is_not_built_upon() -> None:
    """The least value is where the cosine is 0; the checker has no slopes of where() to show that it is."""
    assert made("cos(where(x1 < 0, 1, x1))^2", [(-1.0, 3.0)]).upper < 1e-9


# No crash


@pytest.mark.parametrize(
    ("text", "bounds"),
    one_in(
        2,
        [
            ("abs(x3) + cos(x3)", [(-1.0, 1.0)] * 3),
            ("abs(x3) + cos(x3)", [(-2.0, 1.0), (0.0, 1.0), (-1.0, 3.0)]),
            ("x1 + 1e-40*sin((x1 - 1e-40)^(-0.5))", [(0.0, 1e-37)]),
            ("sin(x1^(-0.5)) + x1", [(0.0, 1e-38)]),
        ],
    ),
)
def test_it_does_not_crash(text: str, bounds: Bounds) -> None:
    made(text, bounds)


def test_slopes_that_vanish_have_no_multipliers() -> None:
    """On the set x1 = 0 of x2^x1 nothing has a slope; the set x1 = -1 at the side of the box has no lower bound."""
    p = cpc.parse("x2^x1", bounds=[(-1, 2), (-1, 1)])
    with pytest.raises(CpcbenchError, match="thin sets"):
        certify(p, seconds=1.0, part="thin")


def test_values_of_parts_that_are_very_small_already() -> None:
    p = cpc.parse("1/(x1 - x2) + sin(1/(x1 - x2))", bounds=[(0, 1e-38), (0, 1e-38)])
    for size in (1e-37, 1e-40, 1e-300, 5e-324):
        small_values(p.expression, np.array([size, 0.0]))


def test_names_of_variables_are_the_users_own() -> None:
    found = made("a^2 + sqrt(b)", {"a": (-1.0, 2.0), "b": (0.0, 1.0)})  # type: ignore[arg-type]
    assert found.data["problem"]["formula"] == "x1^2 + sqrt(x2)"
    assert found.lower == 0.0 <= found.upper <= 1e-9


def test_numpy_may_raise() -> None:
    with np.errstate(all="raise"):
        made("1/x1 + exp(1000*x1)", [(0.0, 3.0)])
        made("sqrt(x1*x2 - 1) + x1 + x2", [(0.0, 3.0), (0.0, 3.0)])


@pytest.mark.slow
def test_more_than_62_variables() -> None:
    n = 70
    found = made(" + ".join(f"x{i}^2" for i in range(1, n + 1)), [(-1.0, 1.0)] * n, seconds=15.0)
    assert found.lower == 0.0
    p = cpc.parse(" + ".join(f"x{i}*(1 + x{i})" for i in range(1, n + 1)), bounds=[(0.5, 1)] * n)
    tree = prove(Tape.of_formula(p.expression, n), p.lower, p.upper, 0.74 * n, seconds=20.0)
    assert tree.complete  # every variable is left at its lower end
    assert not prove(Tape.of_formula(p.expression, n), p.lower, p.upper, 0.76 * n, seconds=0.5).complete


def test_a_divisor_next_to_a_whole_number_away_is_not_removable() -> None:
    """The double next to the constant is 1, and the quotient has no lower bound."""
    near = "1.00000000000000000001"
    for shift, pairs in (("1", 1), (near, 0)):
        p = cpc.parse(f"sin(pi*(x1 - {shift}))/((x1 - {shift})*x1)", bounds=[(-0.1, 0.1)])
        found = removable(p.expression, constants(p.expression))
        assert found is not None
        assert sum(getattr(part, "partner", None) is not None for part in found.above) == pairs


# No overrun


def test_a_limit_holds_deep_inside_and_in_threads() -> None:
    def work(_part: int) -> None:
        while True:
            look_at_clock()

    with pytest.raises(OutOfTimeError), time_limit(0.01):
        work(0)
    with pytest.raises(OutOfTimeError), time_limit(0.01), time_limit(100.0):
        work(0)
    with pytest.raises(OutOfTimeError), time_limit(0.01):
        in_threads(work, [1, 2], 2)
    look_at_clock()
    with time_limit(-1.0), time_limit_lifted():
        look_at_clock()


def test_slices_follow_the_time_that_boxes_take() -> None:
    assert next_slice(20, 0.001) == 40
    assert next_slice(SLICE, 0.001) == SLICE
    assert next_slice(1000, 1.0) == 100
    assert next_slice(1, 60.0) == 1


def overrunning() -> Iterator[tuple[str, Bounds]]:
    """Many copies of one optimum; chains; long sums; many edges."""
    yield " + ".join(f"x{i}^2" for i in range(1, 71)), [(-1.0, 1.0)] * 70
    yield " + ".join(f"sqrt(abs(sin(x{i})*x{i + 1} - 0.3))" for i in range(1, 12)), [(-9.0, 9.0)] * 12
    yield " + ".join(f"ln(x1 - {i}/50)*cos({i}*x2)" for i in range(60)), [(0.0, 3.0), (0.0, 3.0)]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "bounds"), list(overrunning()), ids=["copies", "chain", "logarithms"])
def test_it_ends_with_its_time(text: str, bounds: Bounds) -> None:
    began: list[float] = []

    def see(line: str) -> None:
        if line == "looking for low points":
            began.append(time.monotonic())

    with suppress(CpcbenchError):  # that nothing was proven
        certify(cpc.parse(text, bounds=bounds), seconds=3.0, progress=see)
    assert time.monotonic() - began[-1] < longest(3.0) + PATIENT


@pytest.mark.slow
def test_copies_of_an_optimum_are_looked_for_only_as_long_as_there_is_time() -> None:
    """There are 2^40 of them, of which 20,000 would be listed and compared."""
    n = 40
    p = cpc.parse(" + ".join(f"x{i}^2" for i in range(1, n + 1)), bounds=[(-1, 1)] * n)
    start = time.monotonic()
    found = solve_expression(p, np.random.default_rng(0), seconds=4.0)
    assert found.x is not None
    assert time.monotonic() - start < PATIENT


def test_a_formula_that_is_nowhere_defined_ends_soon() -> None:
    start = time.monotonic()
    assert certify(cpc.parse("sqrt(x1 - 5)", bounds=[(0, 1)]), seconds=60.0).empty
    assert time.monotonic() - start < PATIENT
