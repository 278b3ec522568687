"""The operations of a tape, as numbers, and the arrays that hold one.

Those of one kind have numbers next to each other: compiled code asks for ranges of numbers, which is quick.
"""

from __future__ import annotations

from typing import Any, NamedTuple

CONST, VAR, TABLE = 0, 1, 2
ADD, SUB, MUL, DIV, NEG, SQUARE = 3, 4, 5, 6, 7, 8
LT, LE, WHERE = 9, 10, 11
WHOLE, FRACTION, VARYING, THIN = 12, 13, 14, 15
"""Powers: by a whole number, by a number that is not whole, by what varies with a base >= 0, and by anything."""

LOG_POWER, HULL, EITHER, FILLED, SLOPED = 16, 17, 18, 19, 20
"""u^p ln(u), beside the product it stands for; the hull with a constant; what is known of one number in two ways, as
far as each is defined; a quotient that is known otherwise where its holes are filled; and that quotient as a function
of another slot, with its slope."""

GIVEN = 21
"""The right operand, where the left one is at least 0."""

FUNCTION = 22
"""The first of the functions of one operand; see `functions.table`."""

PAIR = 100
"""The first of the functions of two operands; see `functions.pairs`."""

NOWHERE, MAYBE, EVERYWHERE = 0, 1, 2

PLAIN, SIGNED, OTHER = 0, 1, 2
"""What a slot asks of its operand: nothing, that it is not negative (it can have a multiplier), something else."""

LAST_BIT = 62
"""The bit that all axes from this one on share."""


class Code(NamedTuple):
    """A formula as a straight line of operations, operands before their users, the root last.

    `op[k]` is done on the slots `left[k]`, `right[k]`, `third[k]`; `lo[k]`, `hi[k]` hold a constant or an
    exponent, `state[k]` a constant's state; `uses[k]` has a bit for each axis that the slot depends on (those from
    `LAST_BIT` on share one), and `needed[k]` is False inside a branch of a `where`, and for what only helps to know
    another slot better. `domains` are the slots with a condition, in the order of the formula; `place[i]` is the slot
    of axis i (-1: it does not occur), and where `whole[i]` only whole numbers count along it. The tables lie behind one
    another: table t has the cells `first[t]` to `first[t + 1] - 2` and a closing breakpoint;
    `table_of[i]` is the table on axis i (-1: none). A cell's line starts at `base` with a slope from `slope` to
    `slope_to`; for tables that are `joined` the two `levels` answer for many cells at once.
    """

    op: Any
    left: Any
    right: Any
    third: Any
    lo: Any
    hi: Any
    state: Any
    uses: Any
    needed: Any
    kind: Any
    domains: Any
    place: Any
    whole: Any
    table_of: Any
    first: Any
    joined: Any
    breaks: Any
    base: Any
    slope: Any
    slope_to: Any
    levels: Any
    slope_levels: Any
