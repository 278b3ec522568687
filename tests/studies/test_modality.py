"""Parts of a domain and local minima, on formulas whose answers are known by hand."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError
from cpcbench.report.problems.modality import claims_table, modality_tables
from cpcbench.studies.modality.descent import Searches, descend
from cpcbench.studies.modality.linking import groups, way_is_admissible
from cpcbench.studies.modality.local_minima import local_minima
from cpcbench.studies.modality.summary import components, modality
from cpcbench.studies.modality.tree import cut
from cpcbench.studies.modality.unseen import unseen
from cpcbench.studies.modality.valleys import in_one_valley
from tests.cases import one_in

CHECKERS = "sqrt(sin(pi*x1)*sin(pi*x2) - 0.05)"
SQUARES = "sqrt(sin(pi*x1)) + sqrt(sin(pi*x2))"
RING = "sqrt((x1^2 + x2^2 - 1)*(4 - x1^2 - x2^2))"
CUBES = "sqrt(sin(pi*x1)) + sqrt(sin(pi*x2)) + sqrt(sin(pi*x3))"
BALL_IN_SHELL = "sqrt((x1^2 + x2^2 + x3^2 - 1)*(4 - x1^2 - x2^2 - x3^2)*(x1^2 + x2^2 + x3^2 - 0.25))"


# Parts, one and two variables


@pytest.mark.parametrize(
    ("text", "bounds", "count", "share"),
    [
        (CHECKERS, (0, 4), 8, None),
        (SQUARES, (0, 4), 4, 1 / 4),
        (RING, (-3, 3.1), 1, 3 * math.pi / 6.1**2),
        ("ln(2 - x1^2 - x2^2)*sqrt(abs(x1) - 0.5)", (-3, 3.1), 2, None),
        ("sqrt(sin(pi*x1))", (0, 6), 3, 1 / 2),
        ("sqrt(cos(x1^2 + x2^2))", (-3, 3), 10, None),
        ("x1 + x2", (0, 1), 1, 1.0),
    ],
    ids=["checkers", "squares", "ring", "half-moons", "line", "rings-cut-by-the-box", "everywhere"],
)
def test_parts_are_counted_and_proven_apart(text: str, bounds: tuple[float, float], count: int, share: float) -> None:
    found = components(cpc.parse(text, bounds=bounds), cells=6000)
    assert found.found == found.at_least == found.solid == len(found.parts) == count
    assert found.settled
    if share is not None:
        assert found.share == pytest.approx(share, rel=0.01)
        assert sum(p.certain_share for p in found.parts) <= share + 1e-12 <= found.share + found.open_share + 1e-12


def test_parts_are_listed_with_their_sizes_and_lowest_points() -> None:
    """A disk of radius 1 around (-1, -1), where f < 0, and a smaller one around (2, 2)."""
    p = cpc.parse("0*sqrt((1 - (x1+1)^2 - (x2+1)^2)*((x1-2)^2 + (x2-2)^2 - 0.25)) + x1", bounds=(-3, 4))
    found = components(p, cells=8000)
    assert found.found == 2
    large, small = found.parts
    assert large.share * 49 == pytest.approx(math.pi, rel=0.02)
    assert small.share * 49 == pytest.approx(math.pi / 4, rel=0.02)
    assert large.value == pytest.approx(-2, abs=0.05)
    assert small.value == pytest.approx(1.5, abs=0.05)
    assert p(large.x) == large.value


def test_parts_below_the_resolution_are_not_claimed_to_be_settled() -> None:
    """Some 6,000 rings in a handful of cells."""
    found = components(cpc.parse("sqrt(sin(x1^2 + x2^2))", bounds=(-100, 100)), cells=300)
    assert not found.settled
    assert found.open_share > 0.9
    assert found.at_least == 1
    assert found.share == pytest.approx(0.5, abs=0.05)


def test_a_thin_bridge_is_no_proof_of_separation() -> None:
    """Two disks joined by a corridor 0.02 wide: one part, whatever the resolution can prove."""
    bridge = cpc.parse("sqrt(where(abs(x2) <= 0.01, 1 - x1^2/9, 1 - (abs(x1) - 2)^2 - x2^2))", bounds=(-4, 4.1))
    assert components(bridge, cells=400).at_least == 1
    fine = components(bridge, cells=20_000)
    assert fine.found == fine.at_least == 1


def test_an_empty_domain_has_no_parts() -> None:
    found = components(cpc.parse("ln(-1 - x1^2 - x2^2)", bounds=(-1, 1)))
    assert (found.found, found.at_least, found.parts) == (0, 0, ())
    assert found.share == 0.0


def test_a_side_without_width() -> None:
    found = components(cpc.parse("sqrt(sin(pi*x1)) + x2", bounds=[(0, 6), (1, 1)]), cells=500)
    assert found.found == found.at_least == 3
    assert found.share == pytest.approx(0.5, abs=0.01)


def test_cells_cover_what_is_admissible_and_touch_their_neighbours() -> None:
    p = cpc.parse(RING, bounds=(-3, 3.1))
    cells = cut(p, 500)
    lower, upper = cells.corners()
    rng = np.random.default_rng(1)
    points = rng.uniform(-3, 3.1, (2000, 2))
    covered = np.array([((lower <= x) & (x <= upper)).all(axis=1).any() for x in points])
    assert covered[p.admissible(points)].all()
    assert not covered.all()
    left, right = cells.touching()
    meet = ((lower[:, None] <= upper[None]) & (upper[:, None] >= lower[None])).all(axis=2)
    expected = {(int(i), int(j)) for i, j in np.argwhere(np.triu(meet, 1))}
    assert set(zip(left.tolist(), right.tolist(), strict=True)) == expected
    inside = (rng.random((len(lower), 2)) * (upper - lower) + lower)[cells.certain]
    assert np.asarray(p.admissible(inside)).all()


# Parts, more variables


@pytest.mark.parametrize(
    ("text", "bounds", "count"),
    [(CUBES, (0, 4), 8), (BALL_IN_SHELL, (-2.2, 2.3), 2), ("x1 + x2 + x3 + x4", (0, 1), 1)],
    ids=["cubes", "ball-in-shell", "everywhere"],
)
def test_parts_by_samples(text: str, bounds: tuple[float, float], count: int) -> None:
    found = components(cpc.parse(text, bounds=bounds), points=800)
    assert found.found == count
    assert found.even
    assert found.unseen.coverage == 1.0
    assert not found.settled


def test_walks_are_told_from_even_draws() -> None:
    rare = cpc.parse("sqrt(1e-3 - x1^2 - x2^2 - x3^2)", bounds=(-1, 1))
    found = components(rare, points=400)
    assert not found.even
    assert found.found == 1
    assert found.share == pytest.approx(4 / 3 * math.pi * 1e-3**1.5 / 8, rel=0.9)


# Joining


def test_ways_and_groups() -> None:
    p = cpc.parse(RING, bounds=(-3, 3.1))
    a, b = np.array([[1.5, 0.0], [1.5, 0.0]]), np.array([[0.0, 1.5], [-1.5, 0.0]])
    assert way_is_admissible(p, a, b, 20).tolist() == [True, False]
    found = groups(5, np.array([0, 3]), np.array([4, 1]))
    assert found[0] == found[4] != found[1] == found[3] != found[2]


def test_one_valley_along_a_curved_crack() -> None:
    """The root is 0 on the inner circle, where all is one valley; a wall across it ends that."""
    p = cpc.parse("(x1^2 + x2^2 - 1)^0.65", bounds=(-3, 3.1))
    wall = cpc.parse("(x1^2 + x2^2 - 1)^0.65 + sqrt(abs(x1) - 0.02)", bounds=(-3, 3.1))
    rng = np.random.default_rng(0)
    a, b = np.array([[0.6, 0.8]]), np.array([[-0.6, 0.8]])
    ceiling = np.array([1e-4])
    assert in_one_valley(p, a, b, ceiling, rng).tolist() == [True]
    assert in_one_valley(wall, a, b, ceiling + 10.0, rng).tolist() == [False]


# Minima


@pytest.mark.parametrize(
    ("text", "bounds", "count", "lowest"),
    one_in(
        2,
        [
            ("x1^2 + (x2 - 0.3)^2", (-1, 2), 1, 1),
            ("(x1^2 - 1)^2 + (x2^2 - 1)^2 + 0.1*x1", (-2, 2.1), 4, 2),
            ("(x1^2 - 1)^2 + (x2^2 - 1)^2 + (x3^2 - 1)^2", (-2, 2.1), 8, 8),
            (SQUARES, (0, 4), 16, 16),
            ("x1 + 0.5*x2 + 0*sqrt(1 - x1^2 - x2^2)", (-2, 2), 1, 1),
            ("(1 - x1)^2 + 10*(x2 - x1^2)^2 + 0*sqrt(1 - x1^2 - x2^2)", (-2, 2), 1, 1),
            ("(x1^2 + x2^2 - 1)^0.65 + 0.1*x1", [(-3, 3.1), (0.1, 3)], 1, 1),
            ("0*sqrt(sin(pi*x1)) - cos(4*pi*x1)", (0, 6), 9, 9),
        ],
    ),
    ids=["bowl", "two-of-four", "eight", "corners", "edge", "curved-edge", "crack", "three-a-part"],
)
def test_minima_are_counted(text: str, bounds: object, count: int, lowest: int) -> None:
    found = local_minima(cpc.parse(text, bounds=np.array(bounds)), starts=80)
    assert len(found.minima) == count
    assert len(found.global_minima) == lowest
    assert found.unseen.coverage > 0.95
    assert 80 - found.stalled <= sum(m.hits for m in found.minima) <= 80


def test_minima_are_where_they_should_be() -> None:
    p = cpc.parse("(x1^2 - 1)^2 + (x2^2 - 4)^2 + 0.1*x1", bounds=(-3, 3))
    found = local_minima(p, starts=60)
    lowest = found.minima[0]
    assert np.abs(lowest.x) == pytest.approx([1.0123, 2.0], abs=1e-4)
    assert lowest.x[0] < 0
    assert [m.value for m in found.minima] == sorted(m.value for m in found.minima)
    assert all(p(m.x) == m.value for m in found.minima)
    edge = local_minima(cpc.parse("x1 + x2 + 0*sqrt(1 - x1^2 - x2^2)", bounds=(-2, 2)), starts=30).minima[0]
    assert edge.value == pytest.approx(-math.sqrt(2), abs=1e-8)


def test_shallow_minima_count_only_if_asked_for() -> None:
    ripples = cpc.parse("x1^2 + 1e-3*sin(40*x1)", bounds=(-1, 1.1))
    assert len(local_minima(ripples, starts=100, prominence=0.0).minima) == 1  # the slope is steeper than the ripples
    ripples = cpc.parse("0.001*x1^2 + 1e-3*sin(40*x1)", bounds=(-1, 1.1))
    assert len(local_minima(ripples, starts=200, prominence=1e-6).minima) == 14
    assert len(local_minima(ripples, starts=200, prominence=1e-2).minima) == 1


def test_searches_keep_to_their_part() -> None:
    """From x1 in (2, 3) the lower values below 1 cannot be reached."""
    p = cpc.parse("0*sqrt(sin(pi*x1)) + x1", bounds=(0, 4))
    start = np.array([[2.5], [0.5]])
    searches = Searches(p, start.copy(), np.asarray(p(start)))
    descend(searches, np.random.default_rng(0))
    assert searches.values == pytest.approx([2.0, 0.0], abs=1e-9)


def test_known_points_are_starts_to_the_last_bit() -> None:
    """One ulp beside the best-known point of CPC-DF10 nothing is as low."""
    p = cpc.problem("CPC-DF10")
    found = local_minima(p, starts=20)
    assert found.minima[0].value == 0.0
    assert found.minima[0].x in {tuple(x) for x in p.best_known.points.tolist()} if p.best_known else False
    without = local_minima(p, starts=20, known=False)
    assert without.minima[0].value > 0.0
    assert without.searches == 20


def test_the_same_seed_gives_the_same_answer() -> None:
    p = cpc.problem("CPC-DF24")
    first, again, other = (modality(p, cells=2000, starts=20, rng=s) for s in (3, 3, 4))
    assert first == again
    assert first.minima != other.minima


def test_the_estimate_of_the_unseen() -> None:
    """Chao's estimate by hand: 5 seen, 3 once, 1 twice, 9 draws."""
    found = unseen([1, 1, 1, 2, 4, 0])
    assert (found.seen, found.singletons, found.doubletons) == (5, 3, 1)
    assert found.expected == pytest.approx(5 + 8 / 9 * 3 * 2 / (2 * 2))
    assert found.coverage == pytest.approx(1 - 3 / 9)
    nothing = unseen([])
    assert (nothing.seen, nothing.expected, nothing.coverage) == (0, 0.0, 0.0)


