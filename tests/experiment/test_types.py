"""Solution types: what a run returned is typed by either rule, and the types are calibrated on the published record."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.verify.types import RULES, Assessment, Tolerances, assess, place_of, type_rule
from cpcbench.experiment.verify.verification import verify
from cpcbench.problems.problem import Problem
from cpcbench.problems.published import published_results
from cpcbench.problems.registry import problem
from cpcbench.problems.user import parse
from cpcbench.report.paper.calibration import INCONSISTENT, MISFITS, Fit, fits, is_consistent
from tests.experiment.test_run_records import DF3_BEST, DF14_THIN, record


@dataclasses.dataclass(frozen=True)
class Returned:
    """A solution, whatever it would be verified as."""

    x: tuple[float, ...] | None
    reported: float | None
    verified: float
    kind: str = "faithful"


def classify(p: Problem | None, *returned: Any, best: Any = None, **kind: Any) -> tuple[str, ...]:
    return assess(p, Returned(*returned, **kind), best=best).types


# Types


def typed(id_: str, x: tuple[float, ...] | None, value: float | None = None, rule: str = "strict") -> Assessment:
    return assess(problem(id_, rule=rule), record(id_, x, value, rule))


def test_nothing_returned_is_type_three() -> None:
    assert typed("CPC-DF3", None).types == ("III",)


@pytest.mark.parametrize("reported", [-10.5, -math.inf, 0.99e100])
def test_an_inadmissible_point_claimed_as_a_solution_is_type_four_alone(reported: float) -> None:
    assert typed("CPC-DF3", (0.0, 0.0), reported).types == ("IV",)
    assert typed("CPC-DF3", (101.0, 0.0), reported).types == ("IV",)


@pytest.mark.parametrize("reported", [math.nan, math.inf, 1e100, 3e100])
def test_a_point_that_the_solver_itself_calls_undefined_is_type_three(reported: float) -> None:
    assert typed("CPC-DF3", (0.0, 0.0), reported).types == ("III",)


def test_an_inadmissible_point_without_a_value_is_type_four() -> None:
    assert classify(problem("CPC-DF3"), (0.0, 0.0), None, math.nan) == ("IV",)


def test_the_best_known_solution_is_type_one_and_a_wrong_report_adds_four() -> None:
    assert typed("CPC-DF3", DF3_BEST).types == ("I",)
    assert typed("CPC-DF3", DF3_BEST, -10.5036630152501).types == ("I", "IV")
    assert typed("CPC-DF3", DF3_BEST, math.nan).types == ("I", "IV")
    assert classify(problem("CPC-DF3"), DF3_BEST, None, -10.503674524476093) == ("I",)


def test_every_symmetric_optimum_counts() -> None:
    signs = (3.14209263378032, -1.00015913597542)
    assert typed("CPC-DF11", signs).types == ("I",)
    assert typed("CPC-DF11", signs).place == pytest.approx(0.0, abs=1e-12)


def test_another_place_is_local_however_close_its_value() -> None:
    found = typed("CPC-DF17", (-99.9583111435642, 4.72434015892273))
    assert found.types == ("II",)
    assert found.gap == pytest.approx(1.489e-3, rel=1e-3)
    assert found.place == pytest.approx(0.01326, rel=1e-3)


def test_a_much_worse_value_at_the_place_is_local() -> None:
    assert typed("CPC-DF14", (2.99999729909204, 0.49999956716367)).types == ("II",)


def test_an_equally_good_value_elsewhere_is_type_one() -> None:
    """The optimum of Step 2 is a plateau, larger than the tolerance of place."""
    corner = (0.49, -0.49, 0.49, -0.5, 0.49)
    found = typed("F138", corner)
    assert found.place is not None
    assert found.place > Tolerances().place
    assert (found.types, found.better) == (("I",), False)
    assert typed("F138", (0.5, 0.0, 0.0, 0.0, 0.0)).types == ("II",)  # one step up


def far_from_best(kind: str, verified: float) -> Assessment:
    """A point far from the published one of CPC-DF9, whose value is about 0.0121785."""
    p = problem("CPC-DF9")
    return assess(p, Returned((5.0, 5.0), None, verified, kind), best=p.published)


def test_a_faithful_value_below_the_best_known_one_is_type_one_and_says_so() -> None:
    found = far_from_best("faithful", 0.012)
    assert (found.types, found.better, found.below) == (("I",), True, "faithful")
    assert far_from_best("faithful", 0.0122).types == ("II",)


def test_an_artefact_below_the_best_known_value_beats_nothing() -> None:
    found = far_from_best("artefact", 0.012)
    assert (found.types, found.better, found.below) == (("II",), False, "artefact")


def test_a_thin_value_below_the_best_known_one_is_kept_apart() -> None:
    found = far_from_best("thin", 0.012)
    assert (found.types, found.better, found.below) == (("II",), False, "thin")
    real = typed("CPC-DF14", DF14_THIN, rule="ieee")
    assert (real.types, real.better, real.below) == (("II",), False, "thin")
    assert real.gap is not None
    assert real.gap < -700
    assert typed("CPC-DF14", DF14_THIN, -798.0, rule="strict").types == ("IV",)


def test_a_thin_value_far_below_does_not_agree_with_the_best_known_one_at_its_place() -> None:
    p = problem("CPC-DF9")
    for rule in RULES.values():
        best = rule.best(p)
        assert best is not None
        point = tuple(best.points[0].tolist())
        assert assess(p, Returned(point, None, -5.0, "thin"), rule=rule).types == ("II",)
        assert assess(p, Returned(point, None, best.value, "thin"), rule=rule).types == ("I",)


def test_a_value_below_by_rounding_is_not_better() -> None:
    """CPC-DF5's printed point gives 2.6e-7 less than its printed value."""
    p = problem("CPC-DF5")
    assert p.published is not None
    point = p.published.points[0].tolist()
    found = assess(p, Returned(point, None, p.reference(point)), best=p.published)
    assert found.gap is not None
    assert found.gap < 0
    assert (found.types, found.better, found.below) == (("I",), False, None)


