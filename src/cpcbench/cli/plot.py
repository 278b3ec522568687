"""`cpcbench plot`: a problem as a picture, or as a page to turn and zoom."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cpcbench.cli.words import (
    BoundsOption,
    ProblemWord,
    RuleOption,
    SeedOption,
    SizeOption,
    SubjectOption,
    read_bounds,
    read_numbers,
    read_point,
    read_problem,
)
from cpcbench.cli.writing import STANDARD, ForceOption, place, write
from cpcbench.errors import CpcbenchError, shortened
from cpcbench.problems.collections.fits import curve_fits

if TYPE_CHECKING:
    from cpcbench.problems.problem import Problem
    from cpcbench.report.figures.fits import FittedCurve

OVER_A_GRID = ("heat", "surface", "contour")
KINDS = (*OVER_A_GRID, "scatter", "line", "least", "count")
NOT_ZOOMED = 0


def plot(
    problem: ProblemWord,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            help="heat, surface or contour of f over two variables; scatter of admissible points; line along one "
            "variable; least f or count of admissible samples projected on two. heat by default.",
        ),
    ] = None,
    window: Annotated[
        str | None, typer.Option("--window", help="The part to show, lo:hi,lo:hi; the box by default.")
    ] = None,
    axes: Annotated[str | None, typer.Option("--axes", help="The variables drawn, numbered from 1: 1,2.")] = None,
    at: Annotated[
        str | None,
        typer.Option(
            "--at", help="The point that the others are held at, and zoomed in on; the best known by default."
        ),
    ] = None,
    zoom: Annotated[
        int, typer.Option("--zoom", min=NOT_ZOOMED, max=16, help="So many closer views, each 10 times closer.")
    ] = NOT_ZOOMED,
    resolution: Annotated[int | None, typer.Option("--resolution", help="Cells along a side.")] = None,
    scale: Annotated[str, typer.Option("--scale", help="auto, linear, log or symlog.")] = "auto",
    output: Annotated[
        Path | None, typer.Option("--output", help="A file: .png, .svg, .pdf or .html; - prints a PNG.")
    ] = None,
    force: ForceOption = False,
    n: SizeOption = None,
    rule: RuleOption = "ieee",
    bounds: BoundsOption = None,
    subject_to: SubjectOption = None,
    seed: SeedOption = 0,
) -> None:
    """Draw a problem; blank is where it is undefined.

    Parts of the domain thinner than a pixel are searched for and drawn too. An .html file can be
    turned, zoomed and pointed at. Of a curve fit the data and the fit are drawn; --at gives other parameters.

    Example: cpcbench plot CPC-DF15 --zoom 3 --output df15.png

    Example: cpcbench plot CPC-CF7
    """
    from cpcbench.report.figures import draw, format_of
    from cpcbench.report.figures.files import packed
    from cpcbench.report.figures.fits import draw_fit

    chosen = read_problem(problem, n, rule, bounds, subject_to)
    named = output or Path(f"{re.sub(r'[^A-Za-z0-9]+', '-', chosen.id).strip('-').lower()[:40] or 'figure'}.png")
    ending = "png" if named == STANDARD else format_of(named)
    target = place(named, ending, force=force)
    backend = "plotly" if ending == "html" else "matplotlib"
    _need(backend)
    if sys.stderr.isatty():
        typer.echo(f"drawing {chosen.id}", err=True)
    if chosen.id in curve_fits() and kind is None:
        _refuse("fit", window=window, axes=axes, zoom=zoom or None, resolution=resolution)
        write(packed(draw_fit(_curve(chosen, at), backend), ending), target)
        return
    data, drawn_as = _data(chosen, kind, window, axes, at, zoom, resolution, seed)
    figure = draw(data, drawn_as, titles=_titles(chosen, zoom), scale=scale, backend=backend)
    write(packed(figure, ending), target)


def _curve(problem: Problem, at: str | None) -> FittedCurve:
    """A curve fit with the parameters given, or with the best-known ones."""
    from cpcbench.report.figures.fits import fitted_curve
    from cpcbench.sampling.points import point_or_best

    point = point_or_best(problem, None if at is None else read_point([at], problem, "--at"))
    return fitted_curve(curve_fits()[problem.id], point)


def _titles(problem: Problem, zoom: int) -> list[str | None] | None:
    """Of a series of views: how close each is."""
    return [None, *(f"{problem.id}, {10**level:,} times closer" for level in range(1, zoom + 1))] if zoom else None


def _need(backend: str) -> None:
    """Fails before the work, not after it."""
    from cpcbench.report.figures.libraries import library

    library(backend)


def _data(
    problem: Problem,
    kind: str | None,
    window: str | None,
    axes: str | None,
    at: str | None,
    zoom: int,
    resolution: int | None,
    seed: int,
) -> tuple[Any, str | None]:
    """The data that the options ask for, and the kind to draw them as."""
    kind = kind or ("line" if problem.dim == 1 else "heat")
    if kind not in KINDS:
        raise CpcbenchError(f"--kind is {', '.join(KINDS[:-1])} or {KINDS[-1]}, not {shortened(kind)!r}")
    if zoom and (window is not None or kind not in OVER_A_GRID):
        raise CpcbenchError(f"--zoom goes with --kind {', '.join(OVER_A_GRID)} and without --window")
    numbers = _axes(axes, problem, kind)
    point = None if at is None else read_point([at], problem, "--at")
    sides = None if window is None else read_bounds(window, "--window")
    common: dict[str, Any] = {"rng": seed} | ({} if resolution is None else {"resolution": resolution})
    from cpcbench.studies.landscape.clouds import cloud
    from cpcbench.studies.landscape.grids import landscape, projection
    from cpcbench.studies.landscape.grids import zoom as zoom_series
    from cpcbench.studies.landscape.lines import line

    if kind == "line":
        return line(problem, axis=numbers[0], window=_only(sides), at=point, **common), None
    if kind == "scatter":
        _refuse(kind, window=window, at=at, resolution=resolution)
        return cloud(problem, axes=None if axes is None else numbers, rng=seed), None
    if kind in ("least", "count"):
        _refuse(kind, at=at)
        return projection(problem, of=kind, axes=numbers, window=_two(sides), **common), None
    if zoom:
        return zoom_series(problem, around=point, levels=zoom + 1, axes=numbers, **common), kind
    return landscape(problem, window=_two(sides), axes=numbers, at=point, **common), kind


def _refuse(kind: str, **options: object) -> None:
    for name, value in options.items():
        if value is not None:
            raise CpcbenchError(f"--{name} does not go with --kind {kind}")


def _axes(text: str | None, problem: Problem, kind: str) -> Any:
    """The variables drawn, numbered from 0."""
    counts = {"line": (1,), "scatter": (2, 3)}.get(kind, (2,))
    if counts[0] > problem.dim:
        raise CpcbenchError(f"--kind {kind} needs {counts[0]} variables, {problem.id} has 1: --kind line draws it")
    if text is None:
        return tuple(range(counts[0]))
    numbers = read_numbers([text], "--axes")
    if len(numbers) not in counts or not all(
        v.is_integer() and 1 <= v <= problem.dim and numbers.count(v) == 1 for v in numbers
    ):
        raise CpcbenchError(
            f"--axes takes {' or '.join(map(str, counts))} different variables from 1 to {problem.dim} "
            f"for --kind {kind}, not {shortened(text)!r}"
        )
    return tuple(int(v) - 1 for v in numbers)


def _only(sides: list[tuple[float, float]] | None) -> tuple[float, float] | None:
    if sides is not None and len(sides) != 1:
        raise CpcbenchError(f"--window takes one lower:upper for --kind line, not {len(sides)}")
    return None if sides is None else sides[0]


def _two(sides: list[tuple[float, float]] | None) -> Any:
    if sides is None:
        return None
    if len(sides) == 1:
        return sides[0], sides[0]
    if len(sides) != 2:
        raise CpcbenchError(f"--window takes lower:upper for one or two variables, not {len(sides)}")
    return sides[0], sides[1]
