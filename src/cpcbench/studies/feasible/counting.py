"""The kernel behind a feasible ratio: even draws, counted where they are admissible.

The points are drawn inside the compiled loop, coordinate by coordinate and only when a test asks
for it. Coordinate i of point k is number k n + i of one SplitMix64 sequence, computed from its
place, so what is drawn does not depend on which tests came before.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from cpcbench.expr.walk import postorder
from cpcbench.problems.problem import Problem
from cpcbench.readings.doubles.kernels import offered_plan
from cpcbench.readings.doubles.llvm import BOOL, DOUBLE, INT64, LlvmTarget
from cpcbench.readings.doubles.lowering import Lowering, Plan, overflow_sources
from cpcbench.sampling.splitmix import GAMMA, LAST_SHIFT, MIX, UNIT_BITS

SOURCE = '''"""A kernel of cpcbench."""

from cpcbench.studies.feasible.counting import drawn_function

SIGNATURE = "int64(uint64, uint64, int64)"
drawn = drawn_function("{key}")


def kernel(state, step, count):
    found = 0
    for _ in range(count):
        found += drawn(state)
        state += step
    return found
'''


def counted(problem: Problem) -> Callable[[int, int, int], int]:
    """`counted(problem)(state, step, count)`: how many of the points drawn from these states are admissible.

    A state is a place of the sequence; no point is ever stored.
    """
    return problem.fast.compiled("counted", SOURCE, made_by=__file__)


def drawn_function(key: str) -> Any:
    """A function `drawn(state)` for use in compiled code: 1 if the point drawn from there is admissible, else 0."""

    def typing(_context: Any, state: Any) -> Any:
        def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            answer = builder.call(_counted_function(builder.module, offered_plan(key)), [args[0]])
            return builder.zext(answer, INT64)

        return types.int64(state), codegen

    return intrinsic(typing)


def _counted_function(module: ir.Module, plan: Plan) -> ir.Function:
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


def _whole(value: int) -> ir.Constant:
    return ir.Constant(INT64, value % 2**64)
