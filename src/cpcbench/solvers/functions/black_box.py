"""A Python function on a box as a problem: it can be evaluated, and nothing else is known of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.errors import CpcbenchError, NoFormulaError
from cpcbench.points import Points, as_points
from cpcbench.problems.checked import identifier
from cpcbench.problems.facts import frozen
from cpcbench.problems.problem import Problem
from cpcbench.problems.user import WANTED, pairs_of
from cpcbench.rules import check_rule
from cpcbench.solvers.functions.answers import packed
from cpcbench.solvers.functions.user_function import UserFunction
from cpcbench.solvers.registry import from_place
from cpcbench.solvers.sources import Source, file_source, function_source


class BlackBox(Problem):
    """A function of one point, to be minimised over a box.

    It may raise, or return NaN, None, an infinity or a complex number where it has no value. What needs a formula
    (enclosures, conditions, gradients, proofs) raises `NoFormulaError`. `source` is the file it came from and its
    hash. The rule says only which tables of a study its runs stand in: a function has no powers to be read.
    """

    source: Source
    function: Callable[..., Any]

    def __init__(
        self, function: Callable[..., Any], bounds: object, *, id: str, source: Mapping[str, str] | None = None,  # noqa: A002
        place: str | None = None, rule: str = "ieee",
    ) -> None:  # fmt: skip
        if not callable(function):
            raise CpcbenchError(f"a function of a point is needed, not {function!r}")
        pairs = pairs_of(bounds, finite=True)
        if pairs is None:
            raise CpcbenchError(f"{WANTED}; a function needs one for each variable, such as [(0, 1)], not {bounds!r}")
        low, high = (frozen(side) for side in zip(*pairs, strict=True))
        self.__dict__.update(
            id=identifier(id), lower=low, upper=high, rule=check_rule(rule), dim=len(low), smallest_dim=None,
            names=tuple(f"x{i + 1}" for i in range(len(low))), best_known=None, constraints=(), facts=None,
            _shape=(len(low),),
            source=dict(function_source(function) if source is None else source), function=function, _place=place,
        )  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        """Only asked for what is not there: the expression and all that is read off it."""
        if name.startswith("__"):
            raise AttributeError(name)
        raise NoFormulaError(
            f"{self.__dict__.get('id', 'this problem')} is a Python function: it can be evaluated, but has no formula "
            f"to be read ({name} was asked for)"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """A place is loaded again where it is needed; a function travels as it is."""
        sent: str | bytes = self._place or packed(
            self.function, f"the function {self.id}", "define it in a module or pass workers=0"
        )
        return _rebuilt, (sent, self.bounds, self.id, self.source, self.rule)

    def _key(self) -> tuple[object, ...]:
        return self.id, id(self.function), self._place, self.lower.tobytes(), self.upper.tobytes(), self.rule

    def __repr__(self) -> str:
        return f"<BlackBox {str(self).partition(', rule')[0]}>"

    def __call__(self, x: ArrayLike, workers: int = 1) -> Any:  # noqa: ARG002 - as a problem is called
        """The function's value, NaN where it has none: a float for one point, an array for (..., n)."""
        points = as_points(x, self.dim)
        values = UserFunction(self.function)(points.reshape(-1, self.dim))
        return float(values[0]) if points.ndim == 1 else values.reshape(points.shape[:-1])

    def reference(self, x: ArrayLike) -> Any:
        """The function evaluated again: there is no other verdict on it."""
        return self(x)

    def admissible(self, x: ArrayLike, workers: int = 1) -> Any:  # noqa: ARG002 - as a problem is called
        values = self(x)
        return not math.isnan(values) if isinstance(values, float) else ~np.isnan(values)

    def with_rule(self, rule: str) -> BlackBox:
        if check_rule(rule) == self.rule:
            return self
        return BlackBox(self.function, self.bounds, id=self.id, source=self.source, place=self._place, rule=rule)

    @property
    def fast(self) -> Any:
        """What the objective of a run calls; each run counts the function's failures anew."""
        return Calls(self)


class Calls:
    """The function as a run's objective calls it: one point at a time, undefined outside the box."""

    def __init__(self, problem: BlackBox) -> None:
        self._lower, self._upper = problem.lower, problem.upper
        self._user = UserFunction(problem.function)

    def boxed(self, x: Points, _scratch: Points) -> float:
        if not ((self._lower <= x) & (x <= self._upper)).all():
            return math.nan
        return float(self._user(x[None])[0])


def black_box(function: Callable[..., Any] | str, bounds: object, *, id: str | None = None) -> BlackBox:  # noqa: A002
    """A function of one point as a problem of a study.

    Parameters
    ----------
    function : callable or str
        The function, or the place of one: `file.py:function`, `module:function`.
    bounds : sequence of pairs
        (lower, upper) of each variable.
    id : str, optional
        What the problem is called; unless given, the function's name.

    Returns
    -------
    BlackBox
        For `cpcbench.run` and `cpcbench.minimize`.
    """
    if not isinstance(function, str):
        name = getattr(function, "__name__", type(function).__name__)
        return BlackBox(function, bounds, id=str(name) if id is None else id)
    return placed(from_place(function), function, bounds, id=id)


def placed(found: Any, place: str, bounds: object, *, id: str | None = None) -> BlackBox:  # noqa: A002
    """What was found at a place as a problem, if it is a function; the place is loaded again in other processes."""
    if isinstance(found, Problem) or not callable(found):
        raise CpcbenchError(f"{place} is no function of a point, but {found!r}")
    home, _, attribute = place.rpartition(":")
    is_file = home.endswith(".py")
    name = f"{Path(home).stem if is_file else home}.{attribute}"
    source = file_source(Path(home)) if is_file else function_source(found)
    again = f"{Path(home).resolve()}:{attribute}" if is_file else place
    return BlackBox(found, bounds, id=name if id is None else id, source=source, place=again)


def _rebuilt(sent: str | bytes, bounds: object, name: str, source: Source, rule: str) -> BlackBox:
    import pickle

    place = sent if isinstance(sent, str) else None
    function = pickle.loads(sent) if isinstance(sent, bytes) else from_place(sent)  # noqa: S301 - from our own parent
    return BlackBox(function, bounds, id=name, source=source, place=place, rule=rule)
