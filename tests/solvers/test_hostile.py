"""Bad input at the library's doors: every one answers with a CpcbenchError, never with a wrong number."""

from __future__ import annotations

import math
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError, FormulaError, PointError, UnknownNameError
from tests.cases import one_in

INF, NAN = math.inf, math.nan
P = cpc.problem("CPC-DF14")

ENTRIES: dict[str, Callable[[Any], object]] = {
    "call": P,
    "admissible": P.admissible,
    "gradient": P.gradient,
    "reference": P.reference,
    "enclosure": P.enclosure,
    "error_bound": P.error_bound,
    "in_box": P.in_box,
    "condition": P.conditions[0],
    "condition.at": P.conditions[1].at,
    "condition.value": P.conditions[2].value,
    "verify": lambda x: cpc.verify(P, x),
}

POINTS: dict[str, Any] = {
    "too short": [1.0],
    "too long": [1, 2, 3],
    "empty": [],
    "a number": 1.0,
    "no points of another length": np.zeros((0, 3)),
    "many of another length": np.zeros((2, 2, 3)),
    "text": "12",
    "long text": "1" * 100_000,
    "bytes": b"ab",
    "texts": ["1", "2"],
    "None": None,
    "None inside": [None, 1.0],
    "complex": [1j, 2],
    "complex without an imaginary part": np.array([1 + 0j, 2]),
    "booleans": [True, False],
    "NaN": [NAN, 1],
    "NaN in an array": np.array([1.0, NAN]),
    "infinity": [INF, 0],
    "infinity in an array": np.array([0.5, -INF]),
    "infinity among others": [[1, 2], [3, INF]],
    "both infinities": np.array([INF, -INF]),
    "ragged": [[1, 2], [3]],
    "ragged arrays": [np.array([1, 2]), 3],
    "objects": np.array([1, None], dtype=object),
    "fractions": [Fraction(1, 2), 1],
    "decimals": [Decimal(1), 2],
    "huge whole numbers": [10**400, 1],
    "huge long doubles": np.array(["1e4000", "1"], dtype=np.longdouble),
    "masked": np.ma.array([1.0, 2.0], mask=[True, False]),
    "dates": np.array([1, 2], dtype="M8[s]"),
    "a dictionary": {"x1": 1, "x2": 2},
    "a set": {1, 2},
    "an iterator": iter([1, 2]),
    "a function": lambda: 0,
    "an object": object(),
}
if np.finfo(np.longdouble).maxexp <= 1024:
    del POINTS["huge long doubles"]


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("given", POINTS)
def test_no_point(entry: str, given: str) -> None:
    with pytest.raises(PointError) as caught:
        ENTRIES[entry](POINTS[given])
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("bad", [INF, -INF, NAN])
def test_a_formula_that_swallows_infinity_still_refuses_it(bad: float) -> None:
    for text in ("1/x1", "exp(-abs(x1))", "5", "sign(x1)", "where(x1 < 0, 1, 2)"):
        p = cpc.parse(text, [(1, 2)])
        for ask in (p, p.admissible, p.gradient, p.reference, p.enclosure):
            for point in (np.array([bad]), [bad]):
                with pytest.raises(PointError, match="finite"):
                    ask(point)
        with pytest.raises(PointError, match="finite"):
            p(np.array([[1.5], [bad], [1.2]]))
    for text in ("x1", "where(x1 < 0, x2, 1)"):  # the second coordinate is not looked at
        with pytest.raises(PointError, match="finite"):
            cpc.parse(text, [(0, 2), (0, 2)])(np.array([1.0, bad]))


def test_what_is_accepted_is_not_refused() -> None:
    expected = P([3.0, 0.5])
    for point in (
        (3, 0.5),
        np.array([3, 0.5], dtype=np.float32),
        np.array([[0, 3, 0.5]])[0, 1:],
        np.ma.array([3, 0.5]),
    ):
        assert P(point) == expected
    assert P(range(2)) == P([0.0, 1.0])
    assert P(np.zeros((0, 2))).shape == (0,)


