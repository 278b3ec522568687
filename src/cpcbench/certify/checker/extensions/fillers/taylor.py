"""Taylor coefficients of a formula in one of its parts u, written as formulas of u themselves.

At a point where every operation of the coefficients is defined, so is every derivative up to their order, and the
k-th coefficient is the k-th derivative by u over k!.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from cpcbench.certify.checker.core import rationals
from cpcbench.certify.checker.core.functions.table import FUNCTIONS
from cpcbench.expr.nodes import Expr, node, num
from cpcbench.expr.walk import constants, postorder

Series = list["Expr | None"]
"""Coefficient k at place k; None for one that is 0 everywhere. The first is the formula itself."""

MOST_WHOLE = 64
"""The largest whole exponent that is multiplied out."""


def series(root: Expr, u: Expr, order: int) -> Series | None:
    """The coefficients up to an order, for a formula whose variables enter through u only; None if an operation
    has no derivative."""
    return _above(root, {id(u): [u, num(1), *[None] * (order - 1)]}, order)


def _above(root: Expr, given: Mapping[int, Series], order: int) -> Series | None:
    """Those of a formula from those of some of its parts; what is below these is not looked at."""
    known: dict[int, Series | None] = dict(given)
    constant = constants(root)
    needed = {id(root)}
    nodes = postorder(root)
    for part in reversed(nodes):
        if id(part) in needed and id(part) not in given and id(part) not in constant:
            needed.update(id(a) for a in part.args)
    for part in nodes:
        if id(part) not in needed or id(part) in given:
            continue
        if id(part) in constant or not part.args:
            known[id(part)] = [part, *[None] * order]
            continue
        args = [a for a in (known[id(arg)] for arg in part.args) if a is not None]
        rule = RULES.get(part.op, _function)
        known[id(part)] = rule(part, *args) if len(args) == len(part.args) else None
    return known[id(root)]


def _sum(terms: Sequence[Expr | None]) -> Expr | None:
    found: Expr | None = None
    for term in terms:
        if term is not None:
            found = term if found is None else found + term
    return found


def _less(a: Expr | None, b: Expr | None) -> Expr | None:
    if b is None:
        return a
    return -b if a is None else a - b


def _times(a: Expr | None, b: Expr | None) -> Expr | None:
    if a is None or b is None:
        return None
    one = num(1)
    return b if a is one else a if b is one else a * b


def _over(a: Expr | None, b: Expr | int) -> Expr | None:
    return None if a is None else a if b == 1 else a / b


def _multiple(k: int, a: Expr | None) -> Expr | None:
    return None if a is None or k == 0 else a if k == 1 else k * a


def _product(a: Series, b: Series, k: int) -> Expr | None:
    """Coefficient k of a product."""
    return _sum([_times(a[i], b[k - i]) for i in range(k + 1)])


def _changes(a: Series, b: Series, k: int) -> Expr | None:
    """Coefficient k of the function whose derivative is a' b."""
    return _over(_sum([_multiple(i, _times(a[i], b[k - i])) for i in range(1, k + 1)]), k)


def _add(part: Expr, a: Series, b: Series) -> Series:
    return [part, *(_sum(pair) for pair in zip(a[1:], b[1:], strict=True))]


def _sub(part: Expr, a: Series, b: Series) -> Series:
    return [part, *(_less(x, y) for x, y in zip(a[1:], b[1:], strict=True))]


def _neg(part: Expr, a: Series) -> Series:
    return [part, *(_less(None, x) for x in a[1:])]


def _mul(part: Expr, a: Series, b: Series) -> Series:
    return [part, *(_product(a, b, k) for k in range(1, len(a)))]


def _div(part: Expr, a: Series, b: Series) -> Series:
    """y b = a."""
    y: Series = [part]
    for k in range(1, len(a)):
        rest = _sum([_times(y[i], b[k - i]) for i in range(k)])
        y.append(_over(_less(a[k], rest), _first(b)))
    return y


def _sqrt(part: Expr, a: Series) -> Series:
    """y y = a."""
    y: Series = [part]
    for k in range(1, len(a)):
        rest = _sum([_times(y[i], y[k - i]) for i in range(1, k)])
        y.append(_over(_less(a[k], rest), 2 * part))
    return y


def _function(part: Expr, a: Series, *_more: Series) -> Series | None:
    """y' = a' d with the derivative d or, if that is 1/b, y' b = a'; d and b may have y in them."""
    known = FUNCTIONS.get(part.op)
    if known is None or known.derivative is None:
        return None
    operand = part.args[0]
    slope = known.derivative(operand, part)
    below = slope.args[1] if slope.op == "div" and slope.args[0] is num(1) else None
    y: Series = [part]
    for k in range(1, len(a)):
        by = _above(slope if below is None else below, {id(operand): a[:k], id(part): y}, k - 1)
        if by is None:
            return None
        y = [*y, _changes(a, by, k) if below is None else _over_changes(a, y, by, k)]
    return y


def _over_changes(a: Series, y: Series, b: Series, k: int) -> Expr | None:
    """Coefficient k of the function with y' b = a'."""
    rest = _over(_sum([_multiple(i, _times(y[i], b[k - i])) for i in range(1, k)]), k)
    return _over(_less(a[k], rest), _first(b))


def _pow(part: Expr, a: Series, b: Series) -> Series | None:
    base, exponent = part.args
    if any(x is not None for x in b[1:]):  # y' = (b ln(a))' y, for a base that is positive
        log = _function(node("ln", base), a)
        product = exponent * node("ln", base)
        power = None if log is None else _function(node("exp", product), _mul(product, b, log))
        return None if power is None else [part, *power[1:]]
    whole = _whole_number(exponent)
    if whole is None:  # y' a = p a' y
        y: Series = [part]
        for k in range(1, len(a)):
            terms = [_times(_less(_multiple(i, exponent), num(k - i)), _times(a[i], y[k - i])) for i in range(1, k + 1)]
            y.append(_over(_over(_sum(terms), k), base))
        return y
    if not 1 <= abs(whole) <= MOST_WHOLE:
        return None
    power = a
    for _ in range(abs(whole) - 1):
        power = _mul(_first(power) * base, power, a)
    if whole > 0:
        return [part, *power[1:]]
    return _div(part, [num(1), *[None] * (len(a) - 1)], power)


def _first(a: Series) -> Expr:
    """The formula that a series is of."""
    if a[0] is None:
        raise ValueError("a series without its formula")
    return a[0]


def _whole_number(exponent: Expr) -> int | None:
    """A constant that is exactly a whole number; None for one that is not, or not known to be."""
    values: dict[int, Fraction | None] = {}
    for part in postorder(exponent):
        args = [values[id(a)] for a in part.args]
        given = [a for a in args if a is not None]
        if part.op == "const":
            values[id(part)] = Fraction(part.payload or 0)
        else:
            values[id(part)] = rationals.combined(part.op, given) if part.args and len(given) == len(args) else None
    value = values[id(exponent)]
    return value.numerator if value is not None and value.denominator == 1 else None


RULES: dict[str, Callable[..., Series | None]] = {
    "add": _add, "sub": _sub, "neg": _neg, "mul": _mul, "div": _div, "sqrt": _sqrt, "pow": _pow,
    "where": lambda *_: None, "lt": lambda *_: None, "le": lambda *_: None,
    "given": lambda *_: None,
}  # fmt: skip
"""Of arithmetic; a root is a power here."""
