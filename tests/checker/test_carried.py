"""Proofs carried over to another problem: they hold only if its formula and box come from the first, exactly."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from cpcbench.certify.certificate.certificate import Certificate
from cpcbench.certify.checker import check
from cpcbench.certify.checker.extensions.carried import Carried
from cpcbench.errors import CpcbenchError
from tests.checker.test_reach import TREE

FORMULA = "(2*x1 + 0.5)^2 - (2*x1 + 0.5)"


def made(**changes: Any) -> dict[str, Any]:
    """x1^2 - x1 on [-2, 2] with 2*x1 + 0.5 in place of x1."""
    data: dict[str, Any] = {
        "format": "cpcbench-certificate",
        "version": 4,
        "problem": {"name": "example", "formula": FORMULA, "bounds": [[-1.0, 0.5]]},
        "part": "all",
        "claim": {"kind": "infimum", "lower": -0.275, "upper": -0.25},
        "lower": {"by": "tree", "threshold": -0.275, "tree": TREE},
        "upper": {"by": "point", "x": [0.5]},
        "carried": {"formula": "x1^2 - x1", "bounds": [[-2.0, 2.0]], "x": ["2*x1 + 0.5"]},
        "made": {},
    }
    return {**data, **changes}


def about(formula: str, low: float, high: float) -> dict[str, Any]:
    return {"name": "example", "formula": formula, "bounds": [[low, high]]}


def carried(**changes: Any) -> dict[str, Any]:
    return {**made()["carried"], **changes}


def reason(**changes: Any) -> str:
    verdict = check(made(**changes))
    assert not verdict.accepted
    return verdict.reason


@pytest.mark.parametrize("arithmetic", ["arb", "mpfr"])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_true_one_is_accepted_and_says_what_it_rests_on(arithmetic: str, workers: int) -> None:
    verdict = check(made(), arithmetic=arithmetic, workers=workers, problem=(FORMULA, [(-1.0, 0.5)]))
    assert verdict.accepted, verdict.reason
    assert "carried" in verdict.rests_on
    assert verdict.about["formula"] == FORMULA
    assert verdict.about["bounds"] == [[-1.0, 0.5]]


def test_it_is_about_its_own_problem_and_not_about_the_first() -> None:
    for problem in (("x1^2 - x1", [(-2.0, 2.0)]), (FORMULA, [(-2.0, 2.0)]), ("x1^2 - x1", [(-1.0, 0.5)])):
        assert "other" in check(made(), problem=problem).reason


def test_what_is_proven_is_proven_of_the_first() -> None:
    assert not check(made(claim={"kind": "infimum", "lower": -0.2, "upper": -0.15})).accepted
    assert not check(made(upper={"by": "point", "x": [0.4]}, claim=made()["claim"] | {"upper": -0.245})).accepted
    assert not check(made(carried=carried(formula="x1^2 - 2*x1"))).accepted


@pytest.mark.parametrize(
    "formula",
    ["(2*x1 + 0.5)^2 - (2*x1 + 0.25)", "(x1*2 + 0.5)^2 - (x1*2 + 0.5)", "x1^2 - x1", "(2*x1 + 0.5)^2", "-(2*x1 + 0.5)"],
)
def test_the_formula_is_the_first_with_the_form_in_place_of_its_variable(formula: str) -> None:
    assert "another than the one" in reason(problem=about(formula, -1.0, 0.5))


def test_the_box_is_mapped_into_that_of_the_proof() -> None:
    assert check(made(problem=about(FORMULA, -1.25, 0.75))).accepted
    for low, high in ((-1.2500000000000002, 0.5), (-1.0, 0.7500000000000001), (-3.0, 3.0)):
        assert "leaves its bounds" in reason(problem=about(FORMULA, low, high))


def test_the_witness_is_in_the_box() -> None:
    """At the witness the new variable is exactly 0."""
    assert check(made(problem=about(FORMULA, 0.0, 0.5))).accepted
    assert check(made(problem=about(FORMULA, -0.5, 0.0))).accepted
    for low, high in ((5e-324, 0.5), (-0.5, -5e-324)):
        assert "witness" in reason(problem=about(FORMULA, low, high))


def test_a_decimal_is_the_number_written_and_no_double() -> None:
    """0.1*x1 at 5 is 0.5 exactly, although the double 0.1 is larger than a tenth."""
    tenth = {"problem": about("(0.1*x1)^2 - 0.1*x1", 5.0, 20.0), "carried": carried(x=["0.1*x1"])}
    assert check(made(**tenth)).accepted
    assert "leaves" in reason(**tenth | {"problem": about("(0.1*x1)^2 - 0.1*x1", 5.0, 20.000000000000004)})


@pytest.mark.parametrize(
    ("form", "because"),
    [
        ("x1^2", "not affine"),
        ("1/x1", "not affine"),
        ("x1*x1", "not affine"),
        ("sin(x1)", "not affine"),
        ("pi*x1", "not affine"),
        ("x1 + 0*sin(x1)", "not affine"),
        ("x1 + 0*x1^2", "not affine"),
        ("x1 + x1/3", "not affine"),
        ("2^20000*x1 - 2^20000*x1 + x1", "not affine"),
        ("0.5", "one to one"),
        ("0*x1 + 0.5", "one to one"),
        ("x1 - x1", "one to one"),
        ("x2", "cannot be read"),
        (3, "should be text"),
    ],
)
def test_forms_are_affine_and_can_be_solved(form: Any, because: str) -> None:
    formula = f"({form})^2 - ({form})"
    problem = made()["problem"] if form == "x2" else about(formula, 0.1, 0.5)
    assert because in reason(problem=problem, carried=carried(x=[form]))


def test_variables_may_be_mixed_but_not_lost() -> None:
    """x1^2 + x2^2 at 0, rotated and stretched."""
    data = {
        **made(),
        "problem": {
            "name": "two",
            "formula": "(x1 + x2)^2 + (x1 - x2 + 1)^2",
            "bounds": [[-0.75, -0.25], [0.25, 0.75]],
        },
        "claim": {"kind": "infimum", "lower": 0.0, "upper": 0.0, "attained": True},
        "attained": {"by": "bounds"},
        "lower": {"by": "sums", "sums": []},
        "upper": {"by": "point", "x": [0.0, 0.0]},
        "carried": {"formula": "x1^2 + x2^2", "bounds": [[-2.0, 2.0]] * 2, "x": ["x1 + x2", "x1 - x2 + 1"]},
    }
    verdict = check(data)
    assert verdict.accepted, verdict.reason
    assert verdict.attained
    lost = copy.deepcopy(data)
    lost["carried"]["x"] = ["x1 + x2", "x1 + x2"]
    lost["problem"]["formula"] = "(x1 + x2)^2 + (x1 + x2)^2"
    assert "one to one" in check(lost).reason
    moved = copy.deepcopy(data)
    moved["problem"]["bounds"] = [[-0.75, -0.25], [0.5000000000000001, 0.75]]
    assert "witness" in check(moved).reason


def test_on_a_part_of_the_box_only_some_claims_hold() -> None:
    falls = made(
        claim={"kind": "unbounded"}, lower=None, upper={"by": "path", "x": [["0", "1"]]},
        problem=about("ln(2*x1)", 0.25, 0.5), carried={"formula": "ln(x1)", "bounds": [[0.0, 1.0]], "x": ["2*x1"]},
    )  # fmt: skip
    assert "outside of the problem's box" in check(falls).reason
    assert check(falls | {"problem": about("ln(2*x1)", 0.0, 0.5)}).accepted
    never = made(
        claim={"kind": "infimum", "lower": 0.0, "upper": 0.0, "attained": False},
        attained={"by": "approached", "path": {"by": "path", "x": [["0", "1"]]}},
    )
    assert "attained may be decided outside" in check(never).reason


def test_a_domain_that_is_empty_is_so_on_a_part() -> None:
    empty = made(
        claim={"kind": "empty"}, upper=None, lower={"by": "tree", "tree": "."},
        problem=about("sqrt(-1 - (2*x1)^2)", 0.0, 0.5),
        carried={"formula": "sqrt(-1 - x1^2)", "bounds": [[-2.0, 2.0]], "x": ["2*x1"]},
    )  # fmt: skip
    assert check(empty).accepted
    assert not check(empty | {"problem": about("sqrt(1 - (2*x1)^2)", 0.0, 0.5)}).accepted


def test_what_goes_with_it_and_what_does_not() -> None:
    assert "'carried'" in reason(version=3)
    assert "carried" in reason(optima=[[[0.0, 1.0]]])
    assert "carried" in reason(reach={"box": [[-1.0, 1.0]], "tree": "b", "at": []})
    assert "carried" in reason(part="thin")
    assert "is not known" in reason(carried=carried(more=1))
    wrong: Any
    for wrong in ([], 3, "x1", {}, {"x": ["x1"]}, carried(x=[]), carried(x=["x1", "x2"]), carried(bounds=[])):
        assert not check(made(carried=wrong)).accepted


def dense(n: int) -> dict[str, Any]:
    """n variables, each form with all of them."""
    forms = [f"x{k} + 0.001*sum(i,1,{n},x[i])" for k in range(1, n + 1)]
    return made(
        problem={"name": "many", "formula": f"({forms[1]})^2", "bounds": [[-1e-9, 1e-9]] * n},
        claim={"kind": "infimum", "lower": 0.0, "upper": 0.0},
        lower={"by": "sums", "sums": []},
        upper={"by": "point", "x": [0.0] * n},
        carried={"formula": "x2^2", "bounds": [[-2.0, 2.0]] * n, "x": forms},
    )


def test_forms_together_are_no_longer_than_a_formula_may_be() -> None:
    data = dense(25)
    assert check(data).accepted
    data["carried"]["x"] = [f"{form} + 0*sum(i,1,5000,i*x1)" for form in data["carried"]["x"]]
    assert "the forms have more than 200,000 operations" in check(data).reason


def test_the_time_can_run_out_wherever_a_file_can_make_work_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading, putting together and solving n forms of n variables look at the clock as often as they do something."""
    looks: list[int] = []
    monkeypatch.setattr(f"{Carried.__module__}.look_at_clock", lambda: looks.append(1))
    n = 20
    assert check(dense(n)).accepted
    assert len(looks) > n + 2 * n * n + n * (n - 1), "a form read, its operations, and a row taken off another"


def test_numbers_are_put_together_exactly() -> None:
    """10^16 + 2 - 10^16 is 2, which it is not in doubles; what is shared is added up as often as it stands there."""
    form = "(1e16 + 2 - 1e16)*x1 + 0.5"
    data = made(problem=about(f"({form})^2 - ({form})", -1.25, 0.75), carried=carried(x=[form]))
    assert check(data).accepted
    assert Certificate.of(data).x == [0.0]
    form = "((x1 + x1) + (x1 + x1))/1"
    assert "not affine" in reason(problem=about(f"({form})^2 - ({form})", 0.0, 0.5), carried=carried(x=[form]))
    form = "(x1 + x1) + (x1 + x1)"
    data = made(problem=about(f"({form})^2 - ({form})", 0.0, 0.5), carried=carried(x=[form]))
    assert check(data).accepted
    assert Certificate.of(data).x == [0.125]
    assert "leaves" in reason(
        problem=about(f"({form})^2 - ({form})", 0.0, 0.5000000000000001), carried=carried(x=[form])
    )
    with pytest.raises(CpcbenchError, match="has no point"):
        _ = Certificate.of(made(carried=carried(x=["x1 - x1"]))).x