def test_small_best_known_values_can_be_beaten() -> None:
    """CPC-DF22's published one is 6.9e-13: an absolute tolerance would hide every improvement."""
    p = problem("CPC-DF22")
    found = assess(p, Returned((50.0, 50.0), None, 1e-13), best=p.published)
    assert (found.types, found.better) == (("I",), True)


def test_without_a_best_known_solution_only_the_report_is_judged() -> None:
    own = parse("ln(x1)", bounds=[(0, 1)])
    assert classify(own, (0.5,), math.log(0.5), math.log(0.5)) == ()
    assert classify(own, (0.5,), 3.0, math.log(0.5)) == ("IV",)
    assert classify(None, (0.5,), 3.0, 3.0) == ()
    assert assess(None, Returned((0.5,), 3.0, 3.0)).text == "admissible"


def test_another_best_known_solution_can_be_given() -> None:
    p = problem("CPC-DF3")
    other = problem("CPC-DF14").published
    assert other is not None
    assert classify(p, (3.0, 0.5), None, 0.03125, best=other) == ("I",)


def test_a_record_is_assessed_with_its_own_problem_only() -> None:
    made = record("CPC-DF3", DF3_BEST)
    for other in (problem("CPC-DF3"), problem("CPC-DF1", rule="strict")):
        with pytest.raises(CpcbenchError, match="cannot be assessed"):
            assess(other, made)


@pytest.mark.parametrize("name", ["value", "place", "odd", "equal", "better", "report", "penalty"])
@pytest.mark.parametrize("bad", [-1.0, math.nan, "x", True, None])
def test_tolerances_are_numbers_from_zero_on(name: str, bad: Any) -> None:
    with pytest.raises(CpcbenchError, match=f"the tolerance {name}"):
        Tolerances(**{name: bad})


def test_a_variable_without_width_and_far_points_have_a_place() -> None:
    flat = Problem("flat", parse("x1 + x2", bounds=[(0, 1), (0, 1)]).expression, [0, 2], [4, 2])
    best = problem("CPC-DF14").published
    assert best is not None
    assert place_of(flat, (1.0, 2.5), best) == pytest.approx(math.sqrt((0.25 + 4) / 2))
    assert place_of(flat, (1e300, 2.0), best) == math.inf


# The two rules

SA_ON_DF3 = (6.39262277474369, 6.34733998281076)


def test_the_papers_worked_example_is_local_and_not_what_it_claims_by_both_rules() -> None:
    made = record("CPC-DF3", SA_ON_DF3, -10.4001096602552)
    assert {assess(problem("CPC-DF3", rule="strict"), made, rule=rule).types for rule in RULES.values()} == {
        ("II", "IV")
    }


def test_the_rules_hold_the_published_optimum_against_what_they_say() -> None:
    """CPC-DF9's published point is Type I beside itself, and 1.2e-3 above the proven infimum."""
    p = problem("CPC-DF9")
    assert p.published is not None
    found = {name: verify(p, p.published.points[0], types=name) for name in RULES}
    assert {name: v.types for name, v in found.items()} == {"paper": ("I",), "strict": ("II",)}
    assert {name: v.held_against for name, v in found.items()} == {"paper": "published", "strict": "proven infimum"}


@given(st.floats(-1e-3, 1e-3), st.sampled_from(["faithful", "thin", "artefact"]))
def test_the_strict_rule_looks_at_the_value_alone(off: float, kind: str) -> None:
    p = problem("CPC-DF4")
    assert p.best_known is not None
    best = p.best_known.value
    found = assess(p, Returned((0.0,) * 5, None, best + off * abs(best), kind), rule=RULES["strict"])
    near = found.gap is not None and (found.gap if kind == "faithful" else abs(found.gap)) <= 1e-4 * abs(best)
    assert found.types == (("I",) if near else ("II",))


