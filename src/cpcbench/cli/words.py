"""What the commands share: reading problems and points from words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

import cpcbench as cpc
from cpcbench.errors import CpcbenchError, PointError, UnknownNameError, shortened

if TYPE_CHECKING:
    from cpcbench.problems.problem import Problem

NAME = re.compile(r"\s*[\w-]{1,60}(@[0-9]{1,10})?\s*")
PLACE = re.compile(r"(?:[\w./\\ -]+\.py|[A-Za-z_][\w.]*):[A-Za-z_]\w*")
MODEL = re.compile(r".+\.(?:nl|mbx|bch)", re.IGNORECASE)
VARIABLE = re.compile(r"\bx[0-9]+\b")

ProblemWord = Annotated[
    str,
    typer.Argument(
        metavar="PROBLEM",
        help="An id such as CPC-DF3 or df3, a model (.nl, .mbx, .bch); with --bounds a formula or model.py:cost.",
    ),
]
PointWords = Annotated[
    list[str] | None, typer.Argument(metavar="X1 X2 ...", help="The point's coordinates, such as -5 5.")
]
SuiteOption = Annotated[
    str, typer.Option("--suite", help="cpc (the benchmark), classics (of the literature), cf (curve fits) or all.")
]
SizeOption = Annotated[int | None, typer.Option("--n", help="The size of a scalable problem.")]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="The same seed gives the same answer.")]
RuleOption = Annotated[str, typer.Option("--rule", help="Admissibility rule: ieee or strict.")]
TypesOption = Annotated[
    str,
    typer.Option(
        "--types",
        help="Rule for Type I: paper (near the published solution) or strict (within 1e-4 of the best-known value).",
    ),
]
BoundsOption = Annotated[
    str | None,
    typer.Option("--bounds", help="The box of a formula: 0:1 for all variables, or 0:1,-5:5 for one each."),
]
FunctionBoundsOption = Annotated[
    str | None,
    typer.Option("--bounds", help="The box of functions and formulas: 0:1,-5:5, one pair a variable."),
]
SubjectOption = Annotated[
    list[str] | None,
    typer.Option("--subject-to", help='A constraint, such as "x1^2 + x2 <= 1" or "x1*x2 == 0.5"; again for more.'),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs; what is undefined is null.")]


def read_problem(
    word: str, n: int | None, rule: str, bounds: str | None, subject_to: Sequence[str] | None = None
) -> Problem:
    """A problem of the suite, or one made from a formula, a model file or a Python function, under constraints."""
    return _read(word, n, rule, bounds).subject_to(*subject_to or ())


def _read(word: str, n: int | None, rule: str, bounds: str | None) -> Problem:
    if MODEL.fullmatch(word):
        if n is not None or bounds is not None:
            raise CpcbenchError(f"{shortened(word)} has variables and bounds of its own: leave --n and --bounds away")
        return cpc.read(word, rule=rule)
    if bounds is None:
        return _named(word, n, rule)
    if PLACE.fullmatch(word):
        return _traced(word, n, rule, read_bounds(bounds))
    if NAME.fullmatch(word) and _is_known(word):
        raise CpcbenchError(f"{word} has a box of its own: --bounds is for formulas")
    if n is not None:
        raise CpcbenchError(
            "--n is for scalable problems of the suite; a formula has as many variables as --bounds says"
        )
    pairs = read_bounds(bounds)
    return cpc.parse(word, bounds=pairs[0] if len(pairs) == 1 else pairs, rule=rule)


def read_problems(
    words: Sequence[str] | None, n: int | None, rule: str, bounds: str | None, default: Sequence[Problem] | None = None,
    subject_to: Sequence[str] | None = None,
) -> list[Problem]:  # fmt: skip
    """The problems named; without a name the default ones, or the whole suite."""
    if words:
        return [read_problem(word, n, rule, bounds, subject_to) for word in words]
    if n is not None or bounds is not None or subject_to:
        raise CpcbenchError("--n, --bounds and --subject-to need a problem to go with")
    return cpc.problems(rule=rule) if default is None else list(default)


def cpc_functions(n: int | None = None, suite: str = "cpc") -> list[Problem]:
    """The functions of a suite, of cpc those that are the benchmark's own; with a size, those that can have it."""
    from cpcbench.problems.classics.all import formulas

    every = [p for p in cpc.problems(suite=suite) if p.id.startswith("CPC-") or p.id in formulas()]
    return every if n is None else [cpc.problem(p.id, n=n) for p in every if (p.smallest_dim or n + 1) <= n]


def read_bounds(text: str, option: str = "--bounds") -> list[tuple[float, float]]:
    """The sides of a box, one pair or one a variable."""
    return [_pair(part, option) for part in text.split(",")]


def _named(word: str, n: int | None, rule: str) -> Problem:
    if not NAME.fullmatch(word) or VARIABLE.search(word):
        raise UnknownNameError(f"{shortened(word)!r} is no problem's id; a formula needs its box: --bounds lower:upper")
    return cpc.problem(word, n=n, rule=rule)


def _traced(place: str, n: int | None, rule: str, bounds: list[tuple[float, float]]) -> Problem:
    from cpcbench.solvers.registry import from_place

    if n is not None:
        raise CpcbenchError(
            "--n is for scalable problems of the suite; a function has as many variables as --bounds says"
        )
    return cpc.trace(from_place(place), bounds, rule=rule)


def _is_known(word: str) -> bool:
    try:
        cpc.problem(word)
    except UnknownNameError:
        return False
    return True


def _pair(text: str, option: str) -> tuple[float, float]:
    low, colon, high = text.partition(":")
    if not colon:
        raise CpcbenchError(f"{option} takes lower:upper, such as -100:100, not {shortened(text)!r}")
    return read_number(low, option), read_number(high, option)


def read_point(words: Sequence[str] | None, problem: Problem, option: str = "") -> list[float]:
    """The coordinates of one point, as many as the problem has variables."""
    point = read_numbers(words or (), option)
    if len(point) != problem.dim:
        hint = f"; say --n {len(point)} for that size" if problem.scalable and point else ""
        given = f"{option}: " if option else ""
        raise PointError(f"{given}{problem.id} takes {_count(problem.dim)}, not {len(point)}{hint}")
    return point


def read_numbers(words: Iterable[str], option: str = "") -> list[float]:
    """Numbers given as words, with or without commas; trouble names the option they were given by."""
    return [read_number(part, option) for word in words for part in word.replace(",", " ").split()]


def read_number(text: str, option: str = "") -> float:
    if text.startswith("--"):  # a misspelt option, which the parser lets through for the sake of negative numbers
        raise CpcbenchError(f"there is no option {shortened(text)}")
    try:
        return float(text)
    except ValueError:
        place = f"{option} takes numbers: " if option else ""
        raise CpcbenchError(f"{place}{shortened(text)!r} is not a number") from None


def _count(n: int) -> str:
    return f"{n} coordinate{'' if n == 1 else 's'}"
