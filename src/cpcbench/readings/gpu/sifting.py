"""A sieve before the kernel in doubles: what is certainly undefined, or certainly admissible, is told in less time.

Sums, products and whole powers are done in doubles, with the very operations of the kernel: they have no error. The
functions are done in single precision, and from there on a value has an error bound beside it: how far it is at most
from what the kernel in doubles would have. A test counts only where the bound leaves no doubt; what is in doubt goes
to the kernel. So what is sifted out is the same, to the last point.

Bounds of the card's functions, from NVIDIA's PTX reference: sine and cosine 2^-20.5 on [-2 pi, 2 pi] (with the
reduction 2^-20), log2 2^-22 absolutely in (0.5, 2) and relatively elsewhere, 2^x and x / y two units, roots 2^-23.
Bounds that are computed are themselves rounded: they are multiplied by 1.001 before they are used, which covers the
2^-24 of each of some thousand operations; differences of bounds are taken only where they lose no more than a half.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from cpcbench.readings.domain.requirements import SPANS
from cpcbench.readings.doubles.ranges import Range
from cpcbench.readings.gpu.cuda import Drawing
from cpcbench.readings.text.languages.c import INFIX, LIBM, OTHER, RELATIONS

UNIT = 2.0**-23
"""Twice the rounding of a single-precision operation, so that it also covers that of doubles."""
TINY = 1e-36
"""Above all that is lost where numbers become too small for single precision."""
SMALL_ROOT = 1e-18
"""The root of such a number, which may be lost whole."""
WAVE = 2.0**-20
LOG = 2.0**-21
STEADY = 64.0
"""A number that stays below this has one bound for the whole box, which costs nothing."""
LARGE = 1e30


@dataclass
class Value:
    """What is known of a value: in doubles with no error, or in single precision with a bound, a number or a name.

    Without a text nothing is known. `most` is the largest size it can have on the box.
    """

    text: str | None
    error: float | str = 0.0
    single: bool = False
    number: float | None = None
    most: float = math.inf

    @property
    def exact(self) -> bool:
        return self.text is not None and not self.single


UNKNOWN = Value(None)


@dataclass(frozen=True)
class Truth:
    """When a test certainly holds, and when it certainly fails."""

    holds: str
    fails: str


class SiftTarget:
    """Statements that return 0 (undefined), 1 (admissible) or 2 (in doubt) for a drawn point."""

    def __init__(self, box: list[Range]) -> None:
        self.lines: list[str] = ["int sure = 1;"]
        self.most = math.inf
        self._drawing = Drawing(box, self.lines)

    def constant(self, value: float) -> Value:
        if not math.isfinite(value):
            return Value("NAN" if math.isnan(value) else f"({math.copysign(1.0, value)!r} / 0.0)")
        return Value(f"({value!r})" if value < 0 else repr(value), number=value, most=abs(value))

    def variable(self, index: int) -> Value:
        return Value(self._drawing.variable(index))

    def operation(self, op: str, *args: Value) -> Value:
        if any(a.text is None for a in args):
            return UNKNOWN
        if op in _SINGLE and (op not in INFIX or not all(a.exact for a in args)):
            return _SINGLE[op](self, *args)
        if all(a.exact for a in args):
            texts = [str(a.text) for a in args]
            if op in INFIX:
                return self._exact(f"{texts[0]} {INFIX[op]} {texts[1]}")
            return self._exact(f"{LIBM[op]}({', '.join(texts)})" if op in LIBM else OTHER[op](*texts))
        return args[1] if op == "given" else UNKNOWN

    def power(self, base: Value, exponent: float) -> Value:
        if base.text is None or not math.isfinite(exponent):
            return UNKNOWN
        if exponent == 1.0:
            return base
        if exponent == 0.5:
            return self.operation("sqrt", base)
        if exponent == -1.0:
            return self.operation("div", self.constant(1.0), base)
        if exponent == math.floor(exponent) and 2 <= exponent <= 16:
            return self._whole_power(base, int(exponent))
        if exponent == 0.0:
            return self.constant(1.0) if base.exact else UNKNOWN
        return self.varying_power(base, self.constant(exponent))

    def _whole_power(self, base: Value, exponent: int) -> Value:
        if base.exact:
            return self._exact(f"{base.text} * {base.text}" if exponent == 2 else f"cpc_power({base.text}, {exponent})")
        if exponent == 2:
            return _product(self, base, base)
        most, self.most = self.most, math.inf
        found = base
        for _ in range(exponent - 1):
            found = _product(self, found, base)
        self.most = most
        return found

    def varying_power(self, base: Value, exponent: Value) -> Value:
        """2 to the exponent times the logarithm, of a positive base."""
        log, error = self._log2(base)
        p = self.single(exponent)
        t = self._float(f"{p.text} * {log}")
        about = f"fabsf({p.text}) * {error} + fabsf({t}) * {_f(2 * UNIT)}"
        if p.error != 0.0:
            about += f" + {_text(p.error)} * (fabsf({log}) + {error})"
        return self._power_of_two(t, self._float(about))

    # What is certain

    def holds(self, relation: str, *args: Value) -> Truth:
        if any(a.text is None for a in args):
            return Truth("0", "0")
        a = args[0]
        if relation == "finite":
            return self._is_finite(a)
        if all(v.exact for v in args):
            text = RELATIONS[relation](*[str(v.text) for v in args])
            return Truth(text, f"!({text})")
        if relation in SPANS:
            return self._inside(relation, a)
        if relation == "nonzero":
            return Truth(f"fabsf({a.text}) > {self._wide(a)}", "0")
        if relation in ("power", "strict power"):
            return self._power_holds(relation, a, args[1])
        return Truth("0", "0")

    def _is_finite(self, a: Value) -> Truth:
        if a.most <= LARGE:
            return Truth("1", "0")
        if a.exact:
            text = RELATIONS["finite"](str(a.text))
            return Truth(text, f"!({text})")
        return Truth(f"fabsf({a.text}) + {self._wide(a)} < 1e38f", "0")

    def _inside(self, relation: str, a: Value) -> Truth:
        span = SPANS[relation]
        size = str(a.text) if span.is_half_line else f"fabsf({a.text})"
        limit = span.low if span.is_half_line else span.high
        room = 0.0 if limit == 0.0 else 2.0**-22  # for the rounding of the sums below
        wide = self._wide(a)
        below = f"{size} + {wide} < {_f(limit - room)}"
        above = f"{size} - {wide} > {_f(limit + room)}"
        return Truth(above, below) if span.is_half_line else Truth(below, above)

    def _power_holds(self, relation: str, base: Value, exponent: Value) -> Truth:
        a, p = self.single(base), self.single(exponent)
        above, below = f"{a.text} - {self._wide(a)} > 0.0f", f"{a.text} + {self._wide(a)} < 0.0f"
        if relation == "strict power":
            return Truth(above, below)
        if exponent.exact:
            broken = f"{exponent.text} != floor({exponent.text})"
        else:
            broken = f"fabsf({p.text} - rintf({p.text})) > {self._wide(p)} + fabsf({p.text}) * {_f(UNIT)}"
        return Truth(above, f"{below} && {broken}")

    def leave_unless(self, truth: Truth) -> None:
        if truth.fails != "0":
            self.lines.append(f"if ({truth.fails}) return 0;")
        if truth.holds != "1" and truth.fails != f"!({truth.holds})":
            self.lines.append(f"sure &= ({truth.holds});" if truth.holds != "0" else "sure = 0;")

    def undefined_unless(self, truth: Truth, value: Value) -> Value:
        if value.exact and truth.fails == f"!({truth.holds})":
            return self._exact(f"({truth.holds}) ? {value.text} : NAN")
        return UNKNOWN

    # Writing

    def _exact(self, code: str) -> Value:
        name = f"v{len(self.lines)}"
        self.lines.append(f"const double {name} = {code};")
        return Value(name)

    def _float(self, code: str) -> str:
        name = f"f{len(self.lines)}"
        self.lines.append(f"const float {name} = {code};")
        return name

    def _wide(self, a: Value) -> str:
        return f"CPC_SURER * {_text(a.error)}" if isinstance(a.error, str) else _f(1.001 * a.error)

    def single(self, a: Value) -> Value:
        """The value in single precision."""
        if a.single:
            return a
        if a.number is not None:
            lost = 0.0 if a.number == int(a.number) and abs(a.number) < 2.0**24 else abs(a.number) * UNIT + TINY
            return Value(_f(a.number), lost, True, a.number, a.most)
        name = self._float(f"(float){a.text}")
        return Value(name, self._rounding(name, a.most), True, most=a.most)

    def _rounding(self, name: str, most: float, units: float = 1.0) -> float | str:
        if most <= STEADY:
            return most * UNIT * units + TINY
        return self._float(f"fmaf(fabsf({name}), {_f(UNIT * units)}, {_f(TINY)})")

    def made(self, code: str, error: str, steady: float | None, units: float = 1.0) -> Value:
        """A result with the error from its operands (if `steady`, for the whole box) and that of its own rounding."""
        name = self._float(code)
        if steady is not None and self.most <= STEADY:
            return Value(name, steady + self.most * UNIT * units + TINY, True)
        return Value(name, self._float(f"fmaf(fabsf({name}), {_f(UNIT * units)}, {error} + {_f(TINY)})"), True)

    def _log2(self, base: Value) -> tuple[str, str]:
        """The binary logarithm of a positive number, and its error."""
        a = self.single(base)
        log = self._float(f"cpc_log2({a.text})")
        error = f"fmaf(fabsf({log}), {_f(LOG)}, {_f(LOG)})"
        if base.exact:
            return log, self._float(f"{a.text} > 1e-30f ? {error} : CPC_INFF")
        e = _text(a.error)
        inner = f"{error} + 1.4427f * cpc_over({e}, {a.text} - {e})"
        return log, self._float(f"{a.text} > 2.0f * {e} + 1e-30f ? {inner} : CPC_INFF")

    def _power_of_two(self, t: str, error: str) -> Value:
        name = self._float(f"cpc_exp2({t})")
        relative = f"({error} < 0.3f ? {error} * 0.86f + {_f(LOG)} : CPC_INFF)"
        return Value(name, self._float(f"fmaf({name}, {relative}, {_f(TINY)})"), True)


def _f(number: float) -> str:
    """A literal in single precision."""
    return f"({number!r}f)" if number < 0 else f"{number!r}f"


def _text(error: float | str) -> str:
    return error if isinstance(error, str) else _f(error)


def _steady(*args: Value) -> bool:
    return all(not isinstance(a.error, str) for a in args)


def _sum(sign: str) -> Callable[[SiftTarget, Value, Value], Value]:
    def made(t: SiftTarget, x: Value, y: Value) -> Value:
        a, b = t.single(x), t.single(y)
        steady = float(a.error) + float(b.error) if _steady(a, b) else None
        return t.made(f"{a.text} {sign} {b.text}", f"({_text(a.error)} + {_text(b.error)})", steady)

    return made


def _product(t: SiftTarget, x: Value, y: Value) -> Value:
    a, b = t.single(x), t.single(y)
    steady = None
    if _steady(a, b) and max(a.most, b.most) <= LARGE:
        steady = a.most * float(b.error) + b.most * float(a.error) + float(a.error) * float(b.error)
    e, f = _text(a.error), _text(b.error)
    return t.made(f"{a.text} * {b.text}", f"(fabsf({a.text}) * {f} + (fabsf({b.text}) + {f}) * {e})", steady)


def _quotient(t: SiftTarget, x: Value, y: Value) -> Value:
    a, b = t.single(x), t.single(y)
    e, f = _text(a.error), _text(b.error)
    name = t._float(f"cpc_over({a.text}, {b.text})")
    inner = f"fmaf(fabsf({name}), {_f(4 * UNIT)}, cpc_over({e} + fabsf({name}) * {f}, fabsf({b.text}) - {f}))"
    sound = f"fabsf({b.text}) > 2.0f * {f} + 1e-30f && fabsf({b.text}) < 1e30f"
    return Value(name, t._float(f"{sound} ? {inner} + {_f(TINY)} : CPC_INFF"), True)


def _root(t: SiftTarget, x: Value) -> Value:
    a = t.single(x)
    name = t._float(f"cpc_root({a.text})")
    if x.exact:
        if t.most <= STEADY:
            return Value(name, t.most * UNIT * 2.0 + SMALL_ROOT, True)
        return Value(name, t._float(f"fmaf({name}, {_f(2 * UNIT)}, {_f(SMALL_ROOT)})"), True)
    e = _text(a.error)
    moved = f"fminf(cpc_over({e}, {name}), cpc_root({e})) * 1.00001f"
    return Value(name, t._float(f"fmaf({name}, {_f(2 * UNIT)}, {moved} + {_f(TINY)})"), True)


def _ln(t: SiftTarget, x: Value) -> Value:
    log, error = t._log2(x)
    name = t._float(f"{log} * 0.6931472f")
    return Value(name, t._float(f"fmaf(fabsf({name}), {_f(UNIT)}, 0.69315f * {error})"), True)


def _exp(t: SiftTarget, x: Value) -> Value:
    if x.exact:
        power = t._float(f"(float)({x.text} * 1.4426950408889634)")
        return t._power_of_two(power, t._float(f"fabsf({power}) * {_f(UNIT)} + {_f(TINY)}"))
    power = t._float(f"{x.text} * 1.442695f")
    return t._power_of_two(power, t._float(f"fmaf(fabsf({power}), {_f(2 * UNIT)}, 1.4427f * {_text(x.error)})"))


def _wave(function: str) -> Callable[[SiftTarget, Value], Value]:
    def made(t: SiftTarget, x: Value) -> Value:
        limit = "1073741824.0" if x.exact else "32768.0f"
        turned = f"cpc_turned({x.text})" if x.exact else f"cpc_turned_float({x.text})"
        if x.most > (2.0**30 if x.exact else 3e4):
            size = f"fabs({x.text})" if x.exact else f"fabsf({x.text})"
            turned = f"({size} <= {limit} ? {turned} : CPC_NANF)"
        name = t._float(f"{function}({turned})")
        if x.exact:
            return Value(name, WAVE, True)
        if _steady(x):
            return Value(name, float(x.error) + WAVE, True)
        return Value(name, t._float(f"{x.error} + {_f(WAVE)}"), True)

    return made


def _arcsin(t: SiftTarget, x: Value) -> Value:
    a = t.single(x)
    e = t._wide(a)
    name = t._float(f"cpc_asin(fminf(fmaxf({a.text}, -1.0f), 1.0f))")
    low = t._float(f"cpc_asin(fminf(fmaxf({a.text} - {e} - 1e-7f, -1.0f), 1.0f))")
    high = t._float(f"cpc_asin(fminf(fmaxf({a.text} + {e} + 1e-7f, -1.0f), 1.0f))")
    return Value(name, t._float(f"fmaxf({name} - {low}, {high} - {name}) + (2e-6f + 0.0f * {a.text})"), True)


def _size(t: SiftTarget, x: Value) -> Value:
    return t._exact(f"fabs({x.text})") if x.exact else Value(t._float(f"fabsf({x.text})"), x.error, True)


def _negative(t: SiftTarget, x: Value) -> Value:
    return t._exact(f"-{x.text}") if x.exact else Value(t._float(f"-{x.text}"), x.error, True)


_SINGLE: dict[str, Callable[..., Value]] = {
    "add": _sum("+"), "sub": _sum("-"), "mul": _product, "div": _quotient, "sqrt": _root, "ln": _ln, "exp": _exp,
    "sin": _wave("cpc_sin"), "cos": _wave("cpc_cos"), "arcsin": _arcsin, "abs": _size, "neg": _negative,
    "pow": lambda t, a, p: t.varying_power(a, p),
}  # fmt: skip
