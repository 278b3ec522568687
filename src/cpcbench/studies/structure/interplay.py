"""Which variables act together: separability, chains and groups, read off the formula.

The value is taken apart into terms, after peeling off increasing or decreasing outer functions; the
domain into conditions. Variables in no common term or condition are proven not to interact. Those in
one may still turn out not to: `interactions` looks for evidence in values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import combinations
from operator import or_

from cpcbench.errors import shortened
from cpcbench.expr.nodes import Expr
from cpcbench.expr.rewriting import terms
from cpcbench.expr.walk import constants, postorder
from cpcbench.intervals.boxes import ManyBoxes
from cpcbench.problems.problem import Problem
from cpcbench.readings.domain.conditions import Condition
from cpcbench.readings.domain.requirements import is_proven
from cpcbench.readings.reals.reference import constant_values
from cpcbench.readings.text import formula
from cpcbench.studies.structure.canonical import Canonical, bits

Group = tuple[int, ...]
"""Variables, from 0, ascending."""

MONOTONE = frozenset({"ln", "exp", "sqrt", "arcsin"})
SHOWN = 200
"""Characters of a term that are shown."""


@dataclass(frozen=True)
class Term:
    """A summand (or a condition) as text, and the variables that act in it."""

    text: str
    variables: Group


@dataclass(frozen=True)
class Graph:
    """Which variables act together: `groups` are the largest sets that share a term."""

    n: int
    groups: tuple[Group, ...]

    @cached_property
    def edges(self) -> frozenset[tuple[int, int]]:
        return frozenset(pair for group in self.groups for pair in combinations(group, 2))

    def joins(self, i: int, j: int) -> bool:
        return any(i in group and j in group for group in self.groups)

    @cached_property
    def components(self) -> tuple[Group, ...]:
        """Sets of variables with nothing between them."""
        parent = list(range(self.n))

        def top(i: int) -> int:
            while parent[i] != i:
                parent[i] = parent[parent[i]]
                i = parent[i]
            return i

        for group in self.groups:
            for other in group[1:]:
                parent[top(other)] = top(group[0])
        found: dict[int, list[int]] = {}
        for i in range(self.n):
            found.setdefault(top(i), []).append(i)
        return tuple(tuple(c) for c in sorted(found.values()))

    @property
    def bandwidth(self) -> int:
        """How far apart the numbers of two variables are that act together, at most."""
        return max((group[-1] - group[0] for group in self.groups), default=0)

    @property
    def shape(self) -> str:
        """none, chain, cycle, groups (apart), partial (some pairs never meet) or full (all pairs do)."""
        if all(len(group) < 2 for group in self.groups):
            return "none"
        if len(self.components) > 1:
            return "groups"
        if self.n > 2 and all(len(group) <= 2 for group in self.groups):
            far = {g for g in self.groups if len(g) == 2 and g[1] - g[0] > 1}
            if not far:
                return "chain"
            if far == {(0, self.n - 1)} and sum(len(g) == 2 for g in self.groups) == self.n:
                return "cycle"
        return "full" if len(self.edges) == self.n * (self.n - 1) // 2 else "partial"


@dataclass(frozen=True)
class Structure:
    """What is known of a problem's structure.

    `outer` are the monotone functions around the sum, outermost first, and `inner` is the sum itself;
    `plain` is the interaction of the value as it stands, `value` that of the inner sum, `domain`
    that of the conditions that can fail in the box, `together` that of value and domain.
    """

    problem: str
    n: int
    outer: tuple[str, ...]
    increasing: bool
    terms: tuple[Term, ...]
    conditions: tuple[Term, ...]
    idle: tuple[str, ...]
    plain: Graph
    value: Graph
    domain: Graph
    together: Graph
    inner: Expr = field(repr=False)

    @property
    def separable(self) -> bool:
        """The paper's definition: a sum of functions of one variable each."""
        return self.plain.shape == "none"

    @property
    def kind(self) -> str:
        """In words: separable, separable inside ln, chain, groups, non-separable, and the like."""
        around = f" inside {'('.join(self.outer)}" if self.outer else ""
        if self.value.shape == "none":
            coupled = "" if self.domain.shape == "none" else ", coupled domain"
            return f"separable{around}{coupled}"
        return f"{_WORDS[self.together.shape]}{around}"


