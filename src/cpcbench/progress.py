"""How far a work is, as every `progress` callback is told: one line of text, which also knows its numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self


class Line(str):
    """A line of text; `done` of `total`, where something is counted."""

    done: int
    total: int

    def __new__(cls, text: str, done: int = 0, total: int = 0) -> Self:
        made = super().__new__(cls, text)
        made.done, made.total = done, total
        return made


Tell = Callable[[Line], None]
"""What `progress` is where something is counted: any function of a text, such as `print`, will do."""


def silent(_line: str) -> None:
    """Tells nobody."""
