"""A tree to be checked, and what it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from cpcbench.certify.checker.core.link import Link
from cpcbench.certify.checker.core.program import Filler, Program
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.core.trees import tokens_of
from cpcbench.certify.checker.files.fields import field, only, read_double, text


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
    return _tree(subject, proof, read_double(field(proof, "threshold")), fillers)


def nothing_at_all(subject: Subject, proof: object, fillers: Sequence[Filler]) -> Task:
    """The task of a proof by one tree that the formula is defined nowhere: no threshold is too high for that."""
    only(proof, {"by", "tree"})
    return _tree(subject, proof, inf, fillers)


def _tree(subject: Subject, proof: object, threshold: float, fillers: Sequence[Filler]) -> Task:
    program = Program([subject.root], subject.numbers, ieee=subject.ieee, fillers=fillers)
    subject.rests_on.update(program.rests_on)
    variables, term = list(range(len(subject.bounds))), (program.slots[id(subject.root)], 1)
    link = Link("the tree", program, variables, [term], threshold, tuple(subject.bounds))
    return Task(link, tokens_of(text(field(proof, "tree"))), subject)
