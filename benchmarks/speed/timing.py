"""Timing on a noisy machine: the processor's seconds, the best of several rounds, the candidates taking turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from math import exp, log


def best_of(candidates: dict[str, Callable[[], object]], rounds: int = 5, at_least: float = 0.005) -> dict[str, float]:
    """Seconds of the processor for a call of each candidate, the least of `rounds`; each round lasts a while."""
    repeats = {}
    for name, run in candidates.items():
        run()
        start = time.process_time()
        run()
        repeats[name] = max(1, round(at_least / max(time.process_time() - start, 1e-9)))
    best = dict.fromkeys(candidates, float("inf"))
    for _ in range(rounds):
        for name, run in candidates.items():
            start = time.process_time()
            for _ in range(repeats[name]):
                run()
            best[name] = min(best[name], (time.process_time() - start) / repeats[name])
    return best


def geometric_mean(values: Iterable[float]) -> float:
    logs = [log(v) for v in values]
    return exp(sum(logs) / len(logs))
