"""What the commands share: reading problems and points from words, and printing results."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

import cpcbench as cpc
from cpcbench.errors import CpcbenchError

NAME = re.compile(r"\s*[\w-]+\s*")
NUMBERS_MAY_BE_NEGATIVE = {"ignore_unknown_options": True}
"""Lets `-5` be a coordinate; no command that takes points has one-letter options."""

ProblemWord = Annotated[
    str, typer.Argument(metavar="PROBLEM", help="An id such as CPC-DF3, or a formula in quotes with --bounds.")
]
PointWords = Annotated[list[str] | None, typer.Argument(metavar="X1 X2 ...", help="The point's coordinates.")]
SizeOption = Annotated[int | None, typer.Option("--n", help="The size of a scalable problem.")]
RuleOption = Annotated[str, typer.Option("--rule", help="Admissibility rule: ieee or strict.")]
BoundsOption = Annotated[
    str | None,
    typer.Option("--bounds", help="For a formula: lower:upper for all variables, or one pair each, with commas."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of tables.")]


def console() -> Console:
    """A console as wide as the terminal, or wide enough for tables when printing to a file."""
    return Console() if sys.stdout.isatty() else Console(width=132)


def read_problem(word: str, n: int | None, rule: str, bounds: str | None) -> cpc.Problem:
    """A problem of the suite, or one made from a formula."""
    if bounds is None:
        if NAME.fullmatch(word):
            return cpc.problem(word, n=n, rule=rule)
        raise CpcbenchError(f"{word!r} is no problem id; for a formula, say its box too: --bounds lower:upper")
    if n is not None:
        raise CpcbenchError(
            "--n is for scalable problems of the suite; a formula has as many variables as --bounds says"
        )
    pairs = [_pair(part) for part in bounds.split(",")]
    return cpc.parse(word, bounds=pairs[0] if len(pairs) == 1 else pairs, rule=rule)


def read_point(words: Sequence[str] | None) -> list[float]:
    """Coordinates given as words, with or without commas."""
    parts = [part for word in words or () for part in word.replace(",", " ").split()]
    return [read_number(part) for part in parts]


def read_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise CpcbenchError(f"{text!r} is not a number") from None


def _pair(text: str) -> tuple[float, float]:
    low, colon, high = text.partition(":")
    if not colon:
        raise CpcbenchError(f"--bounds takes lower:upper, such as -100:100, not {text!r}")
    return read_number(low), read_number(high)


def show_json(value: object) -> None:
    """JSON on standard output; NaN becomes null, infinities become text."""
    typer.echo(json.dumps(plain(value), indent=2, allow_nan=False, ensure_ascii=False))


def plain(value: Any) -> Any:
    """The value in JSON's own types."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value) if not f.name.startswith("_")}
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def number(value: float | None) -> str:
    """A double so that reading it back gives the same bits; `undefined` for NaN."""
    if value is None:
        return "-"
    return "undefined" if math.isnan(value) else repr(float(value))


def facts_table(rows: Iterable[tuple[str, str]]) -> Table:
    """Two columns, what and its value."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in rows:
        table.add_row(name, _literal(text))
    return table


def _literal(text: str) -> str:
    return text.replace("[", r"\[")  # brackets are formulas here, not markup
