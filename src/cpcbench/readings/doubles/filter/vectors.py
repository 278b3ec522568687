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

SPLIT = 8
"""From so many terms on a polynomial is computed in two halves."""
MAGIC = 1.5 * 2.0**52
"""Added to a number below 2^51 it rounds it to a whole one, which the lowest bits then hold."""

SIN = (
    0.9999999998898513, -0.16666666541438646, 0.00833332926444346, -0.00019840702861148978, 2.751885557161968e-06,
    -2.3794712433680356e-08,
)  # fmt: skip
"""Of x, x^3, ... for |x| up to a quarter turn."""
COS = (
    0.9999999999992518, -0.49999999997024025, 0.04166666647338468, -0.0013888884180000697, 2.480104064778353e-05,
    -2.752469634718782e-07, 1.9907856189737934e-09,
)  # fmt: skip
"""Of 1, x^2, ... for |x| up to a quarter turn."""
TURN_ERROR = 2.0**-34
"""Of sine and cosine, and 2^-53 of the operand, for operands up to `MOST_TURN`."""
MOST_TURN = 1e8

EXP = (
    0.9999999999997623, 0.9999999999806202, 0.5000000000618313, 0.1666666688547186, 0.04166666421980241,
    0.008333267026994596, 0.0013889178662561028, 0.00019915424782900452, 2.4727214869293127e-05,
)  # fmt: skip
"""Of 1, x, ... for |x| up to half of ln 2."""
EXP_ERROR = 2.0**-38
"""Relative, for operands between -`MOST_EXPONENT` and `MOST_EXPONENT`."""
MOST_EXPONENT = 700.0

LN = (
    0.9999999997933595, -0.49999999995287137, 0.33333338476224394, -0.2500000351120782, 0.19999634073446212,
    -0.16666253804653758, 0.14296808546307493, -0.1251736638531794, 0.109517564588147, -0.09677614337516001,
    0.10091610799552578, -0.10984571831584161, 0.06431532568659937,
)  # fmt: skip
"""Of x, x^2, ...: ln(1 + x) for 1 + x between the root of 1/2 and the root of 2."""
LN_ERROR = 2.0**-35
"""For operands from `LEAST_LN` up."""
LEAST_LN = 1e-300

ARCSIN = (
    0.9999999999845386, 0.16666667435885038, 0.07499937293028883, 0.04466225224687624, 0.030089739506234732,
    0.024725999014664112, 0.007181853872381603, 0.03499944728047985,
)  # fmt: skip
"""Of x, x^3, ... for |x| up to a half."""
ARCSIN_ERROR = 2.0**-34
"""For operands from -1 to 1."""

_ROOT_HALF = 0x3FE6A09E00000000
_UPPER = 0xFFF0000000000000
_BIAS = 1024


class Vectors:
    """Writes operations on vectors where the builder stands."""

    def __init__(self, builder: ir.IRBuilder) -> None:
        self.builder = builder
        self.far: ir.Value | None = None

    def is_far(self, *lanes: ir.Value | None) -> None:
        """In these lanes something may be so large that nothing is said of its size."""
        for lane in lanes:
            if lane is not None:
                self.far = lane if self.far is None else self.builder.or_(self.far, lane)

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
        """Longer ones as even and odd terms, which do not wait for each other."""
        if len(coefficients) < SPLIT:
            return self._horner(coefficients, x)
        square = self.builder.fmul(x, x)
        return self.fma(self._horner(coefficients[1::2], square), x, self._horner(coefficients[::2], square))

    def _horner(self, coefficients: Sequence[float], x: ir.Value) -> ir.Value:
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

    def arcsin(self, x: ir.Value) -> ir.Value:
        """Beyond a half by the angle that is left to a quarter turn; NaN beyond 1."""
        b, size = self.builder, self.absolute(x)
        large = self.ordered(">", size, 0.5)
        rest = b.fmul(b.fsub(self.constant(1.0), size), self.constant(0.5))
        square = self.choose(large, rest, b.fmul(size, size))
        half = self.choose(large, self.intrinsic("llvm.sqrt", rest), size)
        angle = b.fmul(half, self.polynomial(ARCSIN, square))
        left = self.fma(angle, self.constant(-2.0), self.constant(math.pi / 2))
        return self.intrinsic("llvm.copysign", self.choose(large, left, angle), x)

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
