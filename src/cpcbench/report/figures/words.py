"""What a figure says in words, the same whichever library draws it: titles, axes, notes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle

import numpy as np
import numpy.typing as npt

from cpcbench.errors import CpcbenchError
from cpcbench.problems.problem import Problem
from cpcbench.report.figures.scales import Scale, scale_of
from cpcbench.studies.landscape.clouds import Cloud
from cpcbench.studies.landscape.grids import Landscape
from cpcbench.studies.landscape.lines import Line
from cpcbench.studies.landscape.windows import Window

Data = Landscape | Line | Cloud

Panel = tuple[Data, str, Scale]
"""What is drawn, how, and on which scale."""

KINDS: dict[type, tuple[str, ...]] = {
    Landscape: ("heat", "surface", "contour", "scatter"),
    Line: ("line",),
    Cloud: ("scatter", "points"),
}
"""What can be drawn from each kind of data; the first is the default."""


BLANK, HATCH = "#f4f4f2", "#dededa"
STAR, POINT, QUIET = "#d81b60", "#3465a4", "#5a5a5a"
COLOURS = "viridis"
LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Of curves: Okabe and Ito's, which colour-blind readers can tell apart; dashes change when they begin again."""


def shown_scale(data: Data, scale: str, limits: tuple[float, float] | None) -> Scale:
    """The scale that the values of the data are shown on."""
    if isinstance(data, Line):
        return scale_of(np.concatenate([data.y, data.scattered_values]), scale, limits)
    return scale_of(data.values if isinstance(data, Cloud) else data.filled, scale, limits)


