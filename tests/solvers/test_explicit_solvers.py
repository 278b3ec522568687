"""The solvers that read the formula: what they are handed is the problem, and what they cannot take they name."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.expr.functions import PAIRS
from cpcbench.solvers.adapters import explicit
from cpcbench.solvers.registry import LIBRARIES, solver
from cpcbench.solvers.run import Outcome, run_once
from tests.material.outside.libraries import library

NAMES = ["maingo", "scip"]
FLOATS: dict[str, Any] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "neg": operator.neg,
    "pow": operator.pow, "sqrt": math.sqrt, "ln": math.log, "exp": math.exp, "sin": math.sin, "cos": math.cos,
    "tan": math.tan, "arcsin": math.asin, "abs": abs,
}  # fmt: skip
ALL = [p.id for p in cpc.problems() if p.id.startswith("CPC")]


def run(name: str, problem: cpc.Problem, **options: Any) -> Outcome:
    library(LIBRARIES[name])
    return run_once(problem, solver(name), 1, **{"seconds": 10.0, **options})


@dataclass
class Number:
    """A float that stands for an expression with variables in it."""

    value: float


def lifted(operation: Any) -> Any:
    return lambda *a: Number(operation(*[x.value if isinstance(x, Number) else x for x in a]))


@pytest.mark.parametrize("name", ALL)
def test_the_translation_is_the_formula_and_its_conditions(name: str) -> None:
    """In plain floats, at the best known point: the same value, and every constraint within rounding."""
    problem = cpc.problem(name)
    assert problem.best_known is not None
    x = problem.best_known.points[0]
    if math.isnan(problem(x)):
        pytest.skip("the best known point is admissible under another rule")
    table = {op: lifted(f) for op, f in FLOATS.items()}
    whole = explicit.translated(problem, [Number(v) for v in x], table, "test", 0.0)
    assert whole.value.value == pytest.approx(problem(x), rel=1e-6, abs=1e-6)
    thin = any(c.exponent is not None for c in problem.conditions)
    assert thin or all(g.value >= -1e-9 for g, _ in whole.at_least)
    assert len(whole.at_least) >= sum(c.relation != "finite" for c in problem.conditions)


def test_functions_made_of_others_have_their_values() -> None:
    table = {op: lifted(f) for op, f in FLOATS.items()}
    for op in explicit.made_of(table):
        x = [1.7, 0.4] if op == "arccosh" else [0.3, -0.4]
        problem = cpc.parse(f"{op}({'x1, x2' if op in PAIRS else 'x1'})", bounds=[(-5.0, 5.0)] * 2)
        found = explicit.translated(problem, [Number(v) for v in x], table, "test", 0.0)
        assert found.value.value == pytest.approx(problem(x), rel=1e-13), op


@pytest.mark.parametrize("name", NAMES)
def test_functions_made_of_others_are_minimised(name: str) -> None:
    problem = cpc.parse("max(x1, 1 - x1) + log10(x2 + 2) + expm1(x2)^2", bounds=[(-1.0, 2.0), (0.0, 1.0)])
    found = run(name, problem)
    assert found.x is not None
    assert found.x == pytest.approx((0.5, 0.0), abs=1e-3)


@pytest.mark.parametrize(("name", "slack"), [("maingo", 1e-12), ("scip", 1e-6)])
def test_constants_keep_their_digits(name: str, slack: float) -> None:
    """What they claim is the value of the formula in doubles, not of one with rounded constants."""
    problem = cpc.parse("(x1 - 0.1)^2 + 0.7/3*x2 + ln(1.3 + x2)", bounds=[(-1.0, 2.0), (-0.3, 1.1)])
    found = run(name, problem)
    assert found.x is not None
    assert found.x == pytest.approx((0.1, -0.3), abs=1e-3)
    assert found.value == pytest.approx(problem(found.x), abs=slack)


@pytest.mark.parametrize("name", NAMES)
def test_hidden_conditions_are_kept(name: str) -> None:
    """Lowest where the root begins; beyond it the formula is undefined."""
    problem = cpc.parse("x1 + sqrt(x1 - 0.4) + (x2 + 2)^0.3 + arcsin(x2)^2", bounds=[(-1.0, 2.0), (-3.0, 1.5)])
    found = run(name, problem)
    assert found.x is not None
    assert found.x[0] == pytest.approx(0.4, abs=1e-4)
    assert found.evaluations == 1


@pytest.mark.parametrize("name", NAMES)
def test_variable_exponents_and_divisors_of_both_signs(name: str) -> None:
    problem = cpc.parse("x1^x2 + 1/(x2 - 0.5)", bounds=[(-0.5, 2.0), (-1.0, 0.4)])
    found = run(name, problem)
    grid = np.stack(np.meshgrid(np.linspace(1e-6, 2.0, 400), np.linspace(-1.0, 0.4, 400)), axis=-1)
    assert found.value is not None
    assert found.value <= np.nanmin(problem(grid)) + 1e-3


@pytest.mark.parametrize("name", NAMES)
def test_nothing_admissible_is_no_point(name: str) -> None:
    found = run(name, cpc.parse("ln(-1 - x1^2) + x2", bounds=[(-3.0, 4.0), (-2.0, 5.0)]))
    assert (found.status, found.x) == ("finished", None)
    assert "found no point" in found.message or "gave up" in found.message


@pytest.mark.parametrize(("name", "formula", "words"), [
    ("maingo", "floor(x1)", "MAiNGO has no operation 'floor'"),
    ("scip", "sign(x1) + x1", "SCIP has no operation 'sign'"),
    ("scip", "where(x1 < 0, x1, -x1)", "SCIP has no operation 'lt'"),
])  # fmt: skip
def test_an_operation_that_is_missing_is_named(name: str, formula: str, words: str) -> None:
    found = run(name, cpc.parse(formula, bounds=[(-1.0, 2.0)]))
    assert found.status == "failed"
    assert words in found.message


def test_scip_has_a_floor_by_a_whole_variable() -> None:
    found = run("scip", cpc.parse("floor(x1 + 0.5)^2 + (x1 - 0.7)^2", bounds=[(-5.0, 5.0)]))
    assert found.x == pytest.approx((0.5,), abs=1e-3)


def test_a_formula_too_large_is_refused() -> None:
    problem = cpc.problem("CPC-DF2", n=2000)
    with pytest.raises(CpcbenchError, match=r"operations written out: up to 20000"):
        explicit.translated(problem, [], FLOATS, "SCIP", 0.0)


@pytest.mark.parametrize("name", NAMES)
def test_no_files_are_left_behind(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(name, cpc.parse("x1^2 + ln(x1 + 0.5)", bounds=[(-1.0, 2.0)]))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_same_answer_again(name: str) -> None:
    problem = cpc.parse("(ln(x1) - 0.3)^2 + sqrt(x2 - 0.1)", bounds=[(-3.0, 4.0), (-2.0, 5.0)])
    first, second = run(name, problem), run(name, problem)
    assert (first.x, first.value) == (second.x, second.value)
