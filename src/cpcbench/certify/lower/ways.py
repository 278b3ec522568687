"""The ways to prove a lower bound, the cheapest first: parts, sums, cases, one tree."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass

from cpcbench.certify.lower.bounds import Lower, gap_line, lower_by_tree, room_at
from cpcbench.certify.lower.cases import lower_by_cases
from cpcbench.certify.lower.parts import lower_by_parts
from cpcbench.certify.lower.sums.outer import lower_by_structure
from cpcbench.certify.lower.tree.grown import MOST_NODES, from_arrays
from cpcbench.certify.lower.tree.proving import prove
from cpcbench.certify.means import Means
from cpcbench.certify.times import Times
from cpcbench.certify.upper.proofs import Witness
from cpcbench.clock import OutOfTimeError, time_limit
from cpcbench.expr.nodes import Expr
from cpcbench.intervals.tape import Tape

WRITTEN = 60_000
"""Nodes of a tree for each second that is left: more cannot be written out in the time."""


QUICK_SHARE = 0.3
"""Of the time, what is spent on parts: where they help at all they do so soon."""


@dataclass(frozen=True)
class Ways:
    """Proofs of lower bounds of a formula within a time, kept in a state as they grow."""

    root: Expr
    bounds: list[tuple[float, float]]
    tolerance: float
    times: Times
    means: Means
    returns: bool = True
    """Whether to end once a proof shows lower points: they are looked at before other ways are tried."""

    def lowers(self, found: list[Lower], best: Witness) -> list[Lower]:
        """Lower bounds, the best first; after those found already, until one is good enough."""
        for way in (self._by_parts, self._by_structure, self._by_cases, self._by_tree):
            low = found[0].bound if found else -math.inf
            if best.upper - low <= room_at(self.tolerance, best.upper) or self.times.is_nearly_over():
                break
            with time_limit(self.times.late()), suppress(OutOfTimeError):
                proof = way(best)
                found += [] if proof is None or not math.isfinite(proof.bound) else [proof]
            found.sort(key=lambda lower: -lower.bound)
            self.means.tell(gap_line(found[0].bound if found else -math.inf, best.upper, self.times.spent()))
            self.means.state.save()
            if self.returns and self.means.shown:
                break
        return found

    def _by_structure(self, best: Witness) -> Lower | None:
        return lower_by_structure(
            self.root, self.bounds, best.upper, best.x, self.tolerance, self.times.until(), self.means
        )

    def _target(self, best: Witness) -> float:
        return best.upper - 0.5 * room_at(self.tolerance, best.upper)

    def _by_parts(self, best: Witness) -> Lower | None:
        return lower_by_parts(self.root, self.bounds, self._target(best), QUICK_SHARE * self.times.until())

    def _by_cases(self, best: Witness) -> Lower | None:
        return lower_by_cases(self.root, self.bounds, self._target(best), self.times.until(), self.means.workers)

    def _by_tree(self, best: Witness) -> Lower | None:
        tape, seconds = Tape.of_formula(self.root, len(self.bounds)), self.times.until()
        low, high = zip(*self.bounds, strict=True)
        kept = self.means.state.arrays("tree")
        tree = prove(
            tape, low, high, self._target(best), seconds=seconds, workers=self.means.workers,
            max_nodes=int(min(MOST_NODES, max(WRITTEN * seconds, 10_000))),
            progress=lambda bound, boxes, _: self._see(bound, best.upper, boxes),
            state=None if kept is None else from_arrays(tape, kept, "the state"),
            keep=self.means.state, peels=True,
        )  # fmt: skip
        self.means.state.put("tree", arrays=tree.arrays())
        return lower_by_tree(tree, best.upper) if math.isfinite(tree.bound) else None

    def _see(self, bound: float, upper: float, boxes: int) -> None:
        if bound < math.inf:  # no box is left open: what was proven comes with the tree
            self.means.tell(f"{gap_line(bound, upper, self.times.spent())}, {boxes:,} boxes")
