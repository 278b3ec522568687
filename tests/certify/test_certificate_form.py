"""What a certificate says as types, and as the JSON of its file: the same in both directions, and strictly read."""

from __future__ import annotations

import copy
import gzip
import json
import math
from importlib import resources
from typing import Any

import pytest

from cpcbench.certify.certificate import library
from cpcbench.certify.certificate.certificate import Certificate
from cpcbench.certify.certificate.form import from_json, to_json
from cpcbench.certify.certificate.schema import BySums, ByTree
from cpcbench.errors import CpcbenchError
from cpcbench.problems.proven import proven
from tests.cases import one_in
from tests.material.checker_certificates import bounded

FILES = [claim.file for claim in proven()]
GOOD = bounded()[1].data


@pytest.mark.parametrize("file", one_in(2, FILES))
def test_packaged_files_are_written_as_they_are_read(file: str) -> None:
    raw = (resources.files("cpcbench.certify.certificate") / "data" / file).read_bytes()
    assert gzip.decompress(library.certificate(file).packed()) == gzip.decompress(raw)


def test_the_types_say_what_the_file_does() -> None:
    said = library.certificate("CPC-DF13.json.gz").said
    assert isinstance(said.lower, ByTree)
    assert said.trees == [said.lower.tree]
    sums = library.certificate("CPC-DF6.json.gz").said.lower
    assert isinstance(sums, BySums | ByTree)
    assert from_json(to_json(said)) == said


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("claim", "kind"), "perhaps", "claim.kind is 'perhaps'"),
        (("claim", "lower"), "low", "claim.lower is 'low'"),
        (("claim", "upper"), True, "claim.upper is True"),
        (("part",), None, "part is None"),
        (("problem", "bounds"), [[0.0, "one"]], r"problem.bounds\[0\]\[1\] is 'one'"),
        (("problem", "author"), "nobody", "'problem.author' is not known"),
        (("lower", "by"), "magic", "a proof by tree or sums or cases or thin"),
        (("upper",), [], "a proof by point or pinned or thin or family or path"),
        (("more",), 1, "'more' is not known"),
        (("version",), 6, "version 6"),
        (("format",), "other", "no certificate"),
    ],
)
def test_what_is_odd_is_named(path: tuple[str, ...], value: Any, words: str) -> None:
    data = copy.deepcopy(GOOD)
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(CpcbenchError, match=words):
        Certificate.of(data)


@pytest.mark.parametrize("name", ["version", "problem", "part", "claim", "lower", "upper"])
def test_what_is_missing_is_named(name: str) -> None:
    data = {key: part for key, part in GOOD.items() if key != name}
    with pytest.raises(CpcbenchError, match=name):
        Certificate.of(data)


def test_an_infimum_has_two_bounds() -> None:
    with pytest.raises(CpcbenchError, match="bounds"):
        Certificate.of({**GOOD, "claim": {"kind": "infimum", "lower": 0.0}})
    other = Certificate.of({**GOOD, "claim": {"kind": "empty"}, "upper": None})
    assert (other.lower, other.upper, json.loads(json.dumps(other.data))) == (math.inf, math.inf, other.data)
