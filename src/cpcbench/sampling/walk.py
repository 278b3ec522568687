"""The kernel that walks points about within a level of the domain's distance, for multilevel splitting.

A step is symmetric and taken if it stays in the box and within the level, so an even spread over the level stays even.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from cpcbench.problems.problem import Problem


def total_missed(amounts: Any, scale: Any) -> float:
    """Each test adds 0 to 1: linear below its scale, a logarithm above, 1 where it is undefined."""
    total = 0.0
    for j in range(scale.size):
        ratio = amounts[j] / scale[j]
        if ratio <= 1.0:
            total += ratio / (ratio + 1.0)
        elif ratio > 1.0:
            tail = min(math.log(ratio), 1500.0)
            total += 0.5 + 0.5 * tail / (tail + 1.0)
        else:  # undefined, because an inner test fails
            total += 1.0
    return total


SOURCE = '''"""A kernel of cpcbench."""

import numpy as np
from numba import njit

from cpcbench.readings.doubles.kernels import admissible_function, point_function, violations_function
from cpcbench.sampling import splitmix, walk
from cpcbench.sampling.splitmix import HIGH, STEP

violations = point_function(violations_function, "{key}")
admissible = point_function(admissible_function, "{key}")
mixed, total_missed = njit(splitmix.mixed), njit(walk.total_missed)
N, TESTS = {n}, {tests}


@njit
def unit(z):
    return np.float64(mixed(z) >> HIGH) * 2.0**-53


@njit
def distance(x, start, scale, amounts, verdict):
    violations(x, start, amounts, 0)
    total = total_missed(amounts, scale)
    if total == 0.0 and admissible(x, start, verdict, 0):
        return -1.0
    return total


SIGNATURE = (
    "void(float64[::1], float64[::1], float64[::1], float64[::1], float64, float64[::1], float64[::1], int64, uint64)"
)


def kernel(x, far, others, scale, level, lower, upper, moves, seed):
    amounts, verdict, old = np.empty(max(TESTS, 1)), np.empty(1, dtype=np.bool_), np.empty(N)
    pairs = others.size // N
    for p in range(far.size):
        start = p * N
        if moves == 0:
            far[p] = distance(x, start, scale, amounts, verdict)
        state = mixed(seed + np.uint64(p) * STEP)
        for _ in range(moves):
            between = unit(state) < 0.6
            size = 10.0 ** (-1.5 + 1.7 * unit(state + STEP)) if between else 10.0 ** (-8.0 * unit(state + STEP))
            state += STEP + STEP
            a, b = int(unit(state) * pairs) * N, int(unit(state + STEP) * pairs) * N
            state += STEP + STEP
            first, last = 0, N
            if unit(state) < 0.7:
                first = int(unit(state + STEP) * N)
                last = first + 1
            state += STEP + STEP
            inside = True
            for i in range(first, last):
                old[i] = x[start + i]
                if between:
                    x[start + i] += size * (others[a + i] - others[b + i])
                else:
                    x[start + i] += size * (2.0 * unit(state) - 1.0) * (upper[i] - lower[i])
                    state += STEP
                if not lower[i] <= x[start + i] <= upper[i]:
                    inside = False
            there = distance(x, start, scale, amounts, verdict) if inside else np.inf
            if inside and there <= level:
                far[p] = there
            else:
                for i in range(first, last):
                    x[start + i] = old[i]
'''


def walking(problem: Problem) -> Callable[..., None]:
    """`kernel(points, far, others, scale, level, lower, upper, moves, seed)`, which changes points and their distances.

    With no moves it only computes the distances: what the tests are missed by in all, -1 for an admissible point. A
    step is a multiple of the difference of two `others`, or of any size; in one coordinate or in all.
    """
    return problem.fast.compiled("walk", SOURCE, made_by=__file__, tests=len(problem.fast.plan.tests))
