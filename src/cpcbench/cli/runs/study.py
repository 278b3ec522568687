"""`cpcbench run` and `solvers`: making the runs of a study."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cpcbench.cli.guard import INTERRUPTED, NOT_CONFIRMED
from cpcbench.cli.progress import ProgressLine, duration
from cpcbench.cli.runs.tables import print_summary
from cpcbench.cli.words import (
    FunctionBoundsOption,
    RuleOption,
    SubjectOption,
    SuiteOption,
    TypesOption,
    read_bounds,
)
from cpcbench.errors import CpcbenchError, shortened

if TYPE_CHECKING:
    from cpcbench.experiment.runner import Progress
    from cpcbench.experiment.store.record import RunRecord
    from cpcbench.problems.problem import Problem

CORES = os.cpu_count() or 1

MOST_KINDS = 5
"""Kinds of failures that are named."""

StoreOption = Annotated[Path, typer.Option("--store", help="The study's file; an existing one is continued.")]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers", min=0, help="Worker processes, all cores by default; 0 runs everything here, uncontained."
    ),
]
ClusterOption = Annotated[
    str | None, typer.Option("--cluster", help="Run on a Dask cluster: local, or a scheduler's tcp://host:port.")
]
MemoryOption = Annotated[
    str | None, typer.Option("--memory", help="Memory a run may take, such as 500M or 2G; it is killed beyond.")
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Seed of the whole study.")]


ProblemsOption = Annotated[
    str | None, typer.Option("--problems", help="The same as naming them first, with commas between.")
]


def run(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PROBLEM...",
            help="Ids, DF4:8 for n = 8, file.py:function, or formulas in quotes; all of the suite by default.",
        ),
    ] = None,
    problems: ProblemsOption = None,
    suite: SuiteOption = "cpc",
    solvers: Annotated[
        str | None,
        typer.Option("--solvers", help="Names with commas between, or file.py:function; all of ours by default."),
    ] = None,
    count: Annotated[int, typer.Option("--runs", min=1, help="Runs of each solver on each problem.")] = 20,
    store: StoreOption = Path("study.db"),
    workers: WorkersOption = None,
    seed: SeedOption = 0,
    budget: Annotated[int | None, typer.Option("--budget", min=1, help="Evaluations a run.")] = None,
    seconds: Annotated[float | None, typer.Option("--seconds", help="Seconds a run.")] = None,
    memory: MemoryOption = None,
    cluster: ClusterOption = None,
    bounds: FunctionBoundsOption = None,
    subject_to: SubjectOption = None,
    rule: RuleOption = "ieee",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SOLVER.PARAMETER=VALUE", help="Another setting of a solver; may be repeated."),
    ] = None,
    types: TypesOption = "paper",
) -> None:
    """Run solvers on problems; what is missing of a study.

    Stop it with Ctrl-C, or kill it, and run it again to go on. Exits with 1 if every run failed.

    Examples:

    cpcbench run CPC-DF1 CPC-DF9 --solvers GA,SA --runs 5

    cpcbench run model.py:cost "sqrt(x1 - x2^2)" --bounds 0:1,-5:5 --solvers cpc,scipy-de --budget 1000

    cpcbench run "x1 + x2" --bounds -2:2 --subject-to "x1^2 + x2^2 <= 1" --solvers cpc,cpc-white

    cpcbench run --solvers my_solver.py:search,GA --store mine.db

    cpcbench run --suite cf --solvers cpc-white --seconds 30 --store fits.db

    cpcbench run --solvers BFGS+MS --set BFGS+MS.starts=20 --store scripts.db

    cpcbench run --solvers scipy-de,nlopt-crs2 --budget 10000 --seconds 60 --memory 2G --store outside.db
    """
    import cpcbench as cpc
    from cpcbench.experiment.plan.problems import study_problems
    from cpcbench.experiment.verify.types import type_rule

    type_rule(types)  # before the runs, not after them
    box = None if bounds is None else read_bounds(bounds)
    named = problem_words(words, problems)
    if named or suite == "cpc" or subject_to:
        chosen = study_problems(named, rule, box, subject_to or ())
    else:
        chosen = cpc.problems(rule=rule, suite=suite)
    records = study(
        problems=chosen, solvers=_with_settings(comma_words(solvers), settings or [], chosen), runs=count, store=store,
        workers=worker_count(workers, cluster), cluster=cluster, seed=seed, budget=budget, seconds=seconds,
        memory=memory, rule=rule,
    )  # fmt: skip
    print_summary(records, types)
    typer.echo(f"\n{_held(store, len(records))}; see all tables with: cpcbench report {store}")
    tell_failures(records)


def tell_failures(records: list[RunRecord]) -> None:
    """Says which runs broke down, by solver and problem; a study of nothing else is no result, and exits with 1."""
    from cpcbench.solvers.run import BROKEN

    broken = [record for record in records if record.status in BROKEN]
    if not broken:
        return
    if len(broken) == len(records):
        ((message, count),) = Counter(record.message for record in broken).most_common(1)
        every = "the run" if len(records) == 1 else f"every one of {counted(len(records))}"
        typer.echo(f"error: {every} failed, {count:,} with: {message}", err=True)
        raise typer.Exit(NOT_CONFIRMED)
    typer.echo(f"{len(broken):,} of {counted(len(records))} failed:", err=True)
    kinds = Counter((record.solver, record.problem, record.message) for record in broken).most_common()
    for (solver, problem, message), count in kinds[:MOST_KINDS]:
        typer.echo(f"  {solver} on {problem}, {counted(count)}: {shortened(message)}", err=True)
    if len(kinds) > MOST_KINDS:
        typer.echo(f"  and {len(kinds) - MOST_KINDS:,} more kinds: see cpcbench runs", err=True)


def list_solvers() -> None:
    """List the solvers and remedies that can be run.

    Example: cpcbench solvers
    """
    from cpcbench.solvers.registry import PAPERS, REMEDIES, solver, solvers

    for name in solvers():
        typer.echo(f"{name:20} {solver(name).summary}".rstrip())
    for remedy, (_, summary) in REMEDIES.items():
        names = [f"{name}+{remedy}" for name in PAPERS if not solver(name).expression]
        typer.echo(f"{'...+' + remedy:20} {summary}: {', '.join(names)}")


def worker_count(given: int | None, cluster: str | None) -> int:
    """A command's runs are contained unless the user says --workers 0; a cluster elsewhere has its own workers."""
    if cluster is None:
        return CORES if given is None else given
    if given is not None and cluster != "local":
        raise CpcbenchError(f"the cluster at {cluster} has its own workers: leave --workers away")
    if given == 0:
        raise CpcbenchError("a cluster needs workers: --workers is 1 or more with --cluster local")
    return given or 0


