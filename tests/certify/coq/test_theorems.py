"""Certificates as theorems: the formula is the same, and Coq, where there is one, takes true bounds only."""

from __future__ import annotations

import math
import operator
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from benchmarks.theorems.__main__ import checked, compiled, other_axioms
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.certify.certificate.library import certificate
from cpcbench.certify.certificate.schema import ByTree
from cpcbench.certify.coq.language import Formula, folded
from cpcbench.certify.coq.theorem import theorem
from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import postorder
from tests.readings.test_fast import sample

THEOREMS = (1, 2, 5, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 22, 24)
OTHERS = {3: "infimum", 4: "tables", 6: "tables", 12: "tables", 16: "inside the formula", 20: "tables", 23: "inside"}


def read(text: str) -> Any:
    """A term of the language in formal/Language.v, as nested lists."""
    words = iter(re.findall(r"\(|\)|[^\s()]+", re.sub(r"\(\((-?\d+)\)%Z, (\d+)%positive\)", r"\1/\2", text)))

    def part(word: str) -> Any:
        return word if word != "(" else list(rest())

    def rest() -> Iterator[Any]:
        for word in words:
            if word == ")":
                return
            yield part(word)

    return part(next(words))


def value(term: Any, x: list[float]) -> float:
    """What formal/Language.v says that a term is, in doubles."""
    if term == "Pi":
        return math.pi
    name, *args = term
    if name == "Var":
        return x[int(args[0])]
    if name == "Num":
        return float(Fraction(args[0]))
    if name == "Whole":
        return float(value(args[0], x) ** int(args[1]))
    named: dict[str, Callable[..., float]] = {
        "Neg": operator.neg, "Abs": abs, "Sqrt": math.sqrt, "Ln": math.log, "Exp": math.exp, "Sin": math.sin,
        "Cos": math.cos, "Arcsin": math.asin, "Add": operator.add, "Sub": operator.sub, "Mul": operator.mul,
        "Div": operator.truediv, "Power": operator.pow,
    }  # fmt: skip
    return float(named[name](*(value(arg, x) for arg in args)))


@pytest.mark.parametrize("k", [k for k in THEOREMS if k not in (15, 18, 22)])
def test_the_term_has_the_values_of_the_formula(k: int) -> None:
    p = cpc.problem(f"CPC-DF{k}", rule="strict")
    points = sample(p.id)
    points = points[p.admissible(points)][:20]
    assert len(points) > 0
    term = read(Formula(p.expression).of(p.expression).term)
    for x in points.tolist():
        assert value(term, x) == pytest.approx(p(x), rel=1e-6, abs=1e-9)


def hypotheses(text: str) -> list[str]:
    statement = text.partition("Theorem lower_bound : forall ")[2].partition("Proof.")[0]
    return [line.strip() for line in statement.split("->\n")]


@pytest.mark.parametrize("k", THEOREMS)
def test_a_packaged_proof_says_box_and_conditions_and_no_more(k: int) -> None:
    p = cpc.problem(f"CPC-DF{k}")
    text = theorem(certificate(f"CPC-DF{k}.json.gz"))
    assert text.count("Qed.") >= 2
    assert not re.search(r"Admitted|Axiom|Unset|Parameter|admit", text.replace("Print Assumptions", ""))
    first, *rest = hypotheses(text)
    sides = [first.partition(" : R,\n")[2].strip(), *rest[: p.dim - 1]]
    for i, (side, (low, high)) in enumerate(zip(sides, p.bounds, strict=True)):
        least, name, most = side.split(" <= ")
        ends = [Fraction(end.strip("()").replace(" ", "")) for end in (least, most)]
        assert (ends, name) == ([Fraction(float(low)), Fraction(float(high))], f"x{i + 1}")
    made = Formula(p.expression)
    asked = [node for node in postorder(p.expression) if id(node) in made.parts and is_asked(node)]
    assert len(rest) - (p.dim - 1) - 1 == len({made.of(node).given for node in asked})


