"""CasADi's expressions, read as problems."""

from __future__ import annotations

from typing import Any

from cpcbench.entrance.models.model import MOST_OPERATIONS, MOST_VARIABLES, plain_names
from cpcbench.entrance.symbols import expr_of
from cpcbench.errors import CpcbenchError, MissingExtraError
from cpcbench.expr.nodes import Expr, num, var
from cpcbench.expr.tests import choose, compared, joined, opposite
from cpcbench.expr.words import word
from cpcbench.problems.problem import Problem
from cpcbench.problems.user import Bounds, pairs_of

ONE, ZERO = num(1), num(0)

NUMBERS = {
    "ADD": "add", "SUB": "subtract", "MUL": "multiply", "DIV": "true_divide", "NEG": "negative", "POW": "power",
    "CONSTPOW": "power", "SQ": "square", "INV": "reciprocal", "FABS": "absolute", "FMIN": "minimum", "FMAX": "maximum",
    "ATAN2": "arctan2",
}  # fmt: skip
"""CasADi's operations of numbers that NumPy calls otherwise; the rest have the same names in small letters."""

TESTS: dict[str, Any] = {
    "LT": lambda a, b: compared("less", _number(a), _number(b)),
    "LE": lambda a, b: compared("less_equal", _number(a), _number(b)),
    "EQ": lambda a, b: compared("equal", _number(a), _number(b)),
    "NE": lambda a, b: compared("not_equal", _number(a), _number(b)),
    "NOT": lambda a: opposite(_test(a)),
    "AND": lambda a, b: joined("and", _test(a), _test(b)),
    "OR": lambda a, b: joined("or", _test(a), _test(b)),
    "IF_ELSE_ZERO": lambda a, b: choose(_test(a), _number(b), ZERO),
    "TWICE": lambda a: 2 * _number(a),
    "ASSIGN": lambda a: a,
}
"""Tests are numbers there, 1 and 0; here they become those where they are computed with."""


def from_casadi(
    expression: Any,
    symbols: Any,
    bounds: Bounds,
    *,
    id: str = "casadi",  # noqa: A002
    rule: str = "ieee",
) -> Problem:
    """The problem that a scalar expression of CasADi is.

    What CasADi simplified while the expression was made is lost.

    Parameters
    ----------
    expression : casadi.SX or casadi.MX
        The formula.
    symbols : symbol or sequence of symbols
        The variables in their order; the elements of a vector are variables one after the other.
    bounds : sequence of pairs, mapping, or one pair
        (lower, upper) of each variable.
    id : str
        What the problem is called.
    rule : {"ieee", "strict"}
        The rule of admissibility for powers.

    Returns
    -------
    Problem

    Raises
    ------
    CpcbenchError
        For what cannot be read, or without CasADi.
    """
    try:
        import casadi
    except ImportError as error:
        raise MissingExtraError(
            'from_casadi needs a library that is missing: pip install "cpcbench[casadi]"'
        ) from error
    given = list(symbols) if isinstance(symbols, (list, tuple)) else [symbols]
    if not isinstance(expression, (casadi.SX, casadi.MX)) or expression.numel() != 1:
        raise CpcbenchError(f"from_casadi reads one scalar expression, SX or MX, not {type(expression).__name__}")
    try:
        function = casadi.Function("f", given, [expression]).expand()
    except (RuntimeError, NotImplementedError) as error:
        raise CpcbenchError(f"CasADi does not make a function of it: {str(error).splitlines()[-1]}") from None
    names = [name for symbol in given for name in _names(symbol)]
    pairs = pairs_of(bounds) or pairs_of([bounds] * max(len(names), 1)) or []
    if len(pairs) != len(names):
        raise CpcbenchError(f"bounds for {len(pairs)} variables, but the symbols have {len(names)} elements")
    if len(names) > MOST_VARIABLES or function.n_instructions() > MOST_OPERATIONS:
        raise CpcbenchError(f"more than {MOST_OPERATIONS:,} operations or {MOST_VARIABLES:,} variables cannot be read")
    lower, upper = zip(*pairs, strict=True)
    return Problem(id, _read(casadi, function), lower, upper, rule=rule, names=plain_names(names))


def _names(symbol: Any) -> list[str]:
    """As CasADi calls the elements of a vector: x_0, x_1, ..."""
    if symbol.numel() == 1:
        return [symbol.name()]
    if hasattr(symbol, "elements"):
        return [str(element) for element in symbol.elements()]
    return [f"{symbol.name()}_{i}" for i in range(symbol.numel())]


def _read(casadi: Any, function: Any) -> Expr:
    codes = {getattr(casadi, name): name[3:] for name in dir(casadi) if name.startswith("OP_")}
    starts = [sum(function.numel_in(j) for j in range(i)) for i in range(function.n_in())]
    work: dict[int, Any] = {}
    result: Any = ZERO
    for k in range(function.n_instructions()):
        name = codes.get(function.instruction_id(k), "?")
        taken, given = function.instruction_input(k), function.instruction_output(k)
        if name == "INPUT":
            work[given[0]] = var(starts[taken[0]] + taken[1])
        elif name == "CONST":
            work[given[0]] = expr_of(function.instruction_constant(k))
        elif name == "OUTPUT":
            result = work[taken[0]]
        else:
            work[given[0]] = _operation(name)(*(work[i] for i in taken))
    return _number(result)


def _operation(name: str) -> Any:
    if name in TESTS:
        return TESTS[name]
    found = word(NUMBERS.get(name, name.lower()))
    if found is None:
        raise CpcbenchError(f"the operation {name} of CasADi is not in the language")
    return lambda *parts: found(*map(_number, parts))


def _number(value: Any) -> Expr:
    return value if isinstance(value, Expr) else choose(value, ONE, ZERO)


def _test(value: Any) -> Any:
    return compared("not_equal", value, ZERO) if isinstance(value, Expr) else value