_WORDS = {
    "full": "non-separable",
    "partial": "partially separable",
    "groups": "separable groups",
    "chain": "chain",
    "cycle": "cyclic chain",
}


def structure(problem: Problem) -> Structure:
    """Takes a problem apart."""
    problem.needs_box("its structure")
    outer, increasing, inner = peeled(problem.expression)
    active, idle = _conditions(problem)
    whole = Canonical(problem.expression)
    names = problem.names
    written = [(text, [whole.variables(node) for operands in parts for node in operands]) for text, parts in active]
    value = _graph(problem.dim, _groups(whole, inner))
    domain = _graph(problem.dim, [bits(_acting(whole, operands)) for _, parts in active for operands in parts])
    return Structure(
        problem=problem.id,
        n=problem.dim,
        outer=outer,
        increasing=increasing,
        terms=tuple(_term(node, sign, whole, names) for node, sign in _summands(inner)),
        conditions=tuple(Term(text, bits(reduce(or_, masks))) for text, masks in written),
        idle=idle,
        plain=value if not outer else _graph(problem.dim, _groups(whole, problem.expression)),
        value=value,
        domain=domain,
        together=_graph(problem.dim, [*value.groups, *domain.groups]),
        inner=inner,
    )


def peeled(root: Expr) -> tuple[tuple[str, ...], bool, Expr]:
    """The monotone functions around a sum, whether they increase together, and the sum.

    Constant summands, factors and signs are passed over; a function counts only if a sum of several
    parts with variables is inside.
    """
    free, values = constants(root), constant_values(root)
    outer: list[str] = []
    increasing, node = True, root
    best: tuple[tuple[str, ...], bool, Expr] = ((), True, root)
    while True:
        loose = [(sign, part) for sign, part in terms(node) if id(part) not in free]
        if len(loose) != 1:
            return (tuple(outer), increasing, node) if len(loose) > 1 and outer else best
        sign, part = loose[0]
        increasing = increasing if sign > 0 else not increasing
        inside = one_further_in(part, free, values)
        if inside is None:
            return best
        name, up, node = inside
        increasing = increasing if up else not increasing
        if name:
            outer.append(name)


def one_further_in(part: Expr, free: set[int], values: dict[int, float]) -> tuple[str, bool, Expr] | None:
    """One step further in: the function's name (none for a factor), whether it increases, its argument."""
    if part.op in MONOTONE:
        return part.op, True, part.args[0]
    if part.op == "mul":
        for factor, other in (part.args, part.args[::-1]):
            if id(factor) in free and values[id(factor)]:
                return "", values[id(factor)] > 0, other
    if part.op == "div" and id(part.args[1]) in free and values[id(part.args[1])]:
        return "", values[id(part.args[1])] > 0, part.args[0]
    if part.op == "pow" and id(part.args[1]) in free:
        exponent = values[id(part.args[1])]
        if exponent and not float(exponent).is_integer():  # a base >= 0
            return f"power {exponent:g}", exponent > 0, part.args[0]
    return None


def _summands(root: Expr) -> list[tuple[Expr, int]]:
    """The terms of a sum, through constant factors: c (a + b) has two."""
    free = constants(root)
    found: list[tuple[Expr, int]] = []
    stack = [(root, 1)]
    while stack:
        node, sign = stack.pop()
        parts = terms(node)
        if len(parts) > 1 or parts[0][1] is not node:
            stack += [(part, sign * s) for s, part in reversed(parts)]
            continue
        inner = _behind_factor(node, free)
        if inner is not None and len(terms(inner)) > 1:
            stack.append((inner, sign))
        else:
            found.append((node, sign))
    return [(node, sign) for node, sign in found if id(node) not in free]


