"""Certificates of random formulas, each looked at for everything that must not happen."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

import cpcbench as cpc
from cpcbench.certify.certificate.certificate import Certificate
from cpcbench.certify.times import ATTAINED, CHECKING, LATE, LATE_SECONDS
from cpcbench.certify.work import has_varying_power
from cpcbench.expr.walk import variables
from cpcbench.intervals.boxes import Boxes
from tests.material.random_formulas import ELEMENTARY, RATIONAL, formula, seeded

Floats = npt.NDArray[np.float64]

SIZES, MOST_VARIABLES = (3, 5, 8, 12, 20, 30), 4
ENDS = (-4.0, -2.5, -1.0, -0.5, 0.0, 0.1, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
SAMPLES, REFINED, LOOKED_AT = 20_000, 6, 40
"""Points of a sample, how many of its lowest are refined by a local search, and how many are evaluated exactly."""


def random_problem(seed: int) -> cpc.Problem:
    """A formula of all the functions of the language in one to four variables, on a box of plain ends."""
    r = seeded(seed)
    for _ in range(100):
        n = r.randint(1, MOST_VARIABLES)
        root = formula(r, r.choice(SIZES), [*RATIONAL, *ELEMENTARY], n)
        box = [random_side(r) for _ in range(n)]
        if variables(root):
            return cpc.Problem("random", root, *(np.array(side) for side in zip(*box, strict=True)), rule="strict")
    raise AssertionError("formulas have variables, mostly")


def random_side(r: random.Random) -> tuple[float, float]:
    low, high = sorted(r.sample(ENDS, 2))
    return (low, high) if r.random() < 0.9 else (low, low + 2.0 ** -r.randint(5, 40) * max(1.0, abs(low)))


def longest(seconds: float) -> float:
    """How long a call may take by its own words, from when the kernels are compiled."""
    return (1.0 + ATTAINED + CHECKING + LATE) * seconds + LATE_SECONDS


@dataclass
class Outcome:
    """What became of one formula; `wrong` lists what must not happen."""

    seed: int
    problem: cpc.Problem
    part: str
    made: Certificate | None = None
    said: str = ""
    took: float = 0.0
    wrong: list[str] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """In a word or two."""
        if self.made is None:
            return "no proof"
        if self.made.unbounded:
            return "no lower bound"
        gap = self.made.relative_gap
        return "gap <= 1e-9" if gap <= 1e-9 else "gap <= 1e-3" if gap <= 1e-3 else "wider gap"


def attempt(seed: int, seconds: float, part: str = "regular") -> Outcome:
    """Certifies one random formula and looks at what comes back."""
    problem = random_problem(seed)
    found = Outcome(seed, problem, part)
    began = time.monotonic()

    def see(line: str) -> None:
        nonlocal began
        if line == "looking for low points":  # all is compiled
            began = time.monotonic()

    try:
        found.made = cpc.certify(problem, seconds=seconds, part=part, progress=see)
    except cpc.CpcbenchError as error:
        found.said = str(error)
    except Exception as error:  # anything else is what is looked for
        found.wrong.append(f"{type(error).__name__}: {error}")
    found.took = time.monotonic() - began
    if found.made is not None:
        found.wrong += list(_trouble(problem, found.made, np.random.default_rng(seed)))
    return found


def attempts(seeds: range, seconds: float) -> Iterator[Outcome]:
    """Formulas one after another; those with varying exponents also on their thin sets."""
    for seed in seeds:
        yield attempt(seed, seconds)
        if has_varying_power(random_problem(seed).expression) and seed % 3 == 0:
            yield attempt(seed, seconds, "thin")


def _trouble(problem: cpc.Problem, made: Certificate, rng: np.random.Generator) -> Iterator[str]:
    verdict = made.check()
    if not verdict.accepted:
        yield f"rejected: {verdict.reason}"
    if made.unbounded:
        low = Boxes(problem.expression, "ieee")(problem.lower[None], problem.upper[None])[0][0]
        if low > -math.inf:
            yield f"said to have no lower bound, but no value is below {low!r}"
        return
    if not made.lower <= made.upper:
        yield f"lower {made.lower!r} above upper {made.upper!r}"
    for rule in ("strict",) if made.part == "regular" else ("ieee",):
        yield from _below(problem.with_rule(rule), made, rng)


def _below(problem: cpc.Problem, made: Certificate, rng: np.random.Generator) -> Iterator[str]:
    """Values that are proven to lie below what is said to be a lower bound."""
    for x in low_points(problem, rng):
        found = problem.enclosure(x)
        counts = found.defined and (found.thin or made.part != "thin")
        if counts and found.upper < made.lower:
            yield f"{found.upper!r} at {x.tolist()} is below {made.lower!r}"
            return


def low_points(problem: cpc.Problem, rng: np.random.Generator) -> Floats:
    """The lowest of a sample with round numbers among it, the first few refined by a local search in doubles."""
    low, high = problem.lower, problem.upper
    points = rng.uniform(low, high, (SAMPLES, problem.dim))
    whole = rng.random(points.shape) < rng.choice((0.0, 0.5, 1.0), (SAMPLES, 1))
    points = np.clip(np.where(whole, np.rint(points), points), low, high)
    values = problem.fast.batch(points)
    points = points[np.argsort(np.where(np.isnan(values), np.inf, values), kind="stable")[:LOOKED_AT]]

    def value(x: Floats) -> float:
        found = float(problem.fast.batch(np.clip(x, low, high)[None])[0])
        return found if math.isfinite(found) else 1e300

    with np.errstate(all="ignore"):
        better = [
            np.clip(minimize(value, x, method="Nelder-Mead", options={"maxfev": 300}).x, low, high)
            for x in points[:REFINED]
        ]
    return np.vstack([points, *better])
