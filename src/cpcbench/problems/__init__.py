"""The suite: 25 functions with hidden domains and three classics, with their published facts.

The package can be called, because `cpcbench.problems()` lists them and shares its name.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cpcbench.problems.problem import Problem


class _CallablePackage(ModuleType):
    def __call__(self, rule: str = "ieee") -> list[Problem]:
        """All problems at their published sizes: the suite in order, then the registered ones."""
        from cpcbench.problems.registry import problems

        return problems(rule)


sys.modules[__name__].__class__ = _CallablePackage
