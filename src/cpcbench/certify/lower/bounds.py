"""Proven lower bounds with the objects of their certificates, and weaker ones that follow from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cpcbench.certify.lower.tree.grown import Tree

NATURAL: dict[str, Any] = {"by": "sums", "sums": []}
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
    part: str = ""
    proof: dict[str, Any] = field(default_factory=lambda: dict(NATURAL))
    optima: list[list[list[float]]] | None = None
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
        proof = {"by": "tree", "threshold": bound, "tree": self.tree.text(bound)}
        return replace(self, bound=bound, proof=proof, optima=None)


def lower_by_tree(tree: Tree, upper: float) -> Lower:
    """What a tree proves."""
    bound = min(tree.bound, tree.target)
    proof = {"by": "tree", "threshold": bound, "tree": tree.text(bound)}
    return Lower(bound, proof=proof, optima=tree.optima(upper), tree=tree)


def natural_bound(
    bound: float, upper: float, parts: Sequence[str], accepts: Callable[[float, str], bool]
) -> tuple[float, str] | None:
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
