"""Whether an infimum is attained: proven where it is, never claimed where it is not, and no changed claim is taken."""

from __future__ import annotations

import copy
import gzip
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.certify.certificate import library
from cpcbench.certify.certificate.certificate import Certificate
from cpcbench.certify.checker import check
from cpcbench.certify.checker.core.intervals import between
from cpcbench.certify.checker.core.numbers import of_double, precision
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.extensions.narrowing import below, narrowed
from cpcbench.certify.checker.extensions.settled import unsettled
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.certify.confirming import confirmed
from cpcbench.cli.app import app
from cpcbench.expr.walk import postorder
from cpcbench.problems.proven import proven
from cpcbench.readings.reals.enclosure import enclose
from tests.material.checker_certificates import Known, bounded, by_tree, certificate, point
from tests.material.random_formulas import ELEMENTARY, formula, seeded

pytestmark = pytest.mark.usefixtures("unhurried")

Data = dict[str, Any]

NATURAL = {"by": "sums", "sums": []}


def natural(text: str, bounds: list[list[float]], lower: float, upper: float, x: list[float]) -> Data:
    """A certificate whose lower bound needs no tree."""
    return {**certificate(text, bounds, lower, upper, NATURAL, point(*x), "regular"), "version": 2}


# sin(x1^(-1/2)) is near -1 at this point, and nowhere is x1 + sin(x1^(-1/2)) <= -1, as x1 > 0.
WAVE = natural("x1 + sin(x1^(-0.5))", [[0.0, 1.0]], -1.0, -0.9, [0.0450316371])
# exp(ln(x1)) is x1, and 0 is outside.
OPEN = natural("exp(ln(x1))", [[0.0, 1.0]], 0.0, 0.26, [0.25])
# 1/(1 + 1/x1) tends to 0 with x1, and 0 is outside.
QUOTIENT = natural("1/(1 + 1/x1)", [[0.0, 1.0]], 0.0, 0.5, [1.0])
# x1^x2 tends to 0 only where x1 does; at x1 = 0 with x2 >= 0.5 it is 0.
VARYING = natural("x1^x2", [[0.0, 1.0], [0.5, 1.0]], 0.0, 0.11, [0.01, 0.5])
# The same with exponents down to 0: still 0 at (0, 1), but by another proof than this.
JUMP = natural("1 - x1^x2", [[0.0, 1.0], [0.0, 1.0]], -1e-9, 0.5, [0.5, 0.5])
# floor(x1) - x1 tends to -1 from below each whole number, and is 0 there.
STEP = natural("floor(x1) - x1", [[0.0, 2.0]], -2.0, -0.5, [1.75])


def decided(data: Data) -> bool | None:
    made = confirmed(Certificate.of(data).said)
    verdict = made.check()
    assert verdict.accepted, verdict.reason
    assert verdict.attained == made.attained
    return made.attained


EXPECTED = {
    "root-and-edge": True,
    "quarter": True,
    "logarithm": True,
    "pinned-power": True,
    "multiplied": True,
    "filled-hole": None,  # the infimum is where the formula has a hole
    "branches": True,  # the bounds meet
    "chain": True,
    "largest-sum": True,
    "thin-power": True,
}
KNOWN = bounded()


@pytest.mark.parametrize("known", KNOWN, ids=str)
def test_what_is_attained_is_proven_to_be(known: Known) -> None:
    assert decided(known.data) is EXPECTED[known.name]


@pytest.mark.parametrize(
    ("data", "attained"),
    [(WAVE, False), (OPEN, False), (QUOTIENT, False), (VARYING, True), (JUMP, None), (STEP, None)],
    ids=["wave", "open", "quotient", "varying", "jump", "step"],
)
def test_limits_at_open_edges(data: Data, attained: bool | None) -> None:
    assert decided(data) is attained


