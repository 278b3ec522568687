"""The CUDA target of the lowering: the C text that is exported, with the powers of the compiled kernels."""

from __future__ import annotations

import math

from cpcbench.readings.doubles.ranges import Range
from cpcbench.readings.text.languages.c import CTarget


class CudaTarget(CTarget):
    """Statements for one point, which is read from `x`."""

    def constant(self, value: float) -> str:
        if math.isinf(value):
            return f"({'-' if value < 0 else ''}__longlong_as_double(0x7ff0000000000000LL))"
        return super().constant(value)

    def power(self, base: str, exponent: float) -> str:
        if exponent == 1.0:
            return base
        if exponent == -1.0:
            return self._name(f"1.0 / {base}")
        if exponent == 0.5:  # + 0.0 turns -0.0 into 0.0, as a power does and a root does not
            return self._name(f"sqrt({base} + 0.0)")
        if exponent == math.floor(exponent) and 3 <= exponent <= 16:
            return self._name(f"cpc_power({base}, {int(exponent)})")
        return super().power(base, exponent)


class Drawing:
    """Writes the coordinates of a drawn point, each block of two when one of them is first asked for."""

    def __init__(self, box: list[Range], lines: list[str]) -> None:
        self._box, self._lines = box, lines
        self._blocks: set[int] = set()
        self._drawn: set[int] = set()

    def variable(self, index: int) -> str:
        block, odd = divmod(index, 2)
        if block not in self._blocks:
            self._blocks.add(block)
            self._lines.append(f"const cpc_bits b{block} = cpc_block(place, {block}u);")
        if index not in self._drawn:
            self._drawn.add(index)
            whole = f"cpc_whole(b{block}.{'odd' if odd else 'even'})"
            self._lines.append(f"const double x{index} = {_in_box(whole, *self._box[index])};")
        return f"x{index}"


def _in_box(whole: str, low: float, high: float) -> str:
    """The point of [low, high] that belongs to a whole number below 2^53, to the last bit as the processor draws it."""
    width, half = high - low, high / 2 - low / 2
    if not math.isfinite(width):  # by halves, whose width is finite
        text = f"2.0 * ({low / 2!r} + {half!r} * ({whole} * {2.0**-53!r}))"
    elif width * 2.0**-53 * 2.0**53 == width:  # scaled beforehand, which changes no bit
        text = f"{low!r} + {width * 2.0**-53!r} * {whole}"
    else:
        text = f"{low!r} + {width!r} * ({whole} * {2.0**-53!r})"
    return f"fmin({text}, {high!r})" if _may_exceed(low, high) else text


def _may_exceed(low: float, high: float) -> bool:
    """Whether the last rounding may be upward, beyond the bound."""
    last = 1.0 - 2.0**-53
    width = high - low
    return not math.isfinite(width) or not low + width * last <= high


class DrawnTarget(CudaTarget):
    """Statements for a point that is drawn at `place`, coordinate by coordinate."""

    def __init__(self, box: list[Range], undefined: float = math.nan) -> None:
        super().__init__(undefined)
        self._drawing = Drawing(box, self.lines)

    def variable(self, index: int) -> str:
        return self._drawing.variable(index)
