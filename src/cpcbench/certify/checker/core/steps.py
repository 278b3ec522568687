"""One step of a program: an operation, the slots it reads and writes, its range and its slopes."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from cpcbench.certify.checker.core import powers
from cpcbench.certify.checker.core.facts import FROM_0
from cpcbench.certify.checker.core.functions.pairs import PAIRS
from cpcbench.certify.checker.core.functions.table import FUNCTIONS
from cpcbench.certify.checker.core.intervals import (
    EVERYWHERE,
    MAYBE,
    NOWHERE,
    Interval,
    add,
    div,
    hull,
    mul,
    neg,
    single,
    square,
    sub,
    whole_line,
)
from cpcbench.certify.checker.core.numbers import of_double

Values = list[Interval]
"""The range of every slot."""

Adjoint = list["Interval | None"]
"""The slope in every slot; None where nothing has been counted yet."""


class Step:
    """An operation on slots. `number` is that of its node; `condition` has a bit for each variable that its domain
    depends on."""

    has_domain = False
    has_sign = False
    """Whether the domain is that the first operand is not negative, so that it can have a multiplier."""

    def __init__(self, op: str, slot: int, args: list[int], number: int) -> None:
        self.op, self.slot, self.args, self.number = op, slot, args, number
        self.condition = 0

    @property
    def watched(self) -> list[int]:
        """The operands that the domain is about."""
        return self.args if self.has_domain else []

    def operands(self, values: Values) -> list[Interval]:
        return [values[a] for a in self.args]

    def run(self, values: Values) -> int:
        """Writes the range; how much of the operands is inside the domain."""
        raise NotImplementedError

    def partials(self, values: Values) -> tuple[Interval, ...]:
        """The slope in each operand."""
        raise NotImplementedError

    def shares(self, values: Values, weight: Interval) -> Iterable[Interval]:
        """For each operand what it counts for, if this slot counts for the weight."""
        return [mul(weight, partial) for partial in self.partials(values)]


def give(adjoint: Adjoint, slot: int, weight: Interval) -> None:
    """Adds to the slope at a slot."""
    before = adjoint[slot]
    adjoint[slot] = weight if before is None else add(before, weight)


class _Sum(Step):
    def run(self, values: Values) -> int:
        a, b = self.operands(values)
        values[self.slot] = add(a, b) if self.op == "add" else sub(a, b)
        return EVERYWHERE

    def shares(self, _values: Values, weight: Interval) -> Iterable[Interval]:
        return weight, (weight if self.op == "add" else neg(weight))


class _Product(Step):
    def run(self, values: Values) -> int:
        a, b = self.operands(values)
        values[self.slot] = square(a) if self.args[0] == self.args[1] else mul(a, b)
        return EVERYWHERE

    def partials(self, values: Values) -> tuple[Interval, ...]:
        a, b = self.operands(values)
        return b, a


class _Quotient(Step):
    has_domain = True

    @property
    def watched(self) -> list[int]:
        return self.args[1:]

    def run(self, values: Values) -> int:
        values[self.slot], state = div(*self.operands(values))
        return state

    def partials(self, values: Values) -> tuple[Interval, ...]:
        """1/b and -(a/b)/b."""
        inverse = div(single(1), values[self.args[1]])[0]
        return inverse, neg(mul(values[self.slot], inverse))


class _Negation(Step):
    def run(self, values: Values) -> int:
        values[self.slot] = neg(values[self.args[0]])
        return EVERYWHERE

    def partials(self, _values: Values) -> tuple[Interval, ...]:
        return (single(-1),)


class Given(Step):
    """The second operand, where the first is not negative. Its value is the operand's also on the way through points
    where the condition fails, so that it is never held still."""

    has_domain = True
    has_sign = True

    @property
    def watched(self) -> list[int]:
        return self.args[:1]

    def run(self, values: Values) -> int:
        condition, values[self.slot] = self.operands(values)
        return FROM_0.state(condition)

    def shares(self, _values: Values, weight: Interval) -> Iterable[Interval]:
        return single(0), weight


class Applied(Step):
    """A function of one operand."""

    def __init__(self, op: str, slot: int, args: list[int], number: int) -> None:
        super().__init__(op, slot, args, number)
        self.function = FUNCTIONS[op]
        self.has_domain, self.has_sign = not self.function.domain.is_whole, self.function.domain.is_sign

    def run(self, values: Values) -> int:
        values[self.slot], state = self.function.over(values[self.args[0]])
        return state

    def partials(self, values: Values) -> tuple[Interval, ...]:
        return (self.function.slope(values[self.args[0]], values[self.slot]),)


class Paired(Step):
    """A function of two operands."""

    def __init__(self, op: str, slot: int, args: list[int], number: int) -> None:
        super().__init__(op, slot, args, number)
        self.pair = PAIRS[op]
        self.has_domain = self.pair.divides

    @property
    def watched(self) -> list[int]:
        return self.args[1:] if self.has_domain else []

    def run(self, values: Values) -> int:
        values[self.slot], state = self.pair.over(*self.operands(values))
        return state

    def partials(self, values: Values) -> tuple[Interval, ...]:
        a, b = self.operands(values)
        return self.pair.slopes(a, b, values[self.slot])


class WholePower(Step):
    def __init__(self, op: str, slot: int, args: list[int], number: int, exponent: int) -> None:
        super().__init__(op, slot, args, number)
        self.exponent = exponent
        self.has_domain = exponent < 0

    @property
    def watched(self) -> list[int]:
        return self.args[:1] if self.has_domain else []

    def run(self, values: Values) -> int:
        values[self.slot], state = powers.whole_power(values[self.args[0]], self.exponent)
        return state

    def partials(self, values: Values) -> tuple[Interval, ...]:
        return powers.whole_power_slope(values[self.args[0]], self.exponent), single(0)


class FixedPower(Step):
    """A constant exponent that is not whole: `exponent` around it, `less` around it less 1, and its sign."""

    has_domain = True
    has_sign = True

    def __init__(
        self, op: str, slot: int, args: list[int], number: int, exponent: Interval, less: Interval, positive: bool
    ) -> None:
        super().__init__(op, slot, args, number)
        self.exponent, self.less, self.positive = exponent, less, positive

    def run(self, values: Values) -> int:
        values[self.slot], state = powers.fixed_power(values[self.args[0]], self.exponent, self.positive)
        return state

    def partials(self, values: Values) -> tuple[Interval, ...]:
        return powers.fixed_power_slope(values[self.args[0]], self.exponent, self.less), single(0)


class VaryingPower(Step):
    """Under `ieee` the base may be negative on a thin set, so there is no multiplier and no slope for such a base."""

    has_domain = True

    def __init__(self, op: str, slot: int, args: list[int], number: int, ieee: bool) -> None:
        super().__init__(op, slot, args, number)
        self.ieee = ieee
        self.has_sign = not ieee

    def run(self, values: Values) -> int:
        a, p = self.operands(values)
        values[self.slot], state = powers.varying_power(a, p, self.ieee)
        return state

    def partials(self, values: Values) -> tuple[Interval, ...]:
        a, p = self.operands(values)
        if not (a[0] > 0 or (a[0] >= 0 and p[0] > 0)):
            return whole_line(), whole_line()  # it jumps at 0^0
        return powers.varying_power_slopes(a, p, values[self.slot])


class _Comparison(Step):
    """[1, 1] holds, [0, 0] fails, [0, 1] undecided."""

    def run(self, values: Values) -> int:
        a, b = self.operands(values)
        same = self.args[0] == self.args[1]
        if self.op == "lt":
            holds, fails = a[1] < b[0], same or a[0] >= b[1]
        else:
            holds, fails = same or a[1] <= b[0], a[0] > b[1]
        values[self.slot] = of_double(1 if holds else 0), of_double(0 if fails else 1)
        return EVERYWHERE


class Where(Step):
    """The branch taken; in doubt what holds of both."""

    def choose(self, values: Values, states: list[int]) -> int:
        test, *branches = self.operands(values)
        may = [bool(test[1] >= 1), bool(test[0] <= 0)]
        open_ = [branch for branch in (0, 1) if may[branch]]
        taken = [branch for branch in open_ if states[self.args[1 + branch]] != NOWHERE]
        if states[self.args[0]] == NOWHERE or not taken:
            values[self.slot] = whole_line()
            return NOWHERE
        values[self.slot] = hull([branches[branch] for branch in taken])
        whole = all(states[self.args[1 + branch]] == EVERYWHERE for branch in open_)
        return EVERYWHERE if whole and states[self.args[0]] == EVERYWHERE else MAYBE


KINDS: dict[str, type[Step]] = {
    "add": _Sum, "sub": _Sum, "neg": _Negation, "mul": _Product, "div": _Quotient,
    "lt": _Comparison, "le": _Comparison, "where": Where, "given": Given,
} | dict.fromkeys(FUNCTIONS, Applied) | dict.fromkeys(PAIRS, Paired)  # fmt: skip

Exponent = Fraction | Interval | None
"""Of a power: exact, or around an irrational constant that is not whole, or None if it varies."""


def step(op: str, slot: int, args: list[int], number: int, exponent: Exponent, ieee: bool) -> Step:
    """The step for an operation; a power is one of three kinds by its exponent."""
    if op != "pow":
        return KINDS[op](op, slot, args, number)
    if exponent is None:
        return VaryingPower(op, slot, args, number, ieee)
    if not isinstance(exponent, Fraction):
        return FixedPower(op, slot, args, number, exponent, sub(exponent, single(1)), bool(exponent[0] > 0))
    if exponent.denominator == 1:
        return WholePower(op, slot, args, number, exponent.numerator)
    return FixedPower(op, slot, args, number, single(exponent), single(exponent - 1), exponent > 0)
