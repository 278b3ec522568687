"""The package's certificates of the classics: each is what its row of the index says, about the formula it names."""

from __future__ import annotations

from dataclasses import replace

import pytest

import cpcbench as cpc
from cpcbench.certify.certificate.library import certificate, check, proven_for, row_of
from cpcbench.problems.classics.all import classics
from cpcbench.problems.proven import CLASSICS, INDEX, Proven, certificates, proven

ROWS = proven(CLASSICS)
QUICK = 200
"""Proofs of so many steps are checked at once; all are when slow tests are asked for."""


def test_files_and_rows_belong_together() -> None:
    there = {f"{CLASSICS}/{place.name}" for place in (certificates() / CLASSICS).iterdir() if place.name != INDEX}
    assert there == {row.file for row in ROWS}
    assert len(there) == len(ROWS)
    assert not any(row.file.startswith(CLASSICS) for row in proven())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.file)
def test_a_row_says_what_its_certificate_says(row: Proven) -> None:
    p, made = cpc.problem(row.name), certificate(row.file)
    assert row.n == classics()[row.name].n
    assert replace(row_of(made, row.file, row.seconds, row.command), command=row.command) == row
    assert made.said.made["command"] == row.command
    assert row in proven_for(p)
    assert row in p.proven


@pytest.mark.parametrize("row", [row for row in ROWS if row.steps <= QUICK], ids=lambda row: row.file)
def test_the_checker_takes_it(row: Proven) -> None:
    verdict = check(row.file, cpc.problem(row.name, rule="strict"))
    assert verdict.accepted, verdict.reason


@pytest.mark.slow
@pytest.mark.parametrize("row", [row for row in ROWS if row.steps > QUICK], ids=lambda row: row.file)
def test_the_checker_takes_it_in_its_time(row: Proven) -> None:
    verdict = check(row.file, cpc.problem(row.name, rule="strict"))
    assert verdict.accepted, verdict.reason


@pytest.mark.parametrize("row", [row for row in ROWS if row.settles], ids=lambda row: row.file)
def test_what_is_proven_is_what_is_best_known(row: Proven) -> None:
    known = cpc.problem(row.name).best_known
    assert known is not None
    assert (known.kind, known.value) == ("proven", row.upper)
    assert len(known.points)
