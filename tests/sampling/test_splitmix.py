"""One generator in three forms: on arrays, compiled by Numba, and as LLVM instructions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

import cpcbench as cpc
from cpcbench.sampling.random import unit
from cpcbench.sampling.splitmix import GAMMA, STEP, mixed
from cpcbench.solvers.search.start import plain
from cpcbench.studies.feasible.counting import counted
from cpcbench.studies.feasible.draws import state_of

SEED = 1234567
NUMBERS = (
    6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
)  # fmt: skip
"""The first numbers of this seed, as its authors' program prints them."""
UNITS = [(number >> 11) * 2.0**-53 for number in NUMBERS]


def test_arrays_give_the_published_numbers() -> None:
    states = np.uint64(SEED) + np.arange(1, 6, dtype=np.uint64) * STEP
    assert tuple(int(z) for z in mixed(states)) == NUMBERS


@njit
def five(seed: Any) -> Any:
    return [unit(seed) for _ in range(5)]


def test_plain_and_compiled_draws_are_the_same() -> None:
    seed = np.array([SEED], dtype=np.uint64)
    with np.errstate(over="ignore"):
        assert [plain(unit)(seed) for _ in range(5)] == UNITS
    assert int(seed[0]) == (SEED + 5 * GAMMA) % 2**64
    assert five(np.array([SEED], dtype=np.uint64)) == UNITS


def test_the_instructions_draw_the_same() -> None:
    """Point k of a problem of one variable is admissible where its number is above a bound."""
    for bound in (0.25, 0.5, 0.75):
        count = counted(cpc.parse(f"sqrt(x1 - {bound})", bounds=[(0.0, 1.0)]))
        states = [state_of(SEED, k, 1) for k in range(5)]
        assert [bool(count(state, step, 1)) for state, step in states] == [x >= bound for x in UNITS]
