"""The formula as plain text, which the parser reads back as the very same expression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cpcbench.errors import CpcbenchError
from cpcbench.expr.decimals import exact
from cpcbench.expr.printer import (
    ARITHMETIC,
    ATOM,
    Form,
    Forms,
    Language,
    call,
    called,
    leaf,
    limited,
    sides,
    variable,
    write,
)
from cpcbench.expr.walk import dimension

if TYPE_CHECKING:
    from cpcbench.expr.nodes import Expr


def formula(root: Expr, names: Sequence[str] | None = None) -> str:
    """The expression as text: `ln(x1 - x2^2)`; `parse_formula` gives the same expression back."""
    name = namer(root, names)
    forms: Forms = {
        **ARITHMETIC,
        "const": leaf(exact),
        "pi": Form(ATOM, ("pi",)),
        "var": variable(name),
        "where": call("where", 3),
        **limited("where(", " <= ", ", ", ", undefined)", "undefined"),
    }
    return write(root, Language(forms, called))


def stated(condition: Expr, names: Sequence[str] | None = None) -> str:
    """The comparison that a condition of `given` was: `x1 <= 1` for 1 - x1, else `0 <= ...`."""
    least, most = sides(condition)
    return f"{'0' if least is None else formula(least, names)} <= {formula(most, names)}"


def namer(root: Expr, names: Sequence[str] | None) -> Callable[[int], str]:
    """From a variable's index to its name: one of those given, or x1, x2, ..."""
    if names is None:
        return lambda index: f"x{index + 1}"
    return checked_names(names, dimension(root)).__getitem__


def checked_names(names: Sequence[str], needed: int) -> Sequence[str]:
    if isinstance(names, str) or not all(isinstance(name, str) and name for name in names):
        raise CpcbenchError(f"names is a list of texts, such as ['a', 'b'], not {names!r}")
    if len(names) < needed:
        raise CpcbenchError(f"the formula has {needed} variables, names are given for {len(names)}")
    return names
