"""One printer for every language: a language is a table of forms, the printer decides on brackets.

Levels say how tightly a form holds together; a value stands without brackets where its level is at
least what the place asks for. Nothing recurses, and the length is known before a character is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, TypeAlias, Union

from cpcbench.errors import CpcbenchError
from cpcbench.expr.walk import postorder

if TYPE_CHECKING:
    from cpcbench.expr.nodes import Expr

COMPARE, ADD, MUL, NEG, POW, ATOM = range(6)
"""Levels, from loosest to tightest."""

MAX_LENGTH = 5_000_000


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for an argument: what it asks for, and whether it may start with a minus sign.

    `finite` marks a place where an infinity would go unnoticed, so that languages that check must.
    `inner` takes one of the argument's own arguments, where a form writes two operations in one.
    """

    arg: int
    level: int = COMPARE
    minus: bool = True
    finite: bool = False
    inner: int | None = None

    def of(self, node: Expr) -> Expr:
        argument = node.args[self.arg]
        return argument if self.inner is None else argument.args[self.inner]


@dataclass(frozen=True, slots=True)
class Form:
    """How one operation is written: its level, its pieces, and whether it can be infinite without an error."""

    level: int
    parts: tuple[Union[str, Slot], ...]
    overflows: bool = False


Forms: TypeAlias = "Mapping[str, Union[Form, Callable[[Expr], Form]]]"


@dataclass(frozen=True)
class Language:
    """The forms of a language, its brackets and minus sign, and how it refuses a value that is not finite.

    `otherwise` gives the form of a function that has none of its own.
    """

    forms: Forms
    otherwise: Callable[[str, int], Form] | None = None
    opening: str = "("
    closing: str = ")"
    minus: str = "-"
    check: str | None = None

    def form(self, node: Expr) -> Form:
        known = self.forms.get(node.op)
        if known is None:
            if self.otherwise is None:
                raise CpcbenchError(f"this language has no form for {node.op}")
            return self.otherwise(node.op, len(node.args))
        return known if isinstance(known, Form) else known(node)


def infix(symbol: str, level: int, *, finite: bool = False) -> Form:
    """A left-associative operator; the right operand never starts with a bare minus."""
    parts = Slot(0, level), symbol, Slot(1, level + 1, minus=False, finite=finite)
    return Form(level, parts, overflows=True)


def call(name: str, count: int = 1, *, finite: bool = False, overflows: bool = False) -> Form:
    """A function and its arguments."""
    parts: list[Union[str, Slot]] = [f"{name}("]
    for arg in range(count):
        parts += [", ", Slot(arg, finite=finite)] if arg else [Slot(arg, finite=finite)]
    return Form(ATOM, (*parts, ")"), overflows)


called = cache(call)


def power(symbol: str) -> Form:
    """A power whose base and exponent are bracketed unless they are single: languages read a^b^c differently."""
    return Form(POW, (Slot(0, ATOM), symbol, Slot(1, ATOM)))


def comparison(symbol: str, *, finite: bool = False) -> Form:
    return Form(COMPARE, (Slot(0, ADD, finite=finite), symbol, Slot(1, ADD, finite=finite)))


def leaf(text: Callable[[Expr], str]) -> Callable[[Expr], Form]:
    """A constant or variable, a single word."""
    return lambda node: Form(ATOM, (text(node),))


def variable(name: Callable[[int], str]) -> Callable[[Expr], Form]:
    """A variable by its name."""
    return lambda node: Form(ATOM, (name(int(node.payload or 0)),))


def is_undefined(node: Expr) -> bool:
    """Whether a node is what the language calls undefined: 0 where -1 >= 0."""
    if node.op != "given" or node.args[0].op != "neg" or node.args[1].payload != 0:
        return False
    return node.args[1].op == "const" and node.args[0].args[0].payload == 1


def sides(condition: Expr) -> tuple[Expr | None, Expr]:
    """What is stated where a condition has to be at least 0: the side that is at most the other; None is 0."""
    if condition.op != "sub" or (condition.args[1].payload == 0 and condition.args[1].op == "const"):
        return None, condition
    return condition.args[1], condition.args[0]


