"""A formula in which some parts are held at exact values: the formula left over, and what holds them as equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from cpcbench.certify.certificate.schema import Equation
from cpcbench.certify.upper.balls import ball
from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr, num
from cpcbench.expr.rewriting import replaced
from cpcbench.expr.walk import postorder
from cpcbench.readings.gradient import derivatives


@dataclass(frozen=True)
class Pin:
    """A part of the formula and the exact value it is held at."""

    node: Expr
    value: Fraction = Fraction(0)


@dataclass(frozen=True)
class Pinned:
    """A formula of `dim` variables with its pins; pins are in the order of the formula, inner ones first."""

    root: Expr
    dim: int
    pins: tuple[Pin, ...] = ()

    @staticmethod
    def of(root: Expr, dim: int, pins: Sequence[Pin]) -> Pinned:
        """The pins sorted as the formula has them, each node once."""
        place = {id(n): i for i, n in enumerate(postorder(root))}
        once = {id(pin.node): pin for pin in pins}
        return Pinned(root, dim, tuple(sorted(once.values(), key=lambda pin: place[id(pin.node)])))

    @cached_property
    def rest(self) -> Expr:
        """The formula with the pinned parts replaced by their values: it has slopes where the formula has none."""
        return replaced(self.root, {id(pin.node): number(pin.value) for pin in self.pins})

    @cached_property
    def equations(self) -> list[Expr]:
        """For each pin what must be 0: the part, in which the pins inside it are replaced, minus the value."""
        found = []
        for pin in self.pins:
            inner = {id(p.node): number(p.value) for p in self.pins if p is not pin}
            part = replaced(pin.node, inner)
            found.append(part - number(pin.value) if pin.value else part)
        return found

    @property
    def balls(self) -> dict[int, Any]:
        """The values of the pins, by the ids of their nodes, at the precision of the moment."""
        return {id(pin.node): ball(pin.value) for pin in self.pins}

    def written(self, pins: Sequence[Pin]) -> list[Equation]:
        """Pins as a certificate has them."""
        place = {id(n): i for i, n in enumerate(postorder(self.root))}
        return [Equation(place[id(pin.node)], str(pin.value)) for pin in pins]

    @cached_property
    def slopes(self) -> list[list[Expr]]:
        """The partial derivatives of the equations."""
        return [derivatives(equation, self.dim) for equation in self.equations]


def number(value: Fraction) -> Expr:
    """A rational number as an expression."""
    try:
        return num(value)
    except CpcbenchError:  # no finite decimal form
        return num(value.numerator) / value.denominator
