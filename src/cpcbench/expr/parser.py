"""The safe reader of formulas: text to an expression, nothing evaluated.

The loop of `precedence` reads two kinds of thing: expressions, and the exact whole numbers of sum
bounds and indices. A sum is written out by reading its body once for every value of its index.
"""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import NamedTuple

from cpcbench.errors import CpcbenchError, FormulaError
from cpcbench.expr.functions import SPELLINGS, undefined
from cpcbench.expr.nodes import Expr, node, num, pi, var
from cpcbench.expr.precedence import Loop
from cpcbench.expr.tests import Tree, choose
from cpcbench.expr.tokens import JOINTS, Formula, tokenize
from cpcbench.expr.words import ALIKE, MADE, called, operands

MAX_OPERATIONS = 200_000
MAX_REPEATED_TOKENS = 2_000_000
MAX_SUM_DEPTH = 16
MAX_VARIABLE = 100_000
MAX_WHOLE = 10**15

SUMS = {"sum": ("add", 0), "prod": ("mul", 1)}
RESERVED = frozenset({*SPELLINGS, *SUMS, *JOINTS, "pi", "undefined"})
ELSEWHERE = frozenset({
    "cot", "sec", "csc", "gamma", "lgamma", "sinc", "real", "imag", "conj", "if",
})  # fmt: skip
"""Functions of other languages: for them a name of ours that looks alike would be another function."""

_BINARY = {"+": "add", "-": "sub", "*": "mul", "/": "div", "^": "pow", "**": "pow"}
_COMPARED = {"<": "lt", "<=": "le", ">": "lt", ">=": "le"}
_VARIABLE = re.compile(r"x([0-9]+)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")

Indices = dict[str, int]


class Test(NamedTuple):
    """A test that was read, and its last operand: a < b < c is a < b and b < c."""

    tree: Tree
    last: Expr | None = None


_ONLY_FIRST = "a comparison can only be the first argument of where()"


def parse_formula(text: str, *, n: int | None = None, names: Sequence[str] | None = None) -> Expr:
    """The expression a formula says, exactly as written: `parse_formula("ln(x1 - x2^2)")`.

    `n` is the number of variables (x1 to xn); `names` names them instead. Trouble raises
    `FormulaError` with the column where it starts.
    """
    formula = tokenize(text)
    reader = _Reader(formula, *_variables(n, names))
    return reader.read(0, len(formula.tokens), {}, 0)


def parse_test(text: str, *, n: int | None = None, names: Sequence[str] | None = None) -> Tree:
    """The test that a text such as `x1^2 + x2 <= 1` says; comparisons may be joined by and, or, not."""
    formula = tokenize(text)
    reader = _Reader(formula, *_variables(n, names))
    result = reader.run(0, len(formula.tokens), {}, 0)
    if not isinstance(result, Test):
        raise formula.error("a comparison is needed, such as x1 + x2 <= 1 or x1*x2 == 0.5", formula.start(0))
    return result.tree


def _variables(n: int | None, names: Sequence[str] | None) -> tuple[int | None, dict[str, int] | None]:
    if n is not None and (isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= MAX_VARIABLE):
        raise CpcbenchError(f"the number of variables n is a whole number from 1 to {MAX_VARIABLE}, not {n!r}")
    if names is None:
        return n, None
    if isinstance(names, str):
        raise CpcbenchError(f"names is a list of variable names, such as ['a', 'b'], not the text {names!r}")
    for name in names:
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name in RESERVED:
            raise CpcbenchError(f"{name!r} cannot name a variable: use letters, digits and _, and no function's name")
    table = {name: index for index, name in enumerate(names)}
    if len(table) != len(names) or (n is not None and n != len(names)):
        raise CpcbenchError(f"{n or len(names)} different names are needed, got {list(names)}")
    return len(names), table


