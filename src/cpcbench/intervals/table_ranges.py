"""The range and the slope of a table over an interval of its variable, compiled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cpcbench.intervals.arithmetic import INF, Pair, down, multiplied, up
from cpcbench.intervals.compiled import compiled
from cpcbench.intervals.tables import Table
from cpcbench.points import Floats

# The arrays that hold the tables


def table_arrays(tables: Sequence[Table], axis: dict[int, int]) -> tuple[Any, ...]:
    """The tables behind one another, as `ops.Code` has them; the closing breakpoint has an empty cell of its own."""
    table_of = np.full(len(axis), -1, dtype=np.int64)
    for number, table in enumerate(tables):
        table_of[axis[table.variable]] = number
    first = np.cumsum([0, *(len(table.breaks) for table in tables)], dtype=np.int64)
    joined = np.array([table.joined for table in tables], dtype=np.bool_)
    breaks, base, least, most = (
        np.concatenate([np.zeros(0), *parts]) for parts in zip(*map(_columns, tables), strict=True)
    ) if tables else (np.zeros(0),) * 4  # fmt: skip
    values, slopes = (
        (_levels(base, base), _levels(least, most)) if joined.any() else (_levels(*(np.zeros(0),) * 2),) * 2
    )
    return table_of, first, joined, breaks, base, least, most, values, slopes


def _columns(table: Table) -> tuple[Floats, Floats, Floats, Floats]:
    """Breakpoints, values at them, and the ends of the slopes after them."""
    lines = np.array([*table.lines(), (0.0, 0.0)], dtype=np.float64)
    base, slope = lines.T.copy()
    if not table.joined:
        return np.array(table.breaks), base, slope, slope
    base[-1] = table.values[-1]
    room = 4.5e-16 * np.abs(slope) + 1e-320  # two subtractions and a quotient, each rounded
    return np.array(table.breaks), base, slope - room, slope + room


def _levels(least: Floats, most: Floats) -> Floats:
    """levels[0, k, j] is the least, levels[1, k, j] the most of the 2^k entries from j on."""
    levels = [np.stack([least, most])]
    while 2 ** len(levels) <= len(least):
        last, step = levels[-1], 2 ** (len(levels) - 1)
        following = np.concatenate([last[:, step:], last[:, -1:].repeat(step, axis=1)], axis=1)
        levels.append(np.stack([np.minimum(last[0], following[0]), np.maximum(last[1], following[1])]))
    return np.ascontiguousarray(np.stack(levels, axis=1))


# Ranges and slopes


@compiled
def _overlap(first_of: Any, breaks: Any, table: int, p: float, q: float) -> tuple[int, int]:
    """The first and the last cell that count for [p, q], as places in the arrays of all tables."""
    start, end = first_of[table], first_of[table + 1] - 2
    first = start + np.searchsorted(breaks[start : end + 1], p, side="right") - 1
    last = start + np.searchsorted(breaks[start : end + 1], q, side="left") - 1
    if first > start and p == q and breaks[first] == p:
        return first - 1, first
    return max(first, start), max(last, first, start)


@compiled
def jumps(code: Any, table: int, p: float, q: float) -> bool:
    """Whether the table has no slope over [p, q]: several cells count, and they need not be joined."""
    if code.joined[table]:
        return False
    first, last = _overlap(code.first, code.breaks, table, p, q)
    return bool(first != last)


@compiled
def _line(code: Any, cell: int, p: float, q: float) -> Pair:
    """The line of one cell over [p, q], a part of the closed cell."""
    left, right = down(p - code.breaks[cell]), up(q - code.breaks[cell])
    c, d = multiplied(max(left, 0.0), max(right, 0.0), code.slope[cell], code.slope_to[cell])
    return down(code.base[cell] + c), up(code.base[cell] + d)


@compiled
def _among(levels: Any, first: int, last: int) -> Pair:
    """The least and the most of some entries."""
    k, step = 0, 1
    while 2 * step <= last - first + 1:
        k, step = k + 1, 2 * step
    second = last - step + 1
    return min(levels[0, k, first], levels[0, k, second]), max(levels[1, k, first], levels[1, k, second])


@compiled
def table_range(code: Any, table: int, p: float, q: float) -> Pair:
    first, last = _overlap(code.first, code.breaks, table, p, q)
    low, high = _line(code, first, max(p, code.breaks[first]), min(q, code.breaks[first + 1]))
    if first == last:
        return low, high
    if code.joined[table]:
        c, d = _line(code, last, code.breaks[last], min(q, code.breaks[last + 1]))
        low, high = min(low, c), max(high, d)
        c, d = _among(code.levels, first + 1, last)
        return min(low, c), max(high, d)
    for j in range(first + 1, last + 1):
        c, d = _line(code, j, max(p, code.breaks[j]), min(q, code.breaks[j + 1]))
        low, high = min(low, c), max(high, d)
    return low, high


@compiled
def table_inside(code: Any, table: int, p: float, q: float, r: float, s: float) -> Pair:
    """The range over [r, s], a part of an interval [p, q] on which the table has a slope."""
    if code.joined[table]:
        return table_range(code, table, r, s)
    first, _ = _overlap(code.first, code.breaks, table, p, q)
    return _line(code, first, r, s)


@compiled
def table_slope(code: Any, table: int, p: float, q: float) -> Pair:
    """The slopes over [p, q], an interval on which the table has some."""
    first, last = _overlap(code.first, code.breaks, table, p, q)
    if first == last:
        return code.slope[first], code.slope_to[first]
    return _among(code.slope_levels, first, last)


@compiled
def middle_break(code: Any, axis: int, p: float, q: float) -> int:
    """The number of the breakpoint strictly inside ]p, q[ that is nearest to the middle; -1 if there is none."""
    table = code.table_of[axis]
    if table < 0:
        return -1
    start, end = code.first[table], code.first[table + 1] - 1
    middle = 0.5 * (p + q)
    best, distance = -1, INF
    first = int(np.searchsorted(code.breaks[start : end + 1], middle))
    for j in range(max(first - 1, 0), min(first + 2, end - start + 1)):
        t = code.breaks[start + j]
        if p < t < q and abs(t - middle) < distance:
            best, distance = j, abs(t - middle)
    return best
