"""Edges and digits of a point, and the whole study, where the answer is known by hand."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError, PointError
from cpcbench.report.problems.sensitivity import ranking_table, sensitivity_tables
from cpcbench.studies.sensitivity.digits import digits_needed, precision_profile
from cpcbench.studies.sensitivity.doubles import place
from cpcbench.studies.sensitivity.edges import edges
from cpcbench.studies.sensitivity.neighbours import (
    decimal_neighbours,
    ulp_neighbours,
)
from cpcbench.studies.sensitivity.point import frailty, ranking, sensitivity
from tests.studies.half_plane import HALF_PLANE

# Edges


def test_the_edge_of_a_half_plane_is_found_exactly() -> None:
    down, up, left, right = edges(HALF_PLANE, (1.0, 0.5))
    assert (down.last, down.first) == (math.nextafter(0.3, 1.0), 0.3)
    assert down.distance == 1.0 - 0.3
    assert down.share == pytest.approx(0.7 / 3)
    assert down.ulps == place(1.0) - place(0.3)
    assert down.failing == ("x1 - 0.3 > 0",)
    for none in (up, left, right):
        assert none.distance == none.share == none.ulps == math.inf
        assert math.isnan(none.first)
        assert none.failing == ()


@pytest.mark.parametrize("reading", ["reference", "fast"])
def test_the_first_of_several_edges_is_found(reading: str) -> None:
    rings = cpc.parse("sqrt(sin(x1))", bounds=(0.0, 1000.0))
    down, up = edges(rings, [1.0], reading=reading)
    assert down.distance == math.inf
    assert up.first == math.nextafter(math.pi, 4.0)
    assert rings.admissible([up.last])
    assert not rings.admissible([up.first])


def test_an_edge_one_ulp_away_and_one_from_zero() -> None:
    edge = math.nextafter(0.3, 1.0)
    assert edges(HALF_PLANE, (edge, 0.5))[0].ulps == 1.0
    at_zero = cpc.parse("sqrt(x1) + 0*x1", bounds=(-1, 1))
    down, up = edges(at_zero, [0.0])
    assert (down.first, down.ulps) == (-5e-324, 1.0)
    assert up.distance == math.inf


def test_from_an_inadmissible_point_the_edge_is_the_first_admissible_double() -> None:
    down, up, *_ = edges(HALF_PLANE, (-0.5, 0.0))
    assert not up.admissible
    assert (up.last, up.first) == (0.3, math.nextafter(0.3, 1.0))
    assert up.failing == ("x1 - 0.3 > 0",)
    assert down.distance == math.inf


def test_edges_in_a_box_whose_width_overflows_or_is_nothing() -> None:
    huge = cpc.parse("sqrt(x1 + 1) + x2", bounds=[(-1.5e308, 1.5e308), (2, 2)])
    down, up, *none = edges(huge, (1e308, 2.0))
    assert down.first == math.nextafter(-1.0, -2.0)
    assert down.share == pytest.approx(1 / 3)
    assert up.distance == math.inf
    assert all(edge.distance == math.inf for edge in none)


def test_edges_at_neighbouring_doubles_in_the_suite() -> None:
    p = cpc.problem("CPC-DF15", rule="strict")
    point = np.array([3.17233243403426, 4.15125018443042])
    for edge in edges(p, point):
        last, first = point.copy(), point.copy()
        last[edge.coordinate], first[edge.coordinate] = edge.last, edge.first
        assert not math.isnan(p.reference(last))
        assert math.isnan(p.reference(first))
        assert abs(place(edge.first) - place(edge.last)) == 1


# Digits


def test_digits_of_a_slope_are_those_of_its_steepness() -> None:
    """Half of the grids have a corner within 1e-4 / slope: the nearer corner of a unit is at most half of it away."""
    for slope, digits in ((1.0, 4), (1e3, 7), (1e6, 10)):
        steep = cpc.parse(f"{slope}*abs(x1 - 0.437)", bounds=(-1, 1))
        assert digits_needed(precision_profile(steep, [0.437])) == digits


def test_digits_are_counted_from_the_size_of_the_box() -> None:
    wide = cpc.parse("abs(x1 - 437)", bounds=(-1000, 1000))
    row = precision_profile(wide, [437.0])[3]
    assert (row.digits, row.decimals) == (4, (1,))
    assert digits_needed(precision_profile(wide, [437.0])) == 7


def test_an_isolated_point_needs_all_its_digits_though_it_is_short() -> None:
    """Only a whole exponent makes the base admissible: (-0.5, x2) with x1 = 1 exactly."""
    thin = cpc.parse("(x2 - 1)^(2*x1) + x1", bounds=(-2, 2))
    profile = precision_profile(thin, (1.0, 0.5))
    assert all(row.nearest == 1.25 for row in profile[1:])  # the decimal grid holds the point
    assert profile[8].grids == 0.0
    assert digits_needed(profile) > 15


def test_good_is_within_the_tolerance_and_admissible() -> None:
    loose = precision_profile(HALF_PLANE, (0.31, 0.5), tolerance=1e6)
    strict = precision_profile(HALF_PLANE, (0.31, 0.5), tolerance=1e-9)
    assert all(a.good >= b.good for a, b in zip(loose, strict, strict=True))
    assert all(row.good == row.admissible for row in loose)
    assert digits_needed(loose) < digits_needed(strict)


def test_an_inadmissible_point_has_no_digits() -> None:
    assert precision_profile(HALF_PLANE, (0.0, 0.0)) == ()
    assert digits_needed(()) == math.inf


# Together


def test_problems_are_ranked_by_the_digits_they_need() -> None:
    found = ranking([cpc.problem(name) for name in ("CPC-DF12", "CPC-DF3", "F138")], grids=8)
    assert [f.problem for f in found] == ["CPC-DF3", "CPC-DF12", "F138"]
    assert found[0].digits_needed > 15 > found[1].digits_needed
    assert found[0].failing == ("cos(-(2/3)*x1^3 - 8*x1^2) > 0",)
    table = ranking_table(found, 1e-4)
    assert table.column("problem") == ["CPC-DF3", "CPC-DF12", "F138"]
    assert table.column("in ulps")[2] == math.inf


def test_the_tables_show_all_readings() -> None:
    p = cpc.problem("CPC-DF3", rule="strict")
    tables = {t.key: t for t in sensitivity_tables(p, sensitivity(p, grids=4))}
    shown = tables["neighbours-digits-CPC-DF3"]
    assert shown.column("kind") == ["inadmissible", "artefact", "artefact", "artefact", "artefact"]
    assert shown.column("moved (digits)") == ["-1 0", "0 -1", "0 0", "0 +1", "+1 0"]
    assert tables["edges-CPC-DF3"].column("ulps")[0] == 1


def test_wrong_input_is_named() -> None:
    with pytest.raises(CpcbenchError, match="no best-known point of user"):
        sensitivity(HALF_PLANE)
    with pytest.raises(PointError, match="outside the box"):
        frailty(HALF_PLANE, (3.0, 0.0))
    with pytest.raises(PointError, match="outside the box"):
        edges(HALF_PLANE, (3.0, 0.0))
    with pytest.raises(CpcbenchError, match="'reference' or 'fast', not 'slow'"):
        edges(HALF_PLANE, (1.0, 0.0), reading="slow")
    with pytest.raises(CpcbenchError, match="unknown rounding 'up'"):
        decimal_neighbours(HALF_PLANE, (1.0, 0.0), rounding="up")
    with pytest.raises(CpcbenchError, match="from 0 to 40, not 41"):
        decimal_neighbours(HALF_PLANE, (1.0, 0.0), decimals=41)
    with pytest.raises(CpcbenchError, match="from 0 to 1 here, not 2"):
        decimal_neighbours(HALF_PLANE, (1.0, 0.0), coordinates=[2])
    with pytest.raises(CpcbenchError, match="from 1 on, not 0"):
        ulp_neighbours(HALF_PLANE, (1.0, 0.0), ulps=(0,))
    with pytest.raises(CpcbenchError, match="above 0, not -1"):
        precision_profile(HALF_PLANE, (1.0, 0.0), tolerance=-1)


def invoke(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["sensitivity", *words])
    return done.exit_code, done.output if done.exit_code else done.stdout  # progress goes to standard error


def test_the_command_on_a_formula() -> None:
    code, text = invoke(
        "ln(x1 - 0.3) + x2^2", "--bounds", "-1:2,-1:1", "--at", "1,0.5", "--digits", "3", "--format", "json"
    )
    assert code == 0, text
    tables = {t["key"]: t for t in json.loads(text)["tables"]}
    assert [row[1:3] for row in tables["neighbours-digits-user"]["rows"]] == [
        [0.999, 0.5], [1.0, 0.499], [1.0, 0.5], [1.0, 0.501], [1.001, 0.5]
    ]  # fmt: skip
    assert tables["edges-user"]["rows"][0][3] == 0.3
    assert tables["edges-user"]["rows"][1][4] == "inf"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name one problem, or say --all"),
        (("CPC-DF3", "--all"), "name one problem, or say --all"),
        (("--all", "--at", "1,2"), "--at is for one problem"),
        (("x1 + x2", "--bounds", "0:1"), "say --at"),
        (("CPC-DF3", "--ulps", "1.5"), "whole numbers from 1 on"),
        (("CPC-DF3", "--at", "1"), "takes 2 coordinates, not 1"),
    ],
    ids=lambda v: v if isinstance(v, str) else "words",
)
def test_the_command_refuses(words: tuple[str, ...], message: str) -> None:
    code, text = invoke(*words)
    assert code == 2
    assert message in text


@pytest.mark.slow
def test_the_whole_suite_is_ranked() -> None:
    code, text = invoke("--all", "--format", "json")
    assert code == 0, text
    rows = json.loads(text)["tables"][0]["rows"]
    assert sorted(row[0] for row in rows) == sorted(p.id for p in cpc.problems())
    assert {row[0] for row in rows[:4]} == {"CPC-DF3", "CPC-DF10", "CPC-DF14", "CPC-DF21"}
    assert [row[1] for row in rows] == sorted((row[1] for row in rows), reverse=True)
    page = (Path(__file__).parents[2] / "docs" / "sensitivity.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| ((?:CPC-D)?F\d+) \| (\d+) \|", page, re.MULTILINE)
    assert shown == [(row[0], str(row[1])) for row in rows]


def test_a_box_as_large_as_the_doubles_has_a_profile() -> None:
    p = cpc.parse("ln(x1)", bounds=[(-1e308, 1.7e308)])
    assert digits_needed(precision_profile(p, [1.7e308])) >= 1
