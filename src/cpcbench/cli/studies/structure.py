"""`cpcbench structure` and `multiplicity`: what a formula says about its variables and its optima."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from cpcbench.cli.progress import ProgressLine
from cpcbench.cli.studies.tabled import tabled
from cpcbench.cli.words import SeedOption, read_numbers
from cpcbench.errors import PointError, shortened

if TYPE_CHECKING:
    from cpcbench.problems.problem import Problem
    from cpcbench.report.table import Table
    from cpcbench.studies.symmetry.optima_search import Found

WORDS = "Ids, all by default; or one formula in quotes with --bounds."


@tabled(WORDS)
def structure(
    problems: list[Problem],
    check: Annotated[bool, typer.Option("--check", help="Look for interactions in values, too.")] = False,
    seed: SeedOption = 0,
) -> list[Table]:
    """Show which variables act together, and what jumps.

    One problem is shown term by term; several, or all, one line each, the published words beside
    what the formulas say.

    Example: cpcbench structure CPC-DF5 --check
    """
    from cpcbench.report.problems.structure import discontinuity_table, structure_table, structure_tables
    from cpcbench.studies.structure.discontinuity import discontinuities
    from cpcbench.studies.structure.interactions import interactions
    from cpcbench.studies.structure.interplay import structure as take_apart
    from cpcbench.studies.symmetry.symmetries import symmetries

    parts, findings = [], []
    with ProgressLine() as line:
        for p in line.over(problems, "reading"):
            known = take_apart(p)
            parts.append((p, known, interactions(p, known, rng=seed) if check else None))
            findings.append((p, discontinuities(p, rng=seed)))
    if len(problems) == 1:
        p, known, pairs = parts[0]
        return structure_tables(p, known, findings[0][1], symmetries(p), pairs)
    return [structure_table(parts), discontinuity_table(findings)]


@tabled(WORDS)
def multiplicity(
    problems: list[Problem],
    at: Annotated[str | None, typer.Option("--at", help="The optimum, such as 0.5,-1; the best known if not given.")]
    = None,
    search: Annotated[
        int, typer.Option("--search", min=0, help="Evaluations to spend on looking for optima no symmetry gives.")
    ] = 0,
    seed: SeedOption = 0,
) -> list[Table]:  # fmt: skip
    """Count the global optima, with proof where it can be.

    Sums of functions of one variable each are counted term by term; elsewhere there are at least the
    images of the best-known point under proven symmetries, each evaluated in doubles.

    Example: cpcbench multiplicity CPC-DF5

    Example: cpcbench multiplicity "x1^2 + cos(x2)" --bounds -7:7 --at 0,3.141592653589793
    """
    point = None if at is None else read_numbers([at], "--at")
    if point is not None and (len(problems) != 1 or len(point) != problems[0].dim):
        dim = problems[0].dim if len(problems) == 1 else "the"
        raise PointError(f"--at takes {dim} coordinates of a point of one problem, not {shortened(at or '')!r}")
    from cpcbench.report.problems.structure import multiplicity_table, multiplicity_tables
    from cpcbench.studies.symmetry.multiplicity import multiplicity as count
    from cpcbench.studies.symmetry.optima_count import optima, separable_optima
    from cpcbench.studies.symmetry.optima_search import search_optima

    rows = []
    with ProgressLine() as line:
        for p in line.over(problems, "reading"):
            apart = separable_optima(p) if point is None and p.best_known is None else None
            known = count(p, point if apart is None else apart.point)
            if point is not None and math.isnan(p(point)):
                raise PointError(f"{p.id} is undefined at {shortened(at or '')!r}: an optimum is an admissible point")
            found: Found | None = None
            if search:
                found = search_optima(p, known.point, known.symmetries.motions, budget=search, rng=seed)
            rows.append((p, known, optima(p, known), found))
    return multiplicity_tables(*rows[0]) if len(rows) == 1 else [multiplicity_table(rows)]
