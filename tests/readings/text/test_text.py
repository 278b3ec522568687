"""Expressions as text: the round trip, LaTeX, and programs in Python."""

from __future__ import annotations

import importlib.util
import math
import tempfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from cpcbench.errors import CpcbenchError
from cpcbench.expr import Expr, exp, floor, ln, num, pi, sign, sin, sqrt, variables, where
from cpcbench.expr.nodes import double, node
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.walk import postorder
from cpcbench.readings.text import export, formula, latex
from tests.material.expressions import expressions, points, wild_expressions

x1, x2, x3 = variables(3)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(wild_expressions())
def test_formula_reads_back_as_the_same_expression(root: Expr) -> None:
    assert parse_formula(formula(root)) is root


@settings(derandomize=True, deadline=None, max_examples=100)
@given(expressions(n_vars=2))
def test_formula_with_names_reads_back(root: Expr) -> None:
    assert parse_formula(formula(root, names=["speed", "x1"]), names=["speed", "x1"]) is root


@pytest.mark.parametrize(
    ("root", "text"),
    [
        ((x1 + x2) + x3, "x1 + x2 + x3"),
        (x1 + (x2 + x3), "x1 + (x2 + x3)"),
        (x1 - (x2 - x3), "x1 - (x2 - x3)"),
        (x1 * x2 / x3, "x1*x2/x3"),
        (x1 / (x2 * x3), "x1/(x2*x3)"),
        ((x1 + x2) * x3, "(x1 + x2)*x3"),
        (num(-2) ** 2, "(-2)^2"),
        (-(num(2) ** 2), "-2^2"),
        (-x1 * x2, "-x1*x2"),
        (-(x1 * x2), "-(x1*x2)"),
        (x1 * -x2, "x1*(-x2)"),
        (x1 - (-x2 * x3), "x1 - (-x2*x3)"),
        (node("neg", -x1), "-(-x1)"),
        ((x1**x2) ** x3, "(x1^x2)^x3"),
        (x1 ** (x2**x3), "x1^(x2^x3)"),
        (x1 ** num(-0.2), "x1^(-0.2)"),
        (where(x1 < 0, ln(-x1), pi), "where(x1 < 0, ln(-x1), pi)"),
        (num(1e100), "1e100"),
        (num(1e-5), "1e-5"),
        (num(0.001), "0.001"),
        (num(2e7), "2e7"),
        (num(1500), "1500"),
        (num(1.5e-9), "1.5e-9"),
        (num(123456789.123), "123456789.123"),
        (num(0), "0"),
        (x1 < x2, "x1 < x2"),
    ],
)
def test_formula(root: Expr, text: str) -> None:
    assert formula(root) == text


@pytest.mark.slow
def test_deep_formulas_are_written_and_read_back() -> None:
    chain, tower = x1, x1
    for _ in range(100_000):
        chain = chain + x2
        tower = sin(tower)
    assert formula(chain) == "x1" + " + x2" * 100_000
    assert parse_formula(formula(chain)) is chain
    assert parse_formula(formula(tower)) is tower


def test_shared_parts_do_not_blow_up() -> None:
    root = x1
    for _ in range(200):
        root = root + root
    for write in (formula, latex):
        with pytest.raises(CpcbenchError, match="more than 5,000,000 characters"):
            write(root)
    assert repr(root) == "<Expr add of a very long formula>"
    assert len(export(root, "python").text) < 20_000


@pytest.mark.parametrize(
    ("root", "text"),
    [
        (x1 / x2, r"\frac{x_{1}}{x_{2}}"),
        ((x1 / x2) ** 2, r"\left(\frac{x_{1}}{x_{2}}\right)^{2}"),
        (sqrt(x1 + pi), r"\sqrt{x_{1} + \pi}"),
        (ln(x1 - x2**2), r"\ln\left(x_{1} - x_{2}^{2}\right)"),
        (sin(x1) ** 2, r"\sin^{2}\left(x_{1}\right)"),
        (sin(x1) ** num(-1), r"\left(\sin\left(x_{1}\right)\right)^{-1}"),
        (2 * x1, r"2 \, x_{1}"),
        (num(2) * 3, r"2 \cdot 3"),
        (x1 * num(2) ** x2, r"x_{1} \cdot 2^{x_{2}}"),
        (num(1.5e-9) ** x1, r"\left(1.5 \cdot 10^{-9}\right)^{x_{1}}"),
        (abs(x1) * floor(x2), r"\left|x_{1}\right| \, \left\lfloor x_{2} \right\rfloor"),
        (sign(x1), r"\operatorname{sgn}\left(x_{1}\right)"),
        (
            where(x1 <= 0, 1, x1),
            r"\begin{cases} 1 & \text{if } x_{1} \le 0 \\ x_{1} & \text{otherwise} \end{cases}",
        ),
    ],
)
def test_latex(root: Expr, text: str) -> None:
    assert latex(root) == text


def test_latex_names() -> None:
    assert latex(x1 + x2 * x3, names=["a", "alpha2", "flow_rate"]) == r"a + \alpha_{2} \, \mathrm{flow\_rate}"


