"""Quotients such as sin(pi*u)/u without their hole, as terms of Coq, and the proof that they are the same elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.extensions.fillers.removable import Filled, filled
from cpcbench.certify.coq.language import Formula, rational
from cpcbench.errors import CpcbenchError


@dataclass(frozen=True)
class Hole:
    """A quotient, what is put in its place, and angles a, b with the number k for which a is b + k*pi."""

    quotient: str
    without: str
    turned: list[tuple[str, str, int]]

    def lines(self, place: int) -> str:
        """The two, and that they are equal where the quotient is defined."""
        turns = "".join(f"  half_turns ({a}) ({b}) ({k})%Z x.\n" for a, b, k in self.turned)
        return (
            f"Definition hole{place} : expr := {self.quotient}.\n"
            f"Definition fill{place} : expr := {self.without}.\n"
            f"Lemma same{place} : forall x, defined hole{place} x ->\n"
            f"  defined fill{place} x /\\ value fill{place} x = value hole{place} x.\n"
            f"Proof.\n  intros x D. unfold hole{place}, fill{place} in *.\n{turns}  filled D.\nQed.\n"
        )


def holes(subject: Subject, formula: Formula) -> list[Hole]:
    """The quotients of a formula that have such holes."""
    return list(_holes(subject, formula))


def _holes(subject: Subject, formula: Formula) -> Iterator[Hole]:
    constant = Program([subject.root], subject.numbers).constant
    for node in subject.order:
        parts = filled(node, constant) if node.op == "div" and id(node) in formula.parts else None
        if parts is None:
            continue
        said = formula.of(node)
        if said.conditions:
            raise CpcbenchError("a quotient with a hole and with conditions inside has no theorem yet")
        turned: list[tuple[str, str, int]] = []
        above = [formula.of(part).term for part in parts.plain]
        above += [_cardinal(formula, parts, place, turned) for place in range(len(parts.cardinal))]
        without = reduce(lambda a, b: f"(Mul {a} {b})", above)
        if parts.divisors:
            below = reduce(lambda a, b: f"(Mul {a} {b})", [formula.of(part).term for part in parts.divisors])
            without = f"(Div {without} {below})"
        yield Hole(said.term, without, turned)


def _cardinal(formula: Formula, parts: Filled, place: int, turned: list[tuple[str, str, int]]) -> str:
    """c sinc(v), or with a second divisor (c/k) (sinc(v) - (-1)^k sinc(c w))."""
    factor, angle = parts.cardinal[place]
    v = formula.of(angle).term
    if factor is None:
        return f"(Sinc {v})"
    c = formula.of(factor).term
    if place not in parts.pairs:
        return f"(Mul {c} (Sinc {v}))"
    second, k = parts.pairs[place]
    other = f"(Mul {c} {formula.of(second).term})"
    turned.append((other, v, k))
    both = f"({'Add' if k % 2 else 'Sub'} (Sinc {v}) (Sinc {other}))"
    return f"(Mul (Mul {c} (Num {rational(Fraction(1, k))})) {both})"
