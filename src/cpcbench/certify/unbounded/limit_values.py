"""What happens to a formula when one part of it tends to 0 from one side: limits in extended arithmetic.

A number is a ball that holds for the whole family, or tends to 0 from one side, or grows beyond all
bounds. What is not covered (0 times infinity, infinity minus infinity, an undecided sign) has no value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import flint

from cpcbench.certify.upper.balls import Balls
from cpcbench.expr.nodes import Expr


@dataclass(frozen=True)
class Ends:
    """A number along the family: `tends` is "finite", "zero" or "infinite"; `sign` is its sign unless finite.

    `ball` holds it along the whole family; of one that grows, `ball` is the number it always exceeds in size.
    """

    ball: Any
    tends: str = "finite"
    sign: int = 1

    @property
    def is_finite(self) -> bool:
        return self.tends == "finite"


def vanishing(eps: float, sign: int) -> Ends:
    """Between 0 and eps, 0 left out, or between -eps and 0; tends to 0."""
    return Ends(flint.arb(0).union(flint.arb(eps * sign)), "zero", sign)


def limit_at(
    root: Expr, box: Sequence[Any], pins: Mapping[int, Any], small: Expr, value: Ends, rule: str
) -> Ends | None:
    """The limit of the formula as the part `small` vanishes, everything else over the box; None if it is not known.

    That it has a value says also that every operation is defined along the family.
    """
    plain = Balls(root, rule=rule)
    known: dict[int, Ends | None] = {}
    touched = {id(small)}
    balls = plain.values(box, {**pins, id(small): flint.arb.nan()})
    for node in plain.order:
        if node is small:
            known[id(node)] = value
        elif id(node) in pins:
            known[id(node)] = Ends(pins[id(node)])
        elif any(id(a) in touched for a in node.args):
            touched.add(id(node))
            args = [known[id(a)] for a in node.args]
            known[id(node)] = _step(plain, node, [a for a in args if a is not None]) if None not in args else None
        else:
            ball = balls[id(node)]
            known[id(node)] = Ends(ball) if ball.is_finite() else None
    return known[id(root)]


def _step(plain: Balls, node: Expr, args: list[Ends]) -> Ends | None:
    if node.op == "where":
        return None
    if all(a.is_finite for a in args):
        return _plain(plain, node, args)
    rule = _RULES.get(node.op)
    found = None if rule is None else rule(plain, node, *args)
    if found is None and not any(a.tends == "infinite" for a in args):
        return _plain(plain, node, args)
    return found


def _plain(plain: Balls, node: Expr, args: list[Ends]) -> Ends | None:
    ball = plain.step(node, [a.ball for a in args])
    return Ends(ball) if ball.is_finite() else None


def _sign(a: Ends) -> int:
    if not a.is_finite:
        return a.sign
    return 1 if a.ball > 0 else -1 if a.ball < 0 else 0


def _neg(_plain: Balls, _node: Expr, a: Ends) -> Ends:
    return Ends(-a.ball if a.tends == "zero" else a.ball, a.tends, -a.sign)


def _add(_plain: Balls, _node: Expr, a: Ends, b: Ends) -> Ends | None:
    """Infinity plus what is bounded, or plus infinity of the same sign."""
    large, other = (a, b) if a.tends == "infinite" else (b, a)
    if large.tends != "infinite":
        return None
    if other.tends == "infinite":
        return Ends(large.ball + other.ball, "infinite", large.sign) if large.sign == other.sign else None
    return Ends((large.ball + large.sign * other.ball).lower(), "infinite", large.sign)


def _sub(plain: Balls, node: Expr, a: Ends, b: Ends) -> Ends | None:
    negative = Ends(-b.ball) if b.is_finite else _neg(plain, node, b)
    return _add(plain, node, a, negative)


def _mul(_plain: Balls, _node: Expr, a: Ends, b: Ends) -> Ends | None:
    sign = _sign(a) * _sign(b)
    if not sign or {a.tends, b.tends} == {"zero", "infinite"}:
        return None
    if "infinite" in (a.tends, b.tends):
        smallest = abs(a.ball).lower() * abs(b.ball).lower()
        positive = all(e.is_finite or e.ball > 0 for e in (a, b))
        return Ends(smallest, "infinite", sign) if positive else None
    return Ends(a.ball * b.ball, "zero", sign)


def _inverted(b: Ends) -> Ends | None:
    """One over it."""
    if b.tends == "zero":
        return Ends(1 / flint.arb(b.ball.abs_upper()), "infinite", b.sign)
    if not b.ball > 0:
        return None
    return Ends(flint.arb(0).union(b.sign / b.ball), "zero", b.sign)


def _div(plain: Balls, node: Expr, a: Ends, b: Ends) -> Ends | None:
    if b.is_finite:
        return None if b.ball.contains(0) else _mul(plain, node, a, Ends(1 / b.ball))
    inverse = _inverted(b)
    if inverse is None:
        return None
    if a.is_finite and not _sign(a):  # an undecided sign over what grows: only that it is bounded
        return Ends(a.ball * inverse.ball) if inverse.tends == "zero" else None
    return _mul(plain, node, a, inverse)


def _ln(_plain: Balls, _node: Expr, a: Ends) -> Ends | None:
    if a.sign < 0:
        return None
    if a.tends == "zero":
        return Ends((-flint.arb(a.ball.upper()).log()).lower(), "infinite", -1)
    return Ends(a.ball.log().lower(), "infinite", 1) if a.ball > 0 else None


def _sqrt(_plain: Balls, _node: Expr, a: Ends) -> Ends | None:
    return _raised(a, flint.arb(0.5)) if a.sign > 0 else None


def _exp(_plain: Balls, _node: Expr, a: Ends) -> Ends | None:
    if a.tends != "infinite":
        return None
    if a.sign > 0:
        return Ends(a.ball.exp().lower(), "infinite", 1)
    return Ends(flint.arb(0).union((-a.ball).exp().upper()), "zero", 1)


def _raised(base: Ends, exponent: Any) -> Ends | None:
    """A positive number that vanishes or grows, to a power whose sign is known."""
    if exponent < 0:
        inverse = _inverted(base)
        return None if inverse is None else _raised(inverse, -exponent)
    if not exponent > 0:
        return None
    if base.tends == "zero":
        return Ends(flint.arb(0).union(flint.arb(base.ball.upper()) ** exponent), "zero", 1)
    return Ends((base.ball**exponent).lower(), "infinite", 1) if base.ball > 0 else None


def _pow(plain: Balls, node: Expr, base: Ends, exponent: Ends) -> Ends | None:
    if not exponent.is_finite or base.is_finite:
        return None
    whole = plain.whole_exponent(node, exponent.ball)
    if whole is None:
        return _raised(base, exponent.ball) if base.sign > 0 else None
    size = _raised(base if base.sign > 0 else _neg(plain, node, base), flint.arb(whole))
    if size is None:
        return None
    return _neg(plain, node, size) if base.sign < 0 and whole % 2 else size


_RULES: dict[str, Callable[..., Ends | None]] = {
    "neg": _neg,
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "ln": _ln,
    "sqrt": _sqrt,
    "exp": _exp,
    "pow": _pow,
}
