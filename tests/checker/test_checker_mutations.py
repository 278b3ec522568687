"""A certificate that is changed so that it claims what is false, or proves less than it claims, is never accepted.

Two kinds of change are used. Either the claim itself is made false (by what is known of the formula, or by an
admissible point below the claimed bound), and then the proof may be changed in any way besides; or a part
that the proof needs is taken away.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cpcbench.certify.checker import check, check_file
from tests.checker.changes import CHANGES, NEEDS_TREE, Data, trees_of
from tests.material.checker_certificates import bounded, falling_logarithm, thin_pole
from tests.material.random_formulas import seeded

KNOWN = bounded()
ROUNDS = 14


def mutations(rounds: int) -> Iterator[tuple[str, Data]]:
    for known in KNOWN:
        for change in CHANGES:
            if change.__name__ in NEEDS_TREE and not trees_of(known.data):
                continue
            for number in range(rounds):
                made = change(known, seeded(hash_of(known.name, change.__name__, number)))
                if made is not None:
                    yield f"{known.name} {change.__name__} {number}", made


def hash_of(*parts: object) -> int:
    """A seed from words, the same in every process."""
    return int.from_bytes("/".join(map(str, parts)).encode(), "big") % (2**61 - 1)


def counted(rounds: int) -> int:
    count = 0
    for name, data in mutations(rounds):
        verdict = check(data)
        assert not verdict.accepted, name
        assert "could not be checked" not in verdict.reason, (name, verdict.reason)
        count += 1
    return count


def test_every_changed_certificate_is_rejected() -> None:
    assert counted(ROUNDS) >= 1000


@pytest.mark.slow
def test_every_changed_certificate_is_rejected_at_length() -> None:
    assert counted(20 * ROUNDS) >= 20_000


def test_a_certificate_of_another_formula_is_no_certificate_of_this_one() -> None:
    for known in KNOWN:
        about = known.data["problem"]
        for other in ("0 + ({})", "({}) + 0", "({}) * 1"):
            formula = other.format(about["formula"])
            assert not check(known.data, problem=(formula, about["bounds"])).accepted
        assert not check(known.data, problem=(about["formula"], [[a - 1.0, b] for a, b in about["bounds"]])).accepted


@pytest.mark.parametrize("data", [falling_logarithm(), thin_pole()], ids=["strict", "ieee"])
def test_changed_families_are_rejected(data: Data) -> None:
    upper = data["upper"]
    changes: list[Data] = [
        {"vanishing": {**upper["vanishing"], "side": "+" if upper["vanishing"]["side"] == "-" else "-"}},
        {"vanishing": {**upper["vanishing"], "value": "1/9"}},
        {"vanishing": {**upper["vanishing"], "node": 0}},
        {"eps": 10.0},
        {"eps": -0.001},
        {"solve": upper["solve"][:-1]},
        {"equations": [{"node": 0, "value": "2"}]},
        {"rule": "strict" if upper["rule"] == "ieee" else "ieee"},
        {"box": [[low + 0.1, high + 0.1] for low, high in upper["box"]]},
    ]
    for change in changes:
        assert not check({**data, "upper": {**upper, **change}}).accepted, change


@pytest.mark.parametrize("step", [7], ids=["bytes"])
def test_damaged_files_are_rejected(tmp_path: Path, step: int) -> None:
    raw = gzip.compress(json.dumps(KNOWN[0].data).encode(), mtime=0)
    place = tmp_path / "a.json.gz"
    for at in range(10, len(raw), step):  # before that come entries of the header that say nothing
        damaged = bytearray(raw)
        damaged[at] ^= 1 << (at % 8)
        place.write_bytes(damaged)
        assert not check_file(place).accepted, at
        place.write_bytes(raw[:at])
        assert not check_file(place).accepted, at