@pytest.mark.parametrize("threads", [10**9, 10**30])
def test_no_number_of_threads_is_too_many(threads: int) -> None:
    points = np.ones((2000, 2))
    assert np.array_equal(P(points, workers=threads), P(points))


# Formulas

FORMULAS: dict[str, Any] = {
    "nothing": "",
    "blanks": " \t\n ",
    "no text": None,
    "a number": 5,
    "bytes": b"x1",
    "a list": ["x1"],
    "an import": "__import__('os').system('true')",
    "an attribute": "x1.__class__",
    "a lambda": "lambda: x1",
    "statements": "x1; x1",
    "an assignment": "x1 = 2",
    "zero byte": "x1\0",
    "other digits": "\uff11 + x1",
    "other letters": "π*x1",
    "a surrogate": "\udcff",
    "brackets wrong": ")(",
    "brackets crossed": "(x[1)]",
    "brackets open": "(" * 100_000,
    "brackets closed": ")" * 100_000,
    "operators only": "+" * 100_000,
    "no operator": "x1 x1",
    "no variable": "x0",
    "no such variable": "x2",
    "far variable": "x" + "9" * 5000,
    "too large": "1e999*x1",
    "too small": "1e-400*x1",
    "too many digits": "9" * 5000,
    "huge exponent": "1e" + "9" * 5000,
    "long sum": "sum(i, 1, 10^12, x1)",
    "longer sum": "sum(i, 1, " + "9" * 5000 + ", x1)",
    "backward giant": "sum(i, -10^15, 10^15, x1)",
    "deep sums": "sum(i, 1, 2, " * 1000 + "x1" + ")" * 1000,
    "index zero": "x[0]",
    "index fraction": "x[1.5]",
    "index formula": "x[x1]",
    "index power": "x[9^9^9^9]",
    "comparison": "x1 < 2",
    "where without one": "where(x1, 1, 2)",
    "no arguments": "ln()",
    "too many arguments": "ln(1, 2)",
    "unknown function": "gamma(x1)",
    "too long": "x1 + " * 250_000 + "x1",
}


@pytest.mark.parametrize("given", FORMULAS)
def test_no_formula(given: str) -> None:
    with pytest.raises(CpcbenchError) as caught:
        cpc.parse(FORMULAS[given], [(0.5, 1.5)])
    assert len(str(caught.value)) < 600
    assert isinstance(caught.value, FormulaError) or not isinstance(FORMULAS[given], str)


@pytest.mark.parametrize(
    ("text", "value"),
    one_in(
        3,
        [
            ("(" * 100_000 + "x1" + ")" * 100_000, 1.5),
            ("-" * 3000 + "x1", 1.5),
            ("x1" + " + x1" * 3000, 1.5 * 3001),
            ("sqrt(" * 3000 + "x1" + ")" * 3000, 1.0),
        ],
    ),
    ids=["brackets", "signs", "sum", "roots"],
)
def test_deep_formulas_are_read_and_evaluated(text: str, value: float) -> None:
    p = cpc.parse(text, [(0.5, 2)])
    assert p([1.5]) == p.reference([1.5]) == value
    assert len(p.formula) > 0
    assert p.enclosure([1.5]).contains(value) or value == 1.0  # the real root is a little above 1


BOUNDS: list[Any] = [
    None, 5, "0:1", b"01", [], {}, {"x1": 1}, {1, 2}, object(), (0, 1, 2), [(0,)], [(0, 1), None], [(0, 1, 2)],
    [[[0, 1]]],
    [(1, 0)], [(NAN, 1)], [(INF, INF)], [("0", "1")], [(1j, 2)], [(True, False)], (10**400, 10**401), [(0, 10**400)],
    np.array([[0, 1, 2]]), np.array(5.0),
]  # fmt: skip


@pytest.mark.parametrize("bounds", BOUNDS, ids=lambda b: re.sub(r"0x\w+", "", repr(b)[:30]))
def test_no_bounds(bounds: Any) -> None:
    with pytest.raises(CpcbenchError, match="bounds"):
        cpc.parse("x1", bounds)


