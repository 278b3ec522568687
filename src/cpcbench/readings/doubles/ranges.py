"""Where each value of an expression can lie in doubles, given the box: crude, fast and safe.

It answers two questions without sampling: which conditions can never fail, and which operations
can never overflow. A range [lo, hi] holds every finite double the operation can come to; an
infinite end means that it may overflow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from cpcbench.expr.nodes import Expr, double, index
from cpcbench.expr.walk import postorder
from cpcbench.readings.reals.reference import constant_values

Range = tuple[float, float]

INF = math.inf
TINY = 5e-324
HUGE = 1.7976931348623157e308
WHOLE: Range = (-INF, INF)
SLACK = 1e-13
"""Relative room for the error of the platform's elementary functions; they stay far below it."""
NEARLY = HUGE * (1.0 - SLACK)
LARGEST_EXPONENT = 709.7
"""A little below the logarithm of the largest double."""


def ranges(
    roots: Sequence[Expr], box: Sequence[Range] | None = None, *, finite_operands: bool = False
) -> dict[int, Range]:
    """The range of every node by its id; without a box the variables are any doubles,
    infinite ones included (a kernel must not hide those either).

    With `finite_operands` each operation is taken to have finite operands, so that an infinite end
    points at the operation that overflows and not at those after it.
    """
    found: dict[int, Range] = {}
    free = constant_values(*roots)
    for node in postorder(*roots):
        if node.op == "const":
            found[id(node)] = (double(node), double(node))
        elif node.op == "var":
            found[id(node)] = box[index(node)] if box else WHOLE
        elif node.op not in ("lt", "le") and not math.isnan(value := free.get(id(node), math.nan)):
            found[id(node)] = (value, value)
        else:
            operands = [found[id(a)] for a in node.args]
            if finite_operands:
                operands = [(max(lo, -HUGE), min(hi, HUGE)) for lo, hi in operands]
            found[id(node)] = _proper(*_TABLE[node.op](node, *operands))
    return found


def _proper(lo: float, hi: float) -> Range:
    """No end that is NaN, and no infinite point: what always overflows is said to reach from NEARLY up."""
    return (-INF if math.isnan(lo) else min(lo, NEARLY)), (INF if math.isnan(hi) else max(hi, -NEARLY))


def _hull(values: Sequence[float]) -> Range:
    clean = [0.0 if math.isnan(v) else v for v in values]  # 0 * inf: the factor 0 is exact
    return min(clean), max(clean)


def _add(_n: Expr, a: Range, b: Range) -> Range:
    lo, hi = a[0] + b[0], a[1] + b[1]
    return (-INF if math.isnan(lo) else lo), (INF if math.isnan(hi) else hi)


def _sub(node: Expr, a: Range, b: Range) -> Range:
    return _add(node, a, (-b[1], -b[0]))


def _mul(node: Expr, a: Range, b: Range) -> Range:
    lo, hi = _hull([p * q for p in a for q in b])
    return (max(lo, 0.0), hi) if node.args[0] is node.args[1] else (lo, hi)


def _div(_n: Expr, a: Range, b: Range) -> Range:
    if b[0] > 0.0 or b[1] < 0.0:
        return _hull([p / q for p in a for q in b])
    bound = max(abs(a[0]), abs(a[1])) / TINY
    return -bound, bound


def _sqrt(_n: Expr, a: Range) -> Range:
    return math.sqrt(max(a[0], 0.0)), math.sqrt(max(a[1], 0.0))


def _ln(_n: Expr, a: Range) -> Range:
    return _wider(math.log(max(a[0], TINY)), math.log(max(a[1], TINY)))


def _rising(function: Callable[[float], float], least: float = -INF, most: float = INF) -> Callable[..., Range]:
    """Of a function that rises on the numbers from `least` to `most`, beyond which it has no value."""

    def span(_n: Expr, a: Range) -> Range:
        return _wider(*(function(min(max(v, least), most)) for v in a))

    return span


def _expm1(_n: Expr, a: Range) -> Range:
    lo, hi = _wider(*(math.expm1(min(v, LARGEST_EXPONENT)) for v in a))
    return max(lo, -1.0), hi if a[1] <= LARGEST_EXPONENT else INF


def _exp(_n: Expr, a: Range) -> Range:
    lo, hi = _wider(math.exp(min(a[0], LARGEST_EXPONENT)), math.exp(min(a[1], LARGEST_EXPONENT)))
    return max(lo, 0.0), hi if a[1] <= LARGEST_EXPONENT else INF


def _sinh(_n: Expr, a: Range) -> Range:
    return _wider(*(math.sinh(v) if abs(v) <= LARGEST_EXPONENT else math.copysign(INF, v) for v in a))


def _cosh(_n: Expr, a: Range) -> Range:
    return _wider(*(math.cosh(v) if v <= LARGEST_EXPONENT else INF for v in _magnitude(a)))


