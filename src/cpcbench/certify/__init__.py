"""Proofs of how low a formula can be: certificates, and the program that makes them.

The package can be called, because `cpcbench.certify(problem)` makes a certificate and shares its name.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cpcbench.certify.certificate.certificate import Certificate
    from cpcbench.problems.problem import Problem


class _CallablePackage(ModuleType):
    def __call__(self, problem: Problem | str, bounds: Any = None, **settings: Any) -> Certificate:
        """A certificate of the infimum of a problem, or of a formula over bounds; see `cpcbench.certify.making`."""
        from cpcbench.certify.making import certify

        return certify(problem, bounds, **settings)


sys.modules[__name__].__class__ = _CallablePackage
