"""A table as data; how it looks is the renderers' business."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Union

from cpcbench.errors import CpcbenchError

Cell = Union[str, bool, int, float, tuple[float, ...], None]
"""NaN means undefined, None that there is nothing to show; a tuple is a point."""

Row = Sequence[Cell]


@dataclass(frozen=True, init=False)
class Table:
    """A title, the columns' names, rows of as many cells, and notes below; `key` names it in files."""

    key: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...]

    def __init__(
        self, key: str, title: str, columns: Iterable[str], rows: Iterable[Row], notes: Iterable[str] = ()
    ) -> None:
        grid = tuple(tuple(row) for row in rows)
        self.__dict__.update(key=key, title=title, columns=tuple(columns), rows=grid, notes=tuple(notes))
        for row in grid:
            if len(row) != len(self.columns):
                raise CpcbenchError(
                    f"the table {title!r} has {len(self.columns)} columns, a row of {len(row)} was given"
                )

    def column(self, name: str) -> list[Cell]:
        """The cells of one column, from the top."""
        if name not in self.columns:
            raise CpcbenchError(f"the table {self.title!r} has no column {name!r}: it has {', '.join(self.columns)}")
        index = self.columns.index(name)
        return [row[index] for row in self.rows]
