"""Minibex, the language of Ibex's models (.mbx, and .bch of its benchmarks): translated, then read as formulas are.

Read are constants, variables and vectors of them with their boxes, one objective, constraints with <=, >=, <, > and =,
sums, loops over constraints and whole indices. Functions of the model's own, matrices and intervals inside formulas are
refused by name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import NamedTuple

from cpcbench.entrance.models.model import MOST_VARIABLES, Model, Variable
from cpcbench.errors import CpcbenchError, FormulaError, shortened
from cpcbench.expr.nodes import Expr, node
from cpcbench.expr.parser import parse_formula
from cpcbench.readings.domain.constraints import Statement

TOKEN = re.compile(
    r"(?P<number>\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|(?P<word>[A-Za-z_]\w*)|(?P<sign><=|>=|[-+*/^()\[\]<>=,;:])"
    r"|(?P<rest>\S)",
    re.ASCII,
)
WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)

SECTIONS = {"constants", "variables", "parameters", "minimize", "constraints", "function", "subject", "end"}
REFUSED = {"function": "functions of its own", "parameters": "parameters"}
INFINITE = {"oo", "inf", "infinity"}

MOST_TOKENS = 2_000_000
"""After sums and loops were written out."""

MOST_DEPTH = 50
"""Sums, loops and squares within each other."""

Tokens = list[str]
Scope = dict[str, Tokens]
"""What words stand for: constants, and the indices of sums and loops."""


class Vector(NamedTuple):
    first: int
    size: int


def read_minibex(text: str, name: str) -> Model:
    """The model that a Minibex text states."""
    return _Reader(text, name).model


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self._name = name
        plain = COMMENT.sub(" ", text)
        self._tokens: Tokens = []
        for found in TOKEN.finditer(plain):
            if found.lastgroup == "rest":
                raise self._wrong(f"{found.group()!r} is no sign of the language")
            self._tokens.append(found.group())
        self._at, self._written, self._depth = 0, 0, 0
        self._scope: Scope = {}
        self._vectors: dict[str, Vector | None] = {}
        self._places: dict[str, int] = {}
        self._variables: list[Variable] = []
        self._objectives: list[Expr] = []
        self._limits: list[Statement] = []
        self._sections()
        self.model = Model(name, self._variables, [(one, False) for one in self._objectives], self._limits)

    def _sections(self) -> None:
        readers: dict[str, Callable[[], None]] = {
            "constants": self._constant, "variables": self._variable, "constraints": lambda: self._constraint({})
        }  # fmt: skip
        while self._at < len(self._tokens):
            section = self._next().lower()
            if section in REFUSED:
                raise self._wrong(f"{REFUSED[section]} cannot be read")
            if section == "minimize":
                self._objectives.append(self._formula(self._until(";"), {}))
            elif section == "subject":
                self._expect("to")
                self._many(readers["constraints"])
            elif section in readers:
                self._many(readers[section])
            elif section != "end":
                raise self._wrong(
                    f"{shortened(section)!r} begins no section: constants, variables, minimize, constraints"
                )

    def _many(self, one: Callable[[], None]) -> None:
        while self._at < len(self._tokens) and self._tokens[self._at].lower() not in SECTIONS:
            one()

    def _constant(self) -> None:
        name = self._new_name()
        sign = self._next()
        if sign != "=":
            raise self._wrong(f"the constant {name} is an interval, which cannot be read: name = number is needed")
        self._scope[name] = ["(", *self._spread(self._until(";"), {}), ")"]

    def _variable(self) -> None:
        """a, b[3] in [0, 1], c;"""
        names: list[tuple[str, int | None]] = []
        low, high = -math.inf, math.inf
        while True:
            name = self._new_name()
            size = None
            if self._peek() == "[":
                self._next()
                size = self._index(self._until("]"), {})
                if self._peek() == "[":
                    raise self._wrong(f"{name} is a matrix, which cannot be read")
            names.append((name, size))
            sign = self._next()
            if sign.lower() == "in":
                self._expect("[")
                low, high = self._end(self._until(",")), self._end(self._until("]"))
                sign = self._next()
                for item in names:
                    self._declare(*item, low, high)
                names, low, high = [], -math.inf, math.inf
            if sign == ";":
                break
            if sign != ",":
                raise self._wrong(f"after the variable {name} comes {shortened(sign)!r}, and not , or ; or in")
        for item in names:
            self._declare(*item, low, high)

    def _declare(self, name: str, size: int | None, low: float, high: float) -> None:
        if name in self._vectors:
            raise self._wrong(f"{name} is there twice")
        count = 1 if size is None else size
        if count < 1 or len(self._variables) + count > MOST_VARIABLES:
            raise self._wrong(f"{name} has {count} components: from 1 on, {MOST_VARIABLES:,} variables in all")
        self._vectors[name] = None if size is None else Vector(len(self._variables), count)
        self._places[name] = len(self._variables)
        for i in range(count):
            self._variables.append(Variable(name if size is None else f"{name}_{i + 1}", low, high))

    def _constraint(self, scope: Scope) -> None:
        if self._peek().lower() == "for":
            self._next()
            index, first, last = self._loop(scope, ";")
            begin = self._at
            for value in range(first, last + 1):
                self._at = begin
                self._count(1, len(scope))
                while self._peek().lower() != "end":
                    self._constraint({**scope, index: [str(value)]})
            self._expect("end")
            if self._at < len(self._tokens) and self._peek() == ";":
                self._next()
            return
        tokens = self._until(";", "end")
        signs = [i for i, piece in enumerate(tokens) if piece in ("<=", ">=", "<", ">", "=")]
        if len(signs) != 1:
            raise self._wrong("a constraint is one comparison of two formulas")
        [place] = signs
        left, right = self._formula(tokens[:place], scope), self._formula(tokens[place + 1 :], scope)
        sign = tokens[place]
        sides = (right, left) if sign[0] == ">" else (left, right)
        tree = ("equal", *sides) if sign == "=" else ("is", node("le" if len(sign) == 2 else "lt", *sides))
        self._limits.append(Statement(tree, " ".join(tokens) if not scope else None))

    def _loop(self, scope: Scope, end: str) -> tuple[str, int, int]:
        """i = 1:3, and what comes after it."""
        index = self._next()
        self._expect("=")
        return index, self._index(self._until(":"), scope), self._index(self._until(end), scope)

    def _formula(self, tokens: Tokens, scope: Scope) -> Expr:
        text = " ".join(self._spread(tokens, scope))
        names = [variable.name for variable in self._variables]
        try:
            return parse_formula(text, n=len(names))
        except FormulaError as error:
            raise self._wrong(f"{shortened(' '.join(tokens))!r}: {error.message}") from None

    def _spread(self, tokens: Tokens, scope: Scope) -> Tokens:
        """The tokens in our own words: constants and indices put in, sums written out, sqr(a) as (a)^2."""
        made: Tokens = []
        self._depth += 1
        self._count(0, self._depth)
        inner = _Stream(tokens, self._wrong)
        while not inner.done:
            piece = inner.next()
            known = scope.get(piece) or self._scope.get(piece)
            if piece in self._vectors:
                made.append(f"x{self._place(piece, inner, scope) + 1}")
            elif known is not None:
                made += known
            elif piece == "sum":
                inner.expect("(")
                index, equals = inner.next(), inner.next()
                first, last = self._index(inner.until(":"), scope), self._index(inner.until(","), scope)
                body = inner.until(")")
                if equals != "=" or last - first > MOST_VARIABLES:
                    raise self._wrong("a sum is written as sum(i=1:3, x[i])")
                parts = [["(", *self._spread(body, {**scope, index: [str(i)]}), ")"] for i in range(first, last + 1)]
                made += ["(", *(t for i, part in enumerate(parts or [["0"]]) for t in (["+"] * (i > 0) + part)), ")"]
            elif piece == "sqr":
                inner.expect("(")
                made += ["(", "(", *self._spread(inner.until(")"), scope), ")", "^", "2", ")"]
            elif piece == "[":
                raise self._wrong("intervals inside of formulas cannot be read")
            elif WORD.fullmatch(piece) and inner.peek != "(" and piece != "pi":
                raise self._wrong(f"{shortened(piece)} is no variable and no constant of it")
            else:
                made.append(piece)
            self._count(0, 0, len(made))
        self._count(len(made))
        self._depth -= 1
        return made

    def _count(self, written: int, depth: int = 0, more: int = 0) -> None:
        """Keeps to the limits: a short text can stand for a very long one."""
        self._written += written
        if self._written + more > MOST_TOKENS or depth > MOST_DEPTH:
            raise self._wrong("it is too large, its sums and loops written out")

    def _place(self, name: str, inner: _Stream, scope: Scope) -> int:
        vector = self._vectors[name]
        if vector is None:
            return self._places[name]
        if inner.done or inner.next() != "[":
            raise self._wrong(f"the vector {name} stands without an index: {name}[1] is needed")
        i = self._index(inner.until("]"), scope)
        if not 1 <= i <= vector.size:
            raise self._wrong(f"{name}[{i}] is outside of {name}[1] to {name}[{vector.size}]")
        return vector.first + i - 1

    def _index(self, tokens: Tokens, scope: Scope) -> int:
        value = self._value(tokens, scope)
        if value != math.floor(value) or abs(value) > MOST_VARIABLES:
            raise self._wrong(f"{' '.join(tokens)} is no whole number")
        return int(value)

    def _end(self, tokens: Tokens) -> float:
        """An end of an interval, which may be infinite."""
        sign = -1.0 if tokens[:1] == ["-"] else 1.0
        if tokens[-1:] and tokens[-1].lower() in INFINITE and len(tokens) <= 2:
            return sign * math.inf
        return self._value(tokens, {})

    def _value(self, tokens: Tokens, scope: Scope) -> float:
        from cpcbench.readings.reals.reference import constant_values

        text = " ".join(self._spread(tokens, scope))
        try:
            made = parse_formula(text, n=max(1, len(self._variables)))
            value = constant_values(made)[id(made)]
        except (FormulaError, KeyError):
            value = math.nan
        if not math.isfinite(value):
            raise self._wrong(f"{shortened(' '.join(tokens))!r} is no number")
        return value

    def _new_name(self) -> str:
        name = self._next()
        if not name[0].isalpha() and name[0] != "_":
            raise self._wrong(f"a name is needed, not {shortened(name)!r}")
        if name in self._vectors or name in self._scope:
            raise self._wrong(f"{name} is there twice")
        return name

    def _until(self, *ends: str) -> Tokens:
        stream = _Stream(self._tokens, self._wrong, self._at)
        found = stream.until(*ends)
        self._at = stream.at - (1 if self._tokens[stream.at - 1].lower() == "end" else 0)
        return found

    def _peek(self) -> str:
        if self._at >= len(self._tokens):
            raise self._wrong("the text ends where more is needed")
        return self._tokens[self._at]

    def _next(self) -> str:
        piece = self._peek()
        self._at += 1
        return piece

    def _expect(self, wanted: str) -> None:
        found = self._next()
        if found.lower() != wanted:
            raise self._wrong(f"{wanted!r} is needed, not {shortened(found)!r}")

    def _wrong(self, words: str) -> CpcbenchError:
        return CpcbenchError(f"{self._name}: {words}")


class _Stream:
    """Tokens one after the other; `until` takes those before a sign that stands outside of all brackets."""

    def __init__(self, tokens: Tokens, wrong: Callable[[str], CpcbenchError], at: int = 0) -> None:
        self._tokens, self._wrong, self.at = tokens, wrong, at

    @property
    def done(self) -> bool:
        return self.at >= len(self._tokens)

    @property
    def peek(self) -> str:
        return "" if self.done else self._tokens[self.at]

    def next(self) -> str:
        if self.done:
            raise self._wrong("a formula ends where more is needed")
        self.at += 1
        return self._tokens[self.at - 1]

    def expect(self, wanted: str) -> None:
        if (found := self.next()) != wanted:
            raise self._wrong(f"{wanted!r} is needed, not {shortened(found)!r}")

    def until(self, *ends: str) -> Tokens:
        begin, depth = self.at, 0
        while True:
            piece = self.next()
            if depth == 0 and piece.lower() in ends:
                return self._tokens[begin : self.at - 1]
            depth += (piece in ("(", "[")) - (piece in (")", "]"))
