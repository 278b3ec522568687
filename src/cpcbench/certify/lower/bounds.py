"""Proven lower bounds with the objects of their certificates, and weaker ones that follow from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from cpcbench.certify.certificate.schema import Box, BySums, ByTree, LowerProof, Part
from cpcbench.certify.lower.tree.grown import Tree
from cpcbench.expr.nodes import Expr
from cpcbench.intervals.boxes import Boxes

NATURAL = BySums([])
"""The range of the whole formula over the whole box, nothing besides."""

LOOSER = (1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
"""How far below its bound a tree is cut short where its leaves are too tight for another program's rounding,
relative above 1."""

TINY = 1e-300
"""A lower bound this near to 0 is 0, but for rounding."""

FIRST, LAST, HALVINGS = -15, 3, 40
"""The natural bound is lowered by ten to these powers, relative above 1, until the checker sees it, and then raised
again by halving what was too much."""


@dataclass(frozen=True)
class Lower:
    """A lower bound, what it holds for (empty: what any proof of the formula holds for), its proof, the boxes where
    the optima are if the proof tells, and the tree if it is one."""

    bound: float
    part: Part | Literal[""] = ""
    proof: LowerProof = NATURAL
    optima: list[Box] | None = None
    tree: Tree | None = None

    def weaker(self, upper: float) -> Iterator[Lower]:
        """The bound itself first; no lower bound is above an upper one."""
        first = self if self.bound <= upper else self.lowered(upper)
        yield first
        if first.optima is not None:
            yield replace(first, optima=None)
        scale = max(1.0, abs(first.bound))
        yield from (self.lowered(first.bound - share * scale) for share in LOOSER)

    def lowered(self, bound: float) -> Lower:
        """The same proof of a lower bound; a tree is cut short where it proves that much."""
        if self.tree is None:
            return replace(self, bound=bound, optima=None)
        return replace(self, bound=bound, proof=ByTree(bound, self.tree.text(bound)), optima=None)


def lower_by_tree(tree: Tree, upper: float) -> Lower:
    """What a tree proves."""
    bound = min(tree.bound, tree.target)
    return Lower(bound, proof=ByTree(bound, tree.text(bound)), optima=tree.optima(upper), tree=tree)


def gap_line(lower: float, upper: float, seconds: float) -> str:
    """What is known at some time, in words."""
    return f"no value is below {lower!r}, some is at most {upper!r}, gap {upper - lower:.1e} ({seconds:.0f} s)"


def room_at(tolerance: float, value: float) -> float:
    """What may be left open at a value: the tolerance is relative, absolute below 1."""
    return tolerance * max(1.0, abs(value))


def natural_end(root: Expr, bounds: Sequence[tuple[float, float]], rule: str) -> float:
    """The lower end of the formula's range over its box, as the ranges of its parts give it."""
    low, high = (np.array([side]) for side in zip(*bounds, strict=True))
    return float(Boxes(root, rule)(low, high)[0][0])


def natural_bound(
    bound: float, upper: float, parts: Sequence[Part], accepts: Callable[[float, Part], bool]
) -> tuple[float, Part] | None:
    """The natural bound, or what is accepted of it, and the part that it holds for; None if nothing is accepted.

    That the checker's ranges are as narrow as the prover's is likely, and not needed.
    """
    exact = min(0.0 if abs(bound) < TINY else bound, upper)
    for number in (exact, _rounded(exact)):
        for part in parts:
            if accepts(number, part):
                return number, part
    part, scale, high = parts[-1], max(1.0, abs(exact)), exact
    for power in range(FIRST, LAST + 1):
        low = exact - scale * 10.0**power
        if math.isfinite(low) and accepts(low, part):
            return _raised(low, high, lambda number: accepts(number, part)), part
        high = low
    return None


def _raised(low: float, high: float, accepts: Callable[[float], bool]) -> float:
    """The largest number found that is accepted, from one that is up to one that is not."""
    for _ in range(HALVINGS):
        middle = low + 0.5 * (high - low)
        if not low < middle < high or high - low <= 1e-15 * max(1.0, abs(low)):
            break
        low, high = (middle, high) if accepts(middle) else (low, middle)
    return low


def _rounded(bound: float) -> float:
    """A little lower, so that another program's rounding cannot matter."""
    return bound - 1e-13 * (1.0 + abs(bound)) if math.isfinite(bound) and bound != 0.0 else bound
