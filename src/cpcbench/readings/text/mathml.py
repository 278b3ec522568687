"""The formula as MathML, which browsers set as mathematics without any program."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape

from cpcbench.expr.nodes import Expr
from cpcbench.readings.text.model import Exported, Model, namer
from cpcbench.readings.text.numbers import decimal, mantissa, shortest
from cpcbench.readings.text.printer import (
    ADD,
    ATOM,
    COMPARE,
    MUL,
    NEG,
    POW,
    Form,
    Language,
    Slot,
    comparison,
    infix,
    leaf,
    write,
)

_MINUS = "<mo>−</mo>"
_FUNCTIONS = {"ln": "ln", "exp": "exp", "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "arcsin", "sign": "sgn"}
_OPEN, _CLOSE = "<mrow><mo>(</mo>", "<mo>)</mo></mrow>"


def mathml(root: Expr, names: Sequence[str] | None = None) -> str:
    """The expression as a `<math>` element."""
    return f'<math display="block"><mrow>{write(root, _language(namer(root, names)))}</mrow></math>'


def export_mathml(model: Model) -> Exported:
    """The formula as a `<math>` element of its own."""
    body = write(model.root, _language(model.names.__getitem__))
    return Exported(
        f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="block"><mrow>{body}</mrow></math>\n', []
    )


def _language(name: Callable[[int], str]) -> Language:
    return Language(
        {
            **{op: _applied(word) for op, word in _FUNCTIONS.items()},
            "add": infix("<mo>+</mo>", ADD),
            "sub": infix(_MINUS, ADD),
            "mul": _product,
            "neg": Form(NEG, (_MINUS, Slot(0, POW))),
            "lt": comparison("<mo>&lt;</mo>"),
            "le": comparison("<mo>≤</mo>"),
            "const": _constant,
            "pi": Form(ATOM, ("<mi>π</mi>",)),
            "var": leaf(lambda node: _variable(name(int(node.payload or 0)))),
            "div": Form(POW, ("<mfrac><mrow>", Slot(0), "</mrow><mrow>", Slot(1), "</mrow></mfrac>")),
            "pow": Form(POW, ("<msup><mrow>", Slot(0, ATOM), "</mrow><mrow>", Slot(1), "</mrow></msup>")),
            "sqrt": Form(ATOM, ("<msqrt>", Slot(0), "</msqrt>")),
            "abs": _fenced("|", "|"),
            "floor": _fenced("⌊", "⌋"),
            "where": Form(COMPARE, (
                "<mrow><mo>{</mo><mtable><mtr><mtd>", Slot(1), "</mtd><mtd><mtext>if&#160;</mtext>", Slot(0),
                "</mtd></mtr><mtr><mtd>", Slot(2), "</mtd><mtd><mtext>otherwise</mtext></mtd></mtr></mtable></mrow>",
            )),
        },
        opening=_OPEN,
        closing=_CLOSE,
        minus=_MINUS,
    )  # fmt: skip


def _applied(word: str) -> Form:
    """A function of its argument; as the base of a power it gets brackets, so its level is that of a power."""
    return Form(POW, (f"<mrow><mi>{word}</mi><mo>&#8289;</mo>{_OPEN}", Slot(0), f"{_CLOSE}</mrow>"))


def _fenced(left: str, right: str) -> Form:
    return Form(ATOM, (f"<mrow><mo>{left}</mo>", Slot(0), f"<mo>{right}</mo></mrow>"))


def _product(node: Expr) -> Form:
    """Factors side by side, with a dot where a number or a fraction would run into the one before."""
    right = node.args[1]
    start = right.args[0] if right.op == "pow" else right
    sign = "<mo>·</mo>" if start.op in ("const", "div") else "<mo>&#8290;</mo>"
    return Form(MUL, (Slot(0, MUL), sign, Slot(1, MUL + 1, minus=False)))


def _constant(node: Expr) -> Form:
    digits, exponent = decimal(node)
    text = shortest(digits, exponent)
    if "e" not in text:
        return Form(ATOM, (f"<mn>{text}</mn>",))
    power = len(digits) + exponent - 1
    raised = f"<mn>{power}</mn>" if power >= 0 else f"{_MINUS}<mn>{-power}</mn>"
    ten = f"<msup><mn>10</mn><mrow>{raised}</mrow></msup>"
    return Form(POW, (ten,)) if digits == "1" else Form(MUL, (f"<mn>{mantissa(digits)}</mn><mo>·</mo>{ten}",))


def _variable(name: str) -> str:
    """`x1` is x with the index 1; any other name is one word."""
    match = re.fullmatch(r"([A-Za-z]+)_?([0-9]+)", name)
    if match is None:
        return f"<mi>{escape(name)}</mi>"
    return f"<msub><mi>{match[1]}</mi><mn>{match[2]}</mn></msub>"
