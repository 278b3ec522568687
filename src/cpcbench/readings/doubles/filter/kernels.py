"""What Numba calls when a kernel with a filter is compiled, and the text of that kernel.

The filter looks at `WIDTH` points at a time; what it cannot decide goes to the function for one point, so that values
and admissibility have the bits that they have without it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from cpcbench.expr.walk import postorder
from cpcbench.readings.doubles import numba_private
from cpcbench.readings.doubles.filter.lanes import Stage, Use, Variable, lanes
from cpcbench.readings.doubles.filter.stages import stages
from cpcbench.readings.doubles.filter.vectors import NUMBERS, WHOLES, WIDTH, Vectors
from cpcbench.readings.doubles.kernels import offered_plan
from cpcbench.readings.doubles.llvm import DOUBLE, INT64, LARGE_FUNCTION
from cpcbench.readings.doubles.lowering import Plan
from cpcbench.readings.doubles.numba_private import array_data

HEAD = '''"""A kernel of cpcbench."""

from numpy import empty, int64, nan

from cpcbench.readings.doubles.filter.kernels import WIDTH, first_bit, stored_lanes
from cpcbench.readings.doubles.kernels import {kind}_function, point_function

SIGNATURE = "{signature}"
EACH = (1 << WIDTH) - 1
point = point_function({kind}_function, "{{key}}")
'''
BODY = """

def kernel(x, out):
    last = {initial}
    count = out.size
    {begin}
    for i in range(0, count + 1, WIDTH):
        open_ = 0
        if i + WIDTH <= count:
            for j in range(WIDTH):
                out[i + j] = {undefined}
{loop}
        for j in range(open_):
            place = rest[j]
            last = point(x, place * {n}, out, place)
    return last
