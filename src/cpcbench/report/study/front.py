"""A study in Python: its result, tables and figures by name, for papers, notebooks and pandas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from cpcbench.errors import CpcbenchError, MissingExtraError, UnknownNameError
from cpcbench.experiment.statistics.runs import RunArrays, gather
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import COLUMNS, Store
from cpcbench.experiment.verify.types import type_rule
from cpcbench.report.latex import DIGITS, latex_table, write_tables
from cpcbench.report.page.markup import table as html_table
from cpcbench.report.page.markup import text as as_text
from cpcbench.report.render import render
from cpcbench.report.study.charts import BY_PROBLEM, NAMES, Boxes, Chart, problem_charts, study_charts
from cpcbench.report.study.circumstances import Circumstances
from cpcbench.report.study.result import Result, result
from cpcbench.report.study.statistics import label, statistics_tables
from cpcbench.report.study.tables import study_tables
from cpcbench.report.table import Table

FORMATS = ("pdf", "svg", "png")


class StudyTable(Table):
    """A table of a study, which can be shown, printed and taken further."""

    def to_latex(self, digits: int | None = DIGITS, label: str | None = None) -> str:
        """For the packages booktabs, longtable, array and graphicx; `digits` None prints numbers exactly."""
        return latex_table(self, digits=digits, label=label)

    def to_markdown(self) -> str:
        return render([self], "markdown")

    def to_csv(self) -> str:
        return render([self], "csv")

    def to_pandas(self) -> Any:
        """A DataFrame of pandas; the title and the notes are in its `attrs`."""
        frame = _pandas().DataFrame([list(row) for row in self.rows], columns=list(self.columns))
        frame.attrs.update(title=self.title, notes=list(self.notes))
        return frame

    def _repr_html_(self) -> str:
        return html_table(self)

    def _repr_latex_(self) -> str:
        return self.to_latex()

    def __str__(self) -> str:
        return render([self])


class Study:
    """A study's file, read when something is asked of it."""

    def __init__(self, path: str | Path, *, types: str = "paper") -> None:
        self.path, self.types = Path(path), type_rule(types).name
        if not self.path.is_file():
            raise CpcbenchError(f"there is no study {str(path)!r}")
        with Store(self.path) as store:
            self._count = len(store)
        if not self._count:
            raise CpcbenchError(f"{path} holds no runs yet")

    def __len__(self) -> int:
        """The number of runs."""
        return self._count

    def __repr__(self) -> str:
        return f"<Study {self.path.name}: {self._count:,} runs; {' '.join(one.sentence for one in self.results)}>"

    def records(self) -> list[RunRecord]:
        """Every run, as it was made."""
        with Store(self.path) as store:
            return list(store.records())

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that runs were made under; results under different rules are never mixed."""
        return tuple(self._runs)

    @property
    def problems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(label(p) for runs in self._runs.values() for p in runs.problems))

    @property
    def solvers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for runs in self._runs.values() for name in runs.solvers))

    @cached_property
    def results(self) -> tuple[Result, ...]:
        """What came out, rule by rule: `.winner`, `.sentence`, `.table`."""
        with Store(self.path) as store:
            seen = Circumstances(store)
        return tuple(result(runs, seen) for runs in self._runs.values())

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables; `table` also takes them without the rule at the end, where there is one rule."""
        return tuple(self._tables)

    def table(self, name: str, rule: str | None = None) -> StudyTable:
        """One table, such as "result", "types", "ecdf", "ranks" or "solutions-CPC-DF3-n2"."""
        found = self.named(name, rule)
        if len(found) == 1:
            return self._tables[found[0]]
        if found:
            raise CpcbenchError(f"there are {' and '.join(found)}: name one, or give a rule")
        raise UnknownNameError(f"the study has no table {name!r}: it has {', '.join(self.tables)}")

    def named(self, name: str, rule: str | None = None) -> list[str]:
        """The tables that a name may mean: with or without the rule at its end."""
        rules = self.rules if rule is None else (rule,)
        return [key for key in dict.fromkeys((name, *(f"{name}-{one}" for one in rules))) if key in self._tables]

    @property
    def figures(self) -> tuple[str, ...]:
        """The names of the figures."""
        return NAMES

    def charts(self, name: str, *, problem: str | None = None, rule: str | None = None) -> list[Chart | Boxes]:
        """The data of a figure, a chart a panel; convergence and final values have one a problem."""
        if name not in NAMES:
            raise UnknownNameError(f"a study has no figure {name!r}: it has {', '.join(NAMES)}")
        if problem is not None and (name not in BY_PROBLEM or problem not in self.problems):
            given = f"{name} is one of {', '.join(BY_PROBLEM)}" if problem in self.problems else f"no {problem!r}"
            raise UnknownNameError(f"problem= names one of {', '.join(self.problems)}, for a figure of it; {given}")
        chosen = [runs for runs in self._runs.values() if rule in (None, runs.rule)]
        if not chosen:
            raise UnknownNameError(f"no runs under the rule {rule!r}: there are {', '.join(self.rules)}")
        if name not in BY_PROBLEM:
            return [chart for runs in chosen if (chart := study_charts(runs).get(name)) is not None]
        return [chart for runs in chosen for chart in self._of_problems(runs, name, problem)]

    def figure(self, name: str, *, problem: str | None = None, rule: str | None = None) -> Any:
        """A figure of Matplotlib: "ecdf", "performance", "data", "convergence" or "final"."""
        from cpcbench.report.figures.studies import draw_charts

        return draw_charts(self.charts(name, problem=problem, rule=rule))

    def to_pandas(self) -> Any:
        """Every run as a row of a DataFrame of pandas, without its trajectory."""
        names = [name for name in COLUMNS if name != "trajectory"]
        with Store(self.path) as store:
            frame = _pandas().DataFrame(list(store.columns(*names)), columns=names)
        frame.insert(names.index("reference"), "verified", frame["reference"].where(frame["in_box"]))
        return frame

    def to_latex(
        self, folder: str | Path, tables: Iterable[str] | None = None, digits: int | None = DIGITS
    ) -> list[Path]:
        """Writes tables, all unless they are named, one file each, and `all.tex` that shows them."""
        chosen = list(self._tables.values()) if tables is None else [self.table(name) for name in tables]
        return write_tables(chosen, Path(folder), digits=digits)

    def save_figures(
        self, folder: str | Path, names: Iterable[str] | None = None, formats: Sequence[str] = FORMATS
    ) -> list[Path]:
        """Writes figures, all unless they are named, in each of the formats; those without anything to show are left
        out."""
        from cpcbench.report.figures.files import save
        from cpcbench.report.figures.studies import draw_charts

        wanted = NAMES if names is None else tuple(names)
        drawn = {name: charts for name in wanted if (charts := self.charts(name))}
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        return [
            save(draw_charts(charts), place / f"{name}.{ending}", dpi=200)
            for name, charts in drawn.items()
            for ending in formats
        ]

    def page(self, path: str | Path) -> Path:
        """Writes the study's page."""
        from cpcbench.report.page.build import write_page

        with Store(self.path) as store:
            return write_page(path, store, types=self.types)

    def _repr_html_(self) -> str:
        return "".join(f"<p><b>{as_text(one.sentence)}</b></p>{html_table(one.table)}" for one in self.results)

    def _of_problems(self, runs: RunArrays, name: str, problem: str | None) -> list[Chart | Boxes]:
        with Store(self.path) as store:
            made = problem_charts(store, runs)
        wanted = [each for p, each in made.items() if problem in (None, label(runs.problems[p]))]
        if name == "final":
            return [final for _, final in wanted]
        return [falling for falling, _ in wanted if falling is not None]

    @cached_property
    def _runs(self) -> dict[str, RunArrays]:
        with Store(self.path) as store:
            return {runs.rule: runs for runs in gather(store)}

    @cached_property
    def _tables(self) -> dict[str, StudyTable]:
        with Store(self.path) as store:
            made = [*(one.table for one in self.results), *study_tables(store.records(trajectories=False), self.types)]
            made += statistics_tables(store, pairs=True)
        return {t.key: StudyTable(t.key, t.title, t.columns, t.rows, t.notes) for t in made}


def study(path: str | Path, *, types: str = "paper") -> Study:
    """The study in a file: its result, tables and figures by name.

    Parameters
    ----------
    path : str or Path
        The file that `run` or `cpcbench run` wrote.
    types : str
        The rule for solution types: "paper" or "strict".

    Returns
    -------
    Study
        With `results`, `table(name)`, `figure(name)`, `to_latex(folder)`, `to_pandas()` and `page(path)`.

    Raises
    ------
    CpcbenchError
        If there is no such study, or if it holds no runs.

    Examples
    --------
    >>> import cpcbench as cpc
    >>> cpc.study("mine.db")
    Traceback (most recent call last):
        ...
    cpcbench.errors.CpcbenchError: there is no study 'mine.db'
    """
    return Study(path, types=types)


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise MissingExtraError('DataFrames need pandas: pip install "cpcbench[pandas]"') from None
    return pandas
