"""The coordinates of many images, each worked out once: an orbit has thousands of points and few numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from cpcbench.studies.symmetry.motions import Exact, Motion, distance, rounded

Places = tuple[int, ...]
"""A point, each coordinate as its place in the list of numbers."""


class Numbers:
    """Exact numbers by their place in a list: comparing and hashing points is then as cheap as with whole numbers."""

    def __init__(self) -> None:
        self._exact: list[Exact] = []
        self._doubles: list[float] = []
        self._place: dict[Exact, int] = {}
        self._moved: dict[tuple[int, int, int], int] = {}

    def place(self, number: Exact) -> int:
        if number not in self._place:
            self._place[number] = len(self._exact)
            self._exact.append(number)
            self._doubles.append(rounded(number))
        return self._place[number]

    def exact(self, point: Places) -> tuple[Exact, ...]:
        return tuple([self._exact[place] for place in point])

    def moved(self, point: Places, motion: Motion) -> Places:
        """The image of a point, exactly."""
        image = list(point)
        for i in motion.moved:
            source, sign, shift = point[motion.places[i]], motion.signs[i], motion.shifts[i]
            key = source, sign, id(shift)  # motions outlive the orbit, so an id stays what it is
            if key not in self._moved:
                (x, y), (a, b) = self._exact[source], shift
                self._moved[key] = self.place((sign * x + a, sign * y + b))
            image[i] = self._moved[key]
        return tuple(image)

    def inside(self, point: Places, box: Sequence[tuple[float, float]], variables: Iterable[int]) -> bool:
        """Whether these coordinates of the point, rounded, lie in the box."""
        return all(box[i][0] <= self._doubles[point[i]] <= box[i][1] for i in variables)


@dataclass(frozen=True)
class Nearest:
    """The double nearest to a number, how far it is, and whether it is the number itself."""

    value: float
    lost: float
    exact: bool


class Doubles:
    """Nearest doubles; a number that comes again as the same object is not rounded again."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Exact, Nearest]] = {}

    def __call__(self, number: Exact) -> Nearest:
        known = self._known.get(id(number))
        if known is None:
            value = rounded(number)
            exact = number[1] == 0 and number[0] == Fraction(value)
            known = number, Nearest(value, distance(number, value), exact)
            self._known[id(number)] = known  # the number is kept, so that its id stays its own
        return known[1]
