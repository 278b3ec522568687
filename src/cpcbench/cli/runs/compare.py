"""`cpcbench compare`: solvers on equal budgets, from the runs to the tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cpcbench.cli.runs.study import (
    MemoryOption,
    ProblemsOption,
    SeedOption,
    WorkersOption,
    comma_words,
    problem_words,
    study,
    worker_count,
)
from cpcbench.cli.words import FunctionBoundsOption, RuleOption, SubjectOption, read_bounds, read_numbers
from cpcbench.cli.writing import ForceOption, OutputOption, check_format, place, write_tables
from cpcbench.errors import CpcbenchError

if TYPE_CHECKING:
    from cpcbench.report.study.budgets import Studies
    from cpcbench.report.study.circumstances import Circumstances

TEXT = {"text": "terminal"}
SECONDS = 60.0
"""Of a run by default: some solvers take milliseconds of their own for an evaluation."""


def compare(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PROBLEM...",
            help="Ids, DF4:8 for n = 8, file.py:function, or formulas in quotes; the 25 by default.",
        ),
    ] = None,
    problems: ProblemsOption = None,
    solvers: Annotated[
        str | None,
        typer.Option(
            "--solvers", help="Names with commas between, or file.py:function; by default all that see values only."
        ),
    ] = None,
    budgets: Annotated[str, typer.Option("--budgets", help="Evaluations a run, with commas between.")] = "1e4,1e5,1e6",
    count: Annotated[int, typer.Option("--runs", min=1, help="Runs of each solver on each problem.")] = 20,
    store: Annotated[
        Path, typer.Option("--store", help="The studies' file: comparison.db makes comparison-10000.db and so on.")
    ] = Path("comparison.db"),
    workers: WorkersOption = None,
    seed: SeedOption = 0,
    seconds: Annotated[float, typer.Option("--seconds", help="Seconds a run.")] = SECONDS,
    memory: MemoryOption = None,
    bounds: FunctionBoundsOption = None,
    subject_to: SubjectOption = None,
    rule: RuleOption = "ieee",
    only_report: Annotated[bool, typer.Option("--report", help="Run nothing; print what the studies hold.")] = False,
    style: Annotated[str, typer.Option("--format", help="text, markdown, latex, csv or json.")] = "text",
    output: OutputOption = None,
    force: ForceOption = False,
    figures: Annotated[
        Path | None, typer.Option("--figures", help="A folder for the curves of targets reached.")
    ] = None,
) -> None:
    """Compare solvers on equal budgets of evaluations.

    There is one study a budget, continued by the same command after Ctrl-C. The tables show all
    that these studies hold, so solvers and runs may be added bit by bit. A solver that reads the
    formula runs only if it is named, and is marked.

    Example: cpcbench compare DF1 DF17 --solvers cpc,scipy-de --budgets 1e3,1e4 --runs 5

    Formulas: cpcbench compare "x1 + x2" --bounds -2:2 --subject-to "x1^2 + x2^2 <= 1" --solvers cpc,scipy-de

    Print what is there: cpcbench compare --budgets 1e4 --report --format markdown
    """
    from cpcbench.experiment.comparison import black_boxes, checked_budgets, study_of
    from cpcbench.experiment.plan.problems import CPC

    chosen = TEXT.get(style, style)
    check_format(chosen)
    if figures is not None:
        from cpcbench.report.figures.libraries import library

        library("matplotlib")  # fails before the runs, not after them
    wanted = checked_budgets(read_numbers(budgets.split(","), "--budgets"))
    names = comma_words(solvers) or black_boxes()
    chosen_problems = problem_words(ids, problems) or list(CPC)
    box = None if bounds is None else read_bounds(bounds)
    files = {budget: study_of(store, budget) for budget in wanted}
    target = place(output, chosen, *files.values(), force=force)
    if not only_report:
        for number, (budget, path) in enumerate(files.items(), start=1):
            typer.echo(f"budget {number} of {len(files)}: {budget:,} evaluations, study {path}", err=True)
            study(
                problems=chosen_problems, bounds=box, solvers=names, runs=count, store=path,
                workers=worker_count(workers, None), seed=seed, budget=budget, seconds=seconds, memory=memory,
                rule=rule, subject_to=subject_to or (),
            )  # fmt: skip
    _show(*_gathered(files, rule), chosen, target, figures)


def _gathered(files: dict[int, Path], rule: str) -> tuple[Studies, dict[int, Circumstances]]:
    """The runs of each budget under the rule, and how they were made."""
    from cpcbench.experiment.statistics.runs import gather
    from cpcbench.experiment.store.store import Store
    from cpcbench.report.study.circumstances import Circumstances

    found, seen = {}, {}
    for budget, path in files.items():
        with Store(path) as study:
            mine = [runs for runs in gather(study) if runs.rule == rule]
            seen[budget] = Circumstances(study)
        if not mine:
            raise CpcbenchError(f"{path} holds no runs under the rule {rule}")
        found[budget] = mine[0]
    return found, seen


def _show(
    studies: Studies, seen: dict[int, Circumstances], style: str, output: Path | None, figures: Path | None
) -> None:
    from cpcbench.report.study.budgets import comparison_tables, draw_ecdf

    write_tables(comparison_tables(studies, seen), style, output)
    if figures is not None:
        for path in draw_ecdf(studies, figures):
            typer.echo(f"wrote {path}", err=True)
