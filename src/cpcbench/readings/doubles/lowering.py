"""From an expression to straight code with early stops, for any target that can do the operations.

A target (LLVM for the kernels, C for the exported text) supplies constants, operations, tests and
the early exit. An operation that every point needs stops the evaluation where it is undefined; one
inside a branch of a `where` gives NaN instead, which counts only if its branch is chosen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any, Protocol

from cpcbench.expr.nodes import COMPARISONS, Expr, index
from cpcbench.expr.walk import needed, postorder
from cpcbench.readings.domain.requirements import (
    Requirement,
    distinct,
    domain_requirements,
    may_overflow,
    overflow_requirements,
)
from cpcbench.readings.doubles.ranges import Range, ranges
from cpcbench.readings.doubles.schedule import order_tests
from cpcbench.readings.reals.reference import constant_values


class Target(Protocol):
    """What code can be lowered to; values and truths are whatever the target makes of them."""

    def constant(self, value: float) -> Any: ...

    def variable(self, index: int) -> Any: ...

    def operation(self, op: str, *args: Any) -> Any: ...

    def power(self, base: Any, exponent: float) -> Any:
        """A power with a constant exponent, which may be done by multiplication or a root."""

    def holds(self, relation: str, *args: Any) -> Any:
        """The truth of a requirement; false if an argument is NaN."""

    def leave_unless(self, truth: Any) -> None:
        """Stops the evaluation as undefined unless the truth holds."""

    def undefined_unless(self, truth: Any, value: Any) -> Any:
        """The value of an operation, or of a comparison; NaN (or undefined) unless the truth holds."""


class Plan:
    """The tests of one expression under one rule, in order, and what is known of its values."""

    def __init__(self, root: Expr, lower: Sequence[float], upper: Sequence[float], rule: str = "ieee") -> None:
        self.root = root
        self.lower, self.upper = tuple(map(float, lower)), tuple(map(float, upper))
        self.rule = rule
        self.must = needed(root)
        self._read((root,))
        must = distinct([r for r in self.requirements if id(r.node) in self.must])
        self.tests = order_tests(root, must, self.lower, self.upper)

    def _read(self, roots: tuple[Expr, ...]) -> None:
        self.roots = roots
        self.spans = ranges(roots)
        self.free = constant_values(*roots)
        self.requirements = domain_requirements(*roots, rule=self.rule)

    def with_outputs(self, outputs: Sequence[Expr]) -> Plan:
        """The same tests, and further expressions to compute where they pass."""
        plan = copy(self)
        plan._read((self.root, *outputs))
        return plan

    @property
    def box(self) -> list[Range]:
        return list(zip(self.lower, self.upper, strict=True))


class Lowering:
    """Writes one plan to a target, each node once, as late as possible."""

    def __init__(self, plan: Plan, target: Target) -> None:
        self.plan = plan
        self.target = target
        self.values: dict[int, Any] = {}
        self.tested: set[tuple[object, ...]] = set()
        self.requirements = _by_node(plan.requirements)
        self.hidden = _by_node(overflow_requirements(plan.roots, plan.spans))

    def tests(self) -> None:
        """All tests that every point must pass."""
        for requirement in self.plan.tests:
            for operand in requirement.operands:
                self.value(operand)
            self._test(requirement)

    def result(self, root: Expr) -> Any:
        """The value, known to be finite: an overflow anywhere leaves as undefined."""
        value = self.value(root)
        if may_overflow(self.plan.spans[id(root)]) or len(self.plan.must) < len(self.plan.spans):
            self.target.leave_unless(self.target.holds("finite", value))
        return value

    def value(self, root: Expr) -> Any:
        for node in not_yet(root, self.values):
            self.values[id(node)] = self._node(node)
        return self.values[id(root)]

    def finite(self, nodes: Iterable[Expr]) -> None:
        """Leaves as undefined where one of the nodes overflows."""
        for node in nodes:
            self.target.leave_unless(self.target.holds("finite", self.value(node)))

    def _node(self, node: Expr) -> Any:
        if node.op == "var":
            return self.target.variable(index(node))
        if id(node) in self.plan.free and node.op not in ("lt", "le"):
            return self.target.constant(self.plan.free[id(node)])
        own = [*self.hidden.get(id(node), ()), *self.requirements.get(id(node), ())]
        if id(node) in self.plan.must:
            for requirement in own:
                self._test(requirement)
            return self._operation(node)
        value = self._operation(node)
        for requirement in own:
            truth = self.target.holds(requirement.relation, *[self.values[id(o)] for o in requirement.operands])
            value = self.target.undefined_unless(truth, value)
        return value

    def _test(self, requirement: Requirement) -> None:
        key = (requirement.relation, *map(id, requirement.operands))
        if key not in self.tested:
            self.tested.add(key)
            truth = self.target.holds(requirement.relation, *[self.values[id(o)] for o in requirement.operands])
            self.target.leave_unless(truth)

    def _operation(self, node: Expr) -> Any:
        args = [self.values[id(a)] for a in node.args]
        if node.op == "pow" and id(node.args[1]) in self.plan.free:
            return self.target.power(args[0], self.plan.free[id(node.args[1])])
        return self.target.operation(node.op, *args)


def overflow_sources(plan: Plan) -> list[Expr]:
    """Operations that may overflow for points in the box although their operands are finite.

    A constant part that has no finite value counts too: later operations need not show it.
    """
    spans = ranges([plan.root], plan.box, finite_operands=True)
    return [
        node
        for node in postorder(plan.root)
        if id(node) in plan.must
        and node.op not in COMPARISONS
        and (math.isnan(plan.free[id(node)]) if id(node) in plan.free else may_overflow(spans[id(node)]))
    ]


def _by_node(requirements: Iterable[Requirement]) -> dict[int, list[Requirement]]:
    found: dict[int, list[Requirement]] = {}
    for requirement in requirements:
        found.setdefault(id(requirement.node), []).append(requirement)
    return found


def not_yet(root: Expr, done: dict[int, Any]) -> list[Expr]:
    """The nodes below and at `root` that have no value yet, arguments first."""
    order: list[Expr] = []
    seen: set[int] = set()
    stack = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif id(node) not in seen and id(node) not in done:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((arg, False) for arg in reversed(node.args))
    return order
