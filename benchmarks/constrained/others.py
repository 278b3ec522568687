"""Problems with whole variables and problems without bounds: found by both searches, and proven.

    python -m benchmarks.constrained.others [--seeds 5] [--budget 100000] [--seconds 30] [mixed | open]

Mixed: Kocis and Grossmann 1988; Floudas 1995; Yuan, Zhang, Pibouleau and Domenech 1988; Sandgren 1990 with the side of
the vessel in sixteenths of an inch; Poern, Harjunkoski and Westerlund 1999. Without bounds: Rosenbrock 1960; Brown's
badly scaled function, More, Garbow and Hillstrom 1981; a geometric programme; a logarithmic barrier; a sum of growths.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import cpcbench as cpc
from benchmarks.constrained.__main__ import processor_time
from cpcbench.errors import NotProvenError

INF = math.inf


class Other(NamedTuple):
    """A problem, which of its variables are whole, and the least value that is printed or follows by hand."""

    id: str
    formula: str
    bounds: Sequence[tuple[float, float]]
    known: float
    integrality: Sequence[int] | int = 0
    subject_to: Sequence[str] = ()

    @property
    def problem(self) -> cpc.Problem:
        return cpc.parse(
            self.formula, self.bounds, id=self.id, subject_to=list(self.subject_to), integrality=self.integrality
        )


MIXED = [
    Other(
        "Kocis-Grossmann", "2*x1 + x2", [(0, 1.6), (0, 1)], 2.0, [0, 1],
        ["1.25 <= x1^2 + x2", "x1 + x2 <= 1.6"],
    ),
    Other(
        "Floudas", "0.8 - 0.7*x3 + 5*(x1 - 0.5)^2", [(0.2, 1), (-2.22554, -1), (0, 1)], 1.0765430833, [0, 0, 1],
        ["-exp(x1 - 0.2) <= x2", "x2 + 1.1*x3 <= -1", "x1 - 1.2*x3 <= 0.2"],
    ),
    Other(
        "Yuan",
        "(x4 - 1)^2 + (x5 - 2)^2 + (x6 - 1)^2 - ln(x7 + 1) + (x1 - 1)^2 + (x2 - 2)^2 + (x3 - 3)^2",
        [(0, 1.2), (0, 1.8), (0, 2.5), (0, 1), (0, 1), (0, 1), (0, 1)], 4.5795824, [0, 0, 0, 1, 1, 1, 1],
        [
            "x4 + x5 + x6 + x1 + x2 + x3 <= 5", "x6^2 + x1^2 + x2^2 + x3^2 <= 5.5", "x4 + x1 <= 1.2",
            "x5 + x2 <= 1.8", "x6 + x3 <= 2.5", "x7 + x1 <= 1.2", "x5^2 + x2^2 <= 1.64", "x6^2 + x3^2 <= 4.25",
            "x5^2 + x3^2 <= 4.64",
        ],
    ),
    Other(
        "pressure vessel",
        "0.6224*0.0625*x1*x3*x4 + 1.7781*0.0625*x2*x3^2 + 3.1661*(0.0625*x1)^2*x4 + 19.84*(0.0625*x1)^2*x3",
        [(1, 99), (1, 99), (10, 200), (10, 200)], 6059.714335, [1, 1, 0, 0],
        ["0.0193*x3 <= 0.0625*x1", "0.00954*x3 <= 0.0625*x2", "1296000 <= pi*x3^2*x4 + 4/3*pi*x3^3", "x4 <= 240"],
    ),
    Other(
        "Poern", "3*x2 - 5*x1", [(1, 10), (1, 6)], -17.0, [0, 1],
        ["2*x2^2 - 2*x2^0.5 - 2*x1^0.5*x2^2 + 11*x2 + 8*x1 <= 39", "x1 - x2 <= 3", "3*x1 + 2*x2 <= 24"],
    ),
]  # fmt: skip

OPEN = [
    Other("Rosenbrock", "100*(x2 - x1^2)^2 + (1 - x1)^2", [(-INF, INF)] * 2, 0.0),
    Other("Brown", "(x1 - 10^6)^2 + (x2 - 2*10^-6)^2 + (x1*x2 - 2)^2", [(-INF, INF)] * 2, 0.0),
    Other("geometric", "x1 + 2*x2 + 4/(x1*x2)", [(0, INF)] * 2, 6.0),
    Other("barrier", "x1 + 2*x2 - ln(x1) - ln(x2 - x1/4)", [(-INF, INF)] * 2, 2.0 + math.log(3.0)),
    Other("growths", "exp(x1) - 2*x1 + x2^4 - x2 + cosh(x3 - 1)", [(-INF, INF)] * 3,
          3.0 - 2.0 * math.log(2.0) - 0.75 * 0.25 ** (1 / 3)),
]  # fmt: skip


def solved(problem: cpc.Problem, known: float, method: str, seeds: int, budget: int) -> int:
    """In how many searches the known value was reached, to 1e-4 of it."""
    found = [cpc.minimize(problem, budget=budget, rng=seed, method=method).fun for seed in range(seeds)]
    return sum(value <= known + 1e-4 * max(1.0, abs(known)) for value in found)


def rows(problems: Iterable[Other], seeds: int, budget: int, seconds: float) -> Iterable[str]:
    yield "| problem | known | black box | white box | proven lower bound | gap | seconds |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for each in problems:
        p = each.problem
        counts = [f"{solved(p, each.known, method, seeds, budget)}/{seeds}" for method in ("black-box", "white-box")]
        start = processor_time()
        try:
            proof = cpc.certify(p, seconds=seconds, tolerance=1e-6, workers=1)
            checked = proof.checked is not None and proof.checked.accepted
            said = f"{proof.lower:.9g}{'' if checked else ' (not checked)'} | {proof.relative_gap:.1e}"
        except NotProvenError:
            said = "- | -"
        taken = processor_time() - start
        yield f"| {each.id} | {each.known:.9g} | {' | '.join(counts)} | {said} | {taken:.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", nargs="*", default=["mixed", "open"])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--budget", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=30.0)
    asked = parser.parse_args()
    for name in asked.which:
        for row in rows({"mixed": MIXED, "open": OPEN}[name], asked.seeds, asked.budget, asked.seconds):
            print(row, flush=True)


if __name__ == "__main__":
    main()
