"""The prover's tapes, tables and trees: what they bound, what they write down, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.certify.lower.tree.grown import closing, from_arrays
from cpcbench.certify.lower.tree.proving import prove
from cpcbench.errors import CpcbenchError
from cpcbench.intervals.boxes import lower_bounds, natural_ranges
from cpcbench.intervals.tables import Table
from cpcbench.intervals.tape import Tape
from cpcbench.studies.feasible.volume import feasible_bounds

pytestmark = pytest.mark.usefixtures("unhurried")

NOWHERE, MAYBE, EVERYWHERE = 0, 1, 2


def tape(text: str, dim: int = 2) -> Tape:
    return Tape.of_formula(cpc.parse(text, bounds=[(-1.0, 1.0)] * dim).expression, dim)


def test_a_removable_quotient_has_no_hole() -> None:
    """sin(pi (x - 2)) / (x - 2) is pi at x = 2; the division by x stays one."""
    filled = tape("sin(pi*(x1 - 2))/(x1 - 2)", 1)
    low, high, state = natural_ranges(filled, [[2.0], [1.9]], [[2.0], [2.1]])
    assert state.tolist() == [EVERYWHERE, EVERYWHERE]
    assert low[0] <= math.pi <= high[0]
    assert low[1] > 3.0
    kept = tape("sin(pi*(x1 - 2))/((x1 - 2)*(x1 - 0.5))", 1)
    assert natural_ranges(kept, [[0.4]], [[0.6]])[2][0] == MAYBE
    assert natural_ranges(kept, [[1.5]], [[2.5]])[2][0] == EVERYWHERE
    other = tape("sin(3*x1)/x2")
    assert natural_ranges(other, [[-0.1, -0.1]], [[0.1, 0.1]])[2][0] == MAYBE


@pytest.mark.parametrize("formula", ["sin(pi*(x1 - 2))/((x1 - 2)*x1)", "sin(pi*x1)/((x1 - 3)*x1)"])
def test_two_divisors_a_whole_number_apart_leave_no_hole(formula: str) -> None:
    filled, plain = tape(formula, 1), cpc.parse(formula, bounds=[(-5, 5)])
    assert natural_ranges(filled, [[-0.1]], [[0.1]])[2][0] == EVERYWHERE
    for x in (-1.3, -0.2, 0.4, 1.1, 2.7, 4.2):
        low, high, _ = natural_ranges(filled, [[x]], [[x]])
        assert low[0] <= plain([x]) + 1e-13
        assert high[0] >= plain([x]) - 1e-13
        assert high[0] - low[0] < 1e-12


def test_conditions_are_numbered_as_in_the_formula() -> None:
    """A link of the last terms has its conditions in the order of the whole, each node its own."""
    whole = cpc.parse("ln(x1) + (x2 + sqrt(x1))^0.5 + sqrt(x2)", bounds=[(0.0, 1.0)] * 2).expression
    first, second = whole.args[0].args[1], whole.args[1]
    link = Tape.of([(1, second), (-1, first)], formula=whole)
    assert list(link.numbers) == sorted(link.numbers)
    assert len(link.numbers) == 3
    halves = tape("x1^0.5 + x1^(1/2)", 1)
    assert len(halves.numbers) == 2


TABLE = Table(1, [0.0, 1.0, 3.0], [(1.0, 2.0), (10.0, -1.0)])


def test_a_table_is_bounded_by_the_cells_that_a_box_overlaps() -> None:
    x = cpc.parse("0*x1", bounds=[(0.0, 1.0)]).expression
    link = Tape.of([(1, x)], plus=[TABLE])
    boxes = [(0.0, 1.0), (0.25, 0.5), (1.0, 2.0), (0.5, 2.0), (1.0, 1.0), (3.0, 3.0)]
    low, high, _ = natural_ranges(link, [[0.0, a] for a, _ in boxes], [[0.0, b] for _, b in boxes])
    np.testing.assert_allclose(low, [1.0, 1.5, 9.0, 2.0, 3.0, 8.0], rtol=1e-12)
    np.testing.assert_allclose(high, [3.0, 2.0, 10.0, 10.0, 10.0, 8.0], rtol=1e-12)
    assert (low <= [1.0, 1.5, 9.0, 2.0, 3.0, 8.0]).all()


def test_minus_a_table_and_its_slope() -> None:
    """x2 - T(x2) has the slope -1 in the first cell: the bound of a wide box is at its right end."""
    x = cpc.parse("0*x1 + x2", bounds=[(0.0, 1.0)] * 2).expression
    link = Tape.of([(1, x)], minus=[TABLE])
    bound, _ = lower_bounds(link, [[0.0, 0.0]], [[0.0, 1.0]])
    assert bound[0] == pytest.approx(-2.0, abs=1e-9)
    natural, _ = lower_bounds(link, [[0.0, 0.0]], [[0.0, 1.0]], slopes=False)
    assert natural[0] == pytest.approx(-3.0, abs=1e-9)


def test_a_tree_splits_at_breakpoints_and_proves_a_sum_with_a_table() -> None:
    x = cpc.parse("(x1 - x2)^2 - x2", bounds=[(0.0, 3.0)] * 2).expression
    link = Tape.of([(1, x)], plus=[TABLE])
    tree = prove(link, [0.0, 0.0], [3.0, 3.0], 1.0 - 1e-6)
    assert tree.complete
    assert any(token.startswith("t1:") for token in tree.text().split())
    assert not prove(link, [0.0, 0.0], [3.0, 3.0], 1.0 + 1e-3, seconds=0.5).complete


@pytest.mark.parametrize(
    ("breaks", "values"),
    [([0.0, 1.0], []), ([0.0, 0.0], [(1.0, 1.0)]), ([0.0, 1.0], [(math.nan, 1.0)]), ([0.0], [])],
)
def test_bad_tables_are_refused(breaks: list[float], values: list[tuple[float, float]]) -> None:
    with pytest.raises(CpcbenchError):
        Table(0, breaks, values)


def test_values_of_a_table() -> None:
    assert [TABLE(x) for x in (0.0, 0.5, 1.0, 3.0)] == [1.0, 2.0, 10.0, 8.0]
    with pytest.raises(CpcbenchError, match="outside the table's range"):
        TABLE(3.5)


def test_bad_input_is_refused() -> None:
    x = cpc.parse("x1 + x3", bounds=[(0.0, 1.0)] * 3).expression
    with pytest.raises(CpcbenchError, match="ascending order"):
        Tape.of([(1, x)], [2, 0])
    with pytest.raises(CpcbenchError, match="sign 1 or -1"):
        Tape.of([(2, x)])
    link = Tape.of([(1, x)])
    assert link.variables == (0, 2)
    with pytest.raises(CpcbenchError, match="shape"):
        lower_bounds(link, [[0.0]], [[1.0]])
    with pytest.raises(CpcbenchError, match="at most its upper corner"):
        lower_bounds(link, [[0.0, 1.0]], [[1.0, 0.0]])
    with pytest.raises(CpcbenchError, match="seconds"):
        prove(link, [0.0, 0.0], [1.0, 1.0], 0.0, seconds=-1.0)
    with pytest.raises(CpcbenchError, match="goes from"):
        lower_bounds(Tape.of([(1, x)], plus=[Table(0, [0.0, 1.0], [(0.0, 0.0)])]), [[0.0, 0.0]], [[2.0, 1.0]])


# Trees


def leaves_cover(tree: object, lower: np.ndarray, upper: np.ndarray, points: np.ndarray) -> bool:
    low, high, _ = tree.leaves()  # type: ignore[attr-defined]
    inside = (points[:, None] >= low).all(axis=2) & (points[:, None] <= high).all(axis=2)
    return bool(inside.any(axis=1).all())


def test_a_smooth_minimum_is_proven_with_a_small_tree() -> None:
    tree = prove(tape("(x1 - 0.3)^2 + (x2 + x1 - 0.2)^2 + cos(x1*x2)"), [-1.0, -1.0], [1.0, 1.0], 0.99)
    assert tree.complete
    assert 0.99 <= tree.bound <= 1.0
    assert tree.open_boxes == 0
    assert len(tree.text().split()) < 400


def test_a_corner_of_a_condition_needs_a_multiplier() -> None:
    """x1 + x2 where x1 >= x2^2 + 0.1: the least is -0.15, on the edge of the domain."""
    flat = tape("x1 + x2 + sqrt(x1 - x2^2 - 0.1)")
    tree = prove(flat, [-2.0, -2.0], [2.0, 2.0], -0.15 - 1e-6)
    assert tree.complete
    assert any(token.startswith("m:") for token in tree.text().split())
    assert len(tree.text().split()) < 1500


def test_a_target_above_the_least_value_is_never_proven() -> None:
    flat = tape("x1 + x2 + sqrt(x1 - x2^2 - 0.1)")
    tree = prove(flat, [-2.0, -2.0], [2.0, 2.0], -0.15 + 1e-7, max_nodes=20_000, seconds=2.0)
    assert not tree.complete
    assert tree.bound <= -0.15
    with pytest.raises(CpcbenchError, match="proves"):
        tree.text(-0.15 + 1e-7)


def test_leaves_cover_the_box_and_are_all_above_the_threshold() -> None:
    rng = np.random.default_rng(5)
    tree = prove(tape("ln(x1 - x2^2) + x2*sin(3*x1)", 2), [0.0, -1.0], [2.0, 1.0], 0.2, seconds=0.3)
    points = rng.uniform([0.0, -1.0], [2.0, 1.0], (300, 2))
    assert leaves_cover(tree, tree.lower, tree.upper, points)
    low, _, bound = tree.leaves(-5.0) if tree.bound > -5.0 else tree.leaves()
    assert len(low) == len(bound)


def test_a_monotone_formula_is_bounded_on_one_face() -> None:
    """It rises with x1 but not with x2: the lower face is left, and only x2 is split."""
    rising = tape("exp(x1) + 2*x1 + x2^4 - x2^2 + 0.1*sin(x1*x2)")
    tree = prove(rising, [-1.0, -1.0], [1.0, 1.0], 10.0, seconds=0.2)
    tokens = tree.text(tree.bound).split()
    assert not tree.complete
    assert tokens[0] == "l0"
    assert all(token[:2] != "s0" for token in tokens)
    low, high, _ = tree.leaves(tree.bound)
    assert (low[:, 0] == high[:, 0]).all()


def test_what_is_left_open_still_has_a_bound_and_can_be_gone_on_with() -> None:
    hard = tape("sin(7*x1)*cos(9*x2) + 0.1*x1*x2 - sqrt(x1 + x2^2)")
    lower, upper, target = [-3.0, -3.0], [3.0, 3.0], -4.903154
    first = prove(hard, lower, upper, target, seconds=0.0)
    assert not first.complete
    assert first.open_boxes > 0
    first.text(first.bound)
    again = from_arrays(hard, first.arrays(), "a tree")
    assert again.bound == first.bound
    resumed = prove(hard, lower, upper, target, state=again, seconds=5.0)
    assert resumed.complete
    assert resumed.boxes > first.boxes
    raised = prove(hard, lower, upper, target + 1e-5, state=resumed, max_nodes=10_000)
    assert not raised.complete
    assert raised.bound >= resumed.target
    assert raised.boxes > resumed.boxes


def test_a_tree_is_only_gone_on_with_for_its_own_formula() -> None:
    one, other = tape("x1 + x2"), tape("x1 - x2")
    tree = prove(one, [0.0, 0.0], [1.0, 1.0], -1.0)
    with pytest.raises(CpcbenchError, match="another formula"):
        from_arrays(other, tree.arrays(), "it")
    with pytest.raises(CpcbenchError, match="another formula"):
        prove(other, [0.0, 0.0], [1.0, 1.0], -1.0, state=tree)
    with pytest.raises(CpcbenchError, match="another box"):
        prove(one, [0.0, 0.0], [2.0, 1.0], -1.0, state=tree)
    with pytest.raises(CpcbenchError, match="no saved tree"):
        from_arrays(one, {"bound": np.zeros(1)}, "it")


def test_progress_is_told() -> None:
    seen: list[tuple[float, int, float]] = []
    prove(tape("x1^2 + x2"), [-1.0, -1.0], [1.0, 1.0], -1.1, progress=lambda *facts: seen.append(facts))
    assert seen
    assert seen[-1][0] >= closing(-1.1) or seen[-1][0] == -1.1


def test_a_goal_below_the_target_ends_the_work_early() -> None:
    wavy = tape("sin(5*x1)*cos(4*x2) + x1*x2")
    early = prove(wavy, [-2.0, -2.0], [2.0, 2.0], -3.0, goal=-4.5)
    late = prove(wavy, [-2.0, -2.0], [2.0, 2.0], -3.0, seconds=1.0)
    assert early.bound >= -4.5
    assert early.boxes < late.boxes


def test_optima_hold_the_lowest_points() -> None:
    tree = prove(tape("x1^4 - 2*x1^2 + 1 + x2^2"), [-2.0, -2.0], [2.0, 2.0], -1e-6)
    boxes = tree.optima(0.0)
    assert boxes is not None
    for x in ([1.0, 0.0], [-1.0, 0.0]):
        assert any(all(a <= c <= b for c, (a, b) in zip(x, box, strict=True)) for box in boxes)
    assert all(abs(abs(0.5 * sum(box[0])) - 1.0) < 0.5 for box in boxes)


# The suite


@pytest.mark.parametrize(
    ("name", "value", "tokens"),
    [("DF9", 0.010979458160558881, 8000), ("DF13", -0.691928524930424, 1000), ("DF14", 0.03125, 2000)],
)
def test_least_values_of_the_suite_are_proven(name: str, value: float, tokens: int) -> None:
    p = cpc.problem(name)
    target = value - 1e-9 * max(1.0, abs(value))
    tree = prove(Tape.of_formula(p.expression, p.dim), p.lower, p.upper, target)
    assert tree.complete
    assert len(tree.text(target).split()) < tokens


def test_no_more_than_what_is_true_is_proven_of_the_suite() -> None:
    """The value is attained, to within its last digits, at an admissible point."""
    p = cpc.problem("DF14")
    tree = prove(Tape.of_formula(p.expression, p.dim), p.lower, p.upper, 0.03125 + 1e-6, max_nodes=5_000, seconds=3.0)
    assert not tree.complete


# Volumes


def test_the_share_of_a_disc() -> None:
    disc = cpc.parse("sqrt(1 - x1^2 - x2^2)", bounds=[(-1.0, 1.0)] * 2)
    low, high, boxes = feasible_bounds(disc.expression, disc.bounds, tolerance=2e-3)
    assert low <= math.pi / 4 <= high
    assert high - low <= 2e-3
    assert boxes > 100


def test_the_share_of_everything_and_of_nothing() -> None:
    inside = cpc.parse("sqrt(x1 + 2)", bounds=[(-1.0, 1.0)])
    low, high, _ = feasible_bounds(inside.expression, inside.bounds)
    assert low == pytest.approx(1.0, abs=1e-12)
    assert low <= 1.0 <= high
    outside = cpc.parse("sqrt(x1 - 2)", bounds=[(-1.0, 1.0)])
    low, high, _ = feasible_bounds(outside.expression, outside.bounds)
    assert low == 0.0
    assert 0.0 <= high < 1e-12


@pytest.mark.parametrize("bounds", [[(1.0, 1.0)], [(0.0, math.inf)], []])
def test_volumes_need_a_box_with_sides(bounds: list[tuple[float, float]]) -> None:
    with pytest.raises(CpcbenchError, match="lower < upper"):
        feasible_bounds(cpc.parse("x1", bounds=[(0.0, 1.0)]).expression, bounds)
