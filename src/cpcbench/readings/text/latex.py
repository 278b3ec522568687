"""The formula as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from cpcbench.expr.nodes import Expr
from cpcbench.expr.plain import namer
from cpcbench.expr.printer import (
    ARITHMETIC,
    ATOM,
    COMPARE,
    POW,
    Form,
    Forms,
    Language,
    Slot,
    comparison,
    limited,
    variable,
    write,
)
from cpcbench.readings.text.model import Exported, Model
from cpcbench.readings.text.setting import beside, number

_COMMANDS = frozenset(
    ["arccos", "arcsin", "arctan", "cos", "cosh", "exp", "ln", "max", "min", "sin", "sinh", "tan", "tanh"]
)
"""Functions that LaTeX has a command for, by the same name."""
_RAISED = ("ln", "sin", "cos", "tan")
_LETTERS = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau upsilon phi chi psi omega
"""
_GREEK = frozenset(_LETTERS.split())


def latex(root: Expr, names: Sequence[str] | None = None) -> str:
    r"""The expression as LaTeX mathematics: `\ln\left(x_{1} - x_{2}^{2}\right)`."""
    name = namer(root, names)
    forms: Forms = {**_FORMS, "var": variable(lambda index: _variable(name(index)))}
    return write(root, Language(forms, _applied, opening=r"\left(", closing=r"\right)"))


def export_latex(model: Model) -> Exported:
    """The LaTeX of the formula as a displayed equation."""
    return Exported(f"\\[\n{latex(model.root, model.names)}\n\\]\n")


@cache
def _applied(op: str, count: int = 1) -> Form:
    """A function of its arguments; as the base of a power it gets brackets, so its level is that of a power."""
    rest = [part for arg in range(1, count) for part in (", ", Slot(arg))]
    return Form(POW, (rf"{_command(op)}\left(", Slot(0), *rest, r"\right)"))


def _command(op: str) -> str:
    return f"\\{op}" if op in _COMMANDS else rf"\operatorname{{{op}}}"


def _power(node: Expr) -> Form:
    base, exponent = node.args
    value = exponent.payload
    if base.op in _RAISED and isinstance(value, Fraction) and value.denominator == 1 and value > 1:
        return Form(POW, (f"{_command(base.op)}^{{{value}}}", r"\left(", Slot(0, inner=0), r"\right)"))
    return Form(POW, (Slot(0, ATOM), "^{", Slot(1), "}"))


def _variable(name: str) -> str:
    """`x1` is x with the index 1, `alpha` the Greek letter, any other word is set upright."""
    match = re.fullmatch(r"([A-Za-z]+)_?([0-9]*)", name)
    if match is None:
        escaped = re.sub(r"([#$%&_{}])", r"\\\1", re.sub(r"[\\^~]", "", name))
        return rf"\mathrm{{{escaped}}}"
    word, index = match[1], match[2]
    letter = word if len(word) == 1 else f"\\{word}" if word in _GREEK else rf"\mathrm{{{word}}}"
    return f"{letter}_{{{index}}}" if index else letter


_FORMS: Forms = {
    **ARITHMETIC,
    "const": lambda node: number(node, str, r" \cdot ", lambda power: f"10^{{{power}}}"),
    "pi": Form(ATOM, (r"\pi",)),
    "mul": lambda node: beside(node, r" \, ", r" \cdot "),
    "div": Form(POW, (r"\frac{", Slot(0), "}{", Slot(1), "}")),
    "pow": _power,
    "sqrt": Form(POW, (r"\sqrt{", Slot(0), "}")),
    "abs": Form(ATOM, (r"\left|", Slot(0), r"\right|")),
    "floor": Form(ATOM, (r"\left\lfloor ", Slot(0), r" \right\rfloor")),
    "ceil": Form(ATOM, (r"\left\lceil ", Slot(0), r" \right\rceil")),
    "cbrt": Form(POW, (r"\sqrt[3]{", Slot(0), "}")),
    "log10": Form(POW, (r"\log_{10}\left(", Slot(0), r"\right)")),
    "log2": Form(POW, (r"\log_{2}\left(", Slot(0), r"\right)")),
    "sign": Form(POW, (r"\operatorname{sgn}\left(", Slot(0), r"\right)")),
    "le": comparison(r" \le "),
    "where": Form(COMPARE, (
        r"\begin{cases} ", Slot(1), r" & \text{if } ", Slot(0), r" \\ ", Slot(2), r" & \text{otherwise} \end{cases}",
    )),
    **limited("", r" \le ", r", \quad ", "", r"\text{undefined}", value_first=True),
}  # fmt: skip
