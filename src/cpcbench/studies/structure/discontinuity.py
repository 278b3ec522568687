"""Where a formula jumps, has gaps in its domain, or only looks as if: the four categories of the benchmark's paper.

Findings are read off the formula, node by node; interval arithmetic tells which cannot be met in the
box, and sampled points show those that are. What neither settles is undecided.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from cpcbench.errors import shortened
from cpcbench.expr.functions import JUMPS, KINKS, STEPS
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import constants, postorder
from cpcbench.intervals.operations import EVERYWHERE
from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.readings.domain.requirements import SPANS, Requirement, distinct, domain_requirements, is_proven
from cpcbench.readings.reals.reference import Reference
from cpcbench.readings.text import formula
from cpcbench.rng import Rng, generator_of
from cpcbench.sampling.points import uniform_points, with_best
from cpcbench.studies.structure.interplay import on_box
from cpcbench.studies.structure.removable import is_removable
from cpcbench.studies.structure.steepness import STEEP, steepness

Category = Literal["numerical", "piecewise", "stepwise", "domain-induced"]
Reach = Literal["yes", "no", "undecided"]

CATEGORIES: dict[Category, tuple[str, str]] = {
    "numerical": ("numerically induced pseudo-discontinuity", "F170, Xin-She Yang 3"),
    "piecewise": ("piecewise structural discontinuity", "sgn(x); F37, Corana"),
    "stepwise": ("stepwise quantization discontinuity", "F138, Step 2"),
    "domain-induced": ("domain-induced discontinuity-like behaviour", "CPC-DF8 and CPC-DF12"),
}
"""The paper's name of each category, and its example."""

SHOWN = 120
SAMPLES = 2000
SMOOTH = 1e-9
"""Change between neighbouring points, relative to the largest value, that is still called smooth."""
HALVINGS = 130
"""Enough to reach neighbouring doubles, or, towards 0, points that no slope can tell apart."""
CROSSINGS = 6
"""Places where a jump is looked for before it is called undecided."""


@dataclass(frozen=True)
class Finding:
    """One operation that may interrupt the formula.

    `kind` is jump, kink, gap (undefined on a region), pole (undefined on a thin set, unbounded beside
    it) or removable (undefined on a thin set, bounded beside it). `reached` says whether it happens
    in the box; `where` is a point or a reason.
    """

    category: Category
    kind: str
    text: str
    why: str
    reached: Reach
    where: str


@dataclass(frozen=True)
class Discontinuities:
    """All findings, and the category that follows; `steepness` is measured where there are none."""

    problem: str
    rule: str
    findings: tuple[Finding, ...]
    category: Category | Literal["none", "undecided"]
    why: str
    steepness: float | None

    @property
    def categories(self) -> tuple[Category, ...]:
        """All categories with a finding that is reached in the box."""
        return tuple(dict.fromkeys(f.category for f in self.findings if f.reached == "yes" and f.kind != "kink"))


def discontinuities(problem: Problem, *, samples: int = SAMPLES, rng: Rng = 0) -> Discontinuities:
    """The findings for a problem, outermost first."""
    sample = _Sample(problem, samples, rng)
    findings = [*_steps(problem, sample), *_gaps(problem, sample)]
    depth = _depths(problem.expression)
    ordered = tuple(finding for node, finding in sorted(findings, key=lambda pair: depth[id(pair[0])]))
    category, why, steep = _category(problem, ordered, rng)
    return Discontinuities(problem.id, problem.rule, ordered, category, why, steep)


def _category(
    problem: Problem, findings: Sequence[Finding], rng: Rng
) -> tuple[Category | Literal["none", "undecided"], str, float | None]:
    """A jump is one whatever the domain; then gaps; then steepness, which is only measured."""
    jumps = [f for f in findings if f.kind == "jump" and f.reached == "yes"]
    if jumps:
        return jumps[0].category, f"the outermost jump that is reached is in {jumps[0].text}", None
    gaps = [f for f in findings if f.category == "domain-induced" and f.reached == "yes"]
    if gaps:
        return "domain-induced", f"no jump is reached; {len(gaps)} restrictions of the domain are", None
    if any(f.reached == "undecided" and f.kind != "kink" for f in findings):
        return "undecided", "what there is could neither be reached by sampling nor excluded", None
    steep = steepness(problem, rng)
    if steep is None:
        return "undecided", "no admissible line to measure the steepness on", None
    share = f"{100 * steep:.0f} % of the range lies within 1 % of a side of the box"
    return ("numerical" if steep >= STEEP else "none"), f"continuous on the whole box; {share} (measured)", steep


