"""The command line as scripts and newcomers meet it."""

from __future__ import annotations

from pathlib import Path

import pytest

import cpcbench as cpc
from cpcbench.cli.output import plain
from tests.cli.commands import DF3, PUBLISHED, good, run, strict_json, wrong

COMMANDS = ("list", "show", "eval", "conditions", "export", "verify", "agreement")


# Help


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str) -> None:
    text = good(command, "--help")
    assert f"Example: cpcbench {command}" in text
    assert max(map(len, text.splitlines())) <= 100
    assert command in good("--help")


def test_short_help_is_not_cut() -> None:
    assert "..." not in good("--help").partition("Commands:")[2]


# list and show


def test_list() -> None:
    text = good("list")
    assert "28 problems" in text
    assert "[-100, 100]" in text  # brackets are no markup
    assert all(p.id in text for p in cpc.problems())
    rows = strict_json(good("list", "--json"))
    assert [row["id"] for row in rows] == [p.id for p in cpc.problems()]
    assert rows[3]["lower"] == [-512.0] * 5


def test_list_verify() -> None:
    text = good("list", "--verify")
    assert "27 of 28 published values are met in doubles." in text
    lines = {line.split()[1]: line for line in text.splitlines() if line.startswith("│")}
    assert [id_ for id_, line in lines.items() if line.endswith("no  │")] == ["CPC-DF5"]
    assert "artefact" in lines["CPC-DF10"]
    assert "undefined" in lines["CPC-DF10"]
    assert {id_ for id_, line in lines.items() if "artefact" in line} == {"CPC-DF3", "CPC-DF10"}


def test_show() -> None:
    text = good("show", "df3")
    assert cpc.problem("CPC-DF3").formula in text.splitlines()  # on one line, to be copied
    assert "x1 ... x2 in [-100, 100]" in text
    assert "3 hidden conditions of CPC-DF3" in text
    assert all(line == line.rstrip() for line in text.splitlines())


def test_show_json() -> None:
    p = cpc.problem("CPC-DF14")
    shown = strict_json(good("show", "DF14", "--json"))
    assert (shown["formula"], shown["n"], shown["rule"]) == (p.formula, 2, "ieee")
    assert shown["published_record"]["points"] == [[3.0, 0.5]]
    assert [c["text"] for c in shown["conditions"]] == [c.text for c in p.conditions]
    assert cpc.parse(shown["formula"], (-10, 10)).expression is p.expression


def test_show_other_sizes_rules_and_formulas() -> None:
    assert "8 (scalable, from 2)" in good("show", "CPC-DF4", "--n", "8")
    assert strict_json(good("show", "DF4", "--n", "8", "--json"))["published_record"] is None
    assert "strict" in good("show", "DF14", "--rule", "strict")
    assert "-ln(x[" not in good("show", "-ln(x[1] - 2)", "--bounds", "3:4")
    assert "user has no hidden conditions" in good("show", "x1 + x2", "--bounds", "-1:1,0:5")
    assert "x1 in [-1, 1], x2 in [0, 5]" in good("show", "x1 + x2", "--bounds", "-1:1,0:5")


# eval, conditions, export


def test_eval() -> None:
    text = good("eval", "DF3", *DF3)
    assert "-10.503674524476093" in text
    assert "[-10.401902609681896, -10.401902609681894]" in text
    found = strict_json(good("eval", "CPC-DF14", "-0.5,2.4", "--json"))  # undefined there
    assert (found["fast"], found["reference"], found["gradient"]) == (None, None, [None, None])
    assert found["enclosure"]["domain"] == "outside"
    assert found["in_box"] is True


def test_eval_of_formulas_and_negative_numbers() -> None:
    found = strict_json(good("eval", "-ln(x1 - x2^2)", "-0.5", "-1e-3", "--bounds", "-1:1", "--json"))
    assert found["reference"] is None
    found = strict_json(good("eval", "-ln(x1 - x2^2)", ".5", "-5e-1", "--bounds", "0:1,-1:1", "--json"))
    assert found["reference"] == pytest.approx(1.3862943611198906, rel=1e-15)


def test_conditions() -> None:
    text = good("conditions", "CPC-DF14", "-0.5", "2.4")
    assert "base 0.1200000000000001, exponent -1.0: holds" in text
    assert "-3.786999999999999: FAILS" in text
    assert text.rstrip().endswith("not admissible")
    assert good("conditions", "CPC-DF14", "3", "0.5").rstrip().endswith("\nadmissible")
    assert "admissible" not in good("conditions", "CPC-DF14").rpartition(".")[2]
    at = strict_json(good("conditions", "CPC-DF14", "-0.5", "2.4", "--json"))
    assert [c["satisfied"] for c in at["conditions"]] == [True, True, False, None]
    assert at["conditions"][3]["value"] is None
    assert at["admissible"] is False
    assert strict_json(good("conditions", "DF14", "--json"))["x"] is None


def test_export(tmp_path: Path) -> None:
    result = run("export", "DF14", "--to", "gams")
    exported = cpc.problem("DF14").export("gams")
    assert result.stdout == exported.text + "\n"
    assert [f"warning: {w}" for w in exported.warnings] == result.stderr.splitlines()
    file = tmp_path / "df14.c"
    assert good("export", "DF14", "--to", "C", "--output", str(file)) == ""
    assert file.read_text(encoding="utf-8") == cpc.problem("DF14").export("c").text + "\n"
    file = tmp_path / "df14.json"
    assert good("export", "DF14", "--to", "c", "--json", "--output", str(file)) == ""
    assert strict_json(file.read_text(encoding="utf-8"))["language"] == "c"


