"""Vectors of doubles as LLVM instructions: a lane for each of `WIDTH` points, and functions with a proven error.

The functions are polynomials after a reduction of the operand. Each stays within its constant `..._ERROR` of the real
function where its comment says; `tests/readings/filter/test_approximations.py` proves it with Arb. A lane that is NaN
stays NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from llvmlite import ir

from cpcbench.readings.doubles.llvm import DOUBLE, INT64

WIDTH = 8
NUMBERS = ir.VectorType(DOUBLE, WIDTH)
WHOLES = ir.VectorType(INT64, WIDTH)
TRUTHS = ir.VectorType(ir.IntType(1), WIDTH)

MAGIC = 1.5 * 2.0**52
"""Added to a number below 2^51 it rounds it to a whole one, which the lowest bits then hold."""

SIN = (0.999999976589739, -0.1666664763454789, 0.008332899821791025, -0.00019800897666024387, 2.5904883033670685e-06)
"""Of x, x^3, ... for |x| up to a quarter turn."""
COS = (
    0.9999999997806511, -0.49999999358469926, 0.04166663625799702, -0.0013888361399284894, 2.4760161298571708e-05,
    -2.605149419311232e-07,
)  # fmt: skip
"""Of 1, x^2, ... for |x| up to a quarter turn."""
TURN_ERROR = 2.0**-26
"""Of sine and cosine, for operands up to `MOST_TURN`."""
MOST_TURN = 1e7

EXP = (
    1.000000000554248, 1.0000000363271235, 0.49999992078908, 0.16666420151985056, 0.041668225697749695,
    0.008374817316890356, 0.001383684321024185,
)  # fmt: skip
"""Of 1, x, ... for |x| up to half of ln 2."""
EXP_ERROR = 2.0**-27
"""Relative, for operands between -`MOST_EXPONENT` and `MOST_EXPONENT`."""
MOST_EXPONENT = 700.0

LN = (
    0.9999998527257626, -0.4999999535288423, 0.33335271086349294, -0.25001828440417617, 0.1993115283592227,
    -0.16559526043196093, 0.15162162633479556, -0.14430825676555556, 0.08264141320491561,
)  # fmt: skip
"""Of x, x^2, ...: ln(1 + x) for 1 + x between the root of 1/2 and the root of 2."""
LN_ERROR = 2.0**-26
"""For operands from `LEAST_LN` up."""
LEAST_LN = 1e-300
_ROOT_HALF = 0x3FE6A09E00000000
_UPPER = 0xFFF0000000000000
_BIAS = 1024


class Vectors:
    """Writes operations on vectors where the builder stands."""

    def __init__(self, builder: ir.IRBuilder) -> None:
        self.builder = builder

    def constant(self, value: float) -> ir.Value:
        return ir.Constant(NUMBERS, value)

    def whole(self, value: int) -> ir.Value:
        return ir.Constant(WHOLES, value % 2**64)

    def every(self, value: ir.Value) -> ir.Value:
        """A whole number in every lane."""
        first = ir.Constant(ir.IntType(32), 0)
        single = self.builder.insert_element(ir.Constant(WHOLES, ir.Undefined), value, first)
        places = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), 0)
        return self.builder.shuffle_vector(single, ir.Constant(WHOLES, ir.Undefined), places)

    def intrinsic(self, name: str, *args: ir.Value) -> ir.Value:
        full = f"{name}.v{WIDTH}f64"
        known = self.builder.module.globals.get(full)
        kind = ir.FunctionType(NUMBERS, [NUMBERS] * len(args))
        return self.builder.call(known or ir.Function(self.builder.module, kind, full), args)

    def fma(self, a: ir.Value, b: ir.Value, c: ir.Value) -> ir.Value:
        return self.intrinsic("llvm.fma", a, b, c)

    def absolute(self, a: ir.Value) -> ir.Value:
        return self.intrinsic("llvm.fabs", a)

    def ordered(self, relation: str, a: ir.Value, b: float) -> ir.Value:
        """False where the lane is NaN."""
        return self.builder.fcmp_ordered(relation, a, self.constant(b))

    def or_unknown(self, relation: str, a: ir.Value, b: float) -> ir.Value:
        """True where the lane is NaN."""
        return self.builder.fcmp_unordered(relation, a, self.constant(b))

    def choose(self, truth: ir.Value, yes: ir.Value, no: ir.Value) -> ir.Value:
        return self.builder.select(truth, yes, no)

    def known_where(self, truth: ir.Value, value: ir.Value) -> ir.Value:
        """NaN in the other lanes."""
        return self.choose(truth, value, self.constant(math.nan))

    def polynomial(self, coefficients: Sequence[float], x: ir.Value) -> ir.Value:
        total = self.constant(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            total = self.fma(total, x, self.constant(c))
        return total

    def sin(self, x: ir.Value) -> ir.Value:
        rest, turns = self._reduced(x, math.pi)
        return self._signed(self.builder.fmul(rest, self.polynomial(SIN, self.builder.fmul(rest, rest))), turns)

    def cos(self, x: ir.Value) -> ir.Value:
        rest, turns = self._reduced(x, math.pi)
        return self._signed(self.polynomial(COS, self.builder.fmul(rest, rest)), turns)

    def _reduced(self, x: ir.Value, period: float) -> tuple[ir.Value, ir.Value]:
        """What is left of x after the nearest multiple of the period, and MAGIC plus its number."""
        counted = self.fma(x, self.constant(1.0 / period), self.constant(MAGIC))
        number = self.builder.fsub(counted, self.constant(MAGIC))
        return self.fma(number, self.constant(-period), x), counted

    def _signed(self, value: ir.Value, turns: ir.Value) -> ir.Value:
        """The other sign after an odd number of half turns."""
        b = self.builder
        sign = b.shl(b.bitcast(turns, WHOLES), self.whole(63))
        return b.bitcast(b.xor(b.bitcast(value, WHOLES), sign), NUMBERS)

    def exp(self, x: ir.Value) -> ir.Value:
        b = self.builder
        rest, counted = self._reduced(x, math.log(2.0))
        exponent = b.add(b.bitcast(counted, WHOLES), self.whole(1023))
        return b.fmul(self.polynomial(EXP, rest), b.bitcast(b.shl(exponent, self.whole(52)), NUMBERS))

    def ln(self, x: ir.Value) -> ir.Value:
        """Of lanes from LEAST_LN up; what others come to means nothing."""
        b = self.builder
        bits = b.bitcast(x, WHOLES)
        above = b.sub(bits, self.whole(_ROOT_HALF))
        part = b.bitcast(b.sub(bits, b.and_(above, self.whole(_UPPER))), NUMBERS)
        shifted = b.lshr(b.add(above, self.whole(_BIAS << 52)), self.whole(52))
        exponent = b.bitcast(b.or_(shifted, self.whole(0x4330000000000000)), NUMBERS)  # 2^52 + it
        number = b.fsub(exponent, self.constant(2.0**52 + _BIAS))
        rest = b.fsub(part, self.constant(1.0))
        small = b.fmul(rest, self.polynomial(LN, rest))
        return self.fma(number, self.constant(math.log(2.0)), small)

    def whole_power(self, base: ir.Value, exponent: int) -> ir.Value:
        """By repeated products, at most `exponent` of them."""
        power = base
        for bit in bin(exponent)[3:]:
            power = self.builder.fmul(power, power)
            if bit == "1":
                power = self.builder.fmul(power, base)
        return power

    def bits(self, truths: ir.Value) -> ir.Value:
        """The lanes as bits of a whole number, the first lowest."""
        b = self.builder
        return b.zext(b.bitcast(truths, ir.IntType(WIDTH)), INT64)
