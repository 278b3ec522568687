"""The formula as a function on arrays of any library: NumPy, CuPy, JAX, PyTorch.

An operation is the library's function of the same name. Where a library differentiates, an operand at which the
operation is undefined, or is not needed, is replaced *before* the operation: nothing that has no slope is ever
differentiated, so that gradients are finite wherever the formula has a value and a slope, and 0 where it is undefined.
"""

from __future__ import annotations

import importlib
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from cpcbench.errors import CpcbenchError, PointError
from cpcbench.expr.functions import PAIRS
from cpcbench.expr.nodes import COMPARISONS, Expr, index
from cpcbench.expr.walk import postorder
from cpcbench.readings.domain.requirements import Requirement, domain_requirements, overflow_requirements
from cpcbench.readings.doubles.arrays import relations
from cpcbench.readings.doubles.ranges import ranges
from cpcbench.readings.reals.reference import constant_values

Array = Any
"""An array of the library's; or a float, where it is the same at all points."""

SAFE: dict[str, float] = {"at least 1": 2.0}
"""A number that meets a requirement, at which every function is smooth; 0.5 unless it is here."""

PLAIN = {"add", "sub", "neg", "abs", "floor", "ceil", "round", "sign", "whole", "where", "given", *COMPARISONS}
"""Operations whose slopes are finite whatever their operands are."""

NO_GRADIENTS = {"numpy", "cupy"}


class ArrayFunction:
    """Call it with an array whose last axis is the point; NaN where undefined, in the type of the array's numbers."""

    def __init__(self, root: Expr, dim: int, rule: str, xp: Any) -> None:
        self._name = str(getattr(xp, "__name__", xp))
        if not callable(getattr(xp, "where", None)):
            raise CpcbenchError(f"arrays() takes a library of arrays, such as numpy, jax.numpy or torch, not {xp!r}")
        self._root, self._dim, self._xp = root, dim, xp
        self._order = postorder(root)
        self._free = constant_values(root)
        self._operations = {node.op: _operation(node.op, xp) for node in self._order if node.args}
        self._relations = relations(xp)
        self._asked: dict[int, list[Requirement]] = {}
        for one in [*domain_requirements(root, rule=rule), *overflow_requirements([root], ranges([root]))]:
            self._asked.setdefault(id(one.node), []).append(one)

    def __call__(self, x: Array) -> Array:
        if not hasattr(x, "shape"):
            x = self._xp.asarray(x)
        if not x.shape or x.shape[-1] != self._dim:
            raise PointError(
                f"points here have {self._dim} coordinates: expected shape (..., {self._dim}), got {x.shape}"
            )
        x = x * 1.0 if "float" not in str(x.dtype) else x
        with np.errstate(all="ignore"):
            return self._values(x)

    def _values(self, x: Array) -> Array:
        fixed = x.detach() if hasattr(x, "detach") else x  # PyTorch need not remember how the domain was found
        run = _Run(self._xp, fixed, self._free)
        defined: dict[int, Array] = {}
        for node in self._order:
            run.put(node, self._operations.get(node.op))
            defined[id(node)] = self._is_defined(node, run, defined)
        ok = run.flag(defined[id(self._root)]) & self._xp.isfinite(run.array(self._root))
        if self._name.partition(".")[0] not in NO_GRADIENTS:
            run = self._again(x, run, ok)
        return self._xp.where(ok, run.array(self._root), np.nan)

    def _is_defined(self, node: Expr, run: _Run, defined: dict[int, Array]) -> Array:
        if id(node) in self._free and node.op not in COMPARISONS:
            return self._free[id(node)] == self._free[id(node)]
        if node.op == "where":
            test, yes, no = (defined[id(a)] for a in node.args)
            return run.flag(test) & self._xp.where(run.values[id(node.args[0])], run.flag(yes), run.flag(no))
        found: Array = True
        for argument in node.args:
            found = _both(found, defined[id(argument)])
        for one in self._asked.get(id(node), ()):
            found = _both(found, self._relations[one.relation](*[run.array(operand) for operand in one.operands]))
        return found

    def _again(self, x: Array, first: _Run, ok: Array) -> _Run:
        """The same values, with operands replaced wherever a node is not needed for the result."""
        active = self._active(first, ok)
        run = _Run(self._xp, x, self._free)
        for node in self._order:
            asked = [one for one in self._asked.get(id(node), ()) if one.relation != "finite"]
            safe = SAFE.get(asked[0].relation, 0.5) if asked else 0.5
            run.put(node, self._operations.get(node.op), None if node.op in PLAIN else active[id(node)], safe)
        return run

    def _active(self, first: _Run, ok: Array) -> dict[int, Array]:
        """Where the value of each node is needed, by its id: of a `where` only the branch that is chosen."""
        found: dict[int, Array] = {id(self._root): ok}
        for node in reversed(self._order):
            here = found[id(node)]
            for place, argument in enumerate(node.args):
                needed = here
                if node.op == "where" and place:
                    test = first.values[id(node.args[0])]
                    needed = here & (test if place == 1 else ~test)
                found[id(argument)] = needed if id(argument) not in found else found[id(argument)] | needed
        return found


