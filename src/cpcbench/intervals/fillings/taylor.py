"""Taylor coefficients of a formula in one of its parts, in any arithmetic: exact numbers, or slots of a tape."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Generic, Protocol, TypeVar

from cpcbench.expr.nodes import Expr, num
from cpcbench.expr.walk import constants, postorder
from cpcbench.readings.reals.enclosure import enclose

T = TypeVar("T")

MOST_WHOLE = 64


class Arithmetic(Protocol[T]):
    """What the coefficients are computed in; `power` has an exponent that is a constant of the formula."""

    def constant(self, node: Expr, /) -> T: ...
    def of(self, op: str, /, *args: T) -> T: ...
    def power(self, base: T, exponent: Expr, /) -> T: ...


def coefficients(root: Expr, u: Expr, start: T, order: int, by: Arithmetic[T]) -> list[T | None] | None:
    """Up to an order, where u is `start`, of a formula whose variables enter through u only; None in the place of a
    coefficient that is 0, and for a formula with an operation that has no derivative."""
    return _Series(by, order).of(root, u, start)


class _Series(Generic[T]):
    def __init__(self, by: Arithmetic[T], order: int) -> None:
        self.by, self.order = by, order

    def of(self, root: Expr, u: Expr, start: T) -> list[T | None] | None:
        free = constants(root)
        known: dict[int, list[T | None]] = {id(u): [start, self.number(1), *[None] * (self.order - 1)]}
        for node in self._above(root, u):
            if id(node) in free:
                known[id(node)] = [self.by.constant(node), *[None] * self.order]
                continue
            found = self.operation(node, [known[id(a)] for a in node.args])
            if found is None:
                return None
            known[id(node)] = found
        return known[id(root)]

    def _above(self, root: Expr, u: Expr) -> Iterable[Expr]:
        """The nodes to be computed, arguments first."""
        order = postorder(root)
        wanted = {id(root)}
        free = constants(root)
        for node in reversed(order):
            if id(node) in wanted and node is not u and id(node) not in free:
                wanted.update(id(a) for a in node.args)
        return [node for node in order if id(node) in wanted and node is not u]

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

    def integral(self, a: list[T | None], b: list[T | None], k: int, last: int) -> T | None:
        """Coefficient k of the function with the derivative a' b, from the coefficients of a up to the last."""
        return self.share(self.total(self.times(a[i], b[k - i], i) for i in range(1, last + 1)), k)

    def operation(self, node: Expr, args: list[list[T | None]]) -> list[T | None] | None:
        op, ks = node.op, range(1, self.order + 1)
        a = args[0] if args else []
        first = [part[0] for part in args if part[0] is not None]
        if op == "pow":
            return self.power(node, args, first)
        if op in ("abs", "floor", "sign", "where", "lt", "le", "var"):
            return None
        if op in ("sin", "cos"):
            return self.wave(op, a, first[0])
        y: list[T | None] = [self.by.of(op, *first)]
        if op in ("add", "sub", "neg"):
            return y + [self.linear(op, [part[k] for part in args]) for k in ks]
        if op == "mul":
            return y + [self.total(self.times(a[i], args[1][k - i]) for i in range(k + 1)) for k in ks]
        if op in ("tan", "arcsin"):
            return self.tangent(y, a) if op == "tan" else self.arcsine(y, a, first[0])
        for k in ks:
            if op == "div":
                rest = self.total(self.times(y[i], args[1][k - i]) for i in range(k))
                y.append(self.over(self.less(a[k], rest), args[1][0]))
            elif op == "sqrt":
                rest = self.total(self.times(y[i], y[k - i]) for i in range(1, k))
                y.append(self.over(self.share(self.less(a[k], rest), 2), y[0]))
            elif op == "exp":
                y.append(self.integral(a, y, k, k))
            else:
                y.append(self.over(self.less(a[k], self.integral(y, a, k, k - 1)), a[0]))
        return y

    def linear(self, op: str, terms: list[T | None]) -> T | None:
        if op == "add":
            return self.total(terms)
        return self.less(None, terms[0]) if op == "neg" else self.less(*terms)

    def wave(self, op: str, a: list[T | None], angle: T) -> list[T | None]:
        sine: list[T | None] = [self.by.of("sin", angle)]
        cosine: list[T | None] = [self.by.of("cos", angle)]
        for k in range(1, self.order + 1):
            rise, fall = self.integral(a, cosine, k, k), self.integral(a, sine, k, k)
            sine.append(rise)
            cosine.append(self.less(None, fall))
        return sine if op == "sin" else cosine

    def tangent(self, y: list[T | None], a: list[T | None]) -> list[T | None]:
        slope: list[T | None] = [self.total([self.number(1), self.times(y[0], y[0])])]
        for k in range(1, self.order + 1):
            y.append(self.integral(a, slope, k, k))
            slope.append(self.total(self.times(y[i], y[k - i]) for i in range(k + 1)))
        return y

    def arcsine(self, y: list[T | None], a: list[T | None], base: T) -> list[T | None]:
        inside = [self.less(None, self.total(self.times(a[i], a[k - i]) for i in range(k + 1))) for k in range(len(a))]
        root: list[T | None] = [self.by.of("sqrt", self.by.of("sub", self.number(1), self.by.of("mul", base, base)))]
        for k in range(1, self.order + 1):
            rest = self.total(self.times(root[i], root[k - i]) for i in range(1, k))
            root.append(self.over(self.share(self.less(inside[k], rest), 2), root[0]))
            y.append(self.over(self.less(a[k], self.integral(y, root, k, k - 1)), root[0]))
        return y

    def varying(self, a: list[T | None], b: list[T | None], first: list[T]) -> list[T | None]:
        """a^b as exp(b ln(a))."""
        log: list[T | None] = [self.by.of("ln", first[0])]
        for k in range(1, self.order + 1):
            log.append(self.over(self.less(a[k], self.integral(log, a, k, k - 1)), a[0]))
        inside = [self.total(self.times(b[i], log[k - i]) for i in range(k + 1)) for k in range(self.order + 1)]
        y: list[T | None] = [self.by.of("exp", self.by.of("mul", first[1], self.by.of("ln", first[0])))]
        for k in range(1, self.order + 1):
            y.append(self.integral(inside, y, k, k))
        return y

    def power(self, node: Expr, args: list[list[T | None]], first: list[T]) -> list[T | None] | None:
        (a, b), exponent = args, node.args[1]
        if any(x is not None for x in b[1:]):
            return self.varying(a, b, first)
        whole = whole_number(exponent)
        y: list[T | None] = [self.by.power(first[0], exponent)]
        if whole is None:
            p = self.by.constant(exponent)
            for k in range(1, self.order + 1):
                terms = []
                for i in range(1, k + 1):
                    factor = self.less(self.times(p, self.number(i)), self.number(k - i))
                    terms.append(self.times(factor, self.times(a[i], y[k - i])))
                y.append(self.over(self.share(self.total(terms), k), a[0]))
            return y
        if not 1 <= abs(whole) <= MOST_WHOLE:
            return None
        product = a
        for _ in range(abs(whole) - 1):
            product = [
                self.total(self.times(product[i], a[k - i]) for i in range(k + 1)) for k in range(self.order + 1)
            ]
        if whole > 0:
            return [y[0], *product[1:]]
        for k in range(1, self.order + 1):
            rest = self.total(self.times(y[i], product[k - i]) for i in range(k))
            y.append(self.over(self.less(None, rest), product[0]))
        return y


def whole_number(constant: Expr) -> int | None:
    """The whole number that a constant exactly is."""
    found = enclose(constant, ())
    exact = found.defined and found.lower == found.upper
    return int(Fraction(found.lower)) if exact and Fraction(found.lower).denominator == 1 else None
