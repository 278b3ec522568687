"""`python -m benchmarks.speed.waiting`: how busy workers are when evaluations differ in length, in batches or not."""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import cpcbench as cpc

BOX = [(-2.0, 2.0)] * 3


def slow(x: Any) -> float:
    """Sleeps between 1 and 100 hundredths of a second, as the point says, and is undefined on half of the box."""
    length = 0.01 * 10.0 ** (2.0 * (np.sin(1e4 * x.sum()) * 0.5 + 0.5))
    time.sleep(length)
    if x[0] > x[1]:
        raise ArithmeticError("no convergence")
    return float(np.sum((x - 0.5) ** 2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--budget", type=int, default=400)
    parser.add_argument("--runs", type=int, default=3)
    settings = parser.parse_args()
    for asynchronous in (False, True):
        for rng in range(settings.runs):
            begin = time.monotonic()
            found = cpc.minimize(
                slow,
                BOX,
                budget=settings.budget,
                rng=rng,
                workers=settings.workers,
                asynchronous=asynchronous,
            )
            seconds = time.monotonic() - begin
            print(f"asynchronous={asynchronous}, rng={rng}: {seconds:.1f} s, best {found.fun:.2e}", flush=True)


if __name__ == "__main__":
    main()
