"""Sums inside a formula whose terms share few variables, and the bound of the formula that follows from theirs.

A sum is useful if its variables fall apart into single ones and chains x_a, x_b, x_c, ... in which only
neighbours share a term: such sums are bounded one link at a time. All is read off the expression.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.certify.certificate.state import ProofState
from cpcbench.certify.telling import Tell, gap_line
from cpcbench.clock import OutOfTimeError, look_at_clock
from cpcbench.expr.nodes import Expr, node, var
from cpcbench.expr.walk import constants, postorder, variables
from cpcbench.intervals.boxes import Boxes, ManyBoxes
from cpcbench.points import Points
from cpcbench.readings.doubles.fast import FastReading
from cpcbench.readings.reals.enclosure import enclose
from cpcbench.readings.reals.reference import Reference

Side = Literal["min", "max"]
Bounds = Sequence[tuple[float, float]]

NEARBY, NEARBY_SURE = 20_000, 200
"""Points tried around one that is just outside of the domain, and how many of the lowest are looked at closely."""

LINEAR = frozenset({"add", "sub", "neg"})


@dataclass(frozen=True)
class Part:
    """Terms, by their places in the sum, that share the same variables (one, or two neighbours)."""

    terms: tuple[int, ...]
    variables: tuple[int, ...]


@dataclass(frozen=True)
class SumNode:
    """A sum in the formula: its node, the signed terms, and its chains (a chain of one part: no neighbours)."""

    root: Expr
    node: Expr
    number: int
    terms: tuple[tuple[int, Expr], ...]
    chains: tuple[tuple[Part, ...], ...]

    def signed(self, part: Part, side: Side) -> list[tuple[int, Expr]]:
        """The terms of a part, with the signs of what is to be minimised."""
        turn = 1 if side == "min" else -1
        return [(turn * self.terms[t][0], self.terms[t][1]) for t in part.terms]


def flattened(root: Expr) -> list[tuple[int, Expr]]:
    """The terms of a sum with their signs, from left to right, through additions, subtractions and negations."""
    found: list[tuple[int, Expr]] = []
    stack = [(1, root)]
    while stack:
        sign, part = stack.pop()
        if part.op == "neg":
            stack.append((-sign, part.args[0]))
        elif part.op in LINEAR:
            second = sign if part.op == "add" else -sign
            stack += [(second, part.args[1]), (sign, part.args[0])]
        else:
            found.append((sign, part))
    return found


def sums_of(root: Expr) -> list[SumNode]:
    """The outermost sums that fall apart into single variables and chains, as the formula is read downwards."""
    numbers = {id(n): place for place, n in enumerate(postorder(root))}
    found: list[SumNode] = []
    seen: set[int] = set()
    stack = [root]
    while stack:
        part = stack.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        terms = flattened(part) if part.op in LINEAR else []
        chains = _chains([variables(term) for _, term in terms])
        if chains is not None:
            found.append(SumNode(root, part, numbers[id(part)], tuple(terms), chains))
        else:
            stack += reversed([term for _, term in terms] if terms else part.args)
    return found


def _chains(groups: list[list[int]]) -> tuple[tuple[Part, ...], ...] | None:
    """The terms ordered into links; None if they are no single variables and paths, or only one part."""
    if any(len(group) > 2 for group in groups):
        return None
    pairs: dict[tuple[int, ...], list[int]] = {}
    for place, group in enumerate(groups):
        if len(group) == 2:
            pairs.setdefault(tuple(group), []).append(place)
    paths = _paths(list(pairs))
    if paths is None:
        return None
    links = {pair: terms for path in paths for pair, terms in ((p, pairs[p]) for p in path)}
    home = {v: path[max(0, place - 1)] for path in paths for place, v in enumerate(_along(path))}
    for place, group in enumerate(groups):
        if len(group) == 2:
            home.update((v, tuple(group)) for v in group)  # a lone term stays with the pair written before it
        elif group:
            links.setdefault(home.get(group[0], (group[0],)), []).append(place)
    if len(links) < 2:
        return None
    first = next(iter(links))
    links[first] += [place for place, group in enumerate(groups) if not group]
    chains = [tuple(Part(tuple(sorted(links[p])), p) for p in path) for path in paths]
    chains += [(Part(tuple(sorted(terms)), key),) for key, terms in links.items() if len(key) == 1]
    return tuple(chains)


def _paths(pairs: list[tuple[int, ...]]) -> list[list[tuple[int, ...]]] | None:
    """The pairs of neighbours in the order of their paths; None where three meet or a path closes."""
    meeting: dict[int, list[tuple[int, ...]]] = {}
    for pair in pairs:
        for v in pair:
            meeting.setdefault(v, []).append(pair)
    if any(len(at) > 2 for at in meeting.values()):
        return None
    paths: list[list[tuple[int, ...]]] = []
    used: set[tuple[int, ...]] = set()
    for end in sorted(v for v, at in meeting.items() if len(at) == 1):
        path: list[tuple[int, ...]] = []
        here, onward = end, [p for p in meeting[end] if p not in used]
        while onward:
            path.append(onward[0])
            used.add(onward[0])
            here = onward[0][0] if onward[0][1] == here else onward[0][1]
            onward = [p for p in meeting[here] if p not in used]
        if path:
            paths.append(path)
    return paths if len(used) == len(pairs) else None


def _along(path: Sequence[tuple[int, ...]]) -> list[int]:
    """The variables of a path in order."""
    if len(path) == 1:
        return list(path[0])
    first = next(v for v in path[0] if v not in path[1])
    found = [first]
    for pair in path:
        found.append(pair[0] if pair[1] == found[-1] else pair[1])
    return found


def order_of(chain: Sequence[Part]) -> list[int]:
    """The variables of a chain, from one end to the other."""
    return _along([part.variables for part in chain])


def value_at(node: Expr, x: Points) -> float:
    """The value of a part of the formula at a point: the real one, or that in doubles where rounding undid it."""
    found = enclose(node, x.tolist(), rule="strict")
    return found.upper if not math.isnan(found.upper) else float(Reference(node, "strict")(x.tolist()))


def inner_point(root: Expr, bounds: Bounds, x: Points) -> Points:
    """The point, or where rounding has put it outside of the domain the lowest point found close by."""
    low, high = (np.array(side) for side in zip(*bounds, strict=True))
    kernel = FastReading(root, low, high, "strict")
    if not math.isnan(value_at(root, x)):
        return x
    rng = np.random.default_rng(0)
    for reach in np.geomspace(1e-16, 1e-7, 10):
        look_at_clock()
        tried = np.clip(x + reach * (high - low) * rng.uniform(-1.0, 1.0, (NEARBY, len(x))), low, high)
        values = kernel.batch(tried)
        good = np.flatnonzero(np.isfinite(values))
        for i in good[np.argsort(values[good])][:NEARBY_SURE]:
            if not math.isnan(value_at(root, tried[i])):
                return np.array(tried[i])
    return x


# What the formula comes to when its sums are known


class Outer:
    """The formula as a function of its sums (and of variables, where these also occur outside)."""

    def __init__(self, root: Expr, sums: Sequence[SumNode], bounds: Bounds) -> None:
        n = len(bounds)
        self._box = np.asarray(bounds, dtype=np.float64)
        self._reading = Boxes(replaced(root, {id(s.node): var(n + i) for i, s in enumerate(sums)}), "strict")
        ranges = ManyBoxes([s.node for s in sums], "strict")(self._box[None, :, 0], self._box[None, :, 1])
        self.ranges = np.array([(low[0], high[0]) for low, high, _ in ranges]).reshape(-1, 2)

    def lower(self, ranges: ArrayLike) -> float:
        """A lower bound of the formula while its sums lie in these ranges."""
        both = np.concatenate([self._box, np.asarray(ranges, dtype=np.float64).reshape(-1, 2)])
        low, _, _ = self._reading(both[None, :, 0], both[None, :, 1])
        return float(low[0])


def replaced(root: Expr, new: Mapping[int, Expr]) -> Expr:
    values: dict[int, Expr] = {}
    for part in postorder(root):
        args = [values[id(a)] for a in part.args]
        same = all(a is b for a, b in zip(args, part.args, strict=True))
        values[id(part)] = new[id(part)] if id(part) in new else part if same else node(part.op, *args)
    return values[id(root)]


def sides_needed(outer: Outer, at_point: ArrayLike, tolerance: float) -> list[tuple[int, Side]]:
    """The sums, by place, and the sides of them whose natural bound is not good enough for the formula's."""
    known = _about(at_point)
    best = outer.lower(known)
    needed: list[tuple[int, Side]] = []
    for place, (low, high) in enumerate(outer.ranges):
        look_at_clock()
        sides: tuple[tuple[Side, tuple[float, float]], ...] = (
            ("min", (low, known[place, 1])),
            ("max", (known[place, 0], high)),
        )
        for side, loose in sides:
            ranges = known.copy()
            ranges[place] = min(loose[0], known[place, 0]), max(loose[1], known[place, 1])
            if not outer.lower(ranges) >= best - 0.1 * tolerance:
                needed.append((place, side))
    return needed


