"""Taylor coefficients of a formula in one of its parts, in any arithmetic: exact numbers, or slots of a tape.

A function y of a has the derivative y' = a' d, with the d of the gradient, or y' b = a' if that is 1/b.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar

from cpcbench.expr.functions import KINKS, exp, ln
from cpcbench.expr.nodes import Expr, num
from cpcbench.expr.walk import constants, postorder
from cpcbench.readings.gradient import ONE, derivative
from cpcbench.readings.reals.enclosure import enclose

T = TypeVar("T")

MOST_WHOLE = 64


class Arithmetic(Protocol[T]):
    """What the coefficients are computed in; `power` has an exponent that is a constant of the formula."""

    def constant(self, node: Expr, /) -> T: ...
    def of(self, op: str, /, *args: T) -> T: ...
    def power(self, base: T, exponent: Expr, /) -> T: ...


class NotSmoothError(Exception):
    """An operation has no derivative."""


def coefficients(root: Expr, u: Expr, start: T, order: int, by: Arithmetic[T]) -> list[T | None] | None:
    """Up to an order, where u is `start`, of a formula whose variables enter through u only; None in the place of a
    coefficient that is 0, and for a formula with an operation that has no derivative."""
    series = _Series(by, root, u, start)
    try:
        for node in _above(root, u):  # operands first, so that nothing recurses deeply
            found = [series.at(node, k) for k in range(order + 1)]
    except NotSmoothError:
        return None
    return found if root is not u else [series.at(u, k) for k in range(order + 1)]


def _above(root: Expr, u: Expr) -> Iterable[Expr]:
    """The nodes to be computed, arguments first."""
    order = postorder(root)
    wanted = {id(root)}
    free = constants(root)
    for node in reversed(order):
        if id(node) in wanted and node is not u and id(node) not in free:
            wanted.update(id(a) for a in node.args)
    return [node for node in order if id(node) in wanted and node is not u]


class _Series(Generic[T]):
    """Coefficients as they are asked for, None for one that is 0."""

    def __init__(self, by: Arithmetic[T], root: Expr, u: Expr, start: T) -> None:
        self.by, self.u, self.start, self.free = by, u, start, constants(root)
        self.known: dict[tuple[int, int], T | None] = {}
        self.slopes: dict[int, Expr] = {}
        self.held: list[Expr] = []
        """Formulas made here: what is known of them is kept by their ids."""

    def kept(self, node: Expr) -> Expr:
        self.held.append(node)
        return node

    def at(self, node: Expr, k: int) -> T | None:
        """Coefficient k of a node."""
        if (id(node), k) not in self.known:
            self.known[id(node), k] = self.found(node, k)
        return self.known[id(node), k]

    def found(self, node: Expr, k: int) -> T | None:
        if node is self.u:
            return self.start if k == 0 else self.number(1) if k == 1 else None
        if self.is_constant(node):
            return self.by.constant(node) if k == 0 else None
        if k == 0:
            return self.first(node)
        return RULES[node.op](self, node, k) if node.op in RULES else self.function(node, k)

    def is_constant(self, node: Expr) -> bool:
        return id(node) in self.free or (not node.args and node.op != "var")

    def first(self, node: Expr) -> T:
        """The value."""
        if node.op in KINKS or node.op in ("lt", "le", "var", "given"):
            raise NotSmoothError
        args = [value for a in node.args if (value := self.at(a, 0)) is not None]
        if node.op != "pow":
            return self.by.of(node.op, *args)
        if self.is_constant(node.args[1]):
            return self.by.power(args[0], node.args[1])
        return self.by.of("exp", self.by.of("mul", args[1], self.by.of("ln", args[0])))

    def number(self, k: int) -> T:
        return self.by.constant(num(k))

    def times(self, a: T | None, b: T | None, k: int = 1) -> T | None:
        if a is None or b is None or k == 0:
            return None
        product = self.by.of("mul", a, b)
        return product if k == 1 else self.by.of("mul", self.number(k), product)

    def total(self, terms: Iterable[T | None]) -> T | None:
        found: T | None = None
        for term in terms:
            if term is not None:
                found = term if found is None else self.by.of("add", found, term)
        return found

    def less(self, a: T | None, b: T | None) -> T | None:
        if b is None:
            return a
        return self.by.of("neg", b) if a is None else self.by.of("sub", a, b)

    def over(self, a: T | None, b: T | None) -> T | None:
        return None if a is None or b is None else self.by.of("div", a, b)

    def share(self, a: T | None, k: int) -> T | None:
        return a if k == 1 else self.over(a, self.number(k))

    def product(self, a: Expr, b: Expr, places: Iterable[int], k: int) -> T | None:
        """The sum of a_i b_(k-i)."""
        return self.total(self.times(self.at(a, i), self.at(b, k - i)) for i in places)

    def integral(self, a: Expr, b: Expr, k: int, last: int) -> T | None:
        """Coefficient k of the function with the derivative a' b, from the coefficients of a up to the last."""
        return self.share(self.total(self.times(self.at(a, i), self.at(b, k - i), i) for i in range(1, last + 1)), k)

    def function(self, node: Expr, k: int) -> T | None:
        """From y' = a' d or, if d is 1/b, from y' b = a'."""
        if id(node) not in self.slopes:
            self.slopes[id(node)] = self.kept(derivative(node))
        a, slope = node.args[0], self.slopes[id(node)]
        if slope.op != "div" or slope.args[0] is not ONE:
            return self.integral(a, slope, k, k)
        below = slope.args[1]
        return self.over(self.less(self.at(a, k), self.integral(node, below, k, k - 1)), self.at(below, 0))

    def quotient(self, node: Expr, k: int) -> T | None:
        """y b = a."""
        a, b = node.args
        return self.over(self.less(self.at(a, k), self.product(node, b, range(k), k)), self.at(b, 0))

    def root(self, node: Expr, k: int) -> T | None:
        """y y = a."""
        rest = self.product(node, node, range(1, k), k)
        return self.over(self.share(self.less(self.at(node.args[0], k), rest), 2), self.at(node, 0))

    def power(self, node: Expr, k: int) -> T | None:
        base, exponent = node.args
        if not self.is_constant(exponent):  # exp(b ln(a))
            return self.at(self.kept(exp(exponent * ln(base))), k)
        whole = whole_number(exponent)
        if whole is None:  # y' a = p a' y
            p, terms = self.by.constant(exponent), []
            for i in range(1, k + 1):
                factor = self.less(self.times(p, self.number(i)), self.number(k - i))
                terms.append(self.times(factor, self.times(self.at(base, i), self.at(node, k - i))))
            return self.over(self.share(self.total(terms), k), self.at(base, 0))
        if not 1 <= abs(whole) <= MOST_WHOLE:
            raise NotSmoothError
        product = base
        for _ in range(abs(whole) - 1):
            product = self.kept(product * base)
        if whole > 0:
            return self.at(product, k)
        return self.over(self.less(None, self.product(node, product, range(k), k)), self.at(product, 0))


RULES: dict[str, Callable[[_Series[Any], Expr, int], Any]] = {
    "add": lambda s, node, k: s.total(s.at(a, k) for a in node.args),
    "sub": lambda s, node, k: s.less(*(s.at(a, k) for a in node.args)),
    "neg": lambda s, node, k: s.less(None, s.at(node.args[0], k)),
    "mul": lambda s, node, k: s.product(node.args[0], node.args[1], range(k + 1), k),
    "div": _Series.quotient,
    "sqrt": _Series.root,
    "pow": _Series.power,
}
"""How arithmetic goes on after the value; functions go by their derivatives."""


def whole_number(constant: Expr) -> int | None:
    """The whole number that a constant exactly is."""
    found = enclose(constant, ())
    exact = found.defined and found.lower == found.upper
    return int(Fraction(found.lower)) if exact and Fraction(found.lower).denominator == 1 else None
