"""What the real number is: rigorous bounds on the value of a formula at a point, and where it stands.

The value is enclosed in a ball at rising precision until it is known to the accuracy asked for and
the point is known to lie inside, on the edge of, or outside the natural domain of the formula.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import flint

from cpcbench.clock import look_at_clock
from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import walk
from cpcbench.readings.reals.exact import NEGATIVE, POSITIVE, Number, working_precision
from cpcbench.readings.reals.outcomes import DEFINED, EDGE, GAP, INSIDE, OUTSIDE, THIN
from cpcbench.readings.reals.steps import Facts, RealSteps, Step, exact_point

FIRST_BITS = 64
LARGEST = sys.float_info.max

Domain = Literal["inside", "edge", "outside", "undecided"]
_DOMAINS: dict[int, Domain] = {INSIDE: "inside", EDGE: "edge", THIN: "edge", GAP: "edge", OUTSIDE: "outside"}


@dataclass(frozen=True)
class Enclosure:
    """The real value of a formula at a point, and the point's place in the domain.

    The value lies between `lower` and `upper`, doubles rounded outward (NaN if it is undefined).
    `domain` is `inside` (defined in a neighbourhood), `edge` (some condition holds with equality,
    or the point is `thin`), `outside` (a condition is violated), or `undecided` at `bits` bits.
    `defined` is None if that is open; the bounds then hold under the assumption that it is.
    """

    lower: float
    upper: float
    midpoint: float
    domain: Domain
    defined: bool | None
    thin: bool
    bits: int
    rule: str
    constants: str
    ball: Any = field(default=None, repr=False, compare=False)

    @property
    def width(self) -> float:
        """How far apart the two bounds are."""
        return self.upper - self.lower

    def contains(self, value: float) -> bool:
        """Whether a double lies between the bounds; no double does if the value is undefined."""
        return self.lower <= value <= self.upper

    def accurate_to(self, relative: float) -> bool:
        """Whether the value is known to this relative accuracy."""
        return self.ball is not None and _is_accurate(self.ball, relative)

    def __getstate__(self) -> dict[str, Any]:
        """The ball as two numbers m·2^e, since Arb's balls cannot be pickled."""
        finite = self.ball is not None and self.ball.is_finite()
        parts = [part.man_exp() for part in (self.ball.mid(), self.ball.rad())] if finite else None
        return {**vars(self), "ball": parts and [(int(man), int(exp)) for man, exp in parts]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        parts = state["ball"]
        vars(self).update(state, ball=parts and flint.arb(parts[0], flint.arb(parts[1])))

    def __str__(self) -> str:
        place = "thin" if self.thin else self.domain
        if self.defined is False:
            return f"undefined ({place}, rule {self.rule})"
        value = f"{self.lower!r}" if self.lower == self.upper else f"[{self.lower!r}, {self.upper!r}]"
        doubt = ", if it is defined" if self.defined is None else ""
        return f"{value} ({place}{doubt}, rule {self.rule})"


def enclose(
    root: Expr,
    point: Sequence[float | Fraction],
    *,
    rule: str = "ieee",
    constants: str = "decimal",
    max_bits: int = 16384,
    accuracy: float = 2.0**-60,
) -> Enclosure:
    """The real value of a formula at a point whose coordinates are taken as exact numbers.

    With `constants="decimal"` the constant 0.1 is one tenth, 2/3 is two thirds and pi is the real pi;
    with "double" each part of the formula without a variable is the double it comes to. The
    precision rises up to `max_bits` bits until the domain is decided and the value known to the
    relative `accuracy`.
    """
    if max_bits < FIRST_BITS:
        raise CpcbenchError(f"max_bits is {max_bits}: an enclosure takes at least {FIRST_BITS} bits")
    if not 0.0 < accuracy < 1.0:
        raise CpcbenchError(f"accuracy is {accuracy}: it is relative, between 0 and 1")
    facts = Facts.of(root, rule, constants)
    exact = exact_point(root, point)
    for bits in _ladder(max_bits):
        look_at_clock()
        with working_precision(bits):
            step = walk(root, RealSteps(facts, exact).table())
            if bits == max_bits or _is_settled(step, accuracy):
                return _enclosure(step, bits, facts)
    raise AssertionError("the last rung of the ladder returns")


def _ladder(max_bits: int) -> Iterator[int]:
    bits = FIRST_BITS
    while bits < max_bits:
        yield bits
        bits *= 2
    yield max_bits


def _is_settled(step: Step, accuracy: float) -> bool:
    if step.outcome not in _DOMAINS:
        return False
    if step.number is None or _is_accurate(step.number.ball, accuracy):
        return True
    return step.number.exact is not None and not step.number.ball.is_finite()  # beyond any ball


def _is_accurate(ball: Any, relative: float) -> bool:
    """Relative to the value, or so near that no double can tell."""
    if not ball.is_finite():
        return False
    return bool(ball.rad() <= abs(ball).lower() * relative) or bool(ball.rad() < flint.arb(2) ** -1200)


def _enclosure(step: Step, bits: int, facts: Facts) -> Enclosure:
    names = {name for bit, name in _DOMAINS.items() if step.outcome & bit}
    domain: Domain = names.pop() if len(names) == 1 else "undecided"
    defined = None if step.outcome & DEFINED and step.outcome & ~DEFINED else bool(step.outcome & DEFINED)
    thin = step.outcome == THIN
    if step.number is None:
        nan = math.nan
        return Enclosure(nan, nan, nan, domain, defined, thin, bits, facts.rule, facts.constants)
    low, high = _bounds(step.number)
    middle = _middle(step.number, low, high)
    return Enclosure(low, high, middle, domain, defined, thin, bits, facts.rule, facts.constants, step.number.ball)


def _bounds(number: Number) -> tuple[float, float]:
    """The tightest doubles around the number, from its ball and its sign."""
    low, high = rounded_down(number.ball.lower()), rounded_up(number.ball.upper())
    if not number.signs & NEGATIVE:
        low = max(low, LARGEST if number.huge else 0.0)
    if not number.signs & POSITIVE:
        high = min(high, -LARGEST if number.huge else 0.0)
    return low, high


def _middle(number: Number, low: float, high: float) -> float:
    if number.ball.is_finite():
        return min(max(float(number.ball.mid()), low), high)
    return math.copysign(math.inf, low) if number.huge else math.nan


def rounded_down(bound: Any) -> float:
    """The largest double that is not above an exact ball."""
    value = float(bound) + 0.0
    return math.nextafter(value, -math.inf) if flint.arb(value) > bound else value


def rounded_up(bound: Any) -> float:
    """The smallest double that is not below an exact ball."""
    return -rounded_down(-bound) + 0.0
