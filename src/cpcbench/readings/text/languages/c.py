"""The formula as C, with the same early stops in the same order as the compiled kernels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from cpcbench.expr.nodes import Expr
from cpcbench.readings.domain.requirements import SPANS, Span
from cpcbench.readings.doubles.lowering import Lowering, Plan
from cpcbench.readings.text.languages import reserved
from cpcbench.readings.text.model import Exported, Model, free_word

LIBM = {
    "sqrt": "sqrt", "ln": "log", "exp": "exp", "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin",
    "arccos": "acos", "arctan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "arcsinh": "asinh",
    "arccosh": "acosh", "arctanh": "atanh", "log10": "log10", "log2": "log2", "log1p": "log1p", "expm1": "expm1",
    "cbrt": "cbrt", "erf": "erf", "hypot": "hypot", "abs": "fabs", "floor": "floor", "ceil": "ceil", "round": "rint",
}  # fmt: skip
INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


class CTarget:
    """Collects statements; a value is the name of a variable or a literal."""

    def __init__(self, undefined: float = math.nan) -> None:
        self.lines: list[str] = []
        self.undefined = self.constant(undefined)

    def constant(self, value: float) -> str:
        return "NAN" if math.isnan(value) else f"({value!r})" if value < 0 else repr(value)

    def variable(self, index: int) -> str:
        return f"x[{index}]"

    def operation(self, op: str, *args: str) -> str:
        if op in INFIX:
            return self._name(f"{args[0]} {INFIX[op]} {args[1]}")
        if op in LIBM:
            return self._name(f"{LIBM[op]}({', '.join(args)})")
        return self._name(OTHER[op](*args))

    def power(self, base: str, exponent: float) -> str:
        if exponent == 2.0:
            return self._name(f"{base} * {base}")
        if exponent == 0.0 or math.isnan(exponent):
            return self.operation("pow", base, self.constant(exponent))
        return self._name(f"pow({base}, {self.constant(exponent)})")

    def holds(self, relation: str, *args: str) -> str:
        return RELATIONS[relation](*args)

    def leave_unless(self, truth: str) -> None:
        self.lines.append(f"if (!({truth})) return {self.undefined};")

    def undefined_unless(self, truth: str, value: str) -> str:
        return self._name(f"({truth}) ? {value} : NAN")

    def _name(self, code: str) -> str:
        name = f"v{len(self.lines)}"
        self.lines.append(f"const double {name} = {code};")
        return name


OTHER: dict[str, Callable[..., str]] = {
    "neg": lambda a: f"-{a}",
    "pow": lambda a, p: f"isunordered({a}, {p}) ? NAN : pow({a}, {p})",  # pow(NAN, 0) and pow(1, NAN) are 1
    "whole": lambda a: a,
    "sign": lambda a: f"{a} > 0 ? 1.0 : {a} < 0 ? -1.0 : {a} + 0.0",
    "min": lambda a, b: f"isunordered({a}, {b}) ? NAN : {b} < {a} ? {b} : {a}",
    "max": lambda a, b: f"isunordered({a}, {b}) ? NAN : {b} > {a} ? {b} : {a}",
    "arctan2": lambda y, x: f"atan2({y} + 0.0, {x} + 0.0)",  # no -0.0
    "mod": lambda a, b: (
        f"fmod({a}, {b}) == 0 ? copysign(0.0, {b}) : "
        f"(fmod({a}, {b}) < 0) != ({b} < 0) ? fmod({a}, {b}) + {b} : fmod({a}, {b})"
    ),
    "lt": lambda a, b: f"isunordered({a}, {b}) ? NAN : (double)({a} < {b})",
    "le": lambda a, b: f"isunordered({a}, {b}) ? NAN : (double)({a} <= {b})",
    "where": lambda test, yes, no: f"isnan({test}) ? NAN : {test} != 0 ? {yes} : {no}",
    "given": lambda condition, value: f"isnan({condition}) ? NAN : {value}",
}


def _inside(span: Span) -> Callable[..., str]:
    if span.is_half_line:
        return lambda a: f"{a} {'>=' if span.closed else '>'} {span.low:g}"
    return lambda a: f"fabs({a}) {'<=' if span.closed else '<'} {span.high:g}"


RELATIONS: dict[str, Callable[..., str]] = {
    **{relation: _inside(span) for relation, span in SPANS.items()},
    "nonzero": lambda a: f"{a} > 0 || {a} < 0",
    "whole": lambda a: f"{a} == floor({a})",
    "finite": lambda a: f"fabs({a}) <= 1.7976931348623157e308",
    "power": lambda a, p: f"({a} > 0 && {p} == {p}) || ({a} == 0 && {p} >= 0) || ({a} < 0 && {p} == floor({p}))",
    "strict power": lambda a, p: f"({a} > 0 && {p} == {p}) || ({a} == 0 && {p} >= 0)",
}


ANY_RANGE = 1e6
"""The order of the tests is measured on a box; a side without a bound counts as this far."""


def export_c(model: Model) -> Exported:
    lower = [a if math.isfinite(a) else min(-ANY_RANGE, b) for a, b in zip(model.lower, model.upper, strict=True)]
    upper = [b if math.isfinite(b) else max(ANY_RANGE, a) for a, b in zip(lower, model.upper, strict=True)]
    return Exported(c_text(model.root, free_word(model.name, reserved.C), lower, upper, undefined=model.undefined))


def c_text(
    root: Expr,
    name: str,
    lower: Sequence[float],
    upper: Sequence[float],
    rule: str = "ieee",
    undefined: float = math.nan,
) -> str:
    """A C99 function `double name(const double *x)` that returns NAN, or a number, where the formula is undefined."""
    target = CTarget(undefined)
    lowering = Lowering(Plan(root, lower, upper, rule), target)
    lowering.tests()
    result = lowering.result(root)
    if not math.isnan(undefined):
        result = f"isnan({result}) ? {target.undefined} : {result}"
    body = "\n".join(f"    {line}" for line in target.lines)
    return f"#include <math.h>\n\ndouble {name}(const double *x) {{\n{body}\n    return {result};\n}}\n"
