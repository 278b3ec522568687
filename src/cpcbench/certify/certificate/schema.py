"""What a certificate says, as types: the claim, the proofs of its bounds, and whether the infimum is attained.

A class `By...` is a proof, and `by` the name that the file has for it; docs/certificates.md says what each proves. The
types are the prover's: the checker reads the file's JSON by itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from cpcbench.expr.plain import formula
from cpcbench.problems.problem import Problem

Box = list[list[float]]
"""Lower and upper end for each variable."""

Part = Literal["regular", "all", "thin"]
Side = Literal["min", "max"]


@dataclass(frozen=True)
class About:
    """The formula with the variables x1 to xn, and its box; "-inf" and "inf" where there is no bound."""

    name: str
    formula: str
    bounds: list[list[float | Literal["-inf", "inf"]]]

    @classmethod
    def of(cls, problem: Problem) -> About:
        """A problem, whatever its variables are called: a name of the user's may mean another variable, or a number."""
        named: list[list[float | Literal["-inf", "inf"]]] = [
            ["-inf" if low == -math.inf else float(low), "inf" if high == math.inf else float(high)]
            for low, high in problem.bounds
        ]
        return cls(problem.id, formula(problem.expression), named)

    @property
    def sides(self) -> Box:
        """The bounds as numbers."""
        return [[float(end) for end in side] for side in self.bounds]

    @property
    def meant(self) -> tuple[str, list[tuple[float, float]]]:
        """What the checker is asked to hold a certificate against."""
        return self.formula, [(low, high) for low, high in self.sides]


@dataclass(frozen=True)
class Claim:
    """The bounds are those of an infimum, and so is whether it is `attained`; None where that is open."""

    kind: Literal["infimum", "unbounded", "empty"]
    lower: float | None = None
    upper: float | None = None
    attained: bool | None = None


# Lower bounds


@dataclass(frozen=True)
class ByTree:
    """The tokens of a tree; without a threshold it shows that there is no admissible point."""

    by: ClassVar[str] = "tree"
    threshold: float | None
    tree: str


@dataclass(frozen=True)
class ProvenLink:
    """Terms of a sum, by their places, with tables by their variables, and a tree for them."""

    terms: list[int]
    variables: list[int]
    threshold: float
    plus: list[int]
    minus: list[int]
    tree: str


@dataclass(frozen=True)
class ProvenTable:
    """Values at the breakpoints, or pairs of a value and a slope for the cells between them."""

    breaks: list[float]
    values: list[float | list[float]]


@dataclass(frozen=True)
class ProvenRange:
    """One end of a variable, from conditions, nodes with weights, that add up to one about it alone."""

    variable: int
    low: float | None
    high: float | None
    by: list[tuple[int, str]]


@dataclass(frozen=True)
class ProvenSum:
    """A sum inside the formula that is at least, or at most, its bound."""

    node: int
    side: Side
    bound: float
    links: list[ProvenLink]
    tables: dict[str, ProvenTable]
    periods: dict[str, list[float]] | None = None
    ranges: list[ProvenRange] | None = None


@dataclass(frozen=True)
class BySums:
    """The range of the formula over its box with what is proven of its sums; perhaps of none."""

    by: ClassVar[str] = "sums"
    sums: list[ProvenSum]


@dataclass(frozen=True)
class ProvenCase:
    """A tree for the case in which the tests come out so."""

    holds: list[bool]
    lower: ByTree


@dataclass(frozen=True)
class ByCases:
    by: ClassVar[str] = "cases"
    cases: list[ProvenCase]


@dataclass(frozen=True)
class ProvenSet:
    """A tree for the thin set with these exponents."""

    exponents: list[int | None]
    lower: ByTree


@dataclass(frozen=True)
class ByThinSets:
    by: ClassVar[str] = "thin"
    sets: list[ProvenSet]


@dataclass(frozen=True)
class ProvenPiece:
    """A proof for one piece of a part's range, with a multiple of what is 0 where part and variable are the same."""

    multiplier: str
    lower: ByTree | BySums


