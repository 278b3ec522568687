"""Bounds of sums along chains: what the formula's structure proves, and that it never proves too much."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.certify.certificate.form import written
from cpcbench.certify.certificate.schema import BySums, ProvenSum
from cpcbench.certify.checker import check
from cpcbench.certify.checker.extensions.sums import tables as checker_tables
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.certify.lower.sums.chains import Chain
from cpcbench.certify.lower.sums.outer import inner_point, lower_by_structure
from cpcbench.certify.lower.sums.proving import prove_sum
from cpcbench.certify.lower.sums.structure import order_of, sums_of, value_at
from cpcbench.certify.upper.witness import witnesses
from cpcbench.errors import CpcbenchError
from cpcbench.expr import Expr, cos, exp, ln, sin, sqrt, variables
from cpcbench.expr.rewriting import terms
from cpcbench.intervals.boxes import lower_bounds, natural_ranges
from cpcbench.intervals.tables import Table
from cpcbench.intervals.tape import Tape
from tests.material.chain_problems import HARD, PROBLEMS, SLOW, ChainProblem, alternating, gaps

pytestmark = pytest.mark.usefixtures("unhurried")

X = variables(5)


def test_terms_are_flattened_from_left_to_right() -> None:
    a, b, c, d = X[:4]
    assert terms(-(a - (b - -c)) + 2 * d) == [(-1, a), (1, b), (1, c), (1, 2 * d)]


@pytest.mark.parametrize(
    ("root", "found"),
    [
        (sqrt(X[0]) + X[1] * X[1], [[(0,)], [(1,)]]),
        (X[0] * X[1] + ln(X[1]) + X[1] * X[2] + 3, [[(0, 1), (1, 2)]]),
        (X[2] * X[0] + X[1] * X[0] - X[3], [[(0, 1), (0, 2)], [(3,)]]),
        (-ln(5 - X[0] * X[1] - X[1] * X[4]), [[(0, 1), (1, 4)]]),
        (X[0] * X[1] + X[1] * X[2] + X[2] * X[0], None),  # a ring
        (X[0] * X[1] + X[0] * X[2] + X[0] * X[3], None),  # three meet
        (X[0] * X[1] * X[2] + X[3] * X[4], None),
        (X[0] * X[1] + X[0] + 2, None),  # one pair: nothing to take apart
    ],
)
def test_sums_are_found_in_the_formula(root: Expr, found: list[list[tuple[int, ...]]] | None) -> None:
    chains = [[[part.variables for part in chain] for chain in s.chains] for s in sums_of(root)]
    assert chains == ([] if found is None else [found])


def test_two_sums_below_one_root() -> None:
    a, b, c = X[:3]
    root = exp(a**2 + b**2) - ln(sin(a * b) + cos(b * c))
    first, second = sums_of(root)
    assert [len(s.chains) for s in (first, second)] == [2, 1]
    assert {part.variables for part in second.chains[0]} == {(0, 1), (1, 2)}


@pytest.mark.parametrize("name", ["CPC-DF2", "CPC-DF6", "CPC-DF12", "CPC-DF16", "CPC-DF21", "CPC-DF23"])
def test_every_term_is_in_one_part(name: str) -> None:
    for found in sums_of(cpc.problem(name).expression):
        places = sorted(place for chain in found.chains for part in chain for place in part.terms)
        assert places == list(range(len(found.terms)))


@pytest.mark.parametrize(
    "problem", [*PROBLEMS, *(pytest.param(p, marks=pytest.mark.slow, id=p.name) for p in SLOW)], ids=lambda p: p.name
)
def test_the_infimum_is_proven(problem: ChainProblem) -> None:
    found = lower_by_structure(problem.root, problem.bounds, problem.infimum, problem.point, 1e-7, 60.0)
    assert found is not None
    lower, proof = found.bound, found.proof
    assert isinstance(proof, BySums)
    assert lower <= problem.infimum + 1e-12
    assert problem.infimum - lower <= 1e-7 * max(1.0, abs(problem.infimum))
    for entry in proof.sums:
        _is_well_formed(entry)


@pytest.mark.slow
@pytest.mark.parametrize("problem", HARD, ids=lambda p: p.name)
def test_hard_chains_are_bounded_from_below(problem: ChainProblem) -> None:
    found = lower_by_structure(problem.root, problem.bounds, problem.infimum, problem.point, 1e-6, 60.0)
    assert found is not None
    assert -math.inf < found.bound <= problem.infimum + 1e-12


def _is_well_formed(entry: ProvenSum) -> None:
    total = sum((Fraction(link.threshold) for link in entry.links), Fraction(0))
    assert total >= (Fraction(entry.bound) if entry.side == "min" else -Fraction(entry.bound))
    assert sorted(v for link in entry.links for v in link.plus) == sorted(map(int, entry.tables))
    assert sorted(v for link in entry.links for v in link.minus) == sorted(map(int, entry.tables))
    places = sorted(t for link in entry.links for t in link.terms)
    assert places == list(range(len(places)))


@pytest.mark.slow
@pytest.mark.parametrize("problem", [gaps(3), alternating(3)], ids=lambda p: p.name)
def test_nothing_above_the_infimum_is_proven(problem: ChainProblem) -> None:
    """Told that the infimum is larger than it is, the proof stays below it all the same."""
    (found,) = sums_of(problem.root)
    proof = prove_sum(found, "min", problem.bounds, problem.point, -0.05, 4.0)
    assert proof is None or proof.bound <= problem.infimum


def _prepared(problem: ChainProblem, tolerance: float) -> Chain:
    (found,) = sums_of(problem.root)
    (chain,) = found.chains
    links = [found.signed(part, "min") for part in chain]
    work = Chain(order_of(chain), links, problem.bounds, problem.point.tolist(), problem.infimum, tolerance)
    work.prepare(math.inf)
    return work


@pytest.mark.parametrize("problem", [gaps(3), alternating(3)], ids=lambda p: p.name)
def test_the_costs_before_and_after_a_variable_add_up_to_the_infimum(problem: ChainProblem) -> None:
    work = _prepared(problem, 1e-7)
    for layer in work.layers:
        through = layer.before.at + layer.after.at
        assert abs(through.min() - problem.infimum) <= 1e-7
        assert abs(np.interp(problem.point[layer.variable], layer.nodes, through) - problem.infimum) <= 1e-7


def test_the_path_found_is_a_best_one() -> None:
    problem = gaps(4)
    (found,) = sums_of(problem.root)
    links = [found.signed(part, "min") for part in found.chains[0]]
    path = Chain(order_of(found.chains[0]), links, problem.bounds, [0.5] * 4, 0.0, 1e-6).path()
    assert [path[v] for v in range(4)] == pytest.approx(problem.point.tolist(), abs=2e-3)


def test_a_point_that_is_not_the_best_is_seen_through() -> None:
    """Given a worse point, the costs still show what the best is."""
    problem = gaps(3)
    (found,) = sums_of(problem.root)
    links = [found.signed(part, "min") for part in found.chains[0]]
    worse = problem.infimum + 0.01
    work = Chain(order_of(found.chains[0]), links, problem.bounds, [1.0, 0.6, 0.0], worse, 1e-6)
    work.prepare(math.inf)
    assert abs(work.best - problem.infimum) <= 1e-5


def test_a_point_just_outside_is_moved_inside() -> None:
    a, b = X[:2]
    root = sqrt(a - b**2) + sqrt(b - 1)
    outside = np.array([1.0 - 1e-15, 1.0])
    assert math.isnan(value_at(root, outside))
    inside = inner_point(root, [(0.0, 4.0), (0.0, 4.0)], outside)
    assert 0.0 <= value_at(root, inside) < 1e-5


SUITE = ["CPC-DF12", "CPC-DF16", "CPC-DF20", "CPC-DF21", "CPC-DF25"]


@pytest.mark.parametrize("name", ["CPC-DF6", *(pytest.param(name, marks=pytest.mark.slow) for name in SUITE)])
def test_a_chain_of_the_suite_is_proven_and_checked(name: str) -> None:
    problem = cpc.problem(name)
    bounds = [(float(a), float(b)) for a, b in problem.bounds]
    assert problem.best_known is not None
    witness = witnesses(problem.expression, bounds, [problem.best_known.points[0]], rule="strict", seconds=5.0)[0]
    assert witness is not None
    found = lower_by_structure(problem.expression, bounds, witness.upper, witness.x, 1e-9, 60.0)
    assert found is not None
    lower, proof = found.bound, written(found.proof)
    assert 0.0 <= witness.upper - lower <= 1e-9 * max(1.0, abs(witness.upper))
    verdict = check(
        {
            "format": "cpcbench-certificate",
            "version": 1,
            "problem": {"name": name, "formula": problem.formula, "bounds": [list(pair) for pair in bounds]},
            "part": "regular",
            "claim": {"kind": "infimum", "lower": lower, "upper": witness.upper},
            "lower": proof,
            "upper": written(witness.proof),
            "made": {},
        }
    )
    assert verdict.accepted, verdict.reason


JOINED = ([0.0, 1.0, 1.5, 4.0], [1.0, 3.0, -2.0, 5.0])


@pytest.mark.parametrize(
    ("low", "high", "least", "most", "flattest", "steepest"),
    [
        (0.0, 0.5, 1.0, 2.0, 2.0, 2.0),
        (0.5, 1.0, 2.0, 3.0, 2.0, 2.0),
        (0.5, 1.25, 0.5, 3.0, -10.0, 2.0),
        (0.0, 4.0, -2.0, 5.0, -10.0, 2.8),
        (1.5, 4.0, -2.0, 5.0, 2.8, 2.8),
        (1.0, 1.0, 3.0, 3.0, -10.0, 2.0),
    ],
)
def test_joined_tables_on_both_sides(
    low: float, high: float, least: float, most: float, flattest: float, steepest: float
) -> None:
    theirs = checker_tables.read_table({"breaks": JOINED[0], "values": JOINED[1]}, 0.0, 4.0)
    for found, (a, b) in ((theirs.range(low, high), (least, most)), (theirs.slope(low, high), (flattest, steepest))):
        assert found is not None
        assert float(found[0]) == pytest.approx(a, abs=1e-12)
        assert float(found[1]) == pytest.approx(b, abs=1e-12)
    table = Table(0, *JOINED)
    tape = Tape.of([(1, X[0] * 0)], plus=[table])
    ours = natural_ranges(tape, [[low]], [[high]])
    assert ours[0][0] <= least <= ours[0][0] + 1e-12
    assert ours[1][0] - 1e-12 <= most <= ours[1][0]


def test_a_joined_table_takes_many_cells_with_its_slopes() -> None:
    """T(x) - x falls by no more than its slopes say over all cells: one leaf by the mean-value form is enough."""
    nodes = np.linspace(0.0, 1.0, 1001)
    table = Table(0, nodes, 5.0 * nodes)
    tape = Tape.of([(-1, X[0])], plus=[table])
    bound, _ = lower_bounds(tape, [[0.0]], [[1.0]])
    assert -1e-12 <= bound[0] <= 0.0
    assert natural_ranges(tape, [[0.0]], [[1.0]])[0][0] < -0.99


@pytest.mark.parametrize("values", [[1.0, 2.0], [1.0, (2.0, 3.0), 4.0], [1.0, math.inf, 2.0]])
def test_bad_joined_tables_are_refused(values: list[Any]) -> None:
    with pytest.raises(CpcbenchError):
        Table(0, [0.0, 1.0, 2.0], values)
    with pytest.raises(RejectedError):
        checker_tables.read_table({"breaks": [0.0, 1.0, 2.0], "values": values}, 0.0, 2.0)


def test_potentials_leave_every_link_above_its_share() -> None:
    """At random points no link is below its threshold by more than the bound is below the infimum."""
    problem = gaps(4)
    work = _prepared(problem, 1e-6)
    tables = {t.variable: t for t in work.potentials()}
    assert sorted(tables) == [1, 2]
    rng = np.random.default_rng(7)
    seen = 0
    for a, b in rng.random((3000, 2)):
        if a > b:
            seen += 1
            assert -math.log(a - b) + tables[1](a) - tables[2](b) >= -1e-6
    assert seen > 1000


def test_an_unknown_value_proves_nothing() -> None:
    problem = gaps(4)
    assert lower_by_structure(exp(problem.root), problem.bounds, 0.0, np.linspace(0.0, 1.0, 4)) is None
