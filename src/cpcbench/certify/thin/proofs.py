"""Proofs on thin sets: a lower bound on each, by a tree for the formula that it is there, and a low point on one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np

from cpcbench.certify.certificate.form import written
from cpcbench.certify.certificate.schema import (
    ByFamily,
    ByPinnedBox,
    ByThinPoint,
    ByThinSets,
    ByTree,
    Claim,
    Equation,
    PointProof,
    ProvenSet,
)
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.core.witness import check_witness
from cpcbench.certify.checker.extensions.thin import ThinSet, check_negative, thin_sets, varying_powers
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.certify.lower.bounds import LOOSER, room_at
from cpcbench.certify.lower.tree.grown import MOST_NODES, Tree
from cpcbench.certify.lower.tree.proving import prove
from cpcbench.certify.means import Tell
from cpcbench.certify.times import Deadline
from cpcbench.certify.unbounded.families import family_along
from cpcbench.certify.upper.balls import exact_point
from cpcbench.certify.upper.pinned import Pin, number
from cpcbench.certify.upper.proofs import Witness
from cpcbench.certify.upper.vanishing import Vanishing
from cpcbench.certify.upper.witness import witnesses
from cpcbench.clock import OutOfTimeError, time_limit
from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import node
from cpcbench.expr.walk import postorder
from cpcbench.intervals.tape import Tape
from cpcbench.points import Points

FAR = 1e300
"""No value is so high: a tree that is closed at this is about an empty set."""

LOOK_NODES, STARTS, LOOK, WITNESS = 3000, 6, 0.2, 0.1
"""Nodes of the first trees, points tried on a set at a time, and the shares of the time for both."""

MARGINS = tuple(Fraction(1, 2**k) if k else Fraction(0) for k in (0, 40, 20, 10))
"""How far from 0 bases are held, the first that gives a point."""

ROUNDS = 4
"""How often better points are looked for where the trees are lowest."""


class ThinWork:
    """The trees of all thin sets of a formula, and the lowest value found on them."""

    def __init__(self, subject: Subject, tolerance: float, seconds: float, tell: Tell) -> None:
        self.subject, self.tolerance, self.tell = subject, tolerance, tell
        self.deadline = Deadline(seconds)
        self.sets: list[ThinSet] = []
        self.trees: list[Tree] = []
        """One for each set."""
        self.best: tuple[float, ByThinPoint] | None = None

    def families(self, seconds: float) -> Iterator[ByFamily]:
        """Proofs that the formula has no lower bound, from sets with a negative exponent on which none is known yet."""
        self._look()
        deadline = Deadline(seconds)
        powers, bounds = varying_powers(self.subject.root), self.subject.bounds
        for thin, tree in zip(self.sets, self.trees, strict=True):
            chosen = [(power, n) for power, n in zip(powers, thin.exponents, strict=True) if n is not None]
            held = tuple(Pin(power.args[1], Fraction(n)) for power, n in chosen)
            falling = [power.args[0] for power, n in chosen if n < 0 and tree.bound == -math.inf]
            for base, x in product(falling, _starts(tree)):
                try:
                    with time_limit(deadline.left()):
                        found = family_along(
                            self.subject.root, bounds, "ieee", exact_point(x), Vanishing(base, (-1,), held)
                        )
                except OutOfTimeError:
                    return
                if found is not None:
                    yield found

    def claims(self) -> Iterator[tuple[Claim, ByThinSets, ByThinPoint]]:
        """The claim, and the proofs of its lower and its upper bound; then looser ones."""
        lower, upper, witness = self._bounds()
        scale = max(1.0, abs(lower))
        for share in (0.0, *LOOSER):
            bound = lower - share * scale
            yield Claim("infimum", bound, upper), self._proofs(bound), witness

    def _bounds(self) -> tuple[float, float, ByThinPoint]:
        """A lower and an upper bound, and the proof of the latter."""
        self._look()
        for _ in range(ROUNDS):
            self._low_points()
            if self.best is None:
                raise CpcbenchError(f"no point of {self.subject.name} was found on its thin sets; {self._counted()}")
            upper, witness = self.best
            room = room_at(self.tolerance, upper)
            target = upper - 0.5 * room
            self._deepen(target)
            lower = min(min(tree.bound, target) for tree in self.trees)
            self.tell(f"values on thin sets are at least {lower!r}, and one is at most {upper!r}")
            if upper - lower <= room or self.deadline.is_over():
                break
        if not math.isfinite(lower):
            raise CpcbenchError(f"no lower bound of {self.subject.name} on its thin sets was proven in the time")
        return lower, upper, witness

    def _counted(self) -> str:
        open_ = sum(not tree.complete for tree in self.trees)
        return f"of {len(self.trees)} sets {len(self.trees) - open_} are proven to be empty"

    def _look(self) -> None:
        """Short trees: which sets are empty, and where the others are low."""
        if self.sets:
            return
        try:
            self.sets = list(thin_sets(self.subject).values())
        except RejectedError as trouble:
            raise CpcbenchError(f"the thin sets of {self.subject.name} are beyond this prover: {trouble}") from None
        if not self.sets:
            raise CpcbenchError(f"{self.subject.name} has no thin sets: no varying exponent has a negative base")
        share = LOOK * self.deadline.seconds / len(self.sets)
        self.trees = [self._grown(thin, FAR, share, LOOK_NODES) for thin in self.sets]
        self.tell(self._counted())

    def _grown(
        self, thin: ThinSet, target: float, seconds: float, most: int = MOST_NODES, state: Tree | None = None
    ) -> Tree:
        tape = Tape.of_formula(thin.subject.root, len(self.subject.bounds))
        low, high = zip(*self.subject.bounds, strict=True)
        return prove(tape, low, high, target, seconds=seconds, max_nodes=most, state=state)

    def _low_points(self) -> None:
        open_ = sorted((tree.bound, place) for place, tree in enumerate(self.trees) if not tree.complete)
        until = Deadline(WITNESS * self.deadline.seconds)
        for rank, (bound, place) in enumerate(open_):
            if self.best is not None and (bound >= self.best[0] or until.is_over()):
                return
            share = max(until.left(), self.deadline.left()) if self.best is None else until.left()
            thin = self.sets[place]
            found = _witness(thin, _starts(self.trees[place]), max(share / (len(open_) - rank), 0.05))
            if found is not None and (self.best is None or found.upper < self.best[0]):
                self.best = found.upper, ByThinPoint(list(thin.exponents), found.proof)

    def _deepen(self, target: float) -> None:
        """Goes on with the trees until they prove the target, or their shares of the time are over."""
        for place, tree in enumerate(self.trees):
            if not tree.complete or tree.target < target:
                left = self.deadline.left(len(self.trees) - place)
                self.trees[place] = self._grown(self.sets[place], target, left, state=tree)

    def _proofs(self, lower: float) -> ByThinSets:
        parts = zip(self.sets, self.trees, strict=True)
        return ByThinSets([ProvenSet(list(thin.exponents), ByTree(lower, tree.text(lower))) for thin, tree in parts])


def _starts(tree: Tree) -> list[Points]:
    """Middles of the smallest boxes that are left, where the search went on the longest, and of the lowest."""
    low, high, bound = tree.leaves()
    left = np.flatnonzero(bound < tree.target)
    size = np.max((high - low)[left], axis=1, initial=0.0)
    order = [*left[np.argsort(size, kind="stable")[:STARTS]], *left[np.argsort(bound[left], kind="stable")[:STARTS]]]
    return list({(x := 0.5 * (low[k] + high[k])).tobytes(): x for k in order}.values())


def _witness(thin: ThinSet, starts: list[Points], seconds: float) -> Witness | None:
    """The lowest value found on the set; bases are held away from 0 only if the lowest values are where they are 0."""
    deadline = Deadline(seconds)
    for margin in MARGINS:
        try:
            with time_limit(deadline.left()):
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
    found = witnesses(root, thin.subject.bounds, starts, rule="strict", seconds=seconds)
    if not found:
        return None
    order, proof = postorder(root), found[0].proof
    if isinstance(proof, ByPinnedBox):
        equations = list(proof.equations)
        for k, equation in enumerate(equations):
            part = order[equation.node]
            if id(part) in sides:  # what is added here is not in the set's own formula
                equations[k] = Equation(thin.subject.numbers[id(sides[id(part)][1])], str(margin))
        proof = replace(proof, equations=equations)
    return replace(found[0], proof=proof) if _is_on(thin, proof, found[0].upper) else None


def _is_on(thin: ThinSet, proof: PointProof, upper: float) -> bool:
    """Whether the checker sees a point with negative bases there."""
    try:
        check_witness(thin.subject, written(proof), upper)
        check_negative(thin, written(proof))
    except RejectedError:
        return False
    return True
