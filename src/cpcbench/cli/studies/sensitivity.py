"""`cpcbench sensitivity`: what happens right beside a point, and how many of its digits matter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

import cpcbench as cpc
from cpcbench.cli.progress import ProgressLine
from cpcbench.cli.studies.tabled import EveryOption, tabled
from cpcbench.cli.words import SeedOption, read_numbers, read_point
from cpcbench.errors import CpcbenchError

if TYPE_CHECKING:
    from cpcbench.report.table import Table

BEST = "best-known"
"""What --at takes beside coordinates."""


@tabled("An id such as CPC-DF3, or a formula in quotes with --bounds.", one=True)
def sensitivity(
    problems: list[cpc.Problem],
    at: Annotated[
        str | None,
        typer.Option(
            "--at", help="The point, as x1,x2,..., or best-known; by default the published one if there is one."
        ),
    ] = None,
    digits: Annotated[
        int | None, typer.Option("--digits", min=0, max=40, help="Round the point to so many decimals first.")
    ] = None,
    cut: Annotated[bool, typer.Option("--cut", help="Cut the digits off instead of rounding.")] = False,
    ulps: Annotated[str, typer.Option("--ulps", help="How many ulps to move a coordinate, such as 1,2,4.")] = "1,2,4",
    every: EveryOption = False,
    tolerance: Annotated[float, typer.Option("--tolerance", help="What counts as nearly the same value.")] = 1e-4,
    seed: SeedOption = 0,
) -> list[Table]:
    """Look at the neighbours of a point and its edges.

    All three readings beside the point, how far the domain reaches, and how many digits of the point
    are needed for a value like its own. Where the paper prints a table of neighbours, it is shown beside
    what comes out.

    Example: cpcbench sensitivity CPC-DF15 --rule strict

    Example: cpcbench sensitivity CPC-DF15 --at best-known

    Example: cpcbench sensitivity "ln(x1 - x2^2)" --bounds 0:1,-1:1 --at 0.25,0.4999

    Example: cpcbench sensitivity --all --format markdown
    """
    if every:
        for name, given in (("--at", at), ("--digits", digits)):
            if given is not None:
                raise CpcbenchError(f"{name} is for one problem, not for --all")
        return _ranked(problems, tolerance, seed)
    return _at_point(problems[0], at, digits, cut, _whole(ulps), tolerance, seed)


def _at_point(
    p: cpc.Problem, at: str | None, digits: int | None, cut: bool, ulps: list[int], tolerance: float, seed: int
) -> list[Table]:
    from cpcbench.report.paper.close_ups import printed_neighbours
    from cpcbench.report.problems.sensitivity import sensitivity_tables
    from cpcbench.sampling.points import point_or_best
    from cpcbench.studies.sensitivity.point import sensitivity as study

    best = at is not None and at.strip() == BEST
    if (at is None or best) and p.best_known is None:
        raise CpcbenchError(f"there is no best-known point of {p.id} to look at: say --at x1,x2,...")
    point = None if at is None else point_or_best(p, None) if best else read_point([at], p, "--at")
    rounding = "down" if cut else "nearest"
    found = study(p, point, decimals=digits, rounding=rounding, ulps=ulps, tolerance=tolerance, rng=seed)
    return [*(printed_neighbours(p) if at is None else []), *sensitivity_tables(p, found)]


def _ranked(problems: list[cpc.Problem], tolerance: float, seed: int) -> list[Table]:
    from cpcbench.report.problems.sensitivity import ranking_table
    from cpcbench.studies.sensitivity.point import ranking

    with ProgressLine() as line:
        found = ranking(problems, tolerance=tolerance, rng=seed, progress=line.begin)
    return [ranking_table(found, tolerance)]


def _whole(text: str) -> list[int]:
    numbers = read_numbers([text], "--ulps")
    if not numbers or not all(v.is_integer() and 1 <= v <= 2**52 for v in numbers):
        raise CpcbenchError(f"--ulps takes whole numbers from 1 on, such as 1,2,4, not {text!r}")
    return [int(v) for v in numbers]
