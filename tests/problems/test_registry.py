"""Finding, registering and parsing problems, and the light front door of the package."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from importlib.metadata import EntryPoint
from typing import Any

import numpy as np
import pytest

import cpcbench
from cpcbench.errors import CpcbenchError, FormulaError, UnknownNameError
from cpcbench.expr import variables
from cpcbench.problems import registry
from cpcbench.problems.classics.all import formulas
from cpcbench.problems.problem import Problem
from cpcbench.problems.registry import problem, problems, register
from cpcbench.problems.user import parse

ORDER = [*(f"CPC-DF{i}" for i in range(1, 26)), "F37", "F138", "F170"]
CLASSICS = f"{len(formulas())} classics"


def made(name: str, n: int = 2) -> Problem:
    return Problem(name, variables(n)[0], [0.0] * n, [1.0] * n)


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test starts with nothing registered and no packages installed that add problems."""
    monkeypatch.setattr(registry, "_registered", {})
    monkeypatch.setattr(registry, "_plugins_loaded", True)


def test_the_suite_is_in_order() -> None:
    assert [p.id for p in problems()] == ORDER
    assert {p.rule for p in problems()} == {"ieee"}
    assert {p.rule for p in problems("strict")} == {"strict"}


@pytest.mark.parametrize("name", ["CPC-DF3", "DF3", "df3", "cpc-df3", " Df3 "])
def test_names_are_forgiving(name: str) -> None:
    assert problem(name) is problem("CPC-DF3")


