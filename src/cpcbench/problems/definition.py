"""How a function joins the suite: a decorator that notes its id and the sizes it can take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cpcbench.expr import Expr

Build = Callable[[list[Expr]], Expr]


@dataclass(frozen=True)
class Definition:
    """A formula as a function of its variables; `smallest` is None unless it can be scaled.

    The variables are called `letter` 1, 2 and so on.
    """

    id: str
    build: Build
    smallest: int | None
    letter: str = "x"


class Definitions(dict[str, Definition]):
    """The definitions of one file by id, in the order written."""

    def define(self, id: str, *, smallest: int | None = None) -> Callable[[Build], Build]:  # noqa: A002
        """Notes the decorated formula; `smallest` says it is written for any n from there on."""

        def note(build: Build) -> Build:
            self[id] = Definition(id, build, smallest)
            return build

        return note
