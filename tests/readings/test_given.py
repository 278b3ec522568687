"""`given`: a value where a condition holds, the same in every reading; `undefined`; tests joined by and, or, not."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError, FormulaError
from cpcbench.expr import given, num, sqrt, undefined, var, where
from cpcbench.expr.nodes import Expr, node
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.plain import formula, stated
from cpcbench.expr.rewriting import unlimited
from cpcbench.intervals.boxes import Boxes, lower_bounds
from cpcbench.intervals.tape import Tape
from cpcbench.readings.text import export

X, Y = var(0), var(1)

NUMBERS = (-1.5, -1.0, 0.0, 0.5, 1.0, 2.0)


def test_it_is_the_value_where_the_condition_holds() -> None:
    p = cpc.Problem("given", given(X * X + Y <= 1, X - Y), [-2, -2], [2, 2])
    for x in itertools.product(NUMBERS, repeat=2):
        wanted = x[0] - x[1] if x[0] * x[0] + x[1] <= 1 else math.nan
        assert p(list(x)) == wanted or (math.isnan(wanted) and math.isnan(p(list(x))))
        assert p.reference(list(x)) == wanted or (math.isnan(wanted) and math.isnan(p.reference(list(x))))
        assert p.enclosure(list(x)).defined is (not math.isnan(wanted))
        assert p.admissible(list(x)) is (not math.isnan(wanted))


def test_a_condition_without_a_value_leaves_the_result_without_one_even_in_a_branch() -> None:
    """Its range says that the root is never negative: what is tested is that it exists."""
    root = where(X < 0, num(3), given(num(0) <= sqrt(Y), X))
    p = cpc.Problem("given", root, [-2, -2], [2, 2])
    assert p([-1.0, -1.0]) == 3.0
    assert p([1.0, 1.0]) == 1.0
    assert math.isnan(p([1.0, -1.0]))
    assert math.isnan(p.reference([1.0, -1.0]))


def test_its_gradient_is_that_of_the_value() -> None:
    p = cpc.parse("where(x1 <= 1, x1^2 + x2, undefined)", bounds=[(-2, 2)] * 2)
    assert p.gradient([0.5, 1.0]).tolist() == [1.0, 1.0]
    assert np.isnan(p.gradient([1.5, 1.0])).all()


def test_a_strict_comparison_stays_a_choice() -> None:
    assert where(X <= Y, X, undefined) is given(X <= Y, X)
    assert where(X < Y, undefined, X) is given(Y <= X, X)
    assert where(X < Y, X, undefined).op == "where"
    with pytest.raises(CpcbenchError, match="<= or >="):
        given(X < Y, X)


TEXTS = {
    "where(x1 <= 1, x2, undefined)": given(X <= 1, Y),
    "where(x1 >= 0, x2, undefined)": node("given", X, Y),
    "where(x1 < 1, undefined, x2)": given(num(1) <= X, Y),
    "where(x1 <= 1 and x2 >= 3, x2, undefined)": given(X <= 1, given(num(3) <= Y, Y)),
    "where(not x1 > 1, x2, undefined)": given(X <= 1, Y),
    "where(not (x1 > 1 or x2 < 3), x2, undefined)": given(X <= 1, given(num(3) <= Y, Y)),
    "where(1 <= x1 <= 2, x2, undefined)": given(num(1) <= X, given(X <= 2, Y)),
    "where(x1 == x2, 1, undefined)": given(X <= Y, node("given", -(Y - X), num(1))),
    "where(x1 == x2, 1, 2)": where(X <= Y, where(Y <= X, 1, 2), num(2)),
    "where(x1 < 1 || !(x2 < 1), 1, 2)": where(X < 1, num(1), where(Y < 1, 2, 1)),
    "where(x1 != 1 && x2 < 1, 1, 2)": where(X <= 1, where(num(1) <= X, num(2), where(Y < 1, 1, 2)), where(Y < 1, 1, 2)),
    "where(x1 < 0, x2, undefined)": node("where", X < 0, Y, undefined),
    "undefined": undefined,
}


@pytest.mark.parametrize("text", TEXTS)
def test_texts_mean_what_they_say_and_are_read_back(text: str) -> None:
    read = parse_formula(text)
    assert read is TEXTS[text]
    assert parse_formula(formula(read)) is read


@pytest.mark.parametrize(
    ("test", "holds"),
    [
        ("a and b", lambda a, b: a and b), ("a or b", lambda a, b: a or b), ("not a", lambda a, b: not a),
        ("not a or b and not a", lambda a, b: not a), ("not (a and b)", lambda a, b: not (a and b)),
        ("a and b or not a and not b", lambda a, b: a == b), ("not (a or b) or a", lambda a, b: not (a or b) or a),
    ],
)  # fmt: skip
def test_joined_tests_bind_as_in_python(test: str, holds: Any) -> None:
    root = parse_formula(
        f"where({test.replace('a', 'x1 < 0').replace('x1 < 0nd', 'and').replace('b', 'x2 < 0')}, 1, 2)"
    )
    p = cpc.Problem("joined", root, [-1, -1], [1, 1])
    for a, b in itertools.product((False, True), repeat=2):
        assert p([-1.0 if a else 1.0, -1.0 if b else 1.0]) == (1 if holds(a, b) else 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x1 and x2", "and joins comparisons"),
        ("where(x1 and x2 < 1, 1, 2)", "and joins comparisons"),
        ("where(not x1, 1, 2)", "not joins comparisons"),
        ("(x1 < 1) + 2", "only be the first argument"),
        ("where(x1 = 1, 1, 2)", "write =="),
        ("x1 not x2", "operator is missing"),
        ("undefined(x1)", "operator is missing"),
    ],
)
def test_trouble_with_tests_is_pointed_at(text: str, words: str) -> None:
    with pytest.raises(FormulaError, match=words):
        parse_formula(text)


def test_a_long_chain_of_tests_is_read_without_recursion() -> None:
    text = "where(" + " and ".join(["x1 <= 1"] * 20_000) + ", x1, undefined)"
    assert parse_formula(text).op == "given"


def test_what_was_stated_is_said_again() -> None:
    assert (
        stated(given(X * X + Y <= 1, X).args[0]) == "x1^2 + x2 <= 1"
        or stated(given(X * X + Y <= 1, X).args[0]) == "x1*x1 + x2 <= 1"
    )
    assert stated(given(num(0) <= X, X).args[0]) == "0 <= x1"


def test_what_every_point_needs_is_taken_apart() -> None:
    inner = given(X <= 1, X)
    root = given(Y <= 2, inner + where(X <= 0, undefined, given(Y <= 3, Y)))
    plain, conditions = unlimited(root)
    assert conditions == [num(1) - X, num(2) - Y]
    assert plain is X + where(X <= 0, undefined, given(Y <= 3, Y))


LIMITED = "where(x1 <= x2, where(x1^2 + x2^2 <= 1, x1 + x2, undefined), undefined)"


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("ampl", "subject to c1: x1^2 + x2^2 <= 1;\nsubject to c2: x1 <= x2;"),
        ("gams", "c1.. power(x1, 2) + power(x2, 2) =l= 1;\nc2.. x1 =l= x2;"),
        ("lingo", "MIN = x1 + x2;\nx1^2 + x2^2 <= 1;\nx1 <= x2;"),
        ("latex", r"x_{1} + x_{2}, \quad x_{1}^{2} + x_{2}^{2} \le 1, \quad x_{1} \le x_{2}"),
        ("text", LIMITED),
    ],
)
def test_languages_say_it_their_way(language: str, words: str) -> None:
    assert words in export(parse_formula(LIMITED), language).text


def test_a_modelling_language_has_no_word_for_undefined_in_a_branch() -> None:
    with pytest.raises(CpcbenchError, match="one branch of where"):
        export(parse_formula("where(x1 < 1, x2, undefined)"), "ampl")


def test_the_python_text_gives_the_same_values() -> None:
    p = cpc.parse(LIMITED, bounds=[(-2, 2)] * 2, id="limited")
    space: dict[str, Any] = {}
    exec(p.export("python").text, space)  # noqa: S102
    for x in itertools.product(NUMBERS, repeat=2):
        ours, theirs = p(list(x)), space["limited"](list(x))
        assert ours == theirs or (math.isnan(ours) and math.isnan(theirs))


def test_boxes_know_where_it_is_defined() -> None:
    low, high, state = Boxes(given(X <= 1, X))([[0.0], [2.0], [0.0]], [[1.0], [3.0], [2.0]])
    assert state.tolist() == [2, 0, 1]
    assert (low[0], high[0]) == (0.0, 1.0)
    lower, upper, alive = Boxes(given(X <= 1, X)).cut([[0.0]], [[4.0]])
    assert alive.all()
    assert (lower[0, 0], 1.0 <= upper[0, 0] < 1.0 + 1e-12) == (0.0, True)


def test_the_mean_value_form_has_multipliers_for_it() -> None:
    """x + y where x^2 + y^2 <= 1, around its optimum: without the condition the slopes lead out of the box."""
    root: Expr = given(X * X + Y * Y <= 1, X + Y)
    middle, size = -math.sqrt(0.5), 1e-4
    low, state = lower_bounds(Tape.of_formula(root, 2), [[middle - size] * 2], [[middle + size] * 2])
    assert state.tolist() == [1]
    assert -math.sqrt(2.0) - 1e-6 < low[0] <= -math.sqrt(2.0)
