"""`cpcbench modality`: the parts of a domain and the local minima in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from cpcbench.cli.progress import ProgressLine
from cpcbench.cli.studies.tabled import EveryOption, tabled
from cpcbench.cli.words import SeedOption

if TYPE_CHECKING:
    from cpcbench.problems.problem import Problem
    from cpcbench.report.table import Table


@tabled("Ids, or one formula in quotes with --bounds.")
def modality(
    problems: list[Problem],
    every: EveryOption = False,  # noqa: ARG001 - without names
    cells: Annotated[
        int, typer.Option("--cells", min=10, max=10_000_000, help="Undecided cells, one or two variables.")
    ] = 60_000,
    points: Annotated[
        int, typer.Option("--points", min=10, max=1_000_000, help="Points joined, more variables.")
    ] = 3000,
    starts: Annotated[int, typer.Option("--starts", min=1, max=1_000_000, help="Local searches a problem.")] = 400,
    prominence: Annotated[float, typer.Option("--prominence", help="How deep a minimum is, relative above 1.")] = 1e-4,
    shown: Annotated[int, typer.Option("--shown", min=1, help="Parts and minima to list.")] = 20,
    seed: SeedOption = 0,
) -> list[Table]:
    """Count the parts of a domain and its local minima.

    One problem is shown part by part; several, or all, one line each beside the published claims.

    Example: cpcbench modality CPC-DF13

    Example: cpcbench modality "sqrt(sin(x1)) + sqrt(sin(x2))" --bounds 0:10

    Example: cpcbench modality --all --format markdown
    """
    from cpcbench.report.problems.modality import claims_table, modality_tables
    from cpcbench.studies.modality.summary import modality as study

    found = []
    with ProgressLine() as line:
        for i, p in enumerate(problems, start=1):
            show = _named(line, f"{p.id} ({i}/{len(problems)})")
            found.append(
                study(p, cells=cells, points=points, starts=starts, prominence=prominence, rng=seed, progress=show)
            )
    tables = modality_tables(found[0], shown) if len(found) == 1 else []
    return [*tables, claims_table(found)]


def _named(line: ProgressLine, name: str) -> Callable[[str], None]:
    return lambda text: line.begin(f"{name}: {text}")
