"""Proofs of the links of a chain: one tree for each, and better potentials where a tree shows that they do not do."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from cpcbench.certify.certificate.form import read, written
from cpcbench.certify.certificate.schema import ProvenLink, Side
from cpcbench.certify.lower.bounds import gap_line
from cpcbench.certify.lower.sums.chains import Chain
from cpcbench.certify.lower.sums.structure import Bounds, Part, SumNode, order_of
from cpcbench.certify.lower.tree.grown import MOST_NODES, Tree
from cpcbench.certify.lower.tree.planted import patient
from cpcbench.certify.means import First, Means, Tell
from cpcbench.certify.threads import in_threads
from cpcbench.certify.times import Deadline
from cpcbench.clock import OutOfTimeError
from cpcbench.intervals.boxes import lower_bounds
from cpcbench.intervals.tables import Table
from cpcbench.intervals.tape import Tape
from cpcbench.points import Points

Floats = npt.NDArray[np.float64]

PREPARED = 0.7
"""The share of the time in which the costs along a chain may be found; the trees get the rest."""
REPAIRS = 12
"""How often the costs are found again at most."""
SMALL_TREE = 100_000
"""Nodes of a tree as long as its potentials may become better."""
SHOWN, ACROSS = 3000, 3
"""Of an unfinished tree, the open boxes in which points below the aim are looked for, and the points along a side."""


@dataclass(frozen=True)
class LinkProof:
    """One link of the proof: what it says in the file, what it proves exactly, how far that is below its aim, and pairs
    of values at which the link is below it."""

    entry: ProvenLink
    threshold: float
    missing: float
    pairs: Floats
    tree: Tree | None


ChainProof = tuple[list[LinkProof], list[Table]]


@dataclass(frozen=True)
class _Link:
    """A link to be proven."""

    found: SumNode
    part: Part
    side: Side
    bounds: Bounds
    plus: Sequence[Table]
    minus: Sequence[Table]
    target: float

    @property
    def axes(self) -> list[int]:
        return sorted(self.part.variables)

    def prove(
        self, seconds: float, max_nodes: int, tell: Tell, state: Tree | None = None, first: First | None = None
    ) -> LinkProof:
        terms = self.found.signed(self.part, self.side)
        tape = Tape.of(terms, self.axes, plus=self.plus, minus=self.minus, formula=self.found.root)
        lower, upper = ([self.bounds[v][side] for v in self.axes] for side in (0, 1))
        tree = patient(tape, lower, upper, self.target, max(0.1, seconds), max_nodes, state, first)
        threshold = min(self.target, tree.bound)
        names = ", ".join(f"x{v + 1}" for v in self.axes)
        tell(f"link {names}: {self.target - threshold:.1e} below its aim, {tree.boxes:,} boxes")
        plus, minus = ([t.variable for t in tables] for tables in (self.plus, self.minus))
        text = tree.text(threshold) if math.isfinite(threshold) else "."
        entry = ProvenLink(list(self.part.terms), self.axes, threshold, plus, minus, text)
        return LinkProof(entry, threshold, self.target - threshold, _too_low(tree, self.target), tree)


def prove_chain(
    found: SumNode,
    chain: tuple[Part, ...],
    side: Side,
    bounds: Bounds,
    known: tuple[Points, float],
    tolerance: float,
    deadline: Deadline,
    means: Means,
) -> ChainProof:
    """The links of one chain, or the one of a single variable, and their potentials; known is a point and its value.

    What was kept of an earlier proof is gone on from.
    """
    (x, upper), state = known, means.state
    order, signed = order_of(chain), [found.signed(part, side) for part in chain]
    name = f"sum {found.number} {side} x{order[0] + 1}"
    ranges = [list(bounds[v]) for v in order]
    done = _noted(state.note(name), ranges, upper - tolerance)
    if done is not None:
        return done
    if len(chain) == 1:
        link = _Link(found, chain[0], side, bounds, [], [], upper - tolerance)
        best: ChainProof = [link.prove(deadline.left(), MOST_NODES, means.tell, first=means.first)], []
    else:
        work = Chain(order, signed, bounds, x.tolist(), upper, tolerance, means.workers)
        work.restore(state.arrays(name) or {})
        work.prepare(time.monotonic() + PREPARED * deadline.left(), lambda: state.put(name, arrays=work.arrays()))
        best = _with_repairs(
            work, lambda tables: _links(found, chain, side, bounds, tables, work.best, tolerance), deadline, means.tell
        )
        state.put(name, arrays=work.arrays())
        if side == "min" and found.node is found.root and work.best < upper:
            path = work.best_path()
            means.shown.extend(_moved(x, values) for values in (path, work.snapped(path)))
    if _missing(best[0]) == 0.0:
        entries = [[written(proof.entry), proof.threshold] for proof in best[0]]
        tables = [[t.variable, list(t.breaks), list(t.values)] for t in best[1]]
        state.put(name, {"ranges": ranges, "links": entries, "tables": tables})
    return best


def _moved(x: Points, path: dict[int, float]) -> Points:
    found = x.copy()
    for variable, value in path.items():
        found[variable] = value
    return found


def _with_repairs(
    work: Chain, to_links: Callable[[dict[int, Table]], list[_Link]], deadline: Deadline, tell: Tell
) -> ChainProof:
    """Proofs of all links; the costs are found again where the trees show that these are not good enough."""
    best: ChainProof = [], []
    begun, order = time.monotonic(), [layer.variable for layer in work.layers]
    for repairs in range(REPAIRS + 1):
        tell(f"grids of {', '.join(str(len(layer.nodes)) for layer in work.layers)} nodes")
        tables = {table.variable: table for table in work.potentials()}
        links = to_links(tables)
        started = time.monotonic()
        proofs = _prove_all(links, deadline, work.workers, SMALL_TREE, tell)
        took = time.monotonic() - started
        pairs = [
            proof.pairs if link.axes == order[k : k + 2] else proof.pairs[:, ::-1]
            for k, (proof, link) in enumerate(zip(proofs, links, strict=True))
        ]
        again = any(map(len, pairs)) and repairs < REPAIRS and took < deadline.left()
        if not again and _missing(proofs) > 0.0:
            proofs = _prove_all(links, deadline, work.workers, MOST_NODES, tell, proofs)
        if not best[0] or _missing(proofs) < _missing(best[0]):
            best = proofs, list(tables.values())
        lower = sum(proof.threshold for proof in best[0])
        what = f"sum from x{order[0] + 1} to x{order[-1] + 1}"
        tell(f"{what}: {gap_line(lower, work.best, time.monotonic() - begun)}")
        if not again or _missing(proofs) == 0.0:
            break
        try:
            work.repair(pairs, deadline.end)
        except OutOfTimeError:
            break
    return best


def _noted(note: Any, ranges: list[list[float]], target: float) -> ChainProof | None:
    """A proof that was kept, if it is about the same ranges and reaches the target."""
    if note is None or note["ranges"] != ranges:
        return None
    if sum(Fraction(threshold) for _, threshold in note["links"]) < target - 1e-13 * max(1.0, abs(target)):
        return None
    nowhere = np.zeros((0, 2))
    proofs = [LinkProof(read(ProvenLink, entry), threshold, 0.0, nowhere, None) for entry, threshold in note["links"]]
    return proofs, [Table(*table) for table in note["tables"]]


def _links(
    found: SumNode,
    chain: tuple[Part, ...],
    side: Side,
    bounds: Bounds,
    tables: dict[int, Table],
    best: float,
    tolerance: float,
) -> list[_Link]:
    """What is to be proven of each link: its terms and potentials, and its aim; the last one's is that of the whole."""
    order, last = order_of(chain), len(chain) - 1
    made = []
    for place, part in enumerate(chain):
        plus = [tables[order[place]]] if place else []
        minus = [tables[order[place + 1]]] if place < last else []
        target = (best if place == last else 0.0) - tolerance / len(chain)
        made.append(_Link(found, part, side, bounds, plus, minus, target))
    return made


