"""Proofs that a sum is nowhere below (or above) a number: one tree for each variable or link of a chain."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from cpcbench.certify.chains import Chain
from cpcbench.certify.half_lines import half_lines
from cpcbench.certify.periods import one_period
from cpcbench.certify.potentials import potentials
from cpcbench.certify.structure import Bounds, Part, Side, SumNode, Tell, order_of, sums_of, value_at
from cpcbench.certify.tables import Table
from cpcbench.certify.tape import Tape
from cpcbench.certify.tree import prove
from cpcbench.expr.nodes import Expr
from cpcbench.points import Points

PREPARED = 0.6
"""The share of the time in which the costs along a chain may be found; the trees get the rest."""


@dataclass(frozen=True)
class _LinkProof:
    """One link of the proof: what it says in the file, and what it proves exactly."""

    entry: dict[str, Any]
    threshold: float


def prove_sum(
    found: SumNode,
    side: Side,
    bounds: Bounds,
    x: Points,
    tolerance: float,
    seconds: float,
    progress: Tell | None = None,
    value: float | None = None,
) -> dict[str, Any] | None:
    """A proof that the sum is at least (min) or at most (max) `bound`, which it names; None if nothing is proven.

    The bound aimed at lies `tolerance` beyond the sum's value at `x`, or beyond `value` if that is known better.
    """
    until = time.monotonic() + seconds
    periods = one_period([term for _, term in found.terms], bounds, x)
    bounds = [periods.get(v, pair) for v, pair in enumerate(bounds)]
    narrower = [] if periods else half_lines(found.root, bounds)
    for entry in narrower:
        low, high = bounds[entry["variable"]]
        bounds[entry["variable"]] = max(low, entry.get("low", low)), min(high, entry.get("high", high))
    x = x.copy()
    for v, (low, high) in periods.items():
        x[v] = 0.5 * (low + high)
    links = sum(len(chain) for chain in found.chains)
    entries: list[_LinkProof] = []
    tables: list[Table] = []
    for chain in found.chains:
        share = len(chain) / (links - len(entries))
        limit = time.monotonic() + share * (until - time.monotonic())
        if value is not None and len(found.chains) == 1:
            best = value if side == "min" else -value
        else:
            best = sum(sign * value_at(term, x) for part in chain for sign, term in found.signed(part, side))
        part = tolerance * len(chain) / links
        proofs, own = _prove_chain(found, chain, side, bounds, (x, best), part, limit, progress)
        entries += proofs
        tables += own
    if any(not math.isfinite(proof.threshold) for proof in entries):
        return None
    exact = sum((Fraction(proof.threshold) for proof in entries), Fraction(0))
    made: dict[str, Any] = {
        "node": found.number,
        "side": side,
        "bound": _below(exact) if side == "min" else -_below(exact),
        "links": [proof.entry for proof in entries],
        "tables": {str(t.variable): _table_entry(t) for t in tables},
    }
    if periods:
        made["periods"] = {str(v): list(pair) for v, pair in periods.items()}
    if narrower:
        made["ranges"] = narrower
    return made


def _prove_chain(
    found: SumNode,
    chain: tuple[Part, ...],
    side: Side,
    bounds: Bounds,
    known: tuple[Points, float],
    tolerance: float,
    until: float,
    progress: Tell | None,
) -> tuple[list[_LinkProof], list[Table]]:
    """The links of one chain, or the one of a single variable, and their potentials; known is a point and its value."""
    x, upper = known
    if len(chain) == 1:
        target = upper - tolerance
        return [_prove_link(found, chain[0], side, bounds, [], [], target, until, progress)], []
    order = order_of(chain)
    each = tolerance / len(chain)
    work = Chain(order, [found.signed(part, side) for part in chain], bounds, x.tolist(), upper, tolerance)
    work.prepare(time.monotonic() + PREPARED * (until - time.monotonic()))
    if progress is not None:
        progress(f"grids of {', '.join(str(len(layer.nodes)) for layer in work.layers)} nodes")
    tables = {table.variable: table for table in potentials(work)}
    proofs = []
    for place, part in enumerate(chain):
        last = place == len(chain) - 1
        target = (work.best if last else 0.0) - each
        plus = [tables[order[place]]] if place else []
        minus = [] if last else [tables[order[place + 1]]]
        limit = time.monotonic() + (until - time.monotonic()) / (len(chain) - place)
        proofs.append(_prove_link(found, part, side, bounds, plus, minus, target, limit, progress))
    return proofs, list(tables.values())


def _prove_link(
    found: SumNode,
    part: Part,
    side: Side,
    bounds: Bounds,
    plus: Sequence[Table],
    minus: Sequence[Table],
    target: float,
    until: float,
    progress: Tell | None,
) -> _LinkProof:
    axes = sorted(part.variables)
    tape = Tape.of(found.signed(part, side), axes, plus=plus, minus=minus, formula=found.root)
    lower, upper = [bounds[v][0] for v in axes], [bounds[v][1] for v in axes]
    tree = prove(tape, lower, upper, target, seconds=max(0.1, until - time.monotonic()))
    threshold = min(target, tree.bound)
    if progress is not None:
        names = ", ".join(f"x{v + 1}" for v in axes)
        progress(f"link {names}: {threshold - target:.1e} below its aim, {tree.boxes:,} boxes")
    entry = {
        "terms": list(part.terms),
        "variables": axes,
        "threshold": threshold,
        "plus": [t.variable for t in plus],
        "minus": [t.variable for t in minus],
        "tree": tree.text(threshold) if math.isfinite(threshold) else ".",
    }
    return _LinkProof(entry, threshold)


def _below(exact: Fraction) -> float:
    """The largest double that is not above."""
    near = float(exact)
    return near if Fraction(near) <= exact else math.nextafter(near, -math.inf)


def _table_entry(table: Table) -> dict[str, Any]:
    return {"breaks": list(table.breaks), "values": [list(v) if isinstance(v, tuple) else v for v in table.values]}


def path_point(root: Expr, bounds: Bounds) -> Points | None:
    """A low point of a formula that is one chain, by the best path over coarse grids; None of any other formula."""
    sums = sums_of(root)
    if not sums or sums[0].node is not root or len(sums[0].chains) != 1:
        return None
    chain = sums[0].chains[0]
    order = order_of(chain)
    if len(chain) == 1 or sorted(order) != list(range(len(bounds))):
        return None
    middle = [0.5 * (low + high) for low, high in bounds]
    found = Chain(order, [sums[0].signed(part, "min") for part in chain], bounds, middle, 0.0, 1e-9).path()
    return np.array([found[v] for v in range(len(bounds))]) if found else None