def comma_words(text: str | None) -> list[str] | None:
    if text is None:
        return None
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise CpcbenchError(f"names with commas between are needed, not {text!r}")
    return words


def problem_words(words: Sequence[str] | None, option: str | None) -> list[str] | None:
    """The problems named first or by --problems; None if none are."""
    given = [*(words or ()), *([option] if option is not None else [])]
    if not given:
        return None
    for word in given:
        if word.startswith("--"):  # a misspelt option, which the parser lets through for formulas such as -x1
            raise CpcbenchError(f"there is no option {shortened(word)}")
    found = [part.strip() for word in given for part in _at_commas(word)]
    if not all(found):
        raise CpcbenchError(f"names with commas between are needed, not {shortened(', '.join(given))!r}")
    return found


def _at_commas(text: str) -> list[str]:
    """The parts between commas; those within brackets belong to a formula."""
    parts, depth = [""], 0
    for char in text:
        depth += (char in "([") - (char in ")]")
        if char == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _held(store: Path, asked: int) -> str:
    """What is in the study, which may be more than was asked for."""
    from cpcbench.experiment.store.store import Store

    with Store(store) as study:
        there = len(study)
    return f"{counted(there)} in {store}" + ("" if there == asked else f", {asked:,} of them of this command")


def _with_settings(names: list[str] | None, settings: list[str], problems: list[Problem]) -> list[Any]:
    """The solvers, the usual ones if none are named; those with settings of their own as objects instead of names."""
    from cpcbench.experiment.runner import usual_solvers
    from cpcbench.solvers.registry import solver

    chosen: dict[str, Any] = {name: name for name in names or usual_solvers(problems)}
    if not settings:
        return list(names or chosen)
    called = {**{solver(name).name: name for name in chosen}, **{name: name for name in chosen}}
    for text in settings:
        place, equals, value = text.partition("=")
        short, dot, parameter = place.rpartition(".")
        if not (equals and dot and short in called):
            raise CpcbenchError(f"--set takes SOLVER.PARAMETER=VALUE for one of {', '.join(called)}, not {text!r}")
        name = called[short]
        chosen[name] = solver(chosen[name]).with_parameters(**{parameter: _value(value)})
    return list(chosen.values())


def _value(text: str) -> Any:
    """A number, true, false or null as in JSON; anything else is text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def study(**settings: Any) -> list[RunRecord]:
    from cpcbench.experiment.runner import run as run_study

    with ProgressLine(keep=True) as line:
        watch = _Watch(line)
        try:
            return run_study(**settings, progress=watch)
        except KeyboardInterrupt:
            line.close()
            kept = f"{watch.done} of {watch.total} runs are kept" if watch.total else "nothing was begun"
            typer.echo(f"stopped: {kept}; run the same command again to go on", err=True)
            raise typer.Exit(INTERRUPTED) from None


class _Watch:
    """Shows how far a study is; the first and the last state always."""

    def __init__(self, line: ProgressLine) -> None:
        self._line = line
        self.done = self.total = 0

    def __call__(self, progress: Progress) -> None:
        always = self.total == 0 or progress.done == progress.total
        self.done, self.total = progress.done, progress.total
        if not (always or self._line.due):
            return
        text = f"{progress.done} of {progress.total} runs"
        if progress.new:
            pace = progress.new / max(progress.seconds, 1e-9)
            text += f", {pace:.1f} a second, {duration(progress.seconds_left)} left"
        if progress.last is not None:
            text += f", last {progress.last.problem} {progress.last.solver} run {progress.last.run}"
        self._line.say(text, always=always)


def counted(runs: int) -> str:
    return "1 run" if runs == 1 else f"{runs:,} runs"