def test_agreement() -> None:
    (row,) = strict_json(good("agreement", "DF14", "--points", "200", "--json"))
    assert (row["problem"], row["points"]) == ("CPC-DF14", 200)
    assert "200 points a problem" in good("agreement", "DF14", "--points", "200")


# Wrong input

DEEP = "(" * 50_000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["show", "DF99"], "did you mean CPC-DF9?"),
        (["show", "CPC-DF33"], "did you mean CPC-DF3?"),
        (["show", ""], "--bounds"),
        (["show", "x1"], "--bounds"),
        (["show", "ln(x1)"], "--bounds"),
        (["show", DEEP], "--bounds"),
        (["show", "DF3", "--n", "3"], "CPC-DF3 has 2 variables"),
        (["show", "DF4", "--n", "1000000000"], "from 2 to 10,000"),
        (["show", "DF4", "--n", "2.5"], "--n"),
        (["show", "DF3", "--rule", "loose"], "'ieee' and 'strict'"),
        (["show", "DF3", "--bounds", "0:1"], "box of its own"),
        (["show", "x1", "--bounds", "0:1", "--n", "2"], "--n is for scalable"),
        (["show", "x1", "--bounds", ""], "lower:upper"),
        (["show", "x1", "--bounds", "0:1,"], "lower:upper"),
        (["show", "x1", "--bounds", "0:a"], "'a' is not a number"),
        (["show", "x1", "--bounds", "1:0"], "lower <= upper"),
        (["show", "x1", "--bounds", "nan:1"], "lower <= upper"),
        (["show", "x1", "--bounds", "1e999:1e999"], "lower <= upper"),
        (["show", "x1", "--bounds", "0:1:2"], "not a number"),
        (["show", "x3", "--bounds", "0:1,0:1"], "x1 to x2"),
        (["show", "ln(x1", "--bounds", "0:1"], "never closed"),
        (["show", DEEP + "x1", "--bounds", "0:1"], "never closed"),
        (["show", "[bold]x1[/bold]", "--bounds", "0:1"], "column"),
        (["show", "__import__('os')", "--bounds", "0:1"], "unexpected character"),
        (["show", "sum(i, 1, 10^12, x1)", "--bounds", "0:1"], "too many terms"),
        (["eval", "DF3"], "CPC-DF3 takes 2 coordinates, not 0"),
        (["eval", "DF3", "1"], "takes 2 coordinates, not 1"),
        (["eval", "DF4", "1", "2", "3"], "say --n 3"),
        (["eval", "DF3", "1", "b"], "'b' is not a number"),
        (["eval", "DF3", "1", "1+2j"], "'1+2j' is not a number"),
        (["eval", "DF3", "nan", "1"], "x1 is nan"),
        (["eval", "DF3", "1", "-inf"], "x2 is -inf"),
        (["eval", "DF3", "1", "2", "--ruel=strict"], "no option --ruel=strict"),
        (["verify"], "say what to verify"),
        (["verify", "DF3", "1", "2", "--reported", "low"], "--reported"),
        (["verify", "DF3", "1", "2", "--tolerance", "nan"], "tolerance"),
        (["verify", "DF3", "--csv", "claims.csv"], "leave out"),
        (["verify", "--csv", PUBLISHED, "--tolerance", "-1"], "tolerance"),
        (["verify", "--csv", PUBLISHED, "--rule", "loose"], "'ieee' and 'strict'"),
        (["verify", "--csv", "no/such/file.csv"], "no/such/file.csv: No such file"),
        (["verify", "--csv", "."], ".: Is a directory"),
        (["conditions", "DF3", "1"], "takes 2 coordinates, not 1"),
        (["export", "DF3", "--to", "cobol"], "there are ampl, c,"),
        (["export", "DF3"], "--to"),
        (["agreement", "DF3", "--points", "0"], "--points"),
        (["agreement", "DF3", "--seed", "-1"], "--seed"),
        (["agreement", "DF99"], "unknown problem"),
        (["lsit"], "lsit"),
        (["list", "--frobnicate"], "--frobnicate"),
        (["list", "more"], "more"),
    ],
)
def test_wrong_input_is_answered_in_words(words: list[str], message: str) -> None:
    said = wrong(*words)
    assert message in said
    assert len(said) < 600


def test_output_that_cannot_be_written(tmp_path: Path) -> None:
    assert "Is a directory" in wrong("export", "DF3", "--to", "c", "--output", str(tmp_path))
    assert "there is no folder" in wrong("export", "DF3", "--to", "c", "--output", str(tmp_path / "no" / "file"))


def test_json_has_no_nan() -> None:
    assert plain([float("nan"), float("inf"), {"a": (1, True, None)}]) == [None, "inf", {"a": [1, True, None]}]


def test_an_instance_is_shown_and_its_proof_carried_over(tmp_path: Path) -> None:
    assert "CPC-DF13@7" in run("show", "df13@7").output
    file = tmp_path / "instance.json.gz"
    made = run("certify", "df13@7", "--carry", "--output", str(file))
    assert made.exit_code == 0
    assert "accepted" in made.output
    assert run("certify", "--check", str(file), "--problem", "CPC-DF13@7").exit_code == 0
    assert run("certify", "--check", str(file), "--problem", "CPC-DF13").exit_code == 1
    assert "--carry is for instances" in run("certify", "df13", "--carry").output
    assert "has no proof" in run("certify", "F170@3", "--carry").output
    for more in (["--subject-to", "x1 <= 0"], ["--part", "thin"], ["--all"], ["--check"], ["--suite", "classics"]):
        assert "--carry takes" in wrong("certify", "df13@7", "--carry", *more)
