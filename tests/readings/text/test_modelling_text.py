"""Expressions as models and programs in other languages: LINGO, AMPL, GAMS, MATLAB, and what they have in common."""

from __future__ import annotations

import math
from typing import Any

import pytest

from cpcbench.errors import CpcbenchError, UnknownNameError
from cpcbench.expr import arcsin, floor, ln, num, pi, sign, sin, total, variables, where
from cpcbench.readings.text import LANGUAGES, export

x1, x2, x3 = variables(3)

EXAMPLE = -ln(x1 - x2**2) / (x1 ** num(0.2)) + where(x1 <= x2, x1**x2, 2e7) - num(-2) ** 2 * arcsin(-x1)
BOX: dict[str, Any] = {"lower": [-1, 0.5], "upper": [1, 1e-5 + 1]}


def test_lingo() -> None:
    exported = export(EXAMPLE, "lingo", name="demo", **BOX)
    assert exported.text == (
        "MODEL:\n! demo;\n"
        "MIN = (-@LOG(x1 - x2^2))/x1^0.2 + @IF(x1 #LE# x2, x1^x2, 20000000) - (-2)^2*@ASIN(-x1);\n"
        "@BND(-1, x1, 1);\n@BND(0.5, x2, 1.00001);\nEND\n"
    )
    assert any("variable exponent" in warning for warning in exported.warnings)


def test_lingo_minus_binds_tighter_than_a_power() -> None:
    assert "MIN = -(x1^2);" in export(-(x1**2), "lingo").text
    assert "MIN = (-x1)*x2;" in export(-x1 * x2, "lingo").text


def test_lingo_floor_and_sign_do_not_depend_on_the_version() -> None:
    assert "(@FLOOR(x1) - @IF(x1 #LT# @FLOOR(x1), 1, 0))" in export(floor(x1), "lingo").text
    assert "@IF(x1 #EQ# 0, 0, @SIGN(x1))" in export(sign(x1), "lingo").text


def test_lingo_variables_without_bounds_are_free() -> None:
    assert "@FREE(x1);" in export(x1, "lingo").text
    assert "@FREE(x1);\nx1 <= 2;" in export(x1, "lingo", lower=[-math.inf], upper=[2]).text


def test_ampl() -> None:
    exported = export(EXAMPLE + sign(x1), "ampl", name="demo", **BOX)
    assert exported.text == (
        "var x1 >= -1, <= 1;\nvar x2 >= 0.5, <= 1.00001;\n\nminimize demo:\n"
        "    (-log(x1 - x2^2))/x1^0.2 + (if x1 <= x2 then x1^x2 else 20000000) - (-2)^2*asin(-x1)"
        " + (if x1 > 0 then 1 else if x1 < 0 then -1 else 0);\n"
    )
    assert len(exported.warnings) == 1
    assert export(x1**2, "ampl").warnings == []
    assert export(x1, "ampl").text.startswith("var x1;\n")


def test_gams() -> None:
    exported = export(EXAMPLE, "gams", name="demo", **BOX)
    assert exported.text == (
        "free variables x1, x2, demo;\nequation demo_is;\n"
        "demo_is.. demo =e= (-log(x1 - power(x2, 2)))/x1**0.2 + ifthen(x1 <= x2, x1**x2, 20000000)"
        " - power(-2, 2)*arcsin(-x1);\n"
        "x1.lo = -1;\nx2.lo = 0.5;\nx1.up = 1;\nx2.up = 1.00001;\n"
        "model demo_model / demo_is /;\nsolve demo_model using dnlp minimizing demo;\n"
    )
    assert any("positive bases" in warning for warning in exported.warnings)


def test_gams_keeps_the_domain_of_whole_powers() -> None:
    assert "=e= power(x1, -3);" in export(x1 ** num(-3), "gams").text
    assert "=e= power(x1, 5/5);" in export(x1 ** (num(5) / 5), "gams").text
    assert "=e= x1**(1/5);" in export(x1 ** (num(1) / 5), "gams").text
    assert "using nlp" in export(x1**2, "gams").text
    assert export(x1**2, "gams").warnings == []
    assert any("1e299" in warning for warning in export(x1 * num(1e300), "gams").warnings)


def test_matlab() -> None:
    exported = export(EXAMPLE / (x1 - x2), "matlab", name="demo", **BOX)
    for snippet in (
        "function y = demo(x)\n",
        "% lower = [-1, 0.5];\n% upper = [1, 1.00001];\n",
        "-checked_(log(x(1) - checked_(x(2)^2)))/checked_(x(1)^0.2)",
        "choose_(x(1) <= x(2), @() checked_(x(1)^x(2)), @() 20000000)",
        "checked_((-2)^2)*checked_(asin(-x(1)))",
        "/checked_(x(1) - x(2)));",
    ):
        assert snippet in exported.text
    assert any("complex" in warning for warning in exported.warnings)


def test_long_formulas_are_broken_into_lines() -> None:
    root = total(sin(x1) * k for k in range(1, 200))
    for language, carry in (("python", ""), ("matlab", " ..."), ("lingo", ""), ("ampl", ""), ("gams", "")):
        rows = export(root, language).text.splitlines()
        assert max(map(len, rows)) < 140
        carried = [row for row in rows if row.strip().startswith("+ ")]
        assert len(carried) > 10
        assert all(row.startswith("    ") for row in carried)
        if carry:
            assert all(row.endswith((carry, ";")) for row in carried)


def test_text_and_latex_export() -> None:
    assert export(x1 + x2, "text", names=["a", "b"]).text == "a + b\n"
    assert export(x1 + x2, "latex").text == "\\[\nx_{1} + x_{2}\n\\]\n"


def test_names_that_a_language_cannot_have_are_replaced() -> None:
    assert "var speed;" in export(x1, "ampl", names=["speed"]).text
    for names in (["a", "A"], ["sum", "b"], ["a b", "c"]):
        exported = export(x1 + x2, "gams", names=names)
        assert "free variables x1, x2, f;" in exported.text
        assert len(exported.warnings) == 1
    assert "free variables f, g, f_;" in export(x1 + x2, "gams", names=["f", "g"]).text


@pytest.mark.parametrize("language", ["ampl", "gams", "lingo"])
def test_an_exponent_without_variables_is_not_called_variable(language: str) -> None:
    assert export(x1**pi + x1 ** ln(num(2)), language).warnings == []
    assert export(x1**x2, language).warnings != []


def test_unknown_language() -> None:
    with pytest.raises(UnknownNameError, match=r"'cobol'.*ampl, .*python, text"):
        export(x1, "cobol")
    assert {"python", "matlab", "lingo", "ampl", "gams", "latex", "text"} <= set(LANGUAGES)


@pytest.mark.parametrize(
    "arguments",
    [
        {"lower": [0], "upper": [1]},
        {"lower": [0, 0], "upper": [1]},
        {"lower": [0, math.nan], "upper": [1, 1]},
        {"lower": [0, 2], "upper": [1, 1]},
        {"lower": ["a", "b"], "upper": [1, 1]},
        {"names": ["a"]},
        {"names": "ab"},
        {"names": [1, 2]},
        {"name": ""},
        {"name": 3},
    ],
)
def test_bad_arguments(arguments: dict[str, Any]) -> None:
    with pytest.raises(CpcbenchError):
        export(x1 + x2, "python", **arguments)
