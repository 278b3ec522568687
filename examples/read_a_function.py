"""A NumPy function, read: its hidden conditions, the white-box search, and a proof that the minimum is global.

python examples/read_a_function.py
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import cpcbench as cpc

LOADS = np.array([1.0, 2.5, 4.0])


def stress(x: npt.NDArray[np.float64]) -> float:
    """Two lengths of a frame; undefined where a strut would have to be shorter than nothing."""
    width, height = x
    struts = np.sqrt(width**2 + height**2 - LOADS / 10)
    slack = np.log(3 - width * height)
    return float(np.sum(LOADS / struts) + slack**2 + 0.1 * width)


def main() -> None:
    problem = cpc.trace(stress, bounds=[(0, 5), (0, 5)], names=["width", "height"])
    print(problem)
    for condition in problem.conditions:
        print(f"  {condition.kind:9} {condition.text}")
    found = cpc.minimize(problem, seconds=2)
    print(f"\nlowest value found: {found.fun:.9f} at {np.round(found.x, 6).tolist()}")
    proof = cpc.certify(problem, seconds=20)
    verdict = proof.check()
    print(f"proven: the infimum lies in [{proof.lower:.9f}, {proof.upper:.9f}], checked: {verdict.accepted}")


if __name__ == "__main__":
    main()
