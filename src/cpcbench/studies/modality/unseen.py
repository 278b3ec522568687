"""How many kinds a sample has not met: what ecologists ask of species, here of parts and of minima."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Unseen:
    """From how often each kind was met.

    `seen` kinds, `singletons` met once and `doubletons` met twice; `expected` is Chao's lower estimate
    of the number of all kinds (Chao 1984, in its form without bias), `coverage` Good's estimate of
    the chance that the next draw is of a kind already seen (Good 1953). Both suppose independent draws.
    """

    seen: int
    singletons: int
    doubletons: int
    expected: float
    coverage: float


def unseen(counts: Iterable[int]) -> Unseen:
    """The estimates; kinds with a count of 0 were met by other means and are not of the sample."""
    met = [c for c in counts if c > 0]
    once, twice, draws = met.count(1), met.count(2), sum(met)
    extra = (draws - 1) / draws * once * (once - 1) / (2.0 * (twice + 1)) if draws else 0.0
    return Unseen(len(met), once, twice, len(met) + extra, 1.0 - once / draws if draws else 0.0)
