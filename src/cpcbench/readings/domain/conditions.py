"""The conditions of a formula, derived from it, innermost first: hidden ones, and those stated as constraints.

A point of the box is admissible exactly when all of them are satisfied (beyond the box an operation
may overflow that cannot inside it, and no condition says so). Values are those of the reference
reading; a condition whose own value cannot be computed because an inner one fails is neither
satisfied nor violated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from cpcbench.expr.nodes import Expr
from cpcbench.expr.plain import stated as as_stated
from cpcbench.expr.printer import is_undefined
from cpcbench.expr.walk import needed, postorder
from cpcbench.points import as_point
from cpcbench.readings.domain.requirements import (
    SPANS,
    Kind,
    Relation,
    Requirement,
    Span,
    distinct,
    domain_requirements,
    may_overflow,
)
from cpcbench.readings.doubles.ranges import Range, ranges
from cpcbench.readings.reals.reference import Reference, power_is_defined
from cpcbench.readings.text import formula
from cpcbench.rules import check_rule


@dataclass(frozen=True)
class Case:
    """One line of the rule of variable exponents: what the exponent is, what the base must be."""

    exponent: str
    base: str


@dataclass(frozen=True)
class ConditionAt:
    """A condition at one point: its value (NaN if it cannot be computed) and whether it holds."""

    condition: Condition
    value: float
    satisfied: bool | None
    exponent: float | None = None
    case: Case | None = None


@dataclass(frozen=True)
class Condition:
    """One condition, hidden unless its kind is "constraint"; call it with a point to learn whether it holds."""

    kind: Kind
    relation: Relation
    text: str
    operand: Expr
    exponent: Expr | None = None
    cases: tuple[Case, ...] = ()
    guarded: bool = False
    """It counts only where the branch of the `where` it stands in is taken."""
    _whole: _Whole = field(repr=False, compare=False, kw_only=True)

    def __call__(self, x: Sequence[float]) -> bool:
        return self.at(x).satisfied is True

    def value(self, x: Sequence[float]) -> float:
        """The value the condition is about: what is inside the logarithm, under the root, and so on."""
        return self.at(x).value

    def at(self, x: Sequence[float]) -> ConditionAt:
        return self._whole.at(as_point(x, self._whole.n, self._whole.names).tolist(), self)


@dataclass(frozen=True)
class _Whole:
    """What the conditions of one formula share."""

    root: Expr
    n: int
    reading: Reference
    requirements: dict[int, Requirement]
    nodes: dict[tuple[object, ...], list[Expr]]
    names: Sequence[str] | None = None
    _last: dict[str, dict[int, float]] = field(default_factory=dict)

    def values(self, point: list[float]) -> dict[int, float]:
        """The value of every node; kept for the last point, as all conditions are asked in turn."""
        key = repr(point)
        found = self._last.get(key)
        if found is None:
            found = self.reading.values(point)
            self._last.clear()
            self._last[key] = found
        return found

    def at(self, point: list[float], condition: Condition) -> ConditionAt:
        values = self.values(point)
        if condition.relation == "finite":
            return self._overflow(values, condition)
        value = values[id(condition.operand)]
        exponent = None if condition.exponent is None else values[id(condition.exponent)]
        if not self._counts(values, condition):
            return ConditionAt(condition, value, True, exponent)
        if math.isnan(value) or (exponent is not None and math.isnan(exponent)):
            return ConditionAt(condition, value, None, exponent)
        if exponent is None:
            return ConditionAt(condition, value, _HOLDS[condition.relation](value))
        case = _case(condition.cases, exponent)
        return ConditionAt(condition, value, _HOLDS[condition.relation](value, exponent), exponent, case)

    def _counts(self, values: dict[int, float], condition: Condition) -> bool:
        if not condition.guarded:
            return True
        live = _live(self.root, values)
        return any(id(node) in live for node in self.nodes[_key(condition)])

    def _overflow(self, values: dict[int, float], condition: Condition) -> ConditionAt:
        value = values[id(self.root)]
        if not math.isnan(value):
            return ConditionAt(condition, value, True)
        live = _live(self.root, values)
        overflowed = any(id(node) in live and self._overflows(node, values) for node in postorder(self.root))
        return ConditionAt(condition, value, False if overflowed else None)

    def _overflows(self, node: Expr, values: dict[int, float]) -> bool:
        """Undefined although its arguments are defined and meet what the operation requires."""
        if not math.isnan(values[id(node)]) or any(math.isnan(values[id(a)]) for a in node.args):
            return False
        requirement = self.requirements.get(id(node))
        return requirement is None or _HOLDS[requirement.relation](*[values[id(o)] for o in requirement.operands])


def conditions(
    root: Expr,
    *,
    rule: str = "ieee",
    lower: Sequence[float],
    upper: Sequence[float],
    names: Sequence[str] | None = None,
    stated: Mapping[int, str] | None = None,
) -> tuple[Condition, ...]:
    """All conditions of the formula, each once; the last may be that nothing overflows.

    `stated` has words for what constraints ask to be at least 0, by id.
    """
    check_rule(rule)
    must = needed(root)
    requirements = domain_requirements(root, rule=rule)
    nodes: dict[tuple[object, ...], list[Expr]] = {}
    for requirement in requirements:
        nodes.setdefault(_key(requirement), []).append(requirement.node)
    whole = _Whole(root, len(lower), Reference(root, rule), {id(r.node): r for r in requirements}, nodes, names)
    members = []
    for requirement in distinct(requirements):
        guarded = all(id(node) not in must for node in nodes[_key(requirement)])
        members.append(_condition(requirement, whole, guarded, names, stated or {}))
    box = [(float(a), float(b)) for a, b in zip(lower, upper, strict=True)]
    if _can_overflow(root, box):
        text = "no operation overflows: every value stays within 1.797e308"
        members.append(Condition("overflow", "finite", text, root, _whole=whole))
    return tuple(members)


def _condition(
    requirement: Requirement, whole: _Whole, guarded: bool, names: Sequence[str] | None, words: Mapping[int, str]
) -> Condition:
    base = formula(requirement.operand, names)
    cases: tuple[Case, ...] = ()
    if is_undefined(requirement.node):
        text = "undefined"
    elif requirement.kind == "constraint":
        text = words.get(id(requirement.operand)) or as_stated(requirement.operand, names)
    elif requirement.exponent is None:
        other = f"{base} is a whole number" if requirement.relation == "whole" else f"{base} != 0"
        text = SPANS[requirement.relation].text(base) if requirement.relation in SPANS else other
    else:
        exponent = formula(requirement.exponent, names)
        text = f"({base})^({exponent}) is real"
        cases = _cases(requirement.relation, base, exponent)
    if guarded:
        text += " (where its branch is taken)"
    return Condition(
        requirement.kind, requirement.relation, text, requirement.operand, requirement.exponent, cases, guarded,
        _whole=whole,
    )  # fmt: skip


def _cases(relation: str, base: str, exponent: str) -> tuple[Case, ...]:
    if relation == "strict power":
        return Case(f"{exponent} >= 0", f"{base} >= 0"), Case(f"{exponent} < 0", f"{base} > 0")
    return (
        Case(f"{exponent} is a whole number >= 0", f"{base} is any real number"),
        Case(f"{exponent} is a whole number < 0", f"{base} != 0"),
        Case(f"{exponent} is no whole number, > 0", f"{base} >= 0"),
        Case(f"{exponent} is no whole number, < 0", f"{base} > 0"),
    )


def _case(cases: tuple[Case, ...], exponent: float) -> Case:
    negative = int(exponent < 0.0)
    if len(cases) == 2:
        return cases[negative]
    return cases[negative + (0 if exponent == math.floor(exponent) else 2)]


def _live(root: Expr, values: dict[int, float]) -> set[int]:
    """The nodes whose value decides at this point: of each `where` only the branch taken."""
    found = {id(root)}
    for node in reversed(postorder(root)):
        if id(node) not in found:
            continue
        if node.op != "where":
            found.update(map(id, node.args))
            continue
        found.add(id(node.args[0]))
        if not math.isnan(test := values[id(node.args[0])]):
            found.add(id(node.args[1] if test else node.args[2]))
    return found


def _can_overflow(root: Expr, box: list[Range]) -> bool:
    return any(may_overflow(span) for span in ranges([root], box, finite_operands=True).values())


def _key(item: Requirement | Condition) -> tuple[object, ...]:
    return (item.relation, id(item.operand), id(item.exponent))


def _inside(span: Span) -> Callable[..., bool]:
    return lambda a: span.holds(a, a)


_HOLDS: dict[str, Callable[..., bool]] = {
    **{relation: _inside(span) for relation, span in SPANS.items()},
    "nonzero": lambda a: a != 0.0,
    "whole": lambda a: math.isfinite(a) and a == math.floor(a),
    "power": power_is_defined,
    "strict power": lambda a, p: a >= 0.0 and power_is_defined(a, p),
}
