"""The problems of a study, however they are named: ids, formulas, functions, and places where those are found."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from cpcbench.errors import CpcbenchError, UnknownNameError
from cpcbench.experiment.plan.scripts import part_of_box
from cpcbench.problems.problem import Problem
from cpcbench.problems.registry import SUITE, definitions, original, problem
from cpcbench.problems.registry import problems as all_problems
from cpcbench.problems.user import parse
from cpcbench.solvers.functions.black_box import BlackBox, black_box, placed
from cpcbench.solvers.registry import from_place

PLACE = re.compile(r"(?:.*\.py|[A-Za-z_][\w.]*):[A-Za-z_]\w*", re.DOTALL)
SIZED = re.compile(r"([\w-]+(?:@[0-9]{1,10})?):([0-9]{1,9})", re.ASCII)
LONGEST_ID = 48

CPC = tuple(id_ for id_ in SUITE if id_.startswith("CPC-"))
CLASSICS = tuple(id_ for id_ in SUITE if id_ not in CPC)

Box = Callable[[str], Any]


def study_problems(
    given: Sequence[Any] | None, rule: str, bounds: Any = None, subject_to: Sequence[str] = ()
) -> list[Problem]:
    """The problems; all of the registry if none are given. `bounds` are for the functions and formulas among them.

    `subject_to` are constraints of formulas: where there are any, every problem has to be one.
    """
    if isinstance(subject_to, str):
        raise CpcbenchError(f"subject_to is a list of statements, such as ['x1 + x2 <= 1'], not {subject_to!r}")
    used: list[str] = []
    formulas: list[str] = []

    def box(what: str) -> Any:
        """The bounds for what has no box of its own."""
        if bounds is None:
            raise CpcbenchError(f"{what} needs its box: bounds with one pair lower:upper for each variable")
        used.append(what)
        return bounds

    def formula(text: str) -> Problem:
        formulas.append(text)
        return _formula(text, rule, box(text), subject_to)

    if given is None:
        found = all_problems(rule=rule)
    elif isinstance(given, str) or not isinstance(given, Iterable):
        raise CpcbenchError(f"problems is a list, such as ['CPC-DF1'], not {given!r}")
    else:
        found = [_problem(item, rule, box, None if bounds is None else formula) for item in given]
    if subject_to and len(formulas) < len(found):
        raise CpcbenchError("constraints (subject_to) are for formulas, with their bounds: every problem has to be one")
    if bounds is not None and not used:
        raise CpcbenchError("bounds are for functions and formulas: every problem here has a box of its own")
    for p in found:
        if original(p.id) in definitions() and not _is_it(p):
            raise CpcbenchError(f"{p.id} names a problem of the suite, but this is another: give it an id of its own")
    return found


def _is_it(p: Problem) -> bool:
    """Whether it is the problem that its id names, on its box or that of a script."""
    if isinstance(p, BlackBox):
        return False
    if p.id not in definitions():
        return p == known_problem(p.id, p.dim, p.rule)
    return p == problem(p.id, n=p.dim if p.scalable else None, rule=p.rule) or bool(part_of_box(p))


def suite_place(id_: str) -> tuple[int, str]:
    """Sorts problems in the suite's order, others after them by their ids."""
    known, home = definitions(), original(id_)
    number = id_[len(home) + 1 :]
    return (list(known).index(home), f"{number:>10}" if number else "") if home in known else (len(known), id_)


def known_problem(id_: str, n: int, rule: str) -> Problem | None:
    """The problem of a run; None if it is not known here, such as one of another user's own, or of another size."""
    try:
        return problem(id_, n=n, rule=rule) if original(id_) in definitions() else None
    except CpcbenchError:
        return None


def _problem(item: Any, rule: str, box: Box, formula: Callable[[str], Problem] | None) -> Problem:
    """One problem: an id such as DF3 or DF4:8, a Problem, a function, `file.py:name` of either, or a formula."""
    if isinstance(item, Problem):
        return item.with_rule(rule) if isinstance(item, BlackBox) else item
    if callable(item):
        return black_box(item, box(getattr(item, "__name__", repr(item)))).with_rule(rule)
    if not isinstance(item, str):
        raise UnknownNameError(f"a problem is asked for by its name, such as 'CPC-DF3', not {item!r}")
    word = item.strip()
    if (sized := SIZED.fullmatch(word)) is not None:
        return problem(sized[1], n=int(sized[2]), rule=rule)
    if PLACE.fullmatch(word):
        return _at(word, rule, box)
    try:
        return problem(word, rule=rule)
    except UnknownNameError:
        if formula is not None:
            return formula(word)
        if not re.fullmatch(r"[\w@-]+", word):
            raise UnknownNameError(f"{_short(word)!r} is no problem's id; a formula needs its box (bounds)") from None
        raise


def _at(place: str, rule: str, box: Box) -> Problem:
    home = place.rpartition(":")[0]
    if home.strip().upper().removeprefix("CPC-") in {id_.removeprefix("CPC-").upper() for id_ in definitions()}:
        raise UnknownNameError(f"{home} with 8 variables is written as {home}:8, not {_short(place)!r}")
    found = from_place(place)
    made = found if isinstance(found, Problem) else placed(found, place, box(place))
    return made.with_rule(rule)


def _formula(text: str, rule: str, bounds: Any, subject_to: Sequence[str]) -> Problem:
    """A formula is known by itself and its constraints, so that two of them are never taken for one."""
    words = " ".join(" subject to ".join([text, ", ".join(subject_to)] if subject_to else [text]).split())
    digest = hashlib.sha256(words.encode()).hexdigest()[:8]
    name = words if len(words) <= LONGEST_ID else f"{words[:LONGEST_ID]}... {digest}"
    pairs = list(bounds)
    box = pairs[0] if len(pairs) == 1 else bounds
    return parse(text, bounds=box, id=name, rule=rule, subject_to=list(subject_to))


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
