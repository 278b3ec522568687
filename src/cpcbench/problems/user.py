"""Problems of the user's own: a formula as text and the bounds of its variables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cpcbench.errors import CpcbenchError
from cpcbench.expr.functions import whole
from cpcbench.expr.nodes import Expr, var
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.rewriting import replaced
from cpcbench.expr.walk import variables
from cpcbench.points import Points
from cpcbench.problems.problem import Problem
from cpcbench.readings.domain.constraints import TOLERANCE

Bounds = Union[ArrayLike, Mapping[str, ArrayLike]]

WANTED = "bounds are a list of (lower, upper), one for each variable, or a single pair for all of them"


def parse(
    text: str,
    bounds: Bounds,
    *,
    id: str = "user",  # noqa: A002
    names: Sequence[str] | None = None,
    rule: str = "ieee",
    subject_to: Sequence[str] = (),
    tolerance: float = TOLERANCE,
    integrality: Any = None,
) -> Problem:
    """The problem that a formula says.

    Parameters
    ----------
    text : str
        The formula; it is parsed, never evaluated.
    bounds : sequence of pairs, mapping, or one pair
        (lower, upper) of each variable, or by the variables' names, or one pair for all; -inf and inf say that there is
        none.
    id : str
        What the problem is called.
    names : sequence of str, optional
        The variables in their order; unless given, x1 to xn.
    rule : {"ieee", "strict"}
        The rule of admissibility for powers.
    subject_to : sequence of str
        Constraints, such as ["x1^2 + x2 <= 1", "x1*x2 == 0.5"].
    tolerance : float
        How far the sides of an equation among the constraints may be apart.
    integrality : sequence of int, optional
        By 1 and 0, which variables are whole numbers: `whole(x1)` then stands for x1.

    Returns
    -------
    Problem

    Raises
    ------
    CpcbenchError
        If the formula cannot be read (a `FormulaError`, which says where) or the bounds do not fit it.

    Examples
    --------
    >>> import cpcbench as cpc
    >>> p = cpc.parse("ln(x1 - x2^2) + sqrt(x2 - 0.3)", bounds=[(0, 1), (0, 1)])
    >>> p([0.5, 0.2]), p.conditions[1].text
    (nan, 'x2 - 0.3 >= 0')
    """
    if isinstance(bounds, Mapping):
        names = _named(bounds, names)
        pairs: list[tuple[float, float]] | None = [pair_of(bounds[name], name) for name in names]
    else:
        names = None if names is None else _list_of_names(names)
        pairs = pairs_of(bounds)
    expression = parse_formula(text, n=None if names or pairs is None else len(pairs), names=names)
    if pairs is None:
        used = variables(expression)
        count = len(names) if names is not None else used[-1] + 1 if used else 1
        pairs = [pair_of(bounds, "all variables")] * count
    if names is not None and len(names) != len(pairs):
        raise CpcbenchError(f"{len(names)} names but bounds for {len(pairs)} variables")
    lower, upper = zip(*pairs, strict=True)
    if isinstance(subject_to, str):
        raise CpcbenchError(f"subject_to is a list of statements, such as ['x1 <= 1'], not the text {subject_to!r}")
    problem = Problem(id, expression, lower, upper, rule=rule, names=names)
    if subject_to:
        problem = problem.subject_to(*subject_to, tolerance=tolerance)
    return with_integrality(problem, integrality)


def with_integrality(problem: Problem, integrality: Any) -> Problem:
    """The problem with `whole(x1)` for x1, of the variables that are whole numbers."""
    at = np.flatnonzero(checked_integrality(integrality, problem.lower, problem.upper)).tolist()
    if not at:
        return problem
    known = {id(whole(var(i))): whole(var(i)) for i in at}  # what says so already stays as it is
    return remade(problem, replaced(problem.expression, {**{id(var(i)): whole(var(i)) for i in at}, **known}))


def checked_integrality(given: Any, lower: Points, upper: Points) -> NDArray[np.bool_]:
    """Which variables are whole numbers, from `integrality=`: 1 and 0, or True and False, for each or for all."""
    if given is None:
        return np.zeros(len(lower), dtype=bool)
    try:
        said = np.broadcast_to(np.asarray(given), lower.shape)
        which = said.astype(bool)
        known = bool((said == which).all())
    except (TypeError, ValueError):
        known = False
    if not known:
        raise CpcbenchError(f"integrality is 1 (a whole number) or 0 for each of {len(lower)} variables, not {given!r}")
    empty = which & (np.ceil(lower) > np.floor(upper))
    if empty.any():
        i = int(np.argmax(empty))
        raise CpcbenchError(f"variable {i + 1} has no whole number between {lower[i]:g} and {upper[i]:g}")
    return which


def remade(problem: Problem, root: Expr, box: tuple[ArrayLike, ArrayLike] | None = None) -> Problem:
    """The problem with another formula or box, of which nothing is known; constraints keep their words."""
    lower, upper = (problem.lower, problem.upper) if box is None else box
    settings: dict[str, Any] = {"rule": problem.rule, "names": problem.names, "constraints": problem.constraints}
    return Problem(problem.id, root, lower, upper, **settings)


def _named(bounds: Mapping[str, ArrayLike], names: Sequence[str] | None) -> list[str]:
    given = list(bounds)
    if not given:
        raise CpcbenchError(f"{WANTED}, not {bounds!r}")
    if names is None:
        return given
    wanted = _list_of_names(names)
    if set(wanted) != set(given):
        raise CpcbenchError(f"the bounds name {given}, the names are {wanted}: they must be the same")
    return wanted


def _list_of_names(names: Sequence[str]) -> list[str]:
    if isinstance(names, str) or not names:
        raise CpcbenchError(f"names is a list of variable names, such as ['a', 'b'], not {names!r}")
    return list(names)


def pairs_of(bounds: object, *, finite: bool = False) -> list[tuple[float, float]] | None:
    """The list of pairs, also of SciPy's Bounds; None where one pair was given for all variables."""
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        bounds = list(zip(*(np.atleast_1d(side) for side in np.broadcast_arrays(bounds.lb, bounds.ub)), strict=True))
    items = _items(bounds)
    if items is None or not items:
        raise CpcbenchError(f"{WANTED}, not {bounds!r}")
    if all(_items(item) is None for item in items):
        return None
    return [pair_of(item, f"variable {i}", finite=finite) for i, item in enumerate(items, start=1)]


def pair_of(bounds: object, whose: str, *, finite: bool = False) -> tuple[float, float]:
    """One lower and one upper bound, checked."""
    items = _items(bounds)
    if items is None or len(items) != 2 or not all(isinstance(b, Real) and not isinstance(b, bool) for b in items):
        raise CpcbenchError(f"{WANTED}; those of {whose} are {bounds!r}")
    lower, upper = (_double(b) for b in items)
    if not lower <= upper or lower == math.inf or upper == -math.inf:
        raise CpcbenchError(f"the bounds of {whose} are {bounds!r}: numbers, lower <= upper, are needed")
    if finite and not (math.isfinite(lower) and math.isfinite(upper)):
        raise CpcbenchError(f"the bounds of {whose} are {bounds!r}: finite numbers are needed here")
    return lower, upper


def _double(bound: object) -> float:
    try:
        return float(bound)  # type: ignore[arg-type]
    except OverflowError:  # a number, but no double
        return math.nan


def _items(value: object) -> list[object] | None:
    """The items of a list, tuple or array; None for anything else, text and sets included."""
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__getitem__"):
        return None
    try:
        return list(value)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        return None
