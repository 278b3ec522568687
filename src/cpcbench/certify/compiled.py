"""How the prover's compiled parts are made and kept: once for all formulas, since they interpret a tape."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from numba import njit
from numba.core.caching import FunctionCache

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compiled by Numba together with what calls it; every operation is rounded as IEEE 754 says."""
    made: F = njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
    return made


def entry(function: F) -> F:
    """A compiled function called from Python: kept on disk, with all that it calls, for later processes."""
    made: Any = njit(nogil=True, error_model="numpy")(function)
    made._cache = _Kept(function)
    kept: F = made
    return kept


class _Kept(FunctionCache):  # type: ignore[misc]
    """Numba looks for changes in one file only; here what is kept goes with the text of the whole package."""

    def _index_key(self, *args: Any) -> tuple[Any, ...]:
        return (*super()._index_key(*args), _sources())


KERNELS = (
    "bounding.py", "branching.py", "compiled.py", "contract.py", "forward.py", "heap.py", "intervals.py",
    "inverses.py", "ops.py", "powers.py", "reverse.py", "slopes.py", "table_ranges.py", "tree_kernel.py",
    "tree_store.py",
)  # fmt: skip
"""The files with compiled functions."""


@cache
def _sources() -> str:
    files = [Path(__file__).with_name(name) for name in KERNELS]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
