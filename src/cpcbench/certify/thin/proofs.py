"""Proofs on thin sets: a lower bound on each, by a tree for the formula that it is there, and a low point on one."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.core.verdict import RejectedError
from cpcbench.certify.checker.core.witness import check_witness
from cpcbench.certify.checker.extensions.thin import ThinSet, check_negative, thin_sets
from cpcbench.certify.lower.bounds import LOOSER
from cpcbench.certify.lower.tree.grown import Tree
from cpcbench.certify.lower.tree.proving import prove
from cpcbench.certify.upper.pinned import number
from cpcbench.certify.upper.proofs import Witness
from cpcbench.certify.upper.witness import best_witness
from cpcbench.clock import OutOfTimeError, time_limit
from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import node
from cpcbench.expr.walk import postorder
from cpcbench.intervals.tape import Tape
from cpcbench.points import Points

FAR = 1e300
"""No value is so high: a tree that is closed at this is about an empty set."""

LOOK_NODES, MOST_NODES, STARTS, LOOK, WITNESS = 3000, 2_000_000, 6, 0.2, 0.1
"""Nodes of the first trees and at most, points tried on a set at a time, and the shares of the time for both."""

MARGINS = tuple(Fraction(1, 2**k) if k else Fraction(0) for k in (0, 40, 20, 10))
"""How far from 0 bases are held, the first that gives a point."""

ROUNDS = 4
"""How often better points are looked for where the trees are lowest."""


class ThinWork:
    """The trees of all thin sets of a formula, and the lowest value found on them."""

    def __init__(self, subject: Subject, tolerance: float, seconds: float, tell: Callable[[str], None]) -> None:
        self.subject, self.tolerance, self.tell = subject, tolerance, tell
        self.seconds, self.deadline = seconds, time.monotonic() + seconds
        self.sets: list[ThinSet] = []
        self.trees: list[Tree] = []
        """One for each set."""
        self.best: tuple[float, dict[str, Any]] | None = None

    def claims(self) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
        """The claim, and the proofs of its lower and its upper bound; then looser ones."""
        lower, upper, witness = self._bounds()
        scale = max(1.0, abs(lower))
        for share in (0.0, *LOOSER):
            bound = lower - share * scale
            claim = {"kind": "infimum", "lower": bound, "upper": upper}
            yield claim, {"by": "thin", "sets": self._proofs(bound)}, witness

    def _bounds(self) -> tuple[float, float, dict[str, Any]]:
        """A lower and an upper bound, and the proof of the latter."""
        self._look()
        for _ in range(ROUNDS):
            self._low_points()
            if self.best is None:
                raise CpcbenchError(f"no point of {self.subject.name} was found on its thin sets; {self._counted()}")
            upper, witness = self.best
            room = self.tolerance * max(1.0, abs(upper))
            target = upper - 0.5 * room
            self._deepen(target)
            lower = min(min(tree.bound, target) for tree in self.trees)
            self.tell(f"values on thin sets are at least {lower!r}, and one is at most {upper!r}")
            if upper - lower <= room or time.monotonic() > self.deadline:
                break
        if not math.isfinite(lower):
            raise CpcbenchError(f"no lower bound of {self.subject.name} on its thin sets was proven in the time")
        return lower, upper, witness

    def _counted(self) -> str:
        open_ = sum(not tree.complete for tree in self.trees)
        return f"of {len(self.trees)} sets {len(self.trees) - open_} are proven to be empty"

    def _look(self) -> None:
        """Short trees: which sets are empty, and where the others are low."""
        try:
            self.sets = list(thin_sets(self.subject).values())
        except RejectedError as trouble:
            raise CpcbenchError(f"the thin sets of {self.subject.name} are beyond this prover: {trouble}") from None
        if not self.sets:
            raise CpcbenchError(f"{self.subject.name} has no thin sets: no varying exponent has a negative base")
        share = LOOK * self.seconds / len(self.sets)
        self.trees = [self._grown(thin, FAR, share, LOOK_NODES) for thin in self.sets]
        self.tell(self._counted())

    def _grown(
        self, thin: ThinSet, target: float, seconds: float, most: int = MOST_NODES, state: Tree | None = None
    ) -> Tree:
        tape = Tape.of_formula(thin.subject.root, len(self.subject.bounds))
        low, high = zip(*self.subject.bounds, strict=True)
        return prove(tape, low, high, target, seconds=max(seconds, 0.0), max_nodes=most, state=state)

    def _low_points(self) -> None:
        open_ = sorted((tree.bound, place) for place, tree in enumerate(self.trees) if not tree.complete)
        until = time.monotonic() + WITNESS * self.seconds
        for rank, (bound, place) in enumerate(open_):
            if self.best is not None and (bound >= self.best[0] or time.monotonic() > until):
                return
            share = (max(until, self.deadline) if self.best is None else until) - time.monotonic()
            thin = self.sets[place]
            found = _witness(thin, _starts(self.trees[place]), max(share / (len(open_) - rank), 0.05))
            if found is not None and (self.best is None or found.upper < self.best[0]):
                proof = {"by": "thin", "exponents": list(thin.exponents), "witness": found.proof}
                self.best = found.upper, proof

    def _deepen(self, target: float) -> None:
        """Goes on with the trees until they prove the target, or their shares of the time are over."""
        for place, tree in enumerate(self.trees):
            if not tree.complete or tree.target < target:
                left = (self.deadline - time.monotonic()) / (len(self.trees) - place)
                self.trees[place] = self._grown(self.sets[place], target, left, state=tree)

    def _proofs(self, lower: float) -> list[dict[str, Any]]:
        return [
            {
                "exponents": list(thin.exponents),
                "lower": {"by": "tree", "threshold": lower, "tree": tree.text(lower)},
            }
            for thin, tree in zip(self.sets, self.trees, strict=True)
        ]


def _starts(tree: Tree) -> list[Points]:
    """Middles of the smallest boxes that are left, where the search went on the longest, and of the lowest."""
    low, high, bound = tree.leaves()
    left = np.flatnonzero(bound < tree.target)
    size = np.max((high - low)[left], axis=1, initial=0.0)
    order = [*left[np.argsort(size, kind="stable")[:STARTS]], *left[np.argsort(bound[left], kind="stable")[:STARTS]]]
    return list({(x := 0.5 * (low[k] + high[k])).tobytes(): x for k in order}.values())


def _witness(thin: ThinSet, starts: list[Points], seconds: float) -> Witness | None:
    """The lowest value found on the set; bases are held away from 0 only if the lowest values are where they are 0."""
    end = time.monotonic() + seconds
    for margin in MARGINS:
        try:
            with time_limit(end - time.monotonic()):
                found = _apart(thin, starts, margin, seconds)
        except OutOfTimeError:
            return None
        if found is not None:
            return found
    return None


def _apart(thin: ThinSet, starts: list[Points], margin: Fraction, seconds: float) -> Witness | None:
    """The lowest value found where no base is above the negative of the margin."""
    root = thin.subject.root
    sides = {id(c := -base - number(margin)): (c, -base) for base in thin.bases} if margin else {}
    for condition, _ in sides.values():
        root = root + 0 * node("sqrt", condition)
    found = best_witness(root, thin.subject.bounds, starts, rule="strict", seconds=seconds)
    if found is None:
        return None
    order, proof = postorder(root), copy.deepcopy(found.proof)
    for equation in proof.get("equations", ()):
        part = order[equation["node"]]
        if id(part) in sides:  # what is added here is not in the set's own formula
            equation.update(node=thin.subject.numbers[id(sides[id(part)][1])], value=str(margin))
    return replace(found, proof=proof) if _is_on(thin, proof, found.upper) else None


def _is_on(thin: ThinSet, proof: dict[str, Any], upper: float) -> bool:
    """Whether the checker sees a point with negative bases there."""
    try:
        check_witness(thin.subject, proof, upper)
        check_negative(thin, proof)
    except RejectedError:
        return False
    return True
