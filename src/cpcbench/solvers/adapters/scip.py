"""SCIP: spatial branch and bound on the formula, every hidden condition an explicit constraint."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.solvers.adapters.common import listed, outside
from cpcbench.solvers.adapters.explicit import claim, translated
from cpcbench.solvers.objective import Objective


def solve(
    objective: Objective,
    rng: np.random.Generator,  # noqa: ARG001
    *,
    seconds: float | None = None,
    margin: float = 0.0,
    tolerance: float = 1e-7,
    gap: float = 1e-6,
) -> OptimizeResult:
    """Minimises t subject to t >= f(x) and the conditions; what SCIP reports is its own claim.

    `margin`: how far inside its conditions a point must be; `tolerance`: by how much SCIP may miss a
    constraint; `gap`: the relative gap at which it stops.
    """
    from pyscipopt import Model
    from pyscipopt.scip import buildGenExprObj

    model = Model()
    model.hideOutput()
    bounds = objective.bounds
    variables = [model.addVar(f"x{i}", lb=low, ub=high) for i, (low, high) in enumerate(bounds, start=1)]
    whole = translated(objective.problem, [buildGenExprObj(v) for v in variables], _table(model), "SCIP", margin)
    top = model.addVar("top", lb=None, ub=None)
    if not isinstance(whole.value, float):
        model.addCons(buildGenExprObj(top) - whole.value >= 0.0)
    elif not math.isfinite(whole.value):
        return claim(objective, None, math.nan, "the formula is undefined everywhere")
    for expression, least in whole.at_least:
        model.addCons(expression >= least)
    model.setObjective(top if not isinstance(whole.value, float) else 0.0 * top + whole.value)
    limit = min(objective.seconds_left, math.inf if seconds is None else seconds)
    if math.isfinite(limit):
        model.setParam("limits/time", max(0.0, limit))
    model.setParam("numerics/feastol", tolerance)
    model.setParam("limits/gap", gap)
    model.setParam("lp/threads", 1)
    model.setParam("randomization/randomseedshift", 0)
    model.optimize()
    status = model.getStatus()
    if not model.getNSols():
        return claim(objective, None, math.nan, f"SCIP found no point: {status}")
    best = model.getBestSol()
    found = claim(objective, [best[v] for v in variables], model.getSolObjVal(best), f"SCIP: {status}")
    found.lower_bound = model.getDualbound()
    return found


def _table(model: Any) -> dict[str, Callable[..., Any]]:
    from pyscipopt import cos, exp, log, sin, sqrt

    return {
        "add": operator.add,
        "sub": operator.sub,
        "mul": operator.mul,
        "div": operator.truediv,
        "neg": operator.neg,
        "abs": abs,
        "sqrt": sqrt,
        "ln": log,
        "exp": exp,
        "sin": sin,
        "cos": cos,
        "tan": lambda a: sin(a) / cos(a),
        "pow": lambda a, p: _power(a, p, exp, log),
        "arcsin": lambda a: _arcsin(model, a, sin),
        "floor": lambda a: _floor(model, a),
    }


def _power(base: Any, exponent: Any, exp: Callable[[Any], Any], log: Callable[[Any], Any]) -> Any:
    if isinstance(exponent, float):
        return base**exponent if exponent != 0.0 else 1.0
    if isinstance(base, float):
        return exp(exponent * math.log(base)) if base > 0.0 else math.nan
    return exp(exponent * log(base))


def _arcsin(model: Any, operand: Any, sin: Callable[[Any], Any]) -> Any:
    """A new variable whose sine is the operand."""
    from pyscipopt.scip import buildGenExprObj

    angle = buildGenExprObj(model.addVar(lb=-math.pi / 2.0, ub=math.pi / 2.0))
    model.addCons(sin(angle) - operand == 0.0)
    return angle


def _floor(model: Any, operand: Any) -> Any:
    """A new whole variable, with the operand from it to just below the next."""
    from pyscipopt.scip import buildGenExprObj

    below = buildGenExprObj(model.addVar(vtype="I", lb=None, ub=None))
    model.addCons(operand - below >= 0.0)
    model.addCons(operand - below <= 1.0 - 1e-6)
    return below


SOLVERS = listed(
    outside("scip", solve, "nan", "Spatial branch and bound of SCIP on the formula with its conditions.",
            budget=None, seconds=15.0, deterministic=True, expression=True)
)  # fmt: skip
