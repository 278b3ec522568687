"""How many optima there are: the images of one under the problem's symmetries, each checked in doubles.

The orbit is computed without rounding; what doubles make of each image is told beside it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from cpcbench.clock import look_at_clock
from cpcbench.errors import CpcbenchError
from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.sampling.points import point_or_best
from cpcbench.studies.symmetry.motions import Exact, Motion, exactly, rounded
from cpcbench.studies.symmetry.numbers import Doubles, Numbers
from cpcbench.studies.symmetry.plateaus import plateau
from cpcbench.studies.symmetry.symmetries import Symmetries, symmetries

Verdict = Literal["same", "rounded", "different", "inadmissible", "undecided"]

MOST_IMAGES = 20_000
NEAR = 2e-6
"""Part of half a side within which two images count as one point."""
MOST_CHECKED = 256
"""Images whose error bounds are worked out; the rest are only evaluated."""


@dataclass(frozen=True)
class Image:
    """One image: the nearest doubles, their correctly rounded value, and how it compares.

    `same`: the value is that of the optimum within both error bounds. `rounded`: the image itself is
    no row of doubles, and its rounding explains the difference to first order. `inadmissible`: in
    doubles, though not in the reals. `undecided`: rounding moved the point where no slope is known.
    """

    point: tuple[float, ...]
    exact: bool
    value: float
    verdict: Verdict


@dataclass(frozen=True)
class Multiplicity:
    """The optima that follow from one; `complete` is False where there are more than were listed.

    `flat` says that the formula is constant around the optimum (proven by interval arithmetic) or
    along a line through it, so that there are infinitely many.
    """

    problem: str
    rule: str
    point: tuple[float, ...]
    value: float
    images: tuple[Image, ...]
    symmetries: Symmetries = field(repr=False)
    flat: str | None
    complete: bool

    @property
    def count(self) -> int:
        """How many different points the images are, the optimum itself included."""
        return len(self.images)

    @property
    def text(self) -> str:
        """The number of optima as the paper writes it: a power of two for symmetric ones."""
        if self.flat is not None:
            return "infinitely many"
        return ("" if self.complete else "at least ") + power_of_two(self.count)

    @property
    def verdicts(self) -> dict[str, int]:
        """How many images have each verdict."""
        return dict(Counter(image.verdict for image in self.images))


def power_of_two(count: int) -> str:
    """`2^5 = 32`; any other number, and 1, as it is."""
    power = count.bit_length() - 1
    return f"2^{power} = {count}" if count > 1 and count == 1 << power else str(count)


def multiplicity(problem: Problem, point: ArrayLike | None = None) -> Multiplicity:
    """All images of an optimum in the box; without a point, of the best-known one."""
    start = point_or_best(problem, point)
    if not problem.in_box(start):
        raise CpcbenchError(f"the point {start.tolist()} is not in the box of {problem.id}")
    known = symmetries(problem)
    images, complete = orbit(problem, start.tolist(), known.motions)
    value = float(problem.reference(start))
    return Multiplicity(
        problem=problem.id,
        rule=problem.rule,
        point=tuple(start.tolist()),
        value=value,
        images=tuple(_checked(problem, start, images)),
        symmetries=known,
        flat=_flat(problem, start, known),
        complete=complete,
    )


def orbit(problem: Problem, point: Sequence[float], motions: Sequence[Motion]) -> tuple[list[tuple[Exact, ...]], bool]:
    """The images in the box, the point itself first; False beside them if there are too many to list.

    Intermediate images may leave the box by the length of a shift.
    """
    steps = list(dict.fromkeys([*motions, *(m.inverse() for m in motions)]))
    room = [max((abs(rounded(m.shifts[i])) for m in motions), default=0.0) for i in range(problem.dim)]
    box = list(zip(problem.lower.tolist(), problem.upper.tolist(), strict=True))
    wide = [(a - r, b + r) for (a, b), r in zip(box, room, strict=True)]
    numbers = Numbers()
    start = tuple(numbers.place(x) for x in exactly(point))
    seen, queue = {start}, [start]
    for current in queue:  # grows while it is read
        look_at_clock()
        for motion in steps:
            image = numbers.moved(current, motion)
            if image not in seen and numbers.inside(image, wide, motion.moved):
                seen.add(image)
                queue.append(image)
        if len(queue) > MOST_IMAGES:
            break
    everywhere = range(problem.dim)
    images = [numbers.exact(image) for image in queue if numbers.inside(image, box, everywhere)]
    return _distinct(problem, images), len(queue) <= MOST_IMAGES


def _distinct(problem: Problem, images: list[tuple[Exact, ...]]) -> list[tuple[Exact, ...]]:
    """One of each heap of images that nearly coincide: an optimum in doubles is only near a fixed point."""
    from scipy.spatial import cKDTree

    half = np.maximum(problem.upper / 2 - problem.lower / 2, np.finfo(float).tiny)
    doubles = Doubles()
    tree = cKDTree(np.array([[doubles(x).value for x in image] for image in images]) / half)
    merged: set[int] = set()
    kept = []
    for place, image in enumerate(images):
        look_at_clock()
        if place not in merged:
            kept.append(image)
            merged.update(tree.query_ball_point(tree.data[place], NEAR, p=np.inf))
    return kept


def _checked(problem: Problem, start: Floats, images: Sequence[tuple[Exact, ...]]) -> list[Image]:
    bound = problem.error_bound(start)
    slope = np.abs(problem.gradient(start))
    found, nearest = [], Doubles()
    for place, image in enumerate(images):
        look_at_clock()
        near = [nearest(number) for number in image]
        doubles, lost = [d.value for d in near], [d.lost for d in near]
        exact = all(d.exact for d in near)
        value = float(problem.reference(doubles))
        if math.isnan(value):
            verdict: Verdict = "undecided" if math.isnan(bound.value) else "inadmissible"
        elif place == 0 or place >= MOST_CHECKED:
            verdict = "same" if value == bound.value else "undecided"
        else:
            room = bound.radius + problem.error_bound(doubles).radius
            verdict = _verdict(abs(value - bound.value), room, exact, slope, np.array(lost))
        found.append(Image(tuple(doubles), exact, value, verdict))
    return found


def _verdict(apart: float, room: float, exact: bool, slope: Floats, lost: Floats) -> Verdict:
    if math.isnan(apart) or math.isinf(room):
        return "undecided"
    if apart <= room:
        return "same"
    if exact:
        return "different"
    moved = lost > 0.0
    if np.isnan(slope[moved]).any():
        return "undecided"
    return "rounded" if apart <= room + 4.0 * float(np.dot(slope[moved], lost[moved])) else "different"


def _flat(problem: Problem, point: Floats, known: Symmetries) -> str | None:
    """Why there are infinitely many optima, if that is seen."""
    for i in known.unused:
        if problem.lower[i] < problem.upper[i]:
            return f"{problem.names[i]} does not occur in the formula"
    for text, way in zip(known.directions, known.ways, strict=True):
        if _stays(problem, point, np.array(way)) or _stays(problem, point, -np.array(way)):
            return f"the formula is constant along {text}"
    size = plateau(problem, point)
    return None if size is None else f"the formula is constant on a box around the point, {size:g} of the whole wide"


def _stays(problem: Problem, point: Floats, way: Floats) -> bool:
    """Whether a short step from the point this way stays in the box: from a corner, most lead out of it."""
    return bool(((way <= 0) | (point < problem.upper)).all() and ((way >= 0) | (point > problem.lower)).all())
