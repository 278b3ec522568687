"""The problems: their sizes, boxes and facts, and the readings that a `Problem` offers."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

from cpcbench.errors import CpcbenchError, PointError, UnknownNameError
from cpcbench.expr import ln, num, variables
from cpcbench.points import as_point, as_points
from cpcbench.problems.facts import BestKnown, facts
from cpcbench.problems.problem import Problem
from cpcbench.problems.registry import SUITE, problem, problems


@pytest.mark.parametrize("id_", [id_ for id_, d in SUITE.items() if d.smallest is not None])
def test_every_size_from_the_smallest_is_built(id_: str) -> None:
    smallest = SUITE[id_].smallest
    assert smallest is not None
    for n in (smallest, 2, 3, 7, 31):
        p = problem(id_, n=n)
        assert p.dim == len(p.lower) == len(p.upper) == len(p.bounds) == n
        assert p.scalable
        assert (p.published is None) == (n != facts(id_).n)
        assert (p.best_known is not None) == (2 <= n <= 10 or not id_.startswith("CPC"))


def test_classics_know_their_minimum_at_every_size() -> None:
    for id_, value in (("F138", 0.0), ("F170", -1.0)):
        for n in (1, 2, 9):
            p = problem(id_, n=n)
            assert p.best_known is not None
            assert p.best_known.points.shape == (1, n)
            assert p.reference(p.best_known.points[0]) == p.best_known.value == value
    assert problem("F37").reference(np.zeros(4)) == 0.0


SMALLEST_1 = {"CPC-DF2", "CPC-DF5", "CPC-DF7", "F138", "F170"}
SMALLEST_2 = {f"CPC-DF{i}" for i in (4, 6, 12, 16, 20, 21, 23, 25)}


def test_sizes() -> None:
    sizes = {1: 2, 2: 5, 3: 2, 4: 5, 5: 5, 6: 4, 7: 3, 12: 5, 16: 5, 18: 4, 19: 6, 20: 5, 21: 5, 23: 5, 25: 3}
    expected = {f"CPC-DF{i}": sizes.get(i, 2) for i in range(1, 26)} | {"F37": 4, "F138": 5, "F170": 5}
    assert {p.id: p.dim for p in problems()} == expected
    assert {id_ for id_, d in SUITE.items() if d.smallest == 1} == SMALLEST_1
    assert {id_ for id_, d in SUITE.items() if d.smallest == 2} == SMALLEST_2
    assert {id_ for id_, d in SUITE.items() if d.smallest is None} == set(SUITE) - SMALLEST_1 - SMALLEST_2


def test_boxes() -> None:
    sides = {2: (0, 10), 4: 512, 5: 6, 7: 10, 8: (0, 14), 9: 10, 10: 10, 11: 6, 14: 10, 15: 5, 16: 512, 18: 5000,
             20: 10, 21: 30, 24: 2 * math.pi, 25: 10}  # fmt: skip
    expected: dict[str, Any] = {f"CPC-DF{i}": sides.get(i, 100) for i in range(1, 26)}
    expected |= {"F37": 500, "F138": 100, "F170": 20}
    for p in problems():
        side = expected[p.id] if isinstance(expected[p.id], tuple) else (-expected[p.id], expected[p.id])
        assert p.bounds == [side] * p.dim


@pytest.mark.parametrize("id_", SUITE)
def test_facts_are_complete(id_: str) -> None:
    p = problem(id_)
    record = p.published
    assert record is not None
    assert p.best_known is not None
    assert p.title
    assert p.title != p.id
    assert p.category == {"F37": "piecewise", "F138": "stepwise", "F170": "numerical"}.get(id_, "domain-induced")
    assert p.separable is (id_ in {"CPC-DF2", "CPC-DF5", "CPC-DF7", "F37", "F138"})
    assert 0 < record.feasible_ratio <= 100
    assert record.feasible_ratio_is_bound is (id_ == "CPC-DF18")
    assert record.rule == p.best_known.rule == "strict"
    assert record.source
    assert record.points.shape[1] == p.dim
    assert math.isfinite(record.value)
    assert p.best_known.value <= record.value + 1e-14 * abs(record.value)
    assert p.best_known.kind == ("proven" if id_.startswith("CPC-") and id_ != "CPC-DF3" else "published")


def test_titles_are_distinct() -> None:
    assert len({p.title for p in problems()}) == len(SUITE)


def test_rules_differ_on_a_thin_set_only() -> None:
    """At x1 = -0.5 the middle exponent of DF14 is -1, and its base may be negative."""
    thin = [-0.5, -2.6]
    assert math.isfinite(problem("DF14").reference(thin))
    assert math.isnan(problem("DF14", rule="strict").reference(thin))
    ordinary = [-5.95, -0.502]
    assert problem("DF14").reference(ordinary) == problem("DF14", rule="strict").reference(ordinary)


# The Problem class


@pytest.fixture(name="own", scope="module")
def own_problem() -> Problem:
    x1, x2 = variables(2)
    return Problem("own", ln(x1 - x2**2), [0.0, -1.0], [2.0, 3.0], names=["a", "b"])


def test_last_axis_is_the_point(own: Problem) -> None:
    grid = np.array([[[0.5, 0.1], [1.0, 0.5], [0.1, 1.0]], [[2.0, -1.0], [0.0, 0.0], [1.5, 1.0]]])
    expected = [[math.log(0.49), math.log(0.75), math.nan], [0.0, math.nan, math.log(0.5)]]
    for values in (own(grid), own.reference(grid)):
        assert values.shape == (2, 3)
        np.testing.assert_allclose(values, expected, rtol=1e-15)
    assert own.admissible(grid).tolist() == [[True, True, False], [True, False, True]]
    assert own.gradient(grid).shape == grid.shape
    for i, j in np.ndindex(2, 3):
        one = own(grid[i, j])
        assert type(one) is float
        assert np.float64(one).tobytes() == own(grid)[i, j].tobytes() or math.isnan(one)
        assert own.admissible(grid[i, j]) is bool(own.admissible(grid)[i, j])
    assert own(np.empty((0, 2))).shape == (0,)
    assert type(own.reference([1.0, 0.5])) is float


def test_gradient(own: Problem) -> None:
    np.testing.assert_allclose(own.gradient([1.0, 0.5]), [1 / 0.75, -1 / 0.75], rtol=1e-14)


def test_threads_do_not_change_values(own: Problem) -> None:
    points = np.random.default_rng(7).uniform(own.lower, own.upper, (1001, 2))
    assert own(points, workers=2).tobytes() == own(points).tobytes()
    for threads in (0, -1, 1.5, "2", True, None):
        with pytest.raises(CpcbenchError, match="threads"):
            own(points, workers=threads)  # type: ignore[arg-type]


@pytest.mark.parametrize("layout", ["list", "tuple", "float32", "int", "read-only", "strided", "unaligned", "swapped"])
def test_every_layout_gives_the_same_value(own: Problem, layout: str) -> None:
    x = np.array([2.0, 1.0])
    raw = np.zeros(17, dtype=np.uint8)
    unaligned = raw[1:].view(np.float64)
    unaligned[:] = x
    frozen = x.copy()
    frozen.flags.writeable = False
    given: dict[str, Any] = {
        "list": [2, 1], "tuple": (2.0, 1.0), "float32": x.astype(np.float32), "int": x.astype(np.int64),
        "read-only": frozen, "strided": np.array([2.0, 9.0, 1.0, 9.0])[::2], "unaligned": unaligned,
        "swapped": x.astype(">f8"),
    }  # fmt: skip
    assert own(given[layout]) == own.reference(given[layout]) == 0.0
    assert own([given[layout]]).tolist() == [0.0]


BAD_POINTS: list[tuple[Any, str]] = [
    ([1.0], r"2 coordinates.*\(1,\)"),
    ([], r"2 coordinates.*\(0,\)"),
    (1.0, r"2 coordinates.*\(\)"),
    ([[1.0, 2.0, 3.0]], r"2 coordinates.*\(1, 3\)"),
    ([[1.0, 2.0], [1.0]], "equal length"),
    (["a", "b"], "text"),
    ([1.0, None], "object"),
    ([1.0, 2j], "complex"),
    ([True, False], "booleans"),
    (None, "object"),
    ("12", "text"),
    ({1.0, 2.0}, "object"),
    ([1.0, math.nan], "x2 is nan"),
    ([math.inf, 1.0], "x1 is inf"),
    ([[1.0, 2.0], [1.0, -math.inf]], "x2 of point 1 .* is -inf"),
    (np.array([1.0, np.longdouble("1e4000")]), "x2 is inf"),
]


@pytest.mark.parametrize(("x", "message"), BAD_POINTS, ids=[repr(x)[:30] for x, _ in BAD_POINTS])
def test_bad_points_are_refused(own: Problem, x: Any, message: str) -> None:
    for reading in (own, own.reference, own.admissible, own.gradient, own.in_box):
        with pytest.raises(PointError, match=message):
            reading(x)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_the_fast_path_refuses_what_is_not_finite(bad: float) -> None:
    p = problem("F170", n=2)
    for x in (np.array([bad, 1.0]), np.array([1.0, bad])):
        with pytest.raises(PointError, match=str(bad)):
            p(x)


def test_points_are_never_changed(own: Problem) -> None:
    x = np.array([[1.0, 0.5], [2.0, 0.5]])
    before = x.tobytes()
    own(x), own.reference(x), own.gradient(x), own.admissible(x), own(x[0])
    assert x.tobytes() == before


def test_points_are_copied_only_when_needed() -> None:
    good = np.array([[1.0, 2.0]])
    assert as_points(good, 2) is good
    for other in (good[:, ::-1], good.astype(np.float32), good.astype(">f8")):
        made = as_points(other, 2)
        assert made.flags.carray
        assert made.dtype == np.dtype(np.float64)
        assert not np.shares_memory(made, good)
    assert as_point([1, 2], 2).tolist() == [1.0, 2.0]
    with pytest.raises(PointError, match="one point"):
        as_point(good, 2)


def test_one_point_readings(own: Problem) -> None:
    assert own.enclosure([1.0, 0.5]).contains(math.log(0.75))
    assert own.error_bound([1.0, 0.5]).value == own.reference([1.0, 0.5])
    with pytest.raises(PointError, match="one point"):
        own.enclosure([[1.0, 0.5]])
    assert len(own.conditions) == 1
    assert own.conditions[0]([1.0, 0.5]) is True
    assert own.conditions[0]([0.1, 0.5]) is False
    assert own.conditions is not own.conditions  # a list of the user's own


def test_text_uses_the_names(own: Problem) -> None:
    assert own.names == ("a", "b")
    assert own.formula == "ln(a - b^2)"
    assert "a" in own.latex
    assert own.export("matlab").text
    assert problem("F138", n=1).formula == "floor(x1 + 0.5)^2"


def test_what_is_not_known_is_none(own: Problem) -> None:
    assert own.title == own.id == "own"
    for fact in (own.separable, own.category, own.published, own.best_known):
        assert fact is None
    assert own.scalable is False
    known = BestKnown(0.0, np.array([[1.0, 0.0]]), "ieee", "by hand", "faithful")
    other = Problem("known", own.expression, own.lower, own.upper, best_known=known)
    assert other.best_known is known
    assert other.with_rule("strict").best_known is known


def test_in_box(own: Problem) -> None:
    assert own.in_box([0.0, 3.0]) is True
    assert own.in_box([0.0, 3.0000000001]) is False
    assert own.in_box([[-1e-300, 0.0], [2.0, -1.0]]).tolist() == [False, True]


def test_with_rule() -> None:
    p = problem("DF14")
    assert p.with_rule("ieee") is p
    strict = p.with_rule("strict")
    assert strict.rule == "strict"
    assert strict == problem("DF14", rule="strict")
    assert strict != p
    assert strict.published is p.published
    with pytest.raises(UnknownNameError, match="unknown admissibility rule 'lax': the rules are 'ieee' and 'strict'"):
        p.with_rule("lax")


def test_nothing_can_be_changed(own: Problem) -> None:
    with pytest.raises(AttributeError, match="cannot be changed"):
        own.rule = "strict"
    with pytest.raises(AttributeError, match="cannot be changed"):
        del own.rule
    p = problem("DF10")
    assert p.published is not None
    assert p.best_known is not None
    for array in (own.lower, own.upper, p.published.points, p.best_known.points):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    p.bounds.clear()
    assert len(p.bounds) == 2


def test_bounds_given_are_copied() -> None:
    lower = np.array([0.0])
    p = Problem("copy", variables(1)[0], lower, [1.0])
    lower[0] = 0.5
    assert p.lower.tolist() == [0.0]


@pytest.mark.parametrize("id_", ["CPC-DF5", "F170"])
def test_pickles(id_: str) -> None:
    p = problem(id_)
    x = np.array([0.75, 0.6, 1.1, 0.8, 0.05])
    before = p(x)  # compiled, and the compiled kernel must not travel
    back = pickle.loads(pickle.dumps(p))  # noqa: S301
    assert back == p
    assert hash(back) == hash(p)
    assert back.expression is p.expression
    assert np.float64(back(x)).tobytes() == np.float64(before).tobytes()
    assert back.published is p.published
    assert not back.best_known.points.flags.writeable
    assert back.best_known.points.tobytes() == p.best_known.points.tobytes()  # type: ignore[union-attr]
    record = pickle.loads(pickle.dumps(p.published))  # noqa: S301
    assert not record.points.flags.writeable


@pytest.mark.slow
def test_pickles_however_deep() -> None:
    deep = variables(1)[0]
    for _ in range(50_000):
        deep = deep + 1
    p = Problem("deep", deep, [0.0], [1.0])
    assert pickle.loads(pickle.dumps(p)) == p  # noqa: S301


def test_shown(own: Problem) -> None:
    assert repr(problem("DF3")) == "<Problem CPC-DF3: n = 2, box [-100, 100]^2, rule ieee>"
    assert str(problem("F37")) == "F37 (Corana), n = 4, box [-500, 500]^4, rule ieee"
    assert str(own) == "own, n = 2, box [0, 2] x [-1, 3], rule ieee"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("", num(1), [0], [1]), "id"),
        ((3, num(1), [0], [1]), "id"),
        (("p", 1.0, [0], [1]), "expression"),
        (("p", num(1) < num(2), [0], [1]), "expression"),
        (("p", variables(2)[1], [0], [1]), "x2"),
        (("p", num(1), [0, 1], [1]), "shapes"),
        (("p", num(1), 0, 1), "shapes"),
        (("p", num(1), [], []), "shapes"),
        (("p", num(1), ["a"], [1]), "real numbers"),
        (("p", num(1), [2], [1]), r"variable 1 are \(2.0, 1.0\)"),
        (("p", num(1), [0, math.nan], [1, 1]), "variable 2"),
        (("p", num(1), [math.inf], [math.inf]), "-inf and inf where there is no bound"),
    ],
)
def test_bad_definitions_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(CpcbenchError, match=message):
        Problem(*arguments)


@pytest.mark.parametrize("names", [["a"], ["a", "a"], ["a", ""], ["a", 2]])
def test_bad_names_are_refused(names: Any) -> None:
    with pytest.raises(CpcbenchError, match="2 different names"):
        Problem("p", num(1), [0, 0], [1, 1], names=names)
