"""What Numba calls when a kernel with a filter is compiled, and the text of that kernel.

The filter looks at `WIDTH` points at a time; what it cannot decide goes to the function for one point, so that values
and admissibility have the bits that they have without it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from cpcbench.readings.doubles import numba_private
from cpcbench.readings.doubles.filter.lanes import Variable, lanes
from cpcbench.readings.doubles.filter.vectors import NUMBERS, WIDTH, Vectors
from cpcbench.readings.doubles.kernels import new_function, offered_plan
from cpcbench.readings.doubles.llvm import INT64
from cpcbench.readings.doubles.lowering import Plan
from cpcbench.readings.doubles.numba_private import array_data

SOURCE = '''"""A kernel of cpcbench."""

from cpcbench.readings.doubles.filter.kernels import WIDTH, first_bit, stored_lanes
from cpcbench.readings.doubles.kernels import {kind}_function, point_function

nan = float("nan")
SIGNATURE = "{signature}"
point = point_function({kind}_function, "{key}")
lanes = stored_lanes("{key}", {certain})


def kernel(x, out):
    last = {initial}
    for i in range(0, out.size - WIDTH + 1, WIDTH):
        found = lanes(x, i * {n})
        for j in range(WIDTH):
            out[i + j] = {decided}
        left = found ^ found >> WIDTH if {certain} else found
        left &= (1 << WIDTH) - 1
        while left:
            j = i + first_bit(left)
            left &= left - 1
            last = point(x, j * {n}, out, j)
    for i in range(out.size // WIDTH * WIDTH, out.size):
        last = point(x, i * {n}, out, i)
    return last
'''

DECIDED = {"value": "nan", "admissible": "found >> (WIDTH + j) & 1 != 0"}


def stored_lanes(key: str, certain: bool) -> Any:
    """A function `lanes(x, start)` for use in compiled code: of the points from there on, one after the other."""

    def typing(_context: Any, x: Any, start: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            source = builder.gep(array_data(context, builder, signature.args[0], args[0]), [args[1]])
            return builder.call(stored_function(builder.module, offered_plan(key), certain), [source])

        return types.int64(x, start), codegen

    return intrinsic(typing)


def stored_function(module: ir.Module, plan: Plan, certain: bool) -> ir.Function:
    """int64 lanes(double *x)"""
    function = new_function(module, "lanes", INT64, 1)
    lanes(function, plan, stored(function.args[0], plan), certain=certain)
    return function


def stored(points: ir.Value, plan: Plan) -> Variable:
    """Coordinates that lie in memory, one point after the other."""
    n = len(plan.box)

    def variable(v: Vectors, index: int) -> ir.Value:
        b = v.builder
        x = ir.Constant(NUMBERS, ir.Undefined)
        for lane in range(WIDTH):
            place = b.gep(points, [ir.Constant(INT64, lane * n + index)], inbounds=True)
            x = b.insert_element(x, b.load(place), ir.Constant(ir.IntType(32), lane))
        low, high = plan.box[index]
        return v.known_where(b.and_(v.ordered(">=", x, low), v.ordered("<=", x, high)), x)

    return variable


@lru_cache(maxsize=1)
def has_vectors() -> bool:
    """Whether the processor that code is made for multiplies and adds in vectors, at once: others gain nothing."""
    triple, _, features = numba_private.processor(numba_private.codegen_here())
    return triple.startswith(("aarch64", "arm64")) or {"+avx2", "+fma"} <= set(features.split(","))


def has_filter(plan: Plan, certain: bool) -> bool:
    """Whether a filter of this plan could decide anything."""
    if not has_vectors():
        return False
    function = new_function(ir.Module(), "lanes", INT64, 1)
    return lanes(function, plan, stored(function.args[0], plan), certain=certain)


def _first_bit(_context: Any, bits: Any) -> Any:
    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return bits(bits), codegen


def _bits_set(_context: Any, bits: Any) -> Any:
    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(bits), codegen


first_bit = intrinsic(_first_bit)
"""The place of the lowest bit of a whole number that is not 0, for use in compiled code."""
bits_set = intrinsic(_bits_set)
"""How many bits of a whole number are 1."""