@pytest.mark.parametrize("data", [WAVE, OPEN, QUOTIENT, STEP], ids=["wave", "open", "quotient", "step"])
@pytest.mark.parametrize("by", ["bounds", "compact", "least"])
def test_an_infimum_that_is_not_attained_is_never_proven_to_be(data: Data, by: str) -> None:
    claim = {**data["claim"], "attained": True}
    verdict = check({**data, "claim": claim, "attained": {"by": by}})
    assert not verdict.accepted
    assert "could not be checked" not in verdict.reason


def made_ones() -> list[Data]:
    """Certificates with every kind of proof."""
    found = [confirmed(Certificate.of(data).said).data for data in (*(k.data for k in KNOWN), WAVE, VARYING)]
    found.append(library.certificate("CPC-DF15.json.gz").data)
    return [data for data in found if data.get("attained") is not None]


MADE = made_ones()


def test_every_kind_of_proof_is_among_them() -> None:
    assert {data["attained"]["by"] for data in MADE} == {"bounds", "compact", "least", "oscillation"}


def changes_of(data: Data) -> list[Data]:
    said = data["claim"]["attained"]
    plain = {key: value for key, value in data["claim"].items() if key != "attained"}
    without = {key: value for key, value in data.items() if key != "attained"}
    return [
        {**data, "claim": {**plain, "attained": not said}},
        {**data, "claim": {**plain, "attained": 1}},
        {**data, "claim": {**plain, "attained": "true"}},
        without,
        {**data, "attained": None},
        {**data, "attained": {}},
        {**data, "attained": {"by": "hope"}},
        {**data, "attained": {**data["attained"], "more": 1}},
        {**data, "claim": plain},
        {**data, "version": 1},
    ]


@pytest.mark.parametrize("data", MADE, ids=lambda d: f"{d['problem']['formula'][:20]} {d['attained']['by']}")
def test_changed_claims_are_rejected(data: Data) -> None:
    assert check(data).accepted
    for changed in changes_of(data):
        verdict = check(changed)
        assert not verdict.accepted, changed
        assert "could not be checked" not in verdict.reason


def test_a_wider_enclosure_needs_a_proof_on_more_points() -> None:
    """It is least at 1/2 and tends to 1 at 0, which is outside; values near that are low enough only if U is."""
    text = "(x1 - 1)^2 + exp(ln(x1))"
    made = by_tree("open edge", text, [[0.0, 2.0]], 0.75, 0.74, 0.76, point(0.5))
    good = confirmed(Certificate.of(made.data).said).data
    assert good["attained"] == {"by": "compact"}
    assert check(good).accepted
    wide = copy.deepcopy(good)
    wide["claim"]["upper"] = 1.5
    assert "attained" not in confirmed(Certificate.of(wide).said).data
    verdict = check(wide)
    assert not verdict.accepted
    assert "leave its domain" in verdict.reason


def test_bounds_that_differ_do_not_show_it() -> None:
    data = copy.deepcopy(next(d for d in MADE if d["attained"]["by"] == "bounds"))
    data["claim"]["lower"] -= 1e-9
    assert "bounds differ" in check(data).reason


def test_changed_oscillations_are_rejected() -> None:
    data = next(d for d in MADE if d["attained"]["by"] == "oscillation")
    proof = data["attained"]
    changes: list[Data] = [
        {"boxes": []},
        {"boxes": [[[0.0, 0.5]]]},  # low points outside of it are not spoken for
        {"boxes": [[[0.01, 1.0]]]},  # the edge is not in it
        {"boxes": [[[0.0, 2.0]]]},
        {"variable": 1},
        {"node": 0},
        {"node": len(postorder(cpc.parse(data["problem"]["formula"], bounds=[(0, 1)]).expression)) - 1},
    ]
    for change in changes:
        verdict = check({**data, "attained": {**proof, **change}})
        assert not verdict.accepted, change
        assert "could not be checked" not in verdict.reason


