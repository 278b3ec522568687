"""The formula as plain text, which the parser reads back as the very same expression."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cpcbench.expr.nodes import Expr
from cpcbench.readings.text.model import Exported, Model, namer
from cpcbench.readings.text.numbers import exact
from cpcbench.readings.text.printer import ARITHMETIC, ATOM, Form, Language, call, leaf, write

_FUNCTIONS = ("sqrt", "ln", "exp", "sin", "cos", "tan", "arcsin", "abs", "floor", "sign")


def formula(root: Expr, names: Sequence[str] | None = None) -> str:
    """The expression as text: `ln(x1 - x2^2)`; `parse_formula` gives the same expression back."""
    return write(root, _language(namer(root, names)))


def export_text(model: Model) -> Exported:
    """The formula alone, with the user's names."""
    return Exported(write(model.root, _language(model.names.__getitem__)) + "\n", [])


def _language(name: Callable[[int], str]) -> Language:
    return Language(
        {
            **ARITHMETIC,
            **{op: call(op) for op in _FUNCTIONS},
            "const": leaf(exact),
            "pi": Form(ATOM, ("pi",)),
            "var": leaf(lambda node: name(int(node.payload or 0))),
            "where": call("where", 3),
        }
    )
