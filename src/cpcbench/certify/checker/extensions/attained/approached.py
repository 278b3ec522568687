"""Proof that an infimum L is not attained: along a path the values tend to L, and every value is above L.

Where a bound alone does not show the latter, ends of ranges do that no point reaches: exp(v) is never 0, and neither
is what a logarithm or a divisor needs to be other than 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from cpcbench.certify.checker.core.intervals import Interval, between
from cpcbench.certify.checker.core.link import Box
from cpcbench.certify.checker.core.numbers import UP
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.steps import Applied, FixedPower, Step, Values, WholePower
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.extensions.paths import powers_of_pi
from cpcbench.certify.checker.extensions.paths.paths import tail_along
from cpcbench.certify.checker.extensions.paths.tails import FINITE
from cpcbench.certify.checker.ground.fields import field
from cpcbench.certify.checker.ground.verdict import RejectedError

NAME = "attained: approached"


def check_approached(subject: Subject, data: object, lower: float) -> None:
    """Rejects unless the formula is proven to tend to the lower bound along a path."""
    subject.rests_on.add(NAME)
    tail = tail_along(subject, field(data, "path"))
    if tail.kind != FINITE or tail.value != powers_of_pi.number(Fraction(lower)):
        raise RejectedError(f"the formula is not proven to tend to {lower!r} along the path")


@dataclass(frozen=True)
class NeverAt:
    """What a box has to show on which the formula is not proven to be above a limit: that no value is the limit."""

    program: Program
    limit: Fraction

    @classmethod
    def of(cls, subject: Subject, limit: Fraction) -> NeverAt:
        """At the precision of the moment; holes stay holes here."""
        program = Program([subject.root], subject.numbers, ieee=subject.ieee)
        if program.has_where:
            raise RejectedError("whether the infimum is attained is not decided with where()")
        return cls(program, limit)

    def check(self, box: Box) -> None:
        evaluated = self.program.ranges({variable: between(*pair) for variable, pair in enumerate(box)})
        if evaluated is None:
            return
        values = evaluated[0]
        root = self.program.slots[id(self.program.roots[0])]
        low = values[root][0]
        if low > UP.rational(self.limit):
            return
        if not low >= UP.rational(self.limit) or root not in _Reach(self.program, values).above:
            raise RejectedError("on a part the formula is not proven to be above the infimum")


class _Reach:
    """The slots that never are 0, never at the low end of their range (`above`), never at the high end (`below`)."""

    def __init__(self, program: Program, values: Values) -> None:
        self.values = values
        self.nonzero = _needed(program)
        self.above: set[int] = set()
        self.below: set[int] = set()
        for slot in program.variables.values():
            self._ends(slot)
        for made in program.steps:
            if _is_never_zero(made, self.nonzero, values):
                self.nonzero.add(made.slot)
            above, below = self._reach(made)
            self.above |= {made.slot} if above else set()
            self.below |= {made.slot} if below else set()
            self._ends(made.slot)

    def _ends(self, slot: int) -> None:
        """A range that ends at 0 where the slot is never 0."""
        low, high = self.values[slot]
        if slot in self.nonzero:
            self.above |= {slot} if low == 0 else set()
            self.below |= {slot} if high == 0 else set()

    def _reach(self, made: Step) -> tuple[bool, bool]:
        """Whether the value is never the low, the high end of what it is computed from."""
        up = [arg in self.above for arg in made.args]
        down = [arg in self.below for arg in made.args]
        if made.op == "add":
            return any(up), any(down)
        if made.op == "sub":
            return up[0] or down[1], down[0] or up[1]
        if made.op == "neg":
            return down[0], up[0]
        if made.op in ("mul", "div"):
            return self._product(made, up, down), False
        first = self.values[made.args[0]]
        rising = _rises(made, first)
        return (up[0], down[0]) if rising > 0 else (down[0], up[0]) if rising < 0 else (False, False)

    def _product(self, made: Step, up: list[bool], down: list[bool]) -> bool:
        """For operands that are not negative."""
        a, b = made.operands(self.values)
        if not (a[0] >= 0 and b[0] >= 0):
            return False
        if made.op == "div":
            return up[0] or (down[1] and bool(a[0] > 0))
        return (up[0] and up[1]) or (up[0] and bool(b[0] > 0)) or (up[1] and bool(a[0] > 0))


def _rises(made: Step, operand: Interval) -> int:
    """1 or -1 if a function of one operand rises or falls strictly on the whole range of it, all in its domain."""
    low, high = operand
    if isinstance(made, Applied) and made.function.rises and made.function.domain.holds(operand):
        return 1
    if made.op == "abs" or (isinstance(made, WholePower) and made.exponent > 0 and made.exponent % 2 == 0):
        return 1 if low >= 0 else -1 if high <= 0 else 0
    if isinstance(made, WholePower) and made.exponent > 0:
        return 1
    return 1 if isinstance(made, FixedPower) and made.positive and low >= 0 else 0


def _needed(program: Program) -> set[int]:
    """The slots that are not 0 wherever the formula is defined, since some operation needs it."""
    found: set[int] = set()
    for made in reversed(program.steps):
        if _needs_more_than_0(made) or (isinstance(made, FixedPower) and not made.positive):
            found.add(made.args[0])
        elif made.op == "div":
            found.add(made.args[1])
        elif isinstance(made, WholePower) and made.exponent < 0:
            found.add(made.args[0])
        if made.slot not in found:
            continue
        if made.op == "mul":
            found.update(made.args)
        elif made.op in ("div", "neg") or _is_0_at_0(made):
            found.add(made.args[0])
    return found


def _needs_more_than_0(made: Step) -> bool:
    return isinstance(made, Applied) and made.has_sign and not made.function.domain.closed


def _is_0_at_0(made: Step) -> bool:
    """Whether the value is 0 where the first operand is, so that where it is not, neither is that."""
    if isinstance(made, Applied):
        return made.function.is_0_at_0
    return (isinstance(made, WholePower) and made.exponent > 0) or (isinstance(made, FixedPower) and made.positive)


def _is_never_zero(made: Step, nonzero: set[int], values: Values) -> bool:
    """Whether the value of a step is never 0, from what is known of its operands."""
    low, high = values[made.slot]
    if low > 0 or high < 0 or (isinstance(made, Applied) and made.function.is_never_0):
        return True
    known = [arg in nonzero or bool(values[arg][0] > 0 or values[arg][1] < 0) for arg in made.args]
    if made.op == "mul":
        return all(known)
    if isinstance(made, Applied):
        return known[0] and (made.function.is_0_only_at_0 or made.op == "abs")
    return known[0] and (made.op in ("div", "neg") or isinstance(made, WholePower | FixedPower))
