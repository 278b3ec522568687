"""A problem with constraints: stated as text, searched as a formula and as a function, and proven.

python examples/constraints.py
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import NonlinearConstraint

import cpcbench as cpc

BOX = [(0.0, 3.0), (0.0, 4.0)]
FIRST, SECOND = "x2 <= 2*x1^4 - 8*x1^3 + 8*x1^2 + 2", "x2 <= 4*x1^4 - 32*x1^3 + 88*x1^2 - 96*x1 + 36"


def main() -> None:
    problem = cpc.parse("-x1 - x2", bounds=BOX, subject_to=[FIRST, SECOND], id="G24")
    for condition in problem.conditions:
        print(f"{condition.kind}: {condition.text}")
    print(f"at (2, 3) the value is {problem([2, 3])!r}, and the conditions are missed by {problem.violation([2, 3])!r}")

    found = cpc.minimize(problem, budget=200_000, rng=1)
    print(f"white box: {found.fun:.9f} at {found.x.round(6).tolist()}, {cpc.verify(problem, found.x, found.fun).kind}")

    def room(x: np.ndarray) -> np.ndarray:
        """What SciPy's users have: a function of the point that must not be negative."""
        first = 2 * x[0] ** 4 - 8 * x[0] ** 3 + 8 * x[0] ** 2 + 2 - x[1]
        return np.array([first, 4 * x[0] ** 4 - 32 * x[0] ** 3 + 88 * x[0] ** 2 - 96 * x[0] + 36 - x[1]])

    limits = NonlinearConstraint(room, 0, np.inf)
    called = cpc.minimize(lambda x: -x[0] - x[1], BOX, constraints=limits, budget=20_000, rng=1)
    print(f"black box: {called.fun:.5f}, {called.nwatched} of {called.nfev} evaluations to enter the domain")

    proof = cpc.certify(problem, tolerance=1e-6, seconds=60)
    print(f"proven: the least value is between {proof.lower!r} and {proof.upper!r}")
    print(f"checked: {cpc.check(proof, problem=problem).accepted}")


if __name__ == "__main__":
    main()
