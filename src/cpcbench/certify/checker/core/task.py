"""A tree to be checked, and what it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cpcbench.certify.checker.core.link import Link
from cpcbench.certify.checker.core.program import Filler, Program
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.core.trees import tokens_of
from cpcbench.certify.checker.ground.fields import field, only, read_double, text
from cpcbench.expr.nodes import Expr


@dataclass(frozen=True)
class Task:
    """`sum` is the place of the sum that its link is of; where the roots in `strict`, by their numbers, are 0 the claim
    is not about."""

    link: Link
    tokens: list[str]
    subject: Subject
    sum: int = 0
    strict: frozenset[int] = frozenset()


def whole_formula(subject: Subject, proof: object, fillers: Sequence[Filler]) -> Task:
    """The task of a proof by one tree on the formula itself."""
    only(proof, {"by", "threshold", "tree"})
    return _tree(subject, subject.root, proof, read_double(field(proof, "threshold")), fillers)


def nothing_at_all(subject: Subject, proof: object, fillers: Sequence[Filler]) -> Task:
    """The task of a proof by one tree that the formula f is defined nowhere: 0*f, which is 0 where it is defined, is
    at least 1 there."""
    only(proof, {"by", "tree"})
    return _tree(subject, 0 * subject.root, proof, 1, fillers)


def _tree(subject: Subject, root: Expr, proof: object, threshold: float, fillers: Sequence[Filler]) -> Task:
    program = Program([root], subject.numbers, ieee=subject.ieee, fillers=fillers)
    subject.rests_on.update(program.rests_on)
    variables, term = list(range(len(subject.bounds))), (program.slots[id(root)], 1)
    link = Link("the tree", program, variables, [term], threshold, tuple(subject.bounds))
    return Task(link, tokens_of(text(field(proof, "tree"))), subject)
