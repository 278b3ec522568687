"""Proof that an infimum is attained at a witness: the formula depends on its held parts alone and is least at them.

Each held part is what a root or a power needs to be at least 0, and is held at 0. If the formula does not fall as
one of them grows, and what its other conditions need does not grow, then nowhere is it lower than with all at 0.
"""

from __future__ import annotations

from cpcbench.certify.checker.core.intervals import Interval, meet
from cpcbench.certify.checker.core.krawczyk import System
from cpcbench.certify.checker.core.numbers import infinite, of_double
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.steps import Applied, FixedPower, Given, Step, Values
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.ground.fields import field
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.nodes import Expr

NAME = "attained: least"


def check_least(subject: Subject, witness: object) -> None:
    """Rejects unless no value is below that of a pinned witness, which is proven elsewhere."""
    subject.rests_on.add(NAME)
    if field(witness, "by") != "pinned":
        raise RejectedError("the parts at which the formula is least are those of a pinned witness")
    whole = Program([subject.root], subject.numbers, ieee=subject.ieee)
    if whole.has_where:
        raise RejectedError("whether the infimum is attained is not decided with where()")
    count = len(subject.bounds)
    inputs: dict[int, int] = {}
    box: dict[int, Interval] = {}
    for place, (node, value) in enumerate(System.read(subject, witness).pins):
        if value != 0 or not _is_not_negative(whole, node):
            raise RejectedError(
                f"node {subject.numbers[id(node)]} is not what a root or a power needs to be at least 0"
            )
        inputs[id(node)] = count + place
        box[count + place] = _range(subject, node)
    program = Program([subject.root], subject.numbers, ieee=subject.ieee, inputs=inputs)
    if any(variable < count for variable in program.variables):
        raise RejectedError("the formula depends on its variables in other ways than through the held parts")
    evaluated = program.ranges(box)
    if evaluated is None:
        raise RejectedError("the formula is defined nowhere")
    values, maybe = evaluated
    _check_slopes(program, values, program.slots[id(subject.root)], rising=True)
    for made in program.steps:
        if made.slot in maybe:
            if not _is_root(made):
                raise RejectedError(f"{made.op} (node {made.number}) may fail")
            _check_slopes(program, values, made.args[0], rising=False)


def _is_root(made: Step) -> bool:
    """Whether all it needs is that its first operand is at least, or above, 0."""
    return isinstance(made, FixedPower | Given) or (isinstance(made, Applied) and made.has_sign)


def _is_not_negative(program: Program, node: Expr) -> bool:
    slot = program.slots.get(id(node))
    return any(_is_root(made) and made.args[0] == slot for made in program.steps)


def _range(subject: Subject, node: Expr) -> Interval:
    """The values of a part that is not negative, and 0."""
    program = Program([node], subject.numbers, ieee=subject.ieee)
    evaluated = program.ranges(subject.box)
    known = (of_double(0), infinite(1))
    found = meet(evaluated[0][program.slots[id(node)]], known) if evaluated else None
    return known if found is None else (of_double(0), found[1])


def _check_slopes(program: Program, values: Values, slot: int, rising: bool) -> None:
    for low, high in program.slopes_of(slot, values, program.variables):
        if not (low >= 0 if rising else high <= 0):
            raise RejectedError(f"a part is not proven to {'rise' if rising else 'fall'} with what is held")
