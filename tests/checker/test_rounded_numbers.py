"""Within the checker nothing is decided on a rounded number: its source has none, and the test of that can fail."""

from __future__ import annotations

from pathlib import Path

import pytest

import cpcbench.certify.checker as checker
from tests.material.rounded_numbers import troubles

HOME = Path(checker.__file__).parent
FILES = [
    *sorted(p for room in ("ground", "core", "extensions") for p in HOME.glob(f"{room}/**/*.py")),
    HOME / "checking.py",
]

DOUBLES = {
    "core/trees.py": {"_share"},  # the double that comes out is the place of the split
    "core/mean_value.py": {"centre_of"},  # any place of the interval will do
    "core/krawczyk.py": {"middle"},  # likewise
    "extensions/settled.py": {"_halved"},  # likewise
    "checking.py": {"check"},  # seconds
}
"""Functions that compute with doubles, and why that decides nothing."""


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(HOME)))
def test_nothing_is_decided_on_a_rounded_number(file: Path) -> None:
    name = str(file.relative_to(HOME))
    doubles_in = frozenset(DOUBLES.get(name, set()))
    assert troubles(file.read_text(), library=name == "core/numbers.py", doubles_in=doubles_in) == []


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("EPS = 1e-9", "the literal 1e-09"),
        ("def f(a: End) -> bool:\n    return float(a) > 0", "calls float"),
        ("import math\ndef f(a: End) -> int:\n    return math.floor(a)", "calls .floor"),
        ("from math import floor", "imports floor from math"),
        ("from math import isclose", "imports isclose from math"),
        ("import math\ndef f(a):\n    return math.nextafter(a, 1)", "calls .nextafter"),
        ("def f(a):\n    return a.mid()", "calls .mid"),
        ("def f(a):\n    return a.rad() < 1", "calls .rad"),
        ("def f(a):\n    return a.str(5)", "calls .str"),
        ("def f(a):\n    return (a / 2).is_integer()", "calls .is_integer"),
        ("def f(a):\n    return round(a)", "calls round"),
        ("from cpcbench.expr.nodes import double", "imports double"),
        ("from cpcbench.intervals.forward import ranges", "imports cpcbench.intervals.forward"),
        ("import numpy as np", "imports numpy"),
        ("import flint", "imports flint"),
        ("import gmpy2", "imports gmpy2"),
        ("def f(a: End, b: End) -> End:\n    return a + b", "computes with ends"),
        ("def f(a: Interval) -> End:\n    return a[0] * a[1]", "computes with ends"),
        ("def f(a: Interval) -> End:\n    low, high = a\n    return high - low", "computes with ends"),
        ("def f(a: Interval) -> End:\n    return -a[0]", "computes with ends"),
        ("def f(a: Interval) -> End:\n    return abs(a[1])", "computes with ends"),
        ("def f(a: list[Interval]) -> End:\n    return sum(low for low, _ in a)", ""),
        ("def f(x: Fraction):\n    return UP.rational(x) / 2", "computes with ends"),
        ("def f(x: Fraction):\n    y = DOWN.rational(x)\n    y *= 2", "computes with ends"),
        ("def f(x: float) -> bool:\n    return x * 2 > 1", "computes with doubles"),
        ("def f(pair: Ends) -> bool:\n    low, high = pair\n    return high - low > 1", "computes with doubles"),
        ("def f(x: Fraction) -> Fraction:\n    return x * 2", ""),
        ("def f(a: Interval, b: Interval) -> Interval:\n    return DOWN.add(a[0], b[0]), UP.add(a[1], b[1])", ""),
        ("def f(a: Interval) -> bool:\n    return a[0] > 0 or a[1] == 1", ""),
    ],
)
def test_it_is_noticed(source: str, why: str) -> None:
    found = troubles(source)
    assert any(why in trouble for trouble in found) if why else found == []


def test_every_file_of_the_rules_is_looked_at() -> None:
    names = {str(file.relative_to(HOME)) for file in FILES}
    assert {"core/intervals.py", "core/functions/table.py", "extensions/thin.py", "checking.py"} <= names
    assert {"extensions/sums/tables.py", "extensions/paths/tails.py", "extensions/fillers/taylor.py"} <= names
    assert set(DOUBLES) <= names