class _Sample:
    """Points of the box, the known optimum first, and the value of every node at each."""

    def __init__(self, problem: Problem, count: int, rng: Rng) -> None:
        drawn = uniform_points(problem, count, generator_of(rng))
        self._points = with_best(problem, drawn).tolist()
        self._reading, self._root = Reference(problem.expression, problem.rule), problem.expression
        self._read: list[dict[int, float]] = []

    @property
    def pairs(self) -> Iterator[tuple[list[float], dict[int, float]]]:
        """Each point and its values, read once and only as far as somebody looks: most are seen at the first points."""
        for i, point in enumerate(self._points):
            if i == len(self._read):
                self._read.append(self._reading.values(point))
            yield point, self._read[i]

    def admissible(self, values: dict[int, float]) -> bool:
        return not math.isnan(values[id(self._root)])

    @property
    def scale(self) -> float:
        """The largest size of a value in the sample."""
        return max((abs(v[id(self._root)]) for _, v in self.pairs if self.admissible(v)), default=0.0)

    def outcome(self, node: Expr, point: Floats) -> float:
        return _side(node, self._reading.values(point.tolist()))


def _side(node: Expr, values: dict[int, float]) -> float:
    """On which side of its jump an operation is: the level of a floor, a sign, the branch taken."""
    if node.op in STEPS:
        return values[id(node)]
    if node.op in ("min", "max", "mod"):
        a, b = (values[id(part)] for part in node.args)
        return float(np.floor(a / b) if node.op == "mod" and b else np.sign(a - b))
    side = values[id(node.args[0])]
    return side if node.op == "where" else float(np.sign(side))


# Jumps

_WHY = {
    "floor": "jumps by 1 wherever its argument is a whole number",
    "ceil": "jumps by 1 wherever its argument is a whole number",
    "round": "jumps by 1 wherever its argument is half way between whole numbers",
    "sign": "jumps where its argument is 0",
    "where": "changes from one formula to another where its comparison turns",
    "mod": "jumps wherever the quotient of its arguments is a whole number",
    "arctan2": "jumps by 2 pi where its first argument is 0 and the second is negative",
    "min": "is continuous, but its slope jumps where its arguments are equal",
    "max": "is continuous, but its slope jumps where its arguments are equal",
    "abs": "is continuous, but its slope jumps where its argument is 0",
}


def _watched(node: Expr) -> Expr:
    """What tells on which side of its jump or kink an operation is."""
    if node.op == "mod":
        return node.args[0] / node.args[1]
    a, *b = node.args[0].args if node.op == "where" else node.args
    return a - b[0] if b and node.op != "arctan2" else a


def _steps(problem: Problem, sample: _Sample) -> list[tuple[Expr, Finding]]:
    free = constants(problem.expression)
    nodes = [n for n in postorder(problem.expression) if n.op in _WHY and id(n) not in free]
    inputs = [_watched(n) for n in nodes]
    found = []
    for node, (low, high, _) in zip(nodes, on_box(problem, inputs), strict=True):
        category: Category = "stepwise" if node.op in (*STEPS, "mod") else "piecewise"
        kind = "kink" if node.op in KINKS - JUMPS else "jump"
        reached, where = _crossed(node, low, high, problem, sample)
        found.append((node, Finding(category, kind, _text(problem, node), _WHY[node.op], reached, where)))
    return found


def _crossed(node: Expr, low: float, high: float, problem: Problem, sample: _Sample) -> tuple[Reach, str]:
    """Whether both sides of a jump occur in the box, at admissible points."""
    step = STEPS["floor" if node.op == "mod" else node.op] if node.op in (*STEPS, "mod") else None
    same = step(low) == step(high) if step is not None and math.isfinite(high - low) else False
    if same or (step is None and (low > 0.0 or high < 0.0)):
        return "no", f"its argument stays within [{low:g}, {high:g}] on the box"
    inside = [(point, _side(node, values)) for point, values in sample.pairs if sample.admissible(values)]
    across = [(a, b) for (a, side), (b, other) in pairwise(inside) if side != other]
    outcome: tuple[Reach, str] = "undecided", "sampled admissible points all lie on one side"
    for first, second in across[:CROSSINGS]:
        outcome = _jumps(node, problem, sample, first, second)
        if outcome[0] == "yes":
            break
    return outcome


def _jumps(node: Expr, problem: Problem, sample: _Sample, a: list[float], b: list[float]) -> tuple[Reach, str]:
    """Halves the way between two sides down to neighbouring doubles: does the whole value jump there?"""
    left, right = np.array(a), np.array(b)
    outcome = sample.outcome(node, left)
    for _ in range(HALVINGS):
        middle = left / 2 + right / 2
        if (middle == left).all() or (middle == right).all():
            break
        if math.isnan(problem.reference(middle)):
            return "undecided", f"between {_shown(a)} and {_shown(b)} there are undefined points"
        if sample.outcome(node, middle) == outcome:
            left = middle
        else:
            right = middle
    if node.op in KINKS - JUMPS:
        return "yes", f"at {_shown(left)}"
    jump = abs(problem.reference(left) - problem.reference(right))
    if jump > SMOOTH * sample.scale:
        return "yes", f"the value jumps by {jump:.3g} at {_shown(left)}"
    return "undecided", f"it turns at {_shown(left)}, but the whole value does not jump there"


