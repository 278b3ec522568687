"""The LLVM target of the lowering: one function for one point, written straight into the kernel.

Numba compiles and caches what surrounds it; writing the instructions here instead of generating
Python source keeps compilation short and the instructions exactly those of the formula.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from llvmlite import ir

from cpcbench.readings.domain.requirements import SPANS, Span

DOUBLE = ir.DoubleType()
INT64 = ir.IntType(64)
BOOL = ir.IntType(1)
LARGEST = 1.7976931348623157e308
LARGE_FUNCTION = 10_000
"""Functions with more instructions than this are compiled without optimisation, which would take minutes."""

LIBM = {
    "ln": "log", "exp": "exp", "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos",
    "arctan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "log10": "log10", "log2": "log2", "log1p": "log1p", "expm1": "expm1", "cbrt": "cbrt",
    "erf": "erf", "hypot": "hypot",
}  # fmt: skip
INTRINSIC = {
    "sqrt": "llvm.sqrt", "abs": "llvm.fabs", "floor": "llvm.floor", "ceil": "llvm.ceil", "round": "llvm.rint",
    "fma": "llvm.fma",
}  # fmt: skip


class LlvmTarget:
    """Writes into `function`, whose arguments are the pointer to the point and, maybe, to outputs."""

    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.undefined = function.append_basic_block("undefined")
        self.builder = ir.IRBuilder(function.append_basic_block("entry"))
        self._swap_blocks()

    def _swap_blocks(self) -> None:
        blocks = self.function.blocks  # the first block is the entry, wherever it was appended
        blocks.insert(0, blocks.pop())

    def constant(self, value: float) -> ir.Value:
        return ir.Constant(DOUBLE, value)

    def variable(self, index: int) -> ir.Value:
        return self.builder.load(self.builder.gep(self.function.args[0], [ir.Constant(INT64, index)], inbounds=True))

    def operation(self, op: str, *args: Any) -> Any:
        if op == "pow":  # libm's pow(NaN, 0) and pow(1, NaN) are 1
            defined = self.ordered("ord", *args)
            return self.choose(defined, self.external("pow", *args), self.constant(math.nan))
        if op in LIBM:
            return self.external(LIBM[op], *args)
        if op in INTRINSIC:
            return self.intrinsic(INTRINSIC[op], *args)
        return _OPERATIONS[op](self, *args)

    def power(self, base: ir.Value, exponent: float) -> ir.Value:
        b = self.builder
        if math.isnan(exponent):
            return self.constant(math.nan)
        if exponent == 0.0:
            return self.choose(b.fcmp_ordered("ord", base, base), self.constant(1.0), base)
        if exponent == 1.0:
            return base
        if exponent == -1.0:
            return b.fdiv(self.constant(1.0), base)
        if exponent == 0.5:  # + 0.0 turns -0.0 into 0.0, as a power does and a root does not
            return self.intrinsic("llvm.sqrt", b.fadd(base, self.constant(0.0)))
        if exponent == 2.0:
            return b.fmul(base, base)
        if exponent == math.floor(exponent) and 3 <= exponent <= 16:
            return self._whole_power(base, int(exponent))
        return self.external("pow", base, self.constant(exponent))

    def _whole_power(self, base: ir.Value, exponent: int) -> ir.Value:
        """By multiplication in twice the precision: correctly rounded but for the rarest ties.

        Subnormal results may be off by one; one within half an ulp of the largest double may overflow.
        """
        b = self.builder
        high, low = base, self.constant(0.0)
        for bit in bin(exponent)[3:]:
            doubled = b.fadd(high, high)
            high, low = self._renormalise(*self._product(high, high, self._fma(doubled, low, self.constant(0.0))))
            if bit == "1":
                high, low = self._renormalise(*self._product(high, base, b.fmul(low, base)))
        return self.intrinsic("llvm.copysign", high, base) if exponent % 2 else high  # for the sign of a zero

    def _product(self, x: ir.Value, y: ir.Value, rest: ir.Value) -> tuple[ir.Value, ir.Value]:
        product = self.builder.fmul(x, y)
        error = self._fma(x, y, self.builder.fneg(product))
        return product, self.builder.fadd(error, rest)

    def _renormalise(self, high: ir.Value, low: ir.Value) -> tuple[ir.Value, ir.Value]:
        b = self.builder
        total = b.fadd(high, low)
        return total, b.fsub(low, b.fsub(total, high))

    def _fma(self, x: ir.Value, y: ir.Value, z: ir.Value) -> ir.Value:
        return self.intrinsic("llvm.fma", x, y, z)

    def holds(self, relation: str, *args: ir.Value) -> ir.Value:
        return _RELATIONS[relation](self, *args)

    def leave_unless(self, truth: ir.Value) -> None:
        following = self.function.append_basic_block()
        self.builder.cbranch(truth, following, self.undefined)
        self.builder.position_at_end(following)

    def undefined_unless(self, truth: ir.Value, value: Any) -> Any:
        if isinstance(value, tuple):
            outcome, defined = value
            return outcome, self.builder.and_(defined, truth)
        return self.choose(truth, value, self.constant(math.nan))

    def choose(self, truth: ir.Value, yes: ir.Value, no: ir.Value) -> ir.Value:
        return self.builder.select(truth, yes, no)

    def give(self, value: ir.Value, undefined: ir.Value) -> None:
        """Ends the function: `value` when all went well, `undefined` from the early exits."""
        self.builder.ret(value)
        self.builder.position_at_end(self.undefined)
        self.builder.ret(undefined)
        if sum(len(block.instructions) for block in self.function.blocks) > LARGE_FUNCTION:
            self.function.attributes.add("noinline")
            self.function.attributes.add("optnone")

    def ordered(self, relation: str, a: ir.Value, b: ir.Value | float) -> ir.Value:
        other = self.constant(b) if isinstance(b, float) else b
        return self.builder.fcmp_ordered(relation, a, other)

    def absolute(self, a: ir.Value) -> ir.Value:
        return self.intrinsic("llvm.fabs", a)

    def external(self, name: str, *args: ir.Value) -> ir.Value:
        known = self.function.module.globals.get(name)
        kind = ir.FunctionType(DOUBLE, [DOUBLE] * len(args))
        return self.builder.call(known or ir.Function(self.function.module, kind, name), args)

    def intrinsic(self, name: str, *args: ir.Value) -> ir.Value:
        kind = ir.FunctionType(DOUBLE, [DOUBLE] * len(args))
        return self.builder.call(self.function.module.declare_intrinsic(name, [DOUBLE], kind), args)


class OpenTarget(LlvmTarget):
    """A target that goes on after a failed test: what follows from it is NaN or infinite."""

    def leave_unless(self, truth: ir.Value) -> None:
        pass


Comparison = tuple[Any, Any]
"""The outcome of a comparison, and whether both sides were defined."""


def _compare(relation: str) -> Callable[[LlvmTarget, ir.Value, ir.Value], Comparison]:
    return lambda t, a, b: (t.ordered(relation, a, b), t.ordered("ord", a, b))


def _where(t: LlvmTarget, test: Comparison, yes: ir.Value, no: ir.Value) -> ir.Value:
    truth, defined = test
    return t.choose(defined, t.choose(truth, yes, no), t.constant(math.nan))


def _sign(t: LlvmTarget, a: ir.Value) -> ir.Value:
    rest = t.builder.fadd(a, t.constant(0.0))  # NaN stays NaN, and -0.0 becomes 0.0
    negative = t.choose(t.ordered("<", a, 0.0), t.constant(-1.0), rest)
    return t.choose(t.ordered(">", a, 0.0), t.constant(1.0), negative)


def _least(relation: str) -> Callable[[LlvmTarget, ir.Value, ir.Value], ir.Value]:
    """Of two the second if it is less, or more; undefined if one is."""
    return lambda t, a, b: t.choose(
        t.ordered("ord", a, b), t.choose(t.ordered(relation, b, a), b, a), t.constant(math.nan)
    )


def _arctan2(t: LlvmTarget, y: ir.Value, x: ir.Value) -> ir.Value:
    zero = t.constant(0.0)  # turns -0.0 into 0.0
    return t.external("atan2", t.builder.fadd(y, zero), t.builder.fadd(x, zero))


def _mod(t: LlvmTarget, a: ir.Value, b: ir.Value) -> ir.Value:
    """The remainder as C has it, moved to the side of the divisor; as Python's %."""
    rest = t.external("fmod", a, b)
    across = t.builder.xor(t.ordered("<", rest, 0.0), t.ordered("<", b, 0.0))
    moved = t.choose(across, t.builder.fadd(rest, b), rest)
    return t.choose(t.ordered("==", rest, 0.0), t.intrinsic("llvm.copysign", t.constant(0.0), b), moved)


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "min": _least("<"),
    "max": _least(">"),
    "arctan2": _arctan2,
    "mod": _mod,
    "add": lambda t, a, b: t.builder.fadd(a, b),
    "sub": lambda t, a, b: t.builder.fsub(a, b),
    "mul": lambda t, a, b: t.builder.fmul(a, b),
    "div": lambda t, a, b: t.builder.fdiv(a, b),
    "neg": lambda t, a: t.builder.fneg(a),
    "sign": _sign,
    "whole": lambda t, a: a,
    "lt": _compare("<"),
    "le": _compare("<="),
    "where": _where,
    "given": lambda t, condition, value: t.choose(t.ordered("ord", condition, condition), value, t.constant(math.nan)),
}