def _behind_factor(node: Expr, free: set[int]) -> Expr | None:
    if node.op == "mul" and id(node.args[0]) in free:
        return node.args[1]
    if node.op in ("mul", "div") and id(node.args[1]) in free:
        return node.args[0]
    return None


def _term(node: Expr, sign: int, whole: Canonical, names: Sequence[str]) -> Term:
    text = shortened(formula(node, names), SHOWN)
    return Term(text if sign > 0 else f"-({text})", bits(whole.variables(node)))


# Who acts together


def _groups(whole: Canonical, node: Expr) -> list[Group]:
    """The variables of each term of a part's canonical form, what cancels left out."""
    forms = whole.forms
    return [bits(forms.monomial_variables(m)) for m in forms.body(whole.of(node))]


def _graph(n: int, groups: Iterable[Group]) -> Graph:
    """Groups that lie within others are dropped."""
    distinct = sorted({g for g in groups if g}, key=lambda g: (-len(g), g))
    kept: list[frozenset[int]] = []
    by_member: dict[int, list[frozenset[int]]] = {}
    for group in distinct:
        members = frozenset(group)
        if any(members <= other for other in by_member.get(group[0], ())):
            continue
        kept.append(members)
        for i in group:
            by_member.setdefault(i, []).append(members)
    return Graph(n, tuple(sorted(tuple(sorted(k)) for k in kept)))


# Conditions

Operands = tuple[Expr, ...]


def _conditions(problem: Problem) -> tuple[list[tuple[str, list[Operands]]], tuple[str, ...]]:
    """The conditions that can fail in the box, what they are about, and the texts of those that hold all over it."""
    members = [c for c in problem.conditions if c.relation != "finite"]
    spans = on_box(problem, [c.operand for c in members])
    holds = [is_proven(c.relation, low, high) for c, (low, high, _) in zip(members, spans, strict=True)]
    active = [(c.text, _about(problem.expression, c)) for c, always in zip(members, holds, strict=True) if not always]
    return active, tuple(c.text for c, always in zip(members, holds, strict=True) if always)


def on_box(problem: Problem, parts: Sequence[Expr]) -> list[tuple[float, float, int]]:
    """Between which numbers each part is proven to lie on the whole box, and how far it is defined there."""
    if not parts:
        return []
    spans = ManyBoxes(parts, problem.rule)(problem.lower[None], problem.upper[None])
    return [(float(low[0]), float(high[0]), int(state[0])) for low, high, state in spans]


def _about(root: Expr, condition: Condition) -> list[Operands]:
    """What a condition is about; in a branch of a `where` also the comparison, as it counts only where that says so."""
    parts = _split(condition)
    if not condition.guarded:
        return parts
    choices = [n for n in postorder(root) if n.op == "where"]
    tests = tuple(n.args[0] for n in choices if any(b is condition.operand for b in postorder(*n.args[1:])))
    return [(*operands, *tests) for operands in parts]


def _split(condition: Condition) -> list[Operands]:
    """A product is not 0 if no factor is: as many conditions as factors."""
    if condition.relation != "nonzero":
        return [(condition.operand,) if condition.exponent is None else (condition.operand, condition.exponent)]
    parts: list[Operands] = []
    stack = [condition.operand]
    while stack:
        node = stack.pop()
        if node.op in ("mul", "div", "neg", "abs", "sqrt"):
            stack += node.args
        else:
            parts.append((node,))
    return parts


def _acting(whole: Canonical, operands: Operands) -> int:
    """The variables that act in a condition, as bits, what cancels left out."""
    return reduce(or_, (whole.forms.variables(whole.of(node)) for node in operands))
