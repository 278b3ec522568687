"""The random state that all code of a process shares: given to each run afresh, watched, and given back."""

from __future__ import annotations

import random
from types import TracebackType
from typing import Any

import numpy as np

_shared: Any = np.random
"""The one place of the package that reads NumPy's shared state, on behalf of solvers that use it."""

_BRANCH = 1
"""Appended to a run's spawn key, so that the shared state is another stream than the run's own generator."""


class GlobalRandom:
    """`with GlobalRandom(seed) as shared:` a solver that draws from `random` or `np.random` repeats itself too.

    Whatever drew before, the state inside depends on the seed alone; afterwards it is as it was.
    """

    def __init__(self, seed: np.random.SeedSequence) -> None:
        branch = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, _BRANCH), pool_size=seed.pool_size)
        self._words = branch.generate_state(8)
        self._generator = np.random.MT19937(branch)

    def __enter__(self) -> GlobalRandom:
        self._python = random.getstate()
        self._numpy_generator = _shared.get_bit_generator()
        self._numpy = _shared.get_state(legacy=False)
        random.seed(self._words.tobytes())
        _shared.set_bit_generator(self._generator)
        self._first = self._states()
        return self

    def used(self) -> list[str]:
        """The modules whose shared state has moved since the beginning."""
        names = ("random", "numpy.random")
        return [name for name, a, b in zip(names, self._first, self._states(), strict=True) if a != b]

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        random.setstate(self._python)
        _shared.set_bit_generator(self._numpy_generator)
        if isinstance(self._numpy_generator, np.random.MT19937):  # others keep their state themselves
            _shared.set_state(self._numpy)

    def _states(self) -> tuple[Any, Any]:
        state = _shared.get_state(legacy=False)
        inner = {name: np.asarray(value).tobytes() for name, value in state.pop("state").items()}
        return random.getstate(), (id(_shared.get_bit_generator()), state, inner)
