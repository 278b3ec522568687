"""How commands show that they are at work: one line on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Self

import typer

if TYPE_CHECKING:
    from cpcbench.problems.problem import Problem

ERASE = "\r\033[K"


class ProgressLine:
    """A line that changes in place on a terminal; elsewhere a new one every now and then.

    Used in a `with` statement, which clears the line at the end, or leaves its last text standing
    if `keep` is set.
    """

    LIVE = 0.2
    """Seconds between two texts on a terminal."""

    def __init__(self, *, every: float = 30.0, keep: bool = False) -> None:
        self._live = sys.stderr.isatty()
        self._pause = self.LIVE if self._live else every
        self._keep = keep
        self._open = False
        self._said = -float("inf") if self._live else time.monotonic()

    @property
    def due(self) -> bool:
        """Whether a text would be shown now; asked first where making one costs something."""
        return time.monotonic() - self._said >= self._pause

    def say(self, text: str, *, always: bool = False) -> None:
        """Shows the text if it is time to, or always."""
        if not (always or self.due):
            return
        self._said = time.monotonic()
        self._open = self._live
        typer.echo(f"{ERASE}{text}" if self._live else text, err=True, nl=not self._live)

    def begin(self, text: str) -> None:
        """Says what is worked on from now on: at once on a terminal, where the last text would mislead."""
        self.say(text, always=self._live)

    def over(self, problems: Sequence[Problem], doing: str) -> Iterator[Problem]:
        """The problems, each announced as its turn comes."""
        for place, problem in enumerate(problems, start=1):
            self.begin(f"{doing} {problem.id} ({place}/{len(problems)})")
            yield problem

    def close(self) -> None:
        """Ends the line; saying more begins another."""
        if self._open:
            typer.echo("" if self._keep else ERASE, err=True, nl=self._keep)
            self._open = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def duration(seconds: float | None) -> str:
    """A time in words, short; `?` if it is not known."""
    if seconds is None:
        return "?"
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
