"""Certificates from strangers: nothing of theirs is run, sizes are limited, what a proof is about is said."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.certify.checker import check, check_file, checking
from cpcbench.certify.checker.files import reading
from cpcbench.certify.checker.files.workers import check_tasks
from cpcbench.cli.app import app
from tests.material.checker_certificates import bounded, certificate, point

KNOWN = bounded()[1].data
HOME = str(Path(cpc.__file__).parent.parent)


def written(place: Path, data: Any) -> Path:
    place.write_bytes(gzip.compress(json.dumps(data).encode()))
    return place


def long_proof(depth: int = 12) -> dict[str, Any]:
    """A proof with many leaves: x1^2 + x2^2 is at least -1."""
    tree = ["."]
    for level in range(depth):
        tree = [f"s{level % 2}:128", *tree, *tree]
    low = {"by": "tree", "threshold": -1.0, "tree": " ".join(tree)}
    return certificate("x1^2 + x2^2", [[-1.0, 1.0]] * 2, -1.0, 0.0, low, point(0.0, 0.0), "regular")


@pytest.mark.parametrize(
    "name",
    ["json", *(pytest.param(name, marks=pytest.mark.slow) for name in ("gzip", "numbers", "fractions", "flint"))],
)
def test_a_library_planted_beside_the_certificate_is_not_run(tmp_path: Path, name: str) -> None:
    written(tmp_path / "a.json.gz", long_proof())
    (tmp_path / f"{name}.py").write_text("open('ran', 'w').close()\nraise SystemExit(7)\n", encoding="utf-8")
    code = (
        f"import sys; sys.path[:] = [p for p in sys.path if p] + [{HOME!r}]; "
        "from cpcbench.certify.checker import check_file, check_file_apart; "
        "print(check_file('a.json.gz', workers=2).accepted, check_file_apart('a.json.gz', workers=2).accepted)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["True", "True"], done.stderr
    assert not (tmp_path / "ran").exists()


def test_a_small_file_that_unpacks_to_a_large_one_is_not_read(tmp_path: Path) -> None:
    place = tmp_path / "bomb.json.gz"
    with gzip.open(place, "wb") as file:
        for _ in range(reading.MOST_BYTES // (1 << 20) + 1):
            file.write(b" " * (1 << 20))
    assert place.stat().st_size < 1 << 17
    verdict = check_file(place)
    assert (verdict.accepted, verdict.checked) == (False, False)
    assert "more than" in verdict.reason


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[" + "[],[]," * 2_000_000 + "[]]", "values"),
        ("[" * 100 + "]" * 100, "deep"),
        ('{"a":' * 40 + "1" + "}" * 40, "deep"),
    ],
    ids=["many", "deep", "objects"],
)
def test_what_would_take_much_memory_is_counted_before_it_is_built(tmp_path: Path, text: str, word: str) -> None:
    place = tmp_path / "a.json.gz"
    place.write_bytes(gzip.compress(text.encode()))
    verdict = check_file(place)
    assert not verdict.checked
    assert word in verdict.reason


def test_brackets_inside_text_do_not_count(tmp_path: Path) -> None:
    data = {**KNOWN, "made": {"note": "[" * 100 + '"\\' + "," * 100}}
    assert check_file(written(tmp_path / "a.json.gz", data)).accepted


def test_ten_million_exponents_are_counted_without_being_listed() -> None:
    exponents = {"by": "thin", "exponents": [1], "witness": point(1.0, -1.0)}
    data = certificate("x2^x1", [[0.0, 1e7], [-1.0, -0.5]], -1.0, 0.0, {"by": "thin", "sets": []}, exponents, "thin")
    data["version"] = 2
    start = time.perf_counter()
    assert "more than 100 whole numbers" in check(data).reason
    assert time.perf_counter() - start < 5.0


def test_a_check_that_takes_too_long_is_no_verdict(tmp_path: Path) -> None:
    place = written(tmp_path / "a.json.gz", long_proof(16))
    verdict = cpc.check(place, seconds=0.05)
    assert (verdict.accepted, verdict.checked) == (False, False)
    assert "time" in verdict.reason
    assert str(verdict).startswith("not checked: ")


def test_a_check_that_takes_too_much_memory_is_no_verdict(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    place = written(tmp_path / "a.json.gz", long_proof(17))
    verdict = cpc.check(place, memory=160 << 20)
    assert (verdict.accepted, verdict.checked) == (False, False)
    assert "memory" in verdict.reason


@pytest.mark.parametrize(("box", "right"), [([[-50.0, 50.0]], False), ([[0.0, 10.0]] * 2, True)])
def test_the_name_of_a_function_is_right_at_other_sizes_too(
    tmp_path: Path, box: list[list[float]], right: bool
) -> None:
    problem = cpc.problem("CPC-DF2", n=2)
    formula = problem.formula if right else "x1^2"
    low = {"by": "tree", "threshold": -1e9, "tree": "."}
    data = certificate(formula, box, -1e9, 1e9, low, point(*[0.0] * len(box)), "all")
    data["problem"]["name"] = "CPC-DF2"
    done = CliRunner().invoke(app, ["certify", "--check", str(written(tmp_path / "a.json.gz", data))])
    assert ("NOT about the problem CPC-DF2" in done.output) is not right


def test_what_a_proof_is_about_is_said(tmp_path: Path) -> None:
    """A file that bears the name of a function of the suite, and is about another one."""
    low = {"by": "tree", "threshold": -11.0, "tree": "."}
    data = certificate("x1^2 - 11", [[-1.0, 1.0]], -11.0, -11.0, low, point(0.0), "all")
    data["problem"]["name"] = "CPC-DF3"
    place = written(tmp_path / "CPC-DF3.json.gz", data)
    runner = CliRunner()
    done = runner.invoke(app, ["certify", "--check", str(place)])
    assert done.exit_code == 0
    for words in (
        "x1^2 - 11",
        "[-1.0, 1.0]",
        "rule ieee",
        "part all",
        "NOT about the problem CPC-DF3",
        "the core alone",
    ):
        assert words in done.output
    said = json.loads(runner.invoke(app, ["certify", "--check", str(place), "--json"]).output)[0]
    about = {"formula": "x1^2 - 11", "bounds": [[-1.0, 1.0]], "rule": "ieee", "part": "all", "name": "CPC-DF3"}
    assert said["about"] == about
    assert said["rests_on"] == []
    refused = runner.invoke(app, ["certify", "--check", str(place), "--problem", "CPC-DF3"])
    assert refused.exit_code == 1
    assert "it is about other bounds" in refused.output
    mine = ["certify", "--check", str(place), "--problem", "x1^2 - 11", "--bounds=-1:1", "--arithmetic", "both"]
    both = runner.invoke(app, mine)
    assert both.exit_code == 0
    assert both.output.count("accepted") == 2


@pytest.mark.parametrize("arithmetic", ["arb", "mpfr"])
def test_a_proof_by_one_natural_leaf_rests_on_the_core_alone_or_on_balls(arithmetic: str) -> None:
    verdict = check(KNOWN, arithmetic=arithmetic)
    assert verdict.accepted
    assert (verdict.rests_on, verdict.arithmetic) == (("balls",) if arithmetic == "arb" else (), arithmetic)


def test_bad_words_are_named() -> None:
    for words in (["--arithmetic", "decimal"], ["--seconds", "0"], ["--seconds", "nan"]):
        done = CliRunner().invoke(app, ["certify", "--check", "a.json.gz", *words])
        assert done.exit_code == 2
    assert CliRunner().invoke(app, ["certify", "CPC-DF3", "--problem", "CPC-DF3"]).exit_code == 2


class Twofold(dict[str, Any]):
    """Reads as one problem, and is written out as another one."""

    def items(self) -> Any:
        return {**dict(dict.items(self)), "formula": "x1 + 10"}.items()


def split_evenly(depth: int) -> str:
    tree = ["."]
    for _ in range(depth):
        tree = ["s0:128", *tree, *tree]
    return " ".join(tree)


@pytest.mark.parametrize("workers", [1, 2])
def test_what_is_read_once_is_what_is_checked(workers: int) -> None:
    low = {"by": "tree", "threshold": 10.0, "tree": split_evenly(11)}
    data = certificate("x1*1000 - 500", [[0.0, 1.0]], 10.0, 100.0, low, point(0.6), "regular")
    data["problem"] = Twofold(data["problem"])
    verdict = check(data, workers=workers, problem=("x1*1000 - 500", [[0.0, 1.0]]))
    assert not verdict.accepted
    assert "Twofold" in verdict.reason


def test_what_changes_while_it_is_checked_is_not_what_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    data = certificate("x1 + 10", [[0.0, 1.0]], 10.0, 10.0, {"by": "tree", "threshold": 10.0, "tree": split_evenly(8)},
                       point(0.0), "regular")  # fmt: skip

    def change(*given: Any) -> int:
        data["problem"]["formula"] = "x1 - 5"
        return check_tasks(*given)

    monkeypatch.setattr(checking, "check_tasks", change)
    verdict = check(data)
    assert verdict.accepted
    assert verdict.about["formula"] == "x1 + 10"


def test_no_part_of_a_formula_hides_behind_a_line_break() -> None:
    low = {"by": "tree", "threshold": 1000.0, "tree": "."}
    data = certificate("1000 +\r        x1^2", [[0.0, 1.0]], 1000.0, 1000.0, low, point(0.0), "regular")
    verdict = check(data)
    assert verdict.accepted
    assert verdict.lines[0] == "about: 1000 + x1^2"


@pytest.mark.parametrize(
    "formula",
    ["sum(i,1,4," + "/".join(["(x1+i)"] * 290) + ")", "x1" + "/x1" * 2000, "-1/x1 + sum(i,1,9000,1/i)"],
    ids=["many quotients", "a long quotient", "a long sum"],
)
def test_the_time_holds_wherever_it_goes(formula: str) -> None:
    low = {"by": "tree", "threshold": -1e300, "tree": "."}
    data = certificate(formula, [[0.5, 1.0]], -1e300, 1e300, low, point(1.0), "regular")
    if formula.startswith("-1/x1"):
        path = {"by": "path", "x": [["0", "1"]]}
        data = certificate(formula, [[0.0, 1.0]], 0.0, 0.0, None, path, "regular") | {"claim": {"kind": "unbounded"}}
        data["version"] = 2
    start = time.perf_counter()
    verdict = check(data, seconds=1.0)
    assert time.perf_counter() - start < 60.0
    assert verdict.accepted or not verdict.checked


@pytest.mark.slow
def test_thin_sets_of_a_long_formula_are_not_built() -> None:
    exponents = {"by": "thin", "exponents": [1], "witness": point(0.0, 1.0)}
    formula = "sum(i,1,60000,(x1-5)^x2)"
    data = certificate(formula, [[0.0, 1.0], [0.0, 99.0]], -1.0, 0.0, {"by": "thin", "sets": []}, exponents, "thin")
    data["version"] = 2
    verdict = check(data, seconds=60.0)
    assert not verdict.accepted
    assert not verdict.checked


def test_a_deep_tree_of_many_variables_is_not_followed() -> None:
    n, depth = 5000, 2000
    low = {"by": "tree", "threshold": -1.0, "tree": " ".join([f"s{k}:128" for k in range(depth)] + ["."] * (depth + 1))}
    data = certificate("x1^2", [[-1.0, 1.0]] * n, -1.0, 0.0, low, {"by": "point", "x": [0.0] * n}, "regular")
    verdict = check(data, seconds=60.0)
    assert not verdict.checked
    assert "open boxes" in verdict.reason or "time" in verdict.reason


@pytest.mark.parametrize(("inside", "is_so"), [("floor((x1+1)/(x1+2))", True), ("sign(x1-1)", False)])
def test_a_level_is_known_whatever_side_its_operand_comes_from(inside: str, is_so: bool) -> None:
    """Off its jumps, floor is exactly a whole number: its root is defined along the path; that of sign -1 is not."""
    path = {"by": "path", "x": [["0", "1"]]}
    data = certificate(f"sqrt({inside}) - 1/x1", [[0.0, 1.0]], 0.0, 0.0, None, path, "regular")
    assert check(data | {"claim": {"kind": "unbounded"}}).accepted is is_so