def looks(dashes: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Colour and dash of one curve after the other."""
    return cycle([(colour, dash) for dash in dashes for colour in LINES])


def layout(panels: Sequence[Panel]) -> tuple[int, int, list[bool]]:
    """Rows and columns for so many panels side by side, and which of them are drawn in three dimensions."""
    columns = min(len(panels), 3 if len(panels) != 4 else 2)
    solid = [kind == "surface" or (isinstance(data, Cloud) and len(data.axes) == 3) for data, kind, _ in panels]
    return -(-len(panels) // columns), columns, solid


def checked_kind(data: Data, kind: str | None) -> str:
    accepted = KINDS.get(type(data))
    if accepted is None:
        raise CpcbenchError(f"a figure is drawn from a Landscape, a Line or a Cloud, not {type(data).__name__}")
    if kind is not None and kind not in accepted:
        raise CpcbenchError(f"a {type(data).__name__} is drawn as {' or '.join(accepted)}, not as {kind!r}")
    return kind or accepted[0]


@dataclass(frozen=True)
class Axis:
    """An axis: its label, and the number and unit its coordinates are shown in (0 and 1 unless the window is tiny)."""

    label: str
    offset: float = 0.0
    unit: float = 1.0

    def __call__(self, coordinates: npt.ArrayLike) -> npt.NDArray[np.float64]:
        return (np.asarray(coordinates, dtype=np.float64) - self.offset) / self.unit


def axis_of(problem: Problem, i: int, side: Window) -> Axis:
    """The axis of one variable; close up, what all its marks share moves into the label."""
    low, high = side
    name, size = problem.names[i], max(abs(low), abs(high))
    power = math.floor(math.log10(high / 2 - low / 2))
    unit = 1.0 if -3 <= power <= 5 else 10.0**power
    offset, shown = 0.0, name
    if high - low < 2e-3 * size:
        digits = max(0, 1 - power)
        offset = round(low / 2 + high / 2, digits)
        shown = f"{name} {'-' if offset >= 0 else '+'} {abs(offset)!r}"
    if unit == 1.0:
        return Axis(shown, offset)
    return Axis(f"({shown}) / 1e{power}" if offset else f"{name} / 1e{power}", offset, unit)


def axes_of(data: Landscape) -> tuple[Axis, Axis]:
    first, second = (axis_of(data.problem, i, side) for i, side in zip(data.axes, data.window, strict=True))
    return first, second


def head_of(data: Data, title: str | None) -> list[str]:
    """The title, the usual one if none is given, and up to two lines below it."""
    return [title or title_of(data), *filter(None, (slice_of(data), note_of(data)))]


def title_of(data: Data) -> str:
    problem = data.problem
    name = problem.formula if problem.id == "user" else problem.id  # a formula that was given no name
    name = name if len(name) <= 48 else f"{name[:45]}..."
    size = f", n = {problem.dim}" if problem.scalable or problem.dim > 2 else ""
    rule = "" if problem.rule == "ieee" else f", rule {problem.rule}"
    return f"{name}{size}{rule}"


def note_of(data: Data) -> str:
    """One line on what is defined, and what is held fixed."""
    if isinstance(data, Cloud):
        how = f"{len(data.points):,} points reached by random walks" if data.walked else f"{len(data.points):,} points"
        return f"{how}; {percent(data.share)} of {data.draws:,} even draws admissible"
    parts = []
    if isinstance(data, Line) or data.sliced:
        values = data.y if isinstance(data, Line) else data.z
        parts.append(f"defined at {percent(float(np.mean(~np.isnan(values))))} of grid points")
        if count := int(data.thin.sum()):
            parts.append(f"{count:,} more cell{'s' if count > 1 else ''} with a thin part")
    elif len(data.others):
        parts.append("projected from random walks; blank: not reached")
    return "; ".join(parts)


def slice_of(data: Data) -> str:
    """Which coordinates are held fixed, in words; empty if none."""
    if isinstance(data, Cloud) or (isinstance(data, Landscape) and not data.sliced):
        return ""
    drawn = (data.axis,) if isinstance(data, Line) else data.axes
    fixed = [f"{data.problem.names[i]} = {data.at[i]:.4g}" for i in range(data.problem.dim) if i not in drawn]
    return ("slice at " + ", ".join(fixed[:4]) + (", ..." if len(fixed) > 4 else "")) if fixed else ""


def percent(share: float) -> str:
    if share in (0.0, 1.0) or 0.001 <= share <= 0.999:
        return f"{100 * share:.3g} %"
    return f"{100 * share:.2g} %"


def marks_of(data: Landscape) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Where to mark optima: those on the slice, and those that lie elsewhere in the other variables."""
    pairs = data.optima[:, list(data.axes)]
    on = data.on_slice if data.sliced else np.ones(len(pairs), dtype=bool)
    here = np.unique(pairs[on], axis=0)
    elsewhere = [p for p in np.unique(pairs[~on], axis=0) if not (here == p).all(axis=1).any()]
    return here, np.array(elsewhere).reshape(-1, 2)


def optima_on(data: Landscape) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The optima on the slice: their two coordinates, and all of them."""
    here, _ = marks_of(data)
    full = np.tile(np.asarray(data.at), (len(here), 1))
    full[:, list(data.axes)] = here
    return here, full


def optima_along(data: Line) -> npt.NDArray[np.float64]:
    """The optima that lie on a line, with all their coordinates."""
    others = [i for i in range(len(data.at)) if i != data.axis]
    on = (data.optima[:, others] == np.asarray(data.at)[others]).all(axis=1)
    return np.asarray(data.optima[on])


def defined_points(data: Landscape) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The points that have a value, in the grid and beside it, and their values."""
    row, column = np.nonzero(~np.isnan(data.z))
    points = np.concatenate([np.column_stack([data.x[column], data.y[row]]), data.scattered])
    return points, np.concatenate([data.z[row, column], data.scattered_values])


def surface_mesh(data: Landscape) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """What a surface can show: cells in a defined square of four, and the rest as points with their values."""
    defined = ~np.isnan(data.z)
    square = defined[:-1, :-1] & defined[1:, :-1] & defined[:-1, 1:] & defined[1:, 1:]
    meshed = np.zeros_like(defined)
    for rows in (slice(None, -1), slice(1, None)):
        for columns in (slice(None, -1), slice(1, None)):
            meshed[rows, columns] |= square
    row, column = np.nonzero(defined & ~meshed)
    lone = np.column_stack([data.x[column], data.y[row]])
    points = np.concatenate([lone, data.scattered])
    return meshed, points, np.concatenate([data.z[row, column], data.scattered_values])


def broken_line(data: Line) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The line, interrupted where the objective jumps."""
    after = np.flatnonzero(data.jump) + 1
    return np.insert(data.x, after, data.x[after]), np.insert(data.y, after, np.nan)


def lonely(y: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Values with undefined neighbours on both sides: no line runs through them."""
    blank = np.pad(np.isnan(y), 1, constant_values=True)
    alone: npt.NDArray[np.bool_] = ~blank[1:-1] & blank[:-2] & blank[2:]
    return alone
