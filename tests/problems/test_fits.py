"""CPC-CF: the curve fits say what the collection prints, and unbounded parameters are no box."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cpcbench as cpc
from cpcbench.expr import variables
from cpcbench.points import REACH, search_box
from cpcbench.problems.classics.all import formulas
from cpcbench.problems.collections.fits import CurveFit, Printed, curve_fits
from cpcbench.solvers.objective import Objective
from cpcbench.studies.feasible.ratio import feasible_ratio
from cpcbench.studies.landscape.grids import landscape
from cpcbench.studies.modality.summary import modality
from cpcbench.studies.sensitivity.point import sensitivity
from cpcbench.studies.structure.discontinuity import discontinuities
from cpcbench.studies.structure.interactions import interactions
from cpcbench.studies.structure.interplay import structure
from cpcbench.studies.symmetry.multiplicity import multiplicity
from tests.cases import one_in

FITS = curve_fits()
SOLUTIONS = [(fit, solution) for fit in FITS.values() for solution in fit.printed]
WRONG = {("CPC-CF2", 1), ("CPC-CF11", 0)}


def by_hand(fit: CurveFit, b: tuple[float, ...]) -> float:
    """The sum of squares from the model at each observation, one problem of one variable after the other."""
    model = cpc.parse(fit.formula, bounds=(0, 1), names=["x", *fit.names])
    return math.fsum((y - model.reference([x, *b])) ** 2 for x, y in zip(fit.x, fit.y, strict=True))


def is_reproduced(fit: CurveFit, solution: Printed) -> bool:
    value = cpc.problem(fit.id).reference(solution.point)
    return math.isclose(value, solution.value, rel_tol=1e-12)


def test_all_of_the_collection_is_there() -> None:
    assert list(FITS) == [f"CPC-CF{i}" for i in range(1, 39)]
    assert all(2 <= fit.n <= 8 and 5 <= len(fit.x) == len(fit.y) <= 19 for fit in FITS.values())
    assert len(SOLUTIONS) == 39


def test_37_of_39_printed_solutions_are_reproduced() -> None:
    wrong = {(fit.id, i) for fit in FITS.values() for i, s in enumerate(fit.printed) if not is_reproduced(fit, s)}
    assert wrong == WRONG


@pytest.mark.parametrize("fit", one_in(3, FITS.values()), ids=list(FITS))
def test_the_problem_is_the_sum_of_squares_of_the_model(fit: CurveFit) -> None:
    p = cpc.problem(fit.id)
    assert p.names == fit.names
    assert p.published is not None
    assert p.published.value == fit.printed[0].value
    if (fit.id, 0) not in WRONG:
        assert math.isclose(p.reference(fit.printed[0].point), by_hand(fit, fit.printed[0].point), rel_tol=1e-11)
        assert p(fit.printed[0].point) == pytest.approx(fit.printed[0].value, rel=1e-9)


def test_the_known_errors_are_what_the_notes_say() -> None:
    second = FITS["CPC-CF2"].printed[1]
    turned = (second.point[0], -second.point[1], *second.point[2:])
    assert is_reproduced(FITS["CPC-CF2"], Printed(second.value, turned))
    assert math.isnan(cpc.problem("CPC-CF11").reference(FITS["CPC-CF11"].printed[0].point))
    assert FITS["CPC-CF11"].formula == FITS["CPC-CF10"].formula
    assert cpc.problem("CPC-CF16").expression is cpc.problem("CPC-CF6").expression
    assert [fit.id for fit in FITS.values() if fit.notes] == ["CPC-CF2", "CPC-CF11", "CPC-CF16", "CPC-CF21"]


def test_suites() -> None:
    assert [p.id for p in cpc.problems(suite="cf")] == list(FITS)
    assert [p.id for p in cpc.problems(suite="all")][:28] == [p.id for p in cpc.problems()][:28]
    assert {p.id for p in cpc.problems(suite="all")} == {p.id for p in cpc.problems()} | set(FITS) | set(formulas())
    assert not any(p.id in FITS for p in cpc.problems())
    assert cpc.problem("cf7") is cpc.problem("CPC-CF7")
    with pytest.raises(cpc.CpcbenchError, match="there are cpc, classics, cf, all"):
        cpc.problems(suite="fits")
    with pytest.raises(cpc.CpcbenchError, match="no other size"):
        cpc.problem("CPC-CF1", n=3)
    with pytest.raises(cpc.CpcbenchError, match="choose another id"):
        cpc.register(cpc.parse("x1", bounds=(0, 1), id="CPC-CF1"))


def test_an_unbounded_problem_survives_pickling() -> None:
    p = cpc.problem("CPC-CF1")
    again = pickle.loads(pickle.dumps(p))  # noqa: S301
    assert again == p
    assert not again.bounded
    assert again.published.value == FITS["CPC-CF1"].printed[0].value


def test_an_unbounded_problem_has_every_point_in_its_box() -> None:
    p = cpc.problem("CPC-CF1")
    assert p.bounds == [(-math.inf, math.inf)] * 2
    assert p.in_box([1e300, -1e300])
    printed = FITS["CPC-CF1"].printed[0]
    assert cpc.verify(p, printed.point, printed.value).kind == "faithful"


@pytest.mark.parametrize(
    "study",
    [
        lambda p: feasible_ratio(p, 10, 1), lambda p: cpc.certify(p, part="thin"), landscape, modality, structure,
        discontinuities, interactions, sensitivity, multiplicity,
    ],
)  # fmt: skip
def test_what_needs_a_box_says_so(study: object) -> None:
    with pytest.raises(cpc.CpcbenchError, match="CPC-CF1 has no box"):
        study(cpc.problem("CPC-CF1"))  # type: ignore[operator]


def test_bounds_that_are_none_are_still_refused() -> None:
    (x,) = variables(1)
    for lower, upper in ((math.nan, 1.0), (1.0, 0.0), (math.inf, math.inf), (-math.inf, -math.inf)):
        with pytest.raises(cpc.CpcbenchError, match="lower <= upper"):
            cpc.Problem("p", x, [lower], [upper])
    assert not cpc.Problem("p", x, [0.0], [math.inf]).bounded


@given(st.lists(st.tuples(st.floats(allow_nan=False), st.floats(allow_nan=False)), min_size=1, max_size=5))
def test_the_search_box_keeps_bounds_and_is_finite(pairs: list[tuple[float, float]]) -> None:
    lower, upper = np.array([sorted(pair) for pair in pairs]).T
    lower[lower == math.inf], upper[upper == -math.inf] = 0.0, 0.0
    low, high = search_box(lower, np.maximum(lower, upper))
    upper = np.maximum(lower, upper)
    assert np.isfinite(low).all()
    assert np.isfinite(high).all()
    assert (low <= high).all()
    assert (low[np.isfinite(lower)] == lower[np.isfinite(lower)]).all()
    assert (high[np.isfinite(upper)] == upper[np.isfinite(upper)]).all()
    free = np.isinf(lower) & np.isinf(upper)
    assert (low[free] == -REACH).all()
    assert (high[free] == REACH).all()


def test_solvers_begin_in_the_search_box_and_may_leave_it() -> None:
    objective = Objective(cpc.problem("CPC-CF20"))
    assert objective.bounds == [(-REACH, REACH)] * 4
    assert objective(np.array([2.0, 1e-12, 2.0, 500.0])) > 0.0


def test_what_is_best_known_is_a_value_that_a_point_has() -> None:
    for fit in FITS.values():
        assert fit.met == ((fit.id, 0) not in WRONG)
        best = cpc.problem(fit.id).best_known
        if best is not None:
            assert math.isclose(cpc.problem(fit.id).reference(best.points[0]), best.value, rel_tol=1e-12)


OPEN = {"CPC-CF11"}
"""Its printed sum of squares is that of no known point of its formula."""


def test_every_fit_has_a_record_as_low_as_printed_but_for_those_that_are_open() -> None:
    lowest = {id_: cpc.problem(id_).records.faithful for id_ in FITS}
    above = {
        id_
        for id_, record in lowest.items()
        if record is None or record.value > FITS[id_].printed[0].value * (1 + 1e-12)
    }
    assert above == OPEN


def test_records_are_what_the_reference_says() -> None:
    for id_ in FITS:
        record = cpc.problem(id_).records.faithful
        assert record is not None
        assert cpc.problem(id_).reference(record.x) == record.value
        assert f"cpcbench records {id_} --seconds" in record.command
