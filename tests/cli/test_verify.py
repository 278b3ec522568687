"""The command that verifies claims: one, a file of them, or from standard input."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import DF3, PUBLISHED, good, run, strict_json, wrong


def test_verify_one_claim() -> None:
    text = good("verify", "CPC-DF10", "-5", "5", "--reported", "1.0274505")
    assert "faithful" in text
    assert text.splitlines()[-1].split() == ["confirmed", "yes"]
    result = run("verify", "CPC-DF3", *DF3, "--reported", "-10.5036630152501")
    assert result.exit_code == 1
    assert "NO: not the value reported" in result.stdout
    assert run("verify", "CPC-DF3", *DF3, "--reported", "-10.5036630152501", "--tolerance", "1e-5").exit_code == 0


def test_verify_shows_both_readings_of_constants() -> None:
    text = good("verify", "CPC-DF3", *DF3)
    assert "-10.4019026" in text
    assert "-10.4088530" in text
    assert "artefact" in text
    assert "taken as" not in good("verify", "CPC-DF14", "3", "0.5")
    found = strict_json(good("verify", "CPC-DF3", *DF3, "--json"))
    assert found["constants_matter"] is True
    assert found["enclosure_doubles"]["midpoint"] == pytest.approx(-10.4088531, abs=5e-8)
    assert (found["confirmed"], found["objections"], found["reported"]) == (True, [], None)


@pytest.mark.parametrize(
    ("words", "objection"),
    [
        (("DF14", "11", "2"), "outside the box"),
        (("DF14", "-0.5", "2.4"), "undefined"),
        (("DF14", "-0.5", "-2.46", "--rule", "strict"), "undefined"),
        (("DF14", "3", "0.5", "--reported", "0.04"), "not the value reported"),
        (("DF14", "3", "0.5", "--reported", "nan"), "not the value reported"),
    ],
)
def test_claims_not_confirmed(words: tuple[str, ...], objection: str) -> None:
    result = run("verify", *words)
    assert result.exit_code == 1
    assert f"NO: {objection}" in result.stdout
    again = run("verify", *words, "--json")
    assert again.exit_code == 1
    assert strict_json(again.stdout)["objections"] == [objection]


def test_the_published_record_is_a_claim_file() -> None:
    result = run("verify", "--csv", PUBLISHED)
    assert result.exit_code == 1
    assert "95 of 123 claims confirmed (104 faithful, 4 artefact, 15 inadmissible)" in result.stdout
    assert "39 rows without a point skipped" in result.stdout
    assert "error: line 152: F37 has 4 variables, the point has 5 coordinates" in result.stdout
    assert "6 rows could not be verified" in result.stdout


def claims(tmp_path: Path, content: str | bytes) -> str:
    file = tmp_path / "claims.csv"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(file)


def test_a_good_claim_file(tmp_path: Path) -> None:
    file = claims(tmp_path, "problem,x,reported\nDF14,3 0.5,0.03125\ndf14,3 0.5,\nDF4,,\n\nf138,0 0 0,0\n")
    text = good("verify", "--csv", file)
    assert "3 of 3 claims confirmed (3 faithful)" in text
    assert "1 rows without a point skipped" in text
    found = strict_json(good("verify", "--csv", file, "--json"))
    assert [(c["line"], c["solver"], c["problem"]) for c in found["claims"]] == [
        (2, "", "CPC-DF14"),
        (3, "", "CPC-DF14"),
        (6, "", "F138"),
    ]
    assert (found["confirmed"], found["skipped"], found["errors"]) == (3, 1, [])


def test_bad_rows_do_not_lose_the_others(tmp_path: Path) -> None:
    rows = ["DF99,1 2,0", "DF14,1 2 3,0", "DF14,1 a,0", "DF14,nan 1,0", "DF14,1 2,zero", ",1 2,0", "DF4,7,0", "DF14"]
    file = claims(tmp_path, "\n".join(["Problem, X ,Reported", *rows, "DF14,3 0.5,0.03125,more,and more"]))
    result = run("verify", "--csv", file, "--json")
    assert result.exit_code == 1
    found = strict_json(result.stdout)
    assert [e["line"] for e in found["errors"]] == [2, 3, 4, 5, 6, 7, 8]
    assert (len(found["claims"]), found["confirmed"], found["skipped"]) == (1, 1, 1)
    said = [e["error"] for e in found["errors"]]
    for message, words in zip(said, ("DF99", "3 coord", "'a'", "finite", "'zero'", "''", "from 2"), strict=True):
        assert words in message


@pytest.mark.parametrize(("mark", "encoding"), [(b"", "utf-8"), (b"\xef\xbb\xbf", "utf-8"), (b"", "latin-1")])
def test_claim_files_in_other_encodings(tmp_path: Path, mark: bytes, encoding: str) -> None:
    text = 'algorithm,problem,reported,"point"\r\nGröße,CPC-DF14,0.03125,"3, 0.5"\r\n'
    content = mark + text.encode(encoding)
    found = strict_json(good("verify", "--csv", claims(tmp_path, content), "--json"))
    assert found["claims"][0]["solver"] == "Größe"


def test_claims_from_standard_input() -> None:
    result = run("verify", "--csv", "-", stdin=b"problem,x\nDF14,3 0.5\n")
    assert (result.exit_code, "1 of 1 claims confirmed" in result.stdout) == (0, True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no column problem"),
        (b"a,b\n1,2\n", "first line is 'a,b'"),
        (b"problem;x\nDF14;3 0.5\n", "no column problem"),
        (b"problem,reported\nDF14,3\n", "no column x:"),
        (b"\x7fELF\0\0\0", "zero bytes"),
        ("problem,x\nDF14,3 0.5\n".encode("utf-16"), "zero bytes"),
        (b"\xff\xd8\xff\xe0", "no column problem"),
        (b'problem,x\nDF14,"3 0.5' + b"1" * 10_000_001, "not a CSV file"),
    ],
)
def test_files_that_are_no_claims(tmp_path: Path, content: bytes, message: str) -> None:
    assert message in wrong("verify", "--csv", claims(tmp_path, content))
