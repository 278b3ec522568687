"""Charts as SVG elements: drawn once, coloured by the page's style, readable without a script and on paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from cpcbench.report.figures.scales import tick_text
from cpcbench.report.page import markup
from cpcbench.report.study.charts import Box, Boxes, Chart, Series, decades

WIDTH, HEIGHT = 520, 330
LEFT, RIGHT, TOP, BOTTOM = 68, 20, 12, 46
COLOURS, DASHES = 7, ("", "7 4", "2 3", "9 3 2 3")
"""As many colours as the style has; when they begin again the dash changes."""

Place = Callable[[float], float]


def looks(place: int) -> tuple[str, str]:
    """The class of a solver's colour, and its dash."""
    return f"c{place % COLOURS}", DASHES[place // COLOURS % len(DASHES)]


def chart(data: Chart) -> str:
    """Lines with their bands, in a frame with round marks; the names are a list below."""
    (left, right), (low, high) = data.window
    across = _logarithmic(left, right, LEFT, WIDTH - RIGHT)
    up = (_logarithmic if data.log_y else _linear)(low, high, HEIGHT - BOTTOM, TOP)
    marks = decades(low, high) if data.log_y else _round(low, high)
    parts = [
        _frame(across, up, decades(left, right), marks, data.x, data.y),
        *(_band(s, across, up) for s in data.series),
        *(_line(s, across, up, steps=not data.log_y) for s in data.series),
    ]
    return figure(data.title, data.note, "".join(parts), [(s.name, s.place) for s in data.series])


def boxes(data: Boxes) -> str:
    """One box a solver: quartiles, the whole range, and each run as a dot; what has no value is counted below."""
    low, high = data.window
    up = _logarithmic(low, high, HEIGHT - BOTTOM, TOP)
    step = (WIDTH - RIGHT - LEFT) / max(1, len(data.boxes))
    parts = [_frame(None, up, [], decades(low, high), "", data.y)]
    for i, box in enumerate(data.boxes):
        parts.append(_box(box, LEFT + step * (i + 0.5), min(36.0, 0.6 * step), up))
    names = [(f"{box.name}{_missing(box)}", box.place) for box in data.boxes]
    return figure(data.title, data.note, "".join(parts), names)


def figure(title: str, note: str, inner: str, names: Sequence[tuple[str, int]]) -> str:
    """The picture with its title above, the names of its lines and its note below."""
    legend = "".join(
        f'<li data-series="{place}"><button type="button" aria-pressed="false">{swatch(place)}{markup.text(name)}'
        "</button></li>"
        for name, place in names
    )
    return (
        f'<figure class="chart"><figcaption>{markup.text(title)}</figcaption>'
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{markup.text(title)}">{inner}</svg>'
        f'<ul class="legend">{legend}</ul>'
        + (f'<p class="notes">{markup.text(note)}</p>' if note else "")
        + "</figure>"
    )


def swatch(place: int) -> str:
    colour, dash = looks(place)
    return (
        f'<svg class="swatch {colour}" viewBox="0 0 26 8" aria-hidden="true">'
        f'<path d="M0 4H26" stroke-dasharray="{dash}"/></svg>'
    )


def _missing(box: Box) -> str:
    words = [f"{box.nothing} with nothing"] if box.nothing else []
    words += [f"{box.apart} apart"] if box.apart else []
    return f" ({', '.join(words)})" if words else ""


def _logarithmic(low: float, high: float, start: float, end: float) -> Place:
    width = math.log(high / low)
    return lambda value: start + (end - start) * math.log(min(max(value, low), high) / low) / width


def _linear(low: float, high: float, start: float, end: float) -> Place:
    return lambda value: start + (end - start) * (value - low) / (high - low)


def _round(low: float, high: float) -> list[float]:
    raw = (high - low) / 5
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(size * m for m in (1.0, 2.0, 5.0, 10.0) if size * m >= raw * 0.999)
    return [round(low + k * step, 12) for k in range(int((high - low) / step + 1e-9) + 1)]


def _frame(
    across: Place | None, up: Place, marks_x: Iterable[float], marks_y: Iterable[float], name_x: str, name_y: str
) -> str:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    grid, words = [], []
    for value in marks_y:
        y = up(value)
        grid.append(f"M{LEFT} {y:.1f}H{right}")
        words.append(f'<text x="{LEFT - 7}" y="{y + 4:.1f}" class="end">{tick_text(value)}</text>')
    if across is not None:
        for value in marks_x:
            x = across(value)
            grid.append(f"M{x:.1f} {TOP}V{bottom}")
            words.append(f'<text x="{x:.1f}" y="{bottom + 17}" class="middle">{tick_text(value)}</text>')
    middle = (TOP + bottom) / 2
    return (
        f'<path class="grid" d="{"".join(grid)}"/><path class="axis" d="M{LEFT} {TOP}V{bottom}H{right}"/>'
        f"{''.join(words)}"
        f'<text x="{(LEFT + right) / 2:.0f}" y="{HEIGHT - 6}" class="middle name">{markup.text(name_x)}</text>'
        f'<text transform="translate(13 {middle:.0f}) rotate(-90)" class="middle name">{markup.text(name_y)}</text>'
    )


def _line(series: Series, across: Place, up: Place, steps: bool) -> str:
    colour, dash = looks(series.place)
    points = [(across(x), up(y)) for x, y in zip(series.x.tolist(), series.y.tolist(), strict=True)]
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    path += "".join(f"H{x:.1f}V{y:.1f}" if steps else f"L{x:.1f} {y:.1f}" for x, y in points[1:])
    if len(points) == 1:
        path += "h3"
    last = f"{series.name}: {tick_text(float(f'{series.y[-1]:.3g}'))} at {tick_text(float(f'{series.x[-1]:.3g}'))}"
    return (
        f'<path class="line {colour}" data-series="{series.place}" d="{path}" stroke-dasharray="{dash}">'
        f"<title>{markup.text(last)}</title></path>"
    )


def _band(series: Series, across: Place, up: Place) -> str:
    if series.low is None or series.high is None:
        return ""
    top = np.where(np.isfinite(series.high), series.high, 1e300)
    x = [across(v) for v in series.x.tolist()]
    there = [f"{a:.1f} {up(v):.1f}" for a, v in zip(x, series.low.tolist(), strict=True)]
    back = [f"{a:.1f} {up(v):.1f}" for a, v in zip(reversed(x), reversed(top.tolist()), strict=True)]
    colour, _ = looks(series.place)
    return f'<path class="band {colour}" data-series="{series.place}" d="M{"L".join([*there, *back])}Z"/>'


def _box(box: Box, x: float, width: float, up: Place) -> str:
    colour, _ = looks(box.place)
    if not len(box.values):
        return f'<text x="{x:.1f}" y="{TOP + 14}" class="middle {colour}">none</text>'
    low, first, middle, third, high = map(up, box.five)
    left, right = x - width / 2, x + width / 2
    dots = "".join(f'<circle cx="{x:.1f}" cy="{up(v):.1f}" r="2.2"/>' for v in _thinned(box.values))
    title = f"{box.name}: median {tick_text(float(f'{box.five[2]:.3g}'))} of {len(box.values)} runs{_missing(box)}"
    return (
        f'<g class="box {colour}" data-series="{box.place}"><title>{markup.text(title)}</title>'
        f'<path d="M{x:.1f} {low:.1f}V{first:.1f}M{x:.1f} {third:.1f}V{high:.1f}M{left:.1f} {middle:.1f}H{right:.1f}"/>'
        f'<rect x="{left:.1f}" y="{third:.1f}" width="{width:.1f}" height="{max(0.5, first - third):.1f}"/>{dots}</g>'
    )


def _thinned(values: np.ndarray[tuple[int], np.dtype[np.float64]], most: int = 40) -> list[float]:
    """All values, or as many evenly from the lowest to the highest."""
    if len(values) <= most:
        return [float(v) for v in values]
    return [float(v) for v in values[np.linspace(0, len(values) - 1, most).astype(int)]]
