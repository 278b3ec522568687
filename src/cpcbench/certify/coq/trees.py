"""A tree of a certificate as a term of Coq: places as numbers, multipliers by the conditions that they are for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from cpcbench.certify.checker.core.link import Box, Link
from cpcbench.certify.checker.core.mean_value import open_conditions
from cpcbench.certify.checker.core.task import Task
from cpcbench.certify.checker.core.trees import NATURAL, multipliers_of
from cpcbench.certify.coq.language import rational
from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr

LEAF, MEAN = "Leaf", "(Mean [])"


def tree(task: Task, conditions: Sequence[Expr]) -> str:
    """The tree; below a face, where the sum is least, leaves are by the mean-value form, which takes faces itself.

    So are convex leaves, which Coq has to halve for that.
    """
    link = task.link
    tokens = iter(task.tokens)
    found: list[str] = []
    waiting: list[tuple[Box, bool] | str] = [(link.box, False)]
    while waiting:
        now = waiting.pop()
        if isinstance(now, str):
            found.append(now)
            continue
        (box, faced), token = now, next(tokens)
        if token[0] in ("s", "t"):
            axis, middle = _cut(link, token, box)
            low, high = box[axis]
            found.append(f"(Split {link.variables[axis]} {rational(Fraction(middle))} ")
            first, second = (_with(box, axis, pair) for pair in ((low, middle), (middle, high)))
            waiting += [")", (second, faced), " ", (first, faced)]
        elif token[0] in ("l", "h"):
            axis = int(token[1:])
            waiting.append((_with(box, axis, (box[axis][token[0] == "h"],) * 2), True))
        elif token == NATURAL:
            found.append(MEAN if faced else LEAF)
        elif token[0] == "c":
            found.append(MEAN)
        elif token[0] == "m":
            found.append(f"(Mean [{'; '.join(_taken(task, token, box, conditions))}])")
        else:
            raise CpcbenchError(f"the token {token[:20]!r} has no theorem yet")
    if next(tokens, None) is not None:
        raise ValueError("the tree goes on after its end")
    return "".join(found)


def _with(box: Box, axis: int, pair: tuple[float, float]) -> Box:
    return (*box[:axis], pair, *box[axis + 1 :])


def _cut(link: Link, token: str, box: Box) -> tuple[int, float]:
    """The axis that a token splits, and where."""
    axis, k = (int(part) for part in token[1:].split(":"))
    if token[0] == "t":
        return axis, next(part.breaks for part in link.parts if part.axis == axis)[k]
    low, high = box[axis]
    return axis, low + (high - low) * (k / 256)


def _taken(task: Task, token: str, box: Box, conditions: Sequence[Expr]) -> Iterator[str]:
    """The multipliers of a leaf, each with the place of its condition."""
    link, multipliers = task.link, multipliers_of(token)
    evaluated = link.natural(box)
    if multipliers is None or evaluated is None:
        return
    held = open_conditions(link, *evaluated, len(multipliers))
    places = {id(condition): place for place, condition in enumerate(conditions)}
    for made, multiplier in zip((m for m in link.program.domains if m.slot in held), multipliers, strict=True):
        if multiplier:
            operand = task.subject.order[made.number].args[0]
            yield f"({places[id(operand)]}%nat, {rational(multiplier)})"
