"""The compiled reading of the edges: what is 0 on each, and its slopes, for many points at once."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from cpcbench.expr.nodes import Expr, num, var
from cpcbench.expr.walk import constants, postorder, variables
from cpcbench.problems.problem import Problem
from cpcbench.readings.domain.requirements import SPANS, distinct, domain_requirements
from cpcbench.readings.doubles.kernels import new_function
from cpcbench.readings.doubles.llvm import DOUBLE, INT64, OpenTarget
from cpcbench.readings.doubles.lowering import Lowering, Plan
from cpcbench.readings.gradient import derivatives
from cpcbench.readings.reals.reference import constant_values

POWERS = ("power", "strict power")
MOST_NODES = 6000
"""Formulas whose edges and slopes have more parts than this have only the sides of the box as edges."""

SOURCE = '''"""A kernel of cpcbench."""

from cpcbench.readings.doubles.kernels import point_function
from cpcbench.solvers.white_box.moves.edge_kernel import edges_function

SIGNATURE = "float64(float64[::1], float64[::1])"
point = point_function(edges_function, "{key}")


def kernel(x, out):
    for i in range(out.size // {width}):
        point(x, i * {n}, out, i * {width})
    return 0.0
'''


def conditions(root: Expr, rule: str) -> list[Expr]:
    """What is 0 on the edges of the domain, and positive inside."""
    found: list[Expr] = []
    for requirement in distinct(domain_requirements(root, rule=rule)):
        operand, span = requirement.operand, SPANS.get(requirement.relation)
        if requirement.relation in POWERS or (span is not None and span.is_half_line):
            found.append(operand - num(span.low) if span is not None and span.low else operand)
        elif span is not None:
            found += [num(span.high) - operand, num(span.high) + operand]
    return found


def operands(root: Expr, rule: str, lower: tuple[float, ...], upper: tuple[float, ...]) -> list[Expr]:
    """What is 0 on the edges, each once: of the formula first, then of the sides of the box."""
    found = conditions(root, rule)
    values, free = constant_values(root), constants(root)
    for part in postorder(root):
        even = part.op == "pow" and id(part.args[1]) in free and values[id(part.args[1])] in (2.0, 4.0, 6.0)
        if even or part.op == "abs":
            found.append(part.args[0])
        elif part.op in ("min", "max"):
            found.append(part.args[0] - part.args[1])
    own = [edge for edge in dict.fromkeys(found) if variables(edge)]
    if len(postorder(*_parts(own, len(lower)))) > MOST_NODES:
        own = []
    sides = [var(i) - num(a) for i, a in enumerate(lower)] + [num(b) - var(i) for i, b in enumerate(upper)]
    return list(dict.fromkeys([*own, *sides]))


def residuals(root: Expr) -> list[Expr]:
    """The bases of a sum of powers above 1: in a least-squares problem, what should be 0 all at once."""
    values, found, stack = constant_values(root), [], [root]
    while stack:
        part = stack.pop()
        if part.op == "add":
            stack += part.args
        elif part.op == "pow" and values.get(id(part.args[1]), 0.0) > 1.0:
            found.append(part.args[0])
    return found if len(found) > 1 else []


def edge_kernel(problem: Problem) -> tuple[Callable[..., float], list[Expr]]:
    """`kernel(points, out)`, which writes value and slopes of each edge for each point, and the edges."""
    fast = problem.fast
    plan = fast.plan
    edges = operands(plan.root, plan.rule, plan.lower, plan.upper)
    return fast.compiled("edges", SOURCE, made_by=__file__, width=len(edges) * (1 + fast.n)), edges


def edges_function(module: ir.Module, plan: Plan) -> ir.Function:
    """double edges(double *x, double *out): value and slopes of every edge, NaN or infinite where undefined."""
    target = OpenTarget(new_function(module, "edges", DOUBLE, 2))
    parts = _parts(operands(plan.root, plan.rule, plan.lower, plan.upper), len(plan.lower))
    lowering = Lowering(plan.with_outputs(parts), target)
    for place, part in enumerate(parts):
        output = target.builder.gep(target.function.args[1], [ir.Constant(INT64, place)])
        target.builder.store(lowering.value(part), output)
    target.give(target.constant(0.0), target.constant(0.0))
    return target.function


def _parts(edges: list[Expr], n: int) -> list[Expr]:
    return [part for edge in edges for part in (edge, *derivatives(edge, n))]