"""
MOST_NODES = 5_000
"""Formulas of more nodes have no filter, and those whose filter would have more instructions than `LARGE_FUNCTION`."""
UNDEFINED = {"value": "nan", "admissible": "False"}


def text(plan: Plan, kind: str, signature: str, initial: str) -> str:
    """A kernel `kernel(points, out)` that goes through the stages of the plan; `{key}` is still to be filled in."""
    certain = kind == "admissible" and use(plan).certain
    cascade = Cascade(len(stages(plan)), certain, "lanes_{stage}(x, waiting, {place})", "out[{place}] = True")
    head = HEAD.format(kind=kind, signature=signature) + cascade.names("stored_lanes")
    return head + BODY.format(
        initial=initial, begin=cascade.begin, undefined=UNDEFINED[kind], loop=cascade.loop(3), n=len(plan.box)
    )


class Cascade(NamedTuple):
    """The text of stages in which lanes that are left wait, in `waiting`, until a vector of the next stage is full.

    There are `many` stages. `lanes` and `sure` are what is written for a vector of a stage and for a point that is
    certain. A point is its number: in the first stage those from `i` on. Those that go to the kernel are put into
    `rest`; there are `open_` of them.
    """

    many: int
    certain: bool
    lanes: str
    sure: str

    def names(self, maker: str) -> str:
        return "".join(f'lanes_{s} = {maker}("{{key}}", {s}, {self.certain})\n' for s in range(self.many))

    @property
    def begin(self) -> str:
        room = f"empty({2 * WIDTH * self.many}, dtype=int64)"
        return "; ".join([f"waiting = {room}", f"rest = {room}", *(f"left_{s} = 0" for s in range(1, self.many))])

    def loop(self, depth: int) -> str:
        """For the points from `i` on; at the end of all, for those that still wait."""
        lines: list[str] = []
        for stage in range(self.many):
            lines += ["    " * stage + line for line in self._stage(stage)]
        ending = ["for j in range(i, count):", "    rest[open_] = j", "    open_ += 1"]
        for stage in range(1, self.many):
            ending += [f"for j in range(left_{stage}):", f"    rest[open_] = waiting[{2 * WIDTH * stage} + j]"]
            ending += ["    open_ += 1"]
        indent = "    " * depth
        return "\n".join(
            [*(indent + line for line in lines), indent[4:] + "else:", *(indent + line for line in ending)]
        )

    def _stage(self, stage: int) -> list[str]:
        start = f"{2 * WIDTH * stage} + left_{stage}"
        place = "i + {}" if stage == 0 else f"waiting[{start} + {{}}]"
        lines = [f"found = {self.lanes.format(stage=stage, place='i' if stage == 0 else start)}"]
        is_last = stage == self.many - 1
        if self.certain or is_last:
            lines += [f"good = found >> {WIDTH}", "bits = (found ^ good) & EACH"]
            lines += self._each("bits", place, "rest[open_] = place; open_ += 1")
        else:
            lines += ["good = found & EACH"]
        if is_last:
            lines += self._each("good", place, self.sure.format(place="place")) if self.certain else []
        else:
            following = f"left_{stage + 1}"
            lines += [
                "if good:",
                f"    for j in range({WIDTH}):",
                f"        waiting[{2 * WIDTH * (stage + 1)} + {following}] = {place.format('j')}",
                f"        {following} += (good >> j) & 1",
                f"if {following} >= {WIDTH}:",
                f"    {following} -= {WIDTH}",
            ]
        return lines

    @staticmethod
    def _each(bits: str, place: str, what: str) -> list[str]:
        place = place.format(f"first_bit({bits})")
        return [f"while {bits}:", f"    place = {place}", f"    {bits} &= {bits} - 1", f"    {what}"]


def stored_lanes(key: str, stage: int, certain: bool) -> Any:
    """A function `lanes(x, waiting, place)` for use in compiled code: of the points from number `place` on.

    After the first stage they are those whose numbers are in `waiting` from there on.
    """

    def typing(_context: Any, x: Any, waiting: Any, place: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            source, numbers = (array_data(context, builder, signature.args[i], args[i]) for i in range(2))
            plan = offered_plan(key)
            function = stored_function(builder.module, plan, stages(plan)[stage], certain=certain, waited=stage > 0)
            return builder.call(function, [source, builder.gep(numbers, [args[2]]) if stage else args[2]])

        return types.int64(x, waiting, place), codegen

    return intrinsic(typing)


def stored_function(module: ir.Module, plan: Plan, stage: Stage, *, certain: bool, waited: bool) -> ir.Function:
    """int64 lanes(double *x, int64 first), or int64 lanes(double *x, int64 *numbers) for points that `waited`."""
    kind = ir.FunctionType(INT64, [DOUBLE.as_pointer(), INT64.as_pointer() if waited else INT64])
    function = ir.Function(module, kind, name=module.get_unique_name("cpcbench_lanes"))
    function.linkage = "internal"
    lanes(function, plan, stored(function, plan), stage, certain=certain)
    return function


def numbers_of(v: Vectors, argument: ir.Value) -> ir.Value:
    """The numbers of the points of the lanes: those from a first one on, or those in memory."""
    b = v.builder
    if argument.type == INT64:
        return b.add(v.every(argument), ir.Constant(WHOLES, list(range(WIDTH))))
    return b.load(b.bitcast(argument, WHOLES.as_pointer()), align=8)


def stored(function: ir.Function, plan: Plan) -> Variable:
    """Coordinates that lie in memory, one point after the other."""
    n = len(plan.box)
    points, argument = function.args

    def variable(v: Vectors, index: int) -> ir.Value:
        b = v.builder
        x = ir.Constant(NUMBERS, ir.Undefined)
        numbers = None if argument.type == INT64 else numbers_of(v, argument)
        for lane in range(WIDTH):
            i32 = ir.Constant(ir.IntType(32), lane)
            number = b.add(argument, ir.Constant(INT64, lane)) if numbers is None else b.extract_element(numbers, i32)
            place = b.add(b.mul(number, ir.Constant(INT64, n)), ir.Constant(INT64, index))
            x = b.insert_element(x, b.load(b.gep(points, [place], inbounds=True)), i32)
        low, high = plan.box[index]
        return v.known_where(b.and_(v.ordered(">=", x, low), v.ordered("<=", x, high)), x)

    return variable


@lru_cache(maxsize=1)
def has_vectors() -> bool:
    """Whether the processor that code is made for multiplies and adds in vectors, at once: others gain nothing."""
    triple, _, features = numba_private.processor(numba_private.codegen_here())
    return triple.startswith(("aarch64", "arm64")) or {"+avx2", "+fma"} <= set(features.split(","))


@lru_cache(maxsize=8)
def use(plan: Plan) -> Use:
    """What a filter of this plan could decide on this processor: nothing if it would take long to compile."""
    nothing = Use(False, False)
    if not has_vectors() or len(postorder(plan.root)) > MOST_NODES:
        return nothing
    module, parts = ir.Module(), stages(plan)
    function = ir.Function(module, ir.FunctionType(INT64, [DOUBLE.as_pointer(), INT64]), name="lanes")
    found = lanes(function, plan, stored(function, plan), Stage(0, parts[-1].end, True), certain=True)
    if sum(len(block.instructions) for block in function.blocks) > LARGE_FUNCTION:
        return nothing
    return Use(found.rejects, found.certain and parts[-1].is_last)


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
