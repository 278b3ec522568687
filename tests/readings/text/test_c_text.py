"""The exported C, compiled where there is a compiler, gives the kernel's verdicts and values."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.speed.c_peer import c_batch, compiler

import cpcbench as cpc
from cpcbench.expr import sqrt, var
from cpcbench.problems.problem import Problem
from cpcbench.readings.text import export
from cpcbench.studies.agreement import sample
from tests.cases import one_in

needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C compiler on this machine")


@needs_compiler
@pytest.mark.parametrize("p", one_in(2, cpc.problems()), ids=lambda p: p.id)
def test_c_agrees_with_the_kernel(p: Problem) -> None:
    run = c_batch(p)
    assert run is not None
    points = sample(p, 3000, rng=2)
    ours, theirs = p(points), run(points)
    disputed = np.isnan(ours) != np.isnan(theirs)
    assert disputed.mean() < 0.005  # pow(x, 3.0) is not correctly rounded in C, our whole powers are
    both = ~np.isnan(ours) & ~np.isnan(theirs)
    assert both.sum() > 500
    close = np.isclose(ours[both], theirs[both], rtol=1e-12, atol=0.0)
    assert close.mean() > 0.97


@needs_compiler
@pytest.mark.parametrize("rule", ["ieee", "strict"])
def test_every_operation_in_c(rule: str) -> None:
    text = (
        "where(x1 < x2, floor(x1)^3 + sign(x2)*abs(x1), sqrt(x1 - x2) + exp(-x1)/tan(x2)) + arcsin(x1/4)"
        " + x1^x2 + where(x1 <= 0, ln(-x1), x2^-1) + sin(x1)^2 + cos(pi*x2)^0"
    )
    p = cpc.parse(text, (-3, 3), rule=rule)
    run = c_batch(p)
    assert run is not None
    points = np.random.default_rng(0).integers(-6, 7, (4000, 2)) / 2.0
    ours, theirs = p(points), run(points)
    assert np.array_equal(np.isnan(ours), np.isnan(theirs))
    assert 100 < (~np.isnan(ours)).sum() < 3900
    assert np.allclose(ours, theirs, rtol=1e-14, atol=1e-15, equal_nan=True)


def test_the_text_stops_early_and_needs_only_the_math_header() -> None:
    text = cpc.problem("CPC-DF3").export("c").text
    assert text.startswith("#include <math.h>\n\ndouble CPC_DF3(const double *x) {")
    assert text.count("return NAN;") >= 3
    first_test = next(i for i, line in enumerate(text.splitlines()) if "return NAN" in line)
    first_cosine = next(i for i, line in enumerate(text.splitlines()) if "cos(" in line)
    assert first_test < first_cosine, "the polynomial condition is cheaper and is tested first"


@needs_compiler
@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("(2 + sin(x1*x1))^x2", [1e200, 0.0]),
        ("sin(x1*x1)^0 + x2", [1e200, 0.0]),
        ("x1^sin(exp(1000)) + x2", [1.0, 0.0]),
        ("where(x1 < 5, (2 + sin(ln(x1)))^x2, 0)", [-1.0, 0.0]),
    ],
)
def test_a_power_in_c_does_not_hide_an_undefined_part(text: str, x: list[float]) -> None:
    run = c_batch(cpc.parse(text, (-1e300, 1e300)))
    assert run is not None
    assert np.isnan(run(np.array([x]))[0])


@pytest.mark.parametrize("name", ["sin", "return", "NAN", "pow", "while", "INFINITY"])
def test_the_name_of_the_function_is_free_in_c(name: str) -> None:
    text = Problem(name, var(0), [0], [1]).export("c").text
    assert f"double {name}_(const double *x)" in text


def test_boxes_far_out_are_exported() -> None:
    assert "sqrt" in cpc.parse("sqrt(x1)", (1e7, 1e8)).export("c").text
    assert "sqrt" in export(sqrt(var(0)), "c", lower=[1e7], upper=[float("inf")]).text
