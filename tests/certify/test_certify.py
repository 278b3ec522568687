"""Certificates from end to end: known infima proven, files written, read and checked, the command line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.certify.certificate import library
from cpcbench.certify.certificate.certificate import Certificate
from cpcbench.certify.lower.tree.proving import prove
from cpcbench.certify.making import certify
from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError
from cpcbench.intervals.tape import Tape
from cpcbench.problems import proven as index
from cpcbench.problems.proven import Proven
from cpcbench.report.problems.proven import proven_table
from cpcbench.report.render import render
from tests.cases import one_in
from tests.material.proof_problems import HARD, KNOWN, UNBOUNDED, Known

pytestmark = pytest.mark.usefixtures("unhurried")

QUICK = ("corner", "two edges", "curved edge", "poles", "poles of a wave", "not attained", "islands", "outer logarithm")
"""Proven in a second or so each; the others are slow."""

ROOM = 1e-12
"""The known infima are doubles, rounded."""


def proven(known: Known, seconds: float) -> Certificate:
    made = certify(known.problem(), seconds=seconds)
    verdict = made.check()
    assert verdict.accepted, verdict.reason
    assert made.lower <= known.infimum + ROOM * max(1.0, abs(known.infimum))
    assert made.upper >= known.infimum - ROOM * max(1.0, abs(known.infimum))
    return made


@pytest.mark.parametrize("known", one_in(2, [k for k in KNOWN if k.name in QUICK]), ids=lambda k: k.name)
def test_a_known_infimum_is_proven(known: Known) -> None:
    assert proven(known, 10.0).relative_gap <= 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("known", [k for k in KNOWN if k.name not in QUICK], ids=lambda k: k.name)
def test_a_known_infimum_is_proven_in_a_minute(known: Known) -> None:
    assert proven(known, 60.0).relative_gap <= 1e-9


@pytest.mark.parametrize(
    ("text", "infimum"),
    one_in(
        2,
        [
            ("min((x1 - 1)^2 + 0.25, (x1 + 2)^2 + 0.5)", 0.25),
            ("cbrt(x1) + x1^2", -(5.0 / 6.0) * 6.0**-0.2),
            ("max(x1, 1 - x1) + log2(x1 + 6) - log2(6.5)", 0.5),
            ("arccosh(x1) + (x1 - 2)^2", 1.0),
        ],
    ),
)
def test_functions_of_every_kind_are_proven(text: str, infimum: float) -> None:
    made = certify(cpc.parse(text, bounds=[(-5, 5)]), seconds=20.0)
    assert made.check().accepted
    assert made.relative_gap <= 1e-9
    assert made.lower <= infimum + ROOM
    assert made.upper >= infimum - ROOM


@pytest.mark.slow
@pytest.mark.parametrize("known", HARD, ids=lambda k: k.name)
def test_a_wide_enclosure_is_still_right(known: Known) -> None:
    made = certify(known.problem(), seconds=5.0)
    assert made.lower <= known.infimum + ROOM
    assert made.upper >= known.infimum - ROOM


@pytest.mark.parametrize("known", UNBOUNDED, ids=lambda k: k.name)
def test_what_has_no_lower_bound_is_proven_to_have_none(known: Known) -> None:
    made = certify(known.problem(), seconds=10.0)
    assert made.unbounded
    assert made.check().accepted
    assert made.gap == 0.0
    assert "unbounded" in str(made)


SMALL = [k for k in (*KNOWN, *HARD) if len(k.bounds) <= 2]


@pytest.mark.parametrize("known", one_in(4, SMALL), ids=lambda k: k.name)
def test_nothing_is_proven_above_the_infimum(known: Known) -> None:
    """Thirty thresholds each, from a hair to far above what is true."""
    p = known.problem()
    tape = Tape.of_formula(p.expression, p.dim)
    for step in range(30):
        above = known.infimum + 10.0 ** (-11.0 + 0.4 * step) * max(1.0, abs(known.infimum))
        tree = prove(tape, p.lower, p.upper, above, seconds=60.0, max_nodes=600)
        assert not tree.complete
        assert tree.bound <= known.infimum + ROOM * max(1.0, abs(known.infimum))


@pytest.mark.slow
def test_an_unfinished_proof_is_gone_on_with(tmp_path: Path) -> None:
    known = next(k for k in HARD if k.name == "edge of a product")
    place = tmp_path / "boxes.npz"
    first = certify(known.problem(), seconds=4.0, tolerance=1e-12, state=place)
    assert place.exists()
    second = certify(known.problem(), seconds=4.0, tolerance=1e-12, state=place)
    assert second.lower >= first.lower
    assert second.check().accepted
    with pytest.raises(CpcbenchError, match="another formula"):
        certify(KNOWN[3].problem(), seconds=4.0, tolerance=1e-12, state=place)


def test_a_certificate_survives_its_file(tmp_path: Path) -> None:
    made = certify(KNOWN[0].problem(), seconds=5.0)
    place = made.save(tmp_path / "a.json.gz")
    assert Certificate.load(place) == made
    made.save(tmp_path / "b.json.gz")
    assert place.read_bytes() == (tmp_path / "b.json.gz").read_bytes()  # no time stamp in it


@pytest.mark.parametrize(
    "content",
    [b"", b"no gzip", gzip.compress(b"no json"), gzip.compress(b"[]"), gzip.compress(b'{"format": "other"}')],
    ids=["empty", "plain", "text", "list", "other"],
)
def test_what_is_no_certificate_is_said_to_be_none(tmp_path: Path, content: bytes) -> None:
    place = tmp_path / "c.json.gz"
    place.write_bytes(content)
    with pytest.raises(CpcbenchError, match="no certificate"):
        Certificate.load(place)


def test_an_unknown_version_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "c.json.gz"
    place.write_bytes(gzip.compress(json.dumps({"format": "cpcbench-certificate", "version": 99}).encode()))
    with pytest.raises(CpcbenchError, match="version 99"):
        Certificate.load(place)


@pytest.mark.parametrize("settings", [{"tolerance": 0.0}, {"seconds": 0.0}, {"part": "both"}])
def test_wrong_settings_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(CpcbenchError, match="certify takes"):
        cpc.certify(KNOWN[0].problem(), **settings)  # type: ignore[arg-type]


def test_only_problems_are_certified() -> None:
    with pytest.raises(CpcbenchError, match="certify takes a problem"):
        cpc.certify(lambda x: x)  # type: ignore[arg-type]


def test_a_formula_without_varying_exponents_has_no_thin_sets() -> None:
    with pytest.raises(CpcbenchError, match="no thin sets"):
        cpc.certify(KNOWN[0].problem(), part="thin", seconds=1.0)


CLAIMS = index.proven()


def problem_of(claim: Proven) -> cpc.Problem:
    p = cpc.problem(claim.name)
    return cpc.problem(claim.name, n=claim.n) if p.scalable else p


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.file)
def test_the_index_says_what_the_files_say(claim: Proven) -> None:
    made = library.certificate(claim.file)
    assert (made.name, made.part, made.steps) == (claim.name, claim.part, claim.steps)
    assert (claim.lower is None) == made.unbounded
    if not made.unbounded:
        assert (made.lower, made.upper) == (claim.lower, claim.upper)
    assert claim in library.proven_for(problem_of(claim))


SHORT = [c for c in CLAIMS if c.steps <= (2_000 if c.n == cpc.problem(c.name).dim else 300)]


@pytest.mark.parametrize("arithmetic", ["arb", "mpfr"])
@pytest.mark.parametrize("claim", one_in(2, SHORT), ids=lambda c: c.file)
def test_the_checker_accepts_each_certificate_of_the_package(claim: Proven, arithmetic: str) -> None:
    verdict = library.check(claim.file, problem_of(claim), arithmetic)
    assert verdict.accepted, verdict.reason
    assert verdict.arithmetic == arithmetic


@pytest.mark.slow
@pytest.mark.parametrize("arithmetic", ["arb", "mpfr"])
@pytest.mark.parametrize("claim", [c for c in CLAIMS if c not in SHORT], ids=lambda c: c.file)
def test_the_checker_accepts_the_long_certificates_too(claim: Proven, arithmetic: str) -> None:
    verdict = library.check(claim.file, problem_of(claim), arithmetic)
    assert verdict.accepted, verdict.reason


def test_another_formula_is_not_proven() -> None:
    assert CLAIMS, "the package has no certificates"
    first = CLAIMS[0]
    other = next(p for p in cpc.problems() if p.id != first.name)
    assert not library.check(first.file, other).accepted
    changed = cpc.parse(cpc.problem(first.name).formula, bounds=[(-1.5, 1.5)] * cpc.problem(first.name).dim)
    assert library.proven_for(changed) == []


def test_the_page_shows_what_is_proven() -> None:
    page = (Path(__file__).parents[2] / "docs/proofs.md").read_text(encoding="utf-8")
    table = render([proven_table([p for p in cpc.problems() if p.category == "domain-induced"])], "markdown")
    for line in table.splitlines():
        if line.startswith("|"):
            assert line in page


def test_a_proof_says_where() -> None:
    formula = "exp(x1*x2) - sqrt(1 - x1^2 - x2^2) + x1"
    made = cpc.certify(formula, [(-1.0, 1.0), (-1.0, 1.0)], seconds=5.0)
    assert made.x is not None
    assert made.optima is not None
    assert any(all(low <= v <= high for v, (low, high) in zip(made.x, box, strict=True)) for box in made.optima)
    words = ["certify", formula, "--bounds=-1:1,-1:1", "--seconds", "5"]
    said = CliRunner().invoke(app, words).output
    assert "at " in said
    assert "optima in" in said
    assert json.loads(CliRunner().invoke(app, [*words, "--json"]).output)["x"] is not None


def test_bounds_go_with_a_formula() -> None:
    with pytest.raises(CpcbenchError, match="box of its own"):
        cpc.certify(cpc.problem("CPC-DF13"), [(0.0, 1.0)])
