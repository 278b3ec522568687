"""A formula, or some terms of one, as a list of steps that are run over boxes, forwards for ranges and back for slopes.

A node whose value is a known rational number (a constant, or one that is held fixed) is kept exactly, and so
is whatever follows from such numbers by rational arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from cpcbench.certify.checker import exact
from cpcbench.certify.checker.intervals import EVERYWHERE, NOWHERE, WHOLE, Interval, is_single, rational, single
from cpcbench.certify.checker.removable import Filled, filled
from cpcbench.certify.checker.steps import Restricted, Step, Values, give, step
from cpcbench.certify.checker.verdict import RejectedError
from cpcbench.expr.nodes import Expr, index
from cpcbench.expr.walk import constants, postorder


class Program:
    """The steps for some roots; `slots[id(node)]` is where the value of a node lies.

    `numbers` gives each node its number in the certificate's formula; `pins` holds nodes, by id, at exact
    values, `inputs` makes nodes further variables with the numbers given, and what is only used by these is
    left out; `fill` closes removable holes. Made for the precision
    of the moment.
    """

    def __init__(
        self,
        roots: Sequence[Expr],
        numbers: Mapping[int, int],
        *,
        ieee: bool = False,
        pins: Mapping[int, Fraction] | None = None,
        inputs: Mapping[int, int] | None = None,
        fill: bool = True,
    ) -> None:
        self.roots, self.numbers, self.ieee, self.fill = tuple(roots), numbers, ieee, fill
        self.steps: list[Step] = []
        self.start: list[Interval | None] = []
        self.uses: list[int] = []
        self.exact: dict[int, Fraction] = {}
        self.slots: dict[int, int] = {}
        self.variables: dict[int, int] = {}
        self.domains: list[Step] = []
        self._constant = constants(*roots)
        self._pins, self._inputs = pins or {}, inputs or {}
        for node in self._needed():
            self.slots[id(node)] = self._place(node)
        self.domains.sort(key=lambda s: s.number)
        self.has_where = any(s.op == "where" for s in self.steps)

    def _needed(self) -> list[Expr]:
        """The nodes to be computed, arguments first."""
        order = postorder(*self.roots)
        needed = {id(root) for root in self.roots}
        for node in reversed(order):
            if id(node) in needed and id(node) not in self._pins and id(node) not in self._inputs:
                needed.update(id(a) for a in node.args)
        return [node for node in order if id(node) in needed]

    def _place(self, node: Expr) -> int:
        if id(node) in self._pins:
            return self._number(self._pins[id(node)])
        if node.op == "const":
            return self._number(Fraction(node.payload or 0))
        if node.op == "var" or id(node) in self._inputs:
            variable = self._inputs[id(node)] if id(node) in self._inputs else index(node)
            self.variables[variable] = self._slot(None, 1 << variable)
            return self.variables[variable]
        if node.op == "div" and self.fill and (parts := filled(node, self._constant)) is not None:
            return self._filled(node, parts)
        return self._emit(node.op, [self.slots[id(a)] for a in node.args], node)

    def _slot(self, value: Interval | None, uses: int) -> int:
        self.start.append(value)
        self.uses.append(uses)
        return len(self.start) - 1

    def _number(self, value: Fraction) -> int:
        slot = self._slot(single(rational(value)), 0)
        self.exact[slot] = value
        return slot

    def _emit(self, op: str, args: list[int], node: Expr) -> int:
        """The slot of an operation; its value at once if it depends on nothing that varies."""
        if all(a in self.exact for a in args) and (op != "pow" or self._fixed(node)):
            value = exact.combined(op, [self.exact[a] for a in args])
            if value is not None:
                return self._number(value)
        uses = 0
        for a in args:
            uses |= self.uses[a]
        slot = self._slot(None, uses)
        made = step(op, slot, args, self._exponent(op, args, node), self.ieee, self.numbers.get(id(node), -1))
        made.condition = sum_bits(self.uses[a] for a in made.watched)
        if uses or not self._settled(made):
            self.steps.append(made)
            if made.has_domain:
                self.domains.append(made)
        return slot

    def _settled(self, made: Step) -> bool:
        """Runs a step without variables; False if it has to stay because it is not certain to be defined."""
        if made.op == "where" or any(self.start[a] is None for a in made.args):
            return False
        values: Values = list(self.start)
        if made.run(values) != EVERYWHERE:
            return False
        value = values[made.slot] or WHOLE
        known = exact.of_ball(value[0])
        if known is not None and known == exact.of_ball(value[1]):
            self.exact[made.slot], value = known, single(value[0])
        self.start[made.slot] = value
        return True

    def _fixed(self, power: Expr) -> bool:
        """Whether the exponent counts as a constant; a varying one that is held still does so under `ieee` only."""
        return self.ieee or id(power.args[1]) in self._constant

    def _exponent(self, op: str, args: list[int], node: Expr) -> Fraction | Interval | None:
        """Of a power: the exact exponent, or its ball if it is an irrational constant, or None if it varies."""
        if op != "pow" or not self._fixed(node):
            return None
        known = self.exact.get(args[1])
        if known is not None and (id(node.args[1]) in self._constant or known.denominator == 1):
            return known
        if id(node.args[1]) not in self._constant:
            return None
        ball = self.start[args[1]]
        if ball is None or not is_single(ball) or ball[0].contains_integer():
            raise RejectedError("cannot decide whether a constant exponent is a whole number")
        return ball

    def _filled(self, node: Expr, parts: Filled) -> int:
        above = [self.slots[id(part)] for part in parts.plain]
        for place, (factor, angle) in enumerate(parts.cardinal):
            above += [] if factor is None else [self.slots[id(factor)]]
            cardinal = self._emit("sinc", [self.slots[id(angle)]], node)
            if place in parts.pairs and factor is not None:
                second, k = parts.pairs[place]
                turned = self._emit("mul", [self.slots[id(factor)], self.slots[id(second)]], node)
                other = self._emit("sinc", [turned], node)
                cardinal = self._emit("add" if k % 2 else "sub", [cardinal, other], node)
                above.append(self._number(Fraction(1, k)))
            above.append(cardinal)
        product = self._product(above, node)
        if not parts.divisors:
            return product
        below = self._product([self.slots[id(part)] for part in parts.divisors], node)
        return self._emit("div", [product, below], node)

    def _product(self, slots: list[int], node: Expr) -> int:
        product = slots[0]
        for slot in slots[1:]:
            product = self._emit("mul", [product, slot], node)
        return product

    def restrict(self, slot: int, known: Interval) -> None:
        """Lets what is known of a slot count from now on; constants, variables and branches stay as they are."""
        for place, made in enumerate(self.steps):
            if made.slot == slot and made.op != "where":
                self.steps[place] = Restricted(made, known)

    def ranges(self, box: Mapping[int, Interval]) -> tuple[Values, set[int]] | None:
        """The range of every slot over a box (variable to interval) and the slots that may be undefined.

        None if some operation is certainly defined nowhere.
        """
        values: Values = list(self.start)
        for variable, slot in self.variables.items():
            values[slot] = box[variable]
        if self.has_where:
            return self._ranges_with_branches(values)
        maybe: set[int] = set()
        for made in self.steps:
            state = made.run(values)
            if state != EVERYWHERE:
                if state == NOWHERE:
                    return None
                maybe.add(made.slot)
        return values, maybe

    def _ranges_with_branches(self, values: Values) -> tuple[Values, set[int]] | None:
        """The same where an operation that is undefined may be in a branch not taken; only roots are looked at."""
        states = [EVERYWHERE] * len(values)
        for made in self.steps:
            if made.op == "where":
                states[made.slot] = made.choose(values, states)
            else:
                own = made.run(values)
                states[made.slot] = min([own, *(states[a] for a in made.args)])
        found = [states[self.slots[id(root)]] for root in self.roots]
        if NOWHERE in found:
            return None
        return values, {self.slots[id(r)] for r, state in zip(self.roots, found, strict=True) if state != EVERYWHERE}

    def rerun(self, values: Values, box: Mapping[int, Interval], frozen: set[int]) -> Values:
        """The ranges over a smaller box inside, the frozen slots keeping the values given."""
        inside: Values = list(self.start)
        for variable, slot in self.variables.items():
            inside[slot] = box[variable]
        for made in self.steps:
            if made.slot in frozen:
                inside[made.slot] = values[made.slot]
            else:
                made.run(inside)
        return inside

    def slopes(self, values: Values, seeds: Mapping[int, Interval], passes: Mapping[int, bool]) -> Values:
        """How fast the sum of seed * slot changes with each slot, over the box the values are of.

        `passes[slot]` is absent for an ordinary step; False stops there (the slot is held still), True lets
        only the numerator of a quotient through.
        """
        adjoint: Values = [None] * len(values)
        for slot, weight in seeds.items():
            adjoint[slot] = weight
        for made in reversed(self.steps):
            if adjoint[made.slot] is not None and self.uses[made.slot]:
                way = passes.get(made.slot)
                if way is None or (way and made.op == "div"):
                    self._hand_on(made, values, adjoint, numerator_only=way is not None)
        return adjoint

    def _hand_on(self, made: Step, values: Values, adjoint: Values, numerator_only: bool) -> None:
        shares = made.shares(values, adjoint[made.slot] or WHOLE)
        for arg, share in zip(made.args[:1] if numerator_only else made.args, shares, strict=False):
            if self.uses[arg]:
                give(adjoint, arg, share)


def sum_bits(parts: Iterable[int]) -> int:
    """The union of sets of variables, as bits."""
    found = 0
    for part in parts:
        found |= part
    return found
