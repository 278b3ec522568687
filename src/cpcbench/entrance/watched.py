"""Numbers that watch: where code cannot be read, each root, logarithm, power and quotient still tells how far it fails.

A function is run on numbers that note, for every operation whose operand is outside of its domain, how far outside; the
operation then goes on with a number of its domain nearby. The sum of what was noted says how far a point is from being
admissible, which a search can follow.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import numpy as np

from cpcbench.entrance.code import readable
from cpcbench.entrance.refusal import Refused
from cpcbench.entrance.symbols import numbers
from cpcbench.entrance.values import COMPARISONS, JOINTS, Array, Value
from cpcbench.expr.words import ALIKE

TINY = 1e-12
"""How far an operand that is exactly at an edge it must not touch counts as outside."""

MOST = 10_000
"""Operations outside of their domains in one evaluation."""

_noted: ContextVar[list[float]] = ContextVar("noted")

Repair = Callable[..., tuple[float, tuple[float, ...]]]
"""From the operands: how far they are outside of the domain, and operands to go on with."""


def _above(edge: float, open_edge: bool) -> Repair:
    """Operands must be above an edge; those that are not go on at the edge, or mirrored where that has no value."""

    def repair(a: float) -> tuple[float, tuple[float, ...]]:
        if a > edge or (a == edge and not open_edge):
            return 0.0, (a,)
        return (edge - a + TINY, (edge + max(edge - a, TINY),)) if open_edge else (edge - a, (edge,))

    return repair


def _within(limit: float, open_edge: bool) -> Repair:
    def repair(a: float) -> tuple[float, tuple[float, ...]]:
        if abs(a) < limit or (abs(a) == limit and not open_edge):
            return 0.0, (a,)
        return abs(a) - limit + (TINY if open_edge else 0.0), (math.copysign(limit - (TINY if open_edge else 0.0), a),)

    return repair


def _quotient(a: float, b: float) -> tuple[float, tuple[float, ...]]:
    return (0.0, (a, b)) if b != 0.0 else (TINY, (a, TINY))


def _power(a: float, b: float) -> tuple[float, tuple[float, ...]]:
    if a < 0.0 and b != math.floor(b):
        return -a, (0.0 if b > 0.0 else -a, b)
    return (TINY, (TINY, b)) if a == 0.0 and b < 0.0 else (0.0, (a, b))


REPAIRS: dict[str, Repair] = {
    "sqrt": _above(0.0, False),
    **dict.fromkeys(("log", "log2", "log10"), _above(0.0, True)),
    "log1p": _above(-1.0, True),
    "arccosh": _above(1.0, False),
    "arcsin": _within(1.0, False),
    "arccos": _within(1.0, False),
    "arctanh": _within(1.0, True),
    **dict.fromkeys(("true_divide", "remainder", "floor_divide", "fmod"), _quotient),
    "power": _power,
    "reciprocal": lambda a: (0.0, (a,)) if a != 0.0 else (TINY, (TINY,)),
}
"""The operations that are not defined everywhere, by NumPy's names."""


def _beyond(name: str, operands: tuple[float, ...]) -> float:
    """How far a result is beyond what doubles can hold, by its logarithm where that is known."""
    if name == "exp":
        return operands[0] - 700.0
    if name == "power" and operands[0] != 0.0:
        return operands[1] * math.log(abs(operands[0])) - 700.0
    return 1.0


def note(outside: float) -> None:
    """Keeps how far an operation was outside; a function that would go on for ever is ended."""
    noted = _noted.get()
    noted.append(outside)
    if len(noted) > MOST:
        raise Refused("too many operations are outside of their domains")


class Watched(Value):
    """A number that notes what is wrong with the operations it takes part in."""

    __slots__ = ("number",)

    def __init__(self, number: float) -> None:
        self.number = number

    @staticmethod
    def operate(name: str, *values: Any) -> Any:
        """One operation; what it gives is a number that watches, or a plain truth value."""
        operands = tuple(v.number if isinstance(v, Watched) else v for v in values)
        name = ALIKE.get(name, name)
        if name in COMPARISONS or name in JOINTS or name.startswith(("is", "logical_")):
            return bool(numbers(name, operands))
        repair = REPAIRS.get(name)
        if repair is not None and not any(map(math.isnan, operands)):
            outside, operands = repair(*operands)
            if outside > 0.0:
                note(outside)
        result = float(numbers(name, operands))
        if math.isinf(result) and not any(map(math.isinf, operands)):
            note(_beyond(name, operands))
            result = math.copysign(1e300, result)
        return Watched(result)

    def truth(self) -> bool:
        return self.number != 0.0

    def __float__(self) -> float:
        return self.number

    def __int__(self) -> int:
        return int(self.number)

    def __hash__(self) -> int:
        return hash(self.number)

    def __repr__(self) -> str:
        return repr(self.number)

    def __format__(self, form: str) -> str:
        return format(self.number, form)


class Violation:
    """How far a point is from where the function is defined: 0 where it is, NaN where it fails without a word."""

    def __init__(self, fun: Callable[..., Any]) -> None:
        self._fun = fun
        self._copy: Callable[..., Any] | None = None

    def __call__(self, x: Any, *args: Any) -> float:
        if self._copy is None:
            self._copy, _ = readable(self._fun, forbid=False)
        noted: list[float] = []
        token = _noted.set(noted)
        symbols = np.empty(len(x), dtype=object)
        symbols[:] = [Watched(float(v)) for v in x]
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = float(np.asarray(self._copy(symbols.view(Array), *args), dtype=object).reshape(-1)[0])
        except (Exception, Refused):
            value = math.nan
        finally:
            _noted.reset(token)
        total = math.fsum(map(math.log1p, noted))
        if total > 0.0:
            return total
        return 0.0 if math.isfinite(value) else math.nan

    def __reduce__(self) -> tuple[type[Violation], tuple[Callable[..., Any]]]:
        return Violation, (self._fun,)
