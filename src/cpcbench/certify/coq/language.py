"""A formula in Coq, twice: as a term of the language in `formal/Language.v`, and in ordinary notation.

Coq itself compares the two, and so does the proof that the formula is defined from the conditions that are stated.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import postorder

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
    """The number that an expression of numbers is; None for any other."""
    if node.op == "const":
        return Fraction(node.payload or 0)
    parts = [folded(arg) for arg in node.args]
    if not parts or any(part is None for part in parts):
        return None
    a, b = parts[0] or Fraction(0), (parts[-1] or Fraction(0))
    if node.op == "div" and b == 0:
        return None
    known = {"neg": lambda: -a, "add": lambda: a + b, "sub": lambda: a - b, "mul": lambda: a * b, "div": lambda: a / b}
    return known[node.op]() if node.op in known else None


def _constant(value: Fraction) -> Said:
    return Said(f"(Num {rational(value)})", number(value), "I", ())


class Formula:
    """The parts of some formulas; `stated` gathers the conditions, each once, in the order in which they are met."""

    def __init__(self, *roots: Expr) -> None:
        self.stated: dict[str, str] = {}
        self.parts: dict[int, Said] = {}
        for node in postorder(*roots):
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
        if node.op == "pow":
            return self._power(node, *args)
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

    def _power(self, node: Expr, a: Said, b: Said) -> Said:
        """A power with a constant exponent; one that is not a whole number, or that varies, has a condition."""
        exponent = folded(node.args[1])
        if exponent is not None and exponent.denominator == 1 and exponent > 0:
            n = exponent.numerator
            return self._made(f"(Whole {a.term} {n})", f"({a.text} ^ {n})", (a,))
        if exponent is not None and exponent.denominator == 1:
            raise CpcbenchError("a whole exponent that is not positive has no theorem yet")
        if exponent is not None:
            b = _constant(exponent)
        asked = f"0 < {a.text} \\/ ({a.text} = 0 /\\ 0 <= {b.text})"
        return self._made(f"(Power {a.term} {b.term})", f"(power {a.text} {b.text})", (a, b), asked, node.args[:1])
