"""The problem as a GAMS program.

GAMS computes x**y as exp(y log x), for positive bases only; power(x, k) takes any base and a whole k.
"""

from __future__ import annotations

import math

from cpcbench.expr.functions import KINKS
from cpcbench.expr.nodes import Expr
from cpcbench.expr.printer import ATOM, MUL, Form, Language, Slot, call, power
from cpcbench.readings.reals.reference import constant_values
from cpcbench.readings.text.languages.modelling import EVEN, both_branches, careful, made_of, refused, stated
from cpcbench.readings.text.languages.reserved import GAMS
from cpcbench.readings.text.model import Exported, Model, free_word, plain_names
from cpcbench.readings.text.numbers import of_double

_NAMES = {"sqrt": "sqrt", "ln": "log", "exp": "exp", "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "arcsin",
          "arccos": "arccos", "log10": "log10", "log2": "log2", "ceil": "ceil",
          "arctan": "arctan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "abs": "abs",
          "floor": "floor", "sign": "sign"}  # fmt: skip
_LARGEST = 1e299


def export_gams(model: Model) -> Exported:
    """A program that minimises the formula over its box."""
    warnings = _warnings(model)
    names = plain_names(model, GAMS, warnings)
    taken = GAMS | {name.lower() for name in names}
    objective = free_word(model.name, taken)
    equation = free_word(f"{objective}_is", taken)
    problem = free_word(f"{objective}_model", taken)
    kind = "dnlp" if model.uses(*KINKS) else "nlp"
    text, conditions = stated(model, lambda root: _language(root, names), " =l= ")
    limits = [free_word(f"c{i}", taken | {objective, equation, problem}) for i in range(1, len(conditions) + 1)]
    rows = [
        f"free variables {', '.join([*names, objective])};",
        f"equation {', '.join([equation, *limits])};",
        f"{equation}.. {objective} =e= {text};",
        *[f"{name}.. {row};" for name, row in zip(limits, conditions, strict=True)],
        *[f"{name}.lo = {of_double(b)};" for name, b in zip(names, model.lower, strict=True) if math.isfinite(b)],
        *[f"{name}.up = {of_double(b)};" for name, b in zip(names, model.upper, strict=True) if math.isfinite(b)],
        f"model {problem} / {', '.join([equation, *limits])} /;",
        f"solve {problem} using {kind} minimizing {objective};",
        "",
    ]
    return Exported("\n".join(rows), warnings)


def _language(root: Expr, names: list[str]) -> Language:
    values = constant_values(root)

    def raised(node: Expr) -> Form:
        exponent = values.get(id(node.args[1]))
        return call("power", 2) if exponent is not None and exponent.is_integer() else power("**")

    functions = {op: call(name) for op, name in _NAMES.items()}
    return Language(
        {
            **careful(names, pi="pi"),
            **made_of("log", "exp", "sqrt"),
            **functions,
            "cbrt": Form(MUL, ("sign(", Slot(0), ")*abs(", Slot(0), ")**(1/3)")),
            "erf": Form(ATOM, ("(2*errorf(", Slot(0, ATOM), "*sqrt(2)) - 1)")),  # errorf is the normal distribution
            "round": EVEN,
            **{op: call(op, 2) for op in ("min", "max", "arctan2")},
            "pow": raised,
            "whole": refused("GAMS", "whole: declare the variable a whole number"),
            "where": call("ifthen", 3),
        }
    )


def _warnings(model: Model) -> list[str]:
    found = []
    if model.has_variable_power:
        found.append("GAMS computes x**y with a variable exponent for positive bases only, even where y is whole")
    if model.uses("where"):
        found.append(both_branches("GAMS"))
    if any(value > _LARGEST for value in constant_values(model.root).values()):
        found.append("GAMS has no numbers beyond 1e299")
    return found
