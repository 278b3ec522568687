"""The checker accepts what is proven, says why it rejects the rest, and uses nothing of the prover."""

from __future__ import annotations

import copy
import gzip
import json
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import cpcbench as cpc
from cpcbench.certify import checker
from cpcbench.certify.checker import check, check_file
from cpcbench.certify.checker.core.numbers import of_double
from cpcbench.certify.checker.core.trees import Watch, path_of
from cpcbench.certify.checker.ground.verdict import RejectedError
from tests.material.checker_certificates import Known, bounded, certificate, chain, falling_logarithm, point, thin_pole

KNOWN = bounded()


@pytest.mark.parametrize("known", KNOWN, ids=str)
def test_proofs_of_known_infima_are_accepted(known: Known) -> None:
    verdict = check(known.data)
    assert verdict.accepted, verdict.reason
    assert verdict.lower is not None
    assert verdict.upper is not None
    assert verdict.lower <= known.infimum <= verdict.upper + 1e-15


@pytest.mark.parametrize("data", [falling_logarithm(), thin_pole()], ids=["strict", "ieee"])
def test_proofs_that_there_is_no_lower_bound_are_accepted(data: dict[str, Any]) -> None:
    verdict = check(data)
    assert verdict.accepted, verdict.reason
    assert verdict.lower == -math.inf


def test_a_thin_family_says_nothing_of_the_regular_part() -> None:
    assert not check({**thin_pole(), "part": "regular"}).accepted


def test_the_problem_can_be_compared() -> None:
    data = KNOWN[1].data
    about = data["problem"]
    assert check(data, problem=about).accepted
    assert check(data, problem=(about["formula"].replace(" ", ""), about["bounds"])).accepted
    assert "formula" in check(data, problem=("x1 - sqrt(x1) + 0", about["bounds"])).reason
    assert "bounds" in check(data, problem=(about["formula"], [[-1.0, 3.0]])).reason


@pytest.mark.parametrize(
    ("text", "names", "bounds", "x"),
    [
        ("x2 + 10*x1", ["x2", "x1"], [(0, 1), (1, 2)], [0.0, 1.0]),  # other names: 10*x2 + x1, from 10 on
        ("n", ["n"], [(5, 6)], [5.0]),  # a name that is a number to the parser: x1, from 5 on
    ],
)
def test_the_names_of_a_problem_are_not_read_as_others(
    text: str, names: list[str], bounds: list[tuple[float, float]], x: list[float], tmp_path: Path
) -> None:
    problem = cpc.parse(text, names=names, bounds=bounds)
    low = {"by": "tree", "threshold": 1.0, "tree": "."}
    forged = certificate(text, [list(pair) for pair in bounds], 1.0, 1.0, low, point(*x), "all")
    assert problem(x) >= 5.0
    assert check(forged).accepted  # as a proof about the text alone
    assert not cpc.check(forged, problem=problem).accepted
    place = tmp_path / "forged.json"
    place.write_text(json.dumps(forged), encoding="utf-8")
    assert not cpc.check(place, problem=problem).accepted


def test_a_problem_with_names_of_its_own_is_known_by_its_certificate() -> None:
    problem = cpc.parse("b - sqrt(a)", names=["a", "b"], bounds=[(0, 1), (1, 2)])
    low = {"by": "tree", "threshold": 0.0, "tree": "."}
    data = certificate("x2 - sqrt(x1)", [[0.0, 1.0], [1.0, 2.0]], 0.0, 0.0, low, point(1.0, 1.0), "all")
    assert cpc.check(data, problem=problem).accepted


def test_the_reason_names_the_place() -> None:
    data = copy.deepcopy(KNOWN[0].data)
    data["lower"]["tree"] = data["lower"]["tree"].replace("s1:128", "s1:0", 1)
    reason = check(data).reason
    assert "'s1:0'" in reason
    assert "token 1 (path L)" in reason
    assert path_of(["s0:128", "l0", ".", "s1:128", ".", "."], 5) == "token 5 (path UU)"


def test_parts_in_processes_give_the_same_verdict() -> None:
    data = copy.deepcopy(chain().data)
    link = data["lower"]["sums"][0]["links"][0]
    link["tree"] = _halved(9)
    link["threshold"] = -1.5
    link["plus"], data["lower"]["sums"][0]["links"][1]["minus"] = [], []
    data["lower"]["sums"][0]["tables"] = {}
    data["lower"]["sums"][0]["links"][1].update(tree=_halved(9), threshold=-1.5)
    data["lower"]["sums"][0]["bound"] = -3.0
    data["claim"]["lower"] = 0.04
    one, two = check(data), check(data, workers=2)
    assert one.accepted, one.reason
    assert (two.accepted, two.leaves) == (True, one.leaves)
    link["tree"] = link["tree"][:-1] + "m:-1"
    assert "multiplier" in check(data, workers=2).reason


