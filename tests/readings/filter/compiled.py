"""A filter and its kernel compiled together without Numba: in milliseconds, for formulas that are used once."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numpy as np
import numpy.typing as npt
from llvmlite import ir

from cpcbench.readings.doubles.filter.kernels import stored_function
from cpcbench.readings.doubles.filter.lanes import Stage
from cpcbench.readings.doubles.filter.vectors import NUMBERS, WIDTH, Vectors
from cpcbench.readings.doubles.kernels import value_function
from cpcbench.readings.doubles.llvm import DOUBLE, INT64
from cpcbench.readings.doubles.lowering import Plan

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


class Seen(NamedTuple):
    """What the filter says of each point, and what the kernel comes to."""

    may: Flags
    certain: Flags
    value: Floats


def both(plan: Plan) -> Callable[[Floats], Seen]:
    """The filter, all stages of it in one, and the kernel of a plan, on any number of points."""
    module, n = ir.Module(), len(plan.box)
    whole = Stage(0, len(plan.tests), True)
    lanes, value = stored_function(module, plan, whole, certain=True, waited=False), value_function(module, plan)
    _loop(module, "filtered", INT64.as_pointer(), lambda b, x, i: b.call(lanes, [x, _times(b, i, WIDTH)]))
    _loop(module, "valued", DOUBLE.as_pointer(), lambda b, x, i: b.call(value, [b.gep(x, [_times(b, i, n)])]))
    engine = _engine(module)

    def seen(points: Floats) -> Seen:
        whole = -(-len(points) // WIDTH)
        padded = np.resize(points, (whole * WIDTH, n)).copy()
        bits, values = np.empty(whole, dtype=np.int64), np.empty(len(padded))
        _call(engine, "filtered", padded, bits, whole)
        _call(engine, "valued", padded, values, len(padded))
        flags = (bits[:, None] >> np.arange(2 * WIDTH)) & 1 != 0
        may, certain = (part.reshape(-1)[: len(points)] for part in (flags[:, :WIDTH], flags[:, WIDTH:]))
        return Seen(may, certain, values[: len(points)])

    return seen


def function(name: str) -> Callable[[Floats], Floats]:
    """One of the vectors' functions by itself."""
    module = ir.Module()
    kind = ir.FunctionType(NUMBERS, [NUMBERS])
    body = ir.Function(module, kind, "body")
    v = Vectors(ir.IRBuilder(body.append_basic_block()))
    v.builder.ret(getattr(v, name)(body.args[0]))

    def write(b: ir.IRBuilder, x: ir.Value, i: ir.Value) -> ir.Value:
        return b.call(body, [b.load(b.bitcast(b.gep(x, [_times(b, i, WIDTH)]), NUMBERS.as_pointer()), align=8)])

    _loop(module, "looped", NUMBERS.as_pointer(), write)
    engine = _engine(module)

    def values(x: Floats) -> Floats:
        whole = -(-len(x) // WIDTH)
        padded = np.resize(x, whole * WIDTH).copy()
        out = np.empty(len(padded))
        _call(engine, "looped", padded, out, whole)
        return out[: len(x)]

    return values


def _times(b: ir.IRBuilder, i: ir.Value, count: int) -> ir.Value:
    return b.mul(i, ir.Constant(INT64, count))


def _loop(module: ir.Module, name: str, target: ir.Type, write: Callable[..., ir.Value]) -> None:
    """void name(double *x, target *out, int64 count): out[i] is what `write` makes of x and i."""
    kind = ir.FunctionType(ir.VoidType(), [DOUBLE.as_pointer(), target, INT64])
    loop = ir.Function(module, kind, name)
    entry, body, end = (loop.append_basic_block(part) for part in ("entry", "body", "end"))
    b = ir.IRBuilder(entry)
    b.cbranch(b.icmp_signed(">", loop.args[2], ir.Constant(INT64, 0)), body, end)
    b.position_at_end(body)
    i = b.phi(INT64)
    b.store(write(b, loop.args[0], i), b.gep(loop.args[1], [i]), align=8)
    following = b.add(i, ir.Constant(INT64, 1))
    i.add_incoming(ir.Constant(INT64, 0), entry)
    i.add_incoming(following, b.block)
    b.cbranch(b.icmp_signed("<", following, loop.args[2]), body, end)
    b.position_at_end(end)
    b.ret_void()


def _engine(module: ir.Module) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    parsed = llvm.parse_assembly(str(module))
    parsed.verify()
    features = llvm.get_host_cpu_features().flatten()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=1
    )
    engine = llvm.create_mcjit_compiler(parsed, machine)
    engine.finalize_object()
    return engine


def _call(engine: Any, name: str, x: Floats, out: npt.NDArray[Any], count: int) -> None:
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
    kind(engine.get_function_address(name))(x.ctypes.data, out.ctypes.data, count)
