"""Symmetries of a problem: motions of the space that change neither its value nor its domain.

Each is proven over the reals, by the canonical form of the formula and of its conditions before and
after the motion. In doubles an image may differ in the last bits, since sums are added in another
order. What is not found is not excluded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product

from cpcbench.clock import look_at_clock
from cpcbench.expr.walk import variables
from cpcbench.problems.problem import Problem
from cpcbench.studies.structure.canonical import Canonical
from cpcbench.studies.structure.domains import Domain
from cpcbench.studies.structure.forms import Sum, added
from cpcbench.studies.symmetry.company import Company
from cpcbench.studies.symmetry.motions import ZERO, Exact, Motion, exact_text, mirror, rounded, shift, swap
from cpcbench.studies.symmetry.translations import LinearForm, linear_forms, shifts

MOST_JOINT = 6
"""Up to so many variables all joint mirrors are tried, beyond that pairs and all together."""
MOST_PAIRS = 20
"""Variables up to which all pairs are tried for what is not a plain swap."""
MOST_SHIFTED = 40
"""Variables up to which shifts are looked for."""


@dataclass(frozen=True)
class Symmetry:
    """A motion under which the formula and its domain stay the same over the reals.

    Where it does not keep the box, the image of a point may lie outside.
    """

    motion: Motion
    kind: str
    text: str
    keeps_box: bool


@dataclass(frozen=True)
class Symmetries:
    """What was proven of a problem.

    `unused` variables have no influence at all; along `directions` (texts; `ways` as vectors) the formula is constant;
    `classes` are variables that can be exchanged freely (from 0, two or more each).
    """

    problem: str
    n: int
    found: tuple[Symmetry, ...]
    unused: tuple[int, ...]
    directions: tuple[str, ...]
    ways: tuple[tuple[float, ...], ...]
    classes: tuple[tuple[int, ...], ...]

    @property
    def motions(self) -> tuple[Motion, ...]:
        return tuple(s.motion for s in self.found)


def symmetries(problem: Problem) -> Symmetries:
    """The mirrors, swaps and shifts that can be proven."""
    problem.needs_box("a count of optima")
    proof = Proof(problem)
    used = variables(problem.expression)
    classes = _classes(proof, used)
    motions = [*_mirrors(proof, used), *_class_swaps(problem.dim, classes), *_other_swaps(proof, used, classes)]
    periods, directions = _shifts(proof) if len(used) <= MOST_SHIFTED else ([], [])
    found = [Symmetry(m, m.kind, m.text(problem.names), _keeps_box(problem, m)) for m in (*motions, *periods)]
    unused = tuple(i for i in range(problem.dim) if i not in used)
    texts = tuple(_along(d, problem.names) for d in directions)
    ways = tuple(tuple(rounded(t) for t in d) for d in directions)
    return Symmetries(problem.id, problem.dim, tuple(found), unused, texts, ways, classes)


class Proof:
    """Whether a motion changes a problem's formula or its conditions."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.canonical = Canonical(problem.expression)
        self.domain = Domain(self.canonical, problem.rule)
        self.value = self.canonical.of(problem.expression)
        self.demands = self.domain.demands()

    def holds(self, motion: Motion) -> bool:
        return self.unchanged(motion.change(self.canonical.forms))

    def unchanged(self, change: dict[int, Sum]) -> bool:
        look_at_clock()
        value = self.canonical.numbers(change)[id(self.problem.expression)]
        return value == self.value and self.domain.demands(change) == self.demands

    def is_constant_along(self, direction: Sequence[Exact]) -> bool:
        """Whether any multiple of the direction may be added: the multiple is a variable more."""
        forms = self.canonical.forms
        extra = forms.variable(self.problem.dim)
        change = {}
        for i, (a, b) in enumerate(direction):
            factor: Sum = {k: c for k, c in {(): a, ((forms.pi, 1),): b}.items() if c}
            if factor:
                change[i] = added(forms.variable(i), forms.times(extra, factor))
        return self.unchanged(change)


# Mirrors


def _mirrors(proof: Proof, used: Sequence[int]) -> list[Motion]:
    n = proof.problem.dim
    centres = _centres(proof, used)
    found: list[Motion] = []
    left = []
    for i in used:
        single = next((m for c in centres[i] if proof.holds(m := mirror(n, {i: c}))), None)
        if single is None:
            left.append(i)
        else:
            found.append(single)
    spanned: set[int] = {0}
    for group in _groups(left):
        mask = sum(1 << i for i in group)
        if mask in spanned:
            continue
        for choice in range(3):
            motion = mirror(n, {i: centres[i][min(choice, len(centres[i]) - 1)] for i in group})
            if proof.holds(motion):
                found.append(motion)
                spanned |= {mask ^ old for old in spanned}
                break
    return found


