"""What a library gets where a problem is undefined, by the same words for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.problems.undefined import POLICIES

if TYPE_CHECKING:
    from cpcbench.problems.problem import Problem


@dataclass(frozen=True)
class Values:
    """The problem as a function that gives the value asked for where it is undefined; it can be pickled."""

    problem: Problem
    undefined: str

    def __call__(self, x: ArrayLike) -> Any:
        """A float for one point, an array for (m, n)."""
        found = self.problem(x)
        if isinstance(found, float):
            return POLICIES[self.undefined] if found != found else found
        return np.where(np.isnan(found), POLICIES[self.undefined], found)
