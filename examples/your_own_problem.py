"""A problem of one's own from text: its hidden conditions, its admissible share, its best sampled point.

python examples/your_own_problem.py
"""

from __future__ import annotations

import numpy as np

import cpcbench as cpc

FORMULA = "ln(3 - height/width)^2 + sqrt(height - 2 - sin(width)^2) - width^0.7"
SAMPLES = 200_000


def main() -> None:
    problem = cpc.parse(FORMULA, bounds={"width": (-5, 5), "height": (0, 10)}, id="shed")
    print(problem)
    for condition in problem.conditions:
        print(f"  {condition.kind:9} {condition.text}")

    rng = np.random.default_rng(1)
    points = rng.uniform(problem.lower, problem.upper, (SAMPLES, problem.dim))
    values = problem(points)
    share = np.mean(~np.isnan(values))
    margin = 1.96 * np.sqrt(share * (1 - share) / SAMPLES)
    print(f"\nadmissible: {share:.2%} ± {margin:.2%} of the box (95 %, {SAMPLES:,} samples)")

    best = points[np.nanargmin(values)]
    verdict = cpc.verify(problem, best, values[np.nanargmin(values)])
    print(f"lowest sample {verdict.reference:.6g} at {best.tolist()}: {verdict.kind}")

    outside = points[np.isnan(values)][0]
    print(f"\nwhy {outside.round(3).tolist()} is not admissible:")
    for condition in problem.conditions:
        at = condition.at(outside)
        if at.satisfied is not True:
            reason = "cannot be computed, an inner one fails" if at.satisfied is None else f"is {at.value:.6g}"
            print(f"  {condition.text}: {reason}")


if __name__ == "__main__":
    main()
