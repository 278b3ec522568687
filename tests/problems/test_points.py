"""Points as users hold them: labelled ones by name, and whatever NumPy is told to do about floating-point errors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.errors import PointError
from cpcbench.solvers.objective import Objective
from tests.material.outside.libraries import library

pd = library("pandas")

APART = cpc.parse("x1 - 10*x2", [(-9.0, 9.0), (-9.0, 9.0)])
OWN = cpc.Problem("own", APART.expression, [-9.0, -9.0], [9.0, 9.0], names=["pressure", "flow"])


@pytest.mark.parametrize("columns", [["x1", "x2"], ["x2", "x1"]])
def test_a_frame_is_read_by_the_names_of_its_columns(columns: list[str]) -> None:
    frame = pd.DataFrame({"x1": [1.0, 2.0], "x2": [3.0, 4.0]})[columns]
    assert APART(frame).tolist() == [-29.0, -38.0]
    assert APART(frame.iloc[1]) == -38.0
    assert APART.admissible(frame).tolist() == [True, True]
    assert APART.gradient(frame).tolist() == [[1.0, -10.0]] * 2
    assert APART.reference(frame).tolist() == [-29.0, -38.0]
    assert float(APART.enclosure(frame.iloc[0]).midpoint) == -29.0
    assert Objective(APART)(frame).tolist() == [-29.0, -38.0]
    assert cpc.verify(APART, frame.iloc[0], -29.0).kind == "faithful"


def test_names_of_the_user_s_own() -> None:
    frame = pd.DataFrame({"flow": [3.0], "pressure": [1.0]})
    assert OWN(frame).tolist() == [-29.0]
    assert OWN.conditions == []
    with pytest.raises(PointError, match="flow"):
        APART(frame)


def test_the_conditions_know_the_names() -> None:
    root = cpc.parse("sqrt(x1 - 10*x2)", [(-9.0, 9.0), (-9.0, 9.0)]).expression
    named = cpc.Problem("own", root, [-9.0, -9.0], [9.0, 9.0], names=["pressure", "flow"])
    assert named.conditions[0].at(pd.Series({"flow": -1.0, "pressure": 2.0})).satisfied


@pytest.mark.parametrize(
    "labelled",
    [
        pd.DataFrame({"x1": [1.0], "y": [2.0]}),
        pd.DataFrame({"x1": [1.0], "x2": [2.0], "x3": [3.0]}),
        pd.DataFrame([[1.0, 2.0]], columns=[1, 0]),
        pd.DataFrame([[1.0, 2.0]], columns=["x1", "x1"]),
        pd.Series({"a": 1.0, "b": 2.0}),
    ],
    ids=["another name", "one more", "numbers in another order", "the same name twice", "series"],
)
def test_other_labels_are_refused(labelled: Any) -> None:
    with pytest.raises(PointError, match=r"labels .* variables \['x1', 'x2'\].*to_numpy"):
        APART(labelled)


def test_labels_that_only_count_and_arrays_are_read_by_position() -> None:
    for given in (pd.DataFrame([[1.0, 3.0]]), np.array([[1.0, 3.0]]), [[1.0, 3.0]]):
        assert APART(given).tolist() == [-29.0]
    assert APART(pd.Series([1.0, 3.0])) == -29.0


@pytest.fixture
def raising() -> Iterator[None]:
    before = np.seterr(all="raise")
    yield
    np.seterr(**before)


@pytest.mark.usefixtures("raising")
def test_evaluation_where_numpy_raises() -> None:
    p = cpc.parse("exp(1000*x1)*0 + ln(x2)^2 + x1/x2", [(-1.0, 1.0), (-1e-310, 1.0)])
    points = np.array([[1.0, 0.5], [0.0, 0.0], [1e-310, 0.5], [0.5, -1e-310]])
    assert np.isnan(p(points)).tolist() == [True, True, False, True]
    assert math.isnan(p.reference(points[0]))
    assert not p.admissible(points)[1]
    assert np.isnan(p.gradient(points)[1]).all()
    assert cpc.verify(p, points[2], float(p(points[2]))).kind == "faithful"
    with pytest.raises(PointError, match="finite"):
        p(np.array([np.inf, 0.0]))
