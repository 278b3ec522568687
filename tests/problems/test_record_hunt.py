"""How a record comes about: points are judged, better ones take the place of old ones, and nothing else is lost."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError
from cpcbench.experiment import record_hunt
from cpcbench.experiment.record_hunt import Hunted, hunt, hunts
from cpcbench.problems.record_check import objections, read, record_of, remarks, successor
from cpcbench.problems.records import Record, merged, read_records, write_records
from tests.problems.test_records import OWN, held, made


def invoked(*words: str) -> Any:
    return CliRunner().invoke(app, ["records", *words])


# Merging and files


def test_a_lower_point_of_its_kind_takes_the_place_and_nothing_else_goes() -> None:
    old = [made(1.0), made(-5.0, kind="thin"), made(3.0, x=(1.0,))]
    lower, higher = made(0.5), made(0.0, kind="thin")
    assert merged(old, [lower, higher]) == [lower, old[1], old[2]]
    assert merged(old, [made(1.0, command="later")]) == old  # of equals the older one
    both = made(1.0, flip=(1,))
    assert merged(old, [both])[0] is both  # as low, at more points


def test_all_points_are_those_with_free_signs() -> None:
    assert made(flip=(2,)).points.tolist() == [[0.5, 0.25], [0.5, -0.25]]


def test_doubles_survive_the_file(tmp_path: Path) -> None:
    record = made(0.1 + 0.2, x=(5e-324, -0.0, 1 / 3), real=None)
    write_records([record], tmp_path / "r.jsonl")
    (back,) = read_records(tmp_path / "r.jsonl")
    assert back == record
    assert math.copysign(1.0, back.x[1]) == -1.0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "great"}, "kind is one of faithful, thin, artefact"),
        ({"rule": "lax"}, "rule is one of ieee, strict"),
        ({"problem": 3}, "problem is text"),
        ({"where": []}, "one point or more"),
        ({"where": [[1.0], [1.0, 2.0]]}, "same length"),
        ({"where": [["1"]]}, "where holds finite numbers"),
        ({"value": math.nan}, "value holds finite numbers"),
        ({"real": [1.0]}, "real holds two bounds"),
        ({"flip": [3]}, "flip holds different whole numbers from 1 to 2"),
        ({"more": 1}, "a record has the fields problem, kind"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    path = tmp_path / "r.jsonl"
    write_records([made(), made()], path)
    first, second = path.read_text().splitlines()
    path.write_text(first + "\n" + json.dumps({**json.loads(second), **change}) + "\n")
    with pytest.raises(CpcbenchError, match=rf"r\.jsonl, line 2: .*{words}"):
        read_records(path)


def test_what_is_no_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text("hello\n")
    with pytest.raises(CpcbenchError, match="line 1: a record is a JSON object, not 'hello'"):
        read_records(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CpcbenchError, match="not text"):
        read_records(path)


def test_a_file_that_cannot_be_written_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(CpcbenchError, match="--output FILE"):
        write_records([], tmp_path / "missing" / "r.jsonl")
    (tmp_path / "folder").mkdir()
    with pytest.raises(CpcbenchError, match="--output FILE"):
        write_records([made()], tmp_path / "folder")
    assert [p.name for p in tmp_path.iterdir()] == ["folder"]


# Points judged


def circle() -> cpc.Problem:
    """Lowest, 1, on the circle of radius 1; x1^x2 is thin where x1 < 0 and x2 is whole."""
    return cpc.parse("sqrt(x1^2 + x2^2 - 1) + 1", bounds=(-3, 3))


def thin() -> cpc.Problem:
    return cpc.parse("x1^x2", bounds=[(-3, 3), (-3, 3)])


def recorded(p: cpc.Problem, *points: tuple[float, ...]) -> Record | None:
    return record_of(p, points, command="by hand", version="0", date="today")


def test_a_record_holds_what_the_readings_say() -> None:
    record = recorded(circle(), (0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (2.0, 0.0))
    assert record is not None
    assert (record.kind, record.rule, record.value, record.real) == ("faithful", "strict", 1.0, (1.0, 1.0))
    assert record.flip == (2,)  # the other sign of x1 is the same place
    assert record.where == ((0.0, 1.0), (1.0, 0.0))  # the second is a sign's choice, the last one higher


def test_thin_points_belong_to_the_rule_ieee() -> None:
    record = recorded(thin(), (-2.0, 3.0))
    assert record is not None
    assert (record.kind, record.rule, record.value) == ("thin", "ieee", -8.0)
    assert objections(thin(), replace(record, problem=thin().id)) == []


def test_the_places_of_a_beaten_record_stay_if_the_value_is_the_same() -> None:
    p = circle()
    old = recorded(p, (0.0, 1.0 + 2e-14), (1.0 + 2e-14, 0.0))
    new = recorded(p, (0.0, 1.0))
    assert old is not None
    assert new is not None
    assert successor(p, new, None) is new
    assert successor(p, old, new) is old
    assert successor(p, new, old).where == ((0.0, 1.0), (1.0 + 2e-14, 0.0))
    higher = recorded(p, (0.0, 2.0), (2.0, 0.0))
    assert successor(p, new, higher) == new


@pytest.mark.parametrize("x", [(0.25, 0.25), (9.0, 0.0)])
def test_no_record_is_made_of_inadmissible_points(x: tuple[float, ...]) -> None:
    assert read(circle(), x).kind_in_box == "inadmissible"
    assert recorded(circle(), x) is None


def test_an_artefact_is_told_from_a_faithful_point() -> None:
    p = cpc.parse("ln(1 + x1 - 1)", bounds=[(-1, 1)])
    record = recorded(p, (3e-16,))
    assert record is not None
    assert record.kind == "artefact"
    assert record.real is not None
    assert record.real[0] > record.value
    assert remarks(p, record) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"value": 1.0000000000000002}, "the value is 1.0, not 1.0000000000000002"),
        ({"kind": "thin"}, "it is faithful under strict, not thin under strict"),
        ({"rule": "ieee"}, "it is faithful under strict, not faithful under ieee"),
        ({"real": (1.5, 2.0)}, "the real value lies in"),
        ({"real": None}, "not in None"),
        ({"where": ((0.0, 1.0), (2.0, 0.0))}, "2 of 3 other points are of another kind or value"),
        ({"where": ((0.0, 1.0, 0.0),)}, "with 3 variables"),
        ({"problem": "another"}, "a record of another"),
    ],
)
def test_a_record_that_does_not_hold_is_objected_to(change: dict[str, Any], words: str) -> None:
    record = recorded(circle(), (0.0, 1.0))
    assert record is not None
    assert objections(circle(), record) == []
    assert any(words in said for said in objections(circle(), replace(record, **change)))


# The hunt


@pytest.fixture
def small() -> cpc.Problem:
    return cpc.parse("(x1 - 0.25)^2 + sqrt(x2) + 3", bounds=[(-1, 1), (-1, 1)])


def test_a_hunt_comes_back_with_records_that_hold(small: cpc.Problem) -> None:
    found = hunt(small, 3600.0, seed=1, budget=100_000)
    assert [r.kind for r in found.records] == ["faithful"]
    assert found.records[0].value == pytest.approx(3.0, abs=1e-6)
    assert found.records[0].command == f"cpcbench records {small.id} --seconds 3600 --seed 1"
    assert objections(small, found.records[0]) == []


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"seconds": 0.0}, "seconds is a positive number"),
        ({"seconds": math.nan}, "seconds is a positive number"),
        ({"seconds": 1.0, "workers": 0}, "workers is a whole number"),
        ({"seconds": 1.0, "ids": ["DF26"]}, "unknown problem"),
    ],
)
def test_bad_settings_are_refused_before_the_search(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(CpcbenchError, match=words):
        next(hunts(**{"ids": ["CPC-DF1"], **settings}))


@pytest.mark.slow
def test_hunts_side_by_side_come_back_from_their_processes() -> None:
    back = {one.problem: one for one in hunts(["CPC-DF11", "CPC-DF17"], 5.0, workers=2)}
    assert back.keys() == {"CPC-DF11", "CPC-DF17"}
    for id_, one in back.items():  # how far they come in that time is the machine's business
        assert one.evaluations > 0
        assert all(objections(cpc.problem(id_), record) == [] for record in one.records)


# The command


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[Hunted]:
    """Searches that come back at once, with these."""
    back: list[Hunted] = []
    monkeypatch.setattr(record_hunt, "hunts", lambda *_: iter(back))
    return back


def test_a_hunt_merges_into_the_file(tmp_path: Path, found: list[Hunted]) -> None:
    path, old = tmp_path / "mine.jsonl", held("CPC-DF6")
    other = made(7.0)
    write_records([other], path)
    lower, higher = replace(old, value=old.value - 1.0), replace(held("CPC-DF9"), value=1e9)
    found += [Hunted("CPC-DF6", (lower,), 1.0, 1), Hunted("CPC-DF9", (higher,), 1.0, 1)]
    told = invoked("CPC-DF6", "--seconds", "1", "--output", str(path))
    assert told.exit_code == 0, told.output
    after = read_records(path)
    assert other in after
    assert lower in after
    assert held("CPC-DF9") in after
    assert len(after) == len(OWN) + 1
    assert read_records() == OWN


def test_a_hunt_at_another_size_is_kept_beside_the_others(tmp_path: Path) -> None:
    path = tmp_path / "sizes.jsonl"
    told = invoked("CPC-DF2", "--n", "2", "--seconds", "1", "--output", str(path))
    assert told.exit_code == 0, told.output
    new = [r for r in read_records(path) if r.problem == "CPC-DF2" and len(r.x) == 2]
    assert new
    assert all("--n 2" in r.command for r in new)
    assert all(objections(cpc.problem("CPC-DF2", n=2), r) == [] for r in new)
    assert held("CPC-DF2") in read_records(path)
    assert invoked("CPC-DF1", "--n", "3").exit_code == 2


def test_a_dry_run_writes_nothing(tmp_path: Path, found: list[Hunted]) -> None:
    lower = replace(held("CPC-DF6"), value=-100.0)
    found.append(Hunted("CPC-DF6", (lower,), 1.0, 1))
    told = invoked("CPC-DF6", "--seconds", "1", "--dry-run", "--output", str(tmp_path / "r.jsonl"))
    assert told.exit_code == 0, told.output
    assert "-100.0" in told.output
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_hunt_keeps_what_it_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, lower = tmp_path / "r.jsonl", replace(held("CPC-DF6"), value=-100.0)

    def interrupted(*_: object) -> Any:
        yield Hunted("CPC-DF6", (lower,), 1.0, 1)
        raise KeyboardInterrupt

    monkeypatch.setattr(record_hunt, "hunts", interrupted)
    assert invoked("--seconds", "1", "--output", str(path)).exit_code == 130
    assert lower in read_records(path)


def test_the_check_exits_with_one_if_a_record_does_not_hold(tmp_path: Path) -> None:
    good, path = held("CPC-DF6"), tmp_path / "r.jsonl"
    write_records([good], path)
    told = invoked("--check", "--file", str(path))
    assert (told.exit_code, "1 of 1 records hold" in told.output) == (0, True)
    write_records([good, replace(held("CPC-DF9"), value=0.0), made()], path)
    told = invoked("--check", "--file", str(path))
    assert told.exit_code == 1
    assert "CPC-DF9 faithful 0.0: NO: the value is 0.01" in told.output
    assert "unknown problem 'own'" in told.output
    assert "1 of 3 records hold" in told.output
    assert invoked("CPC-DF6", "--check", "--file", str(path)).exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--dry-run",), "belong to a hunt"),
        (("--output", "r.jsonl"), "belong to a hunt"),
        (("--seconds", "1", "--check"), "takes neither --check"),
        (("--seconds", "-1", "--dry-run"), "seconds is a positive number"),
        (("DF99",), "unknown problem"),
        (("--format", "stone"), "unknown format"),
        (("--file", "no-such-file"), "No such file"),
    ],
)
def test_wrong_words_are_answered(words: tuple[str, ...], message: str) -> None:
    told = invoked(*words)
    assert told.exit_code == 2
    assert message in told.output
