"""The paper about the package: in the form that JOSS asks for, and its numbers are those of the commands it names."""

from __future__ import annotations

import re

from typer.testing import CliRunner

from cpcbench.cli.app import app
from tests.material.outside.scripts import ROOT

FOLDER = ROOT / "paper"
TEXT = (FOLDER / "paper.md").read_text(encoding="utf-8")
WORDS = " ".join(TEXT.split())


def printed(*command: str) -> str:
    done = CliRunner().invoke(app, list(command))
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def counted(pattern: str, text: str) -> list[int]:
    found = re.search(pattern, text)
    assert found is not None, pattern
    return list(map(int, found.groups()))


def test_the_form() -> None:
    head, body = TEXT.removeprefix("---\n").split("\n---\n", 1)
    fields = set(re.findall(r"^(\w+):", head, re.MULTILINE))
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= fields
    for heading in ("Summary", "Statement of need", "Acknowledgements", "References"):
        assert f"\n# {heading}\n" in body
    assert 250 < len(body.split()) < 1750
    for name in re.findall(r"\]\((\w+\.png)\)", body):
        assert (FOLDER / name).exists()


def test_what_is_cited_is_listed_and_the_other_way_round() -> None:
    listed = re.findall(r"^@\w+\{(\w+),", (FOLDER / "paper.bib").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert set(re.findall(r"(?<![\w`])@(\w+)", TEXT.split("\n---\n", 1)[1])) == set(listed)


def test_the_proofs() -> None:
    optimal, worse, none = counted(
        r"optimal to 1e-09 (\d+), not optimal (\d+), no optimum (\d+)", printed("certify", "--table")
    )
    assert none == 1
    assert f"of the {optimal + worse + none} published optima {optimal} are optimal" in WORDS
    assert f"{worse} are not, and one does not exist" in WORDS
    assert f"infima of {optimal + worse} of the 25 functions" in WORDS


def test_the_listed_minima() -> None:
    said = printed("classics", "--wrong")
    listed, stands, rounded, cut = counted(r"Of (\d+) listed minima: stands (\d+), rounded (\d+), cut off (\d+)", said)
    high, low, none = counted(r"too high (\d+), wrong: too low (\d+), wrong: there is no lower bound (\d+)", said)
    assert f"Of {listed} minima that four collections list" in WORDS
    assert f"{stands} stand as printed and {rounded + cut} more up to rounding or cutting off" in WORDS
    assert f"{high + low + none} are wrong beyond their last digit" in WORDS
    assert high > low + none


def test_the_conclusions() -> None:
    claims, confirmed, refined, refuted = counted(
        r"(\d+) claims: (\d+) confirmed, (\d+) refined, (\d+) refuted", printed("claims")
    )
    expected = (
        f"Of {claims} conclusions of the paper, {confirmed} are confirmed, {refined} refined and {refuted} refuted"
    )
    assert expected in WORDS
