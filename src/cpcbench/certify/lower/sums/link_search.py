"""The least of a cost and a link over one end of the link, compiled: many points, then ever closer to the lowest."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import types

from cpcbench.intervals.arithmetic import INF
from cpcbench.intervals.compiled import compiled, entry

STARTS, LOOKS, SHRINKS = 3, 8, 19
"""The lowest valleys looked into, with so many points at a time, so many times: to 1e-12 of the first width."""
HALVINGS, FIRST_HALVINGS = 45, 12
"""How often the interval with an edge of the domain is halved; after the first ones only the lowest edges are."""
MOST = 16
"""Starts of one row: those given, of valleys and of edges."""
PROBES = 10
"""Distances on each side of a start at which it is looked for a narrow piece of the domain, each a quarter as far."""
KEPT = 4
"""The lowest places of a row that are told."""
SPREAD = 1e-15
"""Where the points looked at differ by less than this, relatively, there is nothing more to find."""

FINEST = 2e-14
"""Of the range: closer together, points differ by rounding only, and the luckiest of them would be taken."""


@cache
def search() -> Any:
    """`search(kernel, ahead, nodes, costs, columns, own, known, column_of, row_of, at, starts, places, values)`.

    `kernel(pairs, out)` gives the link at pairs of values. `nodes` and `costs` are those of the other end, straight
    lines in between; `columns` and `own` the points of it to look at and their costs. `known` has values of the link:
    `row_of` says in which of its rows those of a point `at` are, `column_of` in which of its columns (-1: nowhere).
    Each row of `starts` has guesses (NaN: none). `places` and `values` get, row by row, the lowest places found and the
    sums there.
    """
    row, rows = types.Array(types.float64, 1, "C"), types.Array(types.float64, 2, "C")
    whole = types.Array(types.int64, 1, "C")
    known = types.Array(types.float32, 2, "C")
    kernel = types.FunctionType(types.float64(row, row))
    made: Any = entry(_search)
    made.compile(types.void(kernel, types.boolean, row, row, row, row, known, whole, whole, row, rows, rows, rows))
    made.disable_compile()
    return made


def _search(
    kernel: Any, ahead: bool, nodes: Any, costs: Any, columns: Any, own: Any, known: Any,
    column_of: Any, row_of: Any, at: Any, starts: Any, places: Any, values: Any,
) -> None:  # fmt: skip
    room = max(len(columns), MOST * LOOKS)
    pairs, out = np.empty(2 * room), np.empty(room)
    inner, outer, size = np.empty(len(columns)), np.empty(len(columns)), np.empty(len(columns))
    x, width, value, probes = np.empty(MOST), np.empty(MOST), np.empty(MOST), np.empty(2 * PROBES)
    for r in range(len(at)):
        count = 0
        for g in range(starts.shape[1]):
            if not np.isnan(starts[r, g]) and count < MOST - 2 * STARTS:
                count = _start(columns, starts[r, g], x, width, count)
        _evaluate(kernel, ahead, nodes, costs, x, at[r], count, pairs, out)
        for c in range(count):
            value[c] = out[c]
        for c in range(count):
            _probe(kernel, ahead, nodes, costs, at[r], x, width, value, c, pairs, out, probes)
        _scan(kernel, ahead, columns, own, known, column_of, row_of[r], at[r], inner, pairs, out)
        edges = _edges(columns, out, inner, outer)
        count = _valleys(columns, out, x, width, value, count)
        count = _edge_starts(
            kernel, ahead, nodes, costs, at[r], inner, outer, size, edges, pairs, out, x, width, value, count
        )
        _settle(kernel, ahead, nodes, costs, at[r], x, width, value, count, pairs, out)
        _tell(x, value, count, places[r], values[r])


@compiled
def _cost(nodes: Any, costs: Any, x: float) -> float:
    """Straight lines between the nodes; inf in a cell with an end at which the cost is."""
    if len(nodes) == 1:
        return float(costs[0])
    j = min(max(int(np.searchsorted(nodes, x, side="right")) - 1, 0), len(nodes) - 2)
    a, b = costs[j], costs[j + 1]
    if x <= nodes[j]:
        return float(a)
    if x >= nodes[j + 1]:
        return float(b)
    if not (np.isfinite(a) and np.isfinite(b)):
        return INF
    return float(a + (b - a) * ((x - nodes[j]) / (nodes[j + 1] - nodes[j])))


@compiled
def _place(ahead: bool, x: Any, at: float, count: int, pairs: Any) -> None:
    side = 0 if ahead else 1
    for c in range(count):
        pairs[2 * c + side], pairs[2 * c + 1 - side] = x[c], at


@compiled
def _evaluate(
    kernel: Any, ahead: bool, nodes: Any, costs: Any, x: Any, at: float, count: int, pairs: Any, out: Any
) -> None:
    """Cost plus link at some points of the other end; inf where it is undefined."""
    _place(ahead, x, at, count, pairs)
    if count:
        kernel(pairs[: 2 * count], out[:count])
    for c in range(count):
        out[c] = out[c] + _cost(nodes, costs, x[c]) if np.isfinite(out[c]) else INF


@compiled
def _scan(
    kernel: Any, ahead: bool, columns: Any, own: Any, known: Any, column_of: Any, row: int, at: float, room: Any,
    pairs: Any, out: Any,
) -> None:  # fmt: skip
    """Cost plus link at all columns; what is known of the row is not evaluated again."""
    if row < 0:
        _place(ahead, columns, at, len(columns), pairs)
        kernel(pairs[: 2 * len(columns)], out[: len(columns)])
    else:
        count = 0
        for j in range(len(columns)):
            if column_of[j] < 0:
                room[count] = columns[j]
                count += 1
        _place(ahead, room, at, count, pairs)
        if count:
            kernel(pairs[: 2 * count], out[:count])
        for j in range(len(columns) - 1, -1, -1):
            if column_of[j] < 0:
                count -= 1
                out[j] = out[count]
            else:
                out[j] = known[row, column_of[j]]
    for j in range(len(columns)):
        out[j] = out[j] + own[j] if np.isfinite(out[j]) else INF


@compiled
def _gap(columns: Any, x: float) -> float:
    """The wider of the two gaps beside the column next to a point."""
    last = len(columns) - 1
    j = min(int(np.searchsorted(columns, x)), last)
    left = columns[j] - columns[j - 1] if j > 0 else 0.0
    right = columns[j + 1] - columns[j] if j < last else 0.0
    return float(max(left, right))


@compiled
def _start(columns: Any, guess: float, x: Any, width: Any, count: int) -> int:
    """Adds a start, unless there is one within a part of the gap between columns."""
    gap = _gap(columns, guess)
    for c in range(count):
        if abs(x[c] - guess) <= 0.25 * gap:
            return count
    x[count], width[count] = guess, gap
    return count + 1


@compiled
def _probe(
    kernel: Any, ahead: bool, nodes: Any, costs: Any, at: float, x: Any, width: Any, value: Any, c: int,
    pairs: Any, out: Any, probes: Any,
) -> None:  # fmt: skip
    """Moves a start to the lowest point near it, on every scale: where it was the best of a neighbour it may be just
    outside of a narrow piece of the domain."""
    size = width[c]
    for k in range(PROBES):
        probes[2 * k] = max(x[c] - size, nodes[0])
        probes[2 * k + 1] = min(x[c] + size, nodes[-1])
        size *= 0.25
    _evaluate(kernel, ahead, nodes, costs, probes, at, 2 * PROBES, pairs, out)
    size, here = width[c], x[c]
    for k in range(2 * PROBES):
        if out[k] < value[c]:
            x[c], value[c], width[c] = probes[k], out[k], abs(probes[k] - here)


@compiled
def _valleys(columns: Any, out: Any, x: Any, width: Any, value: Any, count: int) -> int:
    """Adds the lowest local minima among the columns as starts."""
    first, last = count, len(columns) - 1
    for j in range(last + 1):
        here = out[j]
        if not here < INF or (j > 0 and out[j - 1] < here) or (j < last and out[j + 1] < here):
            continue
        if count == first + STARTS and here >= value[count - 1]:
            continue
        c = count if count < first + STARTS else count - 1
        while c > first and value[c - 1] > here:
            x[c], value[c] = x[c - 1], value[c - 1]
            c -= 1
        x[c], value[c] = columns[j], here
        count = min(count + 1, first + STARTS)
    for c in range(first, count):
        width[c] = _gap(columns, x[c])
    return count


@compiled
def _edges(columns: Any, out: Any, inner: Any, outer: Any) -> int:
    """The pairs of neighbouring columns with an edge of the domain between them."""
    count = 0
    for j in range(len(columns) - 1):
        here, there = out[j] < INF, out[j + 1] < INF
        if here != there:
            inner[count], outer[count] = (columns[j], columns[j + 1]) if here else (columns[j + 1], columns[j])
            count += 1
    return count


@compiled
def _edge_starts(
    kernel: Any, ahead: bool, nodes: Any, costs: Any, at: float, inner: Any, outer: Any, size: Any, edges: int,
    pairs: Any, out: Any, x: Any, width: Any, value: Any, count: int,
) -> int:  # fmt: skip
    """Adds the lowest edges of the domain as starts; each is as wide as what it was found in."""
    if edges == 0:
        return count
    for e in range(edges):
        size[e] = abs(outer[e] - inner[e])
    _halve(kernel, ahead, inner, outer, at, edges, pairs, out, FIRST_HALVINGS)
    for stage in range(2):
        _evaluate(kernel, ahead, nodes, costs, inner, at, edges, pairs, out)
        few = min(edges, 2 * STARTS if stage == 0 else STARTS)
        for e in range(few):  # the lowest come first
            low = e
            for other in range(e + 1, edges):
                if out[other] < out[low]:
                    low = other
            inner[e], inner[low] = inner[low], inner[e]
            outer[e], outer[low] = outer[low], outer[e]
            size[e], size[low] = size[low], size[e]
            out[e], out[low] = out[low], out[e]
        edges = few
        if stage == 0:
            _halve(kernel, ahead, inner, outer, at, edges, pairs, out, HALVINGS - FIRST_HALVINGS)
    for e in range(edges):
        if out[e] < INF:
            x[count], value[count], width[count] = inner[e], out[e], size[e]
            count += 1
    return count


@compiled
def _halve(
    kernel: Any, ahead: bool, inner: Any, outer: Any, at: float, edges: int, pairs: Any, out: Any, times: int
) -> None:
    side = 0 if ahead else 1
    for _ in range(times):
        for e in range(edges):
            pairs[2 * e + side], pairs[2 * e + 1 - side] = 0.5 * (inner[e] + outer[e]), at
        kernel(pairs[: 2 * edges], out[:edges])
        for e in range(edges):
            if np.isfinite(out[e]):
                inner[e] = pairs[2 * e + side]
            else:
                outer[e] = pairs[2 * e + side]


@compiled
def _settle(
    kernel: Any, ahead: bool, nodes: Any, costs: Any, at: float, x: Any, width: Any, value: Any, count: int,
    pairs: Any, out: Any,
) -> None:  # fmt: skip
    """Looks ever closer to the best point near each start; those that have no hope to become the lowest are left."""
    look, hope, best = np.empty(LOOKS), np.full(count, INF), INF
    low, high = nodes[0], nodes[-1]
    for c in range(count):
        best = min(best, value[c])
    for _ in range(SHRINKS):
        for c in range(count):
            if not value[c] - best <= hope[c] or width[c] < FINEST * (high - low):
                continue
            for s in range(LOOKS):
                look[s] = min(max(x[c] + width[c] * (2.0 * s / (LOOKS - 1) - 1.0), low), high)
            _evaluate(kernel, ahead, nodes, costs, look, at, LOOKS, pairs, out)
            pick, most, seen = 0, -INF, 0
            for s in range(LOOKS):
                if out[s] < INF:
                    pick = s if out[s] < out[pick] else pick
                    most = max(most, out[s])
                    seen += 1
            if out[pick] < value[c]:
                x[c], value[c] = look[pick], out[pick]
                best = min(best, value[c])
            if seen > 1:  # what the next points can differ by is no more than what these did
                hope[c] = most - value[c]
                if hope[c] <= SPREAD * max(1.0, abs(most)):
                    hope[c] = -1.0
            width[c] *= 2.0 / (LOOKS - 1)


@compiled
def _tell(x: Any, value: Any, count: int, places: Any, values: Any) -> None:
    """The lowest first; NaN and inf where there are no more."""
    for k in range(len(places)):
        low = -1
        for c in range(count):
            if value[c] < INF and (low < 0 or value[c] < value[low]):
                low = c
        places[k], values[k] = (x[low], value[low]) if low >= 0 else (np.nan, INF)
        if low >= 0:
            value[low] = INF
