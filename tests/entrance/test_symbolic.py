"""SymPy's expressions: there and back gives the same values, and the same places where there are none."""

from __future__ import annotations

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.expr.walk import postorder
from tests.cases import one_in
from tests.material.outside.libraries import library

sympy = library("sympy")
x, y, z = sympy.symbols("x y z")


@pytest.mark.parametrize("name", one_in(4, [p.id for p in cpc.problems()]))
def test_there_and_back_gives_the_same_bits(name: str) -> None:
    problem = cpc.problem(name)
    symbols = [sympy.Symbol(each) for each in problem.names]
    again = cpc.from_sympy(problem.to_sympy(), problem.bounds, symbols)
    assert problem.published is not None
    points = np.random.default_rng(3).uniform(problem.lower, problem.upper, (5000, problem.dim))
    points = np.concatenate([points, problem.published.points])
    assert np.array_equal(problem(points), again(points), equal_nan=True)


def test_functions_are_kept() -> None:
    text = "log1p(x1) + hypot(x1, x2) - max(x1, x2) + arctan2(x2, x1)*mod(x1, 2) + log10(x2) + erf(x1) + ceil(x2)"
    problem = cpc.parse(text, [(0, 1), (0, 1)])
    again = cpc.from_sympy(problem.to_sympy(), problem.bounds, [sympy.Symbol(each) for each in problem.names])
    points = np.random.default_rng(4).uniform(0.0, 1.0, (1000, 2))
    assert np.allclose(problem(points), again(points), rtol=1e-14, atol=1e-14, equal_nan=True)
    assert {"log1p", "hypot", "max", "arctan2", "mod", "log10", "erf", "ceil"} <= {
        n.op for n in postorder(again.expression)
    }


EXPRESSIONS = {
    "roots": sympy.sqrt(x - y) + x ** sympy.Rational(2, 3) - 1 / y**2,
    "functions": sympy.log(x) * sympy.exp(-y) + sympy.sin(x) / sympy.tan(y) + sympy.asin(z) + sympy.acos(z),
    "hyperbolic": sympy.sinh(x) + sympy.asinh(y) + sympy.atanh(z) + sympy.cosh(x - y),
    "constants": sympy.pi * x + sympy.E * y - sympy.Float("0.1") + z / 3 + sympy.sqrt(2),
    "extremes": sympy.Max(x, y, z) - sympy.Min(x, 1) + sympy.Abs(y) + sympy.sign(z),
    "steps": sympy.floor(3 * x) + sympy.ceiling(2 * y) + sympy.Mod(z, 1),
    "pieces": sympy.Piecewise((x, x < y), (y**2, sympy.And(x > 1, ~(y > 0))), (sympy.log(z), sympy.Or(z > 0, x > 2))),
    "equal": sympy.Piecewise((1, sympy.Eq(x, y)), (2, sympy.Ne(y, z)), (3, True)),
}


@pytest.mark.parametrize("name", one_in(3, EXPRESSIONS))
def test_values_are_those_of_sympy(name: str) -> None:
    expression = EXPRESSIONS[name]
    problem = cpc.from_sympy(expression, [(-2, 3), (-1, 2), (-1, 1)], [x, y, z])
    assert problem.names == ("x", "y", "z")
    points = np.random.default_rng(5).uniform(problem.lower, problem.upper, (40, 3))
    defined = 0
    for point in points:
        exact = expression.subs(dict(zip((x, y, z), map(sympy.Float, point.tolist()), strict=True))).evalf(20)
        value = problem(point)
        if exact.is_real and exact.is_finite:
            assert value == pytest.approx(float(exact), rel=1e-12, abs=1e-13), point
            defined += 1
        else:
            assert np.isnan(value), (point, exact)
    assert defined > 5


def test_symbols_and_bounds_must_fit() -> None:
    assert cpc.from_sympy(x + z, [(0, 1), (2, 3)]).names == ("x", "z")
    assert cpc.from_sympy(x + z, (0, 1)).bounds == [(0.0, 1.0)] * 2
    with pytest.raises(cpc.CpcbenchError, match="3 variables"):
        cpc.from_sympy(x + z, [(0, 1)] * 3)
    with pytest.raises(cpc.CpcbenchError, match="not str"):
        cpc.from_sympy("x + z", [(0, 1)] * 2)
    with pytest.raises(cpc.CpcbenchError, match="z beside"):
        cpc.from_sympy(x + z, [(0, 1)], [x])
    with pytest.raises(cpc.CpcbenchError, match="zeta"):
        cpc.from_sympy(sympy.zeta(x), [(0, 1)])