# Tables and the command


def test_claims_are_shown_beside_what_is_found() -> None:
    found = [modality(cpc.problem("CPC-DF13"), cells=4000, starts=60), modality(cpc.parse(RING, (-3, 3.1)), starts=20)]
    table = claims_table(found)
    assert table.rows[0][:2] == ("CPC-DF13", "multimodal")
    assert table.column("optima claimed") == ["1", None]
    assert table.column("proven apart") == [3, 1]
    assert table.column("parts found") == [3, 1]
    assert table.column("modality claimed")[1] is None
    parts = modality_tables(found[0], shown=2)[1]
    assert len(parts.rows) == 2
    assert "2 of 3" in parts.title


def invoke(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["modality", *words])
    return done.exit_code, done.output


def test_the_command_on_a_formula() -> None:
    code, text = invoke(SQUARES, "--bounds", "0:4", "--cells", "2000", "--starts", "80", "--format", "json")
    assert code == 0, text
    tables = {t["key"]: t for t in json.loads(text)["tables"]}
    assert len(tables["parts-user"]["rows"]) == 4
    assert len(tables["minima-user"]["rows"]) == 16
    assert dict(tables["modality-user"]["rows"])["parts proven apart, at least"] == 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name problems, or say --all"),
        (("CPC-DF3", "--all"), "name problems, or say --all"),
        (("CPC-DF99",), "unknown problem"),
        (("x1", "--bounds", "0:1", "--prominence", "-1"), "prominence is a number from 0 on"),
    ],
    ids=["nothing", "both", "unknown", "prominence"],
)
def test_the_command_refuses(words: tuple[str, ...], message: str) -> None:
    code, text = invoke(*words)
    assert code == 2
    assert message in text


def test_wrong_input_is_named() -> None:
    p = cpc.parse("x1", bounds=(0, 1))
    with pytest.raises(CpcbenchError, match="cells is a whole number from 10 on, not 3"):
        components(p, cells=3)
    with pytest.raises(CpcbenchError, match="starts is a whole number from 1 on, not 0"):
        local_minima(p, starts=0)
    with pytest.raises(CpcbenchError, match="no admissible point of user"):
        local_minima(cpc.parse("ln(-1 - x1^2)", bounds=(0, 1)))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "optima"), [("CPC-DF10", 2), ("CPC-DF11", 4), ("CPC-DF12", 16)])
def test_published_counts_of_optima_are_confirmed(name: str, optima: int) -> None:
    assert len(local_minima(cpc.problem(name)).global_minima) == optima


def test_parts_that_touch_in_corners_are_not_claimed_to_be_one() -> None:
    """Eight squares; the product is 0, and its logarithm undefined, in the corners that they share."""
    found = components(cpc.parse("ln(sin(pi*x1)*sin(pi*x2))", bounds=(0, 4)), cells=3000)
    assert found.at_least <= 8 <= found.solid_groups
    assert not found.settled