class _Reader:
    """One formula being read: its variables and how much has been built so far."""

    def __init__(self, formula: Formula, n: int | None, names: dict[str, int] | None) -> None:
        self.formula, self.n, self.names = formula, n, names
        self.operations = 0
        self.tokens_read = -len(formula.tokens)
        self.constants: dict[str, Expr] = {}

    def read(self, first: int, stop: int, indices: Indices, depth: int) -> Expr:
        result = self.run(first, stop, indices, depth)
        if isinstance(result, Test):
            raise self.formula.error(_ONLY_FIRST, self.formula.start(first))
        return result

    def run(self, first: int, stop: int, indices: Indices, depth: int) -> Expr | Test:
        self.tokens_read += stop - first
        if self.tokens_read > MAX_REPEATED_TOKENS:
            raise self.formula.error("the sums are too long to be written out", self.formula.start(first))
        return Loop(self.formula, first, stop, _Expressions(self, indices, depth)).run()

    def whole(self, first: int, stop: int, indices: Indices) -> int:
        return Loop(self.formula, first, stop, _Wholes(self, indices)).run()

    def build(self, op: str, args: list[Expr], start: int) -> Expr:
        self.count(start)
        return node(op, *args)

    def count(self, start: int, operations: int = 1) -> None:
        self.operations += operations
        if self.operations > MAX_OPERATIONS:
            raise self.formula.error(f"the formula has more than {MAX_OPERATIONS:,} operations", start)

    def constant(self, text: str, start: int) -> Expr:
        if text not in self.constants:
            exponent = text.lower().partition("e")[2]
            if len(text) > 1300 or len(exponent) > 6:
                raise self.formula.error(
                    "a constant has at most 1,200 digits and lies between 4.9e-324 and 1.797e308", start
                )
            try:
                self.constants[text] = num(Decimal(text))
            except CpcbenchError as trouble:
                raise self.formula.error(str(trouble), start) from None
        return self.constants[text]

    def dimension(self, start: int) -> int:
        if self.n is None:
            raise self.formula.error("n is not known: give bounds for all variables", start)
        return self.n

    def variable(self, name: str, start: int) -> Expr | None:
        """The variable of this name; None if it is no variable's name."""
        if self.names is not None:
            return var(self.names[name]) if name in self.names else None
        match = _VARIABLE.fullmatch(name)
        if match is None:
            return None
        digits = match[1].lstrip("0")
        if not digits:
            raise self.formula.error("variables are numbered from 1: write x1", start)
        if len(digits) > 9 or int(digits) > (self.n or MAX_VARIABLE):
            last = f"the variables are x1 to x{self.n}" if self.n else f"variables go up to x{MAX_VARIABLE}"
            raise self.formula.error(f"there is no x{digits[:20]}: {last}", start)
        return var(int(digits) - 1)

    def unknown(self, name: str, indices: Indices, start: int) -> FormulaError:
        known = [
            *indices,
            *(self.names or [f"x{i + 1}" for i in range(min(self.n or 1, 99))]),
            *RESERVED,
            *ALIKE,
            *MADE,
            "n",
        ]
        words = ", ".join(sorted(RESERVED))
        if name.lower() in ELSEWHERE:
            return self.formula.error(f"unknown name {name!r}: it is not in the language, which has {words}", start)
        near = difflib.get_close_matches(name.lower(), sorted(known), 1) if len(name) <= 40 else []
        hint = f"did you mean {near[0]}?" if near else f"known are the variables and {words}"
        return self.formula.error(f"unknown name {name[:40]!r}: {hint}", start)


