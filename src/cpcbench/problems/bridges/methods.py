"""The methods by which a problem goes into other libraries' loops.

`undefined` is what these get for an undefined value: "nan", "inf" or "penalty" (1e100).
"""

from __future__ import annotations

from typing import Any

from cpcbench.problems.bridges import bridged


class Bridges:
    """What every problem can become."""

    def as_pymoo(self, undefined: str = "inf") -> Any:
        """A pymoo Problem; with "constraint", undefined points violate a constraint instead."""
        return bridged(self, "pymoo", undefined)

    def as_ioh(self, undefined: str = "inf") -> Any:
        """A problem of IOHexperimenter, for its algorithms and loggers."""
        return bridged(self, "ioh", undefined)

    def as_nevergrad(self, undefined: str = "inf") -> Any:
        """A nevergrad ExperimentFunction: call it, and give its `parametrization` to an optimizer."""
        return bridged(self, "nevergrad", undefined)

    def as_optuna(self, undefined: str = "nan") -> Any:
        """An objective for Optuna's `study.optimize`; NaN is a failed trial there, "pruned" a pruned one."""
        return bridged(self, "optuna", undefined)

    def as_pygmo(self, undefined: str = "inf") -> Any:
        """A pygmo problem, with batch evaluation."""
        return bridged(self, "pygmo", undefined)
