"""`cpcbench run`, `reproduce` and `solvers`: making the runs of a study."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cpcbench.cli.guard import INTERRUPTED, guarded
from cpcbench.cli.tables import print_summary
from cpcbench.cli.words import RuleOption
from cpcbench.errors import CpcbenchError

if TYPE_CHECKING:
    from cpcbench.experiment.record import RunRecord
    from cpcbench.experiment.runner import Progress

JOBS = os.cpu_count() or 1

StoreOption = Annotated[Path, typer.Option("--store", help="The study's file; an existing one is continued.")]
JobsOption = Annotated[int, typer.Option("--jobs", min=1, help="Worker processes; results do not depend on it.")]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Seed of the whole study.")]


def add_to(app: typer.Typer) -> None:
    app.command("run")(guarded(run))
    app.command("reproduce")(guarded(reproduce))
    app.command("solvers")(guarded(list_solvers))


def run(
    problems: Annotated[
        str | None, typer.Option("--problems", help="Ids with commas between, DF4:8 for n = 8; all by default.")
    ] = None,
    solvers: Annotated[
        str | None,
        typer.Option("--solvers", help="Names with commas between, or file.py:function; all of ours by default."),
    ] = None,
    count: Annotated[int, typer.Option("--runs", min=1, help="Runs of each solver on each problem.")] = 20,
    store: StoreOption = Path("study.db"),
    jobs: JobsOption = JOBS,
    seed: SeedOption = 0,
    budget: Annotated[int | None, typer.Option("--budget", min=1, help="Evaluations a run.")] = None,
    seconds: Annotated[float | None, typer.Option("--seconds", help="Seconds a run.")] = None,
    rule: RuleOption = "ieee",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SOLVER.PARAMETER=VALUE", help="Another setting of a solver; may be repeated."),
    ] = None,
) -> None:
    """Run solvers on problems; what is missing of a study.

    Stop it with Ctrl-C, or kill it, and run it again to go on.

    Examples:

    cpcbench run --problems CPC-DF1,CPC-DF9 --solvers GA,SA --runs 5

    cpcbench run --solvers my_solver.py:search,GA --store mine.db

    cpcbench run --solvers BFGS+MS --set BFGS+MS.starts=20 --store scripts.db
    """
    records = _study(
        problems=_sized(_words(problems), rule), solvers=_with_settings(_words(solvers), settings or []), runs=count,
        store=store, jobs=jobs, seed=seed, budget=budget, seconds=seconds, rule=rule,
    )  # fmt: skip
    print_summary(records)
    typer.echo(f"{len(records)} runs in {store}; see all tables with: cpcbench report {store}")


def reproduce(
    quick: Annotated[bool, typer.Option("--quick", help="A reduced version that takes a few minutes.")] = False,
    store: Annotated[
        Path | None, typer.Option("--store", help="The study's file; an existing one is continued.")
    ] = None,
    jobs: JobsOption = JOBS,
    seed: SeedOption = 0,
    output: Annotated[Path, typer.Option("--output", help="The report to write, as Markdown.")] = Path(
        "reproduction.md"
    ),
) -> None:
    """Run the paper's experiment and compare its tables.

    Example: cpcbench reproduce --quick
    """
    from cpcbench.experiment.reproduction import experiment

    wanted = experiment(quick)
    path = store or Path("reproduction-quick.db" if quick else "reproduction.db")
    typer.echo(f"the paper's experiment, {wanted.note}; study {path}", err=True)
    records = _study(
        problems=wanted.problems, solvers=wanted.solvers, runs=wanted.runs, store=path, jobs=jobs, seed=seed,
        budget=None, seconds=None, rule=wanted.rule,
    )  # fmt: skip
    from cpcbench.report.paper import paper_tables
    from cpcbench.report.render import render
    from cpcbench.report.tables import study_tables

    tables = [*paper_tables(records), *study_tables(records)]
    heading = f"# The paper's experiment, published beside measured\n\nMeasured with {wanted.note}, seed {seed}.\n\n"
    output.write_text(heading + render(tables, "markdown"), encoding="utf-8")
    print_summary(records)
    typer.echo(f"report with all tables: {output.resolve()}")


def list_solvers() -> None:
    """List the solvers that can be run.

    Example: cpcbench solvers
    """
    from cpcbench.solvers.registry import solver, solvers

    for name in solvers():
        typer.echo(f"{name:10} {solver(name).summary}".rstrip())


def _words(text: str | None) -> list[str] | None:
    if text is None:
        return None
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise CpcbenchError(f"names with commas between are needed, not {text!r}")
    return words


def _sized(names: list[str] | None, rule: str) -> list[Any] | None:
    """The problems; `DF4:8` is DF4 with 8 variables."""
    if names is None:
        return None
    from cpcbench.problems.registry import problem

    found: list[Any] = []
    for name in names:
        id_, colon, size = name.partition(":")
        if colon and not (size.isascii() and size.isdigit()):
            raise CpcbenchError(f"a problem of another size is written as DF4:8, not {name!r}")
        found.append(problem(id_, n=int(size), rule=rule) if colon else name)
    return found


def _with_settings(names: list[str] | None, settings: list[str]) -> list[Any] | None:
    """The solvers, those with settings of their own as objects instead of names."""
    if not settings:
        return list(names) if names is not None else None
    from cpcbench.solvers.registry import solver, solvers

    chosen: dict[str, Any] = {name: name for name in names or solvers()}
    for text in settings:
        place, equals, value = text.partition("=")
        name, dot, parameter = place.rpartition(".")
        if not (equals and dot and name in chosen):
            raise CpcbenchError(f"--set takes SOLVER.PARAMETER=VALUE for one of {', '.join(chosen)}, not {text!r}")
        chosen[name] = solver(chosen[name]).with_parameters(**{parameter: _value(value)})
    return list(chosen.values())


def _value(text: str) -> Any:
    """A number, true, false or null as in JSON; anything else is text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _study(**settings: Any) -> list[RunRecord]:
    from cpcbench.experiment.runner import run as run_study

    watch = _Watch()
    try:
        return run_study(**settings, progress=watch)
    except KeyboardInterrupt:
        kept = f"{watch.done} of {watch.total} runs are kept" if watch.total else "nothing was begun"
        typer.echo(f"\nstopped: {kept}; run the same command again to go on", err=True)
        raise typer.Exit(INTERRUPTED) from None
    finally:
        watch.close()


class _Watch:
    """Progress on standard error: one line that changes on a terminal, now and then a line elsewhere."""

    EVERY = 30.0

    def __init__(self) -> None:
        self.done = self.total = 0
        self._shown = 0.0
        self._live = sys.stderr.isatty()

    def __call__(self, progress: Progress) -> None:
        self.done, self.total = progress.done, progress.total
        now = time.monotonic()
        pause = 0.2 if self._live else self.EVERY
        if now - self._shown < pause and progress.done < progress.total:
            return
        self._shown = now
        text = f"{progress.done} of {progress.total} runs"
        if progress.new:
            text += (
                f", {progress.new / max(progress.seconds, 1e-9):.1f} a second, {_duration(progress.seconds_left)} left"
            )
        if progress.last is not None:
            text += f", last {progress.last.problem} {progress.last.solver} run {progress.last.run}"
        typer.echo(f"\r\033[K{text}" if self._live else text, err=True, nl=not self._live)

    def close(self) -> None:
        if self._live and self._shown:
            typer.echo("", err=True)


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "?"
    return (
        f"{seconds:.0f} s"
        if seconds < 100
        else f"{seconds / 60:.0f} min"
        if seconds < 6000
        else f"{seconds / 3600:.1f} h"
    )