def _magnitude(a: Range) -> Range:
    low = 0.0 if a[0] <= 0.0 <= a[1] else min(abs(a[0]), abs(a[1]))
    return low, max(abs(a[0]), abs(a[1]))


def _power(_n: Expr, a: Range, b: Range) -> Range:
    if b[0] == b[1] and b[0] == math.floor(b[0]):
        return _whole_power(a, b[0])
    if a[0] < 0.0 and b[0] != b[1]:
        return WHOLE  # the base may be negative where the exponent happens to be whole
    base = (max(a[0], 0.0), max(a[1], 0.0))
    lo, hi = _wider(*_hull([_pow(p, q) for p in base for q in b]))
    return max(lo, 0.0), hi


def _whole_power(a: Range, exponent: float) -> Range:
    sizes = _magnitude(a)
    lo, hi = _wider(*sorted(_pow(size, exponent) for size in sizes))
    lo = max(lo, 0.0)
    if exponent % 2.0 == 0.0 or a[0] >= 0.0:
        return lo, hi
    if a[1] <= 0.0:
        return -hi, -lo
    return (-_pow(-a[0], exponent) * (1 + SLACK), _pow(a[1], exponent) * (1 + SLACK)) if exponent > 0 else (-hi, hi)


def _pow(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return INF
    except ValueError:  # 0 to a negative power: as large as the smallest double makes it
        return INF


def _floor(_n: Expr, a: Range) -> Range:
    return tuple(v if math.isinf(v) else float(math.floor(v)) for v in a)  # type: ignore[return-value]


def _ceil(_n: Expr, a: Range) -> Range:
    return tuple(v if math.isinf(v) else float(math.ceil(v)) for v in a)  # type: ignore[return-value]


def _round(_n: Expr, a: Range) -> Range:
    return tuple(v if math.isinf(v) else float(round(v)) for v in a)  # type: ignore[return-value]


def _sign(_n: Expr, a: Range) -> Range:
    return float((a[0] > 0) - (a[0] < 0)), float((a[1] > 0) - (a[1] < 0))


def _wider(lo: float, hi: float) -> Range:
    return lo - _room(lo), hi + _room(hi)


def _room(value: float) -> float:
    """Zero and infinity are exact; a subnormal number may be off by the smallest."""
    return 0.0 if value == 0.0 or math.isinf(value) else max(abs(value) * SLACK, TINY)


def _hypot(_n: Expr, a: Range, b: Range) -> Range:
    lo, hi = (math.hypot(p, q) for p, q in zip(_magnitude(a), _magnitude(b), strict=True))
    return _wider(lo, hi)


def _where(_n: Expr, _test: Range, yes: Range, no: Range) -> Range:
    return min(yes[0], no[0]), max(yes[1], no[1])


def _fixed(lo: float, hi: float) -> Callable[..., Range]:
    return lambda *_: (lo, hi)


_TABLE: dict[str, Callable[..., Range]] = {
    "pi": _fixed(math.pi, math.pi),
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "neg": lambda _n, a: (-a[1], -a[0]),
    "pow": _power,
    "sqrt": _sqrt,
    "ln": _ln,
    "exp": _exp,
    "sin": _fixed(-1.0, 1.0),
    "cos": _fixed(-1.0, 1.0),
    "tan": _fixed(-1e20, 1e20),  # no double is closer than 1e-19 to a pole
    "arcsin": _fixed(-1.5707963267948966, 1.5707963267948966),
    "arccos": _fixed(0.0, math.pi),
    "arctan": _fixed(-1.5707963267948966, 1.5707963267948966),
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": _fixed(-1.0, 1.0),
    "arcsinh": _rising(math.asinh),
    "arccosh": _rising(math.acosh, least=1.0),
    "arctanh": _fixed(-38.0, 38.0),  # no double is closer than 1e-16 to 1
    "log10": _rising(math.log10, least=TINY),
    "log2": _rising(math.log2, least=TINY),
    "log1p": _rising(math.log1p, least=-1.0 + 2.0**-53),
    "expm1": _expm1,
    "cbrt": _rising(lambda a: math.copysign(abs(a) ** (1 / 3), a)),
    "erf": _fixed(-1.0, 1.0),
    "abs": lambda _n, a: _magnitude(a),
    "floor": _floor,
    "ceil": _ceil,
    "round": _round,
    "sign": _sign,
    "whole": lambda _n, a: a,
    "min": lambda _n, a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "max": lambda _n, a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "hypot": _hypot,
    "arctan2": _fixed(-math.pi, math.pi),
    "mod": lambda _n, a, b: (min(b[0], 0.0), max(b[1], 0.0)),
    "lt": _fixed(0.0, 1.0),
    "le": _fixed(0.0, 1.0),
    "where": _where,
    "given": lambda _n, _condition, value: value,
}