@dataclass(frozen=True)
class ByParts:
    """A node of the formula as a variable of its own, piece by piece between the cuts."""

    by: ClassVar[str] = "parts"
    node: int
    form: Literal["sum", "product"]
    cuts: list[float]
    pieces: list[ProvenPiece]


LowerProof = ByTree | BySums | ByCases | ByThinSets | ByParts

# Upper bounds, or that there is no lower one


@dataclass(frozen=True)
class ByPoint:
    by: ClassVar[str] = "point"
    x: list[float]


@dataclass(frozen=True)
class Equation:
    """A node that is held at an exact value, a fraction."""

    node: int
    value: str


@dataclass(frozen=True)
class ByPinnedBox:
    """A box that holds a point at which the equations hold, solved by some of the variables."""

    by: ClassVar[str] = "pinned"
    box: Box
    equations: list[Equation]
    solve: list[int]


PointProof = ByPoint | ByPinnedBox


@dataclass(frozen=True)
class ByThinPoint:
    """A witness for the formula of a thin set."""

    by: ClassVar[str] = "thin"
    exponents: list[int | None]
    witness: PointProof


@dataclass(frozen=True)
class Vanishing:
    """A node that tends to a value from one side, "+" or "-"."""

    node: int
    value: str
    side: str


@dataclass(frozen=True)
class ByFamily:
    """Points at which a node is ever closer to 0, and the formula ever lower."""

    by: ClassVar[str] = "family"
    box: Box
    equations: list[Equation]
    solve: list[int]
    vanishing: Vanishing
    eps: float
    rule: str


@dataclass(frozen=True)
class ByPath:
    """For each variable the coefficients of a polynomial in t, fractions, the first one perhaps times pi."""

    by: ClassVar[str] = "path"
    x: list[list[str]]


FallProof = ByFamily | ByPath
UpperProof = PointProof | ByThinPoint | FallProof

# Whether the infimum is attained


@dataclass(frozen=True)
class ByBounds:
    by: ClassVar[str] = "bounds"


@dataclass(frozen=True)
class ByCompactness:
    by: ClassVar[str] = "compact"


@dataclass(frozen=True)
class ByLeast:
    by: ClassVar[str] = "least"


@dataclass(frozen=True)
class ByOscillation:
    by: ClassVar[str] = "oscillation"
    node: int
    variable: int
    boxes: list[Box]


@dataclass(frozen=True)
class ByApproach:
    by: ClassVar[str] = "approached"
    path: ByPath


AttainedProof = ByBounds | ByCompactness | ByLeast | ByOscillation | ByApproach


@dataclass(frozen=True)
class Reach:
    """The box that the proofs are about, where the problem's own has not all its ends, and a tree for what is outside
    with the places of its splits; there is none where there is no lower bound."""

    box: Box
    tree: str | None = None
    at: list[float] | None = None


@dataclass(frozen=True)
class Carried:
    """The problem that the proofs are about, where the certificate's own has forms `x` in place of its variables."""

    formula: str
    bounds: Box
    x: list[str]


@dataclass(frozen=True)
class Statement:
    """All that a certificate says, in the order of the file; `optima`, `attained`, `reach` and `carried` are left out
    where there is nothing to say."""

    version: int
    problem: About
    part: Part
    claim: Claim
    lower: LowerProof | None
    upper: UpperProof | None
    made: dict[str, Any] = field(default_factory=dict)
    optima: list[Box] | None = None
    attained: AttainedProof | None = None
    reach: Reach | None = None
    carried: Carried | None = None

    @property
    def trees(self) -> list[str]:
        """The trees of the lower bound."""
        return [] if self.lower is None else _trees(self.lower)


def _trees(lower: LowerProof) -> list[str]:
    if isinstance(lower, ByTree):
        return [lower.tree]
    if isinstance(lower, BySums):
        return [link.tree for part in lower.sums for link in part.links]
    if isinstance(lower, ByParts):
        return [tree for piece in lower.pieces for tree in _trees(piece.lower)]
    return [part.lower.tree for part in (lower.cases if isinstance(lower, ByCases) else lower.sets)]
