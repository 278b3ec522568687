"""What the modelling languages (LINGO, AMPL, GAMS) have in common."""

from __future__ import annotations

from collections.abc import Sequence

from cpcbench.expr.printer import ADD, ARITHMETIC, ATOM, Form, Forms, Slot, leaf, variable
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


def both_branches(language: str) -> str:
    return f"{language} may compute both branches of a choice, even where only the chosen one is defined"
