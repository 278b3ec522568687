"""Random numbers as users ask for them: `rng` is a seed, a NumPy generator, or None for what nobody can repeat."""

from __future__ import annotations

from typing import Union

import numpy as np

from cpcbench.errors import CpcbenchError

Rng = Union[int, np.random.Generator, None]


def generator_of(rng: Rng, seed: Rng = None) -> np.random.Generator:
    """The generator; `seed` is an older name of `rng`, and only one of them may be given."""
    given = _given(rng, seed, unless=None)
    try:
        return np.random.default_rng(given)
    except (TypeError, ValueError):
        raise CpcbenchError(f"a seed is a whole number from 0 on or a NumPy generator, not {given!r}") from None


def seed_of(rng: Rng, seed: Rng = None) -> int:
    """A seed that can be written down, 0 unless one is given; one drawn from a generator, if that is given."""
    given = _given(rng, seed, unless=0)
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool) and given >= 0:
        return int(given)
    if given is None or isinstance(given, np.random.Generator):
        return int(np.random.default_rng(given).integers(2**63))
    raise CpcbenchError(f"a seed is a whole number from 0 on or a NumPy generator, not {given!r}")


def _given(rng: Rng, seed: Rng, unless: int | None) -> Rng:
    if seed is not None and rng is not unless:
        raise CpcbenchError("seed and rng are two names for the same: give one")
    return rng if seed is None else seed
