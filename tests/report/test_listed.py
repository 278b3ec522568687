"""Listed minima held against proofs: what stands, is rounded or wrong; certificates of a suite in a folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.certify.certificate.certificate import Certificate
from cpcbench.certify.certificate.library import proven_for, read_index
from cpcbench.cli.app import app
from cpcbench.problems.classics.entry import Listed, unit_of
from cpcbench.problems.proven import Proven
from cpcbench.report.problems.listed import (
    CUT,
    HIGH,
    LAST,
    LOW,
    NONE,
    OPEN,
    ROUNDED,
    STANDS,
    counts_table,
    judged,
    listed_table,
)


def claim(lower: float | None, upper: float | None) -> Proven:
    return Proven("P", 1, "f", "all", lower, upper, 1.0, 1, "c", True, (0.0,))


def verdict(printed: str, lower: float, upper: float) -> str:
    return judged(Listed("scipy", printed, ()), claim(lower, upper))[0]


@pytest.mark.parametrize(
    ("printed", "lower", "upper", "expected"),
    [
        ("0.0", 0.0, 0.0, STANDS),
        ("0.0", -1e-10, 1e-12, STANDS),
        ("-200.0", -200.0000001, -200.0, STANDS),
        ("-6.12950", -6.129503894, -6.129503891, ROUNDED),
        ("-6.1295", -6.12954, -6.12952, ROUNDED),
        ("-6.1295", -6.129603, -6.129602, "wrong: too high"),
        ("-6.1295", -6.12957, -6.12956, CUT),
        ("6.1295", 6.12956, 6.12957, CUT),
        ("6.1296", 6.12951, 6.12952, LAST),
        ("-6.1295", -6.12942, -6.12941, LAST),
        ("-0.1999056", -0.19992973, -0.19992973, HIGH),
        ("0.0", -0.004, -0.004, HIGH),  # whole numbers are exact
        ("-3.32237", -3.1344941, -3.1344940, LOW),
        ("1.5", 1.0, 2.0, OPEN),
        ("1.500", 1.4998, 1.5001, ROUNDED),  # no further apart than the digits tell
        ("3.0", -10.0, 2.9, HIGH),  # whatever the gap
    ],
)
def test_digits_and_bounds_decide(printed: str, lower: float, upper: float, expected: str) -> None:
    assert verdict(printed, lower, upper) == expected


def test_without_a_proof_all_is_open() -> None:
    assert judged(Listed("scipy", "0.0", ()), None) == (OPEN, None)
    assert judged(Listed("scipy", "0.0", ()), claim(None, None)) == (NONE, None)


@given(value=st.floats(-1e3, 1e3), digits=st.integers(1, 12))
def test_what_is_rounded_is_never_called_wrong(value: float, digits: int) -> None:
    assert (
        verdict(f"{value:.{digits}f}", value, value) in (STANDS, ROUNDED) or float(f"{value:.{digits}f}").is_integer()
    )


@given(value=st.floats(-1e3, 1e3), digits=st.integers(1, 6), units=st.integers(2, 1000), sign=st.sampled_from((-1, 1)))
def test_what_is_off_by_two_units_is_wrong(value: float, digits: int, units: int, sign: int) -> None:
    printed = f"{value + sign * units * 10.0**-digits:.{digits}f}"
    assert verdict(printed, value, value) == (HIGH if sign > 0 else LOW)


@pytest.mark.parametrize(
    ("printed", "unit"),
    [
        ("0.50", 0.01),
        ("-3", 0.0),
        ("-3.00", 0.0),
        ("2.7e-12", 1e-13),
        ("-24777", 1.0),
        ("-200.0", 0.0),
        ("99", 0.0),
        ("1e3", 0.0),
    ],
)
def test_units_of_the_last_digit(printed: str, unit: float) -> None:
    assert unit_of(printed) == pytest.approx(unit, rel=1e-15)


# Certificates of a suite in a folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("proofs")
    command("certify", "Beale", "Adjiman", "--suite", "classics", "--seconds", "20", "--output", str(made))
    return made


def command(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, list(words), env={"COLUMNS": "250"})
    assert done.exit_code == code, done.output
    return done.output


def test_a_folder_of_certificates(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == {"Beale.json.gz", "Adjiman.json.gz", "index.json"}
    assert [row.name for row in read_index(folder)] == ["Adjiman", "Beale"], "in the order of the suite"
    for row in read_index(folder):
        assert Certificate.load(folder / row.file).check().accepted
        (found,) = proven_for(cpc.problem(row.name), folder)
        assert found == row
        assert row.command.startswith(f"cpcbench certify {row.name} --seconds 20")


def test_what_is_there_is_not_made_again(folder: Path) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    said = command("certify", "Beale", "Adjiman", "--suite", "classics", "--seconds", "20", "--output", str(folder))
    assert said == ""
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def test_a_proof_of_another_formula_does_not_count(folder: Path, tmp_path: Path) -> None:
    """The file of Beale is really about Adjiman: it is neither believed nor kept."""
    place = tmp_path / "mixed"
    shutil.copytree(folder, place)
    shutil.copy(place / "Adjiman.json.gz", place / "Beale.json.gz")
    assert proven_for(cpc.problem("Beale"), place) == []
    assert set(listed_table([cpc.problem("Beale")], place).column("the listed minimum")) == {OPEN}
    command("certify", "Beale", "--suite", "classics", "--seconds", "20", "--output", str(place))
    assert [row.upper for row in proven_for(cpc.problem("Beale"), place)] == [0.0]
    (place / "Adjiman.json.gz").unlink()
    assert proven_for(cpc.problem("Adjiman"), place) == []


def test_what_the_checker_has_no_word_on_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cpcbench.certify.confirming.verdict_on", lambda *_: None)
    said = command("certify", "Beale", "--suite", "classics", "--seconds", "20", "--output", str(tmp_path / "proofs"))
    assert "no word in its time" in said
    assert list((tmp_path / "proofs").iterdir()) == []


def test_the_table(folder: Path) -> None:
    table = listed_table([cpc.problem(name) for name in ("Adjiman", "Beale", "Ackley1")], folder)
    found = [(row[0], row[2], row[7]) for row in table.rows]
    everyone = ("scipy", "opfunu", "smoof", "survey")
    assert found[:4] == [("Adjiman", by, ROUNDED) for by in everyone]
    assert found[4:8] == [("Beale", by, STANDS) for by in everyone]
    assert {row[2] for row in found[8:]} == {OPEN}
    assert table.notes[0] == f"Of {len(found)} listed minima: stands 4, rounded 4, open {len(found) - 8}."
    assert table.notes[1] == "Of 3 functions 2 are enclosed to 1e-09, 1 have no proof."


def test_the_counts_add_up(folder: Path) -> None:
    table = listed_table([cpc.problem(name) for name in ("Adjiman", "Beale", "Ackley1")], folder)
    counts = counts_table(table)
    assert sum(int(str(n)) for n in counts.column("listed")) == len(table.rows)
    assert all(row[1] == sum(int(str(n)) for n in row[2:]) for row in counts.rows)
    assert counts.rows[0][:4] == ("SciPy's benchmark functions", 3, 1, 1)


def test_what_is_too_high_is_confirmed_at_a_point(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    p = cpc.problem("Beale")
    assert p.facts is not None
    monkeypatch.setitem(p.facts.published.__dict__, "listed", (Listed("scipy", "0.25", ()),))
    ((*_, words, by, lower, met),) = listed_table([p], folder).rows
    assert (words, by, lower, met) == (HIGH, "2.5e-01", 0.0, None)


def test_the_command(folder: Path) -> None:
    words = ("Adjiman", "Beale", "--certificates", str(folder))
    rows = json.loads(command("classics", *words, "--format", "json"))
    assert json.dumps(rows).count("stands") >= 4
    assert "Of 8 listed minima: stands 4, rounded 4." in command("classics", *words)
    assert ROUNDED not in command("classics", *words, "--wrong").partition("Of 8")[0]


@pytest.mark.parametrize(
    ("words", "trouble"),
    [
        (("classics", "CPC-DF3"), "CPC-DF3 is no classic: cpcbench list --suite classics names them"),
        (("classics", "--certificates", "nowhere"), "nowhere is no folder of certificates"),
        (("certify", "--suite", "classics"), "--all and --suite take --output FOLDER"),
        (("certify", "--suite", "fits", "--output", "x"), "unknown suite 'fits': there are cpc, classics, cf, all"),
    ],
)
def test_bad_words_are_told(
    words: tuple[str, ...], trouble: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert trouble in command(*words, code=2)
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


def test_the_docs_show_what_is_wrong() -> None:
    page = (Path(__file__).parents[2] / "docs/classics.md").read_text(encoding="utf-8")
    shown = command("classics", "--wrong", "--format", "markdown")
    table = [line for line in shown.splitlines() if line.startswith(("|", "Of "))]
    assert len(table) > 20
    assert [line for line in table if line not in page] == []
