"""Statements read back operation by operation: formulas of the suite are the problems', and so are the conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from benchmarks.theorems.__main__ import FORMAL, other_axioms, remarks

import cpcbench as cpc
from cpcbench.certify.certificate.library import certificate
from cpcbench.certify.coq.language import Formula
from cpcbench.certify.coq.theorem import LEFT_OUT, theorem
from cpcbench.expr.nodes import Expr
from tests.certify.coq.statements import WORDS, Statement

NAMES = {
    "Rabs": "abs", "sqrt": "sqrt", "ln": "ln", "exp": "exp", "sin": "sin", "cos": "cos", "asin": "arcsin",
    "power": "pow", "+": "add", "-": "sub", "*": "mul", "/": "div", "^": "pow",
}  # fmt: skip


def read(text: str) -> tuple[Any, ...]:
    """What stands between parentheses, as nested tuples; so no precedence is asked for."""
    words = iter(WORDS.findall(text))

    def inside() -> Iterator[Any]:
        for word in words:
            if word == ")":
                return
            yield group(tuple(inside())) if word == "(" else atom(word)

    return tuple(inside())


def atom(word: str) -> Any:
    if word.isdigit():
        return Fraction(word)
    return ("var", int(word[1:]) - 1) if re.fullmatch(r"x\d+", word) else ("pi",) if word == "PI" else word


def group(items: tuple[Any, ...]) -> Any:
    """A number, a sign, a call or one operation; else the items as they are, which no formula has."""
    if len(items) == 1:
        return items[0]
    if items[0] == "-" and len(items) == 2:
        return made("neg", items[1])
    if items[0] == "-" and items[2:3] == ("/",):  # a negative fraction
        return made("div", made("neg", items[1]), items[3])
    if isinstance(items[0], str):
        return made(NAMES[items[0]], *items[1:])
    return made(NAMES[items[1]], items[0], items[2]) if len(items) == 3 and items[1] in NAMES else items


def made(op: str, *args: Any) -> Any:
    """An operation; fractions are numbers, and the square of a product of two alike is a power."""
    if op == "neg" and isinstance(args[0], Fraction):
        return -args[0]
    if op == "div" and all(isinstance(arg, Fraction) for arg in args) and args[1]:
        return args[0] / args[1]
    return ("pow", args[0], Fraction(2)) if op == "mul" and args[0] == args[1] else (op, *args)


def meant(node: Expr, asked: set[Any]) -> Any:
    """The same of a problem's own expression; what it takes to be defined is gathered."""
    if node.op == "const":
        return Fraction(node.payload or 0)
    if node.op == "var":
        return ("var", node.payload)
    if node.op == "pow":
        return meant_power(node, asked)
    args = [meant(arg, asked) for arg in node.args]
    zero, one = Fraction(0), Fraction(1)
    if node.op == "sqrt":
        asked.add((zero, "<=", args[0]))
    elif node.op == "ln":
        asked.add((zero, "<", args[0]))
    elif node.op == "arcsin":
        asked.add(("-", one, "<=", args[0], "<=", one))
    elif node.op == "div":
        asked.add((args[1], "<>", zero))
    return made(node.op, *args)


def meant_power(node: Expr, asked: set[Any]) -> Any:
    """Quotients of numbers in an exponent ask for nothing."""
    within: set[Any] = set()
    base, exponent, zero = meant(node.args[0], asked), meant(node.args[1], within), Fraction(0)
    if not isinstance(exponent, Fraction):
        asked |= within
    if not isinstance(exponent, Fraction) or exponent.denominator != 1:
        asked.add((zero, "<", base, "\\/", (base, "=", zero, "/\\", zero, "<=", exponent)))
    return ("pow", base, exponent)


def is_said(root: Expr) -> None:
    formula, asked = Formula(root), set[Any]()
    wanted = meant(root, asked)
    assert group(read(formula.of(root).text)) == wanted
    stated = [read(condition) for condition in formula.stated]
    assert len(stated) == len(set(stated))
    assert set(stated) == asked


