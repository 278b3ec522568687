"""A low point of a sum, part by part: the best paths along its chains, and the best place of each single variable."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from cpcbench.certify.lower.sums.chains import Chain
from cpcbench.certify.lower.sums.structure import Bounds, order_of, sums_of
from cpcbench.certify.lower.tree.proving import prove
from cpcbench.clock import OutOfTimeError, look_at_clock
from cpcbench.expr.nodes import Expr
from cpcbench.intervals.boxes import Floats
from cpcbench.intervals.tape import Tape
from cpcbench.points import Points
from cpcbench.readings.doubles.arrays import evaluate

Terms = Sequence[tuple[int, Expr]]

PLACES, FIRST, KEPT, FINER, ZOOMS = 4_097, 4_096, 64, 33, 9
"""Places of a variable that are tried at first, how many of the best are kept at first and later, how many are tried
around each of these, and how often."""


NODES, SECONDS = 40_000, 20.0
"""Of the tree whose boxes tell more places of a variable, and how long it may grow at most."""


def low_point(root: Expr, bounds: Bounds, workers: int = 1, chains: bool = True) -> Points | None:
    """A low point of a formula that is a sum of chains, if these are wanted, and of terms in single variables; None of
    any other formula."""
    sums = sums_of(root)
    if not sums or sums[0].node is not root or (not chains and any(len(chain) > 1 for chain in sums[0].chains)):
        return None
    single: dict[int, tuple[Terms, float, float]] = {}
    point = np.array([0.5 * (low + high) for low, high in bounds])
    for chain in sums[0].chains:
        look_at_clock()
        order = order_of(chain)
        if len(order) == 1:
            terms, (low, high) = sums[0].signed(chain[0], "min"), bounds[order[0]]
            even = np.linspace(low, high, PLACES), np.full(PLACES, (high - low) / (PLACES - 1))
            found = single[order[0]] = (terms, *_best_place(terms, order[0], (low, high), *even))
            point[order[0]] = found[1]
            continue
        links = [sums[0].signed(part, "min") for part in chain]
        path = Chain(order, links, bounds, point.tolist(), 0.0, 1e-9, workers).path()
        if not path:
            return None
        for v in order:
            point[v] = path[v]
    with suppress(OutOfTimeError):  # what there is by then is a point as well
        for v, (own, place, value) in single.items():
            point[v] = _by_tree(root, own, v, bounds[v], (place, value))
    return point


def _by_tree(root: Expr, terms: Terms, variable: int, side: tuple[float, float], known: tuple[float, float]) -> float:
    """Where the terms in one variable are least, of a place that is known, with its value, and of the boxes of a tree
    that has grown for a while where they may be lower: a wave too quick for even places is met where its envelope is
    lowest."""
    if known[1] == math.inf:
        return known[0]
    look_at_clock()
    tape = Tape.of(list(terms), [variable], formula=root)
    tree = prove(tape, [side[0]], [side[1]], known[1], seconds=SECONDS, max_nodes=NODES)
    lower, upper, _ = tree.leaves()
    half = 0.5 * (upper - lower)[:, 0]
    return min(known, _best_place(terms, variable, side, lower[:, 0] + half, half), key=lambda found: found[1])[0]


def _best_place(
    terms: Terms, variable: int, side: tuple[float, float], places: Floats, steps: Floats
) -> tuple[float, float]:
    """Where terms in one variable are least, of these places, and of more and more around the best of them, each with
    a step of its own; and their value there."""
    around = np.linspace(-1.0, 1.0, FINER)
    best, least = float(places[0]), math.inf
    for zoom in range(ZOOMS):
        points = np.zeros((len(places), variable + 1))
        points[:, variable] = places
        values = np.zeros(len(places))
        for sign, term in terms:
            values += sign * evaluate(term, points)
        values[~np.isfinite(values)] = np.inf
        first = np.argsort(values, kind="stable")[: KEPT if zoom else FIRST]
        if values[first[0]] < least:
            best, least = float(places[first[0]]), float(values[first[0]])
        places = np.clip((places[first, None] + steps[first, None] * around).ravel(), *side)
        steps = np.repeat(steps[first] * (2.0 / (FINER - 1)), FINER)
    return best, least
