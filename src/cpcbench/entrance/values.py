"""Symbols that stand in for numbers and arrays of numbers: what is done with them writes the formula down."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cpcbench.entrance.refusal import Refused
from cpcbench.entrance.symbols import Symbol, as_numbers, branch, expr_of, holds_symbols, never, numbers, plain
from cpcbench.entrance.tests import choose, holds
from cpcbench.expr.nodes import Expr, num
from cpcbench.expr.tests import Tree, Truth, compared, joined, opposite
from cpcbench.expr.words import word

COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
JOINTS = {"logical_and": "and", "bitwise_and": "and", "logical_or": "or", "bitwise_or": "or",
          "logical_xor": "xor", "bitwise_xor": "xor"}  # fmt: skip
EXTREMES = {"minimum": math.inf, "fmin": math.inf, "maximum": -math.inf, "fmax": -math.inf}
"""What is never the least or the greatest of two: it is a start, and no part of the formula."""
FIRST = {"add": 0, "multiply": 1, "logical_and": True, "logical_or": False}
"""What a reduction of nothing gives."""


def truth_of(value: object) -> Truth:
    """The test that a value is when it is asked for its truth."""
    return value.truth() if isinstance(value, Value) else bool(value)


def value_of(truth: Truth) -> Test | bool:
    return truth if isinstance(truth, bool) else Test(truth)


def apply(name: str, *values: Any) -> Any:
    """One operation, element by element, on symbols, numbers and arrays of them."""
    if not any(isinstance(v, (np.ndarray, list, tuple)) for v in values):
        return _single(name, values)
    arrays = np.broadcast_arrays(*[plain(v) for v in values])
    made = np.empty(arrays[0].shape, dtype=object)
    for place in np.ndindex(made.shape):
        made[place] = _single(name, [array[place] for array in arrays])
    return made[()] if made.ndim == 0 else made.view(Array)


def _single(name: str, items: Sequence[Any]) -> Any:
    for item in items:
        if isinstance(item, Value):
            return item.operate(name, *items)
    return numbers(name, items)  # numbers among symbols stay numbers


def called(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A call of one of NumPy's functions with a symbol among its arguments."""
    name = ufunc.__name__
    out = options.pop("out", None)
    if options.pop("where", True) is not True:
        raise Refused(f"it calls {name} with where=...")
    for ignored in ("dtype", "casting", "order", "subok"):
        options.pop(ignored, None)
    if method == "__call__" and not options:
        result = array_of(np.matmul(*map(plain, inputs))) if name == "matmul" else apply(name, *inputs)
    elif method == "outer" and not options:
        first, second = map(plain, inputs)
        result = apply(name, first.reshape(first.shape + (1,) * second.ndim), second)
    elif method == "reduce":
        result = reduced(name, plain(inputs[0]), **options)
    elif method == "accumulate":
        rows = np.moveaxis(plain(inputs[0]), options.get("axis", 0), 0)
        sums = list(itertools.accumulate(rows, lambda a, b: apply(name, a, b)))
        result = array_of(np.moveaxis(np.array([plain(s) for s in sums], dtype=object), 0, options.get("axis", 0)))
    else:
        raise Refused(f"it calls {name}.{method}")
    if out is not None:
        if out[0].dtype != object:
            raise Refused("it writes values into an array of floats that was made outside of it")
        out[0][...] = result
        return out[0]
    return result


