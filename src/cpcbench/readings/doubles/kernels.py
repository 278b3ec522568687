"""What Numba calls when a generated kernel module is compiled: the body for one point."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from cpcbench.expr.walk import postorder
from cpcbench.readings.doubles.counting import counted_function, violations_function
from cpcbench.readings.doubles.llvm import BOOL, DOUBLE, INT64, LlvmTarget
from cpcbench.readings.doubles.lowering import Lowering, Plan, overflow_sources
from cpcbench.readings.gradient import derivatives

_offered: dict[str, Plan] = {}


@contextmanager
def offered(key: str, plan: Plan) -> Iterator[None]:
    """Makes the plan known to the module that is being loaded, in case Numba has to compile it."""
    _offered[key] = plan
    try:
        yield
    finally:
        del _offered[key]


def offered_plan(key: str) -> Plan:
    """The plan of the module that is being compiled."""
    return _offered[key]


def point_function(kind: str, key: str) -> Any:
    """A function `point(x, start, out, place)` for use in compiled code: reads one point, writes its outcome."""
    result_type = types.boolean if kind == "admissible" else types.float64

    def typing(_context: Any, x: Any, start: Any, out: Any, place: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            points = context.make_array(signature.args[0])(context, builder, args[0]).data
            results = context.make_array(signature.args[2])(context, builder, args[2]).data
            source = builder.gep(points, [args[1]])
            target = builder.gep(results, [args[3]])
            plan = offered_plan(key)
            if kind in ("gradient", "violations"):
                function = gradient_function if kind == "gradient" else violations_function
                return builder.call(function(builder.module, plan), [source, target])
            if kind == "admissible":
                answer = builder.call(admissible_function(builder.module, plan), [source])
                builder.store(builder.zext(answer, target.type.pointee), target)
                return answer
            valued = boxed_function if kind == "boxed" else value_function
            value = builder.call(valued(builder.module, plan), [source])
            builder.store(value, target)
            return value

        return result_type(x, start, out, place), codegen

    return intrinsic(typing)


def drawn_function(key: str) -> Any:
    """A function `drawn(state)` for use in compiled code: 1 if the point drawn from there is admissible, else 0."""

    def typing(_context: Any, state: Any) -> Any:
        def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            answer = builder.call(counted_function(builder.module, offered_plan(key)), [args[0]])
            return builder.zext(answer, INT64)

        return types.int64(state), codegen

    return intrinsic(typing)


def value_function(module: ir.Module, plan: Plan) -> ir.Function:
    """double value(double *x): NaN where undefined."""
    target = LlvmTarget(_function(module, "value", DOUBLE, 1))
    lowering = Lowering(plan, target)
    lowering.tests()
    target.give(lowering.result(plan.root), target.constant(math.nan))
    return target.function


def boxed_function(module: ir.Module, plan: Plan) -> ir.Function:
    """double boxed(double *x): the value, NaN where undefined or outside the box."""
    value = value_function(module, plan)
    target = LlvmTarget(_function(module, "boxed", DOUBLE, 1))
    result = target.builder.call(value, [target.function.args[0]])
    target.leave_unless(target.ordered("ord", result, result))  # most points end here: the box costs them nothing
    _leave_outside_box(target, plan)
    target.give(result, target.constant(math.nan))
    return target.function


def admissible_function(module: ir.Module, plan: Plan) -> ir.Function:
    """bool admissible(double *x): computes only what the tests and possible overflows need."""
    value = value_function(module, plan)
    if any(id(n) not in plan.must for n in postorder(plan.root)):
        return _defined_value(module, value)
    target = LlvmTarget(_function(module, "admissible_in_box", BOOL, 1))
    lowering = Lowering(plan, target)
    lowering.tests()
    lowering.finite(overflow_sources(plan))
    target.give(ir.Constant(BOOL, 1), ir.Constant(BOOL, 0))
    return _in_box_or(module, plan, target.function, _defined_value(module, value))


def gradient_function(module: ir.Module, plan: Plan) -> ir.Function:
    """double gradient(double *x, double *out): all NaN where the formula is undefined."""
    n = len(plan.lower)
    partial = derivatives(plan.root, n)
    target = LlvmTarget(_function(module, "gradient", DOUBLE, 2))
    outputs = [target.builder.gep(target.function.args[1], [ir.Constant(ir.IntType(64), i)]) for i in range(n)]
    for output in outputs:
        target.builder.store(target.constant(math.nan), output)
    lowering = Lowering(plan, target)
    lowering.tests()
    value = lowering.result(plan.root)
    beyond = Lowering(plan.with_outputs(partial), target)
    beyond.values = lowering.values
    beyond.tested = lowering.tested
    for output, expression in zip(outputs, partial, strict=True):
        slope = beyond.value(expression)
        finite = target.holds("finite", slope)
        target.builder.store(target.choose(finite, slope, target.constant(math.nan)), output)
    target.give(value, target.constant(math.nan))
    return target.function


def _defined_value(module: ir.Module, value: ir.Function) -> ir.Function:
    function = _function(module, "defined", BOOL, 1)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    result = builder.call(value, [function.args[0]])
    builder.ret(builder.fcmp_ordered("ord", result, result))
    return function


def _in_box_or(module: ir.Module, plan: Plan, inside: ir.Function, otherwise: ir.Function) -> ir.Function:
    """The short test holds for points of the box only; others take the full evaluation."""
    target = LlvmTarget(_function(module, "admissible", BOOL, 1))
    _leave_outside_box(target, plan)
    builder = target.builder
    builder.ret(builder.call(inside, [target.function.args[0]]))
    builder.position_at_end(target.undefined)
    builder.ret(builder.call(otherwise, [target.function.args[0]]))
    return target.function


def _leave_outside_box(target: LlvmTarget, plan: Plan) -> None:
    for i, (lo, hi) in enumerate(plan.box):
        x = target.variable(i)
        target.leave_unless(target.ordered(">=", x, lo))
        target.leave_unless(target.ordered("<=", x, hi))


def _function(module: ir.Module, name: str, result: ir.Type, pointers: int) -> ir.Function:
    kind = ir.FunctionType(result, [DOUBLE.as_pointer()] * pointers)
    function = ir.Function(module, kind, name=module.get_unique_name(f"cpcbench_{name}"))
    function.linkage = "internal"
    return function
