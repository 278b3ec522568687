"""What a certificate is about: the formula, its nodes by number, the box and the part of the domain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field as entry
from functools import cached_property

from cpcbench.certify.checker.core.intervals import Interval, between
from cpcbench.certify.checker.ground.fields import box, doubles, field, listed, only, read_double, text, whole
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.walk import postorder

PARTS = ("regular", "all", "thin")
MOST_VARIABLES, MOST_NODES = 10_000, 200_000


@dataclass(frozen=True)
class Subject:
    """`bounds` are finite; `part` is `regular`, `thin` or `all`. `rests_on` gathers the extensions used.

    Where `reach` is said, the certificate's own bounds are `whole`, with or without ends, and `bounds` a part of them.
    """

    name: str
    root: Expr
    bounds: list[tuple[float, float]]
    part: str
    rests_on: set[str] = entry(default_factory=set)
    whole: Sequence[tuple[float, float]] = ()

    @classmethod
    def read(cls, data: object) -> Subject:
        problem, part = field(data, "problem"), text(field(data, "part"))
        reach = data.get("reach") if isinstance(data, dict) else None
        only(problem, {"name", "formula", "bounds"})
        if part not in PARTS:
            raise RejectedError(f"part {part[:40]!r} is none of 'regular', 'all' and 'thin'")
        pairs = listed(field(problem, "bounds"), most=MOST_VARIABLES)
        whole = [bounds_pair(pair) if reach is None else open_pair(pair) for pair in pairs]
        bounds = whole if reach is None else box(field(reach, "box"), whole)
        root = parsed(text(field(problem, "formula")), len(bounds))
        return cls(text(field(problem, "name")), root, bounds, part, whole=whole)

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

    @property
    def rule(self) -> str:
        """The rule for powers that the claim is about, by its name elsewhere in the package."""
        return "ieee" if self.ieee else "strict"

    @property
    def box(self) -> dict[int, Interval]:
        return {variable: between(*pair) for variable, pair in enumerate(self.bounds)}

    def node(self, number: object) -> Expr:
        """The node of a number in the certificate; a comparison has no value of its own."""
        node = self.order[whole(number, len(self.order))]
        if node.op in ("lt", "le"):
            raise RejectedError(f"node {number} is a comparison")
        return node


def parsed(formula: str, n: int) -> Expr:
    """The formula as an expression of n variables."""
    try:
        root = parse_formula(formula, n=n)
    except CpcbenchError as trouble:
        raise RejectedError(f"the formula cannot be read: {str(trouble).splitlines()[0]}") from None
    if len(postorder(root)) > MOST_NODES:
        raise RejectedError(f"the formula has more than {MOST_NODES:,} operations")
    return root


def bounds_pair(pair: object) -> tuple[float, float]:
    low, high = doubles(pair, 2)
    if not low <= high:
        raise RejectedError(f"the bounds [{low!r}, {high!r}] are the wrong way round")
    return low, high


def open_pair(pair: object) -> tuple[float, float]:
    """Bounds where "-inf" and "inf", so written, say that there is none."""
    low, high = listed(pair, 2)
    ends = (-math.inf if low == "-inf" else read_double(low), math.inf if high == "inf" else read_double(high))
    if not ends[0] <= ends[1]:
        raise RejectedError(f"the bounds {ends!r} are the wrong way round")
    return ends
