"""A study on the page, part by part: its result, its solvers, its problems and the runs behind every cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cpcbench.experiment.comparison import reached_runs
from cpcbench.experiment.plan.problems import CLASSICS, CPC, known_problem
from cpcbench.experiment.statistics.runs import RunArrays, gather
from cpcbench.experiment.store.store import Store
from cpcbench.problems.problem import Problem
from cpcbench.report.page import drawing
from cpcbench.report.page.result import result_part, tiles
from cpcbench.report.page.runs import runs_data, types_matrix
from cpcbench.report.page.sheets import OfStudy, Sheet, bare_sheet, sheet
from cpcbench.report.page.solvers import solvers_part
from cpcbench.report.study.charts import Boxes, Chart, problem_charts, study_charts
from cpcbench.report.study.circumstances import Circumstances
from cpcbench.report.study.result import result
from cpcbench.report.study.solutions import Solution, solutions
from cpcbench.report.study.statistics import statistics_tables
from cpcbench.report.study.tables import standard_lines, success_counts


@dataclass(frozen=True)
class Subject:
    """A problem that gets a sheet, and what the study says of it; one that is not known here has its name only."""

    name: str
    n: int
    problem: Problem | None
    study: OfStudy = field(default_factory=OfStudy)

    def sheet(self, resolution: int) -> Sheet:
        if self.problem is None:
            return bare_sheet(self.name, self.n, self.study)
        return sheet(self.problem, resolution, self.study)


class StudyParts:
    """The parts of the page, each made from what was read once; rules are never mixed."""

    def __init__(self, study: Store, types: str = "paper") -> None:
        self.store, self.types = study, types
        self.records = list(study.records(trajectories=False))
        self.rules = gather(study)
        self.seen = Circumstances(self.records)

    @property
    def of_the_paper(self) -> bool:
        """Whether a problem of the paper was run, so that its tables belong here."""
        return any(r.problem in (*CPC, *CLASSICS) for r in self.records)

    @cached_property
    def charts(self) -> list[dict[str, Chart]]:
        return [study_charts(runs) for runs in self.rules]

    @cached_property
    def of_problems(self) -> list[dict[int, tuple[Chart | None, Boxes]]]:
        return [problem_charts(self.store, runs) for runs in self.rules]

    @cached_property
    def found(self) -> dict[str, list[Solution]]:
        """The best solutions, rule by rule."""
        return {
            runs.rule: solutions((r for r in self.records if r.rule == runs.rule), self.types) for runs in self.rules
        }

    def result(self) -> str:
        made = [
            result_part(result(runs, self.seen), charts.get("ecdf"), first=i == 0)
            for i, (runs, charts) in enumerate(zip(self.rules, self.charts, strict=True))
        ]
        return "".join(made) + tiles(self.records)

    def solvers(self) -> str:
        counted = [
            t
            for rule, found in self.found.items()
            for t in self.seen.stated([success_counts(found)], rule, *standard_lines(found, self.types))
        ]
        charts = [chart for each in self.charts for name, chart in each.items() if name != "ecdf"]
        return solvers_part(charts, [*counted, *statistics_tables(self.store)])

    def matrices(self) -> str:
        return "".join(
            types_matrix(found, rule, (self.seen.line(rule), *standard_lines(found, self.types)))
            for rule, found in self.found.items()
        )

    def runs(self) -> dict[str, Any]:
        return runs_data(self.records, self.types)

    def subjects(self, problems: Sequence[Problem] | None) -> list[Subject]:
        """The problems that were run, each size once; or those given."""
        said = self._said()
        if problems is not None:
            return [Subject(p.id, p.dim, p, said.get((p.id, p.dim), OfStudy())) for p in problems]
        rules = {(p.id, p.n): runs.rule for runs in reversed(self.rules) for p in runs.problems}
        return [Subject(id_, n, known_problem(id_, n, rules[id_, n]), words) for (id_, n), words in said.items()]

    def _said(self) -> dict[tuple[str, int], OfStudy]:
        """For each problem who reached its value, and its charts."""
        lines: dict[tuple[str, int], list[str]] = {}
        drawn: dict[tuple[str, int], str] = {}
        for runs, charts in zip(self.rules, self.of_problems, strict=True):
            for p, problem in enumerate(runs.problems):
                key = problem.id, problem.n
                lines.setdefault(key, []).append(_reached(runs, p))
                drawn[key] = drawn.get(key, "") + (_drawn(*charts[p]) if p in charts else "")
        return {key: OfStudy("; ".join(lines[key]), drawn[key]) for key in lines}


def _reached(runs: RunArrays, p: int) -> str:
    """How many solvers reach the value of a problem."""
    if not runs.with_targets[p]:
        return "no value to reach"
    reached, _ = reached_runs(runs)
    ran = [s for s in range(len(runs.solvers)) if (p, s) in runs.cells]
    solved = sum(bool(reached[runs.cells[p, s]].any()) for s in ran)
    return f"reached by {solved} of {len(ran)} solver{'s' * (len(ran) > 1)}"


def _drawn(falling: Chart | None, final: Boxes) -> str:
    parts = ([drawing.chart(falling)] if falling is not None else []) + [drawing.boxes(final)]
    return f'<div class="charts">{"".join(parts)}</div>'
