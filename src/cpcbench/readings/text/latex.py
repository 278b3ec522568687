"""The formula as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction

from cpcbench.expr.nodes import Expr
from cpcbench.readings.text.model import Exported, Model, namer
from cpcbench.readings.text.numbers import decimal, mantissa, shortest
from cpcbench.readings.text.printer import (
    ARITHMETIC,
    ATOM,
    COMPARE,
    MUL,
    POW,
    Form,
    Language,
    Slot,
    comparison,
    leaf,
    write,
)

_COMMANDS = {"ln": r"\ln", "exp": r"\exp", "sin": r"\sin", "cos": r"\cos", "tan": r"\tan", "arcsin": r"\arcsin",
             "sign": r"\operatorname{sgn}"}  # fmt: skip
_RAISED = ("ln", "sin", "cos", "tan")
_OTHERWISE = r" & \text{otherwise} \end{cases}"
_LETTERS = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau upsilon phi chi psi omega
"""
_GREEK = frozenset(_LETTERS.split())


def latex(root: Expr, names: Sequence[str] | None = None) -> str:
    r"""The expression as LaTeX mathematics: `\ln\left(x_{1} - x_{2}^{2}\right)`."""
    return write(root, _language(namer(root, names)))


def export_latex(model: Model) -> Exported:
    """The LaTeX of the formula as a displayed equation."""
    body = write(model.root, _language(model.names.__getitem__))
    return Exported(f"\\[\n{body}\n\\]\n", [])


def _language(name: Callable[[int], str]) -> Language:
    return Language(
        {
            **ARITHMETIC,
            # a function as the base of a power gets brackets, so its level is that of a power
            **{op: Form(POW, (rf"{command}\left(", Slot(0), r"\right)")) for op, command in _COMMANDS.items()},
            "const": _constant,
            "pi": Form(ATOM, (r"\pi",)),
            "var": leaf(lambda node: _variable(name(int(node.payload or 0)))),
            "mul": _product,
            "div": Form(POW, (r"\frac{", Slot(0), "}{", Slot(1), "}")),
            "pow": _power,
            "sqrt": Form(POW, (r"\sqrt{", Slot(0), "}")),
            "abs": Form(ATOM, (r"\left|", Slot(0), r"\right|")),
            "floor": Form(ATOM, (r"\left\lfloor ", Slot(0), r" \right\rfloor")),
            "le": comparison(r" \le "),
            "where": Form(
                COMPARE,
                (
                    r"\begin{cases} ",
                    Slot(1),
                    r" & \text{if } ",
                    Slot(0),
                    r" \\ ",
                    Slot(2),
                    r" & \text{otherwise} \end{cases}",
                ),
            ),
        },
        opening=r"\left(",
        closing=r"\right)",
    )


def _constant(node: Expr) -> Form:
    digits, exponent = decimal(node)
    text = shortest(digits, exponent)
    if "e" not in text:
        return Form(ATOM, (text,))
    ten = f"10^{{{len(digits) + exponent - 1}}}"
    return Form(POW, (ten,)) if digits == "1" else Form(MUL, (rf"{mantissa(digits)} \cdot {ten}",))


def _product(node: Expr) -> Form:
    """Factors side by side, with a dot where a number or a fraction would run into the one before."""
    right = node.args[1]
    start = right.args[0] if right.op == "pow" else right
    sign = r" \cdot " if start.op in ("const", "div") else r" \, "
    return Form(MUL, (Slot(0, MUL), sign, Slot(1, MUL + 1, minus=False)))


def _power(node: Expr) -> Form:
    base, exponent = node.args
    value = exponent.payload
    if (
        base.op in _RAISED
        and exponent.op == "const"
        and isinstance(value, Fraction)
        and value.denominator == 1
        and value > 1
    ):
        return Form(POW, (f"{_COMMANDS[base.op]}^{{{value}}}", r"\left(", Slot(0, inner=True), r"\right)"))
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
