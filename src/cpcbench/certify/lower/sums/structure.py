"""Sums inside a formula whose terms share few variables.

A sum is useful if its variables fall apart into single ones and chains x_a, x_b, x_c, ... in which only
neighbours share a term: such sums are bounded one link at a time. All is read off the expression.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cpcbench.certify.certificate.schema import Side
from cpcbench.expr.nodes import Expr
from cpcbench.expr.rewriting import LINEAR
from cpcbench.expr.rewriting import terms as terms_of
from cpcbench.expr.walk import postorder, variables
from cpcbench.points import Points
from cpcbench.readings.reals.enclosure import enclose
from cpcbench.readings.reals.reference import Reference

Bounds = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Part:
    """Terms, by their places in the sum, that share the same variables (one, or two neighbours)."""

    terms: tuple[int, ...]
    variables: tuple[int, ...]


@dataclass(frozen=True)
class SumNode:
    """A sum in the formula: its node, the signed terms, and its chains (a chain of one part: no neighbours)."""

    root: Expr
    node: Expr
    number: int
    terms: tuple[tuple[int, Expr], ...]
    chains: tuple[tuple[Part, ...], ...]

    def signed(self, part: Part, side: Side) -> list[tuple[int, Expr]]:
        """The terms of a part, with the signs of what is to be minimised."""
        turn = 1 if side == "min" else -1
        return [(turn * self.terms[t][0], self.terms[t][1]) for t in part.terms]


def sums_of(root: Expr) -> list[SumNode]:
    """The outermost sums that fall apart into single variables and chains, as the formula is read downwards."""
    numbers = {id(n): place for place, n in enumerate(postorder(root))}
    found: list[SumNode] = []
    seen: set[int] = set()
    stack = [root]
    while stack:
        part = stack.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        terms = terms_of(part) if part.op in LINEAR else []
        chains = _chains([variables(term) for _, term in terms])
        if chains is not None:
            found.append(SumNode(root, part, numbers[id(part)], tuple(terms), chains))
        else:
            stack += reversed([term for _, term in terms] if terms else part.args)
    return found


def _chains(groups: list[list[int]]) -> tuple[tuple[Part, ...], ...] | None:
    """The terms ordered into links; None if they are no single variables and paths, or only one part."""
    if any(len(group) > 2 for group in groups):
        return None
    pairs: dict[tuple[int, ...], list[int]] = {}
    for place, group in enumerate(groups):
        if len(group) == 2:
            pairs.setdefault(tuple(group), []).append(place)
    paths = _paths(list(pairs))
    if paths is None:
        return None
    links = {pair: terms for path in paths for pair, terms in ((p, pairs[p]) for p in path)}
    home = {v: path[max(0, place - 1)] for path in paths for place, v in enumerate(_along(path))}
    for place, group in enumerate(groups):
        if len(group) == 2:
            home.update((v, tuple(group)) for v in group)  # a lone term stays with the pair written before it
        elif group:
            links.setdefault(home.get(group[0], (group[0],)), []).append(place)
    if len(links) < 2:
        return None
    first = next(iter(links))
    links[first] += [place for place, group in enumerate(groups) if not group]
    chains = [tuple(Part(tuple(sorted(links[p])), p) for p in path) for path in paths]
    chains += [(Part(tuple(sorted(terms)), key),) for key, terms in links.items() if len(key) == 1]
    return tuple(chains)


def _paths(pairs: list[tuple[int, ...]]) -> list[list[tuple[int, ...]]] | None:
    """The pairs of neighbours in the order of their paths; None where three meet or a path closes."""
    meeting: dict[int, list[tuple[int, ...]]] = {}
    for pair in pairs:
        for v in pair:
            meeting.setdefault(v, []).append(pair)
    if any(len(at) > 2 for at in meeting.values()):
        return None
    paths: list[list[tuple[int, ...]]] = []
    used: set[tuple[int, ...]] = set()
    for end in sorted(v for v, at in meeting.items() if len(at) == 1):
        path: list[tuple[int, ...]] = []
        here, onward = end, [p for p in meeting[end] if p not in used]
        while onward:
            path.append(onward[0])
            used.add(onward[0])
            here = onward[0][0] if onward[0][1] == here else onward[0][1]
            onward = [p for p in meeting[here] if p not in used]
        if path:
            paths.append(path)
    return paths if len(used) == len(pairs) else None


def _along(path: Sequence[tuple[int, ...]]) -> list[int]:
    """The variables of a path in order."""
    if len(path) == 1:
        return list(path[0])
    first = next(v for v in path[0] if v not in path[1])
    found = [first]
    for pair in path:
        found.append(pair[0] if pair[1] == found[-1] else pair[1])
    return found


def order_of(chain: Sequence[Part]) -> list[int]:
    """The variables of a chain, from one end to the other."""
    return _along([part.variables for part in chain])


def value_at(node: Expr, x: Points) -> float:
    """The value of a part of the formula at a point: the real one, or that in doubles where rounding undid it."""
    found = enclose(node, x.tolist(), rule="strict")
    return found.upper if not math.isnan(found.upper) else float(Reference(node, "strict")(x.tolist()))
