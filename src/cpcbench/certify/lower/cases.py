"""Proofs about formulas with where(): one tree for each case of its tests, and proofs that no point is admissible."""

from __future__ import annotations

from collections.abc import Sequence

from cpcbench.certify.certificate.schema import ByCases, ByTree, ProvenCase
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.extensions.cases import Case, cases_of
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.certify.lower.bounds import Lower
from cpcbench.certify.lower.tree.grown import MOST_NODES, Tree
from cpcbench.certify.lower.tree.proving import prove
from cpcbench.certify.times import Deadline
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import postorder
from cpcbench.intervals.tape import Tape

Bounds = Sequence[tuple[float, float]]


def lower_by_cases(root: Expr, bounds: Bounds, target: float, seconds: float, workers: int) -> Lower | None:
    """A lower bound up to the target from a tree for each case; None without where() or with too many cases."""
    cases = _cases(root, bounds)
    if cases is None:
        return None
    trees = _trees([case.subject.root for case in cases], bounds, target, seconds, workers)
    bound = min(min(tree.bound, target) for tree in trees)
    if bound == -float("inf"):
        return None
    return Lower(bound, proof=_listed(cases, [ByTree(bound, tree.text(bound)) for tree in trees]))


def prove_empty(
    root: Expr, bounds: Bounds, seconds: float, workers: int, most: int = MOST_NODES
) -> ByTree | ByCases | None:
    """A proof that the formula f has no admissible point, if one is found: 0*f is at least 1 wherever it is defined."""
    cases = _cases(root, bounds)
    roots = [root] if cases is None else [case.subject.root for case in cases]
    trees = _trees([0 * part for part in roots], bounds, 1.0, seconds, workers, most)
    if not all(tree.complete for tree in trees):
        return None
    proofs = [ByTree(None, tree.text(1.0)) for tree in trees]
    return proofs[0] if cases is None else _listed(cases, proofs)


def _cases(root: Expr, bounds: Bounds) -> list[Case] | None:
    if all(part.op != "where" for part in postorder(root)):
        return None
    try:
        return cases_of(Subject("", root, list(bounds), "regular"))
    except RejectedError:
        return None


def _trees(
    roots: Sequence[Expr], bounds: Bounds, target: float, seconds: float, workers: int, most: int = MOST_NODES
) -> list[Tree]:
    """One for each formula, with an even share of the time that is left."""
    deadline = Deadline(seconds)
    low, high = zip(*bounds, strict=True)
    trees = []
    for place, root in enumerate(roots):
        share = deadline.left(len(roots) - place)
        tape = Tape.of_formula(root, len(bounds))
        trees.append(prove(tape, low, high, target, seconds=share, workers=workers, max_nodes=most))
    return trees


def _listed(cases: list[Case], proofs: list[ByTree]) -> ByCases:
    return ByCases([ProvenCase(list(case.outcomes), proof) for case, proof in zip(cases, proofs, strict=True)])