@pytest.mark.parametrize(
    "text",
    [
        "x1 + sin(x1^0.5)",  # no oscillation: 0 is the infimum and attained
        "x1 + sin(x1^(-0.5)) + x1^(-0.5)",  # the power counts elsewhere too
        "sin(x1^(-0.5)) - x1",  # it falls away from the edge
        "sin(x1^(-0.5))*x1 + x1^2",  # no end of the sine is best at the edge
    ],
)
def test_what_does_not_get_lower_towards_the_edge_is_not_taken_for_it(text: str) -> None:
    p = cpc.parse(text, bounds=[(0, 1)])
    wave = [n.op for n in postorder(p.expression)].index("sin")
    proof = {"by": "oscillation", "node": wave, "variable": 0, "boxes": [[[0.0, 1.0]]]}
    data = natural(text, [[0.0, 1.0]], -3.0, 5.0, [0.5])
    verdict = check({**data, "claim": {**data["claim"], "attained": False}, "attained": proof})
    assert not verdict.accepted
    assert verdict.reason.startswith("attained: ")


def test_processes_watch_the_same_leaves() -> None:
    tree = ["."]
    for _ in range(11):
        tree = ["s0:128", *tree, *tree]
    low = {"by": "tree", "threshold": 0.0, "tree": " ".join(tree)}
    data = certificate("(x1 - 1)^2 + exp(ln(x1))", [[0.0, 2.0]], 0.0, 0.76, low, point(0.5), "regular")
    data |= {"version": 2, "claim": {**data["claim"], "attained": True}, "attained": {"by": "compact"}}
    assert check(data, workers=2).accepted
    verdict = check({**data, "claim": {**data["claim"], "upper": 1.5}}, workers=2)
    assert not verdict.accepted
    assert "leave its domain" in verdict.reason


def test_the_time_of_a_decision_is_limited() -> None:
    """CPC-DF9's operations have to be looked at on the leaves of its tree; other proofs take no time."""
    made = library.certificate("CPC-DF9.json.gz")
    assert confirmed(made.said, 0.0, 0.0).attained is None
    assert confirmed(library.certificate("CPC-DF15.json.gz").said, 0.0, 0.0).attained is True


def test_version_1_is_still_read(tmp_path: Path) -> None:
    old = {key: value for key, value in KNOWN[1].data.items() if key != "attained"}
    assert old["version"] == 1
    assert check(old).accepted
    place = Certificate.of(old).save(tmp_path / "old.json.gz")
    assert Certificate.load(place).attained is None


def test_files_are_renewed(tmp_path: Path) -> None:
    place = Certificate.of(KNOWN[1].data).save(tmp_path / "old.json.gz")
    library.write_index(tmp_path, [library.row_of(Certificate.load(place), place.name, 1.0, "a command")])
    done = CliRunner().invoke(app, ["certify", "--renew", str(place)])
    assert done.exit_code == 0, done.output
    assert "and is attained" in done.output
    assert Certificate.load(place).attained is True
    (row,) = library.read_index(tmp_path)
    assert (row.attained, row.command) == (True, "a command")


@pytest.mark.parametrize(
    "kind", ["cut short", "damaged", "no gzip", "no JSON", "an entry missing", "an entry of another type"]
)
def test_a_corrupt_file_is_not_renewed(kind: str, tmp_path: Path) -> None:
    whole = Certificate.of(KNOWN[1].data).packed()
    lost = {key: part for key, part in KNOWN[1].data.items() if key != "problem"}
    odd = {**KNOWN[1].data, "upper": {"by": "point", "x": "here"}}
    raw = {
        "cut short": whole[:-20],
        "damaged": whole[:30] + bytes([byte ^ 255 for byte in whole[30:60]]) + whole[60:],
        "no gzip": b"not a certificate",
        "no JSON": gzip.compress(b"{"),
        "an entry missing": gzip.compress(json.dumps(lost).encode()),
        "an entry of another type": gzip.compress(json.dumps(odd).encode()),
    }[kind]
    place = tmp_path / "corrupt.json.gz"
    place.write_bytes(raw)
    done = CliRunner().invoke(app, ["certify", "--renew", str(place)])
    assert done.exit_code not in (0, 1)
    assert isinstance(done.exception, SystemExit)
    assert "corrupt.json.gz" in done.output
    assert place.read_bytes() == raw


