"""Taylor coefficients of a formula in one of its parts u, written as formulas of u themselves.

At a point where every operation of the coefficients is defined, so is every derivative up to their order, and the
k-th coefficient is the k-th derivative by u over k!.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from cpcbench.certify.checker.core import rationals
from cpcbench.expr.nodes import Expr, node, num
from cpcbench.expr.walk import constants, postorder

Series = list["Expr | None"]
"""Coefficient k at place k; None for one that is 0 everywhere. The first is the formula itself."""

MOST_WHOLE = 64
"""The largest whole exponent that is multiplied out."""


def series(root: Expr, u: Expr, order: int) -> Series | None:
    """The coefficients up to an order, for a formula whose variables enter through u only; None if an operation
    has no derivative."""
    known: dict[int, Series | None] = {}
    constant = constants(root)
    for part in postorder(root):
        if part is u:
            known[id(part)] = [u, num(1), *[None] * (order - 1)]
            continue
        args = [known[id(a)] for a in part.args]
        given = [a for a in args if a is not None]
        if id(part) in constant or not part.args:
            known[id(part)] = [part, *[None] * order]
        elif part.op not in RULES or len(given) < len(args):
            known[id(part)] = None
        else:
            known[id(part)] = RULES[part.op](part, *given)
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


def _exp(part: Expr, a: Series) -> Series:
    """y' = a' y."""
    y: Series = [part]
    for k in range(1, len(a)):
        y.append(_changes(a, y, k))
    return y


def _over_changes(part: Expr, a: Series, b: Series) -> Series:
    """y' b = a'."""
    y: Series = [part]
    for k in range(1, len(a)):
        rest = _over(_sum([_multiple(i, _times(y[i], b[k - i])) for i in range(1, k)]), k)
        y.append(_over(_less(a[k], rest), _first(b)))
    return y


def _ln(part: Expr, a: Series) -> Series:
    """y' a = a'."""
    return _over_changes(part, a, a)


def _wave(part: Expr, a: Series) -> Series:
    """sin' = a' cos, cos' = -a' sin."""
    angle = part.args[0]
    sine: Series = [node("sin", angle)]
    cosine: Series = [node("cos", angle)]
    for k in range(1, len(a)):
        up, down = _changes(a, cosine, k), _changes(a, sine, k)
        sine.append(up)
        cosine.append(_less(None, down))
    return sine if part.op == "sin" else cosine


def _tan(part: Expr, a: Series) -> Series:
    """y' = a' (1 + y y)."""
    y: Series = [part]
    w: Series = [1 + part * part]
    for k in range(1, len(a)):
        y.append(_changes(a, w, k))
        w.append(_product(y, y, k))
    return y


def _arcsin(part: Expr, a: Series) -> Series:
    """y' sqrt(1 - a a) = a'."""
    base = _first(a)
    square: Series = _mul(base * base, a, a)
    inside: Series = _neg(1 - base * base, square)
    root = _sqrt(node("sqrt", _first(inside)), inside)
    return _over_changes(part, a, root)


def _pow(part: Expr, a: Series, b: Series) -> Series | None:
    base, exponent = part.args
    if any(x is not None for x in b[1:]):  # y' = (b ln(a))' y, for a base that is positive
        log = _ln(node("ln", base), a)
        return _exp(part, _mul(exponent * _first(log), b, log))
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
    "add": _add, "sub": _sub, "neg": _neg, "mul": _mul, "div": _div, "sqrt": _sqrt, "exp": _exp, "ln": _ln,
    "sin": _wave, "cos": _wave, "tan": _tan, "arcsin": _arcsin, "pow": _pow,
}  # fmt: skip
