"""The formula as MathML, which browsers set as mathematics without any program."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html import escape

from cpcbench.expr.nodes import Expr
from cpcbench.expr.plain import namer
from cpcbench.expr.printer import (
    ADD,
    ATOM,
    COMPARE,
    NEG,
    POW,
    Form,
    Forms,
    Language,
    Slot,
    comparison,
    infix,
    limited,
    variable,
    write,
)
from cpcbench.readings.text.model import Exported, Model
from cpcbench.readings.text.setting import beside, number

_MINUS = "<mo>−</mo>"
_OPEN, _CLOSE = "<mrow><mo>(</mo>", "<mo>)</mo></mrow>"


def mathml(root: Expr, names: Sequence[str] | None = None) -> str:
    """The expression as a `<math>` element."""
    return f'<math display="block"><mrow>{_body(root, names)}</mrow></math>'


def export_mathml(model: Model) -> Exported:
    """The formula as a `<math>` element of its own."""
    body = _body(model.root, model.names)
    return Exported(f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="block"><mrow>{body}</mrow></math>\n')


def _body(root: Expr, names: Sequence[str] | None) -> str:
    name = namer(root, names)
    forms: Forms = {**_FORMS, "var": variable(lambda index: _variable(name(index)))}
    return write(root, Language(forms, _applied, opening=_OPEN, closing=_CLOSE, minus=_MINUS))


@cache
def _applied(word: str, count: int = 1) -> Form:
    """A function of its arguments; as the base of a power it gets brackets, so its level is that of a power."""
    rest = [part for arg in range(1, count) for part in ("<mo>,</mo>", Slot(arg))]
    return Form(POW, (f"<mrow><mi>{word}</mi><mo>&#8289;</mo>{_OPEN}", Slot(0), *rest, f"{_CLOSE}</mrow>"))


def _logarithm(base: int) -> Form:
    name = f"<msub><mi>log</mi><mn>{base}</mn></msub>"
    return Form(POW, (f"<mrow>{name}<mo>&#8289;</mo>{_OPEN}", Slot(0), f"{_CLOSE}</mrow>"))


def _fenced(left: str, right: str) -> Form:
    return Form(ATOM, (f"<mrow><mo>{left}</mo>", Slot(0), f"<mo>{right}</mo></mrow>"))


def _digits(text: str) -> str:
    return f"<mn>{text}</mn>"


def _ten(power: int) -> str:
    raised = _digits(str(power)) if power >= 0 else f"{_MINUS}{_digits(str(-power))}"
    return f"<msup><mn>10</mn><mrow>{raised}</mrow></msup>"


def _variable(name: str) -> str:
    """`x1` is x with the index 1; any other name is one word."""
    match = re.fullmatch(r"([A-Za-z]+)_?([0-9]+)", name)
    if match is None:
        return f"<mi>{escape(name)}</mi>"
    return f"<msub><mi>{match[1]}</mi><mn>{match[2]}</mn></msub>"


_FORMS: Forms = {
    "add": infix("<mo>+</mo>", ADD),
    "sub": infix(_MINUS, ADD),
    "mul": lambda node: beside(node, "<mo>&#8290;</mo>", "<mo>·</mo>"),
    "neg": Form(NEG, (_MINUS, Slot(0, POW))),
    "lt": comparison("<mo>&lt;</mo>"),
    "le": comparison("<mo>≤</mo>"),
    "const": lambda node: number(node, _digits, "<mo>·</mo>", _ten),
    "pi": Form(ATOM, ("<mi>π</mi>",)),
    "div": Form(POW, ("<mfrac><mrow>", Slot(0), "</mrow><mrow>", Slot(1), "</mrow></mfrac>")),
    "pow": Form(POW, ("<msup><mrow>", Slot(0, ATOM), "</mrow><mrow>", Slot(1), "</mrow></msup>")),
    "sqrt": Form(ATOM, ("<msqrt>", Slot(0), "</msqrt>")),
    "abs": _fenced("|", "|"),
    "floor": _fenced("⌊", "⌋"),
    "ceil": _fenced("⌈", "⌉"),
    "cbrt": Form(ATOM, ("<mroot><mrow>", Slot(0), "</mrow><mn>3</mn></mroot>")),
    "log10": _logarithm(10),
    "log2": _logarithm(2),
    "sign": _applied("sgn"),
    "where": Form(COMPARE, (
        "<mrow><mo>{</mo><mtable><mtr><mtd>", Slot(1), "</mtd><mtd><mtext>if&#160;</mtext>", Slot(0),
        "</mtd></mtr><mtr><mtd>", Slot(2), "</mtd><mtd><mtext>otherwise</mtext></mtd></mtr></mtable></mrow>",
    )),
    **limited(
        '<mrow class="given"><mrow>', "<mo>≤</mo>", '</mrow><mo>,</mo><mspace width="1em"/><mrow>', "</mrow></mrow>",
        "<mtext>undefined</mtext>", zero="<mn>0</mn>", value_first=True,
    ),
}  # fmt: skip
