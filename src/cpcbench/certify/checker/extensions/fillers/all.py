"""The extensions that know better ranges of single nodes, in the order in which they are asked."""

from __future__ import annotations

from cpcbench.certify.checker.core.program import Filler
from cpcbench.certify.checker.extensions.fillers import logarithm_powers, quotients, removable

FILLERS: tuple[Filler, ...] = (removable.fill, quotients.fill, logarithm_powers.fill)
