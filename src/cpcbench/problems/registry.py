"""Finding problems by name: the suite, and those that users or installed packages add."""

from __future__ import annotations

import difflib
import operator
import re
import threading
import warnings
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Union

import numpy as np

from cpcbench.errors import CpcbenchError, UnknownNameError
from cpcbench.expr import variables
from cpcbench.problems.classic import CLASSIC
from cpcbench.problems.classics.all import formulas, names
from cpcbench.problems.classics.all import key as plain_name
from cpcbench.problems.collections.fits import curve_fits
from cpcbench.problems.cpc import CPC
from cpcbench.problems.definition import Definition
from cpcbench.problems.facts import facts
from cpcbench.problems.problem import Problem
from cpcbench.rules import check_rule

GROUP = "cpcbench.problems"
LARGEST_N = 10_000
INSTANCE = re.compile(r"\s*([^@]+)@([0-9]{1,10})\s*", re.ASCII)

SUITE: dict[str, Definition] = {**CPC, **CLASSIC}
FITS: dict[str, Definition] = {id_: Definition(id_, fit.squares, None, "b") for id_, fit in curve_fits().items()}

SUITES = ("cpc", "classics", "cf", "all")
"""What `problems` can list: the suite with what is registered, functions of the literature, curve fits, or all."""

Source = Union[Problem, Iterable[Problem], Callable[[], Union[Problem, Iterable[Problem]]]]

_registered: dict[str, Problem] = {}
_lock = threading.RLock()
_plugins_loaded = False


def problem(name: str, n: int | None = None, rule: str = "ieee", instance: int | None = None) -> Problem:
    """The problem of a name.

    Parameters
    ----------
    name : str
        An id such as "CPC-DF3", "df3", "Ackley1" or "CPC-CF7", or one that was registered; "CPC-DF3@7" is instance 7.
    n : int, optional
        The number of variables of a scalable problem; unless given, the published one.
    rule : {"ieee", "strict"}
        The rule of admissibility for powers.
    instance : int, optional
        From 1 on: the problem in disguise, shifted, scaled, rotated, its box cut.

    Returns
    -------
    Problem

    Raises
    ------
    CpcbenchError
        For an unknown name, rule or size.

    Examples
    --------
    >>> import cpcbench as cpc
    >>> p = cpc.problem("df4", n=3)
    >>> p.id, p.dim
    ('CPC-DF4', 3)
    """
    if not isinstance(name, str):
        raise UnknownNameError(f"a problem is asked for by its name, such as 'CPC-DF3', not {name!r}")
    check_rule(rule)
    named = INSTANCE.fullmatch(name)
    if named is not None and _key(name) in _others():
        named = None
    if named is not None or instance is not None:
        if named is not None and instance is not None:
            raise CpcbenchError(f"{name} is an instance already, and instance {instance!r} was asked for")
        return _instance(name, instance, n, rule) if named is None else _instance(named[1], int(named[2]), n, rule)
    key = _key(name)
    id_ = _own(key)
    found = None if id_ else _others().get(key)
    if id_ is None and found is None:
        id_ = names().get(plain_name(name))
    if id_ is not None:
        return _build(id_, _size(_definition(id_), n), rule)
    if found is None:
        raise UnknownNameError(_unknown(name))
    if n is not None and _whole(n) != found.dim:
        raise CpcbenchError(f"{found.id} has {found.dim} variables and no other size, n = {n} was asked for")
    return found.with_rule(rule)


def problems(rule: str = "ieee", suite: str = "cpc") -> list[Problem]:
    """All problems of a suite at their published sizes.

    Parameters
    ----------
    rule : {"ieee", "strict"}
        The rule of admissibility for powers.
    suite : {"cpc", "classics", "cf", "all"}
        The benchmark in order, then the registered problems; functions of the literature; curve fits; all of these.

    Returns
    -------
    list of Problem

    Examples
    --------
    >>> import cpcbench as cpc
    >>> len(cpc.problems()), cpc.problems()[2].id
    (28, 'CPC-DF3')
    """
    check_rule(rule)
    check_suite(suite)
    ids = SUITE if suite == "cpc" else FITS if suite == "cf" else formulas() if suite == "classics" else definitions()
    found = [_build(id_, facts(id_).n, rule) for id_ in ids]
    return found if suite in ("classics", "cf") else found + [other.with_rule(rule) for other in _others().values()]


def _definition(id_: str) -> Definition:
    """One formula; those of the classics are not read for another."""
    return SUITE.get(id_) or FITS.get(id_) or formulas()[id_]


def check_suite(suite: str) -> str:
    """The name of a suite, if it is one."""
    if suite not in SUITES:
        raise CpcbenchError(f"unknown suite {suite!r}: there are {', '.join(SUITES)}")
    return suite


@cache
def definitions() -> dict[str, Definition]:
    """All formulas by id: the suite, the classics, the curve fits."""
    return {**SUITE, **formulas(), **FITS}


