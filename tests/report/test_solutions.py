"""From records to solutions: the best run of each solver is shown, and nothing is mixed up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.plan.problems import CPC
from cpcbench.problems.registry import problem
from cpcbench.report.paper.beside import measured, side_by_side
from cpcbench.report.study.solutions import at_published_size, solutions
from cpcbench.report.study.tables import function_tables, success_counts, summary_tables, type_distribution, types_found
from tests.experiment.test_run_records import DF3_BEST, DF14_THIN, record


def test_the_best_run_of_each_solver_is_shown_whatever_it_reported() -> None:
    lie = record("CPC-DF3", (6.0, 6.0), -99.0, run=0)
    best = record("CPC-DF3", DF3_BEST, run=1)
    (found,) = solutions([lie, best])
    assert found.record is best
    assert (found.assessment.types, found.runs, found.solved, found.success) == (("I",), 2, 1, "1/2")


def test_solvers_sizes_and_rules_are_kept_apart() -> None:
    first = record("CPC-DF3", DF3_BEST)
    others = [replace(first, solver="SA"), record("CPC-DF3", DF3_BEST, rule="ieee")]
    assert len(solutions([first, *others])) == 3
    with pytest.raises(CpcbenchError, match="the rule paper or strict"):
        solutions([first], "luck")


def test_a_thin_run_is_neither_taken_as_the_best_nor_lost() -> None:
    thin = record("CPC-DF14", DF14_THIN, rule="ieee", run=0)
    regular = record("CPC-DF14", (3.0, 0.5), rule="ieee", run=1)
    (found,) = solutions([thin, regular])
    assert found.record is regular
    assert found.assessment.types == ("I",)
    assert found.below == (("thin", thin.verified),)
    assert found.flag == f"thin value below published: {thin.verified!r}"
    table = types_found([found])
    assert table.rows == (("CPC-DF14", "I *"),)
    assert table.notes == (f"* CPC-DF14, GA: {found.flag}.",)


def test_a_better_solution_is_marked() -> None:
    better = replace(record("CPC-DF9", (5.0, 5.0)), reference=0.01, reported=0.01, kind="faithful")
    (found,) = solutions([better])
    assert (found.assessment.types, found.assessment.better) == (("I",), True)
    assert found.flag == "better than published: 0.01"
    assert found.flag in str(type_distribution([found]).notes)
    remark = {row[:2]: row[5] for row in side_by_side(*measured([better])).rows}
    assert remark["CPC-DF9", "GA"] == "measured: better than published: 0.01"


def test_all_tables_of_a_report_follow_one_rule() -> None:
    """The published point of CPC-DF9 is not optimal: Type I in the paper, local beside the proven infimum."""
    p = problem("CPC-DF9", rule="strict")
    assert p.published is not None
    made = record("CPC-DF9", tuple(p.published.points[0].tolist()))
    for name, type_ in (("paper", "I"), ("strict", "II")):
        assert solutions([made], name)[0].assessment.types == (type_,)
        beside = side_by_side(*measured([made], name))
        assert {row[:2]: row[3] for row in beside.rows}["CPC-DF9", "GA"] == type_


def test_a_problem_that_is_not_known_here_can_be_reported() -> None:
    own = replace(record("CPC-DF3", DF3_BEST), problem="somebody's", rule="ieee")
    (found,) = solutions([own])
    assert (found.assessment.text, found.success) == ("admissible", None)
    (table,) = function_tables([found])
    assert [row[0] for row in table.rows] == ["GA"]
    assert success_counts([found]).rows == (("somebody's (n = 2)", None),)


def test_a_users_problem_is_not_taken_for_one_of_the_suite_by_a_short_name() -> None:
    (found,) = solutions([replace(record("CPC-DF3", DF3_BEST), problem="DF3")])
    assert (found.assessment.text, found.success) == ("admissible", None)


def test_other_sizes_do_not_count_for_the_papers_tables() -> None:
    small = replace(record("CPC-DF4", None), n=3)
    found = solutions([small])
    assert at_published_size(found, CPC) == []
    assert [t.key for t in summary_tables([small])] == ["types-strict", "success-strict"]
    assert types_found(found).rows == (("CPC-DF4 (n = 3)", "III"),)
