"""The figures of the paper, each with what it must show; the windows are chosen here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.problems.problem import Problem
from cpcbench.progress import Line, Tell
from cpcbench.report.figures.draw import draw
from cpcbench.report.figures.files import format_of, save_as
from cpcbench.report.figures.words import Data
from cpcbench.studies.landscape.clouds import cloud
from cpcbench.studies.landscape.grids import Landscape, landscape, with_lowest_met, zoomed_window
from cpcbench.studies.landscape.lines import line

Panel = tuple[Data, str, str | None]
"""Data, kind and title (None: the usual one)."""


@dataclass(frozen=True)
class PaperFigure:
    """A figure of the paper: its file name, and its panels' data."""

    name: str
    panels: Callable[[], list[Panel]]


FIGURES: list[PaperFigure] = []
"""In the order of the paper."""


def _figure(name: str) -> Callable[[Callable[[], list[Panel]]], None]:
    """Makes a function that gives panels a figure of the paper; its docstring says what must be seen."""
    return lambda panels: FIGURES.append(PaperFigure(name, panels))


def paper_figures(
    folder: Path | str,
    formats: Sequence[str] = ("png",),
    progress: Tell | None = None,
    only: Sequence[str] | None = None,
) -> list[Path]:
    """Writes the figures into a folder and says where; `progress` is told the name of each."""
    for ending in formats:
        format_of(f"figure.{ending}")
    chosen = list(_chosen(only))
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    written = []
    for number, figure in enumerate(chosen, start=1):
        if progress is not None:
            progress(Line(figure.name, number, len(chosen)))
        panels = figure.panels()  # once, for all formats
        written += save_as(lambda backend, panels=panels: _drawn(panels, backend), target / figure.name, formats)
    return written


def _chosen(only: Sequence[str] | None) -> Iterator[PaperFigure]:
    known = {figure.name: figure for figure in FIGURES}
    for name in known if only is None else only:
        if name not in known:
            raise CpcbenchError(f"the paper has no figure {name!r}: there are {', '.join(known)}")
        yield known[name]


def _drawn(panels: list[Panel], backend: str) -> Any:
    data, kinds, titles = zip(*panels, strict=True)
    return draw(data, kinds, titles=titles, backend=backend)


def _square(problem: Problem, half: float | None = None, resolution: int = 200) -> Landscape:
    """The box, or the square of this half width around the origin."""
    return landscape(problem, window=None if half is None else ((-half, half), (-half, half)), resolution=resolution)


def _df12_slice(axes: tuple[int, int], half: float, *, lowest: bool = False) -> Panel:
    """CPC-DF12 as published, n = 5, over two variables; the others are those of the published optimum."""
    problem = cpc.problem("CPC-DF12")
    point = problem.published.points[0] if problem.published is not None else problem.lower
    data = landscape(problem, axes=axes, at=point, window=((-half, half), (-half, half)), resolution=300)
    first, second = (problem.names[i] for i in axes)
    title = f"CPC-DF12, n = 5, over {first} and {second}"
    return with_lowest_met(data) if lowest else data, "heat", title


@_figure("df8-graph")
def _df8() -> list[Panel]:
    """A chessboard of islands in a band through the box."""
    return [(_square(cpc.problem("CPC-DF8")), "surface", None)]


@_figure("df12-graph")
def _df12() -> list[Panel]:
    """Separate hyperbolic bands above and below the origin, undefined between them; slices at n = 5."""
    return [(_square(cpc.problem("CPC-DF12", n=2), 12.0), "surface", None), _df12_slice((3, 4), 12.0)]


@_figure("f170-wide-and-close")
def _plateau() -> list[Panel]:
    """Wide: a plateau that ends abruptly near 15, with a pin prick at 0; close: a smooth basin down to -1."""
    problem = cpc.problem("F170", n=2)
    wide, close = _square(problem, resolution=160), _square(problem, 1.0, resolution=120)
    return [(wide, "surface", "F170 on [-20, 20]"), (close, "surface", "F170 on [-1, 1]")]


