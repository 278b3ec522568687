"""`cpcbench feasible`: which share of a box is admissible, beside the published figure."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import cpcbench as cpc
from cpcbench.cli.guard import INTERRUPTED
from cpcbench.cli.progress import ProgressLine
from cpcbench.cli.studies.tabled import tabled
from cpcbench.cli.words import SeedOption
from cpcbench.limits import checked_seconds

if TYPE_CHECKING:
    from cpcbench.report.table import Table
    from cpcbench.studies.feasible.ratio import FeasibleRatio

CORES = os.cpu_count() or 1


def _suite(rule: str) -> list[cpc.Problem]:
    """The problems that the published study is about: those with a hidden domain."""
    return [p for p in cpc.problems(rule=rule) if p.category == "domain-induced"]


@tabled("Ids, or a formula with --bounds; CPC-DF1 to DF25 by default.", default=_suite)
def feasible(
    problems: list[cpc.Problem],
    samples: Annotated[float, typer.Option("--samples", help="Points a repeat, such as 5000000 or 1e10.")] = 5e6,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Independent repeats; their mean is shown.")] = 5,
    seed: SeedOption = 0,
    method: Annotated[
        str,
        typer.Option("--method", help="sample, splitting (for rare points), or auto: both after fewer than 100 hits."),
    ] = "auto",
    runs: Annotated[int, typer.Option("--runs", min=2, help="Runs of splitting.")] = 20,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Threads; results do not depend on it.")] = CORES,
    state: Annotated[
        Path | None, typer.Option("--state", help="A file to keep what is done in, and to go on from after a stop.")
    ] = None,
    gpu: Annotated[
        bool, typer.Option("--gpu", help="Draw and count on a graphics card (needs cpcbench[gpu]).")
    ] = False,
    proven: Annotated[
        float | None, typer.Option("--proven", help="Prove bounds by splitting boxes, so many seconds a problem.")
    ] = None,
) -> list[Table]:
    """Estimate which share of a box is admissible.

    Each estimate has a 95 % confidence interval and stands beside the published figure.

    Examples:

    cpcbench feasible CPC-DF8 --samples 1e6

    cpcbench feasible CPC-DF18 --method splitting

    cpcbench feasible CPC-DF9 --proven 5

    cpcbench feasible CPC-DF5 --samples 1e10 --repeats 1 --state df5.json

    cpcbench feasible CPC-DF18 --gpu --samples 1e13 --repeats 1
    """
    from cpcbench.report.problems.feasible import feasible_table

    if proven is not None:
        return [_proven(problems, checked_seconds(proven, "--proven"))]
    settings = {"samples": samples, "repeats": repeats, "rng": seed, "method": method, "gpu": gpu}
    return [feasible_table(_estimated(problems, state, **settings, runs=runs, workers=workers))]


def _proven(problems: list[cpc.Problem], seconds: float) -> Table:
    from cpcbench.report.problems.proven import ratio_table
    from cpcbench.studies.feasible.volume import feasible_bounds

    with ProgressLine() as line:
        found = [
            (p, *feasible_bounds(p.expression, p.bounds, seconds=seconds))  # thin sets have no volume
            for p in line.over(problems, "splitting boxes of")
        ]
    return ratio_table(found)


def _estimated(problems: list[cpc.Problem], state: Path | None, **settings: Any) -> list[FeasibleRatio]:
    from cpcbench.studies.feasible.ratio import feasible_ratio
    from cpcbench.studies.feasible.state import StateFile

    file, found = StateFile(state), []
    with ProgressLine() as line:
        try:
            for place, p in enumerate(problems, start=1):
                show = partial(_show, line, f"{place} of {len(problems)}")
                found.append(feasible_ratio(p, **settings, state=file, progress=show))
        except KeyboardInterrupt:
            line.close()
            kept = f"run the same command again to go on from {state}" if state else "nothing is kept without --state"
            typer.echo(f"stopped: {kept}", err=True)
            raise typer.Exit(INTERRUPTED) from None
    return found


def _show(line: ProgressLine, place: str, text: str) -> None:
    line.say(f"{place}: {text}")
