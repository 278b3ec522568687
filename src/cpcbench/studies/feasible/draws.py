"""The points behind a feasible ratio: the same that the compiled count draws, for anyone to look at.

They follow the law of `sampling.points.uniform_points` (the same grid of 2^53 steps a coordinate)
from another generator, one that gives any point by its number.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from cpcbench.points import Floats
from cpcbench.sampling.splitmix import GAMMA, HIGH, STEP, UNIT_BITS, mixed

if TYPE_CHECKING:
    from cpcbench.problems.problem import Problem

WORDS = 2**64


def stream_seed(problem: Problem, seed: int, *place: int) -> np.random.SeedSequence:
    """A seed for one repeat or run on one problem; both rules see the same points."""
    digest = hashlib.sha256(f"{problem.id} {problem.dim}".encode()).digest()
    return np.random.SeedSequence(seed, spawn_key=(int.from_bytes(digest[:8], "big"), *place))


def stream(problem: Problem, seed: int, repeat: int) -> int:
    """Where the sequence of a repeat starts: 64 bits."""
    return int(stream_seed(problem, seed, 0, repeat).generate_state(1, np.uint64)[0])


def state_of(start: int, first: int, dim: int) -> tuple[int, int]:
    """The state of the point number `first` of a stream, and the step to the next point."""
    step = dim * GAMMA % WORDS
    return (start + first * step) % WORDS, step


def drawn_points(problem: Problem, seed: int, repeat: int, first: int, count: int) -> Floats:
    """Points `first` to `first + count - 1` of a repeat, one a row, to the last bit those that are counted."""
    state, _ = state_of(stream(problem, seed, repeat), first, problem.dim)
    places = np.arange(1, count * problem.dim + 1, dtype=np.uint64)
    bits = mixed(np.uint64(state) + places * STEP)  # whole numbers modulo 2^64
    unit = (bits >> HIGH).astype(np.float64) * 2.0**-UNIT_BITS
    return _in_box(problem, unit.reshape(count, problem.dim))


def _in_box(problem: Problem, unit: Floats) -> Floats:
    low, high = problem.lower, problem.upper
    with np.errstate(over="ignore", invalid="ignore"):
        width = high - low
        whole = low + width * unit
    halves = 2.0 * (low / 2 + (high / 2 - low / 2) * unit)  # where the width overflows
    points: Floats = np.minimum(np.where(np.isfinite(width), whole, halves), high)
    return points
