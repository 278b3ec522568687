"""Figures by Matplotlib: images for papers and pages, without its global state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cpcbench.report.figures import words
from cpcbench.report.figures.libraries import library
from cpcbench.report.figures.scales import Scale
from cpcbench.report.figures.words import BLANK, COLOURS, HATCH, POINT, QUIET, STAR, Axis, Data, Panel, axes_of, axis_of
from cpcbench.studies.landscape.clouds import Cloud
from cpcbench.studies.landscape.grids import Landscape
from cpcbench.studies.landscape.lines import Line

FEW = 150
"""Thin cells, up to which each is drawn larger than it is so that it is seen."""

STYLE: dict[str, Any] = {
    "font.size": 10.0,
    "font.family": "DejaVu Sans",
    "axes.titlesize": 11.5,
    "axes.titleweight": "bold",
    "axes.labelsize": 10.5,
    "axes.spines.top": True,
    "hatch.linewidth": 0.6,
    "hatch.color": HATCH,
    "svg.hashsalt": "cpcbench",
    "image.resample": False,
}


def draw_panels(panels: Sequence[Panel], titles: Sequence[str | None]) -> Any:
    """One Matplotlib figure, a panel for each of the data, side by side."""
    matplotlib = library("matplotlib")
    figures = library("matplotlib.figure")
    library("matplotlib.backends.backend_agg")
    rows, columns, solid = words.layout(panels)
    with matplotlib.rc_context(STYLE):
        figure = figures.Figure(figsize=(5.6 * columns, 4.9 * rows), layout="constrained")
        for place, ((data, kind, shown), title) in enumerate(zip(panels, titles, strict=True)):
            axes = figure.add_subplot(rows, columns, place + 1, projection="3d" if solid[place] else None)
            _PANELS[type(data)](figure, axes, data, kind, shown)
            _words(axes, data, title, solid[place])
    return figure


def draw_curves(curves: Sequence[Any], xlabel: str, ylabel: str, log_x: bool, title: str) -> Any:
    matplotlib, figures = library("matplotlib"), library("matplotlib.figure")
    with matplotlib.rc_context(STYLE):
        figure = figures.Figure(figsize=(7.2, 4.6), layout="constrained")
        axes = figure.add_subplot()
        for curve, (colour, dash) in zip(curves, words.looks(("solid", "dashed", "dotted", "dashdot")), strict=False):
            x, y = np.asarray(curve.x), np.asarray(curve.y)
            name = curve.name.replace("$", r"\$")
            axes.step(x, y, where="post", label=name, color=colour, linestyle=dash, linewidth=1.7)
        axes.set_xscale("log" if log_x else "linear")
        axes.set(xlabel=xlabel, ylabel=ylabel)
        axes.set_title(title, loc="left")
        axes.grid(color=HATCH, linewidth=0.6)
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=9)
    return figure


def _words(axes: Any, data: Data, title: str | None, solid: bool) -> None:
    head, *lines = map(_plain, words.head_of(data, title))
    note = {"transform": axes.transAxes, "ha": "left", "fontsize": 8.5, "color": QUIET}
    if solid:  # the corner above the box is free
        axes.text2D(0.0, 1.0, head, transform=axes.transAxes, va="top", fontsize=11.5, weight="bold")
        axes.text2D(0.0, 0.945, "\n".join(lines), va="top", **note)
    else:
        axes.set_title(head, loc="left", pad=4 + 12.5 * len(lines))
        axes.text(0.0, 1.01, "\n".join(lines), va="bottom", **note)


def _landscape(figure: Any, axes: Any, data: Landscape, kind: str, shown: Scale) -> None:
    across, up = axes_of(data)
    if kind == "surface":
        picture = _surface(axes, data, shown, across, up)
    else:
        _blank(axes)
        picture = {"heat": _heat, "contour": _contour, "scatter": _dots}[kind](axes, data, shown, across, up)
        axes.set_xlim(*across(data.window[0]))
        axes.set_ylim(*up(data.window[1]))
        _marks(axes, data, across, up)
        _legend(axes, data)
    axes.set_xlabel(_name(across))
    axes.set_ylabel(_name(up))
    if picture is not None:
        _colour_bar(figure, axes, picture, shown, data.what, solid=kind == "surface")


def _heat(axes: Any, data: Landscape, shown: Scale, across: Axis, up: Axis) -> Any:
    extent = (*across(data.window[0]), *up(data.window[1]))
    image = np.ma.masked_invalid(data.filled)
    picture = axes.imshow(
        image, origin="lower", extent=extent, aspect="auto", interpolation="none", cmap=COLOURS, norm=_norm(shown)
    )
    if 0 < np.count_nonzero(~np.isnan(data.filled)) <= FEW:
        _dots(axes, data, shown, across, up, size=18)
    return picture


def _dots(axes: Any, data: Landscape, shown: Scale, across: Axis, up: Axis, size: float = 4) -> Any:
    points, values = words.defined_points(data)
    look = {"edgecolors": "white", "linewidths": 0.4, "zorder": 6} if size > 10 else {"linewidths": 0.0}
    return axes.scatter(
        across(points[:, 0]), up(points[:, 1]), c=values, s=size, cmap=COLOURS, norm=_norm(shown), **look
    )


def _contour(axes: Any, data: Landscape, shown: Scale, across: Axis, up: Axis) -> Any:
    """Lines of equal value over the heat map: where the domain is one cell wide there is no room for lines."""
    picture = _heat(axes, data, shown, across, up)
    if words.surface_mesh(data)[0].any():
        levels = shown.inverse(np.linspace(shown(shown.low), shown(shown.high), 18))[1:-1]
        cells = np.ma.masked_invalid(data.z)
        axes.contour(across(data.x), up(data.y), cells, levels=levels, colors="white", linewidths=0.5, alpha=0.8)
    return picture


def _surface(axes: Any, data: Landscape, shown: Scale, across: Axis, up: Axis) -> Any:
    meshed, points, values = words.surface_mesh(data)
    norm = library("matplotlib.colors").Normalize(*shown([shown.low, shown.high]))
    look: dict[str, Any] = {"cmap": COLOURS, "norm": norm, "rasterized": True}
    picture = None
    if meshed.any():
        x, y = np.meshgrid(across(data.x), up(data.y))
        heights = np.where(meshed, shown(data.z), np.nan)
        picture = axes.plot_surface(x, y, heights, rstride=1, cstride=1, linewidth=0, antialiased=False, **look)
    if len(points):
        size = 14 if len(points) <= FEW else 3
        heights = shown(values)
        dots = axes.scatter(
            across(points[:, 0]), up(points[:, 1]), heights, c=heights, s=size, linewidths=0, depthshade=False, **look
        )
        picture = picture or dots
    here, full = words.optima_on(data)
    axes.plot(
        across(here[:, 0]), up(here[:, 1]), shown(data.problem(full)), "*", zorder=1e6, label=data.optima_are, **_star()
    )
    if len(here):
        axes.legend(loc="lower left", frameon=False, fontsize=9)
    axes.set(xlim=across(data.window[0]), ylim=up(data.window[1]), zlim=shown([shown.low, shown.high]))
    axes.set_zticks(*shown.marks)
    axes.view_init(elev=32, azim=-58)
    axes.set_box_aspect((1, 1, 0.72), zoom=0.92)
    axes.tick_params(labelsize=8.5)
    return picture


def _line(_figure: Any, axes: Any, data: Line, _kind: str, shown: Scale) -> None:
    _blank(axes)
    across = axis_of(data.problem, data.axis, data.window)
    x, y = words.broken_line(data)
    axes.plot(across(x), shown(y), color=POINT, linewidth=1.8, solid_capstyle="butt")
    alone = words.lonely(y)
    axes.plot(across(x[alone]), shown(y[alone]), "o", color=POINT, markersize=4)
    axes.plot(across(data.scattered), shown(data.scattered_values), ".", color=POINT, markersize=3)
    for point in words.optima_along(data):
        axes.plot(across(point[data.axis]), shown(data.problem(point)), "*", **_star())
    if not np.isnan(data.y).any():
        axes.patch.set(hatch=None, facecolor="white")
    if shown.kind != "linear":
        axes.set_yticks(*shown.marks)
    axes.set_xlim(*across(data.window))
    axes.margins(y=0.08)
    axes.grid(color=HATCH, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(_name(across))
    axes.set_ylabel(shown.named("f"))


def _cloud(figure: Any, axes: Any, data: Cloud, kind: str, shown: Scale) -> None:
    columns = [data.points[:, i] for i in data.axes]
    names = [axis_of(data.problem, i, (float(data.problem.lower[i]), float(data.problem.upper[i]))) for i in data.axes]
    bounds = [(data.problem.lower[i], data.problem.upper[i]) for i in data.axes]
    look: dict[str, Any] = {"linewidths": 0, "rasterized": True}
    look |= {"color": POINT} if kind == "points" else {"c": data.values, "cmap": COLOURS, "norm": _norm(shown)}
    axes.set(xlabel=_name(names[0]), ylabel=_name(names[1]), xlim=bounds[0], ylim=bounds[1])
    if len(columns) == 3:
        picture = axes.scatter(*columns, s=4, depthshade=False, **look)
        axes.set(zlabel=_name(names[2]), zlim=bounds[2])
        axes.set_box_aspect((1, 1, 0.85), zoom=0.9)
    else:
        _blank(axes)
        picture = axes.scatter(*columns, s=2.5, **look)
    if kind == "scatter":
        _colour_bar(figure, axes, picture, shown, "f", solid=len(columns) == 3)


_PANELS: dict[type, Any] = {Landscape: _landscape, Line: _line, Cloud: _cloud}


def _norm(shown: Scale) -> Any:
    colours = library("matplotlib.colors")
    if shown.kind == "linear":
        return colours.Normalize(shown.low, shown.high)
    return colours.FuncNorm((shown.forward, shown.inverse), vmin=shown.low, vmax=shown.high)


def _colour_bar(figure: Any, axes: Any, picture: Any, shown: Scale, what: str, solid: bool) -> None:
    extend = {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}
    bar = figure.colorbar(
        picture,
        ax=axes,
        extend=extend[shown.cut_low, shown.cut_high],
        shrink=0.7 if solid else 1.0,
        pad=0.09 if solid else 0.03,
    )
    heights, texts = shown.marks
    bar.set_ticks(heights if solid and picture.norm.vmax != shown.high else shown.ticks(), labels=texts)
    bar.minorticks_off()
    bar.set_label(shown.named(what))
    bar.outline.set_visible(False)


def _blank(axes: Any) -> None:
    """The paper that shows where the objective is undefined."""
    axes.patch.set(facecolor=BLANK, edgecolor=HATCH, hatch="////", linewidth=0)


def _star(hollow: bool = False) -> dict[str, Any]:
    face = "none" if hollow else STAR
    return {
        "markersize": 15,
        "markerfacecolor": face,
        "markeredgecolor": STAR if hollow else "white",
        "linestyle": "none",
    }


def _marks(axes: Any, data: Landscape, across: Axis, up: Axis) -> None:
    here, elsewhere = words.marks_of(data)
    for points, hollow in ((here, False), (elsewhere, True)):
        if len(points):
            axes.plot(across(points[:, 0]), up(points[:, 1]), "*", clip_on=False, zorder=5, **_star(hollow))


def _legend(axes: Any, data: Landscape) -> None:
    patches, lines = library("matplotlib.patches"), library("matplotlib.lines")
    here, elsewhere = words.marks_of(data)
    entries = []
    if np.isnan(data.filled).any():
        text = "undefined" if data.sliced else "not reached"
        entries.append(patches.Patch(facecolor=BLANK, edgecolor="#b0b0b0", hatch="////", label=text))
    if len(here):
        entries.append(lines.Line2D([], [], marker="*", label=data.optima_are, **_star()))
    if len(elsewhere):
        entries.append(
            lines.Line2D([], [], marker="*", label=f"{data.optima_are}, off the slice", **_star(hollow=True))
        )
    if entries:
        axes.legend(
            handles=entries, loc="upper left", bbox_to_anchor=(0.0, -0.13), ncols=3, frameon=False, fontsize=9,
            borderpad=0, handletextpad=0.5, columnspacing=1.4,
        )  # fmt: skip


def _plain(text: str) -> str:
    """Text that Matplotlib does not read as mathematics."""
    return text.replace("$", r"\$")


def _name(axis: Axis) -> str:
    return _plain(axis.label)
