"""Functions of whole arrays that NumPy cannot do on symbols, or does by asking for their truth."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cpcbench.entrance.refusal import Refused
from cpcbench.entrance.symbols import plain
from cpcbench.entrance.values import (
    ARRAY_FUNCTIONS,
    Array,
    apply,
    array_of,
    choice,
    reduced,
    rounded,
)


def chosen(test: Any, *values: Any) -> Any:
    """As `np.where`, with a test that is not known yet."""
    if len(values) != 2:
        raise Refused("it asks where a test holds, which depends on values")
    arrays = np.broadcast_arrays(*map(plain, (test, *values)))
    made = np.empty(arrays[0].shape, dtype=object)
    for place in np.ndindex(made.shape):
        made[place] = choice(*(array[place] for array in arrays))
    return array_of(made)


def selected(tests: Any, values: Any, default: Any = 0) -> Any:
    """As `np.select`: the first value whose test holds."""
    result = default
    for test, value in reversed(list(zip(tests, values, strict=True))):
        result = chosen(test, value, result)
    return result


def clipped(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:  # noqa: A002
    """As `np.clip`."""
    for name, limit in (("maximum", min if a_min is None else a_min), ("minimum", max if a_max is None else a_max)):
        a = a if limit is None else apply(name, a, limit)
    return a


def close(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8) -> Any:
    """As `np.isclose`."""
    return apply("less_equal", abs(a - b), atol + rtol * abs(b))


def product_of_matrices(a: Any, b: Any) -> Any:
    """As `np.dot`."""
    return array_of(np.dot(plain(a), plain(b)))


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:  # noqa: A002
    """The length of a vector, by NumPy's names of the norms."""
    size = apply("absolute", plain(x).view(Array))
    if size.ndim != 1 and axis is None and ord is not None:
        raise Refused("it takes a norm of a matrix")
    if ord in (math.inf, -math.inf):
        return reduced("maximum" if ord > 0 else "minimum", size, axis, keepdims)
    power = 2 if ord is None else ord
    total = reduced("add", size if power == 1 else size**power, axis, keepdims)
    return total if power == 1 else apply("sqrt", total) if power == 2 else total ** (1 / power)


ARRAY_FUNCTIONS.update({
    np.where: chosen,
    np.select: selected,
    np.clip: clipped,
    np.isclose: close,
    np.round: rounded,
    np.around: rounded,
    np.linalg.norm: norm,
    np.dot: product_of_matrices,
    np.real: lambda a: a,
})  # fmt: skip
