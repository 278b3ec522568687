"""A formula, or a sum of terms and tables, as a tape: the straight line of operations that the prover interprets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import COMPARISONS, Expr, index
from cpcbench.expr.walk import constants, postorder
from cpcbench.expr.walk import variables as variables_of
from cpcbench.intervals import operations as ops
from cpcbench.intervals.fillings.holes import HoledQuotient, holed_quotient
from cpcbench.intervals.fillings.log_products import LogProduct, log_power, log_product
from cpcbench.intervals.fillings.removable import Cardinal, Partner, removable
from cpcbench.intervals.fillings.slots import HIDDEN, HoleSlots
from cpcbench.intervals.operations import Code
from cpcbench.intervals.table_ranges import table_arrays
from cpcbench.intervals.tables import Table
from cpcbench.readings.reals.enclosure import enclose
from cpcbench.rules import check_rule

Key = tuple[Any, ...]

DIRECT = {
    "add": ops.ADD, "sub": ops.SUB, "mul": ops.MUL, "div": ops.DIV, "neg": ops.NEG, "sqrt": ops.SQRT, "ln": ops.LN,
    "exp": ops.EXP, "sin": ops.SIN, "cos": ops.COS, "tan": ops.TAN, "arcsin": ops.ARCSIN, "abs": ops.ABS,
    "floor": ops.FLOOR, "sign": ops.SIGN, "lt": ops.LT, "le": ops.LE, "where": ops.WHERE,
}  # fmt: skip
SIGNED_OPS = frozenset({ops.SQRT, ops.LN, ops.FRACTION, ops.VARYING})
OTHER_OPS = frozenset({ops.DIV, ops.ARCSIN, ops.TAN, ops.THIN, ops.SLOPED})

NEEDED = {ops.WHERE: 1, ops.FILLED: 2, ops.SLOPED: 2}
"""How many operands must be defined, where that is not all of them."""


@dataclass(frozen=True, eq=False)
class Tape:
    """What is to be bounded over boxes, with one axis for each of the `variables`, in ascending order."""

    variables: tuple[int, ...]
    code: Code
    numbers: tuple[int, ...]
    """For each slot with a condition, in the order of `code.domains`, the number of its node in the formula."""
    tables: tuple[Table, ...]

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
        return builder.tape(terms, plus, minus)

    @classmethod
    def of_formula(cls, root: Expr, dim: int, *, rule: str = "strict") -> Tape:
        """A whole formula on a box of `dim` variables."""
        return cls.of([(1, root)], range(dim), rule=rule, formula=root)

    @property
    def dim(self) -> int:
        return len(self.variables)

    @cached_property
    def text(self) -> str:
        """What the tape does, for a saved proof to be matched with it."""
        fields = [np.asarray(part).tolist() for part in self.code]
        return repr((self.variables, fields))


class _Builder:
    """Slots are made once for what is written alike; those that nothing needs are dropped in the end."""

    def __init__(self, terms: list[Expr], axes: list[int], rule: str, formula: Expr | None) -> None:
        if any(term.op in COMPARISONS for term in terms):
            raise CpcbenchError("a comparison has no range: read the where() that it belongs to")
        self._rule = rule
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

    def _slot(self, node: Expr) -> int:
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
            return self._emit(ops.SQUARE, self._slot(node.args[0]))
        if node.op == "mul" and (product := log_product(node, self._free)) is not None:
            return self._with_logarithms(product)
        if node.op == "div":
            return self._quotient(node)
        op = DIRECT[node.op]
        owner = self._numbers[id(node)] if op in SIGNED_OPS or op in OTHER_OPS else -1
        return self._emit(op, *(self._slot(a) for a in node.args), owner=owner)

    def _power(self, node: Expr) -> int:
        base, exponent = node.args
        number = self._numbers[id(node)]
        if id(exponent) not in self._free:
            op = ops.VARYING if self._rule == "strict" else ops.THIN
            plain = self._emit(op, self._slot(base), self._slot(exponent), owner=number)
            product = log_power(node, self._free) if op == ops.VARYING else None
            return plain if product is None else self._emit(ops.EXP, self._with_logarithms(product, plain))
        return self._constant_power(self._slot(base), exponent, number)

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
        slots = [self._slot(factor) for factor in product.factors]
        for group in product.groups:
            beside = plain if plain >= 0 else self._product([self._slot(factor) for factor in group.factors])
            low, high = group.exponent
            slots += [self._emit(ops.LOG_POWER, self._slot(group.u), beside, low=low, high=high)] * group.logarithms
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
            return self._emit(ops.DIV, *(self._slot(a) for a in node.args), owner=number)
        above = [slot for part in parts.above for slot in self._factor(part)]
        partners = [part.partner for part in parts.above if isinstance(part, Cardinal) and part.partner is not None]
        below = [self._slot(part) for part in (*parts.below, *(partner.shift for partner in partners))]
        product = self._product(above)
        return self._emit(ops.DIV, product, self._product(below), owner=number) if below else product

    def _filled(self, node: Expr, quotient: HoledQuotient, number: int) -> int:
        sides = (quotient.above, quotient.others_above), (quotient.below, quotient.others_below)
        above, below = (
            self._product([self._slot(part) for part in through]) if others else self._slot(whole)
            for (through, others), whole in zip(sides, node.args, strict=True)
        )
        slots = HoleSlots(self._emit, self._constant, self._constant_power)
        found = slots.filled(quotient, above, below, self._slot(quotient.u), number)
        if quotient.others_above:
            found = self._product([self._slot(part) for part in quotient.others_above] + [found])
        if quotient.others_below:
            rest = self._product([self._slot(part) for part in quotient.others_below])
            found = self._emit(ops.DIV, found, rest, owner=number)
        return found

    def _factor(self, part: Expr | Cardinal) -> list[int]:
        if isinstance(part, Expr):
            return [self._slot(part)]
        sinc = self._emit(ops.SINC, self._slot(part.angle))
        if part.partner is not None and part.scale is not None:
            sinc = self._apart(sinc, part.scale, part.partner)
        return [sinc] if part.scale is None else [self._slot(part.scale), sinc]

    def _apart(self, sinc: int, scale: Expr, partner: Partner) -> int:
        """The two cardinal sines of a pair of divisors, one less the other or, an odd number apart, their sum."""
        other = self._emit(ops.SINC, self._emit(ops.MUL, self._slot(scale), self._slot(partner.divisor)))
        if partner.odd:
            both = self._emit(ops.ADD, sinc, other)
            return both if partner.above else self._emit(ops.NEG, both)
        return self._emit(ops.SUB, sinc, other) if partner.above else self._emit(ops.SUB, other, sinc)

    def _product(self, slots: list[int]) -> int:
        product = slots[0]
        for slot in slots[1:]:
            product = self._emit(ops.SQUARE, slot) if slot == product else self._emit(ops.MUL, product, slot)
        return product

    def tape(self, terms: Sequence[tuple[int, Expr]], plus: Sequence[Table], minus: Sequence[Table]) -> Tape:
        total = -1
        for sign, term in terms:
            total = self._added(total, self._slot(term), sign)
        for sign, tables in ((1, plus), (-1, minus)):
            for table in tables:
                self._tables.append(table)
                variable = self._emit(ops.VAR, self._axis[table.variable])
                total = self._added(total, self._emit(ops.TABLE, variable, len(self._tables) - 1), sign)
        kept = self._kept(total)
        rows = [self._rows[slot] for slot in kept]
        place = {slot: i for i, slot in enumerate(kept)}
        arranged = [_arranged(row, place) for row in rows]
        return _tape(arranged, self._axis, self._tables)

    def _added(self, total: int, slot: int, sign: int) -> int:
        if total < 0:
            return slot if sign > 0 else self._emit(ops.NEG, slot)
        return self._emit(ops.ADD if sign > 0 else ops.SUB, total, slot)

    def _kept(self, total: int) -> list[int]:
        """The slots that the root needs, in an order in which the root comes last."""
        seen, stack = {total}, [total]
        while stack:
            for slot in _operands(self._rows[stack.pop()]):
                if slot not in seen:
                    seen.add(slot)
                    stack.append(slot)
        return [slot for slot in sorted(seen) if slot != total] + [total]


def _operands(row: Key) -> tuple[int, ...]:
    if row[0] in (ops.CONST, ops.VAR):
        return ()
    if row[0] == ops.TABLE:
        return (row[1],)
    return tuple(slot for slot in row[1:4] if slot >= 0)


def _arranged(row: Key, place: dict[int, int]) -> Key:
    """The row with its operands at their new places."""
    if row[0] in (ops.CONST, ops.VAR):
        return row
    if row[0] == ops.TABLE:
        return (row[0], place[row[1]], *row[2:])
    return (row[0], *(place.get(slot, -1) for slot in row[1:4]), *row[4:])


def _tape(rows: list[Key], axis: dict[int, int], tables: list[Table]) -> Tape:
    columns = list(zip(*rows, strict=True))
    owners: Sequence[int] = columns[7]
    op, left, right, third = (np.array(column, dtype=np.int64) for column in columns[:4])
    kinds = np.array([_kind(row) for row in rows], dtype=np.int8)
    domains = sorted((k for k in range(len(rows)) if kinds[k] != ops.PLAIN), key=lambda k: (owners[k], k))
    place = np.full(len(axis), -1, dtype=np.int64)
    for k in np.flatnonzero(op == ops.VAR):
        place[left[k]] = k
    code = Code(
        op, left, right, third,
        np.array(columns[4], dtype=np.float64), np.array(columns[5], dtype=np.float64),
        np.array(columns[6], dtype=np.int8), _uses(rows), _needed(rows), kinds,
        np.array(domains, dtype=np.int64), place, *table_arrays(tables, axis),
    )  # fmt: skip
    return Tape(tuple(axis), code, tuple(owners[k] for k in domains), tuple(tables))


def _kind(row: Key) -> int:
    op, exponent = row[0], row[4]
    if row[7] == HIDDEN:
        return ops.PLAIN
    if op in SIGNED_OPS:
        return ops.SIGNED
    return ops.OTHER if op in OTHER_OPS or (op == ops.WHOLE and exponent < 0.0) else ops.PLAIN


def _uses(rows: list[Key]) -> Any:
    uses = np.zeros(len(rows), dtype=np.int64)
    for k, row in enumerate(rows):
        if row[0] == ops.VAR:
            uses[k] = 1 << min(row[1], ops.LAST_BIT)
        for slot in _operands(row):
            uses[k] |= uses[slot]
    return uses


def _needed(rows: list[Key]) -> Any:
    needed = np.zeros(len(rows), dtype=np.bool_)
    needed[-1] = True
    for k in range(len(rows) - 1, -1, -1):
        if needed[k]:
            operands = _operands(rows[k])
            for slot in operands[: NEEDED.get(rows[k][0], 3)]:
                needed[slot] = True
    return needed