def _python(text: str, name: str = "f") -> Callable[[list[float]], float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "exported.py"
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location("exported", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    function: Callable[[list[float]], float] = getattr(module, name)
    return function


def _power(a: float, b: float) -> float | None:
    if (a < 0 and b != math.floor(b)) or (a == 0 and b < 0):
        return None
    return math.pow(a, b)


_OPERATIONS: dict[str, Callable[..., float | None]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b if b != 0 else None,
    "neg": lambda a: -a,
    "pow": _power,
    "sqrt": lambda a: math.sqrt(a) if a >= 0 else None,
    "ln": lambda a: math.log(a) if a > 0 else None,
    "arcsin": lambda a: math.asin(a) if abs(a) <= 1 else None,
    "arccos": lambda a: math.acos(a) if abs(a) <= 1 else None,
    "arctan": math.atan,
    "arcsinh": math.asinh,
    "arccosh": lambda a: math.acosh(a) if a >= 1 else None,
    "arctanh": lambda a: math.atanh(a) if abs(a) < 1 else None,
    "log10": lambda a: math.log10(a) if a > 0 else None,
    "log2": lambda a: math.log2(a) if a > 0 else None,
    "log1p": lambda a: math.log1p(a) if a > -1 else None,
    "expm1": math.expm1,
    "cbrt": math.cbrt,
    "erf": math.erf,
    "ceil": lambda a: float(math.ceil(a)),
    "round": lambda a: float(round(a)),
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "exp": math.exp,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "abs": abs,
    "floor": lambda a: float(math.floor(a)),
    "sign": lambda a: 0.0 if a == 0 else math.copysign(1.0, a),
    "whole": lambda a: a if a == math.floor(a) else math.sqrt(-1.0),
    "min": min,
    "max": max,
    "hypot": math.hypot,
    "arctan2": lambda y, x: math.atan2(y + 0.0, x + 0.0),
    "mod": lambda a, b: a % b if b != 0 else None,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "given": lambda a, b: b if a >= 0 else None,
}


def _value(root: Expr, point: list[float]) -> float | None:
    """The value by the definition, one operation at a time; None where it is undefined."""
    values: dict[int, Any] = {}
    for n in postorder(root):
        args = [values[id(a)] for a in n.args]
        if n.op == "where":
            value = None if args[0] is None else args[1] if args[0] else args[2]
        elif n.op in ("const", "pi", "var"):
            value = math.pi if n.op == "pi" else double(n) if n.op == "const" else point[int(n.payload or 0)]
        else:
            try:
                value = None if None in args else _OPERATIONS[n.op](*args)
            except OverflowError:
                value = None
        values[id(n)] = value if value is None or math.isfinite(value) else None
    result: float | None = values[id(root)]
    return result


def test_python_export_agrees_with_the_definition() -> None:
    defined: list[bool] = []

    @settings(derandomize=True, deadline=None, max_examples=250)
    @given(expressions(), points(), points())
    def agrees(root: Expr, first: list[float], second: list[float]) -> None:
        f = _python(export(root, "python", lower=[-6] * 3, upper=[6] * 3).text)
        for point in (first, second):
            expected, got = _value(root, point), f(point)
            defined.append(expected is not None)
            if expected is None:
                assert math.isnan(got)
            else:
                assert got == expected

    agrees()
    assert 0.2 < sum(defined) / len(defined) < 0.95


@pytest.mark.parametrize(
    "root",
    [
        exp(-(x1 * x1)),  # exp of minus infinity is 0
        1 / (x1 * x1),
        (x1 * x1) ** num(-1),
        num(0.5) ** (x1 * x1),
        (x1 * x1) ** 0,
        where(x1 * x1 < 0, 1, 2),
        sign(x1 * x1),
        where(x1 < 0, 0, sqrt(abs(-(x1 * x1)))) / 1,
    ],
)
def test_an_overflow_on_the_way_is_not_forgotten(root: Expr) -> None:
    f = _python(export(root, "python").text)
    assert math.isnan(f([1e200]))
    assert f([3.0]) == _value(root, [3.0])


def test_python_chooses_lazily_and_checks_points() -> None:
    f = _python(export(where(x1 < 0, ln(-x1), ln(x1)), "python", name="CPC-DF3").text, "CPC_DF3")
    assert f([2.0]) == f([-2.0]) == math.log(2.0)
    assert math.isnan(f([0.0]))
    assert math.isnan(f([math.inf]))
    with pytest.raises(ValueError, match="1 coordinates"):
        f([1.0, 2.0])


@pytest.mark.parametrize("name", ["lambda", "math", "x", "LOWER", "1st", "_", "a b);import os#", "float"])
def test_python_is_given_a_usable_name(name: str) -> None:
    text = export(x1 + 1, "python", name=name).text
    word = text.split("def ")[-1].split("(")[0]
    assert word.isidentifier()
    assert _python(text, word)([1.0]) == 2.0


def test_python_takes_deep_formulas_apart() -> None:
    root = x1
    for _ in range(2_000):
        root = sin(root + x2) * 0.5
    assert _python(export(root, "python").text)([0.5, 0.25]) == _value(root, [0.5, 0.25])


def test_constants_are_read_as_the_nearest_double() -> None:
    third = num(Fraction("0.33333333333333333333333333"))
    assert formula(third) == "0.33333333333333333333333333"
    assert "x1*0.3333333333333333;" in export(x1 * third, "ampl").text
    assert "x1*1e22;" in export(x1 * num(10**22), "ampl").text
