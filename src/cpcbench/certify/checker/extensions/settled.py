"""Whether a formula can leave its domain, or jump, in a limit of points of a box.

A square root, an arcsine and a power with a positive exponent are continuous up to the edge of their domain, which
belongs to it. A logarithm, a quotient, a negative or a varying power are so only if what they need holds with room.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from cpcbench.certify.checker.core.intervals import Interval
from cpcbench.certify.checker.core.link import Box, Link
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.steps import Applied, FixedPower, Paired, Step, Values, VaryingPower, WholePower
from cpcbench.certify.checker.core.task import Task
from cpcbench.certify.checker.extensions.narrowing import below, narrowed
from cpcbench.certify.checker.ground.verdict import RejectedError

MOST_PIECES = 200
"""A box is cut so often before it is given up."""


def is_settled(made: Step, values: Values) -> bool:
    """Whether every limit of operands in these ranges, of points where the step is defined, is one where it is too,
    and the result tends to its value there."""
    operands = made.operands(values)
    if made.op in ("add", "sub", "neg", "mul", "given"):  # the last asks for a closed set
        return True
    if isinstance(made, Applied):
        domain = made.function.domain
        return made.function.continuous and (domain.closed or domain.holds(operands[0]))
    if isinstance(made, Paired):
        return made.pair.continuous
    if made.op == "div":
        return _is_away(operands[1])
    if isinstance(made, WholePower):
        return made.exponent >= 0 or _is_away(operands[0])
    if isinstance(made, FixedPower):
        return made.positive or bool(operands[0][0] > 0)
    if isinstance(made, VaryingPower):
        return bool(operands[1][0] > 0) or _is_away(operands[0])
    return False  # where() jumps


def _halved(box: Box) -> list[Box]:
    """A box cut through its longest side; nothing if there are no doubles inside that."""
    axis = max(range(len(box)), key=lambda i: box[i][1] - box[i][0])
    low, high = box[axis]
    middle = low + (high - low) / 2
    if not low < middle < high:
        return []
    return [(*box[:axis], pair, *box[axis + 1 :]) for pair in ((low, middle), (middle, high))]


def _is_away(a: Interval) -> bool:
    """Whether 0 is not in an interval."""
    return bool(a[0] > 0 or a[1] < 0)


def unsettled(
    program: Program,
    box: Mapping[int, Interval],
    known: Mapping[int, Interval],
    strict: frozenset[int] = frozenset(),
) -> set[int]:
    """The numbers of the operations not settled on a box where `known` holds of its slots.

    Roots that are `strict` need more than 0.
    """
    if program.has_where:
        raise RejectedError("whether the infimum is attained is not decided with where()")
    values = narrowed(program, box, known)
    if values is None:
        return set()
    loose = {made.number for made in program.steps if not is_settled(made, values)}
    return loose | {m.number for m in program.steps if m.number in strict and not m.operands(values)[0][0] > 0}


@dataclass(frozen=True)
class Guards:
    """Operations, by the numbers of their nodes, that have to be settled on some boxes of a link."""

    link: Link
    program: Program
    limit: Fraction
    numbers: frozenset[int]
    strict: frozenset[int]

    @classmethod
    def of(cls, task: Task, limit: Fraction, numbers: frozenset[int]) -> Guards:
        """For points at which the link is at most `limit`; holes stay holes here."""
        program = Program(task.link.program.roots, task.subject.numbers, ieee=task.subject.ieee)
        return cls(task.link, program, limit, numbers, task.strict)

    def check(self, box: Box) -> None:
        """Rejects unless all are settled on the box, or on pieces of it."""
        waiting, left = [box], MOST_PIECES
        while waiting:
            piece = waiting.pop()
            open_ = unsettled(self.program, self.link.intervals(piece), self._known(), self.strict) & self.numbers
            if not open_:
                continue
            halves = _halved(piece)
            left -= 1
            if left == 0 or not halves:
                raise RejectedError(
                    f"node {min(open_)} may leave its domain in a limit of points that are not proven to be high"
                )
            waiting += halves

    def _known(self) -> dict[int, Interval]:
        """The limit, if the link is nothing but one term."""
        roots = self.program.roots
        if len(roots) > 1 or self.link.parts or self.link.terms[0][1] < 0:
            return {}
        return {self.program.slots[id(roots[0])]: below(self.limit)}

    @property
    def present(self) -> frozenset[int]:
        """Those that are in this link at all."""
        return frozenset(made.number for made in self.program.steps) & self.numbers
