"""The rows of a tape, packed into the arrays that compiled code reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cpcbench.intervals import operations as ops
from cpcbench.intervals.fillings.slots import HIDDEN
from cpcbench.intervals.functions.table import ASKS, OF_WHOLE_NUMBERS
from cpcbench.intervals.operations import Code
from cpcbench.intervals.table_ranges import table_arrays
from cpcbench.intervals.tables import Table

Key = tuple[Any, ...]
"""An operation, its three operands (-1: none), its two numbers, its state and the node that owns it."""

NEEDED = {ops.WHERE: 1, ops.FILLED: 2, ops.SLOPED: 2}
"""How many operands must be defined, where that is not all of them."""


def operands(row: Key) -> tuple[int, ...]:
    if row[0] in (ops.CONST, ops.VAR):
        return ()
    if row[0] == ops.TABLE:
        return (row[1],)
    return tuple(slot for slot in row[1:4] if slot >= 0)


def arranged(row: Key, place: dict[int, int]) -> Key:
    """The row with its operands at their new places."""
    if row[0] in (ops.CONST, ops.VAR):
        return row
    if row[0] == ops.TABLE:
        return (row[0], place[row[1]], *row[2:])
    return (row[0], *(place.get(slot, -1) for slot in row[1:4]), *row[4:])


def code_of(rows: list[Key], axis: dict[int, int], tables: Sequence[Table], several: bool) -> tuple[Code, list[int]]:
    """The arrays of a tape, and for each slot with a condition the number of its node; `several` roots need no slot."""
    columns = list(zip(*rows, strict=True))
    owners: Sequence[int] = columns[7]
    op, left, right, third = (np.array(column, dtype=np.int64) for column in columns[:4])
    kinds = np.array([_kind(row) for row in rows], dtype=np.int8)
    domains = sorted((k for k in range(len(rows)) if kinds[k] != ops.PLAIN), key=lambda k: (owners[k], k))
    place = np.full(len(axis), -1, dtype=np.int64)
    for k in np.flatnonzero(op == ops.VAR):
        place[left[k]] = k
    needed = np.zeros(len(rows), dtype=np.bool_) if several else _needed(rows)
    code = Code(
        op, left, right, third,
        np.array(columns[4], dtype=np.float64), np.array(columns[5], dtype=np.float64),
        np.array(columns[6], dtype=np.int8), _uses(rows), needed, kinds,
        np.array(domains, dtype=np.int64), place, _whole(rows, place), *table_arrays(tables, axis),
    )  # fmt: skip
    return code, [owners[k] for k in domains]


def _whole(rows: list[Key], place: Any) -> Any:
    """On which axes only whole numbers count: all that has the variable as its operand needs them."""
    users = [{row[0] for row in rows if slot >= 0 and slot in operands(row)} for slot in place.tolist()]
    return np.array([bool(found) and found <= OF_WHOLE_NUMBERS for found in users], dtype=np.bool_)


def _kind(row: Key) -> int:
    op, exponent = row[0], row[4]
    if row[7] == HIDDEN:
        return ops.PLAIN
    return ops.OTHER if op == ops.WHOLE and exponent < 0.0 else ASKS.get(op, ops.PLAIN)


def _uses(rows: list[Key]) -> Any:
    uses = np.zeros(len(rows), dtype=np.int64)
    for k, row in enumerate(rows):
        if row[0] == ops.VAR:
            uses[k] = 1 << min(row[1], ops.LAST_BIT)
        for slot in operands(row):
            uses[k] |= uses[slot]
    return uses


def _needed(rows: list[Key]) -> Any:
    needed = np.zeros(len(rows), dtype=np.bool_)
    needed[-1] = True
    for k in range(len(rows) - 1, -1, -1):
        if needed[k]:
            for slot in operands(rows[k])[: NEEDED.get(rows[k][0], 3)]:
                needed[slot] = True
    return needed
