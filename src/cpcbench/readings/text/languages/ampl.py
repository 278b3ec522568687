"""The problem as an AMPL model."""

from __future__ import annotations

import math

from cpcbench.expr.printer import ADD, ATOM, Form, Language, Slot, call
from cpcbench.readings.text.languages.modelling import EVEN, careful, made_of, refused, stated
from cpcbench.readings.text.languages.reserved import AMPL
from cpcbench.readings.text.model import Exported, Model, free_word, plain_names
from cpcbench.readings.text.numbers import of_double

_NAMES = {"sqrt": "sqrt", "ln": "log", "exp": "exp", "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin",
          "arccos": "acos", "arctan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "arcsinh": "asinh",
          "arccosh": "acosh", "arctanh": "atanh", "log10": "log10", "abs": "abs", "floor": "floor",
          "ceil": "ceil"}  # fmt: skip


def export_ampl(model: Model) -> Exported:
    """A model that minimises the formula over its box."""
    warnings = _warnings(model)
    names = plain_names(model, AMPL, warnings)
    declared = [_declare(*row) for row in zip(names, model.lower, model.upper, strict=True)]
    objective = free_word(model.name, AMPL | {name.lower() for name in names})
    text, conditions = stated(model, lambda _: _language(names), " <= ")
    taken = AMPL | {name.lower() for name in names} | {objective.lower()}
    rows = [f"subject to {free_word(f'c{i}', taken)}: {row};" for i, row in enumerate(conditions, start=1)]
    return Exported("\n".join([*declared, "", f"minimize {objective}:", f"    {text};", *rows, ""]), warnings)


def _language(names: list[str]) -> Language:
    compared = Slot(0, ADD)
    return Language(
        {
            **careful(names),
            **made_of("log", "exp", "sqrt"),
            **{op: call(name) for op, name in _NAMES.items()},
            "cbrt": Form(
                ATOM, ("(if ", compared, " < 0 then -(-", Slot(0, ATOM), ")^(1/3) else ", Slot(0, ATOM), "^(1/3))")
            ),
            "erf": refused("AMPL", "erf"),
            "round": EVEN,
            **{op: call(name, 2) for op, name in (("min", "min"), ("max", "max"), ("arctan2", "atan2"))},
            # AMPL has no sign function
            "sign": Form(ATOM, ("(if ", compared, " > 0 then 1 else if ", compared, " < 0 then -1 else 0)")),
            "whole": refused("AMPL", "whole: declare the variable a whole number"),
            "where": Form(ATOM, ("(if ", Slot(0), " then ", Slot(1), " else ", Slot(2), ")")),
        }
    )


def _warnings(model: Model) -> list[str]:
    if not model.has_variable_power:
        return []
    return ["AMPL's solvers may refuse a negative base under a variable exponent: the derivative takes its logarithm"]


def _declare(name: str, low: float, high: float) -> str:
    sides = [f"{sign} {of_double(bound)}" for sign, bound in ((">=", low), ("<=", high)) if math.isfinite(bound)]
    return f"var {name} {', '.join(sides)}".rstrip() + ";"
