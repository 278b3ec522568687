"""The records: every line holds, better points take the place of old ones, and nothing else is lost."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.certify.certificate.library import certificate, row_of
from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError
from cpcbench.experiment import record_hunt
from cpcbench.experiment.record_hunt import Hunted, hunt, hunts
from cpcbench.problems.facts import BestKnown, facts
from cpcbench.problems.proven import Proven, infimum_of, proven
from cpcbench.problems.record_check import objections, read, record_of, remarks, successor
from cpcbench.problems.records import (
    KINDS,
    Record,
    Records,
    best_of,
    merged,
    own_file,
    read_records,
    records_of,
    write_records,
)
from cpcbench.report.paper.known_errors import known_errors
from cpcbench.report.problems.records import records_table, standing
from cpcbench.report.render import render

ROOT = Path(__file__).parents[2]
OWN = read_records()
CPC = [p for p in cpc.problems() if p.id.startswith("CPC-")]


def label(record: Record) -> str:
    return f"{record.problem}-n{len(record.x)}-{record.kind}"


def problem_of(record: Record) -> cpc.Problem:
    """The record's problem, at the record's size."""
    p = cpc.problem(record.problem)
    return p if p.dim == len(record.x) else cpc.problem(record.problem, n=len(record.x))


def held(id_: str, kind: str = "faithful") -> Record:
    """At the published size."""
    return next(r for r in OWN if r.key == (id_, cpc.problem(id_).dim, kind))


def invoked(*words: str) -> Any:
    return CliRunner().invoke(app, ["records", *words])


# The package's file


@pytest.mark.parametrize("record", OWN, ids=label)
def test_every_record_holds(record: Record) -> None:
    assert objections(problem_of(record), record) == []


def test_the_file_has_one_record_a_kind_and_a_faithful_one_for_each_problem() -> None:
    assert len({r.key for r in OWN}) == len(OWN)
    assert {r.problem for r in OWN if r.kind == "faithful"} >= {p.id for p in CPC}
    for r in OWN:
        size = "" if len(r.x) == cpc.problem(r.problem).dim else f"--n {len(r.x)} "
        assert r.command.startswith(f"cpcbench records {r.problem} {size}--seconds ")


def test_scalable_functions_have_a_faithful_record_from_2_to_10_variables() -> None:
    known = {(r.problem, len(r.x)) for r in OWN if r.kind == "faithful"}
    assert known >= {(p.id, n) for p in CPC if p.scalable for n in range(2, 11)}
    for p in CPC:
        for n in range(2, 11) if p.scalable else ():
            best = cpc.problem(p.id, n=n).best_known
            assert best is not None
            assert best.value <= next(r.value for r in OWN if r.key == (p.id, n, "faithful")) + 1e-6 * abs(best.value)


def test_the_file_is_written_as_it_is_read(tmp_path: Path) -> None:
    copy = tmp_path / "copy.jsonl"
    write_records(OWN, copy)
    assert copy.read_bytes() == own_file().read_bytes()
    assert [p.name for p in tmp_path.iterdir()] == ["copy.jsonl"]


@pytest.mark.parametrize("id_", ["CPC-DF6", "CPC-DF9", "CPC-DF24", "CPC-DF25"])
def test_published_optima_that_are_not_optimal(id_: str) -> None:
    p = cpc.problem(id_)
    assert p.published is not None
    x = held(id_).x
    real = p.enclosure(x)
    assert real.defined
    assert real.upper < p.enclosure(p.published.points[0]).lower  # over the reals, not by rounding
    assert not math.isnan(p.with_rule("strict").reference(x))


def test_the_published_optimum_of_df23_can_be_moved_down() -> None:
    """By its last digits only, and in real arithmetic."""
    p = cpc.problem("CPC-DF23")
    x = (0.002323014123566163, -2.749733692198686, 2.206805678536917, 1.5709301388649126, -0.3926767644970514)
    assert p.published is not None
    assert np.abs(p.published.points[0] - x).max() < 1e-13
    here, there = p.enclosure(x), p.enclosure(p.published.points[0])
    assert here.defined
    assert there.lower - here.upper == pytest.approx(2.6e-7, rel=0.02)
    assert any("not optimal" in note for note in p.published.notes)


def test_improved_optima_are_among_the_known_errors() -> None:
    rows = {str(row[0]): row for row in known_errors().rows}
    assert rows["CPC-DF9: best-known solution"][2] == held("CPC-DF9").value
    assert any("not optimal" in note for note in cpc.problem("CPC-DF9").published.notes)  # type: ignore[union-attr]
    beaten = {id_ for id_ in (p.id for p in CPC) if f"{id_}: best-known solution" in rows}
    assert beaten >= {"CPC-DF2", "CPC-DF6", "CPC-DF8", "CPC-DF24", "CPC-DF25"}
    assert "CPC-DF3: best-known solution" not in rows  # an artefact, which no faithful point beats


# What the problem says


@pytest.mark.parametrize("p", CPC, ids=lambda p: p.id)
def test_the_best_known_value_is_the_proven_infimum_or_the_lower_of_ours_and_the_published_one(p: cpc.Problem) -> None:
    assert p.best_known is not None
    assert p.published is not None
    ours, proof = held(p.id), infimum_of(p.id, p.dim)
    if proof is None:
        assert p.id == "CPC-DF3"  # proven to have no lower bound
        assert p.best_known.value == min(ours.value, p.published.value)
        assert p.best_known.kind == ("faithful" if ours.value < p.published.value else "published")
    else:
        assert (p.best_known.value, p.best_known.kind) == (proof.upper, "proven")
        assert p.best_known.source.startswith(f"certificate {proof.file}: cpcbench certify")
    assert len(p.best_known.points)
    assert p.with_rule("strict").best_known is p.best_known


@pytest.mark.parametrize("claim", proven(), ids=lambda claim: claim.file)
def test_the_index_says_what_the_certificates_say(claim: Proven) -> None:
    made = certificate(claim.file)
    assert row_of(made, claim.file, claim.seconds, claim.command) == claim
    p = cpc.problem(claim.name, n=claim.n if cpc.problem(claim.name).scalable else None)
    assert made.said.problem.bounds == [list(side) for side in p.bounds]


def test_a_proof_is_about_its_own_box_only() -> None:
    p = cpc.problem("CPC-DF12")
    small = cpc.Problem("CPC-DF12", p.expression, p.lower / 2, p.upper, facts=facts("CPC-DF12"))
    assert p.best_known is not None
    assert small.best_known is not None
    assert (p.best_known.kind, small.best_known.kind) == ("proven", "published")


def test_a_proof_at_another_size_is_the_best_known_value_there() -> None:
    command = "cpcbench certify CPC-DF4 --n 2"
    proof = Proven("CPC-DF4", 2, "a.json.gz", "all", -9.0, -9.0, 1.0, 1, command, True, (1.0, 2.0))
    best = best_of(None, None, np.ones(2), proof)
    assert best is not None
    assert (best.value, best.kind, best.points.tolist()) == (-9.0, "proven", [[1.0, 2.0]])
    assert not replace(proof, upper=-8.9).settles
    assert not replace(proof, part="thin").settles
    assert not replace(proof, lower=None, upper=None).settles


def test_thin_points_and_artefacts_are_kept_apart() -> None:
    p = cpc.problem("CPC-DF14")
    assert p.records.thin is not None
    assert p.records.thin.value < -1e6
    assert p.best_known is not None
    assert p.best_known.value == 0.03125
    assert p.with_rule("strict").records.thin is None  # inadmissible there
    artefact = cpc.problem("CPC-DF10").records.artefact
    assert artefact is not None
    assert artefact.real is None


def test_sizes_that_were_not_hunted_and_users_problems_have_no_records() -> None:
    assert cpc.problem("CPC-DF4", n=27).records == Records()
    assert cpc.parse("ln(x1)", bounds=[(0, 1)]).records == Records()
    assert records_of("CPC-DF6", 4).faithful == held("CPC-DF6")


def known(value: float, *points: tuple[float, ...]) -> BestKnown:
    return BestKnown(value, np.array(points), "strict", "by hand")


def made(value: float = 1.0, x: tuple[float, ...] = (0.5, 0.25), kind: Any = "faithful", **more: Any) -> Record:
    settings = {"rule": "strict", "real": (value, value), "flip": (), "command": "by hand", "version": "0", "date": ""}
    return Record(problem="own", kind=kind, value=value, where=(x,), **{**settings, **more})


def test_the_published_solution_stays_where_it_is_lower_or_equal() -> None:
    width = np.ones(2)
    lower = known(1.0, (0.1, 0.1))
    assert best_of(lower, made(1.0), width) is lower
    assert best_of(lower, made(2.0), width) is lower
    assert best_of(lower, None, width) is lower
    assert best_of(None, None, width) is None


def test_published_points_of_the_same_value_stay_best_known() -> None:
    width = np.array([1.0, 10.0])
    near, far = (0.5, 0.2501), (0.1, 0.1)
    best = best_of(known(1.0 + 1e-7, near, far), made(1.0), width)
    assert best is not None
    assert (best.value, best.kind) == (1.0, "faithful")
    assert best.points.tolist() == [[0.5, 0.25], [0.1, 0.1]]  # the near one is the record's own place
    beaten = best_of(known(1.1, near, far), made(1.0), width)
    assert beaten is not None
    assert beaten.points.tolist() == [[0.5, 0.25]]


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


@pytest.mark.parametrize(
    ("published", "kind", "faithful", "words"),
    [
        (1.0, "faithful", 1.0 + 1e-10, "reproduced"),
        (1.0, "faithful", 1.0 - 1e-7, "lower in doubles only"),
        (1.0, "faithful", 1.0 - 1e-10, "reproduced"),
        (1.0, "faithful", 1.0 - 1e-8, "improved in the last digits"),
        (-9.0, "faithful", -9.1, "improved"),
        (1.0, "faithful", 1.1, "not reached"),
        (0.0, "artefact", 0.7, "artefact, with no faithful point as low"),
        (1e-13, "faithful", 1e-15, "nearly 0, as the lower one is"),
        (0.0, "faithful", 0.0, "reproduced"),
        (None, None, 1.0, None),
        (1.0, "faithful", None, None),
    ],
)
def test_what_a_record_says_of_the_published_optimum(
    published: float | None, kind: str | None, faithful: float | None, words: str | None
) -> None:
    assert standing(published, kind, faithful, words != "lower in doubles only") == words


def test_the_table_shows_other_kinds_only_where_they_are_lower() -> None:
    p = cpc.problem("CPC-DF6")
    lines = [made(v, (0.0,) * 4, kind) for v, kind in zip((-9.0, -8.0, -10.0), KINDS, strict=True)]
    (row,) = records_table([p], [replace(r, problem=p.id) for r in lines]).rows
    assert row[3:] == (-9.0, "+6.924e-01", None, "-10", "not reached")


def test_the_page_shows_the_records_of_the_file() -> None:
    page = (ROOT / "docs/records.md").read_text(encoding="utf-8")
    table = render([records_table(CPC, OWN)], "markdown")
    for line in table.splitlines():
        if line.startswith("|"):
            assert line in page
    assert page.count("\n| CPC-DF") == len(CPC)


def test_the_page_says_of_each_optimum_what_the_table_says() -> None:
    page = " ".join((ROOT / "docs/records.md").read_text(encoding="utf-8").split())
    groups: dict[str, list[str]] = {}
    for row in records_table(CPC, OWN).rows:
        groups.setdefault(str(row[-1]), []).append(str(row[0]))
    for words, ids in groups.items():
        assert f"- **{words}**: {', '.join(ids)}: " in page


# Verdicts


@pytest.mark.parametrize(
    ("x", "reported", "types"),
    [
        ((6.1828121298816, 6.49031991565847), -10.503674524476093, ("I",)),
        ((6.1828121298816, 6.49031991565847), -11.0, ("I", "IV")),
        ((6.1828121298815, 6.49031991565847), None, ("IV",)),
        ((6.1828121298815, 6.49031991565847), math.nan, ("III",)),
        ((6.1828121298817, 6.49031991565847), None, ("II",)),  # another accident, 3 % above
    ],
)
def test_a_verdict_names_the_solution_type(
    x: tuple[float, ...], reported: float | None, types: tuple[str, ...]
) -> None:
    assert cpc.verify(cpc.problem("CPC-DF3"), x, reported).types == types


def test_a_thin_record_is_named_by_the_command() -> None:
    record = held("CPC-DF14", "thin")
    words = ["verify", "CPC-DF14", *map(repr, record.x)]
    told = CliRunner().invoke(app, words)
    assert "solution type" in told.output
    assert (
        "II (a local solution); rule paper, held against: published; below that, a record of its kind (thin)"
        in told.output
    )
    own = CliRunner().invoke(app, ["verify", "ln(x1)", "0.5", "--bounds", "0:1"])
    assert "- (no best-known solution to compare with)" in own.output


def test_show_lists_the_records_that_are_lower() -> None:
    told = CliRunner().invoke(app, ["show", "CPC-DF6"])
    assert f"faithful record  {held('CPC-DF6').value!r}" in told.output
    assert "faithful record" not in CliRunner().invoke(app, ["show", "CPC-DF10"]).output
    details = json.loads(CliRunner().invoke(app, ["show", "CPC-DF6", "--json"]).output)
    assert details["records"]["faithful"]["value"] == held("CPC-DF6").value
