"""The open boxes in order of their bounds, compiled: a binary heap in two arrays."""

from __future__ import annotations

from typing import Any

from cpcbench.intervals.compiled import compiled


@compiled
def push(keys: Any, items: Any, count: int, key: float, item: int) -> int:
    """Adds an item; gives the new count."""
    at = count
    while at > 0:
        parent = (at - 1) >> 1
        if keys[parent] <= key:
            break
        keys[at], items[at] = keys[parent], items[parent]
        at = parent
    keys[at], items[at] = key, item
    return count + 1


@compiled
def pop(keys: Any, items: Any, count: int) -> int:
    """Takes the item with the least key away and gives it; the count is then one less."""
    least = items[0]
    count -= 1
    key, item = keys[count], items[count]
    at = 0
    while 2 * at + 1 < count:
        child = 2 * at + 1
        if child + 1 < count and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[at], items[at] = keys[child], items[child]
        at = child
    keys[at], items[at] = key, item
    return int(least)
