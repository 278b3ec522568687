"""Neighbours of a point, in decimals and in ulps, on the published close-ups and where they are known by hand."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.cli.app import app
from cpcbench.report.paper.close_ups import printed_neighbours
from cpcbench.report.paper.printed import printed_table
from cpcbench.report.problems.sensitivity import sensitivity_tables
from cpcbench.studies.sensitivity.doubles import double_at, moved, place
from cpcbench.studies.sensitivity.neighbours import (
    decimal_neighbours,
    failing,
    moves,
    printed_decimals,
    rounded,
    ulp_neighbours,
)
from cpcbench.studies.sensitivity.point import sensitivity
from tests.studies.half_plane import HALF_PLANE

# Doubles


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_double_is_found_again_at_its_place(value: float) -> None:
    assert double_at(place(value)) == value


@given(st.floats(-1e300, 1e300), st.integers(1, 1000))
def test_moving_by_ulps_is_nextafter(value: float, ulps: int) -> None:
    expected = value
    for _ in range(ulps):
        expected = math.nextafter(expected, math.inf)
    assert moved(value, ulps) == expected
    assert moved(expected, -ulps) == value


def test_moving_passes_zero_and_ends_at_the_largest_double() -> None:
    assert moved(-5e-324, 2) == 5e-324
    assert moved(1.7976931348623157e308, 3) == 1.7976931348623157e308


# Decimal neighbours


def test_the_printed_table_of_df15_comes_out_to_its_last_digit() -> None:
    p = cpc.problem("CPC-DF15", rule="strict")
    printed = printed_table("df15_sensitivity").rows
    found = decimal_neighbours(p, (3.17233243403426, 4.15125018443042))
    assert [n.x for n in found] == [row[0] for row in printed]
    for neighbour, (_, said) in zip(found, printed, strict=True):
        assert isinstance(said, float)
        if math.isnan(said):
            assert math.isnan(neighbour.reference)
        else:
            digits = len(repr(said).partition(".")[2])
            assert round(neighbour.reference, digits) == said


def test_the_printed_values_of_df3_belong_to_the_next_row() -> None:
    p = cpc.problem("CPC-DF3", rule="strict")
    values = [n.reference for n in decimal_neighbours(p, (6.1828121298816, 6.49031991565847), coordinates=[0])]
    printed = [row[2] for row in printed_table("df3_neighbours").rows]
    assert math.isnan(values[0])
    assert values[1:] == printed[:2]
    assert isinstance(printed[2], float)
    assert math.isnan(printed[2])


def test_the_condition_that_fails_beside_df3_is_named() -> None:
    p = cpc.problem("CPC-DF3", rule="strict")
    below = decimal_neighbours(p, (6.1828121298816, 6.49031991565847), coordinates=[0])[0]
    assert below.failing == ("cos(-(2/3)*x1^3 - 8*x1^2) > 0",)
    assert below.enclosure.domain == "outside"


@pytest.mark.parametrize(
    ("value", "decimals"),
    [(6.1828121298816, 13), (3.17233243403426, 14), (3.0, 14), (0.125, 15), (-100.0, 12), (0.0, 14), (1e-20, 34)],
)
def test_decimals_of_a_printed_number(value: float, decimals: int) -> None:
    assert printed_decimals(value) == decimals


@pytest.mark.parametrize(
    ("value", "decimals", "way", "expected"),
    [
        (0.156, 2, "nearest", 0.16), (0.156, 2, "down", 0.15), (-0.156, 2, "down", -0.15), (0.125, 2, "nearest", 0.12),
        (1234.5, -2, "nearest", 1200.0), (1e300, 3, "down", 1e300),
    ],
)  # fmt: skip
def test_rounding_is_that_of_the_decimal_text(value: float, decimals: int, way: str, expected: float) -> None:
    assert float(rounded(value, decimals, way)) == expected


def test_given_decimals_round_first_and_move_then() -> None:
    found = decimal_neighbours(HALF_PLANE, (0.456, 0.1), decimals=2, reach=2, coordinates=[0])
    assert [n.x for n in found] == [(x, 0.1) for x in (0.44, 0.45, 0.46, 0.47, 0.48)]
    cut = decimal_neighbours(HALF_PLANE, (0.456, 0.1), decimals=2, rounding="down", coordinates=[0])
    assert [n.x[0] for n in cut] == [0.44, 0.45, 0.46]


@given(st.floats(-9.0, 9.0, allow_subnormal=False))
def test_a_digit_finer_than_the_doubles_is_said_to_change_nothing(value: float) -> None:
    line = cpc.parse("x1", bounds=(-10, 10))
    below, here, above = decimal_neighbours(line, [value])
    for beside in (below, above):
        assert beside.same_double == (beside.x == here.x)
    assert not here.same_double


def test_the_table_says_which_digits_cannot_be_moved() -> None:
    """0.1 + 0.2 takes 17 digits: a unit of the last one is less than the spacing of the doubles."""
    line = cpc.parse("x1", bounds=(-10, 10))
    digits = next(t for t in sensitivity_tables(line, sensitivity(line, [0.1 + 0.2])) if "digits" in t.key)
    assert [row[0] for row in digits.rows] == ["-1, the same double", "0", "+1, the same double"]
    assert digits.notes[0].startswith("2 of 2 moves change nothing")


def test_by_default_the_published_point_is_looked_at() -> None:
    p = cpc.problem("CPC-DF15", rule="strict")
    assert p.published is not None
    assert p.best_known is not None
    found = sensitivity(p)
    assert (found.point, found.frailty.x) == ("published", tuple(p.published.points[0]))
    assert found.frailty.x != tuple(p.best_known.points[0])
    assert not any(n.same_double for n in found.decimal)
    assert sensitivity(cpc.problem("F170", n=3)).point == "best known"


def test_the_command_shows_the_printed_table_beside_ours() -> None:
    said = {}
    for id_ in ("CPC-DF3", "CPC-DF15"):
        (table,) = printed_neighbours(cpc.problem(id_, rule="strict"))
        said[id_] = table.column("as printed")
    assert said == {"CPC-DF3": [False] * 3, "CPC-DF15": [True] * 5}
    assert printed_neighbours(cpc.problem("CPC-DF4")) == []
    result = CliRunner().invoke(app, ["sensitivity", "CPC-DF15", "--rule", "strict", "--format", "json"])
    assert json.loads(result.stdout)["tables"][0]["key"] == "printed-neighbours-CPC-DF15"
    record = CliRunner().invoke(app, ["sensitivity", "CPC-DF15", "--at", "best-known", "--format", "json"])
    first = json.loads(record.stdout)["tables"][0]
    best = cpc.problem("CPC-DF15").best_known
    assert best is not None
    assert first["rows"][0][1] == best.points[0].tolist()


# Neighbours in ulps


def test_moves_of_one_coordinate_in_order() -> None:
    assert moves(2, (1,)) == [(-1, 0), (0, -1), (0, 0), (0, 1), (1, 0)]
    assert len(moves(5, (1, 2, 4))) == 1 + 5 * 3 * 2


def test_neighbours_in_ulps_read_what_the_problem_says() -> None:
    edge = math.nextafter(0.3, 1.0)
    found = {n.steps: n for n in ulp_neighbours(HALF_PLANE, (edge, 0.5), ulps=(1, 2))}
    assert set(found) == {(0, 0), (-2, 0), (-1, 0), (1, 0), (2, 0), (0, -2), (0, -1), (0, 1), (0, 2)}
    assert math.isnan(found[-1, 0].reference)
    assert found[-1, 0].failing == ("x1 - 0.3 > 0",)
    for steps, n in found.items():
        assert n.x == (moved(edge, steps[0]), moved(0.5, steps[1]))
        assert n.fast == HALF_PLANE(n.x) or math.isnan(n.fast)
        assert (n.enclosure.defined is False) == math.isnan(n.reference)


def test_all_coordinates_together() -> None:
    found = ulp_neighbours(HALF_PLANE, (0.5, 0.25), ulps=(3,), together=True)
    assert len({n.steps for n in found}) == 9
    assert {k for n in found for k in n.steps} == {-3, 0, 3}
    wide = cpc.parse("x1 + x2 + x3 + x4 + x5 + x6", bounds=(-1, 1))
    drawn = ulp_neighbours(wide, np.full(6, 0.3), together=True, rng=4)
    assert len({n.steps for n in drawn}) == len(drawn) == 243
    assert (0,) * 6 in {n.steps for n in drawn}


def test_beyond_the_box_is_said() -> None:
    found = ulp_neighbours(HALF_PLANE, (2.0, 1.0), ulps=(1,))
    assert {n.steps: n.in_box for n in found} == {
        (0, 0): True, (-1, 0): True, (0, -1): True, (1, 0): False, (0, 1): False
    }  # fmt: skip


def test_conditions_that_cannot_be_computed_do_not_fail() -> None:
    nested = cpc.parse("ln(x1 - ln(x2))", bounds=(-2, 2))
    assert failing(nested, (1.0, -1.0)) == ("x2 > 0",)
    assert failing(nested, (0.5, 2.0)) == ("x1 - ln(x2) > 0",)
    assert failing(nested, (1.0, 1.0)) == ()