def _strict_power(t: LlvmTarget, base: ir.Value, exponent: ir.Value) -> ir.Value:
    positive = t.builder.and_(t.ordered(">", base, 0.0), t.ordered("ord", exponent, exponent))
    zero = t.builder.and_(t.ordered("==", base, 0.0), t.ordered(">=", exponent, 0.0))
    return t.builder.or_(positive, zero)


def _power(t: LlvmTarget, base: ir.Value, exponent: ir.Value) -> ir.Value:
    whole = t.ordered("==", exponent, t.operation("floor", exponent))
    negative = t.builder.and_(t.ordered("<", base, 0.0), whole)
    return t.builder.or_(_strict_power(t, base, exponent), negative)


def _inside(span: Span) -> Callable[..., ir.Value]:
    if span.is_half_line:
        return lambda t, a: t.ordered(">=" if span.closed else ">", a, span.low)
    return lambda t, a: t.ordered("<=" if span.closed else "<", t.absolute(a), span.high)


_RELATIONS: dict[str, Callable[..., ir.Value]] = {
    **{relation: _inside(span) for relation, span in SPANS.items()},
    "nonzero": lambda t, a: t.ordered("!=", a, 0.0),
    "whole": lambda t, a: t.ordered("==", a, t.operation("floor", a)),
    "finite": lambda t, a: t.ordered("<=", t.absolute(a), LARGEST),
    "power": _power,
    "strict power": _strict_power,
}