def test_where_nothing_is_published_the_paper_rule_takes_the_best_known_solution() -> None:
    p = problem("CPC-DF1")
    other = Problem("mine", p.expression, p.lower, p.upper, best_known=p.best_known)
    assert RULES["paper"].best(other) is p.best_known
    assert verify(other, (0.125, -0.25)).held_against == "proven infimum"


def test_an_unknown_rule_for_types_is_named() -> None:
    with pytest.raises(CpcbenchError, match="the rule paper or strict, not 'loose'"):
        type_rule("loose")
    with pytest.raises(CpcbenchError, match="not 'loose'"):
        verify(problem("CPC-DF1"), (0.125, -0.25), types="loose")


def test_another_optimum_of_a_large_set_is_type_one() -> None:
    """All five terms of CPC-DF5 vanish there, at none of the published signs."""
    point = (0.7581531355974593, 0.3752253708004862, 0.2497854030125465, 0.18719361118249556, 0.741498657707464)
    for name in RULES:
        found = verify(problem("CPC-DF5"), point, types=name)
        assert (found.kind, found.types) == ("faithful", ("I",))


# Calibration on the published record

FITS = fits()


def fit(id_: str, algorithm: str) -> Fit:
    return next(f for f in FITS if (f.row.problem, f.row.algorithm) == (id_, algorithm))


def keys(found: list[Fit]) -> set[tuple[str, str]]:
    return {(f.row.problem, f.row.algorithm) for f in found}


def test_what_a_consistent_row_is() -> None:
    rows = published_results()
    consistent = [r for r in rows if is_consistent(r)]
    assert len(consistent) == 138
    assert {r.types for r in consistent if r.point is None} == {("III",)}
    assert all(r.matches for r in consistent if r.point is not None)
    assert len(rows) - len(consistent) == 30


def test_the_defaults_give_the_published_types() -> None:
    consistent = [f for f in FITS if f.consistent]
    good = [f for f in consistent if f.fits]
    assert (len(good), len(consistent)) == (133, 138)
    assert len(good) / len(consistent) >= 0.95


def test_the_rows_that_do_not_fit_are_those_listed() -> None:
    assert keys([f for f in FITS if f.consistent and not f.fits]) == MISFITS.keys()
    assert keys([f for f in FITS if not f.consistent and not f.fits]) == INCONSISTENT.keys()
    by_rule = {key: fit(*key).assessment for key in MISFITS}
    assert {key: found.types for key, found in by_rule.items() if found} == {
        ("CPC-DF1", "B&B"): ("II", "IV"),
        ("CPC-DF3", "UGO"): ("I", "IV"),
        ("CPC-DF19", "B&B"): ("II", "IV"),
        ("CPC-DF20", "B&B"): ("II", "IV"),
        ("CPC-DF20", "GA"): ("II",),
    }


@pytest.mark.parametrize(
    ("id_", "algorithm", "place", "relative_gap"),
    [
        ("CPC-DF21", "GA", 2.82e-7, 0.0196),
        ("CPC-DF6", "GA", 0.00115, 0.0069),
        ("CPC-DF6", "B&B", 0.00125, 0.066),
        ("CPC-DF3", "SA", 0.0023, 0.019),
    ],
)
def test_the_rows_the_tolerances_lie_between(id_: str, algorithm: str, place: float, relative_gap: float) -> None:
    found, best = fit(id_, algorithm).assessment, problem(id_).published
    assert found is not None
    assert best is not None
    assert found.place == pytest.approx(place, rel=0.03)
    assert found.gap == pytest.approx(relative_gap * abs(best.value), rel=0.03)
    limits = Tolerances()
    assert ((place <= limits.place) and (relative_gap <= limits.value)) is ("I" in fit(id_, algorithm).row.types)


@pytest.mark.parametrize(
    ("changed", "lost"),
    [
        ({"value": 0.0195}, ("CPC-DF21", "GA")),
        ({"value": 0.07}, ("CPC-DF6", "B&B")),
        ({"place": 0.0011}, ("CPC-DF6", "GA")),
        ({"place": 0.0024, "odd": 0.03}, ("CPC-DF3", "SA")),
        ({"report": 8e-7}, ("CPC-DF25", "SA")),
        ({"report": 2e-3}, ("CPC-DF10", "SA")),
    ],
)
def test_other_tolerances_lose_rows(changed: dict[str, float], lost: tuple[str, str]) -> None:
    assert fit(*lost).fits
    worse = {
        (f.row.problem, f.row.algorithm): f for f in fits(replace(RULES["paper"], tolerances=Tolerances(**changed)))
    }
    assert not worse[lost].fits
