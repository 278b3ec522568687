"""Certificates as theorems: the formula is the same, and Coq, where there is one, takes true bounds only."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.theorems.__main__ import other_axioms
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.certify.certificate.library import certificate
from cpcbench.certify.certificate.schema import ByTree
from cpcbench.certify.coq.language import Formula
from cpcbench.certify.coq.theorem import theorem
from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError


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


def test_what_is_missing_is_said() -> None:
    with pytest.raises(CpcbenchError, match="only the bounds of an infimum"):
        theorem(certificate("CPC-DF3.json.gz"))
    with pytest.raises(CpcbenchError, match="on thin sets"):
        theorem(certificate("CPC-DF9-thin.json.gz"))


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "df17.v"
    assert CliRunner().invoke(app, ["certify", "df17", "--coq", str(file)]).exit_code == 0
    assert "Theorem lower_bound : forall x1 x2 : R," in file.read_text(encoding="utf-8")
    done = CliRunner().invoke(app, ["certify", "df17", "--coq", str(file), "--output", "x"])
    assert isinstance(done.exception, CpcbenchError) or "--coq writes" in done.output
