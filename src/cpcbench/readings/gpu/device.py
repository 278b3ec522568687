"""A CUDA source on a card, compiled by CuPy while the program runs."""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import Any

from cpcbench.errors import CpcbenchError, MissingExtraError

OPTIONS = ("--std=c++17", "--fmad=false")
"""No product and sum are contracted: the operations are those of the formula."""


@lru_cache(maxsize=1)
def cupy() -> Any:
    """CuPy, if it is installed and sees a card."""
    try:
        found = importlib.import_module("cupy")
    except ImportError:
        raise MissingExtraError(
            'a graphics card is reached by CuPy, which is missing: pip install "cpcbench[gpu]"'
        ) from None
    try:
        count = found.cuda.runtime.getDeviceCount()
    except Exception as error:
        raise CpcbenchError(f"CuPy sees no card: {error}") from None
    if not count:
        raise CpcbenchError("CuPy sees no card")
    return found


def has_card() -> bool:
    try:
        cupy()
    except CpcbenchError:
        return False
    return True


class CardModule:
    """The kernels of a source, by name."""

    def __init__(self, source: str) -> None:
        self.xp = cupy()
        self._module = self.xp.RawModule(code=source, options=OPTIONS)

    def launch(self, name: str, threads: int, *args: Any) -> None:
        """Runs a kernel on about so many threads, in blocks of 256; it does not wait for the end."""
        self._module.get_function(name)((max(1, threads // 256),), (256,), args)

    def wait(self) -> None:
        self.xp.cuda.get_current_stream().synchronize()
