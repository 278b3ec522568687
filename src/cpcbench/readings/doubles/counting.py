"""Bodies of kernels for the study of the domain: even draws counted where admissible, and how far each test is missed.

The points are drawn inside the compiled loop, coordinate by coordinate and only when a test asks
for it. Coordinate i of point k is number k n + i of one SplitMix64 sequence, computed from its
place, so what is drawn does not depend on which tests came before.
"""

from __future__ import annotations

import math

from llvmlite import ir

from cpcbench.expr.walk import postorder
from cpcbench.readings.doubles.llvm import BOOL, DOUBLE, INT64, LARGEST, LlvmTarget
from cpcbench.readings.doubles.lowering import Lowering, Plan, overflow_sources
from cpcbench.readings.doubles.splitmix import GAMMA, LAST_SHIFT, MIX, UNIT_BITS

TINY = 5e-324


def counted_function(module: ir.Module, plan: Plan) -> ir.Function:
    """bool counted(int64 state): the tests of a point of the box that is drawn on the way."""
    kind = ir.FunctionType(BOOL, [INT64])
    function = ir.Function(module, kind, name=module.get_unique_name("cpcbench_counted"))
    function.linkage = "internal"
    target = DrawingTarget(function, plan)
    lowering = Lowering(plan, target)
    lowering.tests()
    if any(id(node) not in plan.must for node in postorder(plan.root)):
        lowering.result(plan.root)
    else:
        lowering.finite(overflow_sources(plan))
    target.give(ir.Constant(BOOL, 1), ir.Constant(BOOL, 0))
    return function


def violations_function(module: ir.Module, plan: Plan) -> ir.Function:
    """double violations(double *x, double *out): for each test 0 if it holds, else how far off, NaN if undefined."""
    kind = ir.FunctionType(DOUBLE, [DOUBLE.as_pointer()] * 2)
    function = ir.Function(module, kind, name=module.get_unique_name("cpcbench_violations"))
    function.linkage = "internal"
    target = OpenTarget(function)
    lowering = Lowering(plan, target)
    for place, test in enumerate(plan.tests):
        operands = [lowering.value(operand) for operand in test.operands]
        output = target.builder.gep(function.args[1], [ir.Constant(INT64, place)])
        target.builder.store(_violation(target, test.relation, operands), output)
    target.give(target.constant(0.0), target.constant(math.nan))
    return function


def _violation(target: LlvmTarget, relation: str, operands: list[ir.Value]) -> ir.Value:
    """How far the operand is from where the test holds; a test missed by nothing counts as missed by the least."""
    a = operands[0]
    if relation == "unit":
        amount = target.builder.fsub(target.absolute(a), target.constant(1.0))
    elif relation in ("positive", "nonnegative", "power", "strict power"):
        amount = target.builder.fneg(a)
    else:
        amount = target.constant(1.0)
    amount = target.choose(target.ordered(">", amount, TINY), amount, target.constant(TINY))
    for operand in operands:
        known = target.ordered("<=", target.absolute(operand), LARGEST)
        amount = target.choose(known, amount, target.constant(math.nan))
    return target.choose(target.holds(relation, *operands), target.constant(0.0), amount)


class DrawingTarget(LlvmTarget):
    """A target whose variables are drawn evenly from the box when first used."""

    def __init__(self, function: ir.Function, plan: Plan) -> None:
        super().__init__(function)
        self.box = plan.box

    def variable(self, index: int) -> ir.Value:
        b = self.builder
        bits = b.add(self.function.args[0], _whole((index + 1) * GAMMA))
        for shift, factor in MIX:
            bits = b.mul(b.xor(bits, b.lshr(bits, _whole(shift))), _whole(factor))
        bits = b.xor(bits, b.lshr(bits, _whole(LAST_SHIFT)))
        whole = b.lshr(bits, _whole(64 - UNIT_BITS))
        unit = b.fmul(b.sitofp(whole, DOUBLE), self.constant(2.0**-UNIT_BITS))
        return self._in_box(unit, *self.box[index])

    def _in_box(self, unit: ir.Value, low: float, high: float) -> ir.Value:
        b = self.builder
        if math.isfinite(high - low):
            x = b.fadd(self.constant(low), b.fmul(self.constant(high - low), unit))
        else:  # by halves, whose width is finite
            half = b.fadd(self.constant(low / 2), b.fmul(self.constant(high / 2 - low / 2), unit))
            x = b.fmul(self.constant(2.0), half)
        return self.choose(self.ordered("<=", x, high), x, self.constant(high))  # the last rounding may be upward


class OpenTarget(LlvmTarget):
    """A target that goes on after a failed test: what follows from it is NaN or infinite."""

    def leave_unless(self, truth: ir.Value) -> None:
        pass


def _whole(value: int) -> ir.Constant:
    return ir.Constant(INT64, value % 2**64)
