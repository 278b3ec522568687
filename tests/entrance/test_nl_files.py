"""Files of AMPL, read as problems, and refused where they cannot be."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.entrance.models.nl import read_nl
from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import num
from cpcbench.expr.walk import dimension, postorder
from tests.entrance.nl_text import CODES, nl_text
from tests.material import random_formulas

WRITTEN = {*CODES, "var", "const", "pi"}

NL = """g3 1 1 0	# problem small
 3 3 1 1 1 	# vars, constraints, objectives, ranges, eqns
 2 1	# nonlinear constraints, objectives
 0 0	# network constraints: nonlinear, linear
 2 3 2 	# nonlinear vars in constraints, objectives, both
 0 0 0 1	# linear network variables; functions; arith, flags
 0 0 0 0 0 	# discrete variables: binary, integer, nonlinear (b,c,o)
 7 3 	# nonzeros in Jacobian, obj. gradient
 0 0	# max name lengths: constraints, variables
 0 0 0 0 1	# common exprs: b,c,o,c1,o1
S0 1 sosno
0 1
V3 1 1	#half
2 0.5
o43
v0
C0
o5
v1
n2
C1
o2
v0
v1
C2
n0
O0 1
o54
3
v3
o16
o35
o21
o23
v0
n1
o34
o24
v1
n2
o39
v2
o12
2
v0
v1
n1.5
x1
0 1.0
r
1 4
4 1
0 1 6
b
0 0.1 5
2 -2
3
k2
1
2
J0 2
0 1
1 0
J2 2
0 1
2 -1
G0 2
0 -3
2 0
"""


def test_a_file_with_everything() -> None:
    p = read_nl(NL, "small").problem(tolerance=1e-3)
    assert p.bounds == [(0.1, 5.0), (-2.0, math.inf), (-math.inf, math.inf)]

    def expected(x: Any) -> float:
        a, b, c = x
        half = 0.5 * c + math.log(a)
        chosen = math.sqrt(c) if a <= 1 and b != 2 else max(a, b)
        fine = b**2 + a <= 4 and abs(a * b - 1) <= 1e-3 and 1 <= a - c <= 6
        return -(half - chosen + 1.5 - 3 * a) if fine else math.nan

    rng = np.random.default_rng(1)
    first = rng.uniform(0.1, 5, 4000)
    points = np.stack([first, 1 / first + rng.normal(0, 5e-4, 4000), rng.uniform(-6, 4, 4000)], axis=1)
    values = p(points)
    assert 100 < np.isfinite(values).sum() < 3900
    np.testing.assert_allclose(values, [_or_nan(expected, x) for x in points], rtol=1e-12)
    assert [c.text for c in p.conditions if "<=" in c.text and "x3" in c.text] == ["1 <= x1 - x3", "x1 - x3 <= 6"]


def _or_nan(function: Any, x: Any) -> float:
    try:
        return float(function(x))
    except ValueError:
        return math.nan


@pytest.mark.parametrize("seed", range(4))
def test_formulas_come_back_as_they_were(seed: int) -> None:
    r = random_formulas.seeded(seed)
    builders = [*random_formulas.RATIONAL, *random_formulas.ELEMENTARY]
    tried = 0
    while tried < 60:
        f = random_formulas.formula(r, 9, builders)
        if not {node.op for node in postorder(f)} <= WRITTEN:
            continue
        tried += 1
        n = max(dimension(f), 1)
        model = read_nl(nl_text(f, [(-2.0, 3.5)] * n), "random")
        [(back, maximised)] = model.objectives
        assert not maximised
        assert back is f or (f is num(0) and back is num(0))
        assert [(v.lower, v.upper) for v in model.variables] == [(-2.0, 3.5)] * n


@pytest.mark.parametrize("name", ["CPC-DF3", "CPC-DF8", "CPC-DF14", "F138"])
def test_the_suite_comes_back(name: str, tmp_path: Path) -> None:
    p = cpc.problem(name)
    file = tmp_path / "model.nl"
    file.write_text(nl_text(p.expression, p.bounds))
    back = cpc.read(file)
    assert (back.expression is p.expression, back.bounds, back.id) == (True, p.bounds, "model")
    (tmp_path / "model.col").write_text("".join(f"depth[{i}]\n" for i in range(p.dim)))
    assert cpc.read(file).names == tuple(f"depth_{i}" for i in range(p.dim))


def test_what_is_maximised_is_negated() -> None:
    f = cpc.parse("sqrt(x1) - x2", bounds=[(0, 4), (0, 4)])
    p = read_nl(nl_text(f.expression, f.bounds, maximise=True), "m").problem()
    assert p([4.0, 1.0]) == -1.0


def changed(*changes: tuple[str, str]) -> str:
    text = NL
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "line 0: the file ends"),
        (changed(("g3", "b3")), "binary .nl files cannot be read"),
        (changed((" 3 3 1 1 1", " 3 3 1 1 1 2")), "logical constraints"),
        (changed((" 0 0\t# network", " 1 0\t# network")), "network constraints"),
        (changed((" 0 0 0 1\t# linear", " 0 2 0 1\t# linear")), "functions of its own"),
        (changed((" 3 3 1", " 3 3 2")), "2 objectives"),
        (changed(("o43", "o99")), "line 15: operator o99 cannot be read"),
        (changed(("o43", "o35")), "a number where a test is"),
        (changed(("o21\n", "o0\n")), "a test stands where a number is needed"),
        (changed(("\nv3\n", "\nv7\n")), "'v7' is no part"),
        (changed(("\nn1.5\n", "\nnnan\n")), "no finite number"),
        (changed(("\n4 1\n", "\n5 1 2\n")), "kind 5 cannot be read"),
        (changed(("J2 2", "J2 99999999")), "99999999 entries"),
        (changed(("J2 2", "J2 -2")), "no whole number from 0 on"),
        (changed(("\n2 -1\n", "\n9 -1\n")), "there is no variable 9"),
        (changed(("\nr\n", "\nL0\n")), "segments L cannot be read"),
        (changed((" 3 3 1", " 3000000 3 1")), "cannot be read"),
        (NL[: NL.index("\n3\nk2")], "the file ends"),
    ],
    ids=lambda given: "" if len(given) > 60 else given,
)  # fmt: skip
def test_files_that_cannot_be_read_say_why(text: str, match: str) -> None:
    with pytest.raises(CpcbenchError, match=match):
        read_nl(text, "bad").problem()


@pytest.mark.parametrize(
    ("discrete", "whole"),
    [(" 0 0 0 0 0", []), (" 0 0 1 0 0", ["x2"]), (" 0 0 2 0 0", ["x1", "x2"]), (" 0 0 1 0 1", ["x2", "x3"])],
)
def test_whole_numbers_by_their_places(discrete: str, whole: list[str]) -> None:
    """Nonlinear in both are x1 and x2, in the objective only x3."""
    text = changed((" 0 0 0 0 0 \t# discrete", f"{discrete} \t# discrete"))
    p = read_nl(text, "mixed").problem()
    assert sorted(set(re.findall(r"whole\((x\d)\)", p.formula))) == whole


def test_whole_numbers_that_are_linear() -> None:
    """Binary ones and then whole ones come last."""
    text = nl_text(cpc.parse("x1^2", bounds=[(0, 1)]).expression, [(0.0, 9.0)] * 3)
    text = text.replace(" 0 3 0\n", " 0 1 0\n", 1).replace(" 0 0 0 0 0\n", " 1 1 0 0 0\n", 1)
    p = read_nl(text.replace("\n1 0\n2 0\n", "\n1 4\n2 -1\n"), "mixed").problem()
    assert p.formula == "x1^2 + 4*whole(x2) - whole(x3)"


def test_no_broken_file_does_more_than_be_refused() -> None:
    rng = np.random.default_rng(3)
    lines = NL.splitlines()
    for _ in range(300):
        broken = list(lines)
        for place in rng.integers(0, len(lines), 2):
            broken[place] = rng.choice(
                ["", "o0", "v1", "n1e999", "-1", "C9", "3 3", "b", lines[rng.integers(len(lines))]]
            )
        try:
            read_nl("\n".join(broken), "broken").problem()
        except CpcbenchError:
            continue
