"""The problem as a LINGO model.

LINGO gives a minus sign the highest priority (-3^2 is 9), its @FLOOR goes towards zero for negative
numbers, and older versions' @SIGN(0) is 1.
"""

from __future__ import annotations

import math

from cpcbench.expr.printer import ADD, ATOM, MUL, Form, Language, Slot, call, comparison
from cpcbench.readings.text.languages.modelling import both_branches, careful, made_of, refused, stated
from cpcbench.readings.text.languages.reserved import LINGO
from cpcbench.readings.text.model import Exported, Model, plain_names
from cpcbench.readings.text.numbers import of_double

_NAMES = {"sqrt": "@SQRT", "ln": "@LOG", "exp": "@EXP", "sin": "@SIN", "cos": "@COS", "tan": "@TAN", "arcsin": "@ASIN",
          "arccos": "@ACOS", "arctan": "@ATAN", "sinh": "@SINH", "cosh": "@COSH", "tanh": "@TANH", "arcsinh": "@ASINH",
          "arccosh": "@ACOSH", "arctanh": "@ATANH", "log10": "@LOG10", "abs": "@ABS"}  # fmt: skip


def export_lingo(model: Model) -> Exported:
    """A model that minimises the formula over its box."""
    warnings = _warnings(model)
    names = plain_names(model, LINGO, warnings)
    objective, conditions = stated(model, lambda _: _language(names), " <= ")
    rows = [f"{row};" for row in conditions]
    rows += [_bound(*row) for row in zip(names, model.lower, model.upper, strict=True)]
    return Exported("\n".join(["MODEL:", f"! {model.name};", f"MIN = {objective};", *rows, "END", ""]), warnings)


def _language(names: list[str]) -> Language:
    inside = Slot(0)
    compared = Slot(0, ADD)
    return Language(
        {
            **careful(names),
            **made_of("@LOG", "@EXP", "@SQRT"),
            **{op: call(name) for op, name in _NAMES.items()},
            "cbrt": Form(MUL, ("@SIGN(", inside, ")*@ABS(", inside, ")^(1/3)")),
            "erf": Form(ATOM, ("(2*@PSN(", Slot(0, ATOM), "*@SQRT(2)) - 1)")),  # the normal distribution
            "ceil": Form(ATOM, ("(@FLOOR(", inside, ") + @IF(@FLOOR(", inside, ") #LT# ", compared, ", 1, 0))")),
            **{op: call(name, 2) for op, name in (("min", "@SMIN"), ("max", "@SMAX"), ("arctan2", "@ATAN2"))},
            "mod": refused("LINGO", "mod with the sign of the divisor"),
            "round": refused("LINGO", "round to the even of two neighbours"),
            "floor": Form(ATOM, ("(@FLOOR(", inside, ") - @IF(", compared, " #LT# @FLOOR(", inside, "), 1, 0))")),
            "sign": Form(ATOM, ("@IF(", compared, " #EQ# 0, 0, @SIGN(", inside, "))")),
            "lt": comparison(" #LT# "),
            "le": comparison(" #LE# "),
            "whole": refused("LINGO", "whole: declare the variable a whole number"),
            "where": call("@IF", 3),
        }
    )


def _warnings(model: Model) -> list[str]:
    found = []
    if model.has_variable_power:
        found.append("LINGO may refuse a negative base under a variable exponent, even where the exponent is whole")
    if model.uses("where"):
        found.append(both_branches("LINGO"))
    if model.uses("floor", "ceil"):
        found.append("LINGO's @FLOOR rounds negative numbers towards zero: floor is written with a correction")
    return found


def _bound(name: str, low: float, high: float) -> str:
    """LINGO's variables are at least 0 unless something else is said."""
    if math.isfinite(low) and math.isfinite(high):
        return f"@BND({of_double(low)}, {name}, {of_double(high)});"
    rows = [f"@FREE({name});"]
    rows += [f"{name} >= {of_double(low)};"] if math.isfinite(low) else []
    rows += [f"{name} <= {of_double(high)};"] if math.isfinite(high) else []
    return "\n".join(rows)