@_figure("sign")
def _sign() -> list[Panel]:
    """One jump, at 0."""
    return [(line(cpc.parse("sign(x1)", bounds=(-2.0, 2.0)), resolution=1001), "line", "sgn(x)")]


@_figure("step-2")
def _steps() -> list[Panel]:
    """Constant on squares of side 1, with jumps between them."""
    along = line(cpc.problem("F138", n=1), window=(-4.0, 4.0))
    over = _square(cpc.problem("F138", n=2), 4.0, resolution=161)
    return [(along, "line", "Step 2 along x1"), (over, "heat", "Step 2 in two variables")]


@_figure("feasible-regions")
def _feasible() -> list[Panel]:
    """Where even draws are admissible: most of both boxes stays empty."""
    return [(cloud(cpc.problem(name), most=25_000), "points", None) for name in ("CPC-DF8", "CPC-DF9")]


@_figure("separability")
def _separability() -> list[Panel]:
    """DF7: a grid of islands along the axes, as a sum over the variables has; DF22: fragments that follow no axis.

    One part of each, close enough for true contours: closed ones with the axes as axes, and others.
    """
    separable = landscape(cpc.problem("CPC-DF7", n=2), window=((0.5, 6.5), (-10.0, 6.5)), resolution=300)
    mixed = landscape(cpc.problem("CPC-DF22"), window=((-6.0, 0.0), (-40.0, -10.0)), resolution=300)
    island = landscape(separable.problem, window=((4.8, 5.95), (-2.55, -2.15)), resolution=300)
    fragment = landscape(mixed.problem, window=((-1.0, -0.55), (-15.5, -11.5)), resolution=300)
    parts: list[Panel] = [(part, "contour", f"{part.problem.id}, one part") for part in (island, fragment)]
    return [(separable, "heat", None), (mixed, "heat", None), *parts]


@_figure("modality")
def _modality() -> list[Panel]:
    """Peaks and valleys on separate pieces of the domain; of CPC-DF12 also where its other variables are fixed."""
    waves = landscape(cpc.problem("CPC-DF6", n=2), window=((-4.0, 4.0), (6.0, 20.0)))
    bands = landscape(cpc.problem("CPC-DF12", n=2), window=((-25.0, 25.0), (0.0, 30.0)), resolution=240)
    return [(waves, "surface", None), (bands, "heat", None), _df12_slice((3, 4), 25.0)]


@_figure("optima")
def _optima() -> list[Panel]:
    """The lowest points met, more than one in each problem; of CPC-DF12 also at n = 5, where signs are free."""
    first, second = cpc.problem("CPC-DF5", n=2), cpc.problem("CPC-DF12", n=2)
    return [
        (with_lowest_met(_square(first, 1.5, 300)), "heat", None),
        (with_lowest_met(_square(second, 6.0)), "heat", None),
        _df12_slice((0, 1), 2.5, lowest=True),
    ]


@_figure("df15-sensitivity")
def _sensitivity() -> list[Panel]:
    """Over the box a few lines; closer, ever thinner strips, with the best-known point at the end of one."""
    problem = cpc.problem("CPC-DF15", rule="strict")
    point = problem.published.points[0] if problem.published is not None else problem.lower
    shares = (1.0, 0.1, 0.01, 1e-5)
    views = [landscape(problem, window=zoomed_window(problem, point, (0, 1), share)) for share in shares]
    titles = ["CPC-DF15, its box", *(f"CPC-DF15, {1 / share:,.0f} times closer" for share in shares[1:])]
    return [(view, "heat", title) for view, title in zip(views, titles, strict=True)]


@_figure("df3-graph")
def _df3() -> list[Panel]:
    """Narrow slices, cut out by the cosine under the inner logarithm."""
    problem = cpc.problem("CPC-DF3")
    return [(landscape(problem, window=((-1.0, 13.0), (-3.0, 15.0))), "surface", None)]


@_figure("fragments")
def _fragments() -> list[Panel]:
    """Rings and patches with blank gaps between them."""
    first, second = cpc.problem("CPC-DF1"), cpc.problem("CPC-DF23", n=2)
    return [(_square(first, 6.0), "surface", None), (_square(second, 8.0), "surface", None)]
