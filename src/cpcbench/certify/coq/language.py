"""A formula in Coq, twice: as a term of the language in `formal/Language.v`, and in ordinary notation.

Coq itself compares the two, and so does the proof that the formula is defined from the conditions that are stated.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import postorder, variables

UNARY = {
    "neg": ("Neg", "- {}"),
    "abs": ("Abs", "Rabs {}"),
    "sqrt": ("Sqrt", "sqrt {}"),
    "ln": ("Ln", "ln {}"),
    "exp": ("Exp", "exp {}"),
    "sin": ("Sin", "sin {}"),
    "cos": ("Cos", "cos {}"),
    "arcsin": ("Arcsin", "asin {}"),
}
PLAIN: dict[str, Callable[..., Fraction]] = {
    "neg": operator.neg, "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
}  # fmt: skip
LARGEST = 1000
"""Whole exponents beyond this are not written: Coq counts them in ones."""
BINARY = {"add": ("Add", "+"), "sub": ("Sub", "-"), "mul": ("Mul", "*"), "div": ("Div", "/")}


@dataclass(frozen=True)
class Said:
    """A part of a formula: its term, its text, why it is defined, and operands that are not negative where it is.

    What it takes to be defined are the parts in `needs`, in this order, and the condition `given`, if there is one.
    """

    term: str
    text: str
    defined: str
    conditions: tuple[Expr, ...]
    needs: tuple[Said, ...] = ()
    given: str | None = None


def rational(value: Fraction) -> str:
    return f"(({value.numerator})%Z, {value.denominator}%positive)"


def number(value: Fraction) -> str:
    """A number in ordinary notation."""
    return f"({value.numerator})" if value.denominator == 1 else f"({value.numerator} / {value.denominator})"


def folded(node: Expr) -> Fraction | None:
    """The number that an exponent is, None if it varies; one that plain arithmetic does not give is refused."""
    if variables(node):
        return None
    value = rational_value(node)
    if value is None:
        raise CpcbenchError("a constant exponent that is not a plain fraction has no theorem yet")
    return value


def rational_value(node: Expr) -> Fraction | None:
    """The value of an expression of numbers by plain arithmetic; None where that does not give one."""
    if node.op == "const":
        return Fraction(node.payload or 0)
    parts = [rational_value(arg) for arg in node.args]
    if node.op not in PLAIN or any(part is None for part in parts) or (node.op == "div" and parts[1] == 0):
        return None
    return PLAIN[node.op](*parts)


def _constant(value: Fraction) -> Said:
    return Said(f"(Num {rational(value)})", number(value), "I", ())


class Formula:
    """The parts of some formulas; `stated` gathers the conditions, each once, in the order in which they are met.

    `varying` says whether there is a power with an exponent that varies, of which only the rule strict is stated.
    """

    def __init__(self, *roots: Expr) -> None:
        self.stated: dict[str, str] = {}
        self.parts: dict[int, Said] = {}
        self.varying = False
        needed = {id(root) for root in roots}
        order = postorder(*roots)
        for node in reversed(order):
            if id(node) in needed:
                plain = node.op == "pow" and folded(node.args[1]) is not None  # such an exponent is one number
                needed.update(id(arg) for arg in (node.args[:1] if plain else node.args))
        for node in order:
            if id(node) in needed:
                self.parts[id(node)] = self._said(node)

    def of(self, node: Expr) -> Said:
        return self.parts[id(node)]

    def taken_apart(self, root: Expr, proof: str) -> dict[str, str]:
        """From a proof that a formula is defined those of the conditions, by their names."""
        found: dict[str, str] = {}
        waiting = [(self.of(root), proof)]
        while waiting:
            said, held = waiting.pop()
            pieces: list[Said | str] = [*said.needs, *([] if said.given is None else [said.given])]
            for place, piece in enumerate(pieces):
                last = place == len(pieces) - 1
                part, held = (held, "") if last else (f"(proj1 {held})", f"(proj2 {held})")
                if isinstance(piece, str):
                    found.setdefault(piece, part)
                else:
                    waiting.append((piece, part))
        return found

    def _said(self, node: Expr) -> Said:
        if node.op == "pow":
            return self._power(node)
        args = [self.parts[id(arg)] for arg in node.args]
        if node.op == "var":
            place = int(node.payload or 0)
            return Said(f"(Var {place})", f"x{place + 1}", "I", ())
        if node.op == "const":
            return _constant(Fraction(node.payload or 0))
        if node.op == "pi":
            return Said("Pi", "PI", "I", ())
        if node.op in UNARY:
            return self._unary(node, args[0])
        if node.op in BINARY:
            return self._binary(node, *args)
        raise CpcbenchError(f"{node.op} has no theorem yet")

    def _made(
        self, term: str, text: str, parts: tuple[Said, ...], condition: str | None = None, more: tuple[Expr, ...] = ()
    ) -> Said:
        """A part that is defined if its own parts are, and if the condition holds."""
        given = None if condition is None else self.stated.setdefault(condition, f"D{len(self.stated) + 1}")
        proofs = [*(part.defined for part in parts), *([] if given is None else [given])]
        defined = proofs.pop()
        while proofs:
            defined = f"(conj {proofs.pop()} {defined})"
        conditions = (*(c for part in parts for c in part.conditions), *more)
        return Said(term, text, defined, conditions, parts, given)

    def _unary(self, node: Expr, a: Said) -> Said:
        name, form = UNARY[node.op]
        asked = {"sqrt": f"0 <= {a.text}", "ln": f"0 < {a.text}", "arcsin": f"-1 <= {a.text} <= 1"}.get(node.op)
        more = node.args if node.op in ("sqrt", "ln") else ()
        return self._made(f"({name} {a.term})", f"({form.format(a.text)})", (a,), asked, more)

    def _binary(self, node: Expr, a: Said, b: Said) -> Said:
        name, sign = BINARY[node.op]
        if node.op == "mul" and node.args[0] is node.args[1]:
            return self._made(f"(Whole {a.term} 2)", f"({a.text} ^ 2)", (a,))
        asked = f"{b.text} <> 0" if node.op == "div" else None
        return self._made(f"({name} {a.term} {b.term})", f"({a.text} {sign} {b.text})", (a, b), asked)

    def _power(self, node: Expr) -> Said:
        """A power with a constant exponent; one that is not a whole number, or that varies, has a condition."""
        a, exponent = self.of(node.args[0]), folded(node.args[1])
        if exponent is not None and abs(exponent) > LARGEST:
            raise CpcbenchError(f"an exponent beyond {LARGEST:,} has no theorem yet")
        if exponent is not None and exponent.denominator == 1 and exponent > 0:
            n = exponent.numerator
            return self._made(f"(Whole {a.term} {n})", f"({a.text} ^ {n})", (a,))
        if exponent is not None and exponent.denominator == 1:
            raise CpcbenchError("a whole exponent that is not positive has no theorem yet")
        self.varying |= exponent is None
        b = self.of(node.args[1]) if exponent is None else _constant(exponent)
        asked = f"0 < {a.text} \\/ ({a.text} = 0 /\\ 0 <= {b.text})"
        return self._made(f"(Power {a.term} {b.term})", f"(power {a.text} {b.text})", (a, b), asked, node.args[:1])
