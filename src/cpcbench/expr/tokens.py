"""The words of a formula: its text cut into tokens, with every bracket matched beforehand."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from cpcbench.errors import CpcbenchError, FormulaError

MAX_CHARACTERS = 1_000_000

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>(?:[A-Za-z_]+\.)*[A-Za-z_][A-Za-z_0-9]*)"
    r"|(?P<operator>\.[*/^]|\*\*|<=|>=|==|!=|&&|\|\||[-+*/^<>!])"
    r"|(?P<mark>[()\[\],]))"
)
JOINTS = ("and", "or", "not")
"""Operators that are words."""
_SPELT = {"&&": "and", "||": "or", "!": "not", ".*": "*", "./": "/", ".^": "^"}
HOMES = frozenset({"np", "numpy", "math", "scipy", "special", "sympy", "sp", "jnp"})
"""What may stand before a function and a point: `np.sin(x1)`."""
_BLANK = re.compile(r"\s*")
_BRACKET = re.compile(r"\s*\(")
_PARTNER = {")": "(", "]": "["}
_INSTEAD = {
    "×": "*",
    "·": "*",
    "⋅": "*",
    "÷": "/",
    "−": "-",
    "–": "-",
    "π": "pi",
    "≤": "<=",
    "≥": ">=",
    "=": "==",
    "≠": "!=",
    "¬": "not",
    "∧": "and",
    "∨": "or",
    "√": "sqrt( )",
}


class Token(NamedTuple):
    """A word of the formula: its kind (number, name, operator, mark), text and position from 0."""

    kind: str
    text: str
    start: int


@dataclass(slots=True)
class Formula:
    """A formula cut into tokens; `closing` and `commas` say where each opening bracket's parts end."""

    text: str
    tokens: list[Token]
    closing: dict[int, int] = field(default_factory=dict)
    commas: dict[int, list[int]] = field(default_factory=dict)

    def error(self, message: str, start: int) -> FormulaError:
        return FormulaError(message, self.text, start + 1)

    def start(self, index: int) -> int:
        """Where the token stands in the text; the end of the text behind the last one."""
        return self.tokens[index].start if index < len(self.tokens) else len(self.text.rstrip())

    def is_mark(self, index: int, mark: str) -> bool:
        if index >= len(self.tokens):
            return False
        token = self.tokens[index]
        return token.kind == "mark" and token.text == mark


def tokenize(text: str) -> Formula:
    """Cuts a formula into tokens; refuses strange characters and unbalanced brackets."""
    if not isinstance(text, str):
        raise CpcbenchError(f"a formula is text, such as 'ln(x1 - x2^2)', not {type(text).__name__}")
    if len(text) > MAX_CHARACTERS:
        raise FormulaError(f"a formula has at most {MAX_CHARACTERS:,} characters, this one has {len(text):,}")
    formula = Formula(text, [])
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            raise _strange(formula, position)
        kind = match.lastgroup or ""
        word = match[kind]
        if kind == "operator" or word in JOINTS:
            formula.tokens.append(Token("operator", _SPELT.get(word, word), match.start(kind)))
        else:
            said = _at_home(formula, word, match.start(kind)) if kind == "name" and "." in word else word
            formula.tokens.append(Token(kind, said, match.start(kind)))
        position = match.end()
    if not formula.tokens:
        raise formula.error("the formula is empty", 0)
    _match_brackets(formula)
    return formula


def _at_home(formula: Formula, word: str, start: int) -> str:
    """A name without the library it is from."""
    *homes, name = word.split(".")
    following = _BRACKET.match(formula.text, start + len(word))
    if not HOMES.issuperset(homes) or not (name == "pi" or following):
        message = f"unknown name {word[:40]!r}: only functions and pi have a library before them"
        raise formula.error(message, start)
    return name


def _strange(formula: Formula, position: int) -> FormulaError:
    blank = _BLANK.match(formula.text, position)
    at = position if blank is None else blank.end()
    character = formula.text[at]
    hint = f": write {_INSTEAD[character]}" if character in _INSTEAD else ""
    return formula.error(f"unexpected character {character!r}{hint}", at)


def _match_brackets(formula: Formula) -> None:
    opened: list[int] = []
    for index, token in enumerate(formula.tokens):
        if token.kind != "mark":
            continue
        if token.text in "([":
            opened.append(index)
            formula.commas[index] = []
        elif token.text == ",":
            if opened:
                formula.commas[opened[-1]].append(index)
        else:
            if not opened or formula.tokens[opened[-1]].text != _PARTNER[token.text]:
                raise formula.error(f"{token.text!r} closes no {_PARTNER[token.text]!r}", token.start)
            formula.closing[opened.pop()] = index
    if opened:
        token = formula.tokens[opened[-1]]
        raise formula.error(f"{token.text!r} is never closed", token.start)
