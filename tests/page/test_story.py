"""What a study's page tells first: the sentence, and the data of its charts, worked out by hand on small studies."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cpcbench.experiment.statistics.convergence import FLOOR, falls, gaps
from cpcbench.experiment.statistics.runs import gather
from cpcbench.experiment.store.record import RunRecord
from cpcbench.report.page import drawing
from cpcbench.report.problems.measured import measured_names, measured_table
from cpcbench.report.study.charts import problem_charts, study_charts
from cpcbench.report.study.circumstances import Circumstances
from cpcbench.report.study.result import Result, result
from tests.experiment.test_run_records import DF3_BEST, record

BEST = -10.6  # below what is on record for CPC-DF3, to within 1e-4 of nothing else
RUN = replace(
    record("CPC-DF3", DF3_BEST), kind="faithful", in_box=True, budget=1000, evaluations=1000, trajectory=((1000, 0.0),)
)


def made(
    solver: str, run: int, value: float, trajectory: tuple[tuple[int, float], ...] = (), **more: object
) -> RunRecord:
    fields = {"solver": solver, "run": run, "reference": value, "reported": value, "fast": value}
    return replace(RUN, **fields, trajectory=trajectory or ((500, value),), **more)  # type: ignore[arg-type]


def told(*records: RunRecord) -> Result:
    (runs,) = gather(records)
    return result(runs, Circumstances(records))


def test_the_winner_is_said_with_runs_problem_and_budget() -> None:
    found = told(*(made("A", i, BEST) for i in range(3)), *(made("B", i, BEST if i else 5.0) for i in range(3)))
    assert found.winner == "A"
    assert found.sentence == (
        "A wins: it reaches the best value on record to 1e-4 in 3 of its 3 runs (100 %) on CPC-DF3 with 1,000 "
        "evaluations a run; B comes next with 2 of 3 (67 %)."
    )
    assert any("intervals of A and B overlap" in line for line in found.ground)
    assert [row[0] for row in found.table.rows] == ["A", "B"]
    assert found.table.column("share") == ["100 %", "67 %"]


def test_a_clear_lead_is_not_called_chance() -> None:
    many = [made(name, i, value) for name, value in (("A", BEST), ("B", 5.0)) for i in range(40)]
    assert not any("overlap" in line for line in told(*many).ground)


def test_where_nobody_reaches_it_ranks_decide() -> None:
    found = told(made("A", 0, 3.0), made("B", 0, 2.0), made("C", 0, 4.0))
    assert found.winner == "B"
    assert found.sentence == (
        "No run reaches the best value on record to 1e-4 on CPC-DF3; by average rank B comes first (1.00), before A "
        "(2.00)."
    )


def test_equals_stay_equal() -> None:
    found = told(made("A", 0, BEST), made("B", 0, BEST))
    assert found.winner is None
    assert "A and B are level: each reaches" in found.sentence
    assert told(made("A", 0, BEST)).sentence.startswith("A reaches the best value on record to 1e-4 in 1 of its 1 runs")


def test_a_winner_that_reads_the_formula_is_not_compared_silently() -> None:
    found = told(*(made("cpc-white", i, BEST) for i in range(2)), made("GA", 0, BEST), made("GA", 1, 5.0))
    assert found.winner == "cpc-white"
    assert found.ground[0] == (
        "cpc-white reads the formula; of those that see values only, GA reaches it in 1 of its 2 runs (50 %)."
    )


def test_quartiles_of_the_best_so_far() -> None:
    ways = [((10, 5.0), (100, 1.0)), ((20, 4.0),), ((500, 3.0), (600, math.nan), (700, 2.0)), ((1, math.nan), (2, 9.0))]
    records = [made("A", i, way[-1][1], way) for i, way in enumerate(ways)]
    (runs,) = gather(records)
    (fall,) = falls(records, runs)
    best = runs.problems[0].best

    def at(evaluations: float) -> list[float]:
        place = int(np.searchsorted(fall.x, evaluations, side="right")) - 1
        back = [g if math.isinf(g) else g * abs(best) + best for g in fall.gap[:, place]]
        return [round(value, 9) for value in back]

    assert at(1) == [math.inf] * 3
    assert at(12) == [5.0, 9.0, math.inf]
    assert at(1000) == [1.0, 2.0, 4.0]
    assert fall.x[0] == 1.0
    assert fall.x[-1] == 1000.0
    assert gaps(np.array([best, best - 1.0, math.nan]), best).tolist() == [FLOOR, FLOOR, math.inf]


def test_boxes_hold_faithful_values_only() -> None:
    records = [made("A", 0, 1.0), made("A", 1, 3.0), made("A", 2, 2.0), made("A", 3, -50.0, kind="thin"),
               made("A", 4, math.nan)]  # fmt: skip
    (runs,) = gather(records)
    ((_, final),) = problem_charts(records, runs).values()
    (box,) = final.boxes
    assert (box.nothing, box.apart, len(box.values)) == (1, 1, 3)
    best = runs.problems[0].best
    np.testing.assert_allclose(box.five[2], (2.0 - best) / abs(best))
    assert "1 with nothing, 1 apart" in drawing.boxes(final)


def test_axes_fit_the_data() -> None:
    records = [made("A", 0, BEST, ((300, 0.0), (400, BEST))), made("A", 1, 5.0), made("A", 2, 5.0), made("A", 3, 5.0)]
    (runs,) = gather(records)
    ecdf = study_charts(runs)["ecdf"]
    assert ecdf.window == ((200.0, 1000.0), (0.0, 0.3))  # a quarter is reached, from 400 evaluations on
    drawn = drawing.chart(ecdf)
    assert re.findall(r'class="middle">([^<]*)<', drawn) == ["200", "500", "1000"]


@pytest.mark.parametrize("name", measured_names())
def test_what_was_measured_stands_so_in_the_documents(name: str) -> None:
    """Whoever measures again changes both."""
    table = measured_table(name)
    document = re.search(r"(docs/[a-z-]+\.md) says more", table.notes[-1])
    assert document is not None
    text = (Path(__file__).parents[2] / document[1]).read_text(encoding="utf-8").replace("`", "")
    for row in table.rows:
        assert f"| {' | '.join(map(str, row))} |" in text
