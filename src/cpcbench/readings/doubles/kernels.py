"""What Numba calls when a generated kernel module is compiled: the body for one point."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from numba.extending import intrinsic

from cpcbench.expr.walk import postorder
from cpcbench.readings.domain.requirements import SPANS
from cpcbench.readings.doubles.llvm import BOOL, DOUBLE, INT64, LARGEST, LlvmTarget, OpenTarget
from cpcbench.readings.doubles.lowering import Lowering, Plan, overflow_sources
from cpcbench.readings.doubles.numba_private import array_data
from cpcbench.readings.gradient import derivatives

TINY = 5e-324

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


Body = Callable[[ir.Module, Plan], ir.Function]
"""Writes the function for one point into a module: of a pointer to the point and, if it writes more than its answer, of
one to its outcome."""


def point_function(body: Body, key: str) -> Any:
    """A function `point(x, start, out, place)` for use in compiled code: reads one point, writes its outcome."""

    def typing(_context: Any, x: Any, start: Any, out: Any, place: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            source = builder.gep(array_data(context, builder, signature.args[0], args[0]), [args[1]])
            target = builder.gep(array_data(context, builder, signature.args[2], args[2]), [args[3]])
            function = body(builder.module, offered_plan(key))
            answer = builder.call(function, [source, target][: len(function.args)])
            if len(function.args) == 1:
                builder.store(builder.zext(answer, target.type.pointee) if answer.type == BOOL else answer, target)
            return answer

        return out.dtype(x, start, out, place), codegen

    return intrinsic(typing)


def value_function(module: ir.Module, plan: Plan) -> ir.Function:
    """double value(double *x): NaN where undefined."""
    target = LlvmTarget(new_function(module, "value", DOUBLE, 1))
    lowering = Lowering(plan, target)
    lowering.tests()
    target.give(lowering.result(plan.root), target.constant(math.nan))
    return target.function


def boxed_function(module: ir.Module, plan: Plan) -> ir.Function:
    """double boxed(double *x): the value, NaN where undefined or outside the box."""
    value = value_function(module, plan)
    target = LlvmTarget(new_function(module, "boxed", DOUBLE, 1))
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
    target = LlvmTarget(new_function(module, "admissible_in_box", BOOL, 1))
    lowering = Lowering(plan, target)
    lowering.tests()
    lowering.finite(overflow_sources(plan))
    target.give(ir.Constant(BOOL, 1), ir.Constant(BOOL, 0))
    return _in_box_or(module, plan, target.function, _defined_value(module, value))


def gradient_function(module: ir.Module, plan: Plan) -> ir.Function:
    """double gradient(double *x, double *out): all NaN where the formula is undefined."""
    n = len(plan.lower)
    partial = derivatives(plan.root, n)
    target = LlvmTarget(new_function(module, "gradient", DOUBLE, 2))
    outputs = [target.builder.gep(target.function.args[1], [ir.Constant(INT64, i)]) for i in range(n)]
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


def violations_function(module: ir.Module, plan: Plan) -> ir.Function:
    """double violations(double *x, double *out): for each test 0 if it holds, else how far off, NaN if undefined."""
    target = OpenTarget(new_function(module, "violations", DOUBLE, 2))
    lowering = Lowering(plan, target)
    for place, test in enumerate(plan.tests):
        operands = [lowering.value(operand) for operand in test.operands]
        output = target.builder.gep(target.function.args[1], [ir.Constant(INT64, place)])
        target.builder.store(_violation(target, test.relation, operands), output)
    target.give(target.constant(0.0), target.constant(math.nan))
    return target.function


def _violation(target: LlvmTarget, relation: str, operands: list[ir.Value]) -> ir.Value:
    """How far the operand is from where the test holds; a test missed by nothing counts as missed by the least."""
    a = operands[0]
    span = SPANS.get(relation)
    if span is not None and not span.is_half_line:
        amount = target.builder.fsub(target.absolute(a), target.constant(span.high))
    elif span is not None and span.low != 0.0:
        amount = target.builder.fsub(target.constant(span.low), a)
    elif span is not None or relation in ("power", "strict power"):
        amount = target.builder.fneg(a)
    elif relation == "whole":
        amount = target.absolute(target.builder.fsub(a, target.operation("round", a)))
    else:
        amount = target.constant(1.0)
    amount = target.choose(target.ordered(">", amount, TINY), amount, target.constant(TINY))
    for operand in operands:
        known = target.ordered("<=", target.absolute(operand), LARGEST)
        amount = target.choose(known, amount, target.constant(math.nan))
    return target.choose(target.holds(relation, *operands), target.constant(0.0), amount)


def _defined_value(module: ir.Module, value: ir.Function) -> ir.Function:
    function = new_function(module, "defined", BOOL, 1)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    result = builder.call(value, [function.args[0]])
    builder.ret(builder.fcmp_ordered("ord", result, result))
    return function


def _in_box_or(module: ir.Module, plan: Plan, inside: ir.Function, otherwise: ir.Function) -> ir.Function:
    """The short test holds for points of the box only; others take the full evaluation."""
    target = LlvmTarget(new_function(module, "admissible", BOOL, 1))
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


def new_function(module: ir.Module, name: str, result: ir.Type, pointers: int) -> ir.Function:
    """A function of pointers to doubles, for bodies to fill."""
    kind = ir.FunctionType(result, [DOUBLE.as_pointer()] * pointers)
    function = ir.Function(module, kind, name=module.get_unique_name(f"cpcbench_{name}"))
    function.linkage = "internal"
    return function
