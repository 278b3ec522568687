"""A formula, or a sum of terms and tables, as a tape: the straight line of operations that the prover interprets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from cpcbench.errors import CpcbenchError
from cpcbench.expr.functions import KINKS
from cpcbench.expr.nodes import COMPARISONS, Expr, index
from cpcbench.expr.rewriting import squared_part
from cpcbench.expr.rewriting import terms as terms_of
from cpcbench.expr.walk import constants, postorder
from cpcbench.expr.walk import variables as variables_of
from cpcbench.intervals import operations as ops
from cpcbench.intervals.fillings.holes import HoledQuotient, holed_quotient
from cpcbench.intervals.fillings.log_products import LogProduct, log_power, log_product
from cpcbench.intervals.fillings.removable import Cardinal, Partner, removable
from cpcbench.intervals.fillings.slots import HIDDEN, HoleSlots
from cpcbench.intervals.functions.table import ASKS, NUMBERS, SINC
from cpcbench.intervals.operations import Code
from cpcbench.intervals.packing import Key, arranged, code_of, operands
from cpcbench.intervals.tables import Table
from cpcbench.readings.gradient import ZERO, derivatives
from cpcbench.readings.reals.enclosure import enclose
from cpcbench.rules import check_rule

MOST_BENT, MOST_BENT_SLOTS = 40, 20_000
"""With more axes, or longer tapes of derivatives, nothing is asked about second derivatives."""

FEWEST_SQUARES = 2
"""With fewer terms that are squares their tangents have nothing to add to each other."""

WITHOUT_DERIVATIVES = (KINKS - {"abs"}) | COMPARISONS


@dataclass(frozen=True, eq=False)
class Tape:
    """What is to be bounded over boxes, with one axis for each of the `variables`, in ascending order."""

    variables: tuple[int, ...]
    code: Code
    numbers: tuple[int, ...]
    """For each slot with a condition, in the order of `code.domains`, the number of its node in the formula."""
    tables: tuple[Table, ...]
    roots: tuple[int, ...]
    """The slots of what is asked for: the last one, unless several formulas are read at once."""
    terms: tuple[tuple[int, Expr], ...] = ()
    """Those of a sum, with their signs."""

    @classmethod
    def of(
        cls,
        terms: Sequence[tuple[int, Expr]],
        variables: Sequence[int] | None = None,
        plus: Sequence[Table] = (),
        minus: Sequence[Table] = (),
        *,
        rule: str = "strict",
        formula: Expr | None = None,
    ) -> Tape:
        """The sum of the terms, each with its sign 1 or -1, plus and minus the values of tables.

        `variables` are those of the terms and tables unless more are given. `formula` is what the numbers
        of the nodes refer to: the whole that the terms are parts of.
        """
        check_rule(rule)
        if not terms or any(sign not in (1, -1) for sign, _ in terms):
            raise CpcbenchError("a sum has at least one term, each with the sign 1 or -1")
        used = {*variables_of(*(term for _, term in terms)), *(t.variable for t in (*plus, *minus))}
        axes = sorted(used) if variables is None else [int(v) for v in variables]
        if axes != sorted(set(axes)) or not used <= set(axes):
            raise CpcbenchError(f"the variables are {sorted(used)} or more, in ascending order, not {axes}")
        builder = _Builder([term for _, term in terms], axes, rule, formula)
        return replace(builder.tape([builder.total(terms, plus, minus)]), terms=tuple(terms))

    @classmethod
    def of_formula(cls, root: Expr, dim: int, *, rule: str = "strict") -> Tape:
        """A whole formula on a box of `dim` variables."""
        return cls.of([(1, root)], range(dim), rule=rule, formula=root)

    @classmethod
    def as_written(cls, roots: Sequence[Expr], *, rule: str = "ieee") -> Tape:
        """Formulas operation by operation: their holes are not filled, so that states are those of the points."""
        check_rule(rule)
        builder = _Builder(list(roots), range(max(variables_of(*roots), default=-1) + 1), rule, None, filled=False)
        return builder.tape([builder.slot(root) for root in roots])

    @property
    def dim(self) -> int:
        return len(self.variables)

    @cached_property
    def bent(self) -> Tape | None:
        """The sum and its derivatives along the axes, as they are written; None where they are not all known."""
        used = {node.op for node in postorder(*(term for _, term in self.terms))}
        if not self.terms or self.tables or used & WITHOUT_DERIVATIVES or self.dim > MOST_BENT:
            return None
        total = ZERO
        for sign, term in self.terms:
            total = (term if sign > 0 else -term) if total is ZERO else total + term if sign > 0 else total - term
        slopes = derivatives(total, max(self.variables) + 1)
        return self._beside([total, *(slopes[v] for v in self.variables)])

    @cached_property
    def squares(self) -> Tape | None:
        """The parts whose squares are added up, and then all the rest of the sum; None where they are too few."""
        terms = [(sign * inner, part) for sign, term in self.terms for inner, part in terms_of(term)]
        parts = [base for sign, term in terms if (base := squared_part(term)) is not None and sign > 0]
        if len(parts) < FEWEST_SQUARES or self.tables or self.dim > MOST_BENT:
            return None
        if any(node.op in COMPARISONS for node in postorder(*(term for _, term in terms))):
            return None
        rest = ZERO
        for sign, term in terms:
            if sign < 0 or squared_part(term) is None:
                rest = rest + term if sign > 0 else rest - term
        return self._beside([*parts, rest])

    def _beside(self, roots: list[Expr]) -> Tape | None:
        """Formulas on the same axes, as they are written; None if they are too long."""
        builder = _Builder(roots, self.variables, "strict", None, filled=False)
        found = builder.tape([builder.slot(root) for root in roots])
        return found if len(found.code.op) <= MOST_BENT_SLOTS else None

    @cached_property
    def text(self) -> str:
        """What the tape does, for a saved proof to be matched with it."""
        fields = [np.asarray(part).tolist() for part in self.code]
        return repr((self.variables, fields))


class _Builder:
    """Slots are made once for what is written alike; those that nothing needs are dropped in the end."""

    def __init__(
        self, terms: list[Expr], axes: Sequence[int], rule: str, formula: Expr | None, filled: bool = True
    ) -> None:
        if any(term.op in COMPARISONS for term in terms):
            raise CpcbenchError("a comparison has no range: read the where() that it belongs to")
        self._rule, self._fills = rule, filled
        self._axis = {v: i for i, v in enumerate(axes)}
        self._free = constants(*terms)
        self._rows: list[Key] = []
        self._known: dict[Key, int] = {}
        self._tables: list[Table] = []
        self._slots: dict[int, int] = {}
        self._numbers = {id(n): i for i, n in enumerate(postorder(*((formula,) if formula is not None else terms)))}
        for node in postorder(*terms):
            self._numbers.setdefault(id(node), len(self._numbers))
            if id(node) not in self._free or node.op in COMPARISONS:
                self._slots[id(node)] = self._operation(node)

    def _emit(
        self, op: int, *args: int, low: float = 0.0, high: float = 0.0, state: int = ops.EVERYWHERE, owner: int = -1
    ) -> int:
        """The slot for an operation; one with a condition is the node's own, since it is counted by its number."""
        key = (op, *(*args, -1, -1, -1)[:3], low, high, state, owner)
        if key not in self._known:
            self._known[key] = len(self._rows)
            self._rows.append(key)
        return self._known[key]

    def slot(self, node: Expr) -> int:
        return self._slots[id(node)] if id(node) in self._slots else self._constant(node)

    def _constant(self, node: Expr) -> int:
        found = enclose(node, (), rule=self._rule)
        if math.isnan(found.lower):
            state = ops.MAYBE if found.defined is None else ops.NOWHERE
            return self._emit(ops.CONST, low=-math.inf, high=math.inf, state=state)
        state = ops.MAYBE if found.defined is None else ops.EVERYWHERE
        return self._emit(ops.CONST, low=found.lower, high=found.upper, state=state)

    def _operation(self, node: Expr) -> int:
        if node.op == "var":
            return self._emit(ops.VAR, self._axis[index(node)])
        if node.op == "pow":
            return self._power(node)
        if node.op == "mul" and node.args[0] is node.args[1]:
            return self._emit(ops.SQUARE, self.slot(node.args[0]))
        if not self._fills:
            return self._direct(node)
        if node.op == "mul" and (product := log_product(node, self._free)) is not None:
            return self._with_logarithms(product)
        if node.op == "div":
            return self._quotient(node)
        return self._direct(node)

    def _direct(self, node: Expr) -> int:
        op = NUMBERS[node.op]
        owner = self._numbers[id(node)] if ASKS.get(op) else -1
        return self._emit(op, *(self.slot(a) for a in node.args), owner=owner)

    def _power(self, node: Expr) -> int:
        base, exponent = node.args
        number = self._numbers[id(node)]
        if id(exponent) not in self._free:
            op = ops.VARYING if self._rule == "strict" else ops.THIN
            plain = self._emit(op, self.slot(base), self.slot(exponent), owner=number)
            product = log_power(node, self._free) if op == ops.VARYING and self._fills else None
            return plain if product is None else self._emit(NUMBERS["exp"], self._with_logarithms(product, plain))
        return self._constant_power(self.slot(base), exponent, number)

    def _constant_power(self, base: int, exponent: Expr, number: int) -> int:
        p = enclose(exponent, (), rule=self._rule)
        low, high = p.lower, p.upper
        if p.defined and low == high and low == math.floor(low):
            return self._whole(base, low, number)
        if p.defined and math.isfinite(high - low) and math.ceil(low) > math.floor(high) and low * high > 0.0:
            return self._emit(ops.FRACTION, base, low=low, high=high, owner=number)
        return self._emit(ops.THIN, base, self._constant(exponent), owner=number)

    def _with_logarithms(self, product: LogProduct, plain: int = -1) -> int:
        """A product with functions u^p ln(u), each beside what it stands for, whose conditions are the formula's."""
        slots = [self.slot(factor) for factor in product.factors]
        for group in product.groups:
            beside = plain if plain >= 0 else self._product([self.slot(factor) for factor in group.factors])
            low, high = group.exponent
            slots += [self._emit(ops.LOG_POWER, self.slot(group.u), beside, low=low, high=high)] * group.logarithms
        found = self._product(slots[::-1])
        for divisor in product.divisors:
            found = self._emit(ops.DIV, found, self._constant(divisor), owner=HIDDEN)
        return self._emit(ops.NEG, found) if product.minus else found

    def _whole(self, base: int, n: float, number: int) -> int:
        if n == 1.0:
            return base
        if n == 2.0:
            return self._emit(ops.SQUARE, base)
        return self._emit(ops.WHOLE, base, low=n, high=n, owner=number if n < 0.0 else -1)

    def _quotient(self, node: Expr) -> int:
        parts = removable(node, self._free)
        number = self._numbers[id(node)]
        if parts is None:
            holed = holed_quotient(node, self._free)
            if holed is not None:
                return self._filled(node, holed, number)
            return self._emit(ops.DIV, *(self.slot(a) for a in node.args), owner=number)
        above = [slot for part in parts.above for slot in self._factor(part)]
        partners = [part.partner for part in parts.above if isinstance(part, Cardinal) and part.partner is not None]
        below = [self.slot(part) for part in (*parts.below, *(partner.shift for partner in partners))]
        product = self._product(above)
        return self._emit(ops.DIV, product, self._product(below), owner=number) if below else product

    def _filled(self, node: Expr, quotient: HoledQuotient, number: int) -> int:
        sides = (quotient.above, quotient.others_above), (quotient.below, quotient.others_below)
        above, below = (
            self._product([self.slot(part) for part in through]) if others else self.slot(whole)
            for (through, others), whole in zip(sides, node.args, strict=True)
        )
        slots = HoleSlots(self._emit, self._constant, self._constant_power)
        found = slots.filled(quotient, above, below, self.slot(quotient.u), number)
        if quotient.others_above:
            found = self._product([self.slot(part) for part in quotient.others_above] + [found])
        if quotient.others_below:
            rest = self._product([self.slot(part) for part in quotient.others_below])
            found = self._emit(ops.DIV, found, rest, owner=number)
        return found

    def _factor(self, part: Expr | Cardinal) -> list[int]:
        if isinstance(part, Expr):
            return [self.slot(part)]
        sinc = self._emit(SINC, self.slot(part.angle))
        if part.partner is not None and part.scale is not None:
            sinc = self._apart(sinc, part.scale, part.partner)
        return [sinc] if part.scale is None else [self.slot(part.scale), sinc]

    def _apart(self, sinc: int, scale: Expr, partner: Partner) -> int:
        """The two cardinal sines of a pair of divisors, one less the other or, an odd number apart, their sum."""
        other = self._emit(SINC, self._emit(ops.MUL, self.slot(scale), self.slot(partner.divisor)))
        if partner.odd:
            both = self._emit(ops.ADD, sinc, other)
            return both if partner.above else self._emit(ops.NEG, both)
        return self._emit(ops.SUB, sinc, other) if partner.above else self._emit(ops.SUB, other, sinc)

    def _product(self, slots: list[int]) -> int:
        product = slots[0]
        for slot in slots[1:]:
            product = self._emit(ops.SQUARE, slot) if slot == product else self._emit(ops.MUL, product, slot)
        return product

    def total(self, terms: Sequence[tuple[int, Expr]], plus: Sequence[Table], minus: Sequence[Table]) -> int:
        """The slot of a sum of terms and tables."""
        total = -1
        for sign, term in terms:
            total = self._added(total, self.slot(term), sign)
        for sign, tables in ((1, plus), (-1, minus)):
            for table in tables:
                self._tables.append(table)
                variable = self._emit(ops.VAR, self._axis[table.variable])
                total = self._added(total, self._emit(ops.TABLE, variable, len(self._tables) - 1), sign)
        return total

    def tape(self, roots: list[int]) -> Tape:
        kept = self._kept(roots)
        place = {slot: i for i, slot in enumerate(kept)}
        rows = [arranged(self._rows[slot], place) for slot in kept]
        code, numbers = code_of(rows, self._axis, self._tables, len(roots) > 1)
        return Tape(tuple(self._axis), code, tuple(numbers), tuple(self._tables), tuple(place[slot] for slot in roots))

    def _added(self, total: int, slot: int, sign: int) -> int:
        if total < 0:
            return slot if sign > 0 else self._emit(ops.NEG, slot)
        return self._emit(ops.ADD if sign > 0 else ops.SUB, total, slot)

    def _kept(self, roots: list[int]) -> list[int]:
        """The slots that the roots need, operands first; a single root comes last."""
        seen, stack = set(roots), list(roots)
        while stack:
            for slot in operands(self._rows[stack.pop()]):
                if slot not in seen:
                    seen.add(slot)
                    stack.append(slot)
        if len(roots) > 1:
            return sorted(seen)
        return [slot for slot in sorted(seen) if slot != roots[0]] + roots