def test_one_object_for_one_problem() -> None:
    assert problem("DF4", n=8) is problem("DF4", n=np.int64(8))  # type: ignore[arg-type]
    assert problem("DF4", n=5) is problem("DF4")
    assert problem("DF4", rule="strict") is not problem("DF4")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("CPC-DF", "did you mean CPC-DF"),
        ("DF26", "did you mean CPC-DF"),
        ("F13", "did you mean F138?"),
        ("F171", "did you mean F170?"),
    ],
)
def test_unknown_names_get_a_hint(name: str, hint: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        problem(name)
    message = str(caught.value)
    assert message.startswith(
        f"unknown problem {name!r}: the suite has CPC-DF1 … CPC-DF25, F37, F138, F170, CPC-CF1 … CPC-CF38, {CLASSICS}; "
    )
    assert hint in message


def test_far_off_names_get_none() -> None:
    with pytest.raises(UnknownNameError) as caught:
        problem("traveller")
    assert (
        str(caught.value) == "unknown problem 'traveller': the suite has CPC-DF1 … CPC-DF25, F37, F138, F170, "
        f"CPC-CF1 … CPC-CF38, {CLASSICS}"
    )


@pytest.mark.parametrize("name", [3, None, ["DF3"], b"DF3"])
def test_names_are_text(name: Any) -> None:
    with pytest.raises(UnknownNameError, match="by its name"):
        problem(name)


def test_rules_are_checked() -> None:
    for ask in (lambda: problem("DF3", rule="lax"), lambda: problems("lax"), lambda: problem("DF3", rule=None)):  # type: ignore[arg-type]
        with pytest.raises(UnknownNameError, match="the rules are 'ieee' and 'strict'"):
            ask()


@pytest.mark.parametrize(
    ("name", "n", "message"),
    [
        ("DF3", 5, "CPC-DF3 has 2 variables and no other size, n = 5"),
        ("F37", 5, "F37 has 4 variables"),
        ("DF4", 1, "CPC-DF4 takes n from 2 to 10,000, not 1"),
        ("DF5", 0, "CPC-DF5 takes n from 1 to 10,000, not 0"),
        ("DF5", -3, "not -3"),
        ("DF5", 10_001, "not 10001"),
        ("DF5", 10**30, "not 1000"),
        ("DF5", 2.0, "whole number of variables, not 2.0"),
        ("DF5", "2", "whole number of variables, not '2'"),
        ("DF5", True, "whole number of variables, not True"),
    ],
)
def test_bad_sizes_are_refused(name: str, n: Any, message: str) -> None:
    with pytest.raises(CpcbenchError, match=message):
        problem(name, n=n)


def test_fixed_sizes_may_be_named() -> None:
    assert problem("DF3", n=2) is problem("DF3")


def test_large_problems_are_built() -> None:
    assert problem("F138", n=10_000).dim == 10_000


# Registered problems


def test_registered_problems_are_found() -> None:
    mine = made("My-Problem")
    register(mine)
    assert problem("my-problem") is mine
    assert problem("my-problem", n=2) is mine
    assert problem("my-problem", rule="strict") == mine.with_rule("strict")
    assert [p.id for p in problems()] == [*ORDER, "My-Problem"]
    with pytest.raises(CpcbenchError, match="My-Problem has 2 variables"):
        problem("my-problem", n=3)
    with pytest.raises(
        UnknownNameError, match=f"F170, CPC-CF1 … CPC-CF38, {CLASSICS}, My-Problem; did you mean My-Problem"
    ):
        problem("my-problm")


def test_lists_and_functions_can_be_registered() -> None:
    register([made("a"), made("b")])
    register(lambda: made("c"))
    register(lambda: [made("d"), made("e")])
    assert [p.id for p in problems()[28:]] == ["a", "b", "c", "d", "e"]


def test_names_are_taken_once() -> None:
    register(made("mine"))
    with pytest.raises(CpcbenchError, match="MINE is registered already"):
        register(made("MINE"))
    other = made("mine", 3)
    register(other, replace=True)
    assert problem("mine") is other
    with pytest.raises(CpcbenchError, match="same id"):
        register([made("twice"), made("Twice")])
    with pytest.raises(UnknownNameError):
        problem("twice")


@pytest.mark.parametrize("name", ["CPC-DF3", "df3", "f170"])
@pytest.mark.parametrize("replace", [False, True])
def test_the_suite_cannot_be_replaced(name: str, replace: bool) -> None:
    with pytest.raises(CpcbenchError, match="of the suite"):
        register(made(name), replace=replace)


@pytest.mark.parametrize("source", [3, None, "DF3", [], [3], lambda: None, lambda: [made("a"), 1]])
def test_only_problems_can_be_registered(source: Any) -> None:
    with pytest.raises(CpcbenchError, match="a Problem, a list of them"):
        register(source)
    assert len(problems()) == 28


def plugins(monkeypatch: pytest.MonkeyPatch, *targets: str) -> None:
    entries = [EntryPoint(name=t, value=f"{__name__}:{t}", group=registry.GROUP) for t in targets]

    def installed(group: str) -> list[EntryPoint]:
        assert group == "cpcbench.problems"
        return entries

    monkeypatch.setattr(registry, "entry_points", installed)
    monkeypatch.setattr(registry, "_plugins_loaded", False)


one_problem = made("plugged")
several = [made("plugged-1"), made("plugged-2")]


def fresh() -> Problem:
    return made("plugged-late")


def broken() -> Problem:
    raise RuntimeError("no such luck")


def taken() -> Problem:
    return made("F37")


def test_installed_packages_add_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    plugins(monkeypatch, "one_problem", "several", "fresh")
    assert [p.id for p in problems()[28:]] == ["plugged", "plugged-1", "plugged-2", "plugged-late"]
    assert problem("plugged") is one_problem


def test_they_are_looked_for_when_needed_only(monkeypatch: pytest.MonkeyPatch) -> None:
    plugins(monkeypatch, "broken")
    assert problem("DF3").id == "CPC-DF3"  # no warning: nothing was loaded


def test_a_broken_package_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    plugins(monkeypatch, "broken", "missing", "taken", "one_problem")
    with pytest.warns(UserWarning, match="could not be loaded") as caught:
        found = problems()
    assert [p.id for p in found[28:]] == ["plugged"]
    messages = [str(w.message) for w in caught]
    assert len(messages) == 3
    assert "'broken'" in messages[0]
    assert "no such luck" in messages[0]
    assert "'missing'" in messages[1]
    assert "'taken'" in messages[2]
    assert "of the suite" in messages[2]
    assert len(problems()) == 29  # and said once


# Formulas of the user's own


def test_parse() -> None:
    p = parse("ln(x1 - x2^2)", bounds=[(0, 1), (-1, 2)])
    assert p.id == "user"
    assert p.bounds == [(0.0, 1.0), (-1.0, 2.0)]
    assert p.names == ("x1", "x2")
    assert p.rule == "ieee"
    assert p.expression is parse("ln(x1 - x2^2)", (0, 1), id="other", rule="strict").expression


def test_one_pair_serves_all_variables() -> None:
    assert parse("x1 + x3", (0, 5)).bounds == [(0.0, 5.0)] * 3
    assert parse("7", (0, 5)).dim == 1
    assert parse("u*v", (0, 5), names=["u", "v"]).bounds == [(0.0, 5.0)] * 2


def test_two_pairs_are_not_one() -> None:
    assert parse("x1", [(0, 1), (2, 3)]).bounds == [(0.0, 1.0), (2.0, 3.0)]


def test_bounds_by_name() -> None:
    p = parse("v - u", {"u": (0, 1), "v": (2, 3)})
    assert p.names == ("u", "v")
    assert p.bounds == [(0.0, 1.0), (2.0, 3.0)]
    q = parse("v - u", {"u": (0, 1), "v": (2, 3)}, names=["v", "u"])
    assert q.names == ("v", "u")
    assert q.bounds == [(2.0, 3.0), (0.0, 1.0)]
    assert p.reference([0.5, 2.5]) == q.reference([2.5, 0.5]) == 2.0


def test_bounds_may_be_arrays_fractions_or_equal() -> None:
    assert parse("x1", np.array([[0, 1], [1, 2]])).bounds == [(0.0, 1.0), (1.0, 2.0)]
    assert parse("x1", np.array([0.5, 1.5])).bounds == [(0.5, 1.5)]
    quarter: Any = Fraction(1, 4)
    assert parse("x1", [(quarter, 1)]).bounds == [(0.25, 1.0)]
    assert parse("x1", [(1, 1)]).bounds == [(1.0, 1.0)]


@pytest.mark.parametrize(
    "bounds",
    [
        None, 3, "01", [], (), {}, [(0,)], [(0, 1, 2)], (0, 1, 2), (0,), [(0, "1")], [(0, None)], [(0, True)],
        [(1, 0)], (1, 0), [(0, float("nan"))], [(float("inf"), float("inf"))], [(0, 10**400)], [(0, 1), 2], [0, (1, 2)],
        [{"a": 1, "b": 2}], {"a": 0, "b": 1}, {"x1": (1, 0)}, {(0, 1)}, [(0, 1j)],
    ],
)  # fmt: skip
def test_bad_bounds_are_refused(bounds: Any) -> None:
    with pytest.raises(CpcbenchError, match="bounds") as caught:
        parse("x1", bounds)
    assert not isinstance(caught.value, FormulaError)


@pytest.mark.parametrize(
    ("names", "bounds", "message"),
    [
        (["a"], [(0, 1), (0, 1)], "1 names but bounds for 2"),
        (["a", "b"], {"a": (0, 1)}, "must be the same"),
        ("a", [(0, 1)], "list of variable names"),
        (["a", "a"], [(0, 1), (0, 1)], "different names"),
        (["sin"], [(0, 1)], "cannot name a variable"),
        ([], (0, 1), "names"),
    ],
)
def test_bad_names_are_refused(names: Any, bounds: Any, message: str) -> None:
    with pytest.raises(CpcbenchError, match=message):
        parse("1", bounds, names=names)


def test_bad_formulas_are_refused() -> None:
    with pytest.raises(FormulaError):
        parse("x1 +", (0, 1))
    with pytest.raises(FormulaError):
        parse("x3", [(0, 1), (0, 1)])
    with pytest.raises(CpcbenchError, match="unknown admissibility rule"):
        parse("x1", (0, 1), rule="lax")


# The package itself


def test_the_public_names() -> None:
    assert cpcbench.problem is problem
    assert cpcbench.register is register
    assert cpcbench.parse is parse
    assert cpcbench.Problem is Problem
    assert cpcbench.CpcbenchError is CpcbenchError
    assert callable(cpcbench.verify)
    assert isinstance(cpcbench.__version__, str)
    assert set(cpcbench.__all__) <= set(dir(cpcbench))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        cpcbench.nonsense  # noqa: B018


def test_problems_is_a_package_that_can_be_called() -> None:
    assert [p.id for p in cpcbench.problems()] == ORDER
    assert cpcbench.problems("strict")[0].rule == "strict"
    assert sys.modules["cpcbench.problems"].registry is registry


IMPORTS = """
import sys
import {what}
heavy = {{"numba", "llvmlite", "gmpy2", "flint", "typer", "rich", "scipy", "matplotlib"}}
print(sorted(heavy & set(sys.modules)))
"""


@pytest.mark.parametrize("what", ["cpcbench", "cpcbench.problems.registry, cpcbench.problems.user"])
def test_importing_loads_nothing_heavy(what: str) -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTS.format(what=what)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_problems_can_be_asked_for_first() -> None:
    """Before anything else has imported the package of the same name."""
    code = "import cpcbench as cpc; print(len(cpc.problems()), len(cpc.problems('strict')), cpc.problem('df3').dim)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["28", "28", "2"]