def _prove_all(
    links: Sequence[_Link],
    deadline: Deadline,
    workers: int,
    most: int,
    tell: Tell,
    begun: Sequence[LinkProof] = (),
) -> list[LinkProof]:
    """Proofs of all links, several at a time; those that are begun and not yet complete are gone on with."""
    todo = [k for k in range(len(links)) if not begun or begun[k].missing > 0.0]
    proofs = dict(enumerate(begun))
    waiting = len(todo)

    def work(k: int) -> None:
        nonlocal waiting
        share = deadline.left() * min(workers / waiting, 1.0)
        proofs[k] = links[k].prove(share, most, tell, begun[k].tree if begun else None)
        waiting -= 1

    in_threads(work, todo, workers)
    return [proofs[k] for k in range(len(links))]


def _missing(proofs: Sequence[LinkProof]) -> float:
    return sum(proof.missing for proof in proofs)


def _too_low(tree: Tree, target: float) -> Floats:
    """Points of the lowest open boxes at which the link is below its aim: the lowest of each box."""
    low, high = tree.open_corners(SHOWN)
    if tree.complete or not len(low):
        return np.zeros((0, len(tree.lower)))
    steps = np.linspace(0.0, 1.0, ACROSS)
    part = np.stack(np.meshgrid(*([steps] * low.shape[1])), axis=-1).reshape(-1, low.shape[1])
    points = low[:, None, :] + (high - low)[:, None, :] * part
    flat = points.reshape(-1, low.shape[1])
    value, state = lower_bounds(tree.tape, flat, flat, slopes=False)
    value = np.where(state > 0, value, np.inf).reshape(len(low), -1)
    pick = np.argmin(value, axis=1)
    every = np.arange(len(low))
    found: Floats = points[every, pick][value[every, pick] < target]
    return found
