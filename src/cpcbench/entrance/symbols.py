"""What symbols and numbers have in common: their expressions, arrays of them, operations on numbers alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from cpcbench.entrance.refusal import Refused
from cpcbench.errors import CpcbenchError
from cpcbench.expr.functions import undefined
from cpcbench.expr.nodes import Expr, num, pi


class Symbol:
    """Stands in for a number; `expr` is the formula for it."""

    __slots__ = ()
    expr: Expr


def never(start: float, value: object) -> bool:
    return isinstance(value, (float, np.floating)) and value == start


def expr_of(value: object) -> Expr:
    """The expression of a symbol, or of a number as the decimal that Python prints; the double nearest to pi is pi."""
    if isinstance(value, Symbol):
        return value.expr
    if isinstance(value, np.ndarray) and value.size == 1:
        return expr_of(value.reshape(-1)[0])
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return num(int(value))
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if abs(number) == math.pi:
            return pi if number > 0 else -pi
        if not math.isfinite(number):
            raise Refused(f"it computes with {number}")
        try:
            return num(number)
        except CpcbenchError as trouble:
            raise Refused(str(trouble)) from None
    raise Refused(f"it computes with {type(value).__name__}, which is no real number")


def numbers(name: str, items: Sequence[Any]) -> Any:
    """One operation of NumPy's on numbers."""
    function = getattr(np, name, None)
    if function is None:
        raise Refused(f"it uses {name}, which is not in the language")
    value = function(*items)
    return value.item() if isinstance(value, np.generic) else value


def plain(value: Any) -> np.ndarray[Any, Any]:
    """An ordinary array of objects."""
    if isinstance(value, Symbol):
        array = np.empty((), dtype=object)
        array[()] = value
        return array
    array = np.asarray(value)
    return array if array.dtype == object else array.astype(object)


def branch(value: Any) -> Expr:
    """The expression of a result or of one side of a choice: NaN and infinity are undefined."""
    infinite = isinstance(value, (float, np.floating)) and not math.isfinite(value)
    return undefined if infinite else expr_of(value)


def holds_symbols(value: Any) -> bool:
    """Whether a symbol is within a value, its list or its array."""
    if isinstance(value, np.ndarray):
        return value.dtype == object and any(isinstance(item, Symbol) for item in value.flat)
    return isinstance(value, Symbol) or (isinstance(value, (list, tuple)) and any(map(holds_symbols, value)))


def as_numbers(value: Any) -> Any:
    """Arrays of objects that are all numbers, as arrays of floats."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(as_numbers, value))
    return np.array(value, dtype=float) if isinstance(value, np.ndarray) and value.dtype == object else value