def test_the_index_and_the_words_say_it() -> None:
    said = {claim.file: claim for claim in proven()}
    for claim in said.values():
        assert library.certificate(claim.file).attained == claim.attained
    assert said["CPC-DF24.json.gz"].attained is False
    assert "and is not attained" in str(said["CPC-DF24.json.gz"])
    assert "and is attained" in str(library.certificate("CPC-DF13.json.gz"))
    assert said["CPC-DF3.json.gz"].attained is None


def test_narrowed_ranges_hold_every_value() -> None:
    """Random formulas at random points: no part's value is outside of its range where the whole is below its value."""
    seen = 0
    for seed in range(400):
        r = seeded(9000 + seed)
        root = formula(r, r.randrange(2, 8), ELEMENTARY)
        x = [r.uniform(-3.0, 3.0) for _ in range(2)]
        box = [(v - r.choice([0.0, 0.1, 2.0]), v + r.choice([0.0, 0.3, 1.0])) for v in x]
        found = enclose(root, x, rule="strict", max_bits=256)
        if not found.defined or not abs(found.upper) < 1e100:
            continue
        precision(64)
        numbers = {id(node): place for place, node in enumerate(postorder(root))}
        program = Program([root], numbers)
        if program.has_where or not program.steps:
            continue
        known = {program.slots[id(root)]: below(Fraction(found.upper))}
        values = narrowed(program, {v: between(*pair) for v, pair in enumerate(box)}, known)
        assert values is not None, seed
        for node in postorder(root):
            part = enclose(node, x, rule="strict", max_bits=256)
            low, high = values[program.slots[id(node)]]
            if part.defined and abs(part.upper) < 1e100:
                assert not low > of_double(part.upper), (seed, node)
                assert not high < of_double(part.lower), (seed, node)
                seen += 1
    assert seen > 300


def test_no_open_edge_is_taken_for_a_closed_one() -> None:
    """Random formulas: where all is settled on a box, no point outside the domain is a limit of low points inside."""
    settled = edges = 0
    for seed in range(6000):
        r = seeded(77_000 + seed)
        root = formula(r, r.randrange(1, 6), ELEMENTARY)
        numbers = {id(node): place for place, node in enumerate(postorder(root))}
        precision(64)
        try:
            program = Program([root], numbers)
        except RejectedError:
            continue  # an exponent whose being whole is not decided
        x = [r.choice([-1.0, -0.5, 0.0, 0.5, 1.0]) for _ in range(2)]
        if (
            program.has_where
            or not program.variables
            or enclose(root, x, rule="strict", max_bits=256).defined is not False
        ):
            continue
        way = [r.choice([-1.0, 0.0, 1.0]) for _ in x]
        near = [
            enclose(root, [a + 2.0**-k * d for a, d in zip(x, way, strict=True)], rule="strict", max_bits=256)
            for k in (20, 30, 40)
        ]
        if not all(found.defined and abs(found.upper) < 1e6 for found in near):
            continue
        if near[2].upper - near[1].upper > 0.5 * abs(near[1].upper - near[0].upper) + 1e-9:
            continue  # it rises without end, so that low points stay away from the edge
        edges += 1
        upper = 1.0 + max(found.upper for found in near)
        known = {program.slots[id(root)]: below(Fraction(upper))}
        for width in (0.0, 1e-3, 1.0):
            box = {
                v: between(min(a, a + d), max(a, a + d) + width) for v, (a, d) in enumerate(zip(x, way, strict=True))
            }
            settled += not unsettled(program, box, known)
    assert edges > 15
    assert settled == 0
