"""Methods: one file each, readable beside its paper, and how they are found by name.

The package can be called, because `cpcbench.solvers()` names them and shares its name.
"""

from __future__ import annotations

import sys
from types import ModuleType


class _CallablePackage(ModuleType):
    def __call__(self) -> list[str]:
        """The names of all solvers that can be used."""
        from cpcbench.solvers.registry import solvers

        return solvers()


sys.modules[__name__].__class__ = _CallablePackage