def lower_by_structure(
    root: Expr,
    bounds: Bounds,
    upper_value: float,
    upper_point: ArrayLike,
    tolerance: float = 1e-9,
    seconds: float = 60.0,
    progress: Tell | None = None,
    workers: int = 1,
    state: ProofState | None = None,
) -> tuple[float, dict[str, Any]] | None:
    """A proven lower bound of the formula and its proof; None if no sum of it can be taken apart.

    `upper_value` is the formula's value at `upper_point`, a very good point: the closer to the infimum,
    the less work. The bound aimed at lies `tolerance * max(1, |upper_value|)` below it.
    What `state` keeps of an earlier proof is gone on from.
    """
    from cpcbench.certify.lower.sums.proving import prove_sum

    until = time.monotonic() + seconds
    sums = [s for s in sums_of(root) if id(s.node) not in constants(root)]
    if not sums:
        return None
    x = np.asarray(upper_point, dtype=np.float64)
    whole = sums[0].node is root
    if not whole or len(sums[0].chains) > 1:
        x = inner_point(root, bounds, x)
    values = [upper_value] if whole else [value_at(s.node, x) for s in sums]
    if any(math.isnan(v) for v in values):
        return None
    outer = Outer(root, sums, bounds)
    room = tolerance * max(1.0, abs(upper_value))
    needed = sides_needed(outer, values, room)
    ranges, proofs = outer.ranges.copy(), []
    for done, (place, side) in enumerate(needed):
        share = (until - time.monotonic()) / (len(needed) - done)
        try:
            slack = _slack(outer, values, place, side, 0.5 * room / len(needed))
            proof = prove_sum(sums[place], side, bounds, x, slack, share, progress, values[place], workers, state)
        except OutOfTimeError:  # what is proven by now holds without the rest
            break
        if proof is None:
            continue
        proofs.append(proof)
        end = 0 if side == "min" else 1
        pick = max if side == "min" else min
        ranges[place, end] = pick(ranges[place, end], proof["bound"])
        if progress is not None:
            progress(gap_line(outer.lower(ranges), upper_value, time.monotonic() - until + seconds))
    lower = outer.lower(ranges)
    lower -= 1e-14 * (1.0 + abs(lower)) if math.isfinite(lower) else 0.0
    return lower, {"by": "sums", "sums": proofs}


def _about(values: ArrayLike) -> Points:
    """Narrow ranges about the values: a sum that is 0 at an edge comes out on either side of it."""
    middle = np.asarray(values, dtype=np.float64)
    room = 1e-10 * np.maximum(1.0, np.abs(middle))
    return np.stack([middle - room, middle + room], axis=1)


def _slack(outer: Outer, values: Sequence[float], place: int, side: Side, room: float) -> float:
    """How far the sum's bound may lie from its value so that the formula's bound moves by no more than `room`."""
    known = _about(values)
    best = outer.lower(known)
    slack = room
    for _ in range(200):
        look_at_clock()
        ranges = known.copy()
        ranges[place] += (-slack, 0.0) if side == "min" else (0.0, slack)
        moved = best - outer.lower(ranges)
        if moved <= room:
            if moved >= 0.25 * room or slack > 1e300:
                return slack
            slack *= 2.0
        else:
            slack *= 0.7
    return slack