# Gaps


def _gaps(problem: Problem, sample: _Sample) -> list[tuple[Expr, Finding]]:
    members = distinct(domain_requirements(problem.expression, rule=problem.rule))
    spans = on_box(problem, [r.operand for r in members])
    found = []
    for requirement, (low, high, state) in zip(members, spans, strict=True):
        kind, why = _kind(requirement, problem)
        reached, where = _violated(requirement, low, high, state == EVERYWHERE, sample)
        text = _text(problem, requirement.node)
        found.append((requirement.node, Finding("domain-induced", kind, text, why, reached, where)))
    return [*found, *_tangents(problem, sample)]


def _kind(requirement: Requirement, problem: Problem) -> tuple[str, str]:
    operand = _text(problem, requirement.operand)
    if requirement.relation != "nonzero":
        span = SPANS.get(requirement.relation)
        if requirement.relation == "whole":
            return "gap", f"needs {operand} to be a whole number"
        if span is None:
            return "gap", f"needs {operand} >= 0 unless the exponent is whole, and not 0 if it is negative"
        return (
            "gap",
            f"needs {operand} within [-1, 1]" if requirement.relation == "unit" else f"needs {span.text(operand)}",
        )
    if any(n.op in JUMPS for n in postorder(requirement.operand)):
        return "gap", f"undefined where {operand} = 0, by its steps perhaps on a whole region"
    if is_removable(requirement.node):
        return "removable", f"0/0 where {operand} = 0, with a finite limit"
    return "pole", f"undefined where {operand} = 0"


def _violated(requirement: Requirement, low: float, high: float, whole: bool, sample: _Sample) -> tuple[Reach, str]:
    """Whether the restriction is met in the box."""
    relation = requirement.relation
    if low > high:
        return "undecided", "its operand is defined nowhere on the box"
    if relation == "nonzero":
        return _vanishes(requirement.operand, low, high, whole, sample)
    if is_proven(relation, low, high):
        return "no", f"its operand stays within [{low:g}, {high:g}] on the box"
    for point, values in sample.pairs:
        operands = [values[id(o)] for o in requirement.operands]
        if not any(map(math.isnan, operands)) and math.isnan(values[id(requirement.node)]):
            return "yes", f"undefined at {_shown(point)}"
    return "undecided", "no sampled point violates it"


def _vanishes(operand: Expr, low: float, high: float, whole: bool, sample: _Sample) -> tuple[Reach, str]:
    """A thin set is not hit by sampling; a continuous operand with both signs shows that it is there."""
    if low > 0 or high < 0:
        return "no", f"its operand stays within [{low:g}, {high:g}] on the box"
    sides: dict[float, list[float]] = {}
    for point, values in sample.pairs:
        value = values[id(operand)]
        if not math.isnan(value):
            sides.setdefault(float(np.sign(value)), point)
    if 0.0 in sides:
        return "yes", f"at {_shown(sides[0.0])}"
    if len(sides) == 2:
        continuous = whole and not any(n.op in (*JUMPS, "tan") for n in postorder(operand))
        reached: Reach = "yes" if continuous else "undecided"
        return reached, f"its operand changes sign between {_shown(sides[1.0])} and {_shown(sides[-1.0])}"
    return "undecided", "its operand has one sign at all sampled points"


def _tangents(problem: Problem, sample: _Sample) -> list[tuple[Expr, Finding]]:
    """A tangent has poles that no condition in doubles speaks of."""
    nodes = [n for n in postorder(problem.expression) if n.op == "tan" and id(n) not in constants(problem.expression)]
    found = []
    for node in nodes:
        ((low, high, state),) = on_box(problem, node.args)
        reached: Reach = "no" if _turn(low) == _turn(high) else "undecided"
        seen = {_turn(values[id(node.args[0])]) for _, values in sample.pairs}
        if len(seen) > 1 and state == EVERYWHERE:
            reached = "yes"
        where = f"its argument lies within [{low:g}, {high:g}]"
        why = "has poles at odd multiples of pi/2"
        found.append((node, Finding("domain-induced", "pole", _text(problem, node), why, reached, where)))
    return found


def _turn(angle: float) -> float:
    """Between which two poles of the tangent an angle lies."""
    return math.floor(angle / math.pi + 0.5) if math.isfinite(angle) else angle


def _text(problem: Problem, node: Expr) -> str:
    return shortened(formula(node, problem.names), SHOWN)


def _shown(point: Sequence[float] | Floats) -> str:
    return f"({', '.join(f'{x:.6g}' for x in point)})"


def _depths(root: Expr) -> dict[int, int]:
    """How far inside each node stands, by its shallowest use."""
    depth = {id(root): 0}
    for node in reversed(postorder(root)):
        for a in node.args:
            depth[id(a)] = min(depth.get(id(a), 10**9), depth[id(node)] + 1)
    return depth
