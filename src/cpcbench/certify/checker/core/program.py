"""A formula, or some terms of one, as a list of steps that are run over boxes, forwards for ranges and back for slopes.

A node whose value is a known rational number (a constant, or one that is held fixed) is kept exactly, and so
is whatever follows from such numbers by rational arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

from cpcbench.certify.checker.core import rationals
from cpcbench.certify.checker.core.functions.waves import pi
from cpcbench.certify.checker.core.intervals import EVERYWHERE, NOWHERE, Interval, single, whole_line
from cpcbench.certify.checker.core.numbers import exact
from cpcbench.certify.checker.core.powers import may_be_whole
from cpcbench.certify.checker.core.steps import Adjoint, Exponent, Given, Step, Values, Where, give, step
from cpcbench.certify.checker.ground.clock import look_at_clock
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.nodes import Expr, index
from cpcbench.expr.walk import constants, postorder

Filler = Callable[["Program", Expr], "int | None"]
"""An extension that knows a better way to bound a node, which it puts into steps of its own; None if it does not."""

Maker = Callable[[str, int, list[int], int], Step]
"""What makes a step of an extension's own kind: from its name, slot, operands and number."""


class Program:
    """The steps for some roots; `slots[id(node)]` is where the value of a node lies.

    `numbers` gives each node its number in the certificate's formula; `pins` holds nodes, by id, at exact
    values, `inputs` makes nodes further variables with the numbers given, and what is only used by these is
    left out; `fillers` may put other steps in the place of a node's, and `rests_on` names those that did.
    Made for the precision of the moment.
    """

    def __init__(
        self,
        roots: Sequence[Expr],
        numbers: Mapping[int, int],
        *,
        ieee: bool = False,
        pins: Mapping[int, Fraction] | None = None,
        inputs: Mapping[int, int] | None = None,
        fillers: Sequence[Filler] = (),
    ) -> None:
        if fillers and (pins or inputs):
            raise RejectedError("nothing is filled where parts of the formula are held")
        self.roots, self.numbers, self.ieee, self.fillers = tuple(roots), numbers, ieee, fillers
        self.steps: list[Step] = []
        self.start: Values = []
        self.uses: list[int] = []
        self.exact: dict[int, Fraction] = {}
        self.slots: dict[int, int] = {}
        self.variables: dict[int, int] = {}
        self.domains: list[Step] = []
        self.rests_on: set[str] = set()
        self.fillings = 0
        self.constant = constants(*roots)
        self._pins, self._inputs = pins or {}, inputs or {}
        self._unsure: set[int] = set()
        self._known: dict[Fraction | tuple[object, ...], int] = {}
        for node in self._needed():
            look_at_clock()
            self.slots[id(node)] = self._place(node)
        self.domains.sort(key=lambda s: s.number)
        self.has_where = any(isinstance(s, Where) for s in self.steps)

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
            return self.number(self._pins[id(node)])
        if node.op == "const":
            return self.number(Fraction(node.payload or 0))
        if node.op == "pi":
            return self._slot(pi(), 0)
        if node.op == "var" or id(node) in self._inputs:
            variable = self._inputs[id(node)] if id(node) in self._inputs else index(node)
            self.variables[variable] = self._slot(whole_line(), 1 << variable)
            return self.variables[variable]
        for filler in self.fillers:
            filled = filler(self, node)
            if filled is not None:
                return filled
        return self.emit(node.op, [self.slots[id(a)] for a in node.args], node)

    def _slot(self, value: Interval, uses: int) -> int:
        self.start.append(value)
        self.uses.append(uses)
        return len(self.start) - 1

    def number(self, value: Fraction) -> int:
        """The slot of an exact number."""
        if value not in self._known:
            self._known[value] = self._slot(single(value), 0)
            self.exact[self._known[value]] = value
        return self._known[value]

    def emit(self, op: str, args: list[int], node: Expr, kind: Maker | None = None) -> int:
        """The slot of an operation; its value at once if it depends on nothing that varies.

        Sums, products and an extension's steps without a domain are made once for the same slots, as nodes are.
        """
        if kind is None and all(a in self.exact for a in args) and (op != "pow" or self._fixed(node)):
            value = rationals.combined(op, [self.exact[a] for a in args])
            if value is not None:
                return self.number(value)
        again = (op, kind, *args)
        if again in self._known:
            return self._known[again]
        uses = self._uses(args)
        slot, number = self._slot(whole_line(), uses), self.numbers.get(id(node), -1)
        if kind is None:
            made = step(op, slot, args, number, self._exponent(node, args) if op == "pow" else None, self.ieee)
        else:
            made = kind(op, slot, args, number)
        made.condition = self._uses(made.watched)
        if op in ("add", "sub", "neg", "mul") or (kind is not None and not made.has_domain):
            self._known[again] = slot
        if uses or not self._settled(made):
            self.steps.append(made)
            if made.has_domain:
                self.domains.append(made)
        return slot

    def product(self, slots: Sequence[int], node: Expr) -> int:
        """The slot of a product, multiplied from left to right."""
        found = slots[0]
        for slot in slots[1:]:
            found = self.emit("mul", [found, slot], node)
        return found

    def _uses(self, slots: Sequence[int]) -> int:
        """The variables that some slots depend on, as bits."""
        found = 0
        for slot in slots:
            found |= self.uses[slot]
        return found

    def _settled(self, made: Step) -> bool:
        """Runs a step without variables; False if it has to stay because it is not certain to be defined."""
        if isinstance(made, Where) or any(a in self._unsure for a in made.args):
            self._unsure.add(made.slot)
            return False
        if made.run(self.start) != EVERYWHERE:
            self.start[made.slot] = whole_line()
            self._unsure.add(made.slot)
            return False
        low, high = self.start[made.slot]
        known = exact(low) if low == high else None
        if known is not None:
            self.exact[made.slot] = known
        return True

    def _fixed(self, power: Expr) -> bool:
        """Whether the exponent counts as a constant; a varying one that is held still does so under `ieee` only."""
        return self.ieee or id(power.args[1]) in self.constant

    def _exponent(self, node: Expr, args: list[int]) -> Exponent:
        known, constant = self.exact.get(args[1]), id(node.args[1]) in self.constant
        if known is not None and (constant or (self.ieee and known.denominator == 1)):
            return known
        if not constant:
            return None
        if may_be_whole(self.start[args[1]]):
            raise RejectedError("cannot decide whether a constant exponent is a whole number")
        return self.start[args[1]]

    def ranges(self, box: Mapping[int, Interval]) -> tuple[Values, set[int]] | None:
        """The range of every slot over a box (variable to interval) and the slots that may be undefined.

        None if some operation is certainly defined nowhere.
        """
        look_at_clock()
        values = self._begun(box)
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

    def everywhere(self, box: Mapping[int, Interval]) -> Values | None:
        """The same where every operation is certainly defined on the whole box; None if that is not so."""
        evaluated = self.ranges(box)
        return None if evaluated is None or evaluated[1] else evaluated[0]

    def _begun(self, box: Mapping[int, Interval]) -> Values:
        values = list(self.start)
        for variable, slot in self.variables.items():
            values[slot] = box[variable]
        return values

    def _ranges_with_branches(self, values: Values) -> tuple[Values, set[int]] | None:
        """The same where an operation that is undefined may be in a branch not taken; only roots are looked at."""
        states = [EVERYWHERE] * len(values)
        for made in self.steps:
            if isinstance(made, Where):
                states[made.slot] = made.choose(values, states)
            else:
                own = made.run(values)
                states[made.slot] = min([own, *(states[a] for a in made.args)])
        found = [states[self.slots[id(root)]] for root in self.roots]
        if NOWHERE in found:
            return None
        return values, {self.slots[id(r)] for r, state in zip(self.roots, found, strict=True) if state != EVERYWHERE}

    def rerun(self, values: Values, box: Mapping[int, Interval], frozen: set[int]) -> Values:
        """The ranges over a smaller box inside, the frozen slots keeping the values given; a `Given` needs none."""
        inside = self._begun(box)
        for made in self.steps:
            if made.slot in frozen and not isinstance(made, Given):
                inside[made.slot] = values[made.slot]
            else:
                made.run(inside)
        return inside

    def slopes(self, values: Values, seeds: Mapping[int, Interval], passes: Mapping[int, bool]) -> Adjoint:
        """How fast the sum of seed * slot changes with each slot, over the box the values are of.

        `passes[slot]` is absent for an ordinary step; False stops there (the slot is held still), True lets
        only the numerator of a quotient through. A `Given` lets its value through in any case.
        """
        adjoint: Adjoint = [None] * len(values)
        for slot, seed in seeds.items():
            adjoint[slot] = seed
        for made in reversed(self.steps):
            weight = adjoint[made.slot]
            if weight is None or not self.uses[made.slot]:
                continue
            way = None if isinstance(made, Given) else passes.get(made.slot)
            if way is None or (way and made.op == "div"):
                shares = made.shares(values, weight)
                for arg, share in zip(made.args if way is None else made.args[:1], shares, strict=False):
                    if self.uses[arg]:
                        give(adjoint, arg, share)
        return adjoint

    def slopes_in(self, adjoint: Adjoint, variables: Iterable[int]) -> list[Interval]:
        """Those in some variables; 0 in one that does not occur."""
        slots = [self.variables.get(variable) for variable in variables]
        return [(None if slot is None else adjoint[slot]) or single(0) for slot in slots]

    def slopes_of(self, slot: int, values: Values, variables: Iterable[int]) -> list[Interval]:
        """How fast one slot changes with some variables."""
        return self.slopes_in(self.slopes(values, {slot: single(1)}, {}), variables)
