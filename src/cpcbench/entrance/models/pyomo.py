"""Pyomo's models of one objective, read as problems."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

from cpcbench.entrance.models.model import Model, Variable
from cpcbench.entrance.symbols import expr_of
from cpcbench.errors import CpcbenchError, MissingExtraError
from cpcbench.expr.nodes import Expr, node, var
from cpcbench.expr.tests import choose
from cpcbench.expr.words import word
from cpcbench.problems.problem import Problem
from cpcbench.readings.domain.constraints import TOLERANCE, between

REFUSED = {
    "SOSConstraint": "special ordered sets", "LogicalConstraint": "logical constraints", "Disjunction": "disjunctions",
    "Complementarity": "complementarities",
}  # fmt: skip


def from_pyomo(model: Any, *, rule: str = "ieee", tolerance: float = TOLERANCE) -> Problem:
    """The problem that a Pyomo model of one active objective states, with its constraints.

    The variables are those that the formulas contain, in the order in which the model declares them; fixed ones are
    numbers. What is maximised is negated.

    Parameters
    ----------
    model : pyomo.environ.ConcreteModel
        The model.
    rule : {"ieee", "strict"}
        The rule of admissibility for powers.
    tolerance : float
        How far the sides of an equation may be apart.

    Returns
    -------
    Problem

    Raises
    ------
    CpcbenchError
        For what cannot be read, or without Pyomo.
    """
    try:
        import pyomo.environ as pyo
    except ImportError as error:
        raise MissingExtraError('from_pyomo needs a library that is missing: pip install "cpcbench[pyomo]"') from error
    if not isinstance(model, pyo.Block):
        raise CpcbenchError(f"from_pyomo reads a model of Pyomo, not {type(model).__name__}")
    for component in model.component_objects(active=True):
        kind = getattr(component.ctype, "__name__", "")
        if kind in REFUSED:
            raise CpcbenchError(f"{model.name} has {REFUSED[kind]}, which cannot be read: {component.name}")
    return _Reader(pyo, model).model.problem(rule, tolerance)


class _Reader:
    def __init__(self, pyo: Any, model: Any) -> None:
        from pyomo.core.expr.visitor import StreamBasedExpressionVisitor, identify_variables

        self._pyo = pyo
        goals = list(model.component_data_objects(pyo.Objective, active=True))
        limits = list(model.component_data_objects(pyo.Constraint, active=True))
        bodies = [goal.expr for goal in goals] + [one.body for one in limits]
        used = {id(v) for body in bodies for v in identify_variables(body, include_fixed=False)}
        self._variables = [v for v in model.component_data_objects(pyo.Var) if id(v) in used]
        if len(self._variables) < len(used):
            raise CpcbenchError(f"{model.name} uses variables that are not its own")
        self._places = {id(v): i for i, v in enumerate(self._variables)}
        self._walk = StreamBasedExpressionVisitor(beforeChild=self._leaf, exitNode=self._node).walk_expression
        self.model = Model(model.name or "model", [self._variable(v) for v in self._variables])
        for goal in goals:
            self.model.objectives.append((self._read(goal.expr), goal.sense == pyo.maximize))
        for one in limits:
            low, high = (pyo.value(side) for side in (one.lower, one.upper))
            ends = -math.inf if low is None else float(low), math.inf if high is None else float(high)
            self.model.constraints += between(ends[0], self._read(one.body), ends[1])

    def _variable(self, v: Any) -> Variable:
        low, high = (self._pyo.value(side) for side in (v.lb, v.ub))
        whole = not v.is_continuous()
        return Variable(v.name, -math.inf if low is None else low, math.inf if high is None else high, whole)

    def _read(self, expression: Any) -> Expr:
        descend, leaf = self._leaf(None, expression, 0)
        made: Any = self._walk(expression) if descend else leaf
        if not isinstance(made, Expr):
            raise CpcbenchError(f"{expression} is a test and no number")
        return made

    def _leaf(self, _parent: Any, child: Any, _place: int) -> tuple[bool, Any]:
        """Numbers, parameters and variables; anything else is looked into."""
        if not hasattr(child, "is_expression_type"):
            return False, expr_of(child)
        if child.is_variable_type() and not child.fixed:
            return False, var(self._places[id(child)])
        if child.is_expression_type() or child.is_named_expression_type():
            return True, None
        return False, expr_of(self._pyo.value(child))

    def _node(self, one: Any, parts: list[Any]) -> Any:
        kind = type(one).__name__.removeprefix("NPV_").removesuffix("Expression")
        if kind in ("Sum", "Linear", "LinearSum"):
            return reduce(lambda a, b: a + b, parts)
        if kind in ("Max", "Min"):
            return reduce(_function("maximum" if kind == "Max" else "minimum"), parts)
        if kind in ("Product", "MonomialTerm"):
            return parts[0] * parts[1]
        if kind in _OPERATIONS:
            return _OPERATIONS[kind](*parts)
        if one.is_named_expression_type():
            return parts[0]
        if kind == "UnaryFunction":
            return _function(one.getname())(*parts)
        if kind == "Inequality":
            return ("is", node("lt" if one.strict else "le", *parts))
        raise CpcbenchError(f"{kind} of Pyomo cannot be read: {one}")


_OPERATIONS: dict[str, Any] = {
    "Division": lambda a, b: a / b,
    "Negation": lambda a: -a,
    "Pow": lambda a, b: a**b,
    "Abs": lambda a: node("abs", a),
    "Expr_if": choose,
}


def _function(name: str) -> Any:
    found = word(name)
    if found is None:
        raise CpcbenchError(f"{name} of Pyomo is not in the language")
    return found
