"""What a library gets where a problem is undefined, by the same words for all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.errors import CpcbenchError

if TYPE_CHECKING:
    from cpcbench.problems.problem import Problem

UNDEFINED = {"nan": math.nan, "inf": math.inf, "penalty": 1e100}
"""The words and values of the solvers' objective."""


def check_undefined(word: str, *more: str) -> str:
    """The word, if it is one of the table or of those besides."""
    known = (*UNDEFINED, *more)
    if word not in known:
        raise CpcbenchError(f"unknown word {word!r} for undefined values: there are {', '.join(known)}")
    return word


@dataclass(frozen=True)
class Values:
    """The problem as a function that gives the value asked for where it is undefined; it can be pickled."""

    problem: Problem
    undefined: str

    def __call__(self, x: ArrayLike) -> Any:
        """A float for one point, an array for (m, n)."""
        found = self.problem(x)
        if isinstance(found, float):
            return UNDEFINED[self.undefined] if found != found else found
        return np.where(np.isnan(found), UNDEFINED[self.undefined], found)
