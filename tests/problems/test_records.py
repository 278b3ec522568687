"""The package's records: every line holds, and problems, proofs, tables, pages and verdicts agree with them."""

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
from cpcbench.problems.facts import BestKnown, facts
from cpcbench.problems.proven import Proven, infimum_of, proven
from cpcbench.problems.record_check import objections
from cpcbench.problems.records import KINDS, Record, Records, best_of, own_file, read_records, records_of, write_records
from cpcbench.report.paper.known_errors import known_errors
from cpcbench.report.problems.records import records_table, standing
from cpcbench.report.render import render
from tests.cases import one_in

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


# The package's file


def held_again(record: Record) -> Any:
    """A case of a test; CPC-DF5 has many sums in a sum, and those with many variables take seconds each."""
    long = record.problem == "CPC-DF5" and len(record.x) > 7
    return pytest.param(record, id=label(record), marks=[pytest.mark.slow] if long else [])


@pytest.mark.parametrize("record", one_in(2, [held_again(record) for record in OWN]))
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


@pytest.mark.slow
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


# Tables and pages


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
