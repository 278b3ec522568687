"""What the modelling languages (LINGO, AMPL, GAMS) have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr
from cpcbench.expr.printer import (
    ADD,
    ARITHMETIC,
    ATOM,
    MUL,
    Form,
    Forms,
    Language,
    Slot,
    leaf,
    lines,
    pieces,
    sides,
    variable,
    write,
)
from cpcbench.expr.rewriting import unlimited
from cpcbench.expr.walk import postorder
from cpcbench.readings.text.model import Model
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


def stated(model: Model, language: Callable[[Expr], Language], between: str) -> tuple[str, list[str]]:
    """The objective, and the conditions that are not hidden: its own lines for each in these languages."""
    root, conditions = unlimited(model.root)
    if any(node.op == "given" for node in postorder(root, *conditions)):
        raise CpcbenchError("a value that is undefined in one branch of where() cannot be written in this language")
    written = language(model.root)
    rows = []
    for condition in conditions:
        least, most = sides(condition)
        rows.append(f"{'0' if least is None else write(least, written)}{between}{write(most, written)}")
    return lines(pieces(root, written)), rows


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
