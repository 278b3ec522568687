"""SymPy's expressions, read as problems."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import reduce
from typing import Any

from cpcbench.entrance.tests import choose
from cpcbench.errors import CpcbenchError
from cpcbench.expr.functions import product, undefined
from cpcbench.expr.nodes import Expr, node, num, pi, var
from cpcbench.expr.tests import Truth, compared, joined, opposite
from cpcbench.expr.words import word
from cpcbench.problems.problem import Problem
from cpcbench.problems.user import Bounds, pairs_of, with_integrality
from cpcbench.readings.text.symbolic import sympy_itself

RELATIONS = {"<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal", "==": "equal", "!=": "not_equal"}


def from_sympy(
    expression: Any,
    bounds: Bounds,
    symbols: Sequence[Any] | None = None,
    *,
    id: str = "sympy",  # noqa: A002
    rule: str = "ieee",
) -> Problem:
    """The problem that a SymPy expression is.

    What SymPy simplified before, such as x/x to 1, is lost: it changes where an expression is defined.

    Parameters
    ----------
    expression : sympy.Expr
        The formula; symbols that are assumed to be integers are whole numbers.
    bounds : sequence of pairs, mapping, or one pair
        (lower, upper) of each variable.
    symbols : sequence of sympy.Symbol, optional
        The variables in their order; unless given, by name.
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
        For what the language of formulas lacks, or without SymPy.
    """
    sympy = sympy_itself()
    if not isinstance(expression, sympy.Expr):  # SymPy would evaluate text
        raise CpcbenchError(
            f"from_sympy reads an expression of SymPy, not {type(expression).__name__}; text: see parse"
        )
    free = sorted(expression.free_symbols, key=lambda s: s.sort_key()) if symbols is None else list(symbols)
    missing = expression.free_symbols - set(free)
    if missing:
        raise CpcbenchError(f"the expression has {', '.join(map(str, missing))} beside the symbols given")
    pairs = pairs_of(bounds) or pairs_of([bounds] * max(len(free), 1)) or []
    if len(pairs) != len(free):
        raise CpcbenchError(f"bounds for {len(pairs)} variables, but the expression has {len(free)}: {free}")
    made = _Reader(sympy, {symbol: var(i) for i, symbol in enumerate(free)}).read(expression)
    lower, upper = zip(*pairs, strict=True)
    problem = Problem(id, made, lower, upper, rule=rule, names=[str(symbol) for symbol in free])
    return with_integrality(problem, [bool(symbol.is_integer) for symbol in free])


class _Reader:
    def __init__(self, sympy: Any, variables: dict[Any, Expr]) -> None:
        self.sympy, self.variables = sympy, variables
        self.known: dict[Any, Expr] = dict(variables)

    def read(self, root: Any) -> Expr:
        """The expression, arguments first (deep ones do not recurse)."""
        stack = [root]
        while stack:
            part = stack[-1]
            waiting = [a for a in self._parts(part) if a not in self.known]
            if waiting and part not in self.known:
                stack.extend(waiting)
                continue
            self.known.setdefault(part, self._one(part) if part not in self.known else self.known[part])
            stack.pop()
        return self.known[root]

    def _parts(self, part: Any) -> list[Any]:
        """What is read before: not the tests of a choice, which are no values."""
        if isinstance(part, self.sympy.Piecewise):
            tests = [test for _, test in part.args]
            return [value for value, _ in part.args] + [side for test in tests for side in self._sides(test)]
        return [] if part.is_Atom else list(part.args)

    def _sides(self, test: Any) -> list[Any]:
        if test in (self.sympy.true, self.sympy.false):
            return []
        if test.is_Relational:
            return list(test.args)
        return [side for inner in test.args for side in self._sides(inner)]

    def _one(self, part: Any) -> Expr:
        sympy, args = self.sympy, part.args
        if part.is_Number:
            return self._number(part)
        if part is sympy.pi:
            return pi
        if part is sympy.E:
            return node("exp", num(1))
        if part.is_Add:
            return reduce(lambda a, b: a - b.args[0] if b.op == "neg" else a + b, (self.known[a] for a in args))
        if part.is_Mul:
            return self._product(part)
        if part.is_Pow:
            return self._power(part)
        if isinstance(part, sympy.Piecewise):
            return reduce(
                lambda rest, case: choose(self._test(case[1]), self.known[case[0]], rest), reversed(args), undefined
            )
        name = type(part).__name__
        made = word(name)
        if made is None:
            raise CpcbenchError(f"{name} of SymPy is not in the language: {part}")
        return made(*(self.known[a] for a in args))

    def _number(self, part: Any) -> Expr:
        if part.is_Rational:
            top, bottom = num(int(part.p)), num(int(part.q))
            return top if part.q == 1 else top / bottom
        if part.is_Float and part.is_finite:
            return num(float(part)) if part._prec <= 53 else num(Decimal(str(part)))
        return undefined

    def _product(self, part: Any) -> Expr:
        """Factors with negative exponents go below the line."""
        over, under = [], []
        for factor in part.args:
            if factor.is_Pow and factor.exp.is_Number and factor.exp.is_negative and factor.exp != -1:
                under.append(self._raised(self.known[factor.base], -factor.exp))
            elif factor.is_Pow and factor.exp == -1:
                under.append(self.known[factor.base])
            else:
                over.append(self.known[factor])
        negative = len(over) > 1 and part.args[0] == -1
        made = product(over[1:] if negative else over)
        made = made / product(under) if under else made
        return -made if negative else made

    def _power(self, part: Any) -> Expr:
        base, exponent = part.args
        if base is self.sympy.E:
            return node("exp", self.known[exponent])
        if exponent.is_Number and exponent.is_negative:
            below = self.known[base] if exponent == -1 else self._raised(self.known[base], -exponent)
            return 1 / below
        return self._raised(self.known[base], exponent)

    def _raised(self, base: Expr, exponent: Any) -> Expr:
        if exponent == self.sympy.Rational(1, 2):
            return node("sqrt", base)
        if exponent == 1:
            return base
        return base ** (self._number(exponent) if exponent.is_Number else self.known[exponent])

    def _test(self, test: Any) -> Truth:
        sympy = self.sympy
        if test in (sympy.true, sympy.false):
            return bool(test)
        if test.is_Relational:
            return compared(RELATIONS[_relation(test)], self.known[test.lhs], self.known[test.rhs])
        parts = [self._test(inner) for inner in test.args]
        if isinstance(test, sympy.Not):
            return opposite(parts[0])
        if isinstance(test, (sympy.And, sympy.Or)):
            kind = "and" if isinstance(test, sympy.And) else "or"
            return reduce(lambda a, b: joined(kind, a, b), parts)
        raise CpcbenchError(f"the test {test} is not a comparison")


def _relation(test: Any) -> str:
    return str({"Equality": "==", "Unequality": "!="}.get(type(test).__name__, test.rel_op))