def reduced(name: str, array: Any, axis: Any = 0, keepdims: bool = False, initial: Any = None, **_: Any) -> Any:
    """The elements along the axes (all of them: None) put together from left to right."""
    axes = range(array.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    axes = sorted(a % max(array.ndim, 1) for a in axes)
    moved = np.moveaxis(array, axes, range(len(axes))) if array.ndim else array.reshape(1)
    rows = list(moved.reshape(-1, *moved.shape[max(len(axes), 1) :]))
    if initial is not None and initial is not np._NoValue:
        rows.insert(0, initial)
    if not rows:
        return FIRST[name]
    result = functools.reduce(lambda a, b: apply(name, a, b), rows)
    if name.startswith("logical") and len(rows) == 1:
        result = apply("logical_and", result, True)
    if keepdims:
        result = plain(result).reshape([1 if i in axes else size for i, size in enumerate(array.shape)])
    return array_of(result)


def array_of(value: Any) -> Any:
    """Arrays of objects as arrays of symbols, their single elements as they are, anything else untouched."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        return value[()] if value.ndim == 0 else value.view(Array)
    return value


def _two_sided(name: str) -> tuple[Callable[[Value, Any], Any], Callable[[Value, Any], Any]]:
    def forwards(self: Value, other: Any) -> Any:
        if name == "add" and isinstance(self, Test) and isinstance(other, Test):
            raise Refused("it adds two comparisons, which is 1 or 2 in Python and True in NumPy")
        return apply(name, self, other) if _computes(other) else NotImplemented

    def backwards(self: Value, other: Any) -> Any:
        return apply(name, other, self) if _computes(other) else NotImplemented

    return forwards, backwards


def _computes(value: object) -> bool:
    return isinstance(value, (Value, int, float, np.generic, np.ndarray, list, tuple))


def choice(truth: Any, yes: Any, no: Any) -> Any:
    """One of two values by a test that is not known yet; either may be NaN or infinite."""
    tree = truth_of(truth)
    return (yes if tree else no) if isinstance(tree, bool) else Value(choose(tree, branch(yes), branch(no)))


def _one_sided(name: str) -> Callable[..., Any]:
    return lambda self: apply(name, self)


def _refusal(what: str) -> Callable[[Value], Any]:
    def refuse(_: Value) -> Any:
        raise Refused(f"{what}, which needs a number and not a formula")

    return refuse


class Value(Symbol):
    """A number that is not known yet: `expr` is the formula for it."""

    __slots__ = ("expr",)
    shape: tuple[int, ...] = ()
    ndim = 0
    size = 1
    imag = 0.0

    def __init__(self, expr: Expr) -> None:
        self.expr = expr

    __add__, __radd__ = _two_sided("add")
    __sub__, __rsub__ = _two_sided("subtract")
    __mul__, __rmul__ = _two_sided("multiply")
    __truediv__, __rtruediv__ = _two_sided("true_divide")
    __pow__, __rpow__ = _two_sided("power")
    __mod__, __rmod__ = _two_sided("remainder")
    __floordiv__, __rfloordiv__ = _two_sided("floor_divide")
    __lt__, _ = _two_sided("less")
    __le__, _ = _two_sided("less_equal")
    __gt__, _ = _two_sided("greater")
    __ge__, _ = _two_sided("greater_equal")
    __eq__, _ = _two_sided("equal")
    __ne__, _ = _two_sided("not_equal")
    __and__, __rand__ = _two_sided("logical_and")
    __or__, __ror__ = _two_sided("logical_or")
    __neg__, __pos__, __abs__ = _one_sided("negative"), _one_sided("positive"), _one_sided("absolute")
    __invert__ = _one_sided("logical_not")
    __floor__, __ceil__, __trunc__ = _one_sided("floor"), _one_sided("ceil"), _one_sided("trunc")
    __float__ = _refusal("it turns a value into a float, or hands it to code that does")
    __int__ = _refusal("it turns a value into a whole number")
    __index__ = _refusal("it counts or indexes with a value")
    __complex__ = _refusal("it computes with complex numbers")

    def __hash__(self) -> int:
        raise Refused("it looks something up by a value, or puts one into a set")

    def __bool__(self) -> bool:
        return holds(truth_of(self))

    def __round__(self, digits: int | None = None) -> Any:
        return rounded(self, digits or 0)

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self // other, self % other

    def __repr__(self) -> str:
        return f"<value {self.expr!r}>"

    def __format__(self, form: str) -> str:
        return repr(self)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return called(ufunc, method, inputs, options)

    def __getattr__(self, name: str) -> Any:
        """NumPy asks the elements of an array of objects for methods such as `sin`."""
        if name.startswith("_") or not isinstance(getattr(np, name, None), np.ufunc):
            raise AttributeError(f"a traced number has no attribute {name!r}")
        return lambda *others: apply(name, self, *others)

    def truth(self) -> Truth:
        """The test that it is when it is asked for its truth: a number that is not 0."""
        return compared("not_equal", self.expr, num(0))

    @staticmethod
    def operate(name: str, *values: Any) -> Any:
        """One operation on numbers of which some are symbols."""
        if name in COMPARISONS:
            return Test(compared(name, *map(expr_of, values)))
        if name in JOINTS:
            return value_of(joined(JOINTS[name], *map(truth_of, values)))
        if name in ("logical_not", "invert"):
            return value_of(opposite(truth_of(values[0])))
        if name in ("isfinite", "isnan", "isinf"):
            return name == "isfinite"  # a formula goes on as if it were; the comparison finds where that is wrong
        if name in EXTREMES:
            finite = [v for v in values if not never(EXTREMES[name], v)]
            if len(finite) == 1:
                return finite[0]
        make = word(name)
        if make is None:
            raise Refused(f"it uses {name}, which is not in the language")
        return Value(make(*map(expr_of, values)))

    # What NumPy's own numbers have

    @property
    def real(self) -> Value:
        return self

    T = real

    def item(self) -> Value:
        return self

    copy = conjugate = item

    def astype(self, dtype: Any, **_: Any) -> Any:
        return as_kind(self, dtype)


class Test(Value):
    """A comparison, or several joined by and, or, not; as a number it is 1 or 0."""

    __slots__ = ("tree",)
    __test__ = False

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    @property
    def expr(self) -> Expr:  # type: ignore[override]
        return choose(self.tree, num(1), num(0))

    def truth(self) -> Truth:
        return self.tree


def rounded(a: Any, decimals: int = 0) -> Any:
    """Rounded to so many digits after the point, as NumPy does it."""
    return apply("rint", a) if not decimals else apply("rint", a * 10.0**decimals) / 10.0**decimals


def as_kind(value: Any, dtype: Any) -> Any:
    """Values as another type: whole numbers are cut, other types than float64 do not keep the formula."""
    kind = np.dtype(float if dtype is None or dtype is object else dtype)
    if kind.kind in "iu":
        return apply("trunc", value)
    if kind not in (np.dtype(np.float64), np.dtype(object)):
        raise Refused(f"it turns values into {kind}")
    return value


class Array(np.ndarray):
    """An array of symbols and numbers that NumPy's functions accept."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return called(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if not any(holds_symbols(a) for a in (*args, *kwargs.values())):  # room that was filled with numbers
            return function(*map(as_numbers, args), **{name: as_numbers(a) for name, a in kwargs.items()})
        from_here = ARRAY_FUNCTIONS.get(function)
        if from_here is not None:
            return from_here(*args, **kwargs)
        return array_of(super().__array_function__(function, types, args, kwargs))

    def astype(self, dtype: Any, **_: Any) -> Any:  # type: ignore[override]
        return as_kind(self.copy(), dtype)

    def round(self, decimals: Any = 0, out: Any = None) -> Any:  # noqa: ARG002
        return rounded(self, decimals)

    def __setitem__(self, key: Any, value: Any) -> None:
        """A test on values may say where one value is to be written."""
        if isinstance(key, np.ndarray) and any(isinstance(test, Test) for test in key.flat):
            if key.shape != self.shape or np.size(value) != 1:
                raise Refused("it writes several values where a test holds, which depends on values")
            value = plain(value).reshape(-1)[0]
            for place in np.ndindex(self.shape):
                super().__setitem__(place, choice(key[place], value, self[place]))
        else:
            super().__setitem__(key, value)


ARRAY_FUNCTIONS: dict[Any, Callable[..., Any]] = {}
"""Functions of whole arrays that NumPy cannot do on symbols, and what does them; see `arrays`."""
