"""Proofs by parts: a part of the formula as a variable of its own, so that what is left has terms in single variables.

Where every variable enters through one part only, what is left is a function of that part. Where the part is a sum or
a product whose terms or factors have one variable each, and so have the other terms of the formula, Lagrange's
multipliers hold the two together, one for each piece of the part's range.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from cpcbench.certify.certificate.schema import ByParts, BySums, ByTree, ProvenLink, ProvenPiece, ProvenSum
from cpcbench.certify.checker.core.numbers import arithmetic
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.extensions.parts import relaxed, shares_of
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.certify.lower.bounds import Lower
from cpcbench.certify.lower.lines import Line, best_multiplier
from cpcbench.certify.lower.tree.proving import prove
from cpcbench.certify.times import Deadline
from cpcbench.clock import look_at_clock
from cpcbench.expr.nodes import COMPARISONS, Expr, node, var
from cpcbench.expr.rewriting import replaced, terms
from cpcbench.expr.walk import postorder, variables
from cpcbench.intervals.boxes import Boxes
from cpcbench.intervals.tape import Tape

Bounds = Sequence[tuple[float, float]]
Signed = list[tuple[int, Expr]]
Form = Literal["sum", "product"]

MOST_OPERATIONS, MOST_PIECES = 5_000, 2_000
NARROWEST = 1e-13
"""Pieces are not cut smaller than this, relative to where they are."""
LOST = 0.8
"""Of what is left above the target, the share that the trees of a piece may lose."""
LOOKS = 4
"""After so many halvings it is asked whether there is a hope at all."""
LONGEST_TREE, MOST_TREE = 2.0, 20_000
"""Seconds and nodes for one of them."""
BITS = 64


def lower_by_parts(root: Expr, bounds: Bounds, target: float, seconds: float) -> Lower | None:
    """The target as a lower bound, or something below it; None if no part makes the formula fall apart."""
    order = postorder(root)
    if len(order) > MOST_OPERATIONS or any(part.op in ("where", *COMPARISONS) for part in order):
        return None
    deadline = Deadline(seconds)
    numbers = {id(part): number for number, part in enumerate(order)}
    for whole in _with_all_variables(root, order):
        look_at_clock()
        ends = _range(whole, bounds)
        if ends is None:
            continue
        part = Part(root, list(bounds), whole, numbers[id(whole)], ends)
        if not part.others:
            return part.alone(target, deadline)
        pieces = part.pieces("product" if whole.op == "mul" else "sum")
        if pieces is not None:
            return pieces.proven(target, deadline)
    return None


def _with_all_variables(root: Expr, order: list[Expr]) -> list[Expr]:
    """The parts with all the variables of the formula, at least two, the innermost first."""
    used: dict[int, frozenset[int]] = {}
    for part in order:
        used[id(part)] = frozenset(variables(part)) if part.op == "var" else frozenset().union(
            *(used[id(a)] for a in part.args)
        )  # fmt: skip
    every = used[id(root)]
    return [part for part in order if part is not root and len(every) > 1 and used[id(part)] == every]


def _range(whole: Expr, bounds: Bounds) -> tuple[float, float] | None:
    """Between which numbers a part lies; None if it has no bounds, or one value only."""
    low, high = (np.array([side]) for side in zip(*bounds, strict=True))
    ranges = Boxes(whole, "strict")(low, high)
    ends = float(ranges[0][0]), float(ranges[1][0])
    return ends if math.isfinite(ends[0]) and math.isfinite(ends[1]) and ends[0] < ends[1] else None


@dataclass(frozen=True)
class Part:
    """A part of a formula, its number and its range."""

    root: Expr
    bounds: list[tuple[float, float]]
    whole: Expr
    number: int
    ends: tuple[float, float]

    @property
    def outer(self) -> Expr:
        """The formula with a variable for the part."""
        return replaced(self.root, {id(self.whole): var(len(self.bounds))})

    @property
    def others(self) -> list[int]:
        """The variables that the formula has besides the part."""
        return [v for v in variables(self.outer) if v != len(self.bounds)]

    def alone(self, target: float, deadline: Deadline) -> Lower | None:
        """A lower bound of the formula as a function of nothing but the part."""
        n, outer = len(self.bounds), self.outer
        if Line([(1, outer)], [], n, self.ends).least(0.0) < target:
            return None  # the part does not come as near to where this is least as its range
        low, high = zip(*self.bounds, self.ends, strict=True)
        tree = prove(Tape.of_formula(outer, n + 1), low, high, target, seconds=deadline.left(), max_nodes=MOST_TREE)
        bound = min(tree.bound, target)
        if not math.isfinite(bound):
            return None
        piece = ProvenPiece("0", ByTree(bound, tree.text(bound)))
        return Lower(bound, proof=ByParts(self.number, "sum", list(self.ends), [piece]))

    def pieces(self, form: Form) -> Pieces | None:
        """The part as a sum or a product; None if not everything falls apart into single variables."""
        subject = Subject("", self.root, self.bounds, "regular")
        try:
            with arithmetic("arb", BITS):
                shares = shares_of(subject, self.whole, form)
        except RejectedError:
            return None
        if any(len(variables(term)) > 1 for _, term in [*shares, *terms(self.outer)]):
            return None
        return Pieces(self, subject, form, shares)


class Pieces:
    """A formula that falls apart into single variables once a part of it has a value, and its pieces."""

    def __init__(self, part: Part, subject: Subject, form: Form, shares: Signed) -> None:
        self.part, self.subject, self.form, self.shares = part, subject, form, shares
        self.n = len(part.bounds)
        self._trees: dict[object, str | None] = {}
        s = var(self.n)
        alone = [(sign, term) for sign, term in terms(part.outer) if variables(term) in ([], [self.n])]
        self.own = Line(alone, [(-1, s if form == "sum" else node("ln", s))], self.n, part.ends)
        self.lines = [
            Line(_in(v, terms(part.outer)), _in(v, shares), v, ends)
            for v, ends in enumerate(part.bounds)
            if v in variables(part.root)
        ]

    def proven(self, target: float, deadline: Deadline) -> Lower | None:
        """The target as a lower bound, if all pieces reach it."""
        waiting, done = [(*self.part.ends, 0.0, 0)], []
        while waiting:
            look_at_clock()
            low, high, k, depth = waiting.pop()
            k, piece = self._piece(self.own.between(low, high), k, target, deadline)
            if piece is not None:
                done.append((high, piece))
                continue
            middle = math.sqrt(low) * math.sqrt(high) if low > 0.0 else 0.5 * (low + high)
            narrow = not low < middle < high or high - low <= NARROWEST * max(abs(low), abs(high))
            if narrow or len(done) + len(waiting) > MOST_PIECES or deadline.is_over():
                return None
            if depth % LOOKS == 0 and not self._reaches(middle, k, target):
                return None
            waiting += [(middle, high, k, depth + 1), (low, middle, k, depth + 1)]
        cuts = [self.part.ends[0], *(high for high, _ in done)]
        return Lower(target, proof=ByParts(self.part.number, self.form, cuts, [piece for _, piece in done]))

    def _reaches(self, s: float, k: float, target: float) -> bool:
        """Whether a piece of nothing but this value can reach the target: else no piece with it can."""
        lines = [*self.lines, self.own.between(s, s)]
        k = best_multiplier(lines, k)
        return sum(line.least(k) for line in lines) > target

    def _piece(self, own: Line, k: float, target: float, deadline: Deadline) -> tuple[float, ProvenPiece | None]:
        """The best multiplier found for a piece, and the proof that it reaches the target, if it does."""
        lines = [*self.lines, own]
        k = best_multiplier(lines, k)
        least = [line.least(k) for line in lines]
        room = sum(least) - target
        if not 0.0 < room < math.inf:  # where a line is defined nowhere, as far as a grid tells, nothing is known
            return k, None
        written = f"{k:.12g}"
        root = relaxed(self.subject, self.part.whole, self.form, self.shares, Fraction(written))
        every, links = terms(root), []
        for line, value in zip(lines, least, strict=True):
            places = [i for i, (_, term) in enumerate(every) if (variables(term) or [self.n]) == [line.v]]
            threshold = value - LOST * room / len(lines)
            tree = self._tree(line, k, threshold, [every[i] for i in places], root, deadline)
            if tree is None:
                return k, None
            links.append(ProvenLink(places, [line.v], threshold, [], [], tree))
        if sum((Fraction(link.threshold) for link in links), Fraction(0)) < Fraction(target):
            return k, None
        proof = ProvenSum(len(postorder(root)) - 1, "min", target, links, {})
        return k, ProvenPiece(written, BySums([proof]))

    def _tree(self, line: Line, k: float, goal: float, signed: Signed, root: Expr, deadline: Deadline) -> str | None:
        """The tree of the terms in one variable; the same for terms that are the same but for its name."""
        key = (*line.key, k, goal)
        if key not in self._trees:
            tape, seconds = Tape.of(signed, [line.v], formula=root), min(deadline.left(), LONGEST_TREE)
            tree = prove(tape, line.ends[:1], line.ends[1:], goal, seconds=seconds, max_nodes=MOST_TREE)
            self._trees[key] = tree.text(goal) if tree.complete else None
        return self._trees[key]


def _in(v: int, signed: Signed) -> Signed:
    """The terms in one variable."""
    return [(sign, term) for sign, term in signed if variables(term) == [v]]