def _halved(depth: int) -> str:
    tree = ["."]
    for level in range(depth):
        tree = [f"s{level % 2}:128", *tree, *tree]
    return " ".join(tree)


def test_boxes_of_the_optima() -> None:
    low = {"by": "tree", "threshold": 0.0, "tree": "s0:64 . s0:64 . ."}
    data = certificate("(x1 - 1)^2", [[-3.0, 5.0]], 0.0, 0.5, low, point(1.0), "regular")
    assert check({**data, "optima": [[[-1.0, 5.0]]]}).accepted  # [-1, 0.5] is not above 0.5 either
    assert "optima" in check({**data, "optima": [[[0.5, 5.0]]]}).reason
    faces = {"by": "tree", "threshold": 0.0, "tree": "s0:128 h0 . l0 ."}
    moved = certificate("(x1 - 1)^2", [[-3.0, 5.0]], 0.0, 0.5, faces, point(1.0), "regular")
    assert check(moved).accepted
    assert "optima" in check({**moved, "optima": [[[1.0, 1.0]]]}).reason  # a face speaks for its whole box


def test_optima_boxes_hold_leaves() -> None:
    watch = Watch(Fraction(0), [((0.0, 1.0),)])
    watch.check(of_double(-1.0), ((0.25, 1.0),))
    watch.check(of_double(0.5), ((5.0, 6.0),))
    with pytest.raises(RejectedError):
        watch.check(of_double(0.0), ((0.25, 1.5),))


def test_files(tmp_path: Path) -> None:
    good = gzip.compress(json.dumps(KNOWN[1].data).encode())
    place = tmp_path / "a.json.gz"
    for raw, word in [
        (good, "proven"),
        (good[:-9], "gzip"),
        (b"no gzip", "gzip"),
        (gzip.compress(b"{"), "JSON"),
        (gzip.compress(b"[" * 100_000), "deep"),
        (gzip.compress(b'{"a": NaN}'), "NaN"),
        (gzip.compress(b'{"a": 1, "a": 2}'), "twice"),
        (gzip.compress(b"3"), "object"),
        (gzip.compress(json.dumps({**KNOWN[1].data, "version": 6}).encode()), "version"),
    ]:
        place.write_bytes(raw)
        verdict = check_file(place)
        assert word in verdict.reason
        assert verdict.accepted == (word == "proven")
    assert "no file" in check_file(tmp_path / "b").reason


def test_it_is_a_program(tmp_path: Path) -> None:
    place = tmp_path / "a.json.gz"
    for data, status in ((KNOWN[1].data, 0), ({}, 1)):
        place.write_bytes(gzip.compress(json.dumps(data).encode()))
        command = [sys.executable, "-m", "cpcbench.certify.checker", str(place)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == status
        assert ("accepted" if status == 0 else "rejected") in done.stdout


@pytest.mark.parametrize("odd", [None, 3, [], "x", {}, {"format": "cpcbench-certificate", "version": 1}])
def test_malformed_data_is_rejected_with_a_reason(odd: object) -> None:
    verdict = check(odd)
    assert not verdict.accepted
    assert verdict.reason


def test_every_missing_or_odd_entry_is_rejected() -> None:
    count = 0
    odds: list[Any] = [None, True, "?", [[]], {"a": 1}, 1e999]
    for known in KNOWN:
        for path in _paths(known.data):
            for odd in odds:
                data = copy.deepcopy(known.data)
                _set(data, path, odd)
                if path[0] == "made" or path[-1] == "name" or (path == ("part",) and odd == "all"):
                    continue
                verdict = check(data)
                assert not verdict.accepted, (known.name, path, odd)
                count += 1
    assert count > 500


def _paths(data: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all entries but the numbers inside tables and boxes."""
    found: list[tuple[Any, ...]] = []
    items = data.items() if isinstance(data, dict) else enumerate(data[:2]) if isinstance(data, list) else ()
    for key, value in items:
        found.append((*before, key))
        found += _paths(value, (*before, key))
    return found


def _set(data: Any, path: tuple[Any, ...], value: object) -> None:
    for key in path[:-1]:
        data = data[key]
    data[path[-1]] = value


def test_nothing_of_the_prover_or_the_readings_is_used() -> None:
    for path in Path(checker.__file__).parent.rglob("*.py"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip().startswith(("import ", "from ")) and "cpcbench" in line:
                module = line.split()[1]
                shared = module in ("cpcbench.arb", "cpcbench.errors")  # a lock, and the base of all errors
                assert shared or module.startswith(("cpcbench.certify.checker", "cpcbench.expr")), line
