"""A simulation that blows up at many settings, with a whole number and a constraint; kill it, and it goes on.

python examples/slow_simulation.py
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.integrate import solve_ivp

import cpcbench as cpc

BOX = [(1, 12), (0.05, 2), (0.1, 3)]
"""Cooling tubes (a whole number), flow in each, strength of the feed."""

PUMP = "x1*x2 <= 5"
"""The pump has no more for all the tubes together."""


def loss(x: npt.NDArray[np.float64]) -> float:
    """A reactor that heats itself: what the tubes and their flow cost, less what is made in 20 hours.

    Where cooling is too weak the temperature goes to infinity within the time, and there is no value.
    """
    tubes, flow, feed = x

    def change(_hours: float, state: npt.NDArray[np.float64]) -> list[float]:
        heat, _made = state
        rate = feed * np.exp(min(heat, 50.0))
        return [0.1 * rate - 0.1 * tubes * flow * heat, 0.1 * rate]

    def runaway(_hours: float, state: npt.NDArray[np.float64]) -> float:
        return float(state[0]) - 5.0

    runaway.terminal = True  # type: ignore[attr-defined]
    ended = solve_ivp(change, (0.0, 20.0), [0.0, 0.0], events=runaway, rtol=1e-6)
    if ended.status != 0:
        raise ArithmeticError(f"the reactor ran away after {ended.t[-1]:.2f} hours")
    return float(0.5 * tubes + tubes * flow**1.5 - ended.y[1, -1])


def main() -> None:
    found = cpc.minimize(
        loss, BOX, integrality=[1, 0, 0], constraints=[PUMP], budget=600, rng=1, log="runs.csv", state="search.state"
    )
    print(f"{found.nfev} evaluations, of which {found.nrecalled} were made by an earlier call that was ended")
    print(
        f"lowest loss found {found.fun:.4f} with {found.x[0]:.0f} tubes, flow {found.x[1]:.3f}, feed {found.x[2]:.3f}"
    )
    for failure in found.failures:
        print(f"{failure.count} times: {failure.kind}")
    ends = zip(found.defined.lower, found.defined.upper, strict=True)
    print("values were seen within " + ", ".join(f"[{low:.2f}, {high:.2f}]" for low, high in ends))


if __name__ == "__main__":
    main()
