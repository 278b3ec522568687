"""Sums that fall apart into single variables, for proofs on a card: for each its tape, its box and its formula."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import reduce

from cpcbench.certify.lower.sums.half_lines import half_lines
from cpcbench.certify.lower.sums.structure import sums_of
from cpcbench.expr.nodes import Expr, var
from cpcbench.expr.rewriting import replaced
from cpcbench.expr.walk import postorder
from cpcbench.intervals.tape import Tape
from cpcbench.problems.problem import Problem


@dataclass(frozen=True)
class Link:
    """What is to be minimised over one variable."""

    variable: int
    tape: Tape
    low: float
    high: float
    formula: Expr
    """The same, of the first variable."""


def links_of(problem: Problem) -> list[Link]:
    found = sums_of(problem.expression)[0]
    bounds = list(problem.bounds)
    for entry in half_lines(found.root, bounds):
        low, high = bounds[entry.variable]
        bounds[entry.variable] = (
            low if entry.low is None else max(low, entry.low),
            high if entry.high is None else min(high, entry.high),
        )
    links = []
    for chain in found.chains:
        terms = found.signed(chain[0], "min")
        (variable,) = chain[0].variables
        signed = [term if sign > 0 else -term for sign, term in terms]
        total = reduce(operator.add, signed)
        first = {id(n): var(0) for n in postorder(total) if n.op == "var"}
        tape = Tape.of(terms, [variable], formula=found.root)
        links.append(Link(variable, tape, *bounds[variable], replaced(total, first)))
    return links
