"""What the studies' commands share: problems by their names, and tables in a format, on paper or in a file."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from inspect import Parameter
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

import cpcbench as cpc
from cpcbench.cli.words import BoundsOption, RuleOption, SizeOption, SubjectOption, read_problems
from cpcbench.cli.writing import ForceOption, FormatOption, OutputOption, check_format, place, write_tables
from cpcbench.errors import CpcbenchError

if TYPE_CHECKING:
    from cpcbench.report.table import Table

EveryOption = Annotated[bool, typer.Option("--all", help="All problems of the suite.")]

Study = Callable[..., "Sequence[Table]"]

SHARED: dict[str, tuple[Any, Any]] = {
    "n": (SizeOption, None),
    "rule": (RuleOption, "ieee"),
    "bounds": (BoundsOption, None),
    "subject_to": (SubjectOption, None),
    "style": (FormatOption, "terminal"),
    "output": (OutputOption, None),
    "force": (ForceOption, False),
}
"""The options that every such command has, with their defaults."""


def tabled(
    words: str, *, one: bool = False, default: Callable[[str], list[cpc.Problem]] | None = None
) -> Callable[[Study], Callable[..., None]]:
    """Makes a command of a study: a function that takes problems, then options of its own, and gives tables.

    `words` says what may stand for the problems, or with `one` for the only one; `default` gives them where none is
    named. A study with an option `every` needs names or that option; a file called `state` is never written over.
    """
    metavar = "PROBLEM" if one else "PROBLEM..."
    names: Any = Annotated[str | None if one else list[str] | None, typer.Argument(metavar=metavar, help=words)]

    def made(study: Study) -> Callable[..., None]:
        @wraps(study)
        def command(
            problems: list[str] | str | None, *, n: int | None, rule: str, bounds: str | None, style: str,
            subject_to: list[str] | None, output: Path | None, force: bool, **options: Any,
        ) -> None:  # fmt: skip
            if options.get("every", not problems) == bool(problems):
                raise CpcbenchError(f"name {'one problem' if one else 'problems'}, or say --all for all of the suite")
            check_format(style)
            target = place(output, style, options.get("state"), force=force)
            given = [problems] if isinstance(problems, str) else problems
            usual = None if default is None else default(rule)
            chosen = read_problems(given, n, rule, bounds, usual, subject_to)
            write_tables(study(chosen, **options), style, target)

        _, *own = inspect.signature(study).parameters.values()
        written = SimpleNamespace(__annotations__={p.name: p.annotation for p in own})
        kinds = get_type_hints(written, study.__globals__, include_extras=True)
        given = [Parameter("problems", Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=names)]
        given += [p.replace(kind=Parameter.KEYWORD_ONLY, annotation=kinds[p.name]) for p in own]
        given += [Parameter(name, Parameter.KEYWORD_ONLY, default=v, annotation=a) for name, (a, v) in SHARED.items()]
        command.__signature__ = inspect.Signature(given)  # type: ignore[attr-defined]
        command.__annotations__ = {p.name: p.annotation for p in given}
        return command

    return made
