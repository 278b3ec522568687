"""What the modelling languages (LINGO, AMPL, GAMS) have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr
from cpcbench.expr.printer import ADD, ARITHMETIC, ATOM, MUL, Form, Forms, Slot, leaf, variable
from cpcbench.readings.text.numbers import nearest

PI = "3.141592653589793"
"""The double nearest to pi, for languages without a name for it."""


def careful(names: Sequence[str], pi: str = PI) -> Forms:
    """Forms that are safe everywhere.

    The languages disagree on how tightly a minus sign binds, and some refuse it next to an operator:
    it stands bare at the start of a sum only, before a single word or a bracket.
    """
    return {
        **ARITHMETIC,
        "neg": Form(ADD, ("-", Slot(0, ATOM))),
        "const": leaf(nearest),
        "pi": Form(ATOM, (pi,)),
        "var": variable(names.__getitem__),
    }


def made_of(log: str, exp: str, sqrt: str) -> Forms:
    """Functions that these languages lack, made of those that they have, by their names there."""
    whole, term, factor, other = Slot(0), Slot(0, MUL, minus=False), Slot(0, ATOM), Slot(1, ATOM)
    return {
        "log2": Form(ATOM, (f"({log}(", whole, f")/{log}(2))")),
        "log10": Form(ATOM, (f"({log}(", whole, f")/{log}(10))")),
        "log1p": Form(ATOM, (f"{log}(1 + ", term, ")")),
        "expm1": Form(ATOM, (f"({exp}(", whole, ") - 1)")),
        "arcsinh": Form(ATOM, (f"{log}(", factor, f" + {sqrt}(", factor, "*", factor, " + 1))")),
        "arccosh": Form(ATOM, (f"{log}(", factor, f" + {sqrt}(", factor, f" - 1)*{sqrt}(", factor, " + 1))")),
        "hypot": Form(ATOM, (f"{sqrt}(", factor, "*", factor, " + ", other, "*", other, ")")),
        "mod": Form(ATOM, ("(", term, " - ", other, "*floor(", factor, "/", other, "))")),
        "arctanh": Form(ATOM, (f"({log}((1 + ", term, ")/(1 - ", term, "))/2)")),
    }


EVEN = Form(
    ATOM,
    (
        "(floor(",
        Slot(0, ADD),
        " + 0.5) + ceil((2*",
        Slot(0, ATOM),
        " - 1)/4) - floor((2*",
        Slot(0, ATOM),
        " - 1)/4) - 1)",
    ),
)
"""Rounded to the nearest whole number, halves to the even one: the last three terms are -1 at every second half."""


def refused(language: str, what: str) -> Callable[[Expr], Form]:
    """In the place of a form: the language cannot say it."""

    def form(_node: Expr) -> Form:
        raise CpcbenchError(f"{language} has no {what}")

    return form


def both_branches(language: str) -> str:
    return f"{language} may compute both branches of a choice, even where only the chosen one is defined"
