"""`cpc.solve_system`: all real solutions of a system of equations in a box, each of them proven."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cpcbench.certify.systems.pruning import Pruned, pruned
from cpcbench.certify.systems.roots import Root, Roots
from cpcbench.clock import OutOfTimeError
from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr, var
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.walk import variables
from cpcbench.intervals.boxes import Boxes
from cpcbench.limits import checked_seconds
from cpcbench.points import Floats, search_box
from cpcbench.problems.user import pair_of, pairs_of
from cpcbench.rng import Rng, generator_of
from cpcbench.rules import check_rule
from cpcbench.solvers.least_squares.search import low_points

SHORT, LONG = 2, 12
"""Rounds of looking for solutions: where the box is looked through afterwards, and where it is not."""


@dataclass(frozen=True)
class Solved:
    """The proven solutions; `complete` if there is proven to be no other in the box, `open_boxes` are left if not.

    `on_edge` are proven solutions of which it is not decided on which side of a bound they lie.
    """

    solutions: tuple[Root, ...]
    on_edge: tuple[Root, ...]
    complete: bool
    open_boxes: int
    seconds: float

    @property
    def message(self) -> str:
        """In words."""
        count = len(self.solutions)
        edge = f", {len(self.on_edge)} more on the edge of the box" if self.on_edge else ""
        if self.complete:
            return f"exactly {count} solution{'' if count == 1 else 's'} in the box, proven{edge}"
        left = f"{self.open_boxes:,} boxes are open" if self.open_boxes else "the box is not finite"
        return f"{count} solution{'' if count == 1 else 's'} proven{edge}; whether there are others is not: {left}"


def solve_system(
    equations: Sequence[str | Expr],
    bounds: object,
    *,
    names: Sequence[str] | None = None,
    seconds: float = 30.0,
    rule: str = "strict",
    rng: Rng = 0,
) -> Solved:
    """All real solutions of a system of equations within bounds.

    Each solution is enclosed in a box that is proven to hold exactly one, by Krawczyk's operator.

    Parameters
    ----------
    equations : sequence of str or Expr
        As many as there are variables, such as ["x1^2 + x2^2 = 4", "x1 * x2 = 1"]; one without `=` is to be 0.
    bounds : sequence of pairs, mapping, or one pair
        (lower, upper) of each variable. They may be infinite: then solutions are looked for, but that there are no
        others is not proven.
    names : sequence of str, optional
        The variables in their order.
    seconds : float
        The most time.
    rule : {"ieee", "strict"}
        The rule of admissibility for powers.
    rng : int or numpy.random.Generator
        For the points that descents begin at.

    Returns
    -------
    Solved
        The solutions, and whether they are proven to be all.
    """
    check_rule(rule)
    limit = checked_seconds(seconds)
    pairs = pairs_of(bounds)
    if pairs is None:
        pairs = [pair_of(bounds, "all variables")] * len(equations)
    roots = [_equation(e, len(pairs), names) for e in equations]
    if len(roots) != len(pairs) or not roots:
        raise CpcbenchError(f"as many equations as variables are needed, not {len(roots)} and {len(pairs)}")
    used = variables(*roots)
    if used and used[-1] >= len(pairs):
        raise CpcbenchError(f"an equation uses x{used[-1] + 1}, but there are bounds for {len(pairs)} variables only")
    with np.errstate(all="ignore"):  # infinities are looked for and dealt with
        return _solved(roots, pairs, limit, rule, generator_of(rng))


def _equation(given: str | Expr, n: int, names: Sequence[str] | None) -> Expr:
    if isinstance(given, Expr):
        return given
    if not isinstance(given, str) or given.count("=") > 1:
        raise CpcbenchError(f"an equation is a text such as 'x1^2 + x2 = 3', not {given!r}")
    left, _, right = given.partition("=")
    made = parse_formula(left, n=None if names else n, names=names)
    return made - parse_formula(right, n=None if names else n, names=names) if right else made


def _solved(
    equations: list[Expr], pairs: list[tuple[float, float]], seconds: float, rule: str, rng: np.random.Generator
) -> Solved:
    Boxes(var(0)).cut([[0.0]], [[1.0]])  # compiled before the time begins
    begin = time.perf_counter()
    proofs = Roots(equations, rule)
    lower, upper = np.array(pairs).T
    finite = bool(np.isfinite(lower).all() and np.isfinite(upper).all())
    found: list[Root] = []

    def add(x: Floats) -> Root | None:
        if any(all(a <= v <= b for v, (a, b) in zip(x.tolist(), root.around, strict=True)) for root in found):
            return None
        root = proofs.near(x)
        if root is not None and not any(_same(root, other) for other in found):
            found.append(root)
            return root
        return None

    try:
        for x in low_points(equations, *search_box(lower, upper), rng, seconds, SHORT if finite else LONG):
            if ((lower <= x) & (x <= upper)).all():
                add(x)
    except OutOfTimeError:
        pass
    left = Pruned(0, False)
    if finite:
        left = pruned(equations, proofs, pairs, found, add, rule, begin + seconds)
    inside = tuple(sorted((r for r in found if r.is_in(pairs)), key=lambda r: r.x))
    edge = tuple(r for r in found if not r.is_in(pairs) and r.may_be_in(pairs))
    return Solved(inside, edge, left.complete, left.boxes, time.perf_counter() - begin)


def _same(one: Root, other: Root) -> bool:
    """Whether two roots are one: the enclosure of one lies where the other is the only one."""
    return one.is_in(other.around) or other.is_in(one.around)
