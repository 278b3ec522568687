"""An ordinary Python function, read: run on symbols, it writes its formula down."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cpcbench.entrance.code import readable
from cpcbench.entrance.comparing import compare
from cpcbench.entrance.paths import Way, all_ways
from cpcbench.entrance.refusal import Refused, raised, raised_by_user, refused, watch_exceptions
from cpcbench.entrance.symbols import branch
from cpcbench.entrance.values import Array, Value
from cpcbench.errors import CpcbenchError
from cpcbench.expr.functions import undefined, variables
from cpcbench.expr.nodes import Expr
from cpcbench.points import search_box
from cpcbench.problems.problem import Problem
from cpcbench.problems.user import Bounds, pairs_of, remade, with_integrality

MOST_PATHS = 1000


def trace(
    fun: Callable[..., Any],
    bounds: Bounds,
    args: tuple[Any, ...] = (),
    *,
    id: str | None = None,  # noqa: A002
    names: Sequence[str] | None = None,
    rule: str = "ieee",
    paths: int = MOST_PATHS,
    check: bool = True,
    integrality: Any = None,
) -> Problem:
    """The problem that a function of NumPy or `math` code is.

    The function is called with an array of symbols, once for each way through its branches. What raises, or gives NaN
    or infinity, is undefined. The formula is then compared with the function at points of the box, on both sides of
    branches and near the domain's edges: a difference is an error that says where, a value where the formula has none a
    warning.

    Parameters
    ----------
    fun : callable
        Called as `fun(x, *args)`.
    bounds : sequence of pairs, mapping, or one pair
        (lower, upper) of each variable.
    args : tuple
        Further arguments of the function.
    id : str, optional
        What the problem is called; unless given, the function's name.
    names : sequence of str, optional
        The variables in their order.
    rule : {"ieee", "strict"}
        The rule of admissibility for powers.
    paths : int
        The most ways through the branches.
    check : bool
        Whether formula and function are compared.
    integrality : sequence of int, optional
        By 1 and 0, which variables are whole numbers.

    Returns
    -------
    Problem

    Raises
    ------
    CpcbenchError
        If something cannot be read; the message has the line that does it.

    Examples
    --------
    >>> import numpy as np, cpcbench as cpc
    >>> cpc.trace(lambda x: np.log(x[0] - x[1] ** 2), [(0, 1), (0, 1)]).formula
    'ln(x1 - x2^2)'
    """
    if not callable(fun):
        raise CpcbenchError(f"trace reads a function, not {fun!r}: a formula as text is read by parse")
    pairs = pairs_of(bounds)
    if pairs is None:
        raise CpcbenchError(
            "the bounds are a list of (lower, upper), one for each variable: they say how many there are"
        )
    expression = formula_of(fun, len(pairs), args, paths)
    lower, upper = zip(*pairs, strict=True)
    name = id if id is not None else getattr(fun, "__name__", "traced").strip("<>")
    problem = Problem(name, expression, lower, upper, rule=rule, names=names)
    if check:
        part = problem if problem.bounded else remade(problem, expression, search_box(problem.lower, problem.upper))
        compare(part, lambda x: fun(x, *args))
    return with_integrality(problem, integrality)


def formula_of(fun: Callable[..., Any], n: int, args: tuple[Any, ...] = (), paths: int = MOST_PATHS) -> Expr:
    """The formula of a function of n variables."""

    def run(way: Way) -> Expr:
        copy, given = readable(fun, tuple(args))  # anew each time: a way does not see what another has written
        symbols = np.empty(n, dtype=object)
        symbols[:] = [Value(x) for x in variables(n)]
        troubles: list[BaseException] = []
        token, tracing = raised.set(troubles), sys.gettrace()
        try:
            sys.settrace(watch_exceptions)
            with np.errstate(all="ignore"):
                result = _result(copy(symbols.view(Array), *given))
        except Refused:  # it has put itself among the troubles
            result = undefined
        except (Exception, SystemExit) as error:
            if raised_by_user(error) and way.taken and not troubles:
                return undefined
            troubles.insert(0, error)
        finally:
            sys.settrace(tracing)
            raised.reset(token)
        for trouble in troubles:
            words = "" if isinstance(trouble, Refused) else f"on symbols it ends with {type(trouble).__name__}: "
            raise refused(f"{words}{trouble}", trouble) from None
        return result

    return all_ways(run, paths)


def _result(value: Any) -> Expr:
    if isinstance(value, (np.ndarray, list, tuple)):
        array = np.asarray(value, dtype=object)
        if array.size != 1:
            raise Refused(f"it returns {array.size} values, not one")
        value = array.reshape(-1)[0]
    if value is None:
        raise Refused("it returns nothing")
    return branch(value)
