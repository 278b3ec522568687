"""MAiNGO: McCormick-based branch and bound on the formula, every hidden condition an explicit constraint.

MAiNGO computes its relaxations on whole boxes and gives up where an operation is undefined on a part
of one. Operands are therefore kept inside the domain with max and min, which changes nothing at points
that meet the constraints.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from cpcbench.errors import CpcbenchError
from cpcbench.solvers.adapters.common import listed, outside
from cpcbench.solvers.adapters.explicit import claim, translated
from cpcbench.solvers.objective import Objective

GUARD = 1e-9
"""Where operands are cut off: below every point that meets the constraints within the tolerance."""


def solve(
    objective: Objective,
    rng: np.random.Generator,  # noqa: ARG001
    *,
    seconds: float | None = None,
    margin: float = 2e-9,
    tolerance: float = 1e-9,
    gap: float = 1e-6,
) -> OptimizeResult:
    """Minimises the formula subject to its conditions; what MAiNGO reports is its own claim.

    `margin`: how far inside its conditions a point must be; `tolerance`: by how much MAiNGO may miss a
    constraint; `gap`: the gap, absolute or relative, at which it stops.
    """
    import maingopy

    limit = min(objective.seconds_left, math.inf if seconds is None else seconds)
    model = _model(maingopy, objective, margin)
    solver = maingopy.MAiNGO(model)  # it does not keep the model alive
    for name, value in {
        "loggingDestination": 0, "writeCsv": 0, "writeJson": 0, "writeResultFile": 0,
        "LBP_verbosity": 0, "UBP_verbosity": 0, "BAB_verbosity": 0,
        "epsilonA": gap, "epsilonR": gap, "deltaIneq": tolerance, "deltaEq": tolerance,
    }.items():  # fmt: skip
        solver.set_option(name, value)
    if math.isfinite(limit):
        solver.set_option("maxTime", max(0.0, limit))  # of the processor
        solver.set_option("maxwTime", max(10.0, limit))
        for part in ("UBP_maxTimePreprocessing", "UBP_maxTimeBab"):  # a local search may take far longer
            solver.set_option(part, max(0.1, limit / 5.0))
    try:
        status = solver.solve()
    except maingopy.MAiNGOException as error:
        if model.refused is not None:
            raise model.refused from None
        return claim(objective, None, math.nan, f"MAiNGO gave up: {' '.join(str(error).split())}")
    if status not in (maingopy.GLOBALLY_OPTIMAL, maingopy.FEASIBLE_POINT):
        return claim(objective, None, math.nan, f"MAiNGO found no point: {status.name}")
    point = solver.get_solution_point()
    found = claim(objective, point, solver.get_objective_value(), f"MAiNGO: {status.name}")
    found.lower_bound = solver.get_final_LBD()
    return found


def _model(maingopy: Any, objective: Objective, margin: float) -> Any:
    """The model; MAiNGO calls `evaluate` once to record its operations."""
    problem = objective.problem

    class Model(maingopy.MAiNGOmodel):  # type: ignore[misc]
        refused: CpcbenchError | None = None

        def get_variables(self) -> list[Any]:
            continuous = maingopy.VT_CONTINUOUS
            return [
                maingopy.OptimizationVariable(maingopy.Bounds(low, high), continuous, f"x{i}")
                for i, (low, high) in enumerate(objective.bounds, start=1)
            ]

        def evaluate(self, variables: list[Any]) -> Any:
            try:
                whole = translated(problem, variables, _table(maingopy), "MAiNGO", margin)
            except CpcbenchError as error:  # comes out of MAiNGO as another exception
                self.refused = error
                raise
            found = maingopy.EvaluationContainer()
            found.objective = _lifted(maingopy, operator.pos)(whole.value)
            subtract = _lifted(maingopy, operator.sub)
            found.ineq = [subtract(least, expression) for expression, least in whole.at_least]
            return found

    return Model()


def _lifted(maingopy: Any, operation: Callable[..., Any]) -> Callable[..., Any]:
    """The operation with constants as MAiNGO's own: its operators round a Python float to single precision."""
    return lambda *operands: operation(*[maingopy.FFVar(a) if isinstance(a, float) else a for a in operands])


def _table(maingopy: Any) -> dict[str, Callable[..., Any]]:
    add, sub, mul, div = (
        _lifted(maingopy, operation) for operation in (operator.add, operator.sub, operator.mul, operator.truediv)
    )

    def at_least(operand: Any, least: float) -> Any:
        return maingopy.max(operand, least)

    def quotient(a: Any, b: Any) -> Any:
        if isinstance(b, float):
            return div(a, b)
        return div(mul(a, b), at_least(maingopy.sqr(b), GUARD**2))  # a/b whatever the sign of b

    def power(base: Any, exponent: Any) -> Any:
        if not isinstance(exponent, float):
            if isinstance(base, float):
                return maingopy.exp(mul(exponent, math.log(base))) if base > 0.0 else math.nan
            return maingopy.exp(exponent * maingopy.log(at_least(base, GUARD)))
        if exponent == math.floor(exponent):
            whole = _whole_power(maingopy, base, int(abs(exponent)))
            return whole if exponent >= 0.0 else quotient(1.0, whole)
        return maingopy.pow(at_least(base, 0.0 if exponent > 0.0 else GUARD), exponent)

    return {
        "add": add,
        "sub": sub,
        "mul": mul,
        "div": quotient,
        "neg": operator.neg,
        "abs": maingopy.fabs,
        "sqrt": lambda a: maingopy.sqrt(at_least(a, 0.0)),
        "ln": lambda a: maingopy.log(at_least(a, GUARD)),
        "exp": maingopy.exp,
        "sin": maingopy.sin,
        "cos": maingopy.cos,
        "tan": lambda a: quotient(maingopy.sin(a), maingopy.cos(a)),
        "arcsin": lambda a: maingopy.asin(maingopy.min(maingopy.max(a, GUARD - 1.0), 1.0 - GUARD)),
        "pow": power,
        "sign": lambda a: maingopy.fstep(a) - maingopy.fstep(-a),
    }


def _whole_power(maingopy: Any, base: Any, exponent: int) -> Any:
    return 1.0 if exponent == 0 else base if exponent == 1 else maingopy.pow(base, exponent)


SOLVERS = listed(
    outside("maingo", solve, "nan", "McCormick-based branch and bound of MAiNGO on the formula with its conditions.",
            budget=None, seconds=15.0, deterministic=True, expression=True)
)  # fmt: skip