@pytest.mark.parametrize("k", range(1, 26))
def test_every_formula_of_the_suite_is_said_whole(k: int) -> None:
    is_said(cpc.problem(f"CPC-DF{k}").expression)


@pytest.mark.parametrize(
    "text",
    [
        "-x1^2 + (-x1)^2 - (-x2)", "x1 - (x2 - 1) - x1", "x1/(x2/3)/x1", "x1/x2*x1", "-0.1*x1 - -2.5", "-x1*x2",
        "x1^-0.5 + x2^(-1/3)", "(x1^2)^1.5", "x1^(2*x2/x1)", "x1^x2^x1", "abs(-x1)*abs(-x1)", "sin(x1)^2/cos(-pi*x2)",
        "ln(x1)*ln(x1)^3", "arcsin(x1 - x2)", "sqrt(sqrt(x1))", "exp(1)^x1", "1e-3*x1 + 1.25e2", "sin(pi*x1)/x1",
    ],
)  # fmt: skip
def test_formulas_in_which_signs_and_powers_are_easily_mistaken(text: str) -> None:
    is_said(cpc.parse(text, bounds=[(-3, 3), (-3, 3)]).expression)


@pytest.mark.parametrize("k", [1, 17])
def test_the_bound_is_the_claim_whatever_a_tree_proves(k: int) -> None:
    """Else Coq would accept a file about a lower bound, and the claim would be none the better for it."""
    proof = certificate(f"CPC-DF{k}.json.gz")
    claim = replace(proof.said.claim, lower=-3.0)
    text = theorem(replace(proof, said=replace(proof.said, claim=claim)))
    assert Statement(text).conclusion.startswith("(-3) <= ")
    assert "Definition bound : rational := ((-3)%Z, 1%positive)." in text


@pytest.mark.parametrize(("k", "varies"), [(15, True), (18, True), (22, True), (17, False), (5, False)])
def test_points_that_are_left_out_are_mentioned(k: int, varies: bool) -> None:
    """The certificate is of the rule ieee, the statement of the rule strict."""
    proof = certificate(f"CPC-DF{k}.json.gz")
    assert proof.part == "all"
    assert (LEFT_OUT in theorem(proof).splitlines()[0]) is varies


def test_the_theory_has_no_axiom_and_no_other_meaning_for_a_word_of_a_statement() -> None:
    files = sorted(FORMAL.glob("*.v"))
    assert len(files) == 6
    forbidden = (
        r"Axioms?|Admitted|admit|Parameters?|Conjecture|Unset|bypass_check|Hypothes[ie]s|give_up|Primitive\b(?!_)"
    )
    words = "|".join([*(name for name in NAMES if name.isalpha() and name != "power"), "PI", "R", "pow", "IZR"])
    for file in files:
        text = re.sub(r"\(\*.*?\*\)", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search(rf"\b(?:{forbidden})\b", text), file.name
        assert not re.search(rf"\b(?:Definition|Fixpoint|Lemma|Theorem|Notation|Inductive) (?:{words})\b", text), (
            file.name
        )


def test_what_is_said_of_a_known_axiom_beside_its_type_is_seen() -> None:
    for line in ("Classical_Prop.classic is assumed to be guarded.", "Uint63.add_spec relies on an unsafe hierarchy."):
        assert other_axioms(f"Axioms:\n{line}\n") == [line]
    assert other_axioms("Axioms:\nClassical_Prop.classic\n  : forall P : Prop, P \\/ ~ P\n") == []


@pytest.mark.parametrize(
    ("accepted", "printed", "said"),
    [
        (True, "Axioms:\nClassical_Prop.classic : forall P : Prop, P \\/ ~ P\n", "none"),
        (True, "", "the axioms were not listed"),
        (True, "Closed under the global context\n", "the axioms were not listed"),
        (True, "Axioms:\nmine : False\n", "mine : False"),
        (False, "", "coqc ended without a word"),
        (False, "the time was over", "the time was over"),
    ],
)
def test_the_last_column_says_none_only_where_all_is_well(accepted: bool, printed: str, said: str) -> None:
    assert remarks(accepted, printed) == said