class _Run:
    """The values of the nodes at some points, by their ids; floats where they are the same everywhere."""

    def __init__(self, xp: Any, x: Array, free: dict[int, float]) -> None:
        self._xp, self._x, self._free = xp, x, free
        self.values: dict[int, Array] = {}

    def put(
        self, node: Expr, operation: Callable[..., Array] | None, active: Array | None = None, safe: float = 0.5
    ) -> None:
        if node.op == "var":
            self.values[id(node)] = self._x[..., index(node)]
            return
        if id(node) in self._free and node.op not in COMPARISONS:
            self.values[id(node)] = self._free[id(node)]
            return
        arguments = [self.values[id(a)] for a in node.args]
        if node.op in COMPARISONS:
            arguments[0] = self.array(node.args[0])
        elif node.op in ("where", "given"):
            arguments = [arguments[0], *map(self.array, node.args[1:])]
        elif node.op in PAIRS:
            arguments = [self.array(a) for a in node.args]
        if active is not None:
            arguments = [a if isinstance(a, float) else self._xp.where(active, a, safe) for a in arguments]
        if operation is None:
            raise CpcbenchError(f"{node.op} cannot be read here")
        self.values[id(node)] = operation(*arguments)

    def array(self, node: Expr) -> Array:
        value = self.values[id(node)]
        return self._xp.full_like(self._x[..., 0], value) if isinstance(value, float) else value

    def flag(self, flag: Array) -> Array:
        """Yes or no as an array of them."""
        return self._xp.full_like(self._x[..., 0], float(flag)) > 0.0 if isinstance(flag, bool) else flag


def _both(one: Array, other: Array) -> Array:
    if isinstance(one, bool):
        return other if one else False
    if isinstance(other, bool):
        return one if other else False
    return one & other


OPERATORS: dict[str, Callable[..., Array]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "pow": lambda a, p: POWERS[p](a) if isinstance(p, float) and p in POWERS else a**p,
    "abs": abs,
    "whole": lambda a: a,
    "lt": operator.lt,
    "le": operator.le,
    "given": lambda condition, value: value,
}

POWERS: dict[float, Callable[[Array], Array]] = {0.0: lambda a: 0.0 * a + 1.0, 1.0: lambda a: a, 2.0: lambda a: a * a}
"""Powers that are smooth at 0 too, whatever a library makes of them."""

NAMES = {"ln": "log", "min": "minimum", "max": "maximum", "mod": "remainder", "round": "round"}
"""Functions that libraries know by another name."""


def _operation(op: str, xp: Any) -> Callable[..., Array]:
    """The library's function; some have `asin`, others `arcsin`."""
    if op in OPERATORS:
        return OPERATORS[op]
    if op == "arctan2":
        angle = getattr(xp, "arctan2", None) or xp.atan2
        return lambda y, x: angle(_one_zero(xp, y), _one_zero(xp, x))
    name = NAMES.get(op, op)
    for spelling in (name, name.replace("arc", "a", 1)):
        found: Any = getattr(xp, spelling, None)
        if callable(found):
            return found  # type: ignore[no-any-return]
    home = str(getattr(xp, "__name__", xp))
    special = {"numpy": "scipy.special", "jax.numpy": "jax.scipy.special", "cupy": "cupyx.scipy.special"}
    found = getattr(importlib.import_module(special[home]), name, None) if home in special else None
    if found is not None:
        return found  # type: ignore[no-any-return]
    if op == "cbrt":
        return lambda a: xp.sign(a) * abs(a) ** (1.0 / 3.0)
    raise CpcbenchError(f"{home} has no function {op}")


def _one_zero(xp: Any, a: Array) -> Array:
    """0.0 for -0.0, with the slope 1; a + 0.0 would do, but compilers leave that out."""
    return xp.where(a == 0.0, a * a + a, a)
