"""Bridges: a problem as the object another library optimises, one file a library.

The library is imported when its bridge is first asked for.
"""

from __future__ import annotations

import importlib
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from cpcbench.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable

    from cpcbench.problems.problem import Problem
    from cpcbench.readings.gpu.reading import GpuReading

LIBRARIES = ("ioh", "nevergrad", "optuna", "pygmo", "pymoo")


def bridged(problem: Bridges, library: str, undefined: str) -> Any:
    """The problem as an object of the library; `undefined` says what it gets for an undefined value."""
    try:
        module = importlib.import_module(f"cpcbench.problems.bridges.{library}")
    except ImportError as error:
        if (error.name or "").partition(".")[0] != library:
            raise
        words = f'as_{library} needs a library that is missing: pip install "cpcbench[{library}]"'
        raise MissingExtraError(words) from error
    return module.build(problem, undefined)


class Bridges:
    """The problem in other libraries' loops; `undefined` is what they get: "nan", "inf" or "penalty" (1e100)."""

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

    def as_jax(self, undefined: str = "nan") -> Callable[[Any], Any]:
        """A function of JAX arrays that can be compiled and differentiated; slopes are 0 where it is undefined."""
        made: Callable[[Any], Any] = bridged(self, "jax", undefined)
        return made

    @cached_property
    def gpu(self) -> GpuReading:
        """The kernels on a graphics card, by CuPy: `p.gpu(points)` for arrays, and points drawn there."""
        from cpcbench.readings.gpu.reading import GpuReading

        problem = cast("Problem", self)
        return GpuReading(lambda: problem.fast.plan, problem.names)

    def arrays(self, xp: Any) -> Callable[[Any], Any]:
        """A function of arrays of a library such as numpy, cupy, jax.numpy or torch; NaN where undefined."""
        from cpcbench.readings.doubles.namespaces import ArrayFunction

        problem: Any = self
        return ArrayFunction(problem.expression, problem.dim, problem.rule, xp)
