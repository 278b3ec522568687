"""What a certificate is about: the formula, its nodes by number, the box and the part of the domain."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from cpcbench.certify.checker.reading import doubles, field, listed, only, text, whole
from cpcbench.certify.checker.verdict import RejectedError
from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.walk import postorder

MOST_TERMS = 100_000


@dataclass(frozen=True)
class Subject:
    """`bounds` are finite; `part` is `regular`, `thin` or `all`."""

    name: str
    root: Expr
    bounds: list[tuple[float, float]]
    part: str

    @classmethod
    def read(cls, data: object) -> Subject:
        problem, part = field(data, "problem"), text(field(data, "part"))
        only(problem, {"name", "formula", "bounds"})
        if part not in ("regular", "all", "thin"):
            raise RejectedError(f"part {part[:40]!r} is none of 'regular', 'all' and 'thin'")
        bounds = [bounds_pair(pair) for pair in listed(field(problem, "bounds"))]
        return cls(text(field(problem, "name")), parsed(text(field(problem, "formula")), len(bounds)), bounds, part)

    @cached_property
    def order(self) -> list[Expr]:
        """The nodes, each at the place that is its number."""
        return postorder(self.root)

    @cached_property
    def numbers(self) -> dict[int, int]:
        return {id(node): number for number, node in enumerate(self.order)}

    @property
    def ieee(self) -> bool:
        """Whether a negative base with a whole varying exponent counts."""
        return self.part != "regular"

    def node(self, number: object) -> Expr:
        """The node of a number in the certificate; a comparison has no value of its own."""
        node = self.order[whole(number, len(self.order))]
        if node.op in ("lt", "le"):
            raise RejectedError(f"node {number} is a comparison")
        return node


def parsed(formula: str, n: int) -> Expr:
    """The formula as an expression of n variables."""
    try:
        return parse_formula(formula, n=n)
    except CpcbenchError as trouble:
        raise RejectedError(f"the formula cannot be read: {str(trouble).splitlines()[0]}") from None


def bounds_pair(pair: object) -> tuple[float, float]:
    low, high = doubles(pair, 2)
    if not low <= high:
        raise RejectedError(f"the bounds [{low!r}, {high!r}] are the wrong way round")
    return low, high


def terms_of(node: Expr) -> list[tuple[int, Expr]]:
    """The terms of a sum with their signs, from left to right; add, sub and neg are taken apart."""
    found: list[tuple[int, Expr]] = []
    waiting = [(1, node)]
    while waiting:
        sign, part = waiting.pop()
        if part.op in ("add", "sub"):
            waiting += [(-sign if part.op == "sub" else sign, part.args[1]), (sign, part.args[0])]
        elif part.op == "neg":
            waiting.append((-sign, part.args[0]))
        else:
            found.append((sign, part))
            if len(found) > MOST_TERMS:
                raise RejectedError(f"a sum of more than {MOST_TERMS:,} terms")
    return found
