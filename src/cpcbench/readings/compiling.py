"""How compiled code that serves every formula is made and kept on disk: by Numba, under the text of its sources."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from numba import njit
from numba.core.caching import FunctionCache

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compiled together with what calls it; every operation is rounded as IEEE 754 says."""
    made: F = njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
    return made


def kept(sources: Callable[[], Iterable[Path]]) -> Callable[[F], F]:
    """For functions called from Python: kept with all that they call, as long as no source changes.

    Numba itself looks for changes in the function's own file only.
    """

    @cache
    def mark() -> str:
        return hashlib.sha256(b"".join(file.read_bytes() for file in (Path(__file__), *sources()))).hexdigest()

    class Kept(FunctionCache):  # type: ignore[misc]
        def _index_key(self, *args: Any) -> tuple[Any, ...]:
            return (*super()._index_key(*args), mark())

    def entry(function: F) -> F:
        made: Any = njit(nogil=True, error_model="numpy")(function)
        made._cache = Kept(function)
        result: F = made
        return result

    return entry
