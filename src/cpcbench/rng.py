"""Random numbers as users ask for them: `rng` is a seed, a NumPy generator, or None for what nobody can repeat."""

from __future__ import annotations

from typing import Union

import numpy as np

from cpcbench.errors import CpcbenchError

Rng = Union[int, np.random.Generator, None]

WANTED = "a seed is a whole number from 0 on or a NumPy generator"


def generator_of(rng: Rng, seed: Rng = None) -> np.random.Generator:
    """The generator; `seed` is the older name of `rng`, and only one of them may be given."""
    if seed is not None and rng is not None:
        raise CpcbenchError("seed and rng are two names for the same: give one")
    given = seed if rng is None else rng
    try:
        return np.random.default_rng(given)
    except (TypeError, ValueError):
        raise CpcbenchError(f"{WANTED}, not {given!r}") from None


def seed_of_rng(rng: Rng, seed: Rng = None) -> int:
    """A seed that can be written down: the one given, else one drawn from the generator."""
    given = rng if seed is None else seed
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool) and given >= 0:
        return int(given)
    return int(generator_of(given).integers(2**63))
