"""Expression nodes: immutable, exactly as written, each distinct one kept once.

Nothing is reordered, simplified or folded: `a + b + c` is `(a + b) + c`, and the last bit of a
double depends on it. Two expressions written alike are the same object, so `is` compares them.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, Union, cast

from cpcbench.errors import CpcbenchError
from cpcbench.expr.plain import formula
from cpcbench.expr.walk import postorder

ARITY: dict[str, int] = {
    "const": 0, "pi": 0, "var": 0,
    "add": 2, "sub": 2, "mul": 2, "div": 2, "pow": 2, "neg": 1, "lt": 2, "le": 2, "where": 3, "given": 2,
}  # fmt: skip
"""Every operation of the language and its number of arguments; `functions` adds those of one argument."""

COMPARISONS = frozenset({"lt", "le"})

MOST_BITS = 4000
"""Room for the denominators of constants of 1,200 digits."""

Number = Union[int, float, Fraction, Decimal]

_nodes: weakref.WeakValueDictionary[tuple[Any, ...], Expr] = weakref.WeakValueDictionary()
_lock = threading.RLock()


def _both_ways(op: str) -> tuple[Callable[[Expr, Operand], Expr], Callable[[Expr, Operand], Expr]]:
    """Python's operator for an operation, and that with the operands exchanged."""
    return (lambda a, b: node(op, a, b)), (lambda a, b: node(op, b, a))


class Expr:
    """One operation and its arguments.

    `payload` is the exact `Fraction` of a constant (never negative: `-2` is the negation of 2) or
    the index, from 0, of a variable.
    """

    __slots__ = ("__weakref__", "args", "op", "payload")

    op: str
    args: tuple[Expr, ...]
    payload: Fraction | int | None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("expressions cannot be changed")

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (_flatten(self),)

    def __copy__(self) -> Expr:
        return self

    def __deepcopy__(self, memo: object) -> Expr:
        return self

    def __bool__(self) -> bool:
        raise TypeError("an expression has no truth value: choose between values with where(a < b, ...)")

    def __repr__(self) -> str:
        try:
            return f"<Expr {formula(self)}>"
        except CpcbenchError:
            return f"<Expr {self.op} of a very long formula>"

    def __neg__(self) -> Expr:
        return node("neg", self)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return node("abs", self)

    __add__, __radd__ = _both_ways("add")
    __sub__, __rsub__ = _both_ways("sub")
    __mul__, __rmul__ = _both_ways("mul")
    __truediv__, __rtruediv__ = _both_ways("div")
    __pow__, __rpow__ = _both_ways("pow")
    __lt__, __gt__ = _both_ways("lt")
    __le__, __ge__ = _both_ways("le")


Operand = Union[Expr, Number]


def node(op: str, *args: Operand) -> Expr:
    """The node for one operation; the same operation on the same arguments is the same object."""
    if len(args) != ARITY[op]:
        raise CpcbenchError(f"{op} takes {ARITY[op]} arguments, not {len(args)}")
    nodes = tuple(num(a) for a in args)
    for position, argument in enumerate(nodes):
        if (argument.op in COMPARISONS) != (op == "where" and position == 0):
            raise CpcbenchError(
                "where() takes a comparison first, such as where(x1 < 0, a, b)"
                if op == "where" and position == 0
                else f"a comparison can only be the first argument of where(), not an argument of {op}"
            )
    return _intern(op, nodes, None)


def num(value: Operand) -> Expr:
    """A constant, as the decimal number written: `num(0.1)` is one tenth, not the double near it."""
    if isinstance(value, Expr):
        return value
    exact = _decimal(value)
    positive = _intern("const", (), abs(exact))
    return _intern("neg", (positive,), None) if exact < 0 else positive


def var(index: int) -> Expr:
    """The variable with this index, from 0: `var(0)` is x1."""
    if index < 0:
        raise CpcbenchError(f"variables are numbered from 0, not {index}")
    return _intern("var", (), index)


pi: Expr


def index(variable: Expr) -> int:
    """The place, from 0, of a variable node."""
    return cast(int, variable.payload)


def double(constant: Expr) -> float:
    """The IEEE double nearest to a constant node."""
    exact = cast(Fraction, constant.payload)
    return exact.numerator / exact.denominator


def _decimal(value: Number) -> Fraction:
    try:
        if isinstance(value, float):
            exact = Fraction(repr(float(value)))
        elif isinstance(value, Decimal):
            if not value.is_finite() or abs(value.adjusted()) > 400 or len(value.as_tuple().digits) > 1200:
                raise CpcbenchError("a constant has at most 1,200 digits and lies between 4.9e-324 and 1.797e308")
            exact = Fraction(value)
        elif isinstance(value, Fraction):
            exact = value
        else:
            exact = Fraction(value.__index__())
        size = abs(exact)
        as_double = size.numerator / size.denominator
    except (AttributeError, TypeError, ValueError, InvalidOperation):
        raise CpcbenchError(f"{value!r} is not a finite real number") from None
    except OverflowError:
        raise CpcbenchError("a constant beyond 1.797e308 is no IEEE double") from None
    if exact and not 0.0 < as_double < float("inf"):
        raise CpcbenchError("a constant below 4.9e-324 is no IEEE double")
    if exact.denominator.bit_length() > MOST_BITS:
        raise CpcbenchError("a constant has at most 1,200 digits")
    rest = exact.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        quotient = f"num({exact.numerator}) / {exact.denominator}"
        raise CpcbenchError(f"{exact} has no finite decimal form: write it as {quotient}")
    return exact


def _intern(op: str, args: tuple[Expr, ...], payload: Fraction | int | None) -> Expr:
    key = (op, payload, *map(id, args))
    with _lock:
        known = _nodes.get(key)
        if known is None:
            known = object.__new__(Expr)
            object.__setattr__(known, "op", op)
            object.__setattr__(known, "args", args)
            object.__setattr__(known, "payload", payload)
            _nodes[key] = known
        return known


Row = tuple[str, Union[Fraction, int, None], tuple[int, ...]]


def _flatten(root: Expr) -> tuple[Row, ...]:
    """The expression as a flat list, arguments before their users (no recursion, however deep)."""
    order = postorder(root)
    place = {id(n): i for i, n in enumerate(order)}
    return tuple((n.op, n.payload, tuple(place[id(a)] for a in n.args)) for n in order)


def _rebuild(rows: tuple[Row, ...]) -> Expr:
    built: list[Expr] = []
    for op, payload, args in rows:
        built.append(_intern(op, tuple(built[i] for i in args), payload))
    return built[-1]


pi = _intern("pi", (), None)
