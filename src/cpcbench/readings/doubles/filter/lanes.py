"""The tests of a plan on a vector of points: which lanes may be admissible, and which certainly are.

A lane is left out only if the kernel rejects its point for certain. Suppose that the kernel has a value there: then
every bound of `known` holds, so that no test can fail by more than its bound. A lane in which one does is none that
the kernel has a value at. In the other direction tests are gone through in the kernel's order, and a lane is certain
if each holds by more than its bound and nothing can overflow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from llvmlite import ir

from cpcbench.expr.nodes import Expr, index
from cpcbench.expr.walk import postorder
from cpcbench.readings.domain.requirements import SPANS, Requirement, Span
from cpcbench.readings.doubles.filter.known import Known, either, settled
from cpcbench.readings.doubles.filter.operations import OPERATIONS, constant_power, number
from cpcbench.readings.doubles.filter.usual import usual
from cpcbench.readings.doubles.filter.vectors import TRUTHS, WIDTH, Vectors
from cpcbench.readings.doubles.llvm import INT64
from cpcbench.readings.doubles.lowering import Plan, not_yet, overflow_sources

LARGE = 1e300
"""What is not larger than this does not overflow."""

Variable = Callable[[Vectors, int], ir.Value]
"""Writes the coordinates of the lanes: NaN outside the box."""


class Answer(NamedTuple):
    """In which lanes a test may hold, and in which it certainly does; None: in all, and in none."""

    may: ir.Value | None
    does: ir.Value | None


class Stage(NamedTuple):
    """Some tests of a plan, from one place of its order to another; the last stage looks for overflows as well."""

    start: int
    end: int
    is_last: bool


class Use(NamedTuple):
    """Whether lanes are ever left out, and whether there are such that are certainly admissible."""

    rejects: bool
    certain: bool


def lanes(
    function: ir.Function, plan: Plan, variable: Variable, stage: Stage, *, certain: bool, in_box: bool = False
) -> Use:
    """Writes a function whose answer has bit i if the tests may hold in lane i, and bit WIDTH + i if they certainly do.

    Without `certain` the upper bits are 0. Points that are `in_box` for sure need not be looked at for that.
    """
    return _Lanes(function, plan, variable, in_box).write(stage, certain)


class _Lanes:
    def __init__(self, function: ir.Function, plan: Plan, variable: Variable, in_box: bool) -> None:
        self.function, self.plan, self.variable = function, plan, variable
        self.v = Vectors(ir.IRBuilder(function.append_basic_block("entry")))
        self.values: dict[int, Known | None] = {}
        self.usual = usual(plan).sizes
        self.sources = [] if in_box else [node for node in postorder(plan.root) if node.op == "var"]
        self.sources += overflow_sources(plan)

    def write(self, stage: Stage, certain: bool) -> Use:
        v, b = self.v, self.v.builder
        everywhere = ir.Constant(TRUTHS, 1)
        may, does = everywhere, everywhere
        rejects, complete = False, certain and all(id(n) in self.plan.must for n in postorder(self.plan.root))
        leave = self.function.append_basic_block("leave")
        for test in self.plan.tests[stage.start : stage.end]:
            answer = self._answer(test)
            if answer.does is None:
                complete = False
            else:
                does = b.and_(does, answer.does)
            if answer.may is not None:
                rejects = True
                may = b.and_(may, answer.may)
                following = self.function.append_basic_block()
                nothing = b.icmp_unsigned("==", v.bits(may), ir.Constant(INT64, 0))
                b.cbranch(nothing, leave, following)
                b.position_at_end(following)
        if stage.is_last:
            complete = complete and self._all_finite
            does = b.and_(does, self._bounded()) if complete else does
        result = v.bits(may)
        if complete:
            result = b.or_(result, b.shl(v.bits(b.and_(may, does)), ir.Constant(INT64, WIDTH)))
        b.ret(result)
        b.position_at_end(leave)
        b.ret(ir.Constant(INT64, 0))
        return Use(rejects, complete)

    @property
    def _all_finite(self) -> bool:
        """Whether the size of each operation that might overflow has a bound."""
        found = [self.known(node) for node in self.sources]
        return all(a is not None and a.peak <= LARGE for a in found)

    def _bounded(self) -> ir.Value:
        """The lanes in the box in which the size of all that might overflow is known."""
        b, sound = self.v.builder, ir.Constant(TRUTHS, 1)
        for node in self.sources:
            a = self.values[id(node)]
            if a is not None:
                sound = b.and_(sound, b.fcmp_ordered("ord", a.value, a.value))
        return sound if self.v.far is None else b.and_(sound, b.not_(self.v.far))

    def known(self, root: Expr) -> Known | None:
        for node in not_yet(root, self.values):
            self.values[id(node)] = self._node(node)
        return self.values[id(root)]

    def _node(self, node: Expr) -> Known | None:
        plan = self.plan
        if node.op == "var":
            low, high = plan.box[index(node)]
            finite = math.isfinite(low) and math.isfinite(high)
            usual = self.usual.get(id(node), (0.0, 0.0))[0]
            return Known(self.variable(self.v, index(node)), low, high, 0.0, usual=usual) if finite else None
        if id(node) in plan.free:
            return number(self.v, plan.free[id(node)])
        operands = [self.values[id(a)] for a in node.args]
        if node.op == "given":
            operands[0] = operands[1]  # its condition is a test of its own
        found = [a for a in operands if a is not None]
        if id(node) not in plan.must or node.op not in OPERATIONS or len(found) < len(operands):
            return None
        low, high = self.usual.get(id(node), (0.0, 100.0))
        if node.op == "pow" and id(node.args[1]) in plan.free:
            made = constant_power(self.v, found[0], plan.free[id(node.args[1])], often=high)
        elif node.op in ("pow", "exp"):
            made = OPERATIONS[node.op](self.v, *found, often=high)
        else:
            made = OPERATIONS[node.op](self.v, *found)
        return made and replace(made, usual=low)

    def _answer(self, test: Requirement) -> Answer:
        operands = [self.known(operand) for operand in test.operands]
        base = operands[0]
        if base is None:
            return Answer(None, None)
        if test.relation in SPANS:
            return _in_span(self.v, SPANS[test.relation], base)
        base = settled(self.v, base)
        if test.relation == "nonzero":
            may = self.v.or_unknown("!=", base.value, 0.0) if base.is_exact else None
            return Answer(may, self.v.ordered(">", self.v.absolute(base.value), base.error))
        if test.relation == "whole":
            return Answer(_may_be_whole(self.v, base), None)
        return self._power(test.relation, base, operands[1])

    def _power(self, relation: str, base: Known, exponent: Known | None) -> Answer:
        """No value where the base is negative, unless the rule allows whole exponents and the exponent may be one."""
        v = self.v
        may = v.or_unknown(">=", base.value, -base.error)
        if relation == "power":
            whole = None if exponent is None else _may_be_whole(v, settled(v, exponent))
            may = None if whole is None else v.builder.or_(may, whole)
        return Answer(may, v.ordered(">", base.value, base.error))


def _in_span(v: Vectors, span: Span, a: Known) -> Answer:
    least, most = (">=", "<=") if span.closed else (">", "<")
    may = either(v, v.or_unknown(least, a.value, _down(span.low, -a.error)), a.above)
    does = _but(v, v.ordered(least, a.value, _up(span.low, a.error)), a.below)
    if not span.is_half_line:
        upper = either(v, v.or_unknown(most, a.value, _up(span.high, a.error)), a.below)
        may = v.builder.and_(may, upper)
        under = _but(v, v.ordered(most, a.value, _down(span.high, -a.error)), a.above)
        does = v.builder.and_(does, under)
    return Answer(may, does)


def _but(v: Vectors, truth: ir.Value, other: ir.Value | None) -> ir.Value:
    return truth if other is None else v.builder.and_(truth, v.builder.not_(other))


def _may_be_whole(v: Vectors, a: Known) -> ir.Value:
    off = v.absolute(v.builder.fsub(a.value, v.intrinsic("llvm.rint", a.value)))
    return v.or_unknown("<=", off, a.error)


def _down(value: float, change: float) -> float:
    return value if change == 0.0 else math.nextafter(value + change, -math.inf)


def _up(value: float, change: float) -> float:
    return value if change == 0.0 else math.nextafter(value + change, math.inf)