def limited(
    before: str, between: str, middle: str, after: str, nothing: str, *, zero: str = "0", value_first: bool = False
) -> Forms:
    """The form of `given`: its comparison as it was stated, with `between`, and its value; `nothing` for undefined."""

    def form(node: Expr) -> Form:
        if is_undefined(node):
            return Form(ATOM, (nothing,))
        whole = sides(node.args[0])[0] is None
        least = zero if whole else Slot(0, ADD, inner=1)
        test = least, between, Slot(0, ADD, inner=None if whole else 0)
        parts = (Slot(1), middle, *test) if value_first else (*test, middle, Slot(1))
        return Form(COMPARE if value_first else ATOM, tuple(part for part in (before, *parts, after) if part))

    return {"given": form}


ARITHMETIC: dict[str, Form] = {
    "add": infix(" + ", ADD),
    "sub": infix(" - ", ADD),
    "mul": infix("*", MUL),
    "div": infix("/", MUL, finite=True),
    "neg": Form(NEG, ("-", Slot(0, POW))),
    "pow": power("^"),
    "lt": comparison(" < ", finite=True),
    "le": comparison(" <= ", finite=True),
}
"""The forms most languages share."""

_ROOM = {" + ": 0, " - ": 0, "*": 20, "/": 20}
"""Where a line may be broken, and how many columns longer it may get before it is."""


@dataclass(slots=True)
class _Known:
    """What is known of a printed node: its form, whether it starts with a minus, its length."""

    form: Form
    minus: bool
    finite: bool
    length: int


class Printer:
    """Prints expressions of one language, arguments learnt before their users."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._known: dict[int, _Known] = {}

    def learn(self, node: Expr) -> None:
        """Works out how a node is written; its arguments must have been learnt."""
        form = self.language.form(node)
        first = form.parts[0]
        minus = first == self.language.minus if isinstance(first, str) else self._starts_with_minus(node, first)
        checked = self.language.check is not None
        finite = not (checked and form.overflows)
        length = 0
        for part in form.parts:
            if isinstance(part, str):
                length += len(part)
                continue
            known = self._known[id(part.of(node))]
            before, after = self._around(node, part)
            length += len(before) + known.length + len(after)
            finite = finite and (not checked or known.finite or part.finite)
        self._known[id(node)] = _Known(form, minus, finite, min(length, MAX_LENGTH + 1))

    def name(self, node: Expr, name: str) -> None:
        """Writes the node by this name from now on."""
        self._known[id(node)] = _Known(Form(ATOM, (name,)), False, self._known[id(node)].finite, len(name))

    def pieces(self, root: Expr) -> list[str]:
        """The text of an expression, as pieces between which lines may be broken."""
        if self._known[id(root)].length > MAX_LENGTH:
            raise CpcbenchError(f"written out, the formula has more than {MAX_LENGTH:,} characters")
        out: list[str] = []
        stack: list[Union[str, Expr]] = [root]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                out.append(item)
            else:
                stack.extend(reversed(self._parts(item)))
        return out

    def _starts_with_minus(self, node: Expr, slot: Slot) -> bool:
        return not self._around(node, slot)[0] and self._known[id(slot.of(node))].minus

    def _around(self, node: Expr, slot: Slot) -> tuple[str, str]:
        """What is put around an argument in a place: a check, brackets or nothing."""
        known = self._known[id(slot.of(node))]
        if slot.finite and not known.finite and self.language.check is not None:
            return f"{self.language.check}(", ")"
        if known.form.level < slot.level or (known.minus and not slot.minus):
            return self.language.opening, self.language.closing
        return "", ""

    def _parts(self, node: Expr) -> list[Union[str, Expr]]:
        parts: list[Union[str, Expr]] = []
        for part in self._known[id(node)].form.parts:
            if isinstance(part, str):
                parts.append(part)
            else:
                before, after = self._around(node, part)
                parts += [piece for piece in (before, part.of(node), after) if not isinstance(piece, str) or piece]
        return parts


def pieces(root: Expr, language: Language) -> list[str]:
    """The expression in a language, as pieces between which lines may be broken."""
    printer = Printer(language)
    for node in postorder(root):
        printer.learn(node)
    return printer.pieces(root)


def write(root: Expr, language: Language) -> str:
    """The expression in a language, on one line."""
    return "".join(pieces(root, language))


def lines(pieces: Iterable[str], *, indent: str = "    ", width: int = 90, carry: str = "") -> str:
    """The pieces as lines broken before operators; `carry` ends a line that goes on."""
    out: list[str] = []
    column = 0
    for piece in pieces:
        room = _ROOM.get(piece)
        if room is not None and column > width + room:
            out.append(f"{carry}\n{indent}{piece.lstrip()}")
            column = len(indent) + len(piece)
        else:
            out.append(piece)
            column += len(piece)
    return "".join(out)
