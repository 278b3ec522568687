"""AMPL's .nl files, the text form, which AMPL, Pyomo, JuMP and others write for solvers.

The format is read here, and not by a solver's library: nothing needs to be installed, what is not known is refused by
name, and the operations stay in the order in which they are written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from functools import reduce

from cpcbench.entrance.models.model import MOST_OPERATIONS, MOST_VARIABLES, Model, Variable
from cpcbench.errors import CpcbenchError, shortened
from cpcbench.expr.nodes import Expr, num, pi, var
from cpcbench.expr.tests import Tree, choose, compared, joined, opposite
from cpcbench.expr.words import word
from cpcbench.readings.domain.constraints import between

Part = Expr | Tree
"""A number, or a test, of an expression."""

UNARY = {13: "floor", 14: "ceil", 15: "abs", 37: "tanh", 38: "tan", 39: "sqrt", 40: "sinh", 41: "sin", 42: "log10",
         43: "log", 44: "exp", 45: "cosh", 46: "cos", 47: "atanh", 49: "atan", 50: "asinh", 51: "asin", 52: "acosh",
         53: "acos", 58: "trunc"}  # fmt: skip
BINARY = {0: "add", 1: "subtract", 2: "multiply", 3: "true_divide", 4: "fmod", 5: "power", 48: "arctan2", 75: "power",
          77: "power"}  # fmt: skip
COMPARISONS = {22: "less", 23: "less_equal", 24: "equal", 28: "greater_equal", 29: "greater", 30: "not_equal"}
LISTS = {11: "minimum", 12: "maximum", 54: "add"}


def _made(name: str) -> Callable[..., Expr]:
    found = word(name)
    if found is None:
        raise CpcbenchError(f"{name} is not in the language")
    return found


def _fold(name: str) -> Callable[..., Expr]:
    return lambda *parts: reduce(_made(name), parts)


def _join(kind: str) -> Callable[..., Tree]:
    return lambda a, b: joined(kind, a, b)  # type: ignore[return-value]


def _compare(name: str) -> Callable[..., Tree]:
    return lambda a, b: compared(name, a, b)


OPERATORS: dict[int, tuple[int, Callable[..., Part]]] = {
    **{code: (1, _made(name)) for code, name in UNARY.items()},
    **{code: (2, _made(name)) for code, name in BINARY.items()},
    **{code: (2, _compare(name)) for code, name in COMPARISONS.items()},
    6: (2, lambda a, b: _made("maximum")(a - b, num(0))),
    16: (1, lambda a: -a),
    20: (2, _join("or")),
    21: (2, _join("and")),
    34: (1, opposite),  # type: ignore[dict-item]
    35: (3, choose),
    55: (2, lambda a, b: _made("trunc")(a / b)),
    76: (1, lambda a: a ** num(2)),
}
"""By the format's numbers: how many operands, and what is made of them."""

TESTS = {20: "tt", 21: "tt", 34: "t", 35: "tnn"}
"""Where operands are tests (t) and not numbers."""


def read_nl(text: str, name: str, names: list[str] | None = None) -> Model:
    """The model that the text of a .nl file states; `names` are its variables', from the .col file."""
    return _Reader(text, name, names).model


