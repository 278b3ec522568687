"""Operator precedence with explicit stacks: brackets may nest as deep as they like.

What the operators mean is a matter of the `Algebra`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, NoReturn, Protocol, TypeVar

from cpcbench.expr.tokens import Formula

LEVEL = {
    "or": 0, "and": 1, "not": 2, "<": 3, "<=": 3, ">": 3, ">=": 3, "==": 3, "!=": 3,
    "+": 4, "-": 4, "*": 5, "/": 5, "neg": 6, "^": 7, "**": 7,
}  # fmt: skip

_PREFIX = {"-": "neg", "not": "not"}

T = TypeVar("T")


class Algebra(Protocol[T]):
    """What the operators mean: expressions are built, whole numbers are computed."""

    def leaf(self, index: int) -> tuple[T, int]:
        """The value that starts at this token, and the token behind it."""

    def opens_call(self, index: int) -> bool:
        """Whether the name at this token is a function whose arguments the loop should read."""

    def apply(self, symbol: str, args: list[T], start: int) -> T:
        """The operator or function on its arguments; "(" for what was in brackets."""


@dataclass(slots=True)
class _Pending:
    """An operator, bracket or call that waits for what follows it."""

    symbol: str
    level: int
    start: int
    values_below: int


class Loop(Generic[T]):
    """Reads the tokens from `first` up to `stop` by operator precedence."""

    def __init__(self, formula: Formula, first: int, stop: int, algebra: Algebra[T]) -> None:
        self.formula, self.algebra = formula, algebra
        self.index, self.stop = first, stop
        self.values: list[T] = []
        self.pending: list[_Pending] = []

    def run(self) -> T:
        expecting = True
        while self.index < self.stop:
            expecting = self._value() if expecting else self._after_value()
        if expecting:
            self._missing_value()
        self._reduce(0, right=False)
        return self.values[0]

    def _push(self, symbol: str, level: int, start: int) -> None:
        self.pending.append(_Pending(symbol, level, start, len(self.values)))

    def _value(self) -> bool:
        """Reads up to and including a value; says whether a value is still expected."""
        token = self.formula.tokens[self.index]
        if token.kind == "operator" and token.text in _PREFIX:
            self._push(_PREFIX[token.text], LEVEL[_PREFIX[token.text]], token.start)
        elif token.text == "(":
            self._push("(", -1, token.start)
        elif token.kind == "name" and self.algebra.opens_call(self.index):
            self._push(token.text, -1, token.start)
            self.index += 1
        elif token.kind in ("number", "name"):
            value, self.index = self.algebra.leaf(self.index)
            self.values.append(value)
            return False
        elif token.text != "+":
            self._missing_value()
        self.index += 1
        return True

    def _after_value(self) -> bool:
        token = self.formula.tokens[self.index]
        if token.kind == "operator" and token.text != "not":
            level = LEVEL[token.text]
            self._reduce(level, right=token.text in ("^", "**"))
            self._push(token.text, level, token.start)
        elif token.text == ",":
            self._reduce(0, right=False)
            if not self.pending or self.pending[-1].symbol == "(":
                raise self.formula.error(
                    "unexpected ',': decimals have a point, and only functions take several values", token.start
                )
        elif token.text == ")":
            self._close()
        else:
            self._missing_operator()
        self.index += 1
        return token.text != ")"

    def _reduce(self, level: int, *, right: bool) -> None:
        """Applies the waiting operators that bind at least as tightly (more tightly, for powers)."""
        while self.pending and (self.pending[-1].level > level or (self.pending[-1].level == level and not right)):
            operator = self.pending.pop()
            count = 1 if operator.symbol in ("neg", "not") else 2
            args = self.values[-count:]
            del self.values[-count:]
            self.values.append(self.algebra.apply(operator.symbol, args, operator.start))

    def _close(self) -> None:
        self._reduce(0, right=False)
        opening = self.pending.pop()
        args = self.values[opening.values_below :]
        del self.values[opening.values_below :]
        self.values.append(self.algebra.apply(opening.symbol, args, opening.start))

    def _missing_value(self) -> NoReturn:
        if self.index >= self.stop:
            raise self.formula.error("a value is missing at the end", self.formula.start(self.stop))
        token = self.formula.tokens[self.index]
        if token.text == "[":
            raise self.formula.error("only x has an index in square brackets: x[1]", token.start)
        raise self.formula.error(f"a value is missing before {token.text!r}", token.start)

    def _missing_operator(self) -> NoReturn:
        before, token = self.formula.tokens[self.index - 1], self.formula.tokens[self.index]
        if token.text == "[":
            raise self.formula.error("only x has an index in square brackets: x[1]", token.start)
        hint = f"write {before.text[-20:]}*{token.text[:20]} to multiply"
        raise self.formula.error(f"an operator is missing before {token.text[:20]!r}: {hint}", token.start)
