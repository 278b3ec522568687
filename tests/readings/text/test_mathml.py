"""The formula as MathML: well formed, and still the same formula."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import assume, given, settings

import cpcbench as cpc
from cpcbench.expr import Expr, variables
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.walk import postorder
from cpcbench.readings.text import mathml
from tests.material.expressions import expressions

SIGNS = {"−": "-", "·": "*", "\u2062": "*", "\u2061": "", "≤": "<="}
FENCES = {"|": "abs(", "⌊": "floor(", "⌈": "ceil("}


def read_back(element: ElementTree.Element) -> str:
    """The formula a MathML element shows, as text; a browser shows what is written here and nothing else."""
    inner = [read_back(child) for child in element]
    match element.tag:
        case "mn" | "mi":
            return {"π": "pi", "sgn": "sign"}.get(element.text or "", element.text or "")
        case "mo":
            return SIGNS.get(element.text or "", element.text or "")
        case "mtext":
            return "undefined" if element.text == "undefined" else ""
        case "msub":
            return "".join(inner)
        case "mfrac":
            return f"(({inner[0]})/({inner[1]}))"
        case "msup":
            scale = inner[0] == "10" and re.fullmatch(r"-?[0-9]+", inner[1])
            return f"1e{inner[1]}" if scale else f"({inner[0]})^({inner[1]})"
        case "msqrt":
            return f"sqrt({''.join(inner)})"
        case "mroot":
            return f"cbrt({inner[0]})"
        case "mtable":
            (value, condition), (other, _) = ([read_back(cell) for cell in row] for row in element)
            return f"where({condition}, {value}, {other})"
        case "mrow" if element.get("class") == "given":
            return f"where({inner[3]}, {inner[0]}, undefined)"
        case "mrow" if inner and inner[0] in FENCES:
            return FENCES[inner[0]] + "".join(inner[1:-1]) + ")"
        case "mrow" if inner and inner[0] == "{":
            return "".join(inner[1:])
        case _:
            return "".join(inner)


def shown(root: Expr) -> str:
    text = read_back(ElementTree.fromstring(mathml(root)))  # noqa: S314 - our own text
    return re.sub(r"(?<![\w.])([0-9.]+)\*1e", r"\1e", text)


def multiplies_numbers(root: Expr) -> bool:
    """2 · 10⁻⁵ is how both the product and the number 2e-5 are shown."""
    return any(n.op == "mul" and n.args[1].op == "const" and n.args[0].op in ("const", "mul") for n in postorder(root))


@settings(derandomize=True, deadline=None, max_examples=120)
@given(expressions(n_vars=3))
def test_mathml_shows_the_same_expression(root: Expr) -> None:
    assume(not multiplies_numbers(root))
    assert parse_formula(shown(root), n=3) is root


@pytest.mark.parametrize("id_", [p.id for p in cpc.problems()])
def test_the_suite(id_: str) -> None:
    p = cpc.problem(id_)
    assert parse_formula(shown(p.expression), n=p.dim) is p.expression
    assert cpc.problem(id_).export("mathml").text.startswith("<math xmlns=")


def test_names_are_text() -> None:
    (x,) = variables(1)
    assert "<script>" not in mathml(x, names=["<script>"])
