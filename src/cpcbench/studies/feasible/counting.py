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
from cpcbench.readings.doubles.filter.kernels import Cascade, numbers_of, use
from cpcbench.readings.doubles.filter.lanes import lanes
from cpcbench.readings.doubles.filter.stages import stages
from cpcbench.readings.doubles.filter.vectors import NUMBERS, Vectors
from cpcbench.readings.doubles.kernels import offered_plan
from cpcbench.readings.doubles.llvm import BOOL, DOUBLE, INT64, LlvmTarget
from cpcbench.readings.doubles.lowering import Lowering, Plan, overflow_sources
from cpcbench.readings.doubles.numba_private import array_data
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

FILTERED = '''"""A kernel of cpcbench."""

from numpy import empty, int64, uint64

from cpcbench.readings.doubles.filter.kernels import WIDTH, first_bit
from cpcbench.studies.feasible.counting import drawn_function, drawn_lanes

SIGNATURE = "int64(uint64, uint64, int64)"
EACH = (1 << WIDTH) - 1
drawn = drawn_function("{key}")
'''
BODY = """

def kernel(state, step, count):
    total = 0
    {begin}
    for i in range(0, count + 1, WIDTH):
        open_ = 0
        if i + WIDTH <= count:
{loop}
        for j in range(open_):
            total += drawn(state + uint64(rest[j]) * step)
    return total
"""

MANY = 2**24
"""From so many points on a filter is worth compiling; from `SOME` on it is if it was kept."""
SOME = 2**20


def counted(problem: Problem, points: int = 0) -> Callable[[int, int, int], int]:
    """`counted(problem)(state, step, count)`: how many of the points drawn from these states are admissible.

    A state is a place of the sequence; no point is ever stored. Told that many `points` will be asked for, the kernel
    has a filter; what it counts is the same.
    """
    if points >= SOME and (found := filtered_count(problem, kept=points < MANY)) is not None:
        return found
    return problem.fast.compiled("counted", SOURCE, made_by=__file__)


def filtered_count(problem: Problem, kept: bool = False) -> Callable[[int, int, int], int] | None:
    """The same with a filter; None where there is none, or, if so wanted, none that was `kept`."""
    fast = problem.fast
    found = use(fast.plan)
    if not (found.rejects or found.certain):
        return None
    cascade = Cascade(
        len(stages(fast.plan)), found.certain, "lanes_{stage}(state, step, waiting, {place})", "total += 1"
    )
    text = FILTERED + cascade.names("drawn_lanes") + BODY.format(begin=cascade.begin, loop=cascade.loop(3))
    compiled = fast.compiled_before if kept else fast.compiled
    return compiled("counted.filtered", text, made_by=__file__)


def drawn_lanes(key: str, stage: int, certain: bool) -> Any:
    """A function `lanes(state, step, waiting, place)` for use in compiled code: of the points drawn from `place` on.

    After the first stage they are those whose numbers are in `waiting` from there on.
    """

    def typing(_context: Any, state: Any, step: Any, waiting: Any, place: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            numbers = builder.gep(array_data(context, builder, signature.args[2], args[2]), [args[3]])
            function = _lanes_function(builder.module, offered_plan(key), stage, certain)
            return builder.call(function, [args[0], args[1], numbers if stage else args[3]])

        return types.int64(state, step, waiting, place), codegen

    return intrinsic(typing)


def _lanes_function(module: ir.Module, plan: Plan, stage: int, certain: bool) -> ir.Function:
    """int64 lanes(int64 state, int64 step, int64 first or int64 *numbers): draws a coordinate when first asked for."""
    kind = ir.FunctionType(INT64, [INT64, INT64, INT64.as_pointer() if stage else INT64])
    function = ir.Function(module, kind, name=module.get_unique_name("cpcbench_drawn_lanes"))
    function.linkage = "internal"

    def variable(v: Vectors, index: int) -> ir.Value:
        b = v.builder
        start, step = (v.every(argument) for argument in function.args[:2])
        states = b.add(start, b.mul(step, numbers_of(v, function.args[2])))
        return drawn(v, states, NUMBERS, index, *plan.box[index])

    lanes(function, plan, variable, stages(plan)[stage], certain=certain, in_box=True)
    return function


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

    def whole(self, value: int) -> ir.Constant:
        return ir.Constant(INT64, value % 2**64)

    def variable(self, index: int) -> ir.Value:
        return drawn(self, self.function.args[0], DOUBLE, index, *self.box[index])


def drawn(t: DrawingTarget | Vectors, state: ir.Value, kind: ir.Type, index: int, low: float, high: float) -> ir.Value:
    """A coordinate of the point of a state, or of as many as a vector has: the same bits."""
    b = t.builder
    bits = b.add(state, t.whole((index + 1) * GAMMA))
    for shift, factor in MIX:
        bits = b.mul(b.xor(bits, b.lshr(bits, t.whole(shift))), t.whole(factor))
    bits = b.xor(bits, b.lshr(bits, t.whole(LAST_SHIFT)))
    whole = b.lshr(bits, t.whole(64 - UNIT_BITS))
    unit = b.fmul(b.sitofp(whole, kind), t.constant(2.0**-UNIT_BITS))
    if math.isfinite(high - low):
        x = b.fadd(t.constant(low), b.fmul(t.constant(high - low), unit))
    else:  # by halves, whose width is finite
        half = b.fadd(t.constant(low / 2), b.fmul(t.constant(high / 2 - low / 2), unit))
        x = b.fmul(t.constant(2.0), half)
    return t.choose(t.ordered("<=", x, high), x, t.constant(high))  # the last rounding may be upward