@pytest.mark.parametrize("id_", ["", " ", " a", None, 5, "a\nb", "a\0"])
def test_no_id(id_: Any) -> None:
    with pytest.raises(CpcbenchError, match="id"):
        cpc.parse("x1", (0, 1), id=id_)


@pytest.mark.parametrize("names", ["ab", ["a"], ["a", "a"], ["a", 5], ["sin", "b"], ["a b", "c"], [], ["", "b"]])
def test_no_names(names: Any) -> None:
    with pytest.raises(CpcbenchError):
        cpc.parse("a + b", [(0, 1), (0, 1)], names=names)


# Problems by name


@pytest.mark.parametrize(
    "name",
    [None, 5, b"DF3", ["DF3"], "", "DF26", "CPC-DF3\0", "x" * 1_000_000, "../DF3", "\udcff"],
    ids=lambda name: ascii(name)[:20],
)
def test_no_problem(name: Any) -> None:
    with pytest.raises(UnknownNameError) as caught:
        cpc.problem(name)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("n", [0, -1, 1, 1.5, 5.0, "5", NAN, INF, 10**9, 10**30, True, [5], np.float64(5)])
def test_no_size(n: Any) -> None:
    with pytest.raises(CpcbenchError):
        cpc.problem("CPC-DF4", n=n)


@pytest.mark.parametrize("rule", ["", "IEEE ", None, 5, ["ieee"]])
def test_no_rule(rule: Any) -> None:
    with pytest.raises(UnknownNameError, match="rule"):
        cpc.problem("DF3", rule=rule)
    with pytest.raises(UnknownNameError, match="rule"):
        cpc.parse("x1", (0, 1), rule=rule)
    with pytest.raises(UnknownNameError, match="rule"):
        cpc.problems(rule)


@pytest.mark.parametrize(
    "source", [None, 5, "DF3", [], [P, 5], P, lambda: None, lambda: [5], iter([]), {"a": P}], ids=lambda s: repr(s)[:20]
)
def test_nothing_to_register(source: Any) -> None:
    before = [p.id for p in cpc.problems()]
    with pytest.raises(CpcbenchError):
        cpc.register(source)
    assert [p.id for p in cpc.problems()] == before


@pytest.mark.parametrize("language", [None, 5, "", "cobol", ["c"], b"c", "c\0"])
def test_no_language(language: Any) -> None:
    with pytest.raises(UnknownNameError, match="there are ampl"):
        P.export(language)


@pytest.mark.parametrize("constants", ["", "binary", None, 5])
def test_no_reading_of_constants(constants: Any) -> None:
    for ask in (P.enclosure, P.error_bound):
        with pytest.raises(CpcbenchError, match="constants"):
            ask([3, 0.5], constants=constants)


# The folder of compiled kernels

ASK = """
import warnings
warnings.simplefilter("error")
import cpcbench as cpc
p = cpc.parse("ln(x1 - 0.25)", (0, 2), id="cached")
print(p([1.25]), p.gradient([1.25])[0], p.admissible([0.25]), p([0.125]))
"""
ANSWER = "0.0 1.0 False nan"


def ask(folder: Path) -> str:
    environment = {**os.environ, "CPCBENCH_CACHE": str(folder)}
    command = [sys.executable, "-c", ASK]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip()


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    yield folder
    folder.chmod(stat.S_IRWXU)


def test_the_cache_folder_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine", encoding="utf-8")
    assert ask(file) == ANSWER
    assert file.read_text(encoding="utf-8") == "mine"


def test_the_cache_folder_cannot_be_written(locked: Path) -> None:
    assert ask(locked) == ANSWER
    if not os.access(locked, os.W_OK):  # an administrator may write anywhere
        assert list(locked.iterdir()) == []


@pytest.mark.slow
def test_the_cache_holds_broken_files(tmp_path: Path) -> None:
    assert ask(tmp_path) == ANSWER
    kept = list(tmp_path.rglob("*.code"))
    assert len(kept) >= 3  # one for each of the three readings
    for file in kept:
        file.write_bytes(file.read_bytes()[:10])
    assert ask(tmp_path) == ANSWER
