"""Leaves by tangents of squares: r^2 >= 2 z r - z^2 for every number z, and the mean-value form of what that leaves.

The sum of a link is taken apart into terms with signs. Those with the sign 1 that are written r^2 or r*r are its
squares, in the order in which they are met; R is the signed sum of all others.

Theorem. Let z_1, ..., z_m be any numbers. At every point where the link's sum is defined, it is at least

    R + sum of (2 z_k r_k - z_k^2) over the k with z_k other than 0,

and that is defined there too. Proof. Where the sum is defined, all its terms are, and so are the operands r_k of its
squares. r_k^2 - 2 z_k r_k + z_k^2 = (r_k - z_k)^2 >= 0, and with z_k = 0 this says r_k^2 >= 0. Add up. QED

The token `q:z_1,...,z_m` names the numbers, decimals that are taken exactly. What is left has no squares in it, and its
bound over the box is by the mean-value form of the core, with what may be undefined frozen and without multipliers.
Holes are filled as in the sum itself. So r_k and the terms of R stand for functions that are defined at more points, of
which the theorem holds as well: a leaf may be below a face, which the filled sum was cut down to, of nothing but holes.
There are no such leaves with tables or where().
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as entry
from fractions import Fraction

from cpcbench.certify.checker.core.intervals import Interval, add, mul, neg, single
from cpcbench.certify.checker.core.link import Box, Link
from cpcbench.certify.checker.core.mean_value import mean_value_bound
from cpcbench.certify.checker.core.numbers import End, of_double
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.steps import Adjoint, Values, give
from cpcbench.certify.checker.extensions.sums.links import terms_of
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.nodes import Expr

NAME = "squares"
LETTER = "q"
MOST_SQUARES = 10_000

_NUMBERS = re.compile(r"q:-?{0}(,-?{0})*".format(r"[0-9]{1,40}(\.[0-9]{0,40})?([eE][+-]?[0-9]{1,3})?"), re.ASCII)


class Squares:
    """The rule for the leaves of one tree; the formulas are made when the first leaf needs them."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self._apart: _Apart | None = None

    def read(self, token: str, _box: Box) -> list[Fraction]:
        """The numbers that a token names, one for each square."""
        if self.link.parts:
            raise RejectedError("there are no leaves by squares with tables")
        if not _NUMBERS.fullmatch(token):
            raise RejectedError(f"{token[:40]!r} is no token")
        found = [Fraction(text) for text in token[2:].split(",")]
        if len(found) != len(self.apart.squares):
            raise RejectedError(f"{len(found)} numbers for {len(self.apart.squares)} squares")
        return found

    def bound(self, token: str, box: Box) -> End:
        """What the leaf proves of the sum on the box; rejects if it does not."""
        tangents = self.apart.tangents(self.read(token, box))
        evaluated = tangents.natural(box)
        if evaluated is None:
            raise RejectedError("a part of the sum is defined nowhere in a leaf by squares")
        values, maybe = evaluated
        return mean_value_bound(tangents, box, values, maybe, None, of_double(self.link.threshold))

    @property
    def apart(self) -> _Apart:
        if self._apart is None:
            self._apart = _Apart(self.link)
        return self._apart


class _Apart:
    """The sum of a link as squares and the rest."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.squares: list[Expr] = []
        self.rest: list[tuple[int, Expr]] = []
        for (_, outer), root in zip(link.terms, link.program.roots, strict=True):
            for inner, term in terms_of(root):
                base = squared(term) if outer * inner > 0 else None
                if base is None:
                    self.rest.append((outer * inner, term))
                else:
                    self.squares.append(base)
        if not 1 <= len(self.squares) <= MOST_SQUARES:
            raise RejectedError(f"a leaf by squares of a sum with {len(self.squares)} squares")
        every = [*self.squares, *(term for _, term in self.rest)]
        self.program = Program(
            every, link.program.numbers, ieee=link.program.ieee, fillers=link.program.fillers
        )  # as for faces, on which there may be nothing but holes
        if self.program.has_where:
            raise RejectedError("there are no leaves by squares with where()")

    def tangents(self, numbers: list[Fraction]) -> _Tangents:
        """The sum with 2 z r - z^2 in the place of each r^2."""
        slots, link = self.program.slots, self.link
        weighted = [(slots[id(base)], single(2 * z)) for base, z in zip(self.squares, numbers, strict=True) if z]
        weighted += [(slots[id(term)], single(sign)) for sign, term in self.rest]
        return _Tangents(
            link.name, self.program, link.variables, [], link.threshold, link.box,
            weighted=weighted, constant=-sum((z * z for z in numbers), Fraction(0)),
        )  # fmt: skip


@dataclass
class _Tangents(Link):
    """A sum of multiples of slots, and a number."""

    weighted: list[tuple[int, Interval]] = entry(default_factory=list)
    constant: Fraction = Fraction(0)

    def total(self, values: Values, parts: list[Interval]) -> Interval:  # noqa: ARG002 - there are none
        found = single(self.constant)
        for slot, weight in self.weighted:
            found = add(found, mul(weight, values[slot]))
        return found

    def slopes(
        self,
        values: Values,
        box: Box,  # noqa: ARG002 - only parts need it
        passes: Mapping[int, bool],
        less: Mapping[int, End],
    ) -> list[Interval]:
        seeds: Adjoint = [None] * len(values)
        for slot, weight in self.weighted:
            give(seeds, slot, weight)
        for slot, multiple in less.items():
            give(seeds, slot, neg((multiple, multiple)))
        counted = {slot: weight for slot, weight in enumerate(seeds) if weight is not None}
        return self.program.slopes_in(self.program.slopes(values, counted, passes), self.variables)


def squared(term: Expr) -> Expr | None:
    """What a term is the square of; None if it is written otherwise."""
    if term.op == "pow":
        base, exponent = term.args
        return base if exponent.op == "const" and Fraction(exponent.payload or 0) == 2 else None
    return term.args[0] if term.op == "mul" and term.args[0] is term.args[1] else None