def _groups(left: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Sets of variables to mirror together, small ones first."""
    if len(left) <= MOST_JOINT:
        for size in range(2, len(left) + 1):
            yield from combinations(left, size)
        return
    if len(left) <= MOST_PAIRS:
        yield from combinations(left, 2)
    yield tuple(left)


def _centres(proof: Proof, used: Sequence[int]) -> dict[int, list[Exact]]:
    """Where each variable might be mirrored: in 0, in the middle of the box, where a linear form is 0."""
    problem = proof.problem
    forms = linear_forms(proof.canonical) if problem.dim <= MOST_SHIFTED else []
    found: dict[int, list[Exact]] = {}
    for i in used:
        middle = (Fraction(problem.lower[i]) + Fraction(problem.upper[i])) / 2
        found[i] = list(dict.fromkeys([ZERO, (middle, Fraction(0)), *_zeros(forms, i)]))
    return found


def _zeros(forms: Sequence[LinearForm], i: int) -> Iterator[Exact]:
    for form in forms:
        if set(form.coefficients) != {i}:
            continue
        (a, b), (d, e) = form.coefficients[i], form.constant
        for quarter in (0, 1) if form.wave else (0,):
            turned = e - Fraction(quarter, 2)
            if b == 0:
                yield -d / a, -turned / a
            elif a == 0 and d == 0:
                yield -turned / b, Fraction(0)


# Swaps


def _classes(proof: Proof, used: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Variables that can be exchanged freely: swapping any two of a class changes nothing."""
    company = Company(proof.canonical.forms, proof.value)
    classes: list[list[int]] = []
    for i in used:
        for known in classes:
            if company.may_swap(i, known[0]) and proof.holds(_transposed(proof.problem.dim, i, known[0])):
                known.append(i)
                break
        else:
            classes.append([i])
    return tuple(tuple(c) for c in classes if len(c) > 1)


def _transposed(n: int, i: int, j: int, sign: int = 1) -> Motion:
    places = list(range(n))
    places[i], places[j] = j, i
    return swap(n, places, sign)


def _class_swaps(n: int, classes: Sequence[Sequence[int]]) -> list[Motion]:
    return [_transposed(n, a, b) for members in classes for a, b in pairwise(members)]


def _other_swaps(proof: Proof, used: Sequence[int], classes: Sequence[Sequence[int]]) -> list[Motion]:
    """Swaps with a change of sign, the reversal and the rotation of the variables."""
    n = proof.problem.dim
    together = {(a, b) for members in classes for a, b in combinations(members, 2)}
    tried: list[Motion] = []
    if len(used) <= MOST_PAIRS:
        tried += [_transposed(n, a, b, -1) for a, b in combinations(used, 2) if (a, b) not in together]
    if len(used) > 2 and not any(len(members) == len(used) for members in classes):
        backward, onward = list(range(n)), list(range(n))
        for k, i in enumerate(used):
            backward[i] = used[-1 - k]
            onward[i] = used[(k + 1) % len(used)]
        tried += [swap(n, backward), swap(n, backward, -1), swap(n, onward)]
    return [m for m in dict.fromkeys(tried) if proof.holds(m)]


# Shifts


def _shifts(proof: Proof) -> tuple[list[Motion], list[tuple[Exact, ...]]]:
    problem = proof.problem
    candidates = shifts(proof.canonical, problem.dim)
    directions = [d for d in _not_parallel(candidates.directions) if proof.is_constant_along(d)]
    basis = candidates.periods
    found: dict[tuple[int, ...], Motion] = {}
    for weights in _weights(len(basis)):
        half = tuple(w // 2 for w in weights)
        motion = shift(_combined(basis, weights, problem.dim))
        if half not in found and _fits(problem, motion) and proof.holds(motion):
            found[weights] = motion
    return list(found.values()), directions


def _weights(count: int) -> Iterator[tuple[int, ...]]:
    """Which half periods to add up: every choice of a few, else each alone; then whole periods."""
    unit = [tuple(int(i == k) for i in range(count)) for k in range(count)]
    choices = product((0, 1), repeat=count) if count <= MOST_JOINT else iter(unit)
    yield from (w for w in choices if any(w))
    yield from (tuple(2 * x for x in w) for w in unit)


def _not_parallel(directions: Sequence[tuple[Exact, ...]]) -> list[tuple[Exact, ...]]:
    """One of each bundle of parallel directions; (1, 1) and (pi, pi) come out of the same equations."""
    kept: dict[tuple[float, ...], tuple[Exact, ...]] = {}
    for direction in directions:
        values = [rounded(t) for t in direction]
        largest = max(values, key=abs)
        kept.setdefault(tuple(round(v / largest, 12) for v in values), direction)
    return list(kept.values())


def _along(direction: Sequence[Exact], names: Sequence[str]) -> str:
    """Such as `x1 + t, x2 + t` for any t."""
    moved = [(names[i], exact_text(t)) for i, t in enumerate(direction) if t != ZERO]
    return ", ".join(f"{name} + {'' if t == '1' else f'({t})*'}t" for name, t in moved)


def _combined(basis: Sequence[tuple[Exact, ...]], weights: Sequence[int], n: int) -> tuple[Exact, ...]:
    chosen = [(w, vector) for w, vector in zip(weights, basis, strict=True) if w]
    return tuple(
        (sum((w * v[i][0] for w, v in chosen), Fraction(0)), sum((w * v[i][1] for w, v in chosen), Fraction(0)))
        for i in range(n)
    )


def _fits(problem: Problem, motion: Motion) -> bool:
    """Whether any point of the box can have its image in the box."""
    lengths = [abs(rounded(t)) for t in motion.shifts]
    return all(t <= u - v for t, u, v in zip(lengths, problem.upper.tolist(), problem.lower.tolist(), strict=True))


def _keeps_box(problem: Problem, motion: Motion) -> bool:
    lower = [Fraction(a) for a in problem.lower.tolist()]
    upper = [Fraction(b) for b in problem.upper.tolist()]
    for i, (p, s, (a, b)) in enumerate(zip(motion.places, motion.signs, motion.shifts, strict=True)):
        if b or sorted((s * lower[p] + a, s * upper[p] + a)) != [lower[i], upper[i]]:
            return False
    return True