def register(source: Source, replace: bool = False) -> None:
    """Makes a problem findable by its id, for this process.

    Parameters
    ----------
    source : Problem, sequence of Problem, or callable
        A problem, several, or a function without arguments that returns either.
    replace : bool
        Whether it may take the place of a registered problem of the same id.

    Raises
    ------
    CpcbenchError
        If the id is taken, or what is given is no problem.
    """
    found = _resolved(source)
    with _lock:
        for new in found:
            _check_free(new, replace)
        if len({_key(new.id) for new in found}) != len(found):
            raise CpcbenchError(f"two problems of the same id: {', '.join(new.id for new in found)}")
        _registered.update({_key(new.id): new for new in found})


def original(name: str) -> str:
    """The name of the problem that an instance is one of; the name itself if it is none."""
    named = INSTANCE.fullmatch(name)
    return name if named is None else named[1]


def _instance(name: str, number: int | None, n: int | None, rule: str) -> Problem:
    from cpcbench.problems.instances.making import instance

    return instance(problem(name, n, rule), number)


@lru_cache(maxsize=1024)
def _build(id_: str, n: int, rule: str) -> Problem:
    """Problems cannot change, so one object serves everyone, with its compiled kernels."""
    definition, known = _definition(id_), facts(id_)
    lower, upper = known.sides(n)
    return Problem(
        id_,
        definition.build(variables(n)),
        lower,
        upper,
        rule=rule,
        names=[f"{definition.letter}{i}" for i in range(1, n + 1)],
        facts=known,
        smallest_dim=definition.smallest,
    )


def _size(definition: Definition, n: int | None) -> int:
    published = facts(definition.id).n
    if n is None:
        return published
    size = _whole(n)
    if definition.smallest is None and size != published:
        raise CpcbenchError(f"{definition.id} has {published} variables and no other size, n = {size} was asked for")
    if definition.smallest is not None and not definition.smallest <= size <= LARGEST_N:
        raise CpcbenchError(f"{definition.id} takes n from {definition.smallest} to {LARGEST_N:,}, not {size}")
    return size


def _whole(n: int) -> int:
    try:
        size = operator.index(n)
    except TypeError:
        raise CpcbenchError(f"n is a whole number of variables, not {n!r}") from None
    if isinstance(n, (bool, np.bool_)):
        raise CpcbenchError(f"n is a whole number of variables, not {n!r}")
    return size


def _key(name: str) -> str:
    """The name that problems are kept under: capitals, the suite's own with their prefix."""
    key = name.strip().upper()
    return f"CPC-{key}" if f"CPC-{key}" in SUITE or f"CPC-{key}" in FITS else key


def _own(key: str) -> str | None:
    """The id of a problem that comes with the package, by what it is kept under; other names of classics yield."""
    if key in SUITE or key in FITS:
        return key
    id_ = names().get(key)
    return id_ if id_ is not None and id_.upper() == key else None


def _unknown(name: str) -> str:
    others = _others()
    short = {id_.removeprefix("CPC-").upper(): id_ for id_ in definitions()}
    known = {**{id_: id_ for id_ in definitions()}, **names(), **short, **{key: p.id for key, p in others.items()}}
    registered = "".join(f", {other.id}" for other in others.values())
    close = difflib.get_close_matches(_key(name), known, n=1, cutoff=0.6)
    hint = f"; did you mean {known[close[0]]}?" if close else ""
    shown = name if len(name) <= 60 else f"{name[:57]}..."
    suite = f"CPC-DF1 … CPC-DF25, F37, F138, F170, CPC-CF1 … CPC-CF38, {len(formulas())} classics"
    return f"unknown problem {shown!r}: the suite has {suite}{registered}{hint}"


def _resolved(source: Source) -> list[Problem]:
    given = source
    if callable(given) and not isinstance(given, Problem):
        given = given()
    found = [given] if isinstance(given, Problem) else list(given) if isinstance(given, Iterable) else [given]
    if not found or not all(isinstance(each, Problem) for each in found):
        raise CpcbenchError(
            f"a Problem, a list of them or a function returning those is needed, {source!r} gives {given!r}"
        )
    return found


def _check_free(new: Problem, replace: bool) -> None:
    if _own(_key(new.id)) or _own(_key(original(new.id))):
        raise CpcbenchError(f"{new.id} names a problem of the suite: choose another id")
    if _key(new.id) in _registered and not replace:
        raise CpcbenchError(f"{new.id} is registered already: pass replace=True to put this one in its place")


def _others() -> dict[str, Problem]:
    """The registered problems, those of installed packages included, loaded when first asked for."""
    global _plugins_loaded  # noqa: PLW0603
    with _lock:
        if not _plugins_loaded:
            _plugins_loaded = True
            for entry in entry_points(group=GROUP):
                _load(entry)
        return dict(_registered)


def _load(entry: EntryPoint) -> None:
    try:
        register(entry.load())
    except Exception as error:  # another package's code: whatever it raises must not stop this one
        warnings.warn(
            f"the problems of entry point {entry.name!r} ({entry.value}) could not be loaded: {error!r}",
            stacklevel=2,
        )
