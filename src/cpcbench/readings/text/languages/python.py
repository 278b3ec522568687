"""The problem as a Python function that needs nothing but `math`."""

from __future__ import annotations

import math

from cpcbench.expr.nodes import double
from cpcbench.expr.printer import ADD, ARITHMETIC, ATOM, POW, Form, Language, Slot, call, leaf, lines, variable
from cpcbench.readings.text.languages.reserved import PYTHON
from cpcbench.readings.text.model import Exported, Model, free_word
from cpcbench.readings.text.steps import steps

_MATH = {
    "sqrt": "sqrt",
    "ln": "log",
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "arcsin": "asin",
    "arccos": "acos",
    "sinh": "sinh",
    "cosh": "cosh",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "log10": "log10",
    "log2": "log2",
    "log1p": "log1p",
    "cbrt": "cbrt",
}

_LANGUAGE = Language(
    {
        **ARITHMETIC,
        **{op: call(f"math.{name}") for op, name in _MATH.items()},
        "const": leaf(lambda node: repr(double(node))),
        "pi": Form(ATOM, ("math.pi",)),
        "var": variable(lambda index: f"x[{index}]"),
        "pow": call("math.pow", 2, finite=True),
        "exp": call("math.exp", finite=True),
        "expm1": call("math.expm1", finite=True),
        "erf": call("math.erf", finite=True),
        "arctan": call("math.atan", finite=True),
        "tanh": call("math.tanh", finite=True),
        "abs": call("abs"),
        "floor": Form(ATOM, ("float(math.floor(", Slot(0), "))")),
        "ceil": Form(ATOM, ("float(math.ceil(", Slot(0), "))")),
        "round": Form(ATOM, ("float(round(", Slot(0), "))")),
        "sign": call("_sign", finite=True),
        "whole": call("_whole"),
        "min": call("min", 2, finite=True),
        "max": call("max", 2, finite=True),
        "hypot": call("math.hypot", 2, overflows=True),
        "arctan2": Form(  # no -0.0
            ATOM, ("math.atan2(", Slot(0, ADD, finite=True), " + 0.0, ", Slot(1, ADD, finite=True), " + 0.0)")
        ),
        "mod": Form(ATOM, ("(", Slot(0, POW, finite=True), " % ", Slot(1, POW, finite=True), ")")),
        "where": Form(ATOM, ("(", Slot(1), " if ", Slot(0), " else ", Slot(2), ")")),
        "given": Form(ATOM, ("(", Slot(1), " if ", Slot(0, ADD, finite=True), " >= 0.0 else _finite(math.nan))")),
    },
    check="_finite",  # sums, products and quotients of floats overflow silently; the functions of math raise
)

_TEMPLATE = '''"""{name}: an objective of {dim} variables; it is {undefined} where the formula is undefined."""

import math

LOWER = [{lower}]
UPPER = [{upper}]


def _finite(value):
    if not math.isfinite(value):
        raise OverflowError("not a finite number")
    return value


def _sign(value):
    return float((value > 0.0) - (value < 0.0))


def _whole(value):
    if value != math.floor(value):
        raise ValueError("not a whole number")
    return value



def {name}(x):
    x = [float(v) for v in x]
    if len(x) != {dim}:
        raise ValueError("a point has {dim} coordinates")
    if not all(map(math.isfinite, x)):
        return {undefined}
    try:
{body}
    except (ValueError, ZeroDivisionError, OverflowError):
        return {undefined}
'''


def export_python(model: Model) -> Exported:
    """A module with the function, which gives nan, or a number, where the formula is undefined."""
    parts = steps(model.root, _LANGUAGE)
    body = [f"        {name} = ({_lines(pieces)})" for name, pieces in parts.assignments]
    body.append(f"        return _finite({_lines(parts.result)})")
    text = _TEMPLATE.format(
        name=free_word(model.name, PYTHON),
        dim=model.dim,
        undefined="math.nan" if math.isnan(model.undefined) else repr(model.undefined),
        lower=", ".join(map(_bound, model.lower)),
        upper=", ".join(map(_bound, model.upper)),
        body="\n".join(body),
    )
    deep = ["a branch of where() nests too deep for some versions of Python"] if parts.depth > 90 else []
    return Exported(text, deep)


def _lines(pieces: list[str]) -> str:
    return lines(pieces, indent=" " * 12)


def _bound(value: float) -> str:
    return repr(value) if math.isfinite(value) else f"{'-' if value < 0 else ''}math.inf"