def is_asked(node: Expr) -> bool:
    """Whether an operation has a condition."""
    if node.op != "pow":
        return node.op in ("sqrt", "ln", "arcsin", "div")
    exponent = folded(node.args[1])
    return exponent is None or exponent.denominator != 1


@pytest.mark.parametrize("text", ["x1^abs(-2) + 1", "x1^(2^1 + 0) + 1", "x1^(1 + sqrt(4))", "x1^2000", "x1^(-2)"])
def test_exponents_that_are_refused(text: str) -> None:
    with pytest.raises(CpcbenchError, match=r"exponent .* has no theorem yet"):
        Formula(cpc.parse(text, bounds=[(-3, 3)]).expression)


def test_quotients_in_exponents_have_no_conditions() -> None:
    root = cpc.parse("x1^(6/3) + x1^(1/2)", bounds=[(0, 1)]).expression
    made = Formula(root)
    assert list(made.stated) == ["0 < x1 \\/ (x1 = 0 /\\ 0 <= (1 / 2))"]
    assert set(made.taken_apart(root, "D")) == {"D1"}


def test_a_name_stays_in_its_comment() -> None:
    proof = certificate("CPC-DF17.json.gz")
    about = replace(proof.said.problem, name='a *) Axiom bad : False. (* "')
    header = theorem(replace(proof, said=replace(proof.said, problem=about))).splitlines()[0]
    assert header.count("*)") == header.count("(*") == 1
    assert '"' not in header


@pytest.mark.parametrize("tree", [".  .", "s0:128 .", "s9:128 . .", "sx:1 . .", "s0:1:2 . .", ". .", ""])
def test_broken_trees_are_refused(tree: str) -> None:
    proof = certificate("CPC-DF17.json.gz")
    broken = replace(proof.said, lower=ByTree(-4.0, tree))
    with pytest.raises(CpcbenchError):
        theorem(replace(proof, said=broken))


def test_other_axioms_are_seen() -> None:
    known = "Axioms:\nClassical_Prop.classic : forall P : Prop, P \\/ ~ P\n"
    assert other_axioms(known) == []
    for line in ("bad : False", "Classical_Prop.bad : False", "f is assumed to be guarded.", "\u03b1 : False"):
        assert other_axioms(f"{known}{line}\n") == [line]


@pytest.mark.parametrize("k", OTHERS)
def test_what_is_missing_is_said(k: int) -> None:
    with pytest.raises(CpcbenchError, match=OTHERS[k]):
        theorem(certificate(f"CPC-DF{k}.json.gz"))


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "df17.v"
    assert CliRunner().invoke(app, ["certify", "df17", "--coq", str(file)]).exit_code == 0
    assert "Theorem lower_bound : forall x1 x2 : R," in file.read_text(encoding="utf-8")
    done = CliRunner().invoke(app, ["certify", "df17", "--coq", str(file), "--output", "x"])
    assert isinstance(done.exception, CpcbenchError) or "--coq writes" in done.output


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("coqc") is None:
        pytest.skip("there is no coqc")
    return compiled(tmp_path_factory.mktemp("coq"))


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 17])
def test_coq_accepts_and_rests_on_its_numbers_alone(home: Path, k: int) -> None:
    accepted, printed = checked(theorem(certificate(f"CPC-DF{k}.json.gz")), home, 600)
    assert accepted, printed
    assert other_axioms(printed) == []


def raised(text: str) -> str:
    return text.replace("-8118042766557651", "-8118042700000000")


def felled(text: str) -> str:
    """The first split's upper part is dropped: a leaf is put in the place of the tree."""
    return re.sub(r"Definition proof : tree :=\n  .*\.\n", "Definition proof : tree :=\n  Leaf.\n", text)


def another(text: str) -> str:
    return text.replace("((1) - (ln ", "((2) - (ln ")


@pytest.mark.slow
@pytest.mark.parametrize("change", [raised, felled, another])
def test_coq_rejects_what_was_changed(home: Path, change: Any) -> None:
    before = theorem(certificate("CPC-DF17.json.gz"))
    after = change(before)
    assert after != before
    assert not checked(after, home, 600)[0]