class _Expressions:
    """The algebra of expressions."""

    def __init__(self, reader: _Reader, indices: Indices, depth: int) -> None:
        self.reader, self.formula = reader, reader.formula
        self.indices, self.depth = indices, depth

    def opens_call(self, index: int) -> bool:
        name = self.formula.tokens[index].text
        wanted = operands(name) if self.formula.is_mark(index + 1, "(") else None
        if wanted is None or name in (self.reader.names or ()):
            return False
        given = len(self.formula.commas[index + 1]) + (self.formula.closing[index + 1] > index + 2)
        self._count(name, given, min(max(given, wanted[0]), wanted[1]), index)
        return True

    def leaf(self, index: int) -> tuple[Expr, int]:
        token = self.formula.tokens[index]
        if token.kind == "number":
            return self.reader.constant(token.text, token.start), index + 1
        if token.text in SUMS and self.formula.is_mark(index + 1, "("):
            return self._sum(index), self.formula.closing[index + 1] + 1
        if token.text == "x" and self.formula.is_mark(index + 1, "["):
            closing = self.formula.closing[index + 1]
            return self._indexed(index, closing), closing + 1
        return self._name(token.text, token.start), index + 1

    def apply(self, symbol: str, args: list[Expr | Test], start: int) -> Expr | Test:
        if symbol == "(":
            return Test(args[0].tree) if isinstance(args[0], Test) else args[0]
        if symbol in _COMPARED or symbol in ("==", "!="):
            return self._compared(symbol, args[0], args[1], start)
        if symbol in JOINTS:
            self.reader.count(start)
            trees = [arg.tree for arg in args if isinstance(arg, Test)]
            if len(trees) < len(args):
                raise self.formula.error(f"{symbol} joins comparisons, such as x1 < 0 and x2 < 0", start)
            return Test((symbol, *trees))
        values = [arg for arg in args if not isinstance(arg, Test)]
        if symbol != "where":
            if len(values) < len(args):
                raise self.formula.error(_ONLY_FIRST, start)
            if symbol in _BINARY or symbol == "neg":
                return self.reader.build(_BINARY.get(symbol, symbol), values, start)
            self.reader.count(start, max(1, len(values) - 1))
            return called(symbol, values)
        if not isinstance(args[0], Test):
            raise self.formula.error("where() takes a comparison first, such as where(x1 < 0, 1, 2)", start)
        if len(values) < 2:
            raise self.formula.error(_ONLY_FIRST, start)
        self.reader.count(start)
        return choose(args[0].tree, *values)

    def _compared(self, symbol: str, a: Expr | Test, b: Expr | Test, start: int) -> Test:
        before, first = (a.tree, a.last) if isinstance(a, Test) else (None, a)
        if first is None or isinstance(b, Test):
            raise self.formula.error(_ONLY_FIRST, start)
        if symbol in _COMPARED:
            sides = [b, first] if symbol.startswith(">") else [first, b]
            tree: Tree = ("is", self.reader.build(_COMPARED[symbol], sides, start))
        else:
            self.reader.count(start)
            tree = ("equal", first, b) if symbol == "==" else ("not", ("equal", first, b))
        return Test(tree if before is None else ("and", before, tree), b)

    def _name(self, name: str, start: int) -> Expr:
        if name in self.indices:
            return num(self.indices[name])
        variable = self.reader.variable(name, start)
        if variable is not None:
            return variable
        if name in ("pi", "undefined"):
            return pi if name == "pi" else undefined
        if name == "n":
            return num(self.reader.dimension(start))
        if name in RESERVED or operands(name):
            raise self.formula.error(f"{name} needs its arguments in brackets: {name}(...)", start)
        if name == "x":
            raise self.formula.error("x needs a number: write x1, or x[i] inside a sum", start)
        raise self.reader.unknown(name, self.indices, start)

    def _indexed(self, index: int, closing: int) -> Expr:
        value = self.reader.whole(index + 2, closing, self.indices)
        start = self.formula.start(index)
        if value < 1:
            raise self.formula.error(f"there is no x[{value}]: variables are numbered from 1", start)
        variable = self.reader.variable(f"x{value}", start)
        if variable is None:
            raise self.reader.unknown(f"x{value}", self.indices, start)
        return variable

    def _sum(self, index: int) -> Expr:
        name, start = self.formula.tokens[index].text, self.formula.start(index)
        commas, closing = self.formula.commas[index + 1], self.formula.closing[index + 1]
        self._count(name, len(commas) + (closing > index + 2), 4, index)
        if self.depth >= MAX_SUM_DEPTH:
            raise self.formula.error(f"sums are nested at most {MAX_SUM_DEPTH} deep", start)
        counter = self._counter(index + 2, commas[0])
        low = self.reader.whole(commas[0] + 1, commas[1], self.indices)
        high = self.reader.whole(commas[1] + 1, commas[2], self.indices)
        if high - low >= MAX_OPERATIONS - self.reader.operations:
            raise self.formula.error(
                f"{name} has too many terms: a formula has at most {MAX_OPERATIONS:,} operations", start
            )
        op, empty = SUMS[name]
        result: Expr | None = None
        for value in range(low, high + 1):
            term = self.reader.read(commas[2] + 1, closing, {**self.indices, counter: value}, self.depth + 1)
            result = term if result is None else self.reader.build(op, [result, term], start)
        return num(empty) if result is None else result

    def _counter(self, first: int, stop: int) -> str:
        token = self.formula.tokens[first]
        if token.kind != "name" or stop != first + 1:
            raise self.formula.error("a sum starts with the name of its index: sum(i, 1, n, ...)", token.start)
        taken = token.text in RESERVED or token.text in ("n", "x") or token.text in self.indices
        if taken or token.text in (self.reader.names or {}) or _VARIABLE.fullmatch(token.text):
            raise self.formula.error(f"{token.text!r} already means something: choose another index", token.start)
        return token.text

    def _count(self, name: str, given: int, needed: int, index: int) -> None:
        if given != needed:
            shown = {"sum": " (index, from, to, term)", "prod": " (index, from, to, factor)"}.get(name, "")
            plural = "" if needed == 1 else "s"
            start = self.formula.start(index)
            raise self.formula.error(f"{name} takes {needed} argument{plural}{shown}, not {given}", start)


class _Wholes:
    """The algebra of sum bounds and indices: exact whole numbers."""

    def __init__(self, reader: _Reader, indices: Indices) -> None:
        self.reader, self.formula, self.indices = reader, reader.formula, indices

    def opens_call(self, index: int) -> bool:  # noqa: ARG002 (no functions among whole numbers)
        return False

    def leaf(self, index: int) -> tuple[int, int]:
        token = self.formula.tokens[index]
        if token.text in self.indices:
            return self.indices[token.text], index + 1
        if token.text == "n" and "n" not in (self.reader.names or {}):
            return self.reader.dimension(token.start), index + 1
        if token.kind == "number" and token.text.isdigit() and len(token.text) <= 15:
            return int(token.text), index + 1
        raise self.formula.error(
            f"bounds and indices are made of whole numbers, n and the indices of sums, not {token.text[:40]!r}",
            token.start,
        )

    def apply(self, symbol: str, args: list[int], start: int) -> int:
        a, b = args[0], args[-1]
        if symbol == "(":
            return a
        result = _WHOLE[symbol](a, b) if symbol in _WHOLE else None
        if result is None:
            raise self.formula.error(f"{a} {symbol} {b} is not a whole number within {MAX_WHOLE:,}", start)
        if abs(result) > MAX_WHOLE:
            raise self.formula.error(f"bounds and indices stay within {MAX_WHOLE:,}", start)
        return result


def _power(a: int, b: int) -> int | None:
    return int(a**b) if 0 <= b <= 64 else None


_WHOLE: dict[str, Callable[[int, int], int | None]] = {
    "neg": lambda a, _: -a,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda a, b: a // b if b and a % b == 0 else None,
    "^": _power,
    "**": _power,
}