class _Reader:
    def __init__(self, text: str, name: str, names: list[str] | None) -> None:
        self._lines = iter(enumerate(text.splitlines(), start=1))
        self._at, self._name = 0, name
        self._operations = 0
        self._shared: dict[int, Expr] = {}
        self._read(names)

    def _read(self, names: list[str] | None) -> None:
        header = [self._line() for _ in range(10)]
        if not header[0].startswith("g"):
            raise self._wrong("it does not begin with g: binary .nl files cannot be read, write it as text (option g)")
        counts = [[self._whole(part) for part in line.split()] for line in header[1:]]
        n, constraints, objectives = (counts[0] + [0, 0, 0])[:3]
        if not 1 <= n <= MOST_VARIABLES or not 0 <= constraints <= MOST_OPERATIONS or objectives > MOST_OPERATIONS:
            raise self._wrong(f"{n} variables, {constraints} constraints and {objectives} objectives cannot be read")
        if len(counts[0]) > 5 and counts[0][5]:
            raise self._wrong("it has logical constraints, which cannot be read")
        if any(counts[2]):
            raise self._wrong("it has network constraints, which cannot be read")
        if len(counts[4]) > 1 and counts[4][1]:
            raise self._wrong("it has functions of its own, which cannot be read")
        self._n, self._discrete, self._kinds = n, (counts[5] + [0] * 5)[:5], (counts[3] + [0] * 3)[:3]
        self._bodies: dict[int, Expr] = {}
        self._linear: dict[int, list[tuple[float, int]]] = {}
        self._goals: dict[int, tuple[Expr, bool]] = {}
        self._goal_terms: dict[int, list[tuple[float, int]]] = {}
        self._ranges = [(-math.inf, math.inf)] * constraints
        self._bounds = [(-math.inf, math.inf)] * n
        for line in self._rest():
            self._segment(line)
        if len(self._goals.keys() | self._goal_terms.keys()) > objectives:
            raise self._wrong("it has more objectives than it says")
        self.model = Model(self._name, self._variables(names))
        for i in range(objectives):
            goal, maximised = self._goals.get(i, (num(0), False))
            self.model.objectives.append((self._with_terms(goal, self._goal_terms.get(i, [])), maximised))
        for i, (low, high) in enumerate(self._ranges):
            body = self._with_terms(self._bodies.get(i, num(0)), self._linear.get(i, []))
            self.model.constraints += between(low, body, high)

    def _segment(self, line: str) -> None:
        kind, rest = line[0], line[1:].split()
        number = self._whole(rest[0]) if rest and kind not in "br" else 0
        if kind == "C":
            self._bodies[number] = self._expression()
        elif kind == "O":
            self._goals[number] = self._expression(), bool(self._whole(rest[1])) if len(rest) > 1 else False
        elif kind == "V":
            terms = self._terms(self._whole(rest[1]))
            self._shared[number] = self._with_terms(self._expression(), terms, after=False)
        elif kind == "J":
            self._linear[number] = self._terms(self._whole(rest[1]))
        elif kind == "G":
            self._goal_terms[number] = self._terms(self._whole(rest[1]))
        elif kind == "r":
            self._ranges = [self._range() for _ in self._ranges]
        elif kind == "b":
            self._bounds = [self._range() for _ in self._bounds]
        elif kind in "dxk":
            self._skip(number)
        elif kind == "S":
            self._skip(self._whole(rest[1]))
        else:
            raise self._wrong(f"segments {kind} cannot be read")

    def _variables(self, names: list[str] | None) -> list[Variable]:
        """Whole numbers come last among those that are nonlinear in both, in constraints, in objectives, and linear."""
        constraints, objectives, both = self._kinds
        binary, integer, in_both, in_constraints, in_objectives = self._discrete
        ends = [both, constraints, max(constraints, objectives), self._n]
        whole: set[int] = set()
        for end, count in zip(ends, (in_both, in_constraints, in_objectives, binary + integer), strict=True):
            whole.update(range(end - count, end))
        called = names if names is not None and len(names) == self._n else [f"x{i + 1}" for i in range(self._n)]
        return [Variable(called[i], *self._bounds[i], i in whole) for i in range(self._n)]

    def _expression(self) -> Expr:
        """The expression that begins on the next line: operators before their operands."""
        waiting: list[tuple[int, int, list[Part]]] = []
        while True:
            line = self._line()
            self._operations += 1
            if self._operations > MOST_OPERATIONS:
                raise self._wrong(f"more than {MOST_OPERATIONS:,} operations cannot be read")
            kind, rest = line[:1], line[1:]
            if kind == "o":
                waiting.append((code := self._whole(rest), self._operands(code), []))
                continue
            value: Part = self._leaf(kind, rest, line)
            while waiting:
                code, count, parts = waiting[-1]
                expected = TESTS.get(code, "n" * count)[len(parts)]
                if (expected == "t") != isinstance(value, tuple):
                    raise self._wrong("a test stands where a number is needed, or a number where a test is")
                parts.append(value)
                if len(parts) < count:
                    break
                waiting.pop()
                value = _fold(LISTS[code])(*parts) if code in LISTS else OPERATORS[code][1](*parts)
            else:
                if isinstance(value, tuple):
                    raise self._wrong("a test stands where a number is needed")
                return value

    def _operands(self, code: int) -> int:
        if code in LISTS:
            count = self._whole(self._line())
            if not 1 <= count <= MOST_OPERATIONS:
                raise self._wrong(f"a list of {count} operands cannot be read")
            return count
        if code not in OPERATORS:
            raise self._wrong(f"operator o{code} cannot be read")
        return OPERATORS[code][0]

    def _leaf(self, kind: str, rest: str, line: str) -> Expr:
        if kind in ("n", "s", "l"):
            return self._exact(rest)
        if kind == "v":
            i = self._whole(rest)
            if i < self._n:
                return var(i)
            if i in self._shared:
                return self._shared[i]
        raise self._wrong(f"{shortened(line)!r} is no part of an expression that can be read")

    def _terms(self, count: int) -> list[tuple[float, int]]:
        found = []
        for _ in range(self._counted(count)):
            place, coefficient = self._pair()
            i = self._whole(place)
            if i >= self._n:
                raise self._wrong(f"there is no variable {i}")
            found.append((self._number(coefficient), i))
        return found

    def _with_terms(self, body: Expr, terms: list[tuple[float, int]], after: bool = True) -> Expr:
        parts = [(a < 0.0, var(i) if abs(a) == 1.0 else num(abs(a)) * var(i)) for a, i in terms if a != 0.0]
        if not parts or body is not num(0):
            parts = [(False, body), *parts] if after else [*parts, (False, body)]
        (negative, first), *rest = parts
        made = -first if negative else first
        for negative, part in rest:
            made = made - part if negative else made + part
        return made

    def _range(self) -> tuple[float, float]:
        kind, *ends = self._line().split()
        numbers = [self._number(end) for end in ends[:2]]
        if len(numbers) != {"0": 2, "1": 1, "2": 1, "3": 0, "4": 1}.get(kind, -1):
            raise self._wrong(f"bounds of the kind {kind} cannot be read")
        if kind in ("0", "4"):
            return numbers[0], numbers[-1]
        return (
            (-math.inf, numbers[0]) if kind == "1" else (numbers[0], math.inf) if kind == "2" else (-math.inf, math.inf)
        )

    def _skip(self, count: int) -> None:
        for _ in range(self._counted(count)):
            self._line()

    def _counted(self, count: int) -> int:
        if not 0 <= count <= MOST_OPERATIONS:
            raise self._wrong(f"{count} entries cannot be read")
        return count

    def _pair(self) -> list[str]:
        found = self._line().split()
        if len(found) != 2:
            raise self._wrong("a place and a number are needed here")
        return found

    def _exact(self, text: str) -> Expr:
        """As the decimal that is written; the double nearest to pi is pi, which has no name there."""
        number = self._number(text)
        if abs(number) == math.pi:
            return pi if number > 0.0 else -pi
        try:
            return num(Decimal(text))
        except (InvalidOperation, CpcbenchError):
            return num(number)

    def _number(self, text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise self._wrong(f"{shortened(text)!r} is no finite number")
        return number

    def _whole(self, text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise self._wrong(f"{shortened(text)!r} is no whole number from 0 on")
        return int(text)

    def _rest(self) -> Iterator[str]:
        while (line := next(self._lines, None)) is not None:
            self._at = line[0]
            if text := line[1].partition("#")[0].strip():
                yield text

    def _line(self) -> str:
        self._at, line = next(self._lines, (self._at, ""))
        text = line.partition("#")[0].strip()
        if not text:
            raise self._wrong("the file ends, or has an empty line, where more is needed")
        return text

    def _wrong(self, words: str) -> CpcbenchError:
        return CpcbenchError(f"{self._name}, line {self._at}: {words}")
