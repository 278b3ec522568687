"""Figures by Plotly: to turn, zoom and point at on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from cpcbench.points import Floats
from cpcbench.report.figures import words
from cpcbench.report.figures.libraries import library
from cpcbench.report.figures.scales import Scale
from cpcbench.report.figures.words import BLANK, COLOURS, HATCH, POINT, STAR, Axis, Data, Panel, axes_of
from cpcbench.studies.landscape.clouds import Cloud
from cpcbench.studies.landscape.grids import Landscape
from cpcbench.studies.landscape.lines import Line

SIDE = 620
HOVER = "%{x:.6g}, %{y:.6g}<br>f = %{customdata:.10g}<extra></extra>"


def draw_panels(panels: Sequence[Panel], titles: Sequence[str | None]) -> Any:
    """One Plotly figure, a panel for each of the data, side by side."""
    subplots = library("plotly.subplots")
    rows, columns, solid = words.layout(panels)
    types = [{"type": "scene" if flag else "xy"} for flag in solid] + [None] * (rows * columns - len(panels))
    heads = [_head(data, title) for (data, _, _), title in zip(panels, titles, strict=True)]
    figure = subplots.make_subplots(
        rows,
        columns,
        horizontal_spacing=0.12,
        vertical_spacing=0.16,
        subplot_titles=heads,
        specs=[types[r * columns : (r + 1) * columns] for r in range(rows)],
    )
    figure.update_layout(height=SIDE * rows, paper_bgcolor="white", plot_bgcolor=BLANK, meta={"columns": columns})
    figure.update_layout(legend={"orientation": "h", "y": -0.09}, margin={"t": 90, "l": 60, "r": 20}, font={"size": 13})
    for place, (data, kind, shown) in enumerate(panels):
        row, column = place // columns + 1, place % columns + 1
        domain = next(
            figure.select_scenes(row=row, col=column) if solid[place] else figure.select_xaxes(row=row, col=column)
        )
        bar = _bar_place(figure, domain, row, column, solid[place])
        for trace in _TRACES[type(data)](data, kind, shown, bar):
            trace.showlegend = bool(trace.name) and place == 0
            figure.add_trace(trace, row=row, col=column)
        _axes(figure, data, shown, {"row": row, "col": column}, solid=solid[place])
    return figure


def draw_curves(curves: Sequence[Any], xlabel: str, ylabel: str, log_x: bool, title: str) -> Any:
    go = library("plotly.graph_objects")
    figure = go.Figure()
    for curve, (colour, dash) in zip(curves, words.looks(("solid", "dash", "dot", "dashdot")), strict=False):
        line = {"color": colour, "dash": dash, "shape": "hv", "width": 2}
        figure.add_trace(
            go.Scatter(x=np.asarray(curve.x), y=np.asarray(curve.y), name=curve.name, mode="lines", line=line)
        )
    figure.update_layout(title=title, plot_bgcolor="white", paper_bgcolor="white", hovermode="x unified")
    figure.update_xaxes(title=xlabel, type="log" if log_x else "linear", gridcolor=HATCH, linecolor="#888888")
    figure.update_yaxes(title=ylabel, gridcolor=HATCH, linecolor="#888888")
    return figure


def _head(data: Data, title: str | None) -> str:
    lines = [text for text in (words.slice_of(data), words.note_of(data)) if text]
    small = "".join(f'<br><span style="font-size:11px">{escape(line, quote=False)}</span>' for line in lines)
    return f"<b>{escape(title or words.title_of(data), quote=False)}</b>{small}"


def _bar_place(figure: Any, domain: Any, row: int, column: int, solid: bool) -> dict[str, Any]:
    """Where the colour bar of a panel goes: to its right, as high as it is."""
    across = domain.domain.x if solid else domain.domain
    up = domain.domain.y if solid else next(figure.select_yaxes(row=row, col=column)).domain
    return {"x": across[1] + 0.005, "y": (up[0] + up[1]) / 2, "len": (up[1] - up[0]) * 0.9, "thickness": 14}


def _colours(shown: Scale, what: str, bar: dict[str, Any]) -> dict[str, Any]:
    low, high = shown([shown.low, shown.high]).tolist()
    title = {"text": shown.named(what), "side": "right"}
    return {"colorscale": COLOURS, "cmin": low, "cmax": high, "colorbar": {**bar, **_marks(shown), "title": title}}


def _marks(shown: Scale) -> dict[str, Any]:
    heights, texts = shown.marks
    return {"tickvals": heights, "ticktext": texts}


def _landscape(data: Landscape, kind: str, shown: Scale, bar: dict[str, Any]) -> list[Any]:
    go = library("plotly.graph_objects")
    across, up = axes_of(data)
    if kind == "surface":
        return _surface(go, data, shown, across, up, bar)
    colours = _colours(shown, data.what, bar)
    if kind == "scatter":
        points, values = words.defined_points(data)
        traces = [_dots(go, across(points[:, 0]), up(points[:, 1]), values, shown, colours, size=3)]
    else:
        flat = {"zmin": colours.pop("cmin"), "zmax": colours.pop("cmax"), **colours}
        cells = {"x": across(data.x), "y": up(data.y), "z": shown(data.filled), "customdata": data.filled}
        trace = go.Heatmap if kind == "heat" else go.Contour
        extra = {} if kind == "heat" else {"connectgaps": False, "ncontours": 18}
        traces = [trace(**cells, **flat, **extra, hovertemplate=HOVER, hoverongaps=False)]
    here, elsewhere = words.marks_of(data)
    traces += [_star(go, across(p[:, 0]), up(p[:, 1]), name, hollow) for p, name, hollow in (
        (here, data.optima_are, False), (elsewhere, f"{data.optima_are}, off the slice", True)
    ) if len(p)]  # fmt: skip
    if np.isnan(data.filled).any():
        square = {"symbol": "square", "color": BLANK, "size": 12, "line": {"color": "#b0b0b0", "width": 1}}
        name = "undefined" if data.sliced else "not reached"
        traces.append(go.Scatter(x=[None], y=[None], mode="markers", marker=square, name=name))
    return traces


def _surface(go: Any, data: Landscape, shown: Scale, across: Axis, up: Axis, bar: dict[str, Any]) -> list[Any]:
    meshed, points, values = words.surface_mesh(data)
    colours = _colours(shown, data.what, bar)
    heights = np.where(meshed, shown(data.z), np.nan)
    cells = {"x": across(data.x), "y": up(data.y), "z": heights, "customdata": data.z}
    traces = [go.Surface(**cells, connectgaps=False, hovertemplate=HOVER, **colours)]
    if len(points):
        where = {"x": across(points[:, 0]), "y": up(points[:, 1]), "z": shown(values)}
        marker = {"size": 2, "color": shown(values), **{k: v for k, v in colours.items() if k != "colorbar"}}
        traces.append(go.Scatter3d(**where, mode="markers", marker=marker, customdata=values, hovertemplate=HOVER))
    here, full = words.optima_on(data)
    if len(here):
        top = float(shown(shown.high))
        marker = {"symbol": "diamond", "size": 6, "color": STAR, "line": {"color": "white", "width": 1}}
        look = {"mode": "lines+markers", "marker": marker, "line": {"color": STAR, "width": 3}}
        for (x, y), z in zip(here.tolist(), shown(data.problem(full)).tolist(), strict=True):
            needle = {"x": [float(across(x))] * 2, "y": [float(up(y))] * 2, "z": [z, top]}  # seen from every side
            traces.append(go.Scatter3d(**needle, **look, name=data.optima_are))
    return traces


def _line(data: Line, _kind: str, shown: Scale, _bar: dict[str, Any]) -> list[Any]:
    go = library("plotly.graph_objects")
    x, y = words.broken_line(data)
    traces = [go.Scatter(x=x, y=shown(y), mode="lines", line={"color": POINT, "width": 2}, connectgaps=False)]
    alone = words.lonely(y)
    dots = np.concatenate([x[alone], data.scattered]), np.concatenate([y[alone], data.scattered_values])
    if dots[0].size:
        traces.append(go.Scatter(x=dots[0], y=shown(dots[1]), mode="markers", marker={"color": POINT, "size": 4}))
    best = words.optima_along(data)
    if len(best):
        traces.append(_star(go, best[:, data.axis], shown(data.problem(best)), "best known", hollow=False))
    return traces


def _cloud(data: Cloud, kind: str, shown: Scale, bar: dict[str, Any]) -> list[Any]:
    go = library("plotly.graph_objects")
    columns = [data.points[:, i] for i in data.axes]
    colours = _colours(shown, "f", bar)
    if kind == "points":  # one colour for all of them
        colours = {"colorscale": [[0.0, POINT], [1.0, POINT]], "showscale": False}
    if len(columns) == 2:
        return [_dots(go, columns[0], columns[1], data.values, shown, colours, size=3)]
    marker = {"size": 2, "color": shown(data.values), **colours}
    x, y, z = columns
    hover = "%{x:.6g}, %{y:.6g}, %{z:.6g}<br>f = %{customdata:.10g}<extra></extra>"
    return [go.Scatter3d(x=x, y=y, z=z, mode="markers", marker=marker, customdata=data.values, hovertemplate=hover)]


_TRACES: dict[type, Any] = {Landscape: _landscape, Line: _line, Cloud: _cloud}


def _dots(go: Any, x: Floats, y: Floats, values: Floats, shown: Scale, colours: dict[str, Any], size: float) -> Any:
    marker = {"size": size, "color": shown(values), **colours}
    return go.Scattergl(x=x, y=y, mode="markers", marker=marker, customdata=values, hovertemplate=HOVER)


def _star(go: Any, x: Floats, y: Floats, name: str, hollow: bool) -> Any:
    symbol = "star-open" if hollow else "star"
    marker = {"symbol": symbol, "size": 15, "color": STAR, "line": {"color": STAR if hollow else "white", "width": 1}}
    return go.Scatter(x=x, y=y, mode="markers", marker=marker, name=name)


def _axes(figure: Any, data: Data, shown: Scale, place: dict[str, int], *, solid: bool) -> None:
    if isinstance(data, Line):
        figure.update_xaxes(
            title=data.problem.names[data.axis], range=list(data.window), **place, gridcolor=HATCH, zeroline=False
        )
        figure.update_yaxes(title=shown.named("f"), **place, gridcolor=HATCH, zeroline=False, **_marks(shown))
        return
    names = (
        [a.label for a in axes_of(data)] if isinstance(data, Landscape) else [data.problem.names[i] for i in data.axes]
    )
    if solid:
        titles: dict[str, Any] = {
            f"{axis}axis": {"title": {"text": name}} for axis, name in zip("xyz", names, strict=False)
        }
        if isinstance(data, Landscape):
            titles["zaxis"] = {"title": {"text": data.what}, **_marks(shown)}
        view = {"aspectmode": "cube", "camera": {"eye": {"x": -1.25, "y": -1.75, "z": 1.05}}}
        figure.update_scenes({**titles, **view}, **place)
        return
    sides = [a(side) for a, side in zip(axes_of(data), data.window, strict=True)] if isinstance(data, Landscape) else [
        [data.problem.lower[i], data.problem.upper[i]] for i in data.axes
    ]  # fmt: skip
    figure.update_xaxes(title=names[0], range=list(sides[0]), showgrid=False, zeroline=False, **place)
    figure.update_yaxes(title=names[1], range=list(sides[1]), showgrid=False, zeroline=False, **place)
