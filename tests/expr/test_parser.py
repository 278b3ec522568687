"""The parser: what formulas mean, and what trouble it points at."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cpcbench.errors import CpcbenchError, FormulaError
from cpcbench.expr import (
    Expr,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    ceil,
    cosh,
    erf,
    floor,
    hypot,
    ln,
    maximum,
    minimum,
    mod,
    num,
    pi,
    product,
    sign,
    sin,
    sinh,
    sqrt,
    tanh,
    total,
    variables,
    where,
)
from cpcbench.expr.nodes import node
from cpcbench.expr.parser import parse_formula

x1, x2, x3, x4, x5 = variables(5)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("x1 - x2 - x3", (x1 - x2) - x3),
        ("x1 - (x2 - x3)", x1 - (x2 - x3)),
        ("x1/x2*x3", (x1 / x2) * x3),
        ("-x1^2", -(x1**2)),
        ("(-x1)^2", (-x1) ** 2),
        ("-x1*x2", (-x1) * x2),
        ("x1*-x2", x1 * (-x2)),
        ("x1--x2", x1 - (-x2)),
        ("x1 - +x2", x1 - x2),
        ("x1^-0.2", x1 ** num(-0.2)),
        ("x1**x2**x3", x1 ** (x2**x3)),
        ("x1^-x2^x3", x1 ** (-(x2**x3))),
        ("2^-x1*3", (2 ** (-x1)) * 3),
        ("1e-5 + .5 + 2. + 1E2", ((num(1e-5) + num(0.5)) + 2) + 100),
        ("0.1", num(0.1)),
        ("log(x1) + ln(x1)", ln(x1) + ln(x1)),
        ("asin(x1) - arcsin(x1)", arcsin(x1) - arcsin(x1)),
        ("atan(sinh(x1)) - cosh(tanh(x1))", arctan(sinh(x1)) - cosh(tanh(x1))),
        ("acos(x1) + asinh(x1) + acosh(x1) + atanh(x1)", arccos(x1) + arcsinh(x1) + arccosh(x1) + arctanh(x1)),
        ("max(x1, x2, x3)", maximum(maximum(x1, x2), x3)),
        ("min(x1, x2) + minimum(x2, x1)", minimum(x1, x2) + minimum(x2, x1)),
        ("hypot(x1, x2, x3)", hypot(hypot(x1, x2), x3)),
        ("atan2(x1, mod(x2, 3))", arctan2(x1, mod(x2, 3))),
        ("np.sin(x1) + numpy.sin(x1)", sin(x1) + sin(x1)),
        ("math.log(x1, 2) - log(x1)", ln(x1) / ln(num(2)) - ln(x1)),
        ("np.pi*scipy.special.erf(x1)", pi * erf(x1)),
        ("np.where(x1 < 0, np.maximum(x1, x2), np.fmin(x1, x2))", where(x1 < 0, maximum(x1, x2), minimum(x1, x2))),
        ("Max(x1, x2, x3) - Min(x1, 2)", maximum(maximum(x1, x2), x3) - minimum(x1, 2)),
        ("Abs(x1) + fabs(x2) + np.absolute(x3)", abs(x1) + abs(x2) + abs(x3)),
        ("pow(x1, 2)*power(x1, x2)", x1**2 * x1**x2),
        ("sqr(x1) + np.square(x1 - x2)", x1 * x1 + (x1 - x2) * (x1 - x2)),
        ("x1.^2 + x1.*x2./3", x1**2 + x1 * x2 / 3),
        ("3.*x1 + 2.^x1", 3 * x1 + 2**x1),
        ("Mod(x1, 2) + np.remainder(x1, 2)", mod(x1, 2) + mod(x1, 2)),
        ("ceiling(x1) - np.rint(x2)", ceil(x1) - node("round", x2)),
        ("erfc(x1) + trunc(x1)", (1 - erf(x1)) + sign(x1) * floor(abs(x1))),
        ("clip(x1, 0, 1)", minimum(maximum(x1, 0), 1)),
        ("arsinh(x1)", arcsinh(x1)),
        ("sgn(x1)*sign(x2)", sign(x1) * sign(x2)),
        ("abs(floor(pi))", abs(floor(pi))),
        ("where(x1 < 0, -x1, sqrt(x1))", where(x1 < 0, -x1, sqrt(x1))),
        ("where(x1 >= x2 + 1, 1, 2)", where(x2 + 1 <= x1, 1, 2)),
        ("where((x1 > 2), 1, 2)", where(num(2) < x1, 1, 2)),
        ("x[2]*x[1 + 2]", x2 * x3),
        ("x[n]^n", x5**5),
        ("\tx1\n+ x2 ", x1 + x2),
    ],
)
def test_meaning(text: str, meaning: Expr) -> None:
    assert parse_formula(text, n=5) is meaning


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("sum(i, 1, n, i*x[i])", total(i * x for i, x in enumerate((x1, x2, x3), start=1))),
        ("sum(i, 1, n-1, x[i+1] - x[i])", (x2 - x1) + (x3 - x2)),
        ("prod(k, 1, 3, sin(x[k]))", product([sin(x1), sin(x2), sin(x3)])),
        ("sum(i, 1, 2, sum(j, i, 2, x[i]^j))", (x1**1 + x1**2) + x2**2),
        ("sum(i, 2, 1, x[i])", num(0)),
        ("prod(i, 2, 1, x[i])", num(1)),
        ("sum(i, -1, 1, i)", (num(-1) + 0) + 1),
        ("1 - sum(i, 1, 2, x[i])*2", 1 - (x1 + x2) * 2),
        ("x[(2^3 - n)/5]", x1),
    ],
)
def test_sums_are_written_out_left_to_right(text: str, meaning: Expr) -> None:
    assert parse_formula(text, n=3) is meaning


def test_names() -> None:
    assert parse_formula("a - n*b", names=["a", "b", "n"]) is x1 - x3 * x2
    assert parse_formula("a + n", names=["a", "b"]) is x1 + 2
    assert parse_formula("x[2]", names=["x2", "x1"]) is x1
    with pytest.raises(FormulaError, match="unknown name 'x1'"):
        parse_formula("x1", names=["a"])
    assert parse_formula("power*square(clip)", names=["power", "clip"]) is x1 * (x2 * x2)


def test_without_a_dimension_any_variable_is_fine_but_n_is_not() -> None:
    assert parse_formula("x3 + x1") is x3 + x1
    with pytest.raises(FormulaError, match="give bounds for all variables"):
        parse_formula("x1 + n")


TROUBLE = [
    ("", 1, "empty"),
    ("  ", 1, "empty"),
    ("2x1", 2, r"write 2\*x1"),
    ("x1 x2", 4, r"write x1\*x2"),
    ("x1(x2)", 3, "operator is missing"),
    ("(x1)(x2)", 5, "operator is missing"),
    ("x1 +", 5, "value is missing at the end"),
    ("* x1", 1, "value is missing before"),
    ("x1 + ) ", 6, "closes no"),
    ("(x1 + (x2)", 1, "never closed"),
    ("(x1]", 4, "closes no"),
    ("()", 2, "value is missing"),
    ("sin x1", 1, r"sin\(\.\.\.\)"),
    ("sin()", 1, "takes 1 argument, not 0"),
    ("1 + sin(x1, x2)", 5, "takes 1 argument, not 2"),
    ("where(x1 < 0, 1)", 1, "takes 3 arguments, not 2"),
    ("max(x1)", 1, "takes 2 arguments, not 1"),
    ("mod(x1, 2, 3)", 1, "takes 2 arguments, not 3"),
    ("min(x1 < 2, 3)", 1, "only be the first argument"),
    ("where(x1, 1, 2)", 1, "comparison first"),
    ("where(x1 < 0, x1 < 1, 2)", 1, "only be the first argument"),
    ("where((0 < x1) < 1, 1, 2)", 16, "only be the first argument"),
    ("x1 < 2", 1, "only be the first argument"),
    ("sin(x1 < 2)", 1, "only be the first argument"),
    ("1,5", 2, "decimals have a point"),
    ("(1,5)", 3, "decimals have a point"),
    ("sinn(x1)", 1, "did you mean sin"),
    ("maximm(x1, 2)", 1, "did you mean maximum"),
    ("x1 + power", 6, r"power\(\.\.\.\)"),
    ("np.x1", 1, "unknown name 'np.x1'"),
    ("1 + os.sin(x1)", 5, "unknown name 'os.sin'"),
    ("log(x1, 2, 3)", 1, "takes 2 arguments, not 3"),
    ("gamma(x1)", 1, "not in the language"),
    ("1 + X1", 5, "did you mean x1"),
    ("qqqq", 1, "unknown name 'qqqq'"),
    ("__import__(x1)", 1, "unknown name"),
    ("__import__('os')", 12, "unexpected character"),
    ("x1.real", 3, "unexpected character '.'"),
    ("x1; x2", 3, "unexpected character"),
    ("x1 × x2", 4, r"write \*"),
    ("x0", 1, "numbered from 1"),
    ("x6", 1, "x1 to x5"),
    ("x[6]", 1, "x1 to x5"),
    ("x[0]", 1, "numbered from 1"),
    ("x[x1]", 3, "whole numbers"),
    ("x[1.5]", 3, "whole numbers"),
    ("x[1/2]", 4, "not a whole number"),
    ("x[9^99]", 4, "not a whole number"),
    ("x1[2]", 3, "only x has an index"),
    ("x", 1, "x needs a number"),
    ("sum", 1, r"sum\(\.\.\.\)"),
    ("sum(i, 1, 2)", 1, "takes 4 arguments"),
    ("sum(2, 1, 2, x1)", 5, "name of its index"),
    ("sum(x1, 1, 2, x1)", 5, "already means something"),
    ("sum(i, 1, 2, sum(i, 1, 2, i))", 18, "already means something"),
    ("sum(i, 1, 2, x1 < i)", 14, "only be the first argument"),
    ("sum(i, 1, 6, x[i])", 14, "there is no x6"),
    ("sum(i, 1, x1, i)", 11, "whole numbers"),
    ("1e999", 1, "constant"),
    ("2 + 1e-999", 5, "constant"),
    ("1e99999999999999999999", 1, "constant"),
    ("9" * 100_000, 1, "constant"),
    ("x" + "9" * 100_000, 1, "there is no x999"),
    ("x1 + " + "q" * 900_000, 6, "unknown name"),
]


@pytest.mark.parametrize(("text", "column", "message"), TROUBLE, ids=[text[:30] for text, _, _ in TROUBLE])
def test_trouble_is_pointed_at(text: str, column: int, message: str) -> None:
    with pytest.raises(FormulaError, match=message) as caught:
        parse_formula(text, n=5)
    assert caught.value.column == column
    assert caught.value.text == text


@pytest.mark.parametrize("text", [None, 3, 1.5, b"x1", ["x1"], x1])
def test_only_text_is_read(text: Any) -> None:
    with pytest.raises(CpcbenchError, match="a formula is text"):
        parse_formula(text)


@pytest.mark.parametrize("n", [0, -1, True, 2.0, "2", 10**9])
def test_bad_dimension(n: Any) -> None:
    with pytest.raises(CpcbenchError, match="whole number"):
        parse_formula("x1", n=n)


@pytest.mark.parametrize("names", ["ab", ["a", "a"], ["sin"], ["pi"], ["a b"], ["1"], [3], ["é"]])
def test_bad_names(names: Any) -> None:
    with pytest.raises(CpcbenchError):
        parse_formula("1", names=names)


def test_names_and_n_must_agree() -> None:
    with pytest.raises(CpcbenchError, match="3 different names"):
        parse_formula("a", n=3, names=["a", "b"])


@pytest.mark.parametrize(
    "text",
    [
        "sum(i, 1, 1000000000000, x1)",
        "sum(i, 1, 10^15, sum(j, 1, 10^15, x1))",
        "sum(i, 1, 1000, sum(j, 1, 1000, sum(k, 1, 1000, x1)))",
        "sum(i, 1, 199999, " + "(" * 2000 + "x1" + ")" * 2000 + ")",
        pytest.param("+".join(["x1"] * 200_002), marks=pytest.mark.slow),
        "x1" + " " * 1_000_000,
    ],
    ids=["long", "longer", "nested", "brackets", "operations", "characters"],
)
def test_too_much_stops_early(text: str) -> None:
    started = time.process_time()
    with pytest.raises(FormulaError, match=r"too many terms|too long|operations|at most"):
        parse_formula(text)
    assert time.process_time() - started < 20.0


def test_sums_nest_to_a_limit() -> None:
    def nested(depth: int) -> str:
        return "".join(f"sum(i{k}, 1, 1, " for k in range(depth)) + "x1" + ")" * depth

    assert parse_formula(nested(16)) is x1
    with pytest.raises(FormulaError, match="at most 16 deep"):
        parse_formula(nested(17))


@pytest.mark.parametrize(
    ("text", "op"),
    [
        ("(" * 100_000 + "x1" + ")" * 100_000, "var"),
        pytest.param("sin(" * 100_000 + "x1" + ")" * 100_000, "sin", marks=pytest.mark.slow),
        pytest.param("-" * 100_000 + "x1", "neg", marks=pytest.mark.slow),
        pytest.param("x1^" * 100_000 + "x2", "pow", marks=pytest.mark.slow),
        pytest.param("x1-(" * 20_000 + "x2" + ")" * 20_000, "sub", marks=pytest.mark.slow),
        ("where(x1<x2,1," * 10_000 + "x3" + ")" * 10_000, "where"),
    ],
    ids=["brackets", "calls", "signs", "powers", "differences", "choices"],
)
def test_deep_nesting_is_read(text: str, op: str) -> None:
    assert parse_formula(text).op == op


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.text(alphabet="x12n.e+-*/^()<=,[] sumlnwherpi$i", max_size=40))
def test_any_text_gives_an_expression_or_a_formula_error(text: str) -> None:
    try:
        result = parse_formula(text, n=2)
    except FormulaError as error:
        trouble = error
    else:
        assert isinstance(result, Expr)
        return
    assert trouble.column is not None
    assert 1 <= trouble.column <= len(text) + 1
