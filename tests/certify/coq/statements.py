"""A statement in Coq's notation, read back: hypotheses and conclusion at a point, with Arb's balls; and terms."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import flint

WORDS = re.compile(r"\\/|/\\|<>|<=|[<=()^*/+,-]|\d+|[A-Za-z]\w*")
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sqrt": lambda a: a.sqrt(),
    "ln": lambda a: a.log(),
    "exp": lambda a: a.exp(),
    "sin": lambda a: a.sin(),
    "cos": lambda a: a.cos(),
    "asin": lambda a: a.asin(),
    "Rabs": abs,
}


def power(a: Any, b: Any) -> Any:
    """As formal/Language.v says; a base that is exactly 0 is seen."""
    if a == 0:
        return flint.arb(1 if b == 0 else 0)
    return (b * a.log()).exp()


class Statement:
    """The text between `forall x1 x2 : R,` and `Proof.`, taken apart at its arrows."""

    def __init__(self, text: str, name: str = "lower_bound") -> None:
        stated = text.partition(f"Theorem {name} : ")[2].partition(".\nProof.")[0]
        head, _, body = stated.partition(" : R,\n")
        self.names = head.split()[1:]
        *self.hypotheses, self.conclusion = [part.strip() for part in body.split("->\n")]

    def holds(self, part: str, x: Sequence[Fraction]) -> bool:
        """Whether a hypothesis surely holds at a point."""
        return self._read(part, x).either()

    def value(self, x: Sequence[Fraction]) -> tuple[Any, Any]:
        """The two sides of the conclusion."""
        bound, _, formula = self.conclusion.partition(" <= ")
        return self._read(bound, x).sum(), self._read(formula, x).sum()

    def _read(self, part: str, x: Sequence[Fraction]) -> _Reader:
        named = {name: flint.arb(flint.fmpq(v.numerator, v.denominator)) for name, v in zip(self.names, x, strict=True)}
        return _Reader(WORDS.findall(part), named)


class _Reader:
    """Recursive descent: or, and, comparisons (in chains), sums, products, signs, powers, calls."""

    def __init__(self, words: list[str], named: dict[str, Any]) -> None:
        self.words, self.named = words, named

    def next_is(self, *expected: str) -> str | None:
        return self.words.pop(0) if self.words and self.words[0] in expected else None

    def either(self) -> bool:
        found = self.both()
        while self.next_is("\\/"):
            found = self.both() or found
        return found

    def both(self) -> bool:
        found = self.compared()
        while self.next_is("/\\"):
            found = self.compared() and found
        return found

    def compared(self) -> bool:
        if self.words[0] == "(" and self._is_proposition():
            self.words.pop(0)
            found = self.either()
            self.words.pop(0)
            return found
        left, found = self.sum(), True
        while sign := self.next_is("<=", "<", "=", "<>"):
            right = self.sum()
            test = {"<=": left <= right, "<": left < right, "=": left == right, "<>": left < right or left > right}
            found, left = found and bool(test[sign]), right
        return found

    def _is_proposition(self) -> bool:
        """Whether what the first parenthesis holds is a comparison, at its own level."""
        depth = 0
        for word in self.words:
            depth += (word == "(") - (word == ")")
            if depth == 0:
                return False
            if depth == 1 and word in ("<=", "<", "=", "<>", "/\\", "\\/"):
                return True
        raise ValueError("a parenthesis is open")

    def sum(self) -> Any:
        found = self.product()
        while sign := self.next_is("+", "-"):
            other = self.product()
            found = found + other if sign == "+" else found - other
        return found

    def product(self) -> Any:
        found = self.signed()
        while sign := self.next_is("*", "/"):
            other = self.signed()
            found = found * other if sign == "*" else found / other
        return found

    def signed(self) -> Any:
        return -self.signed() if self.next_is("-") else self.raised()

    def raised(self) -> Any:
        base = self.atom()
        return base ** int(self.words.pop(0)) if self.next_is("^") else base

    def atom(self) -> Any:
        word = self.words.pop(0)
        if word == "(":
            found = self.sum()
            assert self.words.pop(0) == ")"
            return found
        if word in FUNCTIONS:
            return FUNCTIONS[word](self.atom())
        if word == "power":
            base = self.atom()
            return power(base, self.atom())
        if word == "PI":
            return flint.arb.pi()
        return flint.arb(int(word)) if word.isdigit() else self.named[word]


def read_term(text: str) -> Any:
    """A term of the language in formal/Language.v, as nested lists."""
    words = iter(re.findall(r"\(|\)|[^\s()]+", re.sub(r"\(\((-?\d+)\)%Z, (\d+)%positive\)", r"\1/\2", text)))

    def part(word: str) -> Any:
        return word if word != "(" else list(rest())

    def rest() -> Iterator[Any]:
        for word in words:
            if word == ")":
                return
            yield part(word)

    return part(next(words))


def term_value(term: Any, x: list[float]) -> float:
    """What formal/Language.v says that a term is, in doubles."""
    if term == "Pi":
        return math.pi
    name, *args = term
    if name == "Var":
        return x[int(args[0])]
    if name == "Num":
        return float(Fraction(args[0]))
    if name == "Whole":
        return float(term_value(args[0], x) ** int(args[1]))
    named: dict[str, Callable[..., float]] = {
        "Neg": operator.neg, "Abs": abs, "Sqrt": math.sqrt, "Ln": math.log, "Exp": math.exp, "Sin": math.sin,
        "Cos": math.cos, "Arcsin": math.asin, "Add": operator.add, "Sub": operator.sub, "Mul": operator.mul,
        "Div": operator.truediv, "Power": operator.pow,
    }  # fmt: skip
    return float(named[name](*(term_value(arg, x) for arg in args)))
