"""The tables of a study, made of the published record, and close-ups with the values in doubles."""

from __future__ import annotations

import math

import pytest

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.plan.problems import CPC
from cpcbench.experiment.verify.types import TYPES
from cpcbench.report.paper.printed import printed_table
from cpcbench.report.problems.close_ups import df3_conditions, df3_neighbours, df15_sensitivity
from cpcbench.report.study.solutions import ALGORITHMS, solutions
from cpcbench.report.study.tables import (
    comparison,
    feasible_ratio_groups,
    function_tables,
    reevaluation,
    study_tables,
    summary_tables,
    type_distribution,
)
from tests.experiment.test_run_records import DF3_BEST, record
from tests.report.test_paper_tables import PUBLISHED, by_key

FOUND = solutions(PUBLISHED)


def test_the_function_table_shows_what_is_on_record_first() -> None:
    table = function_tables(FOUND)[2]
    assert table.title == "Best solutions on CPC-DF3, n = 2 (rule strict)"
    assert table.rows[0][:4] == ("published", DF3_BEST, None, -10.503674524476093)
    rows = by_key(table)
    assert list(rows) == ["published", *ALGORITHMS]
    assert [row[0] for row in function_tables(FOUND)[8].rows[:2]] == ["published", "proven infimum"]
    assert rows["UGO"][:5] == (DF3_BEST, -10.5036630152501, -10.503674524476093, "artefact", "I, IV")
    assert rows["BFGS+MS"] == (None, None, None, "none", "III", None, "0/1")


def test_the_distribution_is_in_percent_of_the_functions() -> None:
    rows = by_key(type_distribution(FOUND))
    assert type_distribution(FOUND).columns == ("", *ALGORITHMS)
    counts = {
        t: tuple(
            4.0 * sum(t in s.assessment.types for s in FOUND if s.record.solver == a and s.record.problem in CPC)
            for a in ALGORITHMS
        )
        for t in TYPES
    }
    assert rows == {f"Type {t} (%)": counts[t] for t in TYPES}
    assert rows["Type III (%)"] == (16.0, 0.0, 12.0, 28.0, 72.0, 28.0)


def test_a_distribution_over_fewer_functions_says_so() -> None:
    some = solutions([r for r in PUBLISHED if r.problem in ("CPC-DF1", "CPC-DF3") and r.solver == "GA"])
    table = type_distribution(some)
    assert by_key(table)["Type I (%)"] == (50.0,)
    assert "GA: 2 of 25 functions." in table.notes


def test_the_groups_by_feasible_ratio() -> None:
    rows = by_key(feasible_ratio_groups(FOUND))
    assert rows["FR > 1 %"][-1] == 42
    assert rows["FR < 1 %"][-1] == 108
    assert rows["FR > 1 %"][2] == 4.8
    assert rows["FR < 1 %"][2] == 34.3
    empty = by_key(feasible_ratio_groups(solutions([record("CPC-DF3", DF3_BEST)])))
    assert empty["FR > 1 %"] == (None, None, None, None, 0)


def test_the_comparison_with_functions_from_elsewhere() -> None:
    rows = by_key(comparison(FOUND))
    assert rows["CPC-DF16"] == ("II", "I", "III", "III", "III", "III")
    assert rows["F138"] == ("I", "II, IV", "I", "I", "II", "I")
    assert "CPC-DF1" not in rows


def test_reevaluation_shows_type_four_only() -> None:
    table = reevaluation(FOUND, "CPC-DF3")
    assert [row[0] for row in table.rows[:2]] == ["UGO (reported)", "UGO (re-evaluated)"]
    assert [row[2] for row in table.rows[:2]] == [-10.5036630152501, -10.503674524476093]
    assert {str(row[0]).split()[0] for row in table.rows} == {"UGO", "B&B", "SA"}
    assert reevaluation(FOUND, "CPC-DF13").notes == ("No solver's best solution is of Type IV.",)


def test_all_tables_of_a_study() -> None:
    both = [record("CPC-DF3", DF3_BEST), record("CPC-DF3", DF3_BEST, rule="ieee")]
    keys = [t.key for t in study_tables(both)]
    assert len(set(keys)) == len(keys)
    assert {"types-ieee", "types-strict", "solutions-CPC-DF3-n2-ieee", "df3-neighbours"} <= set(keys)
    for empty in (study_tables, summary_tables):
        with pytest.raises(CpcbenchError, match="no runs to report"):
            empty([])


def test_close_ups_give_the_values_in_doubles() -> None:
    values = df3_neighbours().column("value in doubles")
    assert math.isnan(values[0])  # type: ignore[arg-type]
    assert values[1:] == [-10.503674524476093, -10.192474818519308]
    assert df3_conditions().column("holds")[:3] == ["no", "cannot be computed", "yes"]
    assert df3_conditions().column("holds")[3:] == ["yes"] * 6
    printed = [row[1] for row in printed_table("df15_sensitivity").rows]
    for value, said in zip(df15_sensitivity().column("value in doubles"), printed, strict=True):
        assert isinstance(value, float)
        assert isinstance(said, float)
        assert math.isnan(value) if math.isnan(said) else value == pytest.approx(said, rel=1e-14)
