"""Each function of the language in every reading that can be run: the benchmark of the same, with fewer points."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.language import exports
from benchmarks.language.functions import found, problem_of
from benchmarks.language.points import wild
from benchmarks.speed.c_peer import compiler

from cpcbench.expr.functions import FUNCTIONS, PAIRS
from cpcbench.expr.nodes import ARITY
from tests.cases import one_in

ALL = [*FUNCTIONS, *PAIRS]


@pytest.mark.parametrize("op", one_in(4, ALL))
def test_points_boxes_cuts_and_checks(op: str) -> None:
    row = found(op, points=300, boxes=600, checks=8)
    assert row.wrong == 0, row
    assert row.ulps <= 4
    assert row.checks >= 8
    assert row.cut > 0


@pytest.mark.parametrize("op", ALL)
def test_python_is_within_ulps(op: str) -> None:
    points = wild(np.random.default_rng(5), 500, ARITY[op])
    assert exports.by_python(problem_of(op), points) in ("0", "1", "2")


@pytest.mark.slow
@pytest.mark.skipif(compiler() is None, reason="no C compiler on this machine")
@pytest.mark.parametrize("op", ALL)
def test_c_gives_the_same_bits(op: str) -> None:
    assert exports.by_c(problem_of(op), wild(np.random.default_rng(6), 2000, ARITY[op])) == "0"


@pytest.mark.skipif(exports.OCTAVE is None, reason="no GNU Octave on this machine")
def test_octave_is_within_ulps() -> None:
    points = {op: wild(np.random.default_rng(7), 60, ARITY[op]) for op in ALL}
    few = {op: x[np.abs(x).max(axis=1) < 1e3] for op, x in points.items()}
    apart = exports.by_octave({op: (problem_of(op), few[op]) for op in ALL})
    assert set(apart.values()) <= {"0", "1", "2", "3"}, apart
