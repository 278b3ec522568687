"""The problem as a MATLAB function file, which GNU Octave reads too."""

from __future__ import annotations

import math

from cpcbench.expr.printer import ADD, ARITHMETIC, ATOM, Form, Language, Slot, call, leaf, lines, variable
from cpcbench.readings.domain.requirements import DEMANDS, SPANS
from cpcbench.readings.text.languages.reserved import MATLAB
from cpcbench.readings.text.model import Exported, Model, free_word
from cpcbench.readings.text.numbers import nearest, of_double
from cpcbench.readings.text.steps import steps


def _checked(name: str) -> Form:
    return Form(ATOM, (f"checked_({name}(", Slot(0), "))"))


_LANGUAGE = Language(
    {
        **ARITHMETIC,
        **{op: call(op) for op in ("sin", "cos", "tan", "abs", "floor", "ceil")},
        "const": leaf(nearest),
        "pi": Form(ATOM, ("pi",)),
        "var": variable(lambda index: f"x({index + 1})"),
        # outside their domains these give complex numbers, which must not travel on
        "pow": Form(ATOM, ("checked_(", Slot(0, ATOM, finite=True), "^", Slot(1, ATOM, finite=True), ")")),
        "sqrt": _checked("sqrt"),
        "ln": _checked("log"),
        "arcsin": _checked("asin"),
        "arccos": _checked("acos"),
        "arccosh": _checked("acosh"),
        "arctanh": _checked("atanh"),
        "log10": _checked("log10"),
        "log2": _checked("log2"),
        "log1p": _checked("log1p"),
        "exp": call("exp", finite=True, overflows=True),
        "arctan": call("atan", finite=True),
        "sinh": call("sinh", overflows=True),
        "cosh": call("cosh", overflows=True),
        "tanh": call("tanh", finite=True),
        "arcsinh": call("asinh"),
        "expm1": call("expm1", finite=True, overflows=True),
        "erf": call("erf", finite=True),
        "cbrt": call("nthroot_"),
        "round": call("even_"),
        "sign": call("sign", finite=True),
        "whole": call("whole_"),
        "min": call("min", 2, finite=True),
        "max": call("max", 2, finite=True),
        "hypot": call("hypot", 2, overflows=True),
        "arctan2": Form(  # no negative zero
            ATOM, ("atan2(", Slot(0, ADD, finite=True), " + 0, ", Slot(1, ADD, finite=True), " + 0)")
        ),
        "mod": call("mod_", 2, finite=True),
        # arguments are computed before a call, so the branches are handed over uncomputed
        "where": Form(ATOM, ("choose_(", Slot(0), ", @() ", Slot(1), ", @() ", Slot(2), ")")),
        "given": Form(ATOM, ("choose_(", Slot(0, ADD, finite=True), " >= 0, @() ", Slot(1), ", @() checked_(NaN))")),
    },
    check="checked_",
)

_TEMPLATE = """function y = {name}(x)
% {name}: an objective of {dim} variables; it is {undefined} where the formula is undefined.
% lower = [{lower}];
% upper = [{upper}];
if numel(x) ~= {dim}
    error('a point has {dim} coordinates');
end
try
{body}
catch
    y = {undefined};
end
end

function v = checked_(v)
if ~isreal(v) || ~isfinite(v)
    error('undefined');
end
end

function v = nthroot_(v)
v = nthroot(v, 3);
end

function v = whole_(v)
if v ~= floor(v)
    error('undefined');
end
end

function w = even_(v)  % halves to the even neighbour
w = round(v);
if abs(v - fix(v)) == 0.5
    w = 2 * round(v / 2);
end
end

function r = mod_(a, b)  % exact: the language's own takes large quotients for whole numbers
if b == 0
    error('undefined');
end
r = abs(a);
c = abs(b);
while r >= c
    k = floor(log2(r) - log2(c));
    t = c * 2^floor(k / 2) * 2^ceil(k / 2);
    if t > r
        t = t / 2;
    end
    r = r - t;
end
if r ~= 0 && (a < 0) ~= (b < 0)
    r = c - r;
end
if b < 0
    r = -r;
end
end

function v = choose_(test, yes, no)
if test
    v = yes();
else
    v = no();
end
end
"""


def export_matlab(model: Model) -> Exported:
    """A function file; a complex or infinite value on the way makes the result NaN, or the number that is wanted."""
    parts = steps(model.root, _LANGUAGE)
    body = [f"    {name} = {_lines(pieces)};" for name, pieces in parts.assignments]
    body.append(f"    y = checked_({_lines(parts.result)});")
    text = _TEMPLATE.format(
        name=free_word(model.name, MATLAB),
        dim=model.dim,
        undefined="NaN" if math.isnan(model.undefined) else of_double(model.undefined),
        lower=_row(model.lower),
        upper=_row(model.upper),
        body="\n".join(body),
    )
    warnings = ["MATLAB's own sqrt, log, asin and ^ are complex outside the real domain: keep the checked_() calls"]
    asked = [op for op, demand in DEMANDS.items() if demand.relation in SPANS]
    return Exported(text, warnings if model.uses("pow", *asked) else [])


def _lines(pieces: list[str]) -> str:
    return lines(pieces, indent=" " * 8, carry=" ...")


def _row(side: tuple[float, ...]) -> str:
    """On one line, since a comment cannot be carried on."""
    return ", ".join(of_double(value).replace("inf", "Inf") for value in side)
